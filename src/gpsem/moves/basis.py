r"""Functions of a finite basis: $f(x) = \sum_j \sqrt{S(\omega_j)}\, \varphi_j(x)\, u_j$, $u_j \sim N(0, 1)$.

The eigenfunctions of the Laplacian on the box $[-E, E]^D$, weighted by the kernel's spectral density: linear in the
parameters and homoscedastic, as Appendix B of the paper asks. Nothing is left over.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.linalg import cho_solve, solve_triangular
from jax.scipy.special import gammaln

from gpsem.moves.functions import Term, hastings_factor, hyper_log_prior, multiplied, take
from gpsem.moves.structure import disturbance_variances, function_part, linear_part
from gpsem.moves.types import Noise, Problem, Shape, State, Steps

EDGE = 1.5
"""The box of the basis is this much wider than that of the latents: eigenfunctions vanish at its edge."""


def frequencies(shape: Shape) -> np.ndarray:
    """(inducing, inputs) whole numbers: the products of lowest total square, so many as fit."""
    per_axis = np.arange(1, shape.inducing + 1)
    grid = np.stack(np.meshgrid(*[per_axis] * shape.inputs, indexing="ij"), -1).reshape(-1, shape.inputs)
    order = np.lexsort((*grid.T[::-1], (grid**2).sum(1)))
    return grid[order[: shape.inducing]]


def _spectral(shape: Shape, hyper: Array, real: Array, omega: Array) -> Array:
    """The kernel's spectral density in as many dimensions as there are parents."""
    b = jnp.exp(hyper[1:])
    d = jnp.sum(real)
    scaled = jnp.sum(real * b * omega**2, axis=1)
    volume = hyper[0] + 0.5 * jnp.sum(real * jnp.log(b))
    if shape.kernel == "rbf":
        return jnp.exp(volume + 0.5 * d * jnp.log(2 * jnp.pi) - 0.5 * scaled)
    nu = {"matern32": 1.5, "matern52": 2.5}[shape.kernel]
    constant = d * jnp.log(2.0) + 0.5 * d * jnp.log(jnp.pi) + gammaln(nu + 0.5 * d) - gammaln(nu) + nu * jnp.log(2 * nu)
    return jnp.exp(volume + constant - (nu + 0.5 * d) * jnp.log(2 * nu + scaled))


def basis_features(shape: Shape, problem: Problem, hyper: Array, inputs: Array, real: Array) -> Array:
    r"""$\phi$ (basis x rows): a coordinate that is not there contributes 1, and only its first frequency counts."""
    edge = EDGE * problem.box
    j = jnp.asarray(frequencies(shape), dtype=float)
    omega = jnp.pi * j / (2 * edge)
    axis = jnp.sin(omega[:, None, :] * (inputs[None, :, :] + edge)) / jnp.sqrt(edge)
    product = jnp.prod(jnp.where(real > 0, axis, 1.0), axis=2)
    counts = jnp.all((real > 0) | (j == 1), axis=1)
    weight = jnp.where(counts, jnp.sqrt(_spectral(shape, hyper, real, omega)), 0.0)
    return weight[:, None] * product


def basis_values(shape: Shape, problem: Problem, state: State) -> Array:
    """(terms, rows): the functions at the state's latents."""

    def one(t: Array) -> Array:
        term = take(problem, state, t)
        return basis_features(shape, problem, term.hyper, term.inputs, term.real).T @ term.fbar

    return jax.lax.map(one, jnp.arange(shape.terms))


def move(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Array]:
    """All terms in turn: hyperparameters with the weights integrated out, then the weights."""
    latents = state.x.shape[0]
    disturbance = disturbance_variances(problem, state)
    straight = linear_part(problem, state.phi, state.x)

    def one(state: State, t: Array) -> tuple[State, Array]:
        term = take(problem, state, t)
        latent = problem.term_latent[t]
        variance = disturbance[latent]
        rest = function_part(problem, state.f, latents)[latent] - state.f[t]
        target = state.x[latent] - straight[latent] - rest

        def collapsed(hyper: Array) -> tuple[Array, Array, Array]:
            phi = basis_features(shape, problem, hyper, term.inputs, term.real)
            root = jnp.linalg.cholesky(jnp.eye(phi.shape[0]) + phi @ phi.T / variance)
            c = solve_triangular(root, phi @ target / variance, lower=True)
            log = 0.5 * c @ c - jnp.sum(jnp.log(jnp.diagonal(root)))
            return log + hyper_log_prior(term, hyper, shape.ard), root, phi

        proposal = multiplied(term.hyper, steps.hyper[t], noise.hyper_uniform[t], term.real, shape.ard)
        logs, _, _ = jax.lax.map(collapsed, jnp.stack([term.hyper, proposal]))
        hastings = hastings_factor(term.hyper, proposal, term.real, shape.ard) * (1 - problem.errata.a5)
        yes = jnp.log(noise.hyper_accept[t]) < logs[1] - logs[0] + hastings
        term = Term(jnp.where(yes, proposal, term.hyper), *term[1:])
        _, root, phi = collapsed(term.hyper)
        mean = cho_solve((root, True), phi @ target / variance)
        u = mean + solve_triangular(root.T, noise.fbar[t], lower=False)
        state = state._replace(
            hyper=state.hyper.at[t].set(term.hyper),
            fbar=state.fbar.at[t].set(u),
            f=state.f.at[t].set(phi.T @ u),
        )
        return state, yes.astype(float)

    return jax.lax.scan(one, state, jnp.arange(shape.terms))
