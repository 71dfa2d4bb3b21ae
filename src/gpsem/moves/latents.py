"""Latent values: a random walk for every row at once, one latent after another."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from gpsem.maths.sparse import factor, features, log_normal
from gpsem.moves import measurement, mixture
from gpsem.moves.basis import basis_values
from gpsem.moves.functions import take, values_log_density
from gpsem.moves.structure import disturbance_variances, function_part, inverse, linear_part
from gpsem.moves.types import Noise, Problem, Shape, State, Steps


def structure_log_density(problem: Problem, state: State, x: Array, f: Array) -> Array:
    """(rows,): the latents given functions, slopes, disturbances and mixture labels."""
    mean = function_part(problem, f, x.shape[0]) + linear_part(problem, state.phi, x)
    variance = disturbance_variances(problem, state)
    each = log_normal(x - mean, jnp.where(variance > 0, variance, 1.0)[:, None])
    exogenous = mixture.log_density_given_labels(problem, state.mixtures, x)
    return jnp.sum(jnp.where(problem.endogenous[:, None] > 0, each, 0.0), axis=0) + exogenous


def evidence(problem: Problem, state: State, x: Array) -> Array:
    """(rows,): the observed cells given the latents; error-free indicators fix latents and are left out."""
    loadings, intercepts = measurement.split(problem, state.theta)
    weight = inverse(measurement.error_variances(problem, state))
    residual = problem.y - intercepts - x.T @ loadings.T
    return -0.5 * jnp.sum(problem.seen * residual**2 * weight, axis=1)


def move(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Array]:
    """Each latent proposed for all rows together; rows are independent given functions and pseudo-functions."""
    sparse = shape.family == "gp" and shape.terms > 0
    held = jnp.zeros((shape.terms, shape.rows))
    if sparse:
        held = jax.lax.map(lambda t: _term_density(shape, problem, state, t), jnp.arange(shape.terms))

    def one(carry: tuple[State, Array], i: Array) -> tuple[tuple[State, Array], Array]:
        state, held = carry
        moved = state.x[i] + jnp.exp(steps.x[i]) * noise.x_normal[i]
        x = state.x.at[i].set(jnp.where(problem.exact[:, i] > 0, state.x[i], moved))
        candidate = state._replace(x=x)
        f, held_new = state.f, held
        if sparse:
            held_new = _densities_if_parent(shape, problem, candidate, held, i)
        elif shape.terms > 0:
            f = basis_values(shape, problem, candidate)
        ratio = (
            structure_log_density(problem, state, x, f)
            - structure_log_density(problem, state, state.x, state.f)
            + evidence(problem, state, x)
            - evidence(problem, state, state.x)
            + jnp.sum(held_new - held, axis=0)
        )
        yes = jnp.log(noise.x_uniform[i]) < ratio
        state = state._replace(x=jnp.where(yes, x, state.x), f=jnp.where(yes, f, state.f))
        return (state, jnp.where(yes, held_new, held)), jnp.mean(yes.astype(float))

    (state, _), rates = jax.lax.scan(one, (state, held), jnp.arange(shape.latents))
    return state, rates


def _term_density(shape: Shape, problem: Problem, state: State, t: Array) -> Array:
    """(rows,): a function's values given its pseudo-functions, at the state's latents (B5: with their variance)."""
    term = take(problem, state, t)
    chol = factor(shape.kernel, term.hyper, term.z)
    phi, v = features(shape.kernel, term.hyper, term.z, chol, term.inputs)
    return values_log_density(term, problem.errata.b5, phi, v, chol)


def _densities_if_parent(shape: Shape, problem: Problem, state: State, held: Array, i: Array) -> Array:
    """The terms' densities at new values of latent i; those it is no input of stay as they are."""

    def one(t: Array) -> Array:
        is_parent = jnp.any(problem.term_inputs[t] == i)
        return jax.lax.cond(is_parent, lambda: _term_density(shape, problem, state, t), lambda: held[t])

    return jax.lax.map(one, jnp.arange(shape.terms))
