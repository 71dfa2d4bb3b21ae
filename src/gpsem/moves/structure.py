"""Slopes, intercepts and disturbance variances of the structural equations, given latents and functions."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from gpsem.moves import linear
from gpsem.moves.types import Noise, Problem, State


def with_constant(x: Array) -> Array:
    """The latents and a last row of ones, which index `latents` stands for."""
    return jnp.concatenate([x, jnp.ones((1, x.shape[1]))])


def slope_features(problem: Problem, x: Array) -> Array:
    """(slopes, rows): products of two latents, of one and 1, or 1."""
    full = with_constant(x)
    return full[problem.slope_factors[:, 0]] * full[problem.slope_factors[:, 1]]


def linear_part(problem: Problem, phi: Array, x: Array) -> Array:
    """(latents, rows): what slopes and intercepts give to each latent."""
    weights = linear.coefficients(problem.structure, phi)
    into = (problem.slope_latent[None, :] == jnp.arange(x.shape[0])[:, None]) * weights[None, :]
    return into @ slope_features(problem, x)


def function_part(problem: Problem, f: Array, latents: int) -> Array:
    """(latents, rows): what the learned functions give to each latent."""
    into = (problem.term_latent[None, :] == jnp.arange(latents)[:, None]).astype(f.dtype)
    return into @ f


def disturbance_variances(problem: Problem, state: State) -> Array:
    return linear.variances(problem.disturbances, state.disturbance)


def inverse(variance: Array) -> Array:
    return jnp.where(variance > 0, 1 / jnp.where(variance > 0, variance, 1.0), 0.0)


def move(problem: Problem, state: State, noise: Noise) -> tuple[State, Array]:
    """Slopes given disturbance variances, then these given slopes; latents and functions held."""
    latents = state.x.shape[0]
    functions = function_part(problem, state.f, latents)
    weight = inverse(disturbance_variances(problem, state))[problem.slope_latent]
    features = slope_features(problem, state.x)
    same = problem.slope_latent[:, None] == problem.slope_latent[None, :]
    precision = jnp.where(same, features @ features.T * weight[:, None], 0.0)
    target = (state.x - functions)[problem.slope_latent]
    shift = jnp.sum(features * target, axis=1) * weight
    basis, constant = problem.structure.basis, problem.structure.constant
    phi, accepted = linear.draw(
        problem.structure,
        basis.T @ precision @ basis,
        basis.T @ (shift - precision @ constant),
        state.phi,
        noise.phi,
        noise.phi_accept,
    )
    residual = state.x - functions - linear_part(problem, phi, state.x)
    squares = jnp.sum(residual**2, axis=1)
    classes, also = linear.draw_variances(
        problem.disturbances, squares, state.disturbance, noise.disturbance_gamma, noise.disturbance_accept
    )
    return state._replace(phi=phi, disturbance=classes), jnp.concatenate([accepted[None], also])
