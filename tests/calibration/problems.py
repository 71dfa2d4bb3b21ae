"""Small problems for proofs, made by hand: every array is stated here, in internal units."""

from __future__ import annotations

import numpy as np

from gpsem.moves.types import Errata, Linear, Problem, Shape, Steps, Variances


def gaussian(free: list[int], size: int, fixed: dict[int, float], variance: float) -> Linear:
    """Coefficients some of which are free, with the prior N(0, variance)."""
    constant = np.zeros(size)
    for place, value in fixed.items():
        constant[place] = value
    basis = np.zeros((size, len(free)))
    basis[free, np.arange(len(free))] = 1.0
    n = len(free)
    return Linear(
        constant,
        basis,
        np.eye(n) / variance,
        np.zeros(n),
        np.zeros((0, n)),
        np.zeros(0),
        np.zeros(0, int),
        np.ones((0, 3)),
        np.zeros((0, n)),
        np.ones(0),
    )


def inverse_gamma(
    which: list[int], shape: float = 3.0, scale: float = 2.0, fixed: dict[int, float] | None = None
) -> Variances:
    n, classes = len(which), max(which, default=-1) + 1
    values = np.zeros(n)
    for place, value in (fixed or {}).items():
        values[place] = value
    return Variances(
        np.array(which), np.ones(n), values, np.full(classes, shape), np.full(classes, scale), np.full(classes, -1),
        np.ones((classes, 3)), np.ones(classes), np.ones(classes),
    )  # fmt: skip


def errata(**planted: float) -> Errata:
    return Errata(**{name: np.asarray(planted.get(name, 0.0)) for name in Errata._fields})


def problem(
    graph: str = "chain",
    family: str = "gp",
    rows: int = 10,
    inducing: int = 4,
    missing: bool = True,
    inducing_prior: str = "det",
    joint: bool = False,
    kernel: str = "rbf",
    ard: bool = False,
    mixed: bool = False,
) -> tuple[Shape, Problem, Steps]:
    """`chain`: X0 -> X1; `two`: X0, X1 (one joint mixture) -> X2; `sum`: X0 -> X1, and X2 of X0 and X1 in two terms."""
    latents, terms, blocks = {
        "chain": (2, [((0,), 1)], [(0,)]),
        "two": (3, [((0, 1), 2)], [(0, 1)]),
        "sum": (3, [((0,), 1), ((0,), 2), ((1,), 2)], [(0,)]),
    }[graph]
    inputs = max(len(parents) for parents, _ in terms)
    function = family in ("gp", "full-gp", "basis")
    slopes: list[tuple[int, int, int]] = []
    if family in ("linear", "quadratic"):
        for parents, child in terms:
            slopes += [(p, latents, child) for p in parents]
            if family == "quadratic":
                slopes += [(a, b, child) for n, a in enumerate(parents) for b in parents[n:]]
        slopes += [(latents, latents, child) for child in sorted({c for _, c in terms})]
        terms = []
    per = 3
    indicators = per * latents
    width = latents + 1
    random = np.random.default_rng(5)
    seen = np.ones((rows, indicators))
    if missing:
        seen[random.random(seen.shape) < 0.15] = 0.0
        seen[0] = 0.0  # a row without any cell
    free, fixed = [], {}
    for j in range(indicators):
        own = j // per
        if j % per == 0:
            fixed[j * width + own] = 1.0
        else:
            free += [j * width + own, j * width + latents]
    sizes = sorted({len(b) for b in blocks})
    grouped = [(s, [b for b in blocks if len(b) == s]) for s in sizes]
    endogenous = [float(i not in {e for b in blocks for e in b}) for i in range(latents)]
    count = iter(range(latents))
    which = [next(count) if endogenous[i] else -1 for i in range(latents)]
    t = len(terms)
    shape = Shape(
        rows, latents, indicators, t, inputs, inducing if function and family != "full-gp" else 0, len(slopes),
        tuple((s, len(b)) for s, b in grouped), 2, family if function else "gp", kernel, ard, inducing_prior, joint,
    )  # fmt: skip
    made = Problem(
        y=np.zeros((rows, indicators)),
        seen=seen,
        exact=np.zeros((rows, latents)),
        measurement=gaussian(free, indicators * width, fixed, 1.0),
        errors=inverse_gamma(list(range(indicators))),
        structure=gaussian(list(range(len(slopes))), len(slopes), {}, 0.5),
        disturbances=inverse_gamma(which),
        endogenous=np.array(endogenous),
        slope_factors=np.array([(a, b) for a, b, _ in slopes], int).reshape(-1, 2),
        slope_latent=np.array([c for *_, c in slopes], int),
        term_inputs=np.array([[*p, *[latents] * (inputs - len(p))] for p, _ in terms], int).reshape(-1, inputs),
        term_latent=np.array([c for _, c in terms], int),
        hyper_code=np.full((t, 1 + inputs), 5),
        hyper_arguments=np.tile([5.0, 5.0, 1.0], (t, 1 + inputs, 1)),
        hyper_power=np.ones((t, 1 + inputs)),
        hyper_unit=np.ones((t, 1 + inputs)),
        box=np.asarray(2.0),
        inducing_mean=np.asarray(0.0),
        inducing_variance=np.asarray(1.0),
        blocks=tuple(np.array(b) for _, b in grouped),
        weights_prior=np.asarray(3.0),
        mean_variance=np.asarray(1.0),
        spread_scale=np.asarray(1.0),
        errata=errata(),
    )
    if mixed:
        made = _with_other_priors(made)
    steps = Steps(np.full(latents, np.log(0.6)), np.full(t, np.log(0.7)), np.full(t, np.log(0.6)))
    return shape, made, steps


def _with_other_priors(made: Problem) -> Problem:
    """Priors that are not conjugate: Student's t on a loading, a half-normal on an sd, a gamma on a precision, a
    lognormal on a disturbance, and a normal on a sum of two coefficients."""
    old = made.measurement
    n = len(old.precision)
    row, other = np.eye(n)[0], np.eye(n)[2]
    tied = 0.7 * other + 0.5 * np.eye(n)[3]
    precision = old.precision + np.outer(tied, tied) / 0.8**2
    measurement = old._replace(
        precision=precision,
        shift=tied * 0.4 / 0.8**2,
        other_rows=np.array([2.0 * row]),
        other_shift=np.array([0.3]),
        other_code=np.array([1]),
        other_arguments=np.array([[6.0, 0.5, 0.8]]),
        base_rows=np.array([row]),
        base_variance=np.array([1.0]),
    )
    code = made.errors.code.copy()
    power, arguments, unit = made.errors.power.copy(), made.errors.arguments.copy(), made.errors.unit.copy()
    code[0], power[0], arguments[0], unit[0] = 8, 0.5, (1.0, 1.0, 1.0), 2.0
    code[1], power[1], arguments[1] = 5, -1.0, (3.0, 2.0, 1.0)
    errors = made.errors._replace(code=code, power=power, arguments=arguments, unit=unit)
    disturbances = made.disturbances._replace(
        code=np.array([4]), arguments=np.array([[-0.5, 0.5, 1.0]]), power=np.array([1.0])
    )
    return made._replace(measurement=measurement, errors=errors, disturbances=disturbances)
