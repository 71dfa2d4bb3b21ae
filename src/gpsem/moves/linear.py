r"""Conjugate draws of coefficients $w = c + B\theta$ and of variances, and the Metropolis step for other priors."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import cho_solve, solve_triangular

from gpsem.maths.priors import log_density
from gpsem.moves.types import Linear, Variances


def coefficients(linear: Linear, theta: Array) -> Array:
    r"""$w = c + B\theta$."""
    return linear.constant + linear.basis @ theta


def draw(
    linear: Linear, precision: Array, shift: Array, theta: Array, normal: Array, uniform: Array
) -> tuple[Array, Array]:
    r"""$\theta$ given Gaussian evidence on it, of precision $B^\top P B$ and shift $B^\top (h - P c)$.

    Drawn from the conditional under the Gaussian priors; accepted by the ratio of the other priors, which cancels
    where there is none.
    """
    if theta.shape[0] == 0:
        return theta, jnp.ones(())
    chol = jnp.linalg.cholesky(linear.precision + precision)
    new = cho_solve((chol, True), linear.shift + shift) + solve_triangular(chol.T, normal, lower=False)
    accept = jnp.log(uniform) < _others(linear, new) - _others(linear, theta)
    return jnp.where(accept, new, theta), accept.astype(float)


def _others(linear: Linear, theta: Array) -> Array:
    values = linear.other_rows @ theta + linear.other_shift
    base = -0.5 * jnp.sum((linear.base_rows @ theta) ** 2 / linear.base_variance)
    return jnp.sum(log_density(linear.other_code, linear.other_arguments, values)) - base


def variances(spec: Variances, classes: Array) -> Array:
    """Every variance, from the numbers of the classes."""
    if classes.shape[0] == 0:
        return spec.fixed
    return jnp.where(spec.which >= 0, spec.factor * classes[jnp.maximum(spec.which, 0)], spec.fixed)


def draw_variances(spec: Variances, squares: Array, old: Array, gamma: Array, uniform: Array) -> tuple[Array, Array]:
    r"""Classes given sums of squares and counts of each variance: $IG(a + n/2, b + \sum e^2 / 2)$ under the base.

    `gamma` holds draws of $Gamma(a + n/2, 1)$, whose shape does not change: the counts of observed cells are data.
    """
    if old.shape[0] == 0:
        return old, jnp.ones(0)
    member = (spec.which[:, None] == jnp.arange(old.shape[0])[None, :]).astype(float)
    scaled = jnp.where(spec.which >= 0, squares / spec.factor, 0.0)
    new = (spec.scale + 0.5 * scaled @ member) / gamma
    ratio = _other_ratio(spec, new) - _other_ratio(spec, old)
    accept = jnp.log(uniform) < ratio
    return jnp.where(accept, new, old), accept.astype(float)


def _other_ratio(spec: Variances, classes: Array) -> Array:
    """Log density of the user's prior over the base's, up to a constant; 0 where the base is the prior."""
    value = (classes * spec.unit) ** spec.power
    jacobian = (spec.power - 1) * jnp.log(classes)
    base = -(spec.shape + 1) * jnp.log(classes) - spec.scale / classes
    return jnp.where(spec.code >= 0, log_density(spec.code, spec.arguments, value) + jacobian - base, 0.0)
