"""Where chains start: rough values from the data, dispersed differently for every chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpsem.moves.types import Mixture, Problem, Shape, State, Steps

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def start_state(shape: Shape, problem: Problem, theta: FloatArray, phi: FloatArray, seed: int, chain: int) -> State:
    """A state near the data for one chain; `theta` and `phi` are starting values that the user may have set."""
    generator = np.random.Generator(np.random.Philox(key=[seed, chain], counter=[0, 0, 1, 0]))
    y, seen = np.asarray(problem.y), np.asarray(problem.seen)
    basis = np.asarray(problem.measurement.basis)
    spread = np.exp(0.15 * generator.standard_normal(len(theta)))
    theta = theta * spread + 0.05 * generator.standard_normal(len(theta))
    w = np.asarray(problem.measurement.constant) + basis @ theta
    table = w.reshape(shape.indicators, -1)
    loadings, intercepts = table[:, :-1], table[:, -1]
    x = _latents(y, seen, loadings, intercepts)
    x = x + 0.4 * generator.standard_normal(x.shape) * (1 - np.asarray(problem.exact).T)
    x = np.where(np.asarray(problem.exact).T > 0, _latents(y, seen, loadings, intercepts, exact=problem), x)
    box = float(problem.box)
    z = np.ones((shape.terms, shape.inducing, shape.inputs))
    if shape.family == "gp":
        real = np.asarray(problem.term_inputs) < shape.latents
        for t in range(shape.terms):
            z[t, :, real[t]] = generator.uniform(-0.95 * box, 0.95 * box, (int(real[t].sum()), shape.inducing))
    hyper = np.zeros((shape.terms, 1 + shape.inputs)) + 0.2 * generator.standard_normal((shape.terms, 1))
    real_hyper = np.concatenate([np.ones((shape.terms, 1)), np.asarray(problem.term_inputs) < shape.latents], axis=1)
    return State(
        x,
        theta,
        np.full(len(problem.errors.shape), 0.3) * np.exp(0.3 * generator.standard_normal(len(problem.errors.shape))),
        phi + 0.1 * generator.standard_normal(len(phi)),
        np.full(len(problem.disturbances.shape), 0.4)
        * np.exp(0.5 * generator.standard_normal(len(problem.disturbances.shape))),
        hyper * real_hyper,
        z,
        np.zeros((shape.terms, shape.inducing)),
        np.zeros((shape.terms, shape.rows)),
        _mixtures(shape, problem, x, generator),
    )


def _latents(
    y: FloatArray, seen: FloatArray, loadings: FloatArray, intercepts: FloatArray, exact: Problem | None = None
) -> FloatArray:
    """Each latent as the mean of what its indicators say of it alone; an exact cell says all."""
    found = np.zeros((loadings.shape[1], len(y)))
    for i in range(loadings.shape[1]):
        mine = np.flatnonzero(np.abs(loadings[:, i]) > 1e-8)
        if exact is not None:
            fixed = np.asarray(exact.errors.fixed)
            mine = np.array([j for j in mine if fixed[j] == 0 and np.asarray(exact.errors.which)[j] < 0], int)
        if not len(mine):
            continue
        weight = seen[:, mine] * loadings[mine, i] ** 2
        said = (y[:, mine] - intercepts[mine]) / loadings[mine, i]
        total = weight.sum(axis=1)
        found[i] = np.where(total > 0, (weight * said).sum(axis=1) / np.where(total > 0, total, 1), 0.0)
    return found


def _mixtures(shape: Shape, problem: Problem, x: FloatArray, generator: np.random.Generator) -> tuple[Mixture, ...]:
    mixtures = []
    k = shape.components
    for (size, number), latents in zip(shape.blocks, problem.blocks, strict=True):
        points = np.moveaxis(x[np.asarray(latents)], 1, 2)
        label = generator.integers(0, k, points.shape[:2])
        picked = generator.integers(0, points.shape[1], (number, k))
        mean = np.take_along_axis(points, picked[..., None], axis=1)
        cov = np.tile(np.eye(size) * np.maximum(points.var(axis=(1, 2)), 0.1)[:, None, None, None], (1, k, 1, 1))
        mixtures.append(Mixture(label, np.full((number, k), 1.0 / k), mean, cov))
    return tuple(mixtures)


def start_steps(shape: Shape) -> Steps:
    """Steps before any adaptation."""
    return Steps(
        np.full(shape.latents, np.log(0.4)), np.full(shape.terms, np.log(0.3)), np.full(shape.terms, np.log(0.3))
    )
