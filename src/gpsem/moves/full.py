r"""The paper's non-sparse sampler: $f \sim N(0, K_N)$, rows dependent, each row's latent in turn at $O(N^2)$.

The precision $Q = K_N^{-1}$ is kept; when an input of row $d$ moves, only that row and column of $K_N$ change, and both
$p(f_d \mid f_{\setminus d})$ and the new $Q$ follow by rank-one algebra. $Q$ is made anew in every sweep.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import cho_solve, solve_triangular

from gpsem.maths.kernels import NUGGET, cross, gram, peak
from gpsem.maths.sparse import log_normal, log_prior_values
from gpsem.moves.functions import hastings_factor, hyper_log_prior, multiplied, take
from gpsem.moves.latents import evidence, structure_log_density
from gpsem.moves.structure import disturbance_variances, function_part, linear_part, with_constant
from gpsem.moves.types import Noise, Problem, Shape, State, Steps


def move_functions(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Array]:
    r"""Hyperparameters given $f$; then $f$ from $N(S x / \upsilon, S)$, $S = (K^{-1} + I / \upsilon)^{-1}$."""
    latents = state.x.shape[0]
    disturbance = disturbance_variances(problem, state)
    straight = linear_part(problem, state.phi, state.x)

    def one(state: State, t: Array) -> tuple[State, Array]:
        term = take(problem, state, t)

        def log_target(hyper: Array) -> Array:
            chol = jnp.linalg.cholesky(gram(shape.kernel, hyper, term.inputs))
            return log_prior_values(chol, term.f) + hyper_log_prior(term, hyper, shape.ard)

        proposal = multiplied(term.hyper, steps.hyper[t], noise.hyper_uniform[t], term.real, shape.ard)
        logs = jax.lax.map(log_target, jnp.stack([term.hyper, proposal]))
        hastings = hastings_factor(term.hyper, proposal, term.real, shape.ard) * (1 - problem.errata.a5)
        yes = jnp.log(noise.hyper_accept[t]) < logs[1] - logs[0] + hastings
        hyper = jnp.where(yes, proposal, term.hyper)
        latent = problem.term_latent[t]
        variance = disturbance[latent]
        rest = function_part(problem, state.f, latents)[latent] - state.f[t]
        target = state.x[latent] - straight[latent] - rest
        # f = K (K + vI)^-1 x + noise of covariance S, by the factor of K and one solve: no inverse of K.
        k = gram(shape.kernel, hyper, term.inputs)
        root = jnp.linalg.cholesky(k)
        whole = jnp.linalg.cholesky(k + variance * jnp.eye(shape.rows))
        prior = root @ noise.fbar[t]
        noisy = prior + jnp.sqrt(variance) * noise.f[t]
        f = prior + k @ cho_solve((whole, True), target - noisy)
        return state._replace(hyper=state.hyper.at[t].set(hyper), f=state.f.at[t].set(f)), yes.astype(float)

    return jax.lax.scan(one, state, jnp.arange(shape.terms))


def move_latents(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Array]:
    """Each latent, each row: a random walk accepted by the row's own factors and its functions' conditionals."""
    precisions = jax.lax.map(lambda t: _precision(shape, problem, state, t), jnp.arange(shape.terms))

    def one(carry: tuple[State, Array], i: Array) -> tuple[tuple[State, Array], Array]:
        state, precisions = carry
        moved = state.x[i] + jnp.exp(steps.x[i]) * noise.x_normal[i]
        x = state.x.at[i].set(jnp.where(problem.exact[:, i] > 0, state.x[i], moved))
        rest = (
            structure_log_density(problem, state, x, state.f)
            - structure_log_density(problem, state, state.x, state.f)
            + evidence(problem, state, x)
            - evidence(problem, state, state.x)
        )  # of all rows: rows meet only in their functions

        def row(d: Array, inner: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            values, precisions, count = inner

            def term(t: Array) -> tuple[Array, Array]:
                return jax.lax.cond(
                    jnp.any(problem.term_inputs[t] == i),
                    lambda: _row_moved(shape, problem, state, values, x, precisions[t], t, d),
                    lambda: (jnp.zeros(()), precisions[t]),
                )

            ratios, candidates = jax.lax.map(term, jnp.arange(shape.terms))
            yes = jnp.log(noise.x_uniform[i, d]) < rest[d] + jnp.sum(ratios)
            values = values.at[:, d].set(jnp.where(yes, x[:, d], values[:, d]))
            return values, jnp.where(yes, candidates, precisions), count + yes

        values, precisions, count = jax.lax.fori_loop(0, shape.rows, row, (state.x, precisions, jnp.zeros(())))
        return (state._replace(x=values), precisions), count / shape.rows

    (state, _), rates = jax.lax.scan(one, (state, precisions), jnp.arange(shape.latents))
    return state, rates


def _precision(shape: Shape, problem: Problem, state: State, t: Array) -> Array:
    term = take(problem, state, t)
    chol = jnp.linalg.cholesky(gram(shape.kernel, term.hyper, term.inputs))
    half = solve_triangular(chol, jnp.eye(shape.rows), lower=True)
    return half.T @ half


def _row_moved(
    shape: Shape, problem: Problem, state: State, values: Array, x: Array, precision: Array, t: Array, d: Array
) -> tuple[Array, Array]:
    r"""Log ratio of $p(f_d \mid f_{\setminus d})$ when row d moves from `values` to `x`, and the precision there."""
    inputs = with_constant(values)[problem.term_inputs[t]].T
    point = with_constant(x)[problem.term_inputs[t], d]
    hyper, f = state.hyper[t], state.f[t]
    others = (jnp.arange(shape.rows) != d).astype(float)
    pivot = precision[d, d]
    column = precision[:, d]
    old_weights = -column / pivot * others
    old = log_normal(f[d] - old_weights @ f, 1 / pivot)
    k = cross(shape.kernel, hyper, inputs, point[None])[:, 0] * others
    rest_k = (precision @ k - column * (column @ k) / pivot) * others
    s = jnp.maximum(peak(hyper) - k @ rest_k, NUGGET)
    new = log_normal(f[d] - rest_k @ f, s)
    rest = (precision - jnp.outer(column, column) / pivot) * others[:, None] * others[None, :]
    edge = rest_k - (1 - others)
    return new - old, rest + jnp.outer(edge, edge) / s
