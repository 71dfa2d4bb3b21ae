r"""Kernels $k(p, q) = a\, c(r^2)$ with $r^2 = \sum_i (p_i - q_i)^2 / b_i$, and the nugget that makes them a prior.

A function's hyperparameters are one vector, $h = (\log a, \log b_1, \dots, \log b_D)$. A parent that is not there is a
coordinate that is the same everywhere, so that functions of different numbers of parents have one shape.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

NUGGET = 1e-4

CORRELATIONS = {
    "rbf": lambda r2: jnp.exp(-0.5 * r2),
    "matern32": lambda r2: (1 + jnp.sqrt(3 * r2 + 1e-300)) * jnp.exp(-jnp.sqrt(3 * r2 + 1e-300)),
    "matern52": lambda r2: (1 + jnp.sqrt(5 * r2 + 1e-300) + 5 * r2 / 3) * jnp.exp(-jnp.sqrt(5 * r2 + 1e-300)),
}


def cross(kernel: str, hyper: Array, p: Array, q: Array) -> Array:
    r"""$k(p_i, q_j)$ without nugget, for points $p$ ($n \times D$) and $q$ ($m \times D$)."""
    b = jnp.exp(hyper[1:])
    r2 = jnp.zeros((p.shape[0], q.shape[0]))
    for i in range(p.shape[1]):  # parents, of which there are few: differences keep the digits that a product loses
        r2 = r2 + (p[:, i, None] - q[None, :, i]) ** 2 / b[i]
    return jnp.exp(hyper[0]) * CORRELATIONS[kernel](r2)


def gram(kernel: str, hyper: Array, p: Array) -> Array:
    r"""$k(p_i, p_j) + 10^{-4}[i = j]$."""
    return cross(kernel, hyper, p, p) + NUGGET * jnp.eye(p.shape[0])


def peak(hyper: Array) -> Array:
    r"""$k(p, p) = a + 10^{-4}$."""
    return jnp.exp(hyper[0]) + NUGGET
