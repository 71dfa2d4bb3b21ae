"""Exact draws from the prior of a problem, and of data given a state: where proofs start, and `simulate`.

Plain NumPy, batch by batch, sharing no code with the moves: what agrees with it agrees with the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpsem.moves.types import Linear, Mixture, Problem, Shape, State, Variances

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
NUGGET = 1e-4
PIECES = 200
TRIES = 5_000
FEW_POINTS = 12
GIBBS_SWEEPS = 5


def draw_states(shape: Shape, problem: Problem, generator: np.random.Generator, batch: int) -> State:
    """`batch` independent states from the prior, latents and functions included."""
    theta = _linear(problem.measurement, generator, batch)
    phi = _linear(problem.structure, generator, batch)
    error = _variances(problem.errors, generator, batch)
    disturbance = _variances(problem.disturbances, generator, batch)
    mixtures, x = _exogenous(shape, problem, generator, batch)
    hyper = _hyper(shape, problem, generator, batch)
    z = _inputs(shape, problem, generator, batch)
    fbar = np.zeros((batch, shape.terms, shape.inducing))
    f = np.zeros((batch, shape.terms, shape.rows))
    variance = _expand(problem.disturbances, disturbance)
    weights = np.asarray(problem.structure.constant) + phi @ np.asarray(problem.structure.basis).T
    for latent in map(int, np.flatnonzero(np.asarray(problem.endogenous) > 0)):  # causes come first
        full = np.concatenate([x, np.ones((batch, 1, shape.rows))], axis=1)
        mean = np.zeros((batch, shape.rows))
        for t in map(int, np.flatnonzero(np.asarray(problem.term_latent) == latent)):
            inputs = np.moveaxis(full[:, np.asarray(problem.term_inputs)[t]], 1, 2)
            fbar[:, t], f[:, t] = _function(shape, problem, hyper[:, t], z[:, t], inputs, t, generator)
            mean += f[:, t]
        for s in np.flatnonzero(np.asarray(problem.slope_latent) == latent):
            a, b = np.asarray(problem.slope_factors)[s]
            mean += weights[:, s, None] * full[:, a] * full[:, b]
        noise = generator.standard_normal((batch, shape.rows))
        x[:, latent] = mean + np.sqrt(variance[:, latent, None]) * noise
    return State(x, theta, error, phi, disturbance, hyper, z, fbar, f, mixtures)


def draw_data(problem: Problem, state: State, generator: np.random.Generator) -> FloatArray:
    """(batch, rows, indicators): observed cells given states, 0 where missing."""
    batch = state.x.shape[0]
    indicators = problem.y.shape[1]
    w = np.asarray(problem.measurement.constant) + np.asarray(state.theta) @ np.asarray(problem.measurement.basis).T
    table = w.reshape(batch, indicators, -1)
    mean = np.einsum("bjq,bqn->bnj", table[..., :-1], np.asarray(state.x)) + table[:, None, :, -1]
    error = np.sqrt(_expand(problem.errors, np.asarray(state.error)))
    noise = generator.standard_normal(mean.shape)
    return np.asarray((mean + error[:, None, :] * noise) * np.asarray(problem.seen))


def _linear(linear: Linear, generator: np.random.Generator, batch: int) -> FloatArray:
    """Gaussian priors together; a parameter with another prior is then put where that prior draws it."""
    precision = np.asarray(linear.precision)
    if not len(precision):
        return np.zeros((batch, 0))
    cov = np.linalg.inv(precision)
    mean = cov @ np.asarray(linear.shift)
    theta = mean + generator.standard_normal((batch, len(mean))) @ np.linalg.cholesky(cov).T
    for n, row in enumerate(np.asarray(linear.other_rows)):
        own = int(np.argmax(np.abs(np.asarray(linear.base_rows)[n])))
        code, arguments = int(np.asarray(linear.other_code)[n]), np.asarray(linear.other_arguments)[n]
        wanted = draw_prior(code, arguments, generator, batch)
        now = theta @ row + float(np.asarray(linear.other_shift)[n])
        theta[:, own] += (wanted - now) / row[own]
    return np.asarray(theta)


def _variances(spec: Variances, generator: np.random.Generator, batch: int) -> FloatArray:
    shape, scale = np.asarray(spec.shape), np.asarray(spec.scale)
    classes = np.asarray(scale / generator.standard_gamma(shape, (batch, len(shape))))
    for k in np.flatnonzero(np.asarray(spec.code) >= 0):
        value = draw_prior(int(np.asarray(spec.code)[k]), np.asarray(spec.arguments)[k], generator, batch)
        classes[:, k] = value ** (1 / np.asarray(spec.power)[k]) / np.asarray(spec.unit)[k]
    return classes


def _expand(spec: Variances, classes: FloatArray) -> FloatArray:
    which = np.asarray(spec.which)
    fixed = np.broadcast_to(np.asarray(spec.fixed), (len(classes), len(which)))
    if not classes.shape[1]:
        return fixed
    return np.where(which >= 0, np.asarray(spec.factor) * classes[:, np.maximum(which, 0)], fixed)


def _exogenous(
    shape: Shape, problem: Problem, generator: np.random.Generator, batch: int
) -> tuple[tuple[Mixture, ...], FloatArray]:
    x = np.zeros((batch, shape.latents, shape.rows))
    mixtures = []
    for (size, number), latents in zip(shape.blocks, problem.blocks, strict=True):
        k = shape.components
        weight = generator.dirichlet(np.full(k, float(problem.weights_prior)), (batch, number))
        mean = np.sqrt(float(problem.mean_variance)) * generator.standard_normal((batch, number, k, size))
        cov = _inverse_wishart(generator, (batch, number, k), size, 2 * float(problem.spread_scale))
        u = generator.random((batch, number, shape.rows, 1))
        label = (np.cumsum(weight, axis=2)[:, :, None, :-1] < u).sum(axis=3)
        root = np.linalg.cholesky(cov)
        mean_of = np.take_along_axis(mean, label[..., None], axis=2)
        root_of = np.take_along_axis(root, label[..., None, None], axis=2)
        white = generator.standard_normal((batch, number, shape.rows, size))
        values = mean_of + (root_of @ white[..., None])[..., 0]
        x[:, np.asarray(latents)] = np.moveaxis(values, 2, 3)
        mixtures.append(Mixture(label, weight, mean, cov))
    return tuple(mixtures), x


def _inverse_wishart(generator: np.random.Generator, batch: tuple[int, ...], size: int, scale: float) -> FloatArray:
    normals = generator.standard_normal((*batch, size + 3, size))
    return np.asarray(scale * np.linalg.inv(np.swapaxes(normals, -1, -2) @ normals))


def _hyper(shape: Shape, problem: Problem, generator: np.random.Generator, batch: int) -> FloatArray:
    """The paper's prior, half Gamma(1, rate 20) and half Gamma(10, rate 10), or one of the named ones."""
    code = np.asarray(problem.hyper_code)
    arguments = np.asarray(problem.hyper_arguments)
    hyper = np.zeros((batch, *code.shape))
    for t, i in np.ndindex(*code.shape):
        value = draw_prior(int(code[t, i]), arguments[t, i], generator, batch)
        power, unit = float(problem.hyper_power[t, i]), float(problem.hyper_unit[t, i])
        hyper[:, t, i] = np.log(value / unit) / power
    if not shape.ard:
        hyper[:, :, 1:] = hyper[:, :, 1:2]
    return np.asarray(hyper * _counted(shape, problem))


def _counted(shape: Shape, problem: Problem) -> FloatArray:
    real = np.asarray(problem.term_inputs) < shape.latents
    return np.concatenate([np.ones((shape.terms, 1)), real], axis=1)


def draw_prior(code: int, arguments: FloatArray, generator: np.random.Generator, size: int) -> FloatArray:
    """Draws of one of the priors in `maths.priors.NAMES`."""
    a, b, c = map(float, arguments)
    if code == 11:
        first = generator.random(size) < 0.5
        return np.where(first, generator.gamma(1, 1 / 20, size), generator.gamma(10, 1 / 10, size))
    draws = {
        0: lambda: a + b * generator.standard_normal(size),
        1: lambda: b + c * generator.standard_t(a, size),
        2: lambda: a + b * generator.standard_cauchy(size),
        3: lambda: generator.uniform(a, b, size),
        4: lambda: np.exp(a + b * generator.standard_normal(size)),
        5: lambda: generator.gamma(a, 1 / b, size),
        6: lambda: b / generator.standard_gamma(a, size),
        7: lambda: generator.exponential(1 / a, size),
        8: lambda: np.abs(a * generator.standard_normal(size)),
        9: lambda: np.abs(a * generator.standard_cauchy(size)),
        10: lambda: generator.beta(a, b, size),
    }
    return np.asarray(draws[code]())


def _inputs(shape: Shape, problem: Problem, generator: np.random.Generator, batch: int) -> FloatArray:
    """Pseudo-inputs: normal, or det D on the box by rejection (det D is at most its value for points far apart)."""
    size = (batch, shape.terms, shape.inducing, shape.inputs)
    z = np.ones(size)
    if not shape.terms or shape.family != "gp":
        return z
    real = np.asarray(problem.term_inputs) < shape.latents
    for t in range(shape.terms):
        d = int(real[t].sum())
        if shape.inducing_prior == "gaussian":
            spread = np.sqrt(float(problem.inducing_variance))
            points = float(problem.inducing_mean) + spread * generator.standard_normal((batch, shape.inducing, d))
        else:
            points = _spread_out(float(problem.box), (batch, shape.inducing, d), generator)
        z[:, t, :, real[t]] = np.moveaxis(points, 2, 0)
    return z


def _spread_out(box: float, size: tuple[int, int, int], generator: np.random.Generator) -> FloatArray:
    """Few points: exact, by rejection. Many: Gibbs sweeps, each point exactly from its conditional."""
    batch, m, d = size
    found = np.empty((0, m, d))
    top = (1 + NUGGET) ** m
    for _ in range(TRIES if m <= FEW_POINTS else 0):
        if len(found) >= batch:
            return found[:batch]
        points = generator.uniform(-box, box, (PIECES, m, d))
        det = np.linalg.det(_spread_kernel(points, points) + NUGGET * np.eye(m))
        found = np.concatenate([found, points[generator.random(PIECES) * top < det]])
    if len(found) >= batch:
        return found[:batch]
    return np.stack([_gibbs_spread(box, m, d, generator) for _ in range(batch)])


def _spread_kernel(p: FloatArray, q: FloatArray) -> FloatArray:
    r2 = ((p[..., :, None, :] - q[..., None, :, :]) ** 2).sum(-1)
    return np.asarray(np.exp(-0.5 * r2 / 0.01))


def _gibbs_spread(box: float, m: int, d: int, generator: np.random.Generator) -> FloatArray:
    """One set of points under det D: a point given the others has density proportional to its conditional variance,
    which is at most 1 + nugget, so that it is drawn by rejection from the box.
    """
    points = generator.uniform(-box, box, (m, d))
    for _ in range(GIBBS_SWEEPS):
        for n in range(m):
            others = np.delete(points, n, axis=0)
            inverse = np.linalg.inv(_spread_kernel(others, others) + NUGGET * np.eye(m - 1))
            for _ in range(TRIES):
                trial = generator.uniform(-box, box, (PIECES, d))
                k = _spread_kernel(trial, others)
                left = 1 + NUGGET - np.einsum("pm,mn,pn->p", k, inverse, k)
                taken = np.flatnonzero(generator.random(PIECES) * (1 + NUGGET) < left)
                if taken.size:
                    points[n] = trial[taken[0]]
                    break
    return points


def _kernel(shape: Shape, hyper: FloatArray, p: FloatArray, q: FloatArray) -> FloatArray:
    b = np.exp(hyper[:, None, None, 1:])
    r2 = ((p[:, :, None] - q[:, None]) ** 2 / b).sum(-1)
    r = np.sqrt(r2)
    c = {
        "rbf": lambda: np.exp(-0.5 * r2),
        "matern32": lambda: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
        "matern52": lambda: (1 + np.sqrt(5) * r + 5 * r2 / 3) * np.exp(-np.sqrt(5) * r),
    }[shape.kernel]()
    return np.asarray(np.exp(hyper[:, 0, None, None]) * c)


def _function(
    shape: Shape,
    problem: Problem,
    hyper: FloatArray,
    z: FloatArray,
    inputs: FloatArray,
    t: int,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Pseudo-functions (or basis weights) and the function's values at the inputs."""
    batch = len(hyper)
    if shape.family == "full-gp":
        k = _kernel(shape, hyper, inputs, inputs) + NUGGET * np.eye(shape.rows)
        white = generator.standard_normal((batch, shape.rows, 1))
        return np.zeros((batch, shape.inducing)), (np.linalg.cholesky(k) @ white)[..., 0]
    u = generator.standard_normal((batch, shape.inducing, 1))
    if shape.family == "basis":
        from gpsem.moves.basis import basis_features

        real = (np.asarray(problem.term_inputs)[t] < shape.latents).astype(float)
        values = [np.asarray(basis_features(shape, problem, hyper[b], inputs[b], real)).T @ u[b] for b in range(batch)]
        return u[..., 0], np.stack(values)[..., 0]
    k = _kernel(shape, hyper, z, z) + NUGGET * np.eye(shape.inducing)
    chol = np.linalg.cholesky(k)
    cross = _kernel(shape, hyper, z, inputs)
    phi = np.linalg.solve(chol, cross)
    v = np.exp(hyper[:, 0, None]) + NUGGET - (phi**2).sum(axis=1)
    mean = (np.swapaxes(phi, 1, 2) @ u)[..., 0]
    f = mean + np.sqrt(np.maximum(v, NUGGET)) * generator.standard_normal((batch, shape.rows))
    return (chol @ u)[..., 0], f
