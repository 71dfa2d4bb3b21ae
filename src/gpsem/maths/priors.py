"""Log densities of the priors a parameter can have, chosen by a number: priors are data, not code.

A prior is a code and three arguments. The order of `NAMES` is the code; unused arguments are 1.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array
from jax.scipy.special import betaln, gammaln

LOG_2PI = 1.8378770664093453
NAMES = (
    "normal",
    "student_t",
    "cauchy",
    "uniform",
    "lognormal",
    "gamma",
    "inv_gamma",
    "exponential",
    "half_normal",
    "half_cauchy",
    "beta",
    "two_gammas",
)
LOG_PI = 1.1447298858494002


def log_density(code: Array, arguments: Array, value: Array) -> Array:
    """Log density of each value under its prior; minus infinity outside the support."""
    a, b, c = arguments[..., 0], arguments[..., 1], arguments[..., 2]
    t = jnp.where(value > 0, value, 1.0)
    log_t = jnp.log(t)
    inside = jnp.where((value > 0) & (value < 1), value, 0.5)
    scaled = (value - b) / c

    def gamma(shape: Array | float, rate: Array | float) -> Array:
        return shape * jnp.log(rate) - gammaln(shape) + (shape - 1) * log_t - rate * t

    positive = jnp.where(value > 0, 0.0, -jnp.inf)
    table = (
        -0.5 * ((value - a) / b) ** 2 - jnp.log(b) - 0.5 * LOG_2PI,
        gammaln((a + 1) / 2) - gammaln(a / 2) - 0.5 * (jnp.log(a) + LOG_PI) - jnp.log(c)
        - (a + 1) / 2 * jnp.log1p(scaled**2 / a),
        -LOG_PI - jnp.log(b) - jnp.log1p(((value - a) / b) ** 2),
        jnp.where((value >= a) & (value <= b), -jnp.log(b - a), -jnp.inf),
        -log_t - jnp.log(b) - 0.5 * LOG_2PI - 0.5 * ((log_t - a) / b) ** 2 + positive,
        gamma(a, b) + positive,
        a * jnp.log(b) - gammaln(a) - (a + 1) * log_t - b / t + positive,
        jnp.log(a) - a * t + positive,
        0.5 * (jnp.log(2.0) - LOG_PI) - jnp.log(a) - 0.5 * (t / a) ** 2 + positive,
        jnp.log(2.0) - LOG_PI - jnp.log(a) - jnp.log1p((t / a) ** 2) + positive,
        (a - 1) * jnp.log(inside) + (b - 1) * jnp.log1p(-inside) - betaln(a, b)
        + jnp.where((value > 0) & (value < 1), 0.0, -jnp.inf),
        jnp.logaddexp(gamma(1.0, 20.0), gamma(10.0, 10.0)) - jnp.log(2.0) + positive,
    )  # fmt: skip
    return jnp.select([code == n for n in range(len(table))], table, -jnp.inf)
