"""Random numbers from outside the program: a counter-based generator keyed by seed, chain and draw.

The numbers of a sweep depend on nothing else, so results are the same however many chains run at once, however draws
are cut into calls, and wherever a run was stopped and resumed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpsem.moves.types import Noise, Problem, Shape

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


class Gammas(NamedTuple):
    """Shapes of the gamma draws, which data and priors fix."""

    error: FloatArray
    disturbance: FloatArray
    weight: float


def gamma_shapes(problem: Problem) -> Gammas:
    """Inverse gamma shapes a + n / 2, n the observed cells (or rows) of each class."""
    seen = np.asarray(problem.seen)
    counts = seen.sum(axis=0) + float(problem.errata.b8) * (1 - seen).sum(axis=0)
    return Gammas(
        _posterior(problem.errors, counts),
        _posterior(problem.disturbances, np.full(problem.endogenous.shape[0], float(seen.shape[0]))),
        float(problem.weights_prior),
    )


def _posterior(spec: Any, counts: FloatArray) -> FloatArray:
    which, shape = np.asarray(spec.which), np.asarray(spec.shape)
    total = np.zeros(len(shape))
    np.add.at(total, which[which >= 0], counts[which >= 0])
    return np.asarray(shape + 0.5 * total)


def draw_noise(shape: Shape, gammas: Gammas, theta: int, phi: int, seed: int, chain: int, draw: int) -> Noise:
    """All random numbers of one sweep."""
    generator = np.random.Generator(np.random.Philox(key=[seed, chain], counter=[0, 0, 0, draw]))
    return _fill(shape, gammas, theta, phi, generator, ())


def many_noises(
    shape: Shape, gammas: Gammas, theta: int, phi: int, generator: np.random.Generator, batch: tuple[int, ...]
) -> Noise:
    """Noise for many sweeps at once, from one stream: for proofs, where only the law matters."""
    return _fill(shape, gammas, theta, phi, generator, batch)


def _fill(
    shape: Shape, gammas: Gammas, theta: int, phi: int, generator: np.random.Generator, batch: tuple[int, ...]
) -> Noise:
    n, q, t, m, d, k = shape.rows, shape.latents, shape.terms, shape.inducing, shape.inputs, shape.components

    def normal(*size: int) -> FloatArray:
        return generator.standard_normal((*batch, *size))

    def uniform(*size: int) -> FloatArray:
        return 1.0 - generator.random((*batch, *size))  # (0, 1], so that logarithms are finite

    def gamma(shapes: FloatArray) -> FloatArray:
        return generator.standard_gamma(shapes, (*batch, *shapes.shape))

    values = n if shape.family == "full-gp" else m
    return Noise(
        x_normal=normal(q, n),
        x_uniform=uniform(q, n),
        hyper_uniform=uniform(t, 1 + d),
        hyper_accept=uniform(t),
        fbar=normal(t, values),
        f=normal(t, n),
        z_normal=normal(t, m, d),
        z_uniform=uniform(t, m),
        z_value=normal(t, m),
        theta=normal(theta),
        theta_accept=uniform(),
        error_gamma=gamma(gammas.error),
        error_accept=uniform(len(gammas.error)),
        phi=normal(phi),
        phi_accept=uniform(),
        disturbance_gamma=gamma(gammas.disturbance),
        disturbance_accept=uniform(len(gammas.disturbance)),
        label=tuple(uniform(b, n) for _, b in shape.blocks),
        spread_normal=tuple(normal(b, n, s) for s, b in shape.blocks),
        spread_base=tuple(_wishart(generator, (*batch, b, k), s) for s, b in shape.blocks),
        weight_exponential=tuple(generator.standard_exponential((*batch, b, n)) for _, b in shape.blocks),
        weight_base=tuple(gamma(np.full((b, k), gammas.weight)) for _, b in shape.blocks),
        mean_normal=tuple(normal(b, k, s) for s, b in shape.blocks),
    )


def _wishart(generator: np.random.Generator, batch: tuple[int, ...], size: int) -> FloatArray:
    """Wishart(size + 3, I), by Bartlett's decomposition."""
    lower = np.zeros((*batch, size, size))
    for i in range(size):
        lower[..., i, i] = np.sqrt(2 * generator.standard_gamma(0.5 * (size + 3 - i), batch))
        lower[..., i, :i] = generator.standard_normal((*batch, i))
    return np.asarray(lower @ np.swapaxes(lower, -1, -2))
