"""Internal draws → the user's parameters, draw by draw: units, origins, and latents in units of their own variance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpsem.assemble.problem import Layout, names_in
from gpsem.model.table import Row
from gpsem.moves.types import Problem, Variances
from gpsem.sample.run import Kept
from gpsem.syntax.expression import FUNCTIONS, evaluate

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


class Frame(NamedTuple):
    """x_user = unit x_internal + origin for every draw: (chain, draw, latent) each."""

    unit: FloatArray
    origin: FloatArray


class Moments(NamedTuple):
    """Mean and covariance of exogenous latents' whole mixtures, internal: (chain, draw, latent[, latent])."""

    mean: FloatArray
    cov: FloatArray


def moments(layout: Layout, kept: Kept) -> Moments:
    """Of every exogenous latent; latents of different blocks do not covary."""
    q = len(layout.latents)
    batch = kept.x.shape[:2]
    mean, cov = np.zeros((*batch, q)), np.zeros((*batch, q, q))
    place = {name: n for n, name in enumerate(layout.latents)}
    for n, group in enumerate(layout.blocks):
        for b, block in enumerate(group):
            weight, means, covs = kept.weight[n][:, :, b], kept.mean[n][:, :, b], kept.cov[n][:, :, b]
            m = np.einsum("cdk,cdks->cds", weight, means)
            second = np.einsum("cdk,cdkst->cdst", weight, covs + means[..., :, None] * means[..., None, :])
            spread = second - m[..., :, None] * m[..., None, :]
            at = [place[x] for x in block]
            mean[..., at] = m
            cov[..., np.array(at)[:, None], at] = spread
    return Moments(mean, cov)


def frames(layout: Layout, problem: Problem, kept: Kept) -> Frame:
    """Units and origins, moved where the text fixes a latent's variance or mean instead of a marker."""
    batch = kept.x.shape[:2]
    unit = np.broadcast_to(layout.unit, (*batch, len(layout.unit))).copy()
    origin = np.broadcast_to(layout.origin, unit.shape).copy()
    table = {(row.lhs, row.op, row.rhs): row for row in layout.rows}
    found = moments(layout, kept)
    spread = expanded(problem.disturbances, kept.disturbance)
    anchors = layout.spec.anchors
    for n, latent in enumerate(layout.latents):  # causes first
        variance = spread[..., n] if latent in layout.spec.roles.parents else found.cov[..., n, n]
        if anchors.scale[latent] == "variance":
            wanted = table[latent, "~~", latent].value or 1.0
            change = np.sqrt(variance * layout.unit[n] ** 2 / wanted)
            unit[..., n], origin[..., n] = layout.unit[n] / change, layout.origin[n] / change
        if anchors.origin.get(latent) != "mean":
            continue
        fixed = table[latent, "~1", ""].value or 0.0
        if latent not in layout.spec.roles.parents:
            origin[..., n] = fixed - unit[..., n] * found.mean[..., n]
        else:
            level = slopes(layout, problem, kept, Frame(unit, origin)).get((latent, ()))
            origin[..., n] += fixed - (level if level is not None else 0.0)
    return Frame(unit, origin)


def expanded(spec: Variances, classes: FloatArray) -> FloatArray:
    """Every variance, internal, from draws of the classes."""
    which = np.asarray(spec.which)
    if not classes.shape[-1]:
        return np.broadcast_to(np.asarray(spec.fixed), (*classes.shape[:-1], len(which)))
    values = np.asarray(spec.factor) * classes[..., np.maximum(which, 0)]
    return np.where(which >= 0, values, np.asarray(spec.fixed))


def slopes(layout: Layout, problem: Problem, kept: Kept, frame: Frame) -> dict[tuple[str, tuple[str, ...]], FloatArray]:
    r"""Slopes, products and intercepts in the user's units: $z = (x - origin) / unit$ multiplied out."""
    w = np.asarray(problem.structure.constant) + kept.phi @ np.asarray(problem.structure.basis).T
    place = {name: n for n, name in enumerate(layout.latents)}
    found: dict[tuple[str, tuple[str, ...]], FloatArray] = {}
    for s, (latent, factors) in enumerate(layout.slopes):
        c = place[latent]
        pieces: dict[tuple[str, ...], FloatArray] = {(): w[..., s] * frame.unit[..., c]}
        for x in factors:
            k = place[x]
            grown: dict[tuple[str, ...], FloatArray] = {}
            for inside, value in pieces.items():
                scaled = value / frame.unit[..., k]
                grown[(*inside, x)] = grown.get((*inside, x), 0.0) + scaled
                grown[inside] = grown.get(inside, 0.0) - scaled * frame.origin[..., k]
            pieces = grown
        for inside, value in pieces.items():
            found[latent, inside] = found.get((latent, inside), 0.0) + value
    for latent in {name for name, _ in layout.slopes}:
        found[latent, ()] = found[latent, ()] + frame.origin[..., place[latent]]
    return found


def parameters(layout: Layout, problem: Problem, kept: Kept) -> dict[int, FloatArray]:
    """Draws of every row of the table, by its id: (chain, draw) each."""
    frame = frames(layout, problem, kept)
    place = {name: n for n, name in enumerate(layout.latents)}
    at = {name: n for n, name in enumerate(layout.indicators)}
    w = np.asarray(problem.measurement.constant) + kept.theta @ np.asarray(problem.measurement.basis).T
    table = w.reshape(*w.shape[:2], len(layout.indicators), len(layout.latents) + 1)
    loadings = table[..., :-1] * layout.scale[:, None] / frame.unit[..., None, :]
    intercepts = table[..., -1] * layout.scale + layout.centre - np.einsum("cdjq,cdq->cdj", loadings, frame.origin)
    errors = expanded(problem.errors, kept.error) * layout.scale**2
    spread = expanded(problem.disturbances, kept.disturbance) * frame.unit**2
    found = moments(layout, kept)
    lines = slopes(layout, problem, kept, frame)
    terms = {(latent, parents): n for n, (latent, parents) in enumerate(layout.terms)}
    draws: dict[int, FloatArray] = {}
    by_label: dict[str, FloatArray] = {}

    def one(row: Row) -> FloatArray:
        lhs, rhs = row.lhs, row.rhs
        if row.op == "=~":
            return loadings[..., at[rhs], place[lhs]]
        if row.op == "~1" and lhs in at:
            return intercepts[..., at[lhs]]
        if row.op == "~1" and lhs in layout.spec.roles.parents:
            return lines[lhs, ()]
        if row.op == "~1":
            n = place[lhs]
            return frame.unit[..., n] * found.mean[..., n] + frame.origin[..., n]
        if row.op == "~~" and lhs in at:
            return errors[..., at[lhs]] if lhs == rhs else np.zeros(errors.shape[:2])
        if row.op == "~~" and lhs == rhs and lhs in layout.spec.roles.parents:
            return spread[..., place[lhs]]
        if row.op == "~~":
            a, b = place[lhs], place[rhs]
            return frame.unit[..., a] * frame.unit[..., b] * found.cov[..., a, b]
        if row.op == "~":
            factors = names_in(rhs)
            value = lines.get((lhs, factors))
            return value if value is not None else lines[lhs, tuple(reversed(factors))]
        if row.op == "~gp.sd":
            t = terms[lhs, names_in(rhs)]
            return np.exp(0.5 * kept.hyper[..., t, 0]) * frame.unit[..., place[lhs]]
        parent = names_in(rhs)[0]
        t, i = next((t, ps.index(parent)) for (name, ps), t in terms.items() if name == lhs and parent in ps)
        return np.exp(0.5 * kept.hyper[..., t, 1 + i]) * frame.unit[..., place[parent]]

    for row in layout.rows:
        if row.op != ":=":
            draws[row.id] = np.asarray(one(row))
            if row.label:
                by_label[row.label] = draws[row.id]
    names = {row.lhs: row.id for row in layout.rows if row.op == ":="}
    for name, expression in layout.spec.definitions:
        value = evaluate(expression, by_label, ARRAY_FUNCTIONS)
        by_label[name] = np.broadcast_to(np.asarray(value, float), kept.x.shape[:2])
        draws[names[name]] = by_label[name]
    return draws


def explained(layout: Layout, problem: Problem, kept: Kept) -> dict[str, FloatArray]:
    """Posterior R-square of each equation: variance of its mean over the rows, out of that and the disturbance."""
    spread = expanded(problem.disturbances, kept.disturbance)
    return {
        latent: kept.explained[..., n] / (kept.explained[..., n] + spread[..., n])
        for n, latent in enumerate(layout.latents)
        if latent in layout.spec.roles.parents
    }


def latents(layout: Layout, problem: Problem, kept: Kept) -> FloatArray:
    """(chain, draw, row, latent) in the user's units."""
    frame = frames(layout, problem, kept)
    return np.moveaxis(kept.x * frame.unit[..., None] + frame.origin[..., None], 2, 3)


def _plogis(x: Any) -> Any:
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(x)))


def _pnorm(x: Any) -> Any:
    import math

    return np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)), otypes=[float])(x)


def _every(pick: Any) -> Any:
    def together(*values: Any) -> Any:
        found = values[0]
        for value in values[1:]:
            found = pick(found, value)
        return found

    return together


ARRAY_FUNCTIONS: dict[str, Any] = {
    **{
        name: getattr(np, name)
        for name in ("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "abs", "sin", "cos")
    },
    "tan": np.tan,
    "tanh": np.tanh,
    "atan": np.arctan,
    "plogis": _plogis,
    "pnorm": _pnorm,
    "min": _every(np.minimum),
    "max": _every(np.maximum),
}
assert set(ARRAY_FUNCTIONS) == set(FUNCTIONS)
