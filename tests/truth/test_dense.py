"""M = N with pseudo-inputs at the data: the sparse algebra against the dense Gaussian process it then is."""

from __future__ import annotations

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np
import pytest

from gpsem.maths.kernels import CORRELATIONS, NUGGET, cross, gram
from gpsem.maths.priors import NAMES, log_density
from gpsem.maths.sparse import factor, features, log_prior_values
from gpsem.results import curves

RANDOM = np.random.default_rng(3)
X = np.sort(RANDOM.uniform(-3, 3, (25, 1)), axis=0)
HYPER = np.array([0.3, -0.2])


@pytest.mark.parametrize("kernel", CORRELATIONS)
def test_the_induced_covariance_is_exact(kernel: str) -> None:
    """Cov(f) = Kn' K^-1 Kn + V, V diagonal: with the pseudo-inputs at the data it is K_N up to the nugget."""
    chol = factor(kernel, HYPER, X)
    phi, v = features(kernel, HYPER, X, chol, X)
    induced = np.asarray(phi.T @ phi + np.diag(v))
    without = np.asarray(cross(kernel, HYPER, X, X))
    dense = np.asarray(gram(kernel, HYPER, X))
    exact = without @ np.linalg.inv(dense) @ without
    np.testing.assert_allclose(phi.T @ phi, exact, atol=1e-9)
    np.testing.assert_allclose(np.diag(induced), np.diag(dense), rtol=1e-12)
    np.testing.assert_allclose(induced, dense, atol=2 * NUGGET)
    assert np.abs(induced - dense).max() > 1e-8  # it is another model, if barely


@pytest.mark.parametrize("kernel", CORRELATIONS)
def test_posterior_of_the_function_against_dense_algebra(kernel: str) -> None:
    noise = 0.1
    y = np.sin(X[:, 0]) + np.sqrt(noise) * RANDOM.standard_normal(len(X))
    chol = factor(kernel, HYPER, X)
    phi, v = (np.asarray(a) for a in features(kernel, HYPER, X, chol, X))
    weight = 1 / (v + noise)
    b = np.eye(len(X)) + (phi * weight) @ phi.T
    mean = phi.T @ np.linalg.solve(b, phi @ (weight * y))
    k = np.asarray(cross(kernel, HYPER, X, X))
    dense = k @ np.linalg.solve(k + (noise + NUGGET) * np.eye(len(X)), y)
    np.testing.assert_allclose(mean, dense, atol=5e-3)


def test_log_prior_of_pseudo_functions() -> None:
    from scipy.stats import multivariate_normal

    values = RANDOM.standard_normal(6)
    z = np.linspace(-2, 2, 6)[:, None]
    dense = multivariate_normal(np.zeros(6), np.asarray(gram("rbf", HYPER, z))).logpdf(values)
    assert float(log_prior_values(factor("rbf", HYPER, z), values)) == pytest.approx(dense, rel=1e-10)


def test_prior_densities_against_scipy() -> None:
    from scipy import stats

    known = {
        "normal": ((1.0, 2.0), stats.norm(1, 2)),
        "student_t": ((4.0, 1.0, 2.0), stats.t(4, 1, 2)),
        "cauchy": ((1.0, 2.0), stats.cauchy(1, 2)),
        "uniform": ((0.2, 3.0), stats.uniform(0.2, 2.8)),
        "lognormal": ((0.3, 0.8), stats.lognorm(0.8, scale=np.exp(0.3))),
        "gamma": ((2.0, 3.0), stats.gamma(2, scale=1 / 3)),
        "inv_gamma": ((2.0, 3.0), stats.invgamma(2, scale=3)),
        "exponential": ((1.5,), stats.expon(scale=1 / 1.5)),
        "half_normal": ((1.5,), stats.halfnorm(scale=1.5)),
        "half_cauchy": ((1.5,), stats.halfcauchy(scale=1.5)),
        "beta": ((2.0, 3.0), stats.beta(2, 3)),
    }
    assert set(known) == set(NAMES) - {"two_gammas"}
    points = np.array([-1.0, 0.1, 0.5, 0.9, 2.5])
    for name, (arguments, law) in known.items():
        padded = np.array([*arguments, 1.0, 1.0, 1.0][:3])
        found = log_density(np.full(5, NAMES.index(name)), np.tile(padded, (5, 1)), points)
        np.testing.assert_allclose(found, law.logpdf(points), rtol=1e-10, err_msg=name)
    both = np.log(0.5 * stats.gamma(1, scale=1 / 20).pdf(points[1:]) + 0.5 * stats.gamma(10, scale=0.1).pdf(points[1:]))
    found = log_density(np.full(4, NAMES.index("two_gammas")), np.ones((4, 3)), points[1:])
    np.testing.assert_allclose(found, both, rtol=1e-10)


@pytest.mark.parametrize("kernel", CORRELATIONS)
def test_slopes_are_derivatives(kernel: str) -> None:
    """Where the function is pinned down, drawn slopes are differences of drawn values."""
    z = np.linspace(-3, 3, 40)[None, :, None]
    known = np.sin(z[..., 0])
    grid = np.array([[[0.3], [0.3 + 1e-4], [1.1]]])
    hyper = np.array([[0.0, 0.5]])
    repeats = 400
    f, d = curves.values(
        kernel,
        np.repeat(hyper, repeats, 0),
        np.repeat(z, repeats, 0),
        np.repeat(known, repeats, 0),
        np.repeat(grid, repeats, 0),
        np.random.default_rng(0),
    )
    assert d[:, 0, 0].mean() == pytest.approx(np.cos(0.3), abs=0.05)
    assert d[:, 2, 0].mean() == pytest.approx(np.cos(1.1), abs=0.05)
    assert f[:, 2].mean() == pytest.approx(np.sin(1.1), abs=0.01)
