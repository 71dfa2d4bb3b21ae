r"""Mixtures of exogenous latents: labels, weights, means, covariances, all conjugate.

A covariance has the prior inverse Wishart($s + 3$, $2 b I$) for a block of $s$ latents, whose marginal variances are
the paper's inverse gamma(2, $b$). Wishart and gamma draws with counts in their shape are a draw of the prior's shape
plus one independent term for each row of the component, which has exactly the law that is wanted.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import solve_triangular

from gpsem.moves.types import Mixture, Noise, Problem, State


def component_log_density(mixture: Mixture, x: Array) -> Array:
    """(number, rows, components): log density of each row under each component, without weights."""

    def block(mean: Array, cov: Array, points: Array) -> Array:
        def component(m: Array, c: Array) -> Array:
            chol = jnp.linalg.cholesky(c)
            white = solve_triangular(chol, (points - m).T, lower=True)
            return (
                -0.5 * jnp.sum(white**2, axis=0)
                - jnp.sum(jnp.log(jnp.diagonal(chol)))
                - 0.5 * points.shape[1] * jnp.log(2 * jnp.pi)
            )

        return jax.vmap(component)(mean, cov).T

    return jax.vmap(block)(mixture.mean, mixture.cov, x)


def points(latents: Array, x: Array) -> Array:
    """(number, rows, size): the values of each block."""
    return jnp.moveaxis(x[latents], 1, 2)


def log_density_given_labels(problem: Problem, mixtures: tuple[Mixture, ...], x: Array) -> Array:
    """(rows,): the exogenous latents' density given their components."""
    total = jnp.zeros(x.shape[1])
    for latents, mixture in zip(problem.blocks, mixtures, strict=True):
        each = component_log_density(mixture, points(latents, x))
        total = total + jnp.take_along_axis(each, mixture.label[:, :, None], axis=2).sum(axis=(0, 2))
    return total


def move(problem: Problem, state: State, noise: Noise) -> State:
    """One pass over the blocks of each size."""
    mixtures = []
    for n, latents in enumerate(problem.blocks):
        mixtures.append(_move(problem, points(latents, state.x), state.mixtures[n], n, noise))
    return state._replace(mixtures=tuple(mixtures))


def _move(problem: Problem, x: Array, mixture: Mixture, n: int, noise: Noise) -> Mixture:
    components, size = mixture.mean.shape[1:]
    log_weight = component_log_density(mixture, x) + jnp.log(mixture.weight)[:, None, :]
    slip = jax.nn.logsumexp(component_log_density(mixture, x), axis=1, keepdims=True)
    log_weight = jnp.where(problem.errata.a6 > 0, jnp.broadcast_to(slip, log_weight.shape), log_weight)
    cdf = jnp.cumsum(jax.nn.softmax(log_weight, axis=2), axis=2)
    label = jnp.sum(cdf[..., :-1] < noise.label[n][:, :, None] * cdf[..., -1:], axis=2)
    member = (label[:, :, None] == jnp.arange(components)).astype(float)
    count = member.sum(axis=1)
    gamma = noise.weight_base[n] + jnp.einsum("brk,br->bk", member, noise.weight_exponential[n])
    weight = gamma / gamma.sum(axis=1, keepdims=True)
    inverse = jnp.linalg.inv(mixture.cov)
    precision = inverse * count[..., None, None] + jnp.eye(size) / problem.mean_variance
    chol = jnp.linalg.cholesky(precision)
    sums = jnp.einsum("brk,brs->bks", member, x)
    right = jnp.einsum("bkst,bkt->bks", inverse, sums)
    centre = jnp.linalg.solve(precision, right[..., None])[..., 0]
    mean = centre + jnp.linalg.solve(jnp.swapaxes(chol, 2, 3), noise.mean_normal[n][..., None])[..., 0]
    apart = x[:, :, None, :] - mean[:, None, :, :]
    scatter = jnp.einsum("brk,brks,brkt->bkst", member, apart, apart)
    posterior = jnp.linalg.cholesky(scatter + 2 * problem.spread_scale * jnp.eye(size))
    normal = noise.spread_normal[n]
    wishart = noise.spread_base[n] + jnp.einsum("brk,brs,brt->bkst", member, normal, normal)
    half = jnp.linalg.solve(jnp.linalg.cholesky(wishart), jnp.swapaxes(posterior, 2, 3))
    return Mixture(label, weight, mean, jnp.swapaxes(half, 2, 3) @ half)
