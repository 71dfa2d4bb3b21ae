"""Loadings, intercepts and error variances given the latents: regressions on the observed cells."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from gpsem.moves import linear
from gpsem.moves.structure import inverse
from gpsem.moves.types import Noise, Problem, State


def split(problem: Problem, theta: Array) -> tuple[Array, Array]:
    """Loadings (indicators x latents) and intercepts."""
    table = linear.coefficients(problem.measurement, theta).reshape(problem.y.shape[1], -1)
    return table[:, :-1], table[:, -1]


def error_variances(problem: Problem, state: State) -> Array:
    return linear.variances(problem.errors, state.error)


def move(problem: Problem, state: State, noise: Noise) -> tuple[State, Array]:
    """Coefficients given variances, then variances given coefficients."""
    rows, indicators = problem.y.shape
    seen = problem.seen + problem.errata.b8 * (1 - problem.seen)
    error = error_variances(problem, state)
    weight = jnp.where(problem.errata.a7 > 0, jnp.where(error > 0, 1.0, 0.0), inverse(error))
    design = jnp.concatenate([state.x, jnp.ones((1, rows))])  # (latents + 1, rows)
    products = (design[:, None, :] * design[None, :, :]).reshape(-1, rows)
    width = design.shape[0]
    grams = (products @ seen).T.reshape(indicators, width, width) * weight[:, None, None]
    shifts = (design @ (seen * problem.y)).T * weight[:, None]
    basis = problem.measurement.basis.reshape(indicators, width, -1)
    constant = problem.measurement.constant.reshape(indicators, width)
    weighted = jnp.einsum("jab,jbk->jak", grams, basis)
    precision = jnp.einsum("jak,jal->kl", basis, weighted)
    shift = jnp.einsum("jak,ja->k", basis, shifts - jnp.einsum("jab,jb->ja", grams, constant))
    theta, accepted = linear.draw(problem.measurement, precision, shift, state.theta, noise.theta, noise.theta_accept)
    loadings, intercepts = split(problem, theta)
    residual = problem.y - intercepts - state.x.T @ loadings.T
    squares = jnp.sum(seen * residual**2, axis=0)
    error_classes, also = linear.draw_variances(
        problem.errors, squares, state.error, noise.error_gamma, noise.error_accept
    )
    return state._replace(theta=theta, error=error_classes), jnp.concatenate([accepted[None], also])
