"""Specification and data → `Shape` and `Problem`: the one place where names become indices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpsem.assemble.constrain import Constrained, constrain, padded, variances, with_priors, written
from gpsem.assemble.maps import closed_slopes, expand, measurement_map, units_of
from gpsem.assemble.presets import PRESETS, Preset
from gpsem.data.prepare import Data
from gpsem.errors import GpsemError
from gpsem.maths.priors import NAMES
from gpsem.model.settings import PAPER_INDUCING
from gpsem.model.specification import Specification
from gpsem.model.table import Row
from gpsem.moves.types import Errata, Problem, Shape
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import tokenize

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
BASIS_SIZE = {1: 30, 2: 100, 3: 200}
BOX = 3.0


class Layout(NamedTuple):
    """Names and units beside the arrays: what turns internal draws into the user's parameters."""

    spec: Specification
    latents: tuple[str, ...]  # causes first
    indicators: tuple[str, ...]
    rows: tuple[Row, ...]
    centre: FloatArray  # of the indicators
    scale: FloatArray
    unit: FloatArray  # of the latents: x_user = unit x_internal + origin
    origin: FloatArray
    measurement: Constrained
    structure: Constrained
    slopes: tuple[tuple[str, tuple[str, ...]], ...]  # equation, factors; () is the intercept
    terms: tuple[tuple[str, tuple[str, ...]], ...]  # equation, parents
    blocks: tuple[tuple[tuple[str, ...], ...], ...]  # by size, as in the problem


class Built(NamedTuple):
    """A problem ready to be sampled."""

    shape: Shape
    problem: Problem
    layout: Layout


def build(spec: Specification, data: Data, joint: bool = False) -> Built:
    """Arrays of a model with its data, for the paper's sampler."""
    table = {(row.lhs, row.op, row.rhs): row for row in spec.table.rows}
    preset = PRESETS[spec.settings.priors]
    latents, indicators = spec.order, data.indicators
    centre, scale = data.scaling.centre, data.scaling.scale
    unit, origin = units_of(spec, table, latents, indicators, centre, scale)
    entries, a0, a1 = measurement_map(spec, latents, indicators, centre, scale, unit, origin)
    rows_m = [_internal_row(spec, table, entry) for entry in entries]
    measurement = constrain(rows_m, a0, a1)
    width = len(latents) + 1
    places = [indicators.index(y) * width + (latents.index(x) if x else len(latents)) for y, x in entries]
    linear = _scattered(with_priors(measurement, rows_m, preset.coefficient), places, len(indicators) * width)
    slopes = closed_slopes(spec)
    s0, s1 = expand(tuple(slopes), latents, unit, origin)
    rows_s = [_slope_row(spec, table, latent, factors) for latent, factors in slopes]
    structure = constrain(rows_s, s0, s1)
    errors = variances([table[y, "~~", y] for y in indicators], scale**2, preset.error)
    disturbance_rows = [_disturbance(spec, table, x) if x in spec.roles.parents else None for x in latents]
    disturbances = variances(disturbance_rows, unit**2, preset.disturbance)
    _check_supported(spec, table, data)
    terms = [(e.latent, parents) for e in spec.equations for parents in e.functions]
    inputs = max((len(parents) for _, parents in terms), default=1)
    place = {name: n for n, name in enumerate(latents)}
    sizes = sorted({len(block) for block in spec.blocks})
    grouped = tuple(tuple(block for block in spec.blocks if len(block) == size) for size in sizes)
    values = data.scaling.apply(data.values)
    seen = np.isfinite(values)
    family = next((e.family for e in spec.equations if e.family), "gp")
    hyper = _hyper_priors(table, terms, inputs, place, unit, preset)
    shape = Shape(
        rows=len(values),
        latents=len(latents),
        indicators=len(indicators),
        terms=len(terms),
        inputs=inputs,
        inducing=_inducing(spec, family, inputs) if terms else 0,
        slopes=len(slopes),
        blocks=tuple((size, len(group)) for size, group in zip(sizes, grouped, strict=True)),
        components=spec.settings.mixture,
        family=family,
        kernel=spec.settings.kernel,
        ard=spec.settings.ard,
        inducing_prior=spec.settings.inducing_prior,
        joint=joint,
    )
    box = BOX * float(np.nanmax(np.nanstd(values, axis=0, ddof=1)))
    problem = Problem(
        y=np.where(seen, values, 0.0),
        seen=seen.astype(float),
        exact=_exact(spec, table, latents, indicators, seen),
        measurement=linear,
        errors=errors,
        structure=with_priors(structure, rows_s, preset.slope),
        disturbances=disturbances,
        endogenous=np.array([float(x in spec.roles.parents) for x in latents]),
        slope_factors=_factors(slopes, place),
        slope_latent=np.array([place[latent] for latent, _ in slopes], int),
        term_inputs=_padded_inputs(terms, place, inputs),
        term_latent=np.array([place[latent] for latent, _ in terms], int),
        hyper_code=hyper[0],
        hyper_arguments=hyper[1],
        hyper_power=hyper[2],
        hyper_unit=hyper[3],
        box=np.asarray(box),
        inducing_mean=np.asarray(0.0),
        inducing_variance=np.asarray(_marker_variance(spec, values, indicators)),
        blocks=tuple(np.array([[place[x] for x in block] for block in group]) for group in grouped),
        weights_prior=np.asarray(preset.weights),
        mean_variance=np.asarray(preset.mean),
        spread_scale=np.asarray(preset.spread),
        errata=Errata(*[np.asarray(0.0)] * len(Errata._fields)),
    )
    layout = Layout(
        spec,
        latents,
        indicators,
        spec.table.rows,
        centre,
        scale,
        unit,
        origin,
        measurement,
        structure,
        tuple(slopes),
        tuple(terms),
        grouped,
    )
    return Built(shape, problem, layout)


def _internal_row(spec: Specification, table: dict[tuple[str, str, str], Row], entry: tuple[str, str]) -> Row:
    """The row of an entry, markers of rescaled or moved latents held at the internal 1 and 0."""
    y, x = entry
    if x:
        row = table[x, "=~", y]
        if spec.anchors.scale[x] == "variance" and spec.anchors.marker[x] == y:
            return row._replace(free=0, value=1.0)
        return row
    row = table[y, "~1", ""]
    for latent in spec.roles.measured[y]:
        if spec.anchors.origin.get(latent) == "mean" and spec.anchors.marker[latent] == y:
            return row._replace(free=0, value=0.0)
    return row


def _scattered(linear: Any, places: list[int], size: int) -> Any:
    """Entries put where they belong among (indicators, latents + 1)."""
    constant, basis = np.zeros(size), np.zeros((size, linear.basis.shape[1]))
    constant[places], basis[places] = linear.constant, linear.basis
    return linear._replace(constant=constant, basis=basis)


def slope_name(factors: tuple[str, ...]) -> str:
    """The right-hand side of a slope in the table."""
    from gpsem.syntax.expression import name_text

    return ":".join(map(name_text, factors))


def _slope_row(
    spec: Specification, table: dict[tuple[str, str, str], Row], latent: str, factors: tuple[str, ...]
) -> Row | None:
    if not factors:
        row = table.get((latent, "~1", ""))
        moved = row is not None and spec.anchors.origin.get(latent) == "mean"
        return row._replace(free=-1 - spec.order.index(latent), value=None) if moved and row else row
    return table.get((latent, "~", slope_name(factors)))


def _disturbance(spec: Specification, table: dict[tuple[str, str, str], Row], latent: str) -> Row:
    row = table[latent, "~~", latent]
    if spec.anchors.scale[latent] == "variance":
        return row._replace(free=-1 - spec.order.index(latent), value=None)
    return row


def _factors(slopes: list[tuple[str, tuple[str, ...]]], place: dict[str, int]) -> Any:
    one = len(place)
    full = [[*(place[x] for x in factors), one, one][:2] for _, factors in slopes]
    return np.array(full, int).reshape(-1, 2)


def _padded_inputs(terms: list[tuple[str, tuple[str, ...]]], place: dict[str, int], inputs: int) -> Any:
    one = len(place)
    rows = [[*(place[x] for x in parents), *[one] * (inputs - len(parents))] for _, parents in terms]
    return np.array(rows, int).reshape(-1, inputs)


def _inducing(spec: Specification, family: str, inputs: int) -> int:
    if family == "gp":
        return spec.settings.inducing or PAPER_INDUCING
    return 0 if family == "full-gp" else spec.settings.inducing or BASIS_SIZE.get(inputs, 300)


def _hyper_priors(
    table: dict[tuple[str, str, str], Row],
    terms: list[tuple[str, tuple[str, ...]]],
    inputs: int,
    place: dict[str, int],
    unit: FloatArray,
    preset: Preset,
) -> tuple[Any, Any, Any, Any]:
    """Priors of (a, b_1 ...): on a^power or b^power times a unit; the user's are on sd and length-scale."""
    from gpsem.syntax.expression import name_text

    code = np.zeros((len(terms), 1 + inputs), int)
    arguments = np.ones((len(terms), 1 + inputs, 3))
    power, units = np.ones(code.shape), np.ones(code.shape)
    for t, (latent, parents) in enumerate(terms):
        given = written(table[latent, "~gp.sd", ",".join(map(name_text, parents))].prior)
        for i in range(1 + inputs):
            name, values, how = preset.amplitude if i == 0 else preset.length
            code[t, i], power[t, i] = NAMES.index(name), how
            arguments[t, i, : len(values)] = values
            prior = given.get("sd" if i == 0 else "scale")
            if prior is not None and (i == 0 or i <= len(parents)):
                own = latent if i == 0 else parents[i - 1]
                code[t, i], power[t, i], arguments[t, i] = NAMES.index(prior.name), 0.5, padded(prior)
                units[t, i] = unit[place[own]]
    return code, arguments, power, units


def _exact(
    spec: Specification,
    table: dict[tuple[str, str, str], Row],
    latents: tuple[str, ...],
    indicators: tuple[str, ...],
    seen: Any,
) -> FloatArray:
    """1 where an observed cell without error is the latent's value."""
    exact = np.zeros((len(seen), len(latents)))
    for j, indicator in enumerate(indicators):
        if table[indicator, "~~", indicator].value == 0:
            for latent in spec.roles.measured[indicator]:
                exact[:, latents.index(latent)] = seen[:, j]
    return exact


def _marker_variance(spec: Specification, values: FloatArray, indicators: tuple[str, ...]) -> float:
    markers = [indicators.index(marker) for marker in spec.anchors.marker.values()]
    return float(np.nanvar(values[:, markers], axis=0, ddof=1).max())


def _check_supported(spec: Specification, table: dict[tuple[str, str, str], Row], data: Data) -> None:
    """What the language allows and this sampler does not estimate."""
    for latent in spec.order:
        row = table[latent, "~~", latent]
        if latent in spec.roles.parents and row.value == 0:
            raise GpsemError(
                f"The disturbance of '{latent}' is fixed at 0, which the paper's sampler cannot move in.",
                remedy=f"Fix it at a small variance, or leave it free: {latent} ~~ NA*{latent}.",
            )
    for indicator in data.indicators:
        if table[indicator, "~~", indicator].value != 0:
            continue
        for latent in spec.roles.measured[indicator]:
            if spec.anchors.marker[latent] != indicator:
                raise GpsemError(
                    f"'{indicator}' measures '{latent}' without error, but is not its marker.",
                    remedy=f"Make it the marker: {latent} =~ 1*{indicator} + NA*{spec.anchors.marker[latent]} + ...",
                )


def names_in(text: str) -> tuple[str, ...]:
    """The names of a table cell such as `A,B` or `A:B`."""
    return tuple(token.value for token in tokenize(Source(text)) if token.kind == "name")


def starts(built: Built) -> tuple[FloatArray, FloatArray]:
    """Where coefficients start: loadings 1 and the rest 0 internally, or what the text says, in its units."""
    layout = built.layout
    table = {(row.lhs, row.op, row.rhs): row for row in layout.rows}
    entries = [(y, x) for y in layout.indicators for x in (*layout.spec.roles.measured[y], "")]
    rows_m = [_internal_row(layout.spec, table, entry) for entry in entries]
    rows_s = [_slope_row(layout.spec, table, latent, factors) for latent, factors in layout.slopes]
    like = np.array([1.0 if r.op == "=~" else 0.0 for r in _firsts(rows_m)])
    return _started(rows_m, like, layout.measurement), _started(
        rows_s, np.zeros(len(_firsts(rows_s))), layout.structure
    )


def _firsts(rows: list[Any]) -> list[Row]:
    """The first row of each class, in the classes' order."""
    found: dict[int, Row] = {}
    for row in rows:
        if row is not None and row.free:
            found.setdefault(row.free, row)
    return list(found.values())


def _started(rows: list[Any], internal: FloatArray, constrained: Constrained) -> FloatArray:
    given = [row.start for row in _firsts(rows)]
    if not any(start is not None for start in given):
        return internal
    user = constrained.user_rows @ internal + constrained.user_shift
    user = np.array([u if start is None else start for u, start in zip(user, given, strict=True)])
    return np.asarray(np.linalg.solve(constrained.user_rows, user - constrained.user_shift))
