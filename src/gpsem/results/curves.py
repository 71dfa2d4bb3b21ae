r"""The learned functions on a grid: $f(x) \sim N(m(x), v(x))$ given the pseudo-functions, draw by draw.

By convention the part without the nugget: with it a function has no slope, and only its marginals are defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
NUGGET = 1e-4
BATCH = 500


def correlation(kernel: str, r2: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""$c(r^2)$ and $dc / d(r^2)$."""
    if kernel == "rbf":
        c = np.exp(-0.5 * r2)
        return c, -0.5 * c
    r = np.sqrt(r2)
    if kernel == "matern32":
        e = np.exp(-np.sqrt(3) * r)
        return (1 + np.sqrt(3) * r) * e, -1.5 * e
    e = np.exp(-np.sqrt(5) * r)
    return (1 + np.sqrt(5) * r + 5 * r2 / 3) * e, -5 / 6 * (1 + np.sqrt(5) * r) * e


CURVATURE = {"rbf": 1.0, "matern32": 3.0, "matern52": 5 / 3}
"""Prior variance of a slope is this times a / b."""


def values(
    kernel: str,
    hyper: FloatArray,
    inputs: FloatArray,
    known: FloatArray,
    grid: FloatArray,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Draws of a function and of its slopes at grid points, for draws of its hyperparameters and known values.

    hyper (draws, 1 + D), inputs (draws, M, D), known (draws, M) with the nugget on them, grid (draws, G, D), all
    internal. Returns (draws, G) and (draws, G, D).
    """
    found = [
        _batch(kernel, hyper[s], inputs[s], known[s], grid[s], generator)
        for s in (slice(n, n + BATCH) for n in range(0, len(hyper), BATCH))
    ]
    return np.concatenate([f for f, _ in found]), np.concatenate([d for _, d in found])


def _batch(
    kernel: str,
    hyper: FloatArray,
    inputs: FloatArray,
    known: FloatArray,
    grid: FloatArray,
    generator: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    a, b = np.exp(hyper[:, 0]), np.exp(hyper[:, 1:])
    m = inputs.shape[1]
    within = ((inputs[:, :, None] - inputs[:, None]) ** 2 / b[:, None, None]).sum(-1)
    k = a[:, None, None] * correlation(kernel, within)[0] + NUGGET * np.eye(m)
    apart = inputs[:, :, None] - grid[:, None]  # (draws, M, G, D)
    c, slope = correlation(kernel, (apart**2 / b[:, None, None]).sum(-1))
    cross = a[:, None, None] * c
    chol = np.linalg.cholesky(k)
    phi = np.linalg.solve(chol, cross)
    u = np.linalg.solve(chol, known[..., None])[..., 0]
    mean = np.einsum("smg,sm->sg", phi, u)
    left = np.maximum(a[:, None] - (phi**2).sum(axis=1), 0.0)
    f = mean + np.sqrt(left) * generator.standard_normal(mean.shape)
    slopes = np.empty(grid.shape)
    for i in range(grid.shape[2]):
        turned = np.linalg.solve(chol, a[:, None, None] * slope * (-2 * apart[..., i]) / b[:, i, None, None])
        rest = CURVATURE[kernel] * (a / b[:, i])[:, None] - (turned**2).sum(axis=1)
        steep = np.einsum("smg,sm->sg", turned, u)
        slopes[..., i] = steep + np.sqrt(np.maximum(rest, 0.0)) * generator.standard_normal(steep.shape)
    return f, slopes
