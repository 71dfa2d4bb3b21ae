r"""A function given its pseudo-function values: features and what they leave over.

$f(x) = \phi(x)^\top u + r$ with $\phi(x) = C^{-1} k(x)$, $C C^\top = K_M$, $u = C^{-1} \bar f$, and
$r \sim N(0, v(x))$, $v(x) = k(x, x) - \phi(x)^\top \phi(x)$, independent over rows.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import solve_triangular

from gpsem.maths.kernels import NUGGET, cross, gram, peak
from gpsem.maths.priors import LOG_2PI


def factor(kernel: str, hyper: Array, z: Array) -> Array:
    """Lower Cholesky factor of $K_M$."""
    return jnp.linalg.cholesky(gram(kernel, hyper, z))


def features(kernel: str, hyper: Array, z: Array, chol: Array, x: Array) -> tuple[Array, Array]:
    r"""$\phi$ ($M \times N$) at the inputs $x$ ($N \times D$), and $v$; never below the nugget that it contains."""
    phi = solve_triangular(chol, cross(kernel, hyper, z, x), lower=True)
    return phi, jnp.maximum(peak(hyper) - jnp.sum(phi * phi, axis=0), NUGGET)


def whiten(chol: Array, values: Array) -> Array:
    r"""$C^{-1} \bar f$."""
    return solve_triangular(chol, values, lower=True)


def log_normal(residual: Array, variance: Array) -> Array:
    """Log density of centred normals, elementwise."""
    return -0.5 * (residual**2 / variance + jnp.log(variance) + LOG_2PI)


def log_prior_values(chol: Array, values: Array) -> Array:
    r"""$\log N(\bar f; 0, K_M)$ by the factor of $K_M$."""
    u = whiten(chol, values)
    return -0.5 * jnp.sum(u * u) - jnp.sum(jnp.log(jnp.diagonal(chol))) - 0.5 * values.shape[0] * LOG_2PI
