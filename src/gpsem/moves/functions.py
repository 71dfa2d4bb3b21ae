r"""Sparse functions: hyperparameters, pseudo-inputs one at a time by rank-one algebra, pseudo-functions, functions.

For one term, with $f_d \mid \bar f \sim N(k_d K_M^{-1} \bar f, v_d)$ and the rest of its equation subtracted from $x$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import cho_solve, solve_triangular

from gpsem.maths.kernels import NUGGET, cross, peak
from gpsem.maths.priors import log_density
from gpsem.maths.sparse import factor, features, log_normal, log_prior_values, whiten
from gpsem.moves.structure import disturbance_variances, function_part, inverse, linear_part, with_constant
from gpsem.moves.types import Noise, Problem, Shape, State, Steps

SPREAD_LENGTH = 0.1
SPREAD_NUGGET = 1e-4


class Term(NamedTuple):
    """One function's unknowns and what is fixed about it."""

    hyper: Array
    z: Array
    fbar: Array
    f: Array
    inputs: Array  # (rows, inputs), the latents that it takes
    real: Array  # (inputs,) 1 where there is a parent
    code: Array
    arguments: Array
    power: Array
    unit: Array


def values_log_density(term: Term, errata_b5: Array, phi: Array, v: Array, chol: Array) -> Array:
    """(rows,): log density of the function's values given its pseudo-functions."""
    mean = phi.T @ whiten(chol, term.fbar)
    return log_normal(term.f - mean, v) + 0.5 * errata_b5 * jnp.log(v)


def hyper_log_prior(term: Term, hyper: Array, ard: bool) -> Array:
    """Log prior of (log a, log b): of the values, without Jacobian, which the Hastings factor of A5 carries."""
    value = jnp.exp(hyper * term.power) * term.unit
    each = log_density(term.code, term.arguments, value) + (term.power - 1) * hyper
    counted = jnp.concatenate([jnp.ones(1), term.real if ard else jnp.zeros_like(term.real).at[0].set(1.0)])
    return jnp.sum(jnp.where(counted > 0, each, 0.0))


def move_hyper(
    shape: Shape, problem: Problem, term: Term, step: Array, uniform: Array, accept: Array
) -> tuple[Term, Array]:
    r"""Uniform in $[\alpha T, T/\alpha]$ for every component together; Hastings factor $T/T'$ for each (A5)."""
    proposal = multiplied(term.hyper, step, uniform, term.real, shape.ard)

    def target(hyper: Array) -> Array:
        chol = factor(shape.kernel, hyper, term.z)
        phi, v = features(shape.kernel, hyper, term.z, chol, term.inputs)
        moved = term._replace(hyper=hyper)
        return (
            hyper_log_prior(term, hyper, shape.ard)
            + log_prior_values(chol, term.fbar)
            + jnp.sum(values_log_density(moved, jnp.zeros(()), phi, v, chol))
        )

    both = jax.lax.map(target, jnp.stack([term.hyper, proposal]))
    hastings = hastings_factor(term.hyper, proposal, term.real, shape.ard) * (1 - problem.errata.a5)
    yes = jnp.log(accept) < both[1] - both[0] + hastings
    return term._replace(hyper=jnp.where(yes, proposal, term.hyper)), yes.astype(float)


def multiplied(hyper: Array, step: Array, uniform: Array, real: Array, ard: bool) -> Array:
    """Each component multiplied by a number uniform in [alpha, 1/alpha], alpha = exp(-exp(step))."""
    width = jnp.exp(step)
    low, high = jnp.exp(-width), jnp.exp(width)
    change = jnp.log(low + (high - low) * uniform)
    if not ard:
        change = change.at[1:].set(change[1])
    return hyper + change * jnp.concatenate([jnp.ones(1), real])


def hastings_factor(old: Array, new: Array, real: Array, ard: bool) -> Array:
    """Log of the product of T/T' over the components that moved."""
    change = old - new
    if not ard:
        return change[0] + change[1]
    return change[0] + jnp.sum(change[1:] * real)


def move_inputs(
    shape: Shape,
    problem: Problem,
    term: Term,
    step: Array,
    normal: Array,
    uniform: Array,
    value: Array,
) -> tuple[Term, Array]:
    r"""Every pseudo-input in turn, at $O(NM)$ each: what does not depend on it is kept, the rest is rank one.

    With $R = K_{\setminus m}^{-1}$, $s = k_{mm} - k_m^\top R k_m$ and $g_d = k_{dm} - k_d^\top R k_m$ (sums over the
    others), $v_d = v_d^0 - g_d^2/s$ and the mean is $\mu_d^0 + g_d c/s$, $c = \bar f_m - k_m^\top R \bar f$.
    """
    errata = problem.errata
    hyper, size = term.hyper, term.z.shape[0]
    top = peak(hyper)
    chol = factor(shape.kernel, hyper, term.z)
    inv = cho_solve((chol, True), jnp.eye(size))
    k = cross(shape.kernel, hyper, term.z, term.inputs)  # (M, rows)
    v = features(shape.kernel, hyper, term.z, chol, term.inputs)[1]
    mean = k.T @ (inv @ term.fbar)
    spread = jnp.linalg.inv(_spread(term.z, term.z) + SPREAD_NUGGET * jnp.eye(size))
    sd = jnp.exp(step)

    def one(carry: Any, m: Array) -> tuple[Any, Array]:
        z, fbar, inv, spread, k, v, mean = carry
        others = (jnp.arange(size) != m).astype(float)
        rest = _without(inv, m, others)
        old_s = 1 / inv[m, m]
        point = z[m] + sd * normal[m] * term.real
        k_new = cross(shape.kernel, hyper, z, point[None])[:, 0] * others
        weights = rest @ k_new
        new_s = jnp.maximum(top - k_new @ weights, NUGGET)
        row_new = cross(shape.kernel, hyper, point[None], term.inputs)[0]
        old_col = -inv[:, m] * old_s * others  # rest @ k_old, read off the inverse
        predicted_old, predicted_new = old_col @ fbar, weights @ fbar
        both = jnp.stack([old_col, weights]) @ k
        g_old, g_new = k[m] - both[0], row_new - both[1]
        c_old = fbar[m] - predicted_old
        if shape.joint:
            candidate = predicted_new + jnp.sqrt(new_s) * value[m]
            slip = -errata.a3 * log_normal(c_old, old_s)  # what cancels, left in below the line
        else:
            candidate = fbar[m]
            slip = jnp.zeros(())
        c_new = candidate - predicted_new
        v_new = jnp.maximum(v + g_old**2 / old_s - g_new**2 / new_s, NUGGET)
        mean_new = mean - g_old * c_old / old_s + g_new * c_new / new_s
        ratio = jnp.sum(log_normal(term.f - mean_new, v_new)) - jnp.sum(log_normal(term.f - mean, v))
        if not shape.joint:
            ratio = ratio + log_normal(c_new, new_s) - log_normal(c_old, old_s)
        prior, spread_new = _input_prior(shape, problem, z, point, m, spread, others)
        inside = jnp.all(jnp.abs(point) * term.real <= problem.box) | (shape.inducing_prior == "gaussian")
        log_ratio = ratio + prior * (1 - errata.a4) + slip
        yes = inside & (jnp.log(uniform[m]) < log_ratio)
        unit = 1.0 - others
        column = weights - unit
        new_inv = rest + jnp.outer(column, column) / new_s
        moved = (
            z.at[m].set(jnp.where(yes, point, z[m])),
            fbar.at[m].set(jnp.where(yes, candidate, fbar[m])),
            jnp.where(yes, new_inv, inv),
            jnp.where(yes, spread_new, spread),
            k.at[m].set(jnp.where(yes, row_new, k[m])),
            jnp.where(yes, v_new, v),
            jnp.where(yes, mean_new, mean),
        )
        return moved, yes

    start = (term.z, term.fbar, inv, spread, k, v, mean)
    (z, fbar, *_), accepted = jax.lax.scan(one, start, jnp.arange(size))
    return term._replace(z=z, fbar=fbar), accepted.astype(float).mean()


def _without(inv: Array, m: Array, others: Array) -> Array:
    """The inverse of the matrix without row and column m, those left 0."""
    rest = inv - jnp.outer(inv[:, m], inv[m]) / inv[m, m]
    return rest * others[:, None] * others[None, :]


def _spread(p: Array, q: Array) -> Array:
    """The kernel of the space-filling prior: squared exponential, length-scale 0.1."""
    r2 = jnp.sum((p[:, None, :] - q[None, :, :]) ** 2, axis=2)
    return jnp.exp(-0.5 * r2 / SPREAD_LENGTH**2)


def _input_prior(
    shape: Shape, problem: Problem, z: Array, point: Array, m: Array, spread: Array, others: Array
) -> tuple[Array, Array]:
    """Log ratio of the pseudo-inputs' prior, and the inverse of D at the proposal."""
    if shape.inducing_prior == "gaussian":
        centre, variance = problem.inducing_mean, problem.inducing_variance
        return 0.5 * jnp.sum((z[m] - centre) ** 2 - (point - centre) ** 2) / variance, spread
    rest = _without(spread, m, others)
    d = _spread(z, point[None])[:, 0] * others
    weights = rest @ d
    s_new = jnp.maximum(1 + SPREAD_NUGGET - d @ weights, SPREAD_NUGGET * 1e-3)
    unit = 1.0 - others
    column = weights - unit
    return jnp.log(s_new) + jnp.log(spread[m, m]), rest + jnp.outer(column, column) / s_new


def draw_values(
    shape: Shape, problem: Problem, term: Term, target: Array, disturbance: Array, fbar_normal: Array, f_normal: Array
) -> Term:
    r"""$\bar f$ with $f$ integrated out, then $f$ given it (A1, A2): noise variances add, $V + \upsilon I$."""
    chol = factor(shape.kernel, term.hyper, term.z)
    phi, v = features(shape.kernel, term.hyper, term.z, chol, term.inputs)
    weight = jnp.where(problem.errata.a1 > 0, 1 / v + inverse(disturbance), 1 / (v + disturbance))
    b = jnp.eye(term.z.shape[0]) + (phi * weight) @ phi.T
    root = jnp.linalg.cholesky(b)
    u = cho_solve((root, True), phi @ (weight * target)) + solve_triangular(root.T, fbar_normal, lower=False)
    precision = 1 / v + inverse(disturbance)
    mean = (phi.T @ u / v + target * inverse(disturbance)) / precision
    return term._replace(fbar=chol @ u, f=mean + f_normal / jnp.sqrt(precision))


def take(problem: Problem, state: State, t: Array) -> Term:
    """The term of index t."""
    latents = state.x.shape[0]
    which = problem.term_inputs[t]
    return Term(
        state.hyper[t],
        state.z[t],
        state.fbar[t],
        state.f[t],
        with_constant(state.x)[which].T,
        (which < latents).astype(float),
        problem.hyper_code[t],
        problem.hyper_arguments[t],
        problem.hyper_power[t],
        problem.hyper_unit[t],
    )


def move(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Array, Array]:
    """All terms in turn: hyperparameters, pseudo-inputs, then the values of the function."""
    latents = state.x.shape[0]
    disturbance = disturbance_variances(problem, state)
    straight = linear_part(problem, state.phi, state.x)

    def one(state: State, t: Array) -> tuple[State, tuple[Array, Array]]:
        term = take(problem, state, t)
        term, hyper_rate = move_hyper(
            shape, problem, term, steps.hyper[t], noise.hyper_uniform[t], noise.hyper_accept[t]
        )
        term, z_rate = move_inputs(
            shape, problem, term, steps.z[t], noise.z_normal[t], noise.z_uniform[t], noise.z_value[t]
        )
        latent = problem.term_latent[t]
        all_functions = function_part(problem, state.f, latents)[latent]
        target = state.x[latent] - straight[latent] - all_functions + state.f[t]
        term = draw_values(shape, problem, term, target, disturbance[latent], noise.fbar[t], noise.f[t])
        state = state._replace(
            hyper=state.hyper.at[t].set(term.hyper),
            z=state.z.at[t].set(term.z),
            fbar=state.fbar.at[t].set(term.fbar),
            f=state.f.at[t].set(term.f),
        )
        return state, (hyper_rate, z_rate)

    state, (hyper_rate, z_rate) = jax.lax.scan(one, state, jnp.arange(shape.terms))
    return state, hyper_rate, z_rate
