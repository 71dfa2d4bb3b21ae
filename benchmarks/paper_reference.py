"""A compact NumPy reference of the paper's sparse sampler, corrected, for X1 -> X2: a yardstick of cost.

The same moves as `gpsem.moves`, written plainly for this one graph; shares no code with the product.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

NUG, BOX, K = 1e-4, 3.0, 5


def kernel(a: float, b: float, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return a * np.exp(-((p[:, None] - q[None]) ** 2) / (2 * b))


def log_normal(r: np.ndarray, v: np.ndarray | float) -> np.ndarray:
    return -0.5 * (r * r / v + np.log(v))


def log_gammas(t: float) -> float:
    return float(np.logaddexp(np.log(20.0) - 20 * t, 10 * np.log(10.0) - 12.801827480081469 + 9 * np.log(t) - 10 * t))


class Reference:
    def __init__(self, y: np.ndarray, m: int, seed: int) -> None:
        self.r = np.random.default_rng(seed)
        self.y, (n, p) = y, y.shape
        self.owner = np.arange(p) // (p // 2)
        self.x = np.stack([y[:, 0], y[:, p // 2]])
        self.lam, self.l0, self.e = np.ones(p), np.zeros(p), np.full(p, 0.3)
        self.vz, self.a, self.b = 0.3, 1.0, 1.0
        self.z = np.linspace(-0.95 * BOX, 0.95 * BOX, m)
        self.fbar, self.f = np.zeros(m), np.zeros(n)
        self.pi, self.mu, self.v = np.full(K, 1 / K), np.linspace(-1, 1, K), np.full(K, 0.5)
        self.label = np.zeros(n, int)
        self.draw_values()

    def features(self, a: float, b: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        c = cholesky(kernel(a, b, self.z, self.z) + NUG * np.eye(len(self.z)), lower=True, check_finite=False)
        phi = solve_triangular(c, kernel(a, b, self.z, x), lower=True, check_finite=False)
        return c, phi, np.maximum(a + NUG - np.einsum("mn,mn->n", phi, phi), NUG)

    def values_density(self, c: np.ndarray, phi: np.ndarray, v: np.ndarray) -> np.ndarray:
        u = solve_triangular(c, self.fbar, lower=True, check_finite=False)
        return log_normal(self.f - phi.T @ u, v)

    def hyper(self, step: float = 0.3) -> None:
        def target(a: float, b: float) -> float:
            c, phi, v = self.features(a, b, self.x[0])
            u = solve_triangular(c, self.fbar, lower=True, check_finite=False)
            prior = log_gammas(a) + log_gammas(b) - 0.5 * u @ u - np.log(np.diag(c)).sum()
            return prior + float(self.values_density(c, phi, v).sum())

        low, high = np.exp(-step), np.exp(step)
        s, t = self.r.uniform(low, high, 2)
        ratio = target(self.a * s, self.b * t) - target(self.a, self.b) - np.log(s * t)
        if np.log(self.r.random()) < ratio:
            self.a, self.b = self.a * s, self.b * t

    def inputs(self, step: float = 0.3) -> None:
        m, x, top = len(self.z), self.x[0], self.a + NUG
        inv = np.linalg.inv(kernel(self.a, self.b, self.z, self.z) + NUG * np.eye(m))
        d = np.linalg.inv(kernel(1.0, 0.01, self.z, self.z) + NUG * np.eye(m))
        k = kernel(self.a, self.b, self.z, x)
        _, _, v = self.features(self.a, self.b, x)
        mean = (inv @ self.fbar) @ k
        current = log_normal(self.f - mean, v).sum()
        for i in range(m):
            rest = inv - np.outer(inv[:, i], inv[i]) / inv[i, i]
            rest[i] = rest[:, i] = 0.0
            old_s = 1 / inv[i, i]
            point = self.z[i] + step * self.r.standard_normal()
            if abs(point) > BOX:
                continue
            kn = self.a * np.exp(-((self.z - point) ** 2) / (2 * self.b))
            kn[i] = 0.0
            w_new, w_old = rest @ kn, -inv[:, i] * old_s
            w_old[i] = 0.0
            new_s = max(top - kn @ w_new, NUG)
            row = self.a * np.exp(-((x - point) ** 2) / (2 * self.b))
            g_old, g_new = k[i] - w_old @ k, row - w_new @ k
            c_old, c_new = self.fbar[i] - w_old @ self.fbar, self.fbar[i] - w_new @ self.fbar
            v_new = np.maximum(v + g_old**2 / old_s - g_new**2 / new_s, NUG)
            mean_new = mean - g_old * (c_old / old_s) + g_new * (c_new / new_s)
            proposed = log_normal(self.f - mean_new, v_new).sum()
            rest_d = d - np.outer(d[:, i], d[i]) / d[i, i]
            rest_d[i] = rest_d[:, i] = 0.0
            kd = np.exp(-((self.z - point) ** 2) / 0.02)
            kd[i] = 0.0
            w_d = rest_d @ kd
            s_d = max(1 + NUG - kd @ w_d, 1e-7)
            ratio = proposed - current + log_normal(c_new, new_s) - log_normal(c_old, old_s)
            if np.log(self.r.random()) < ratio + np.log(s_d) + np.log(d[i, i]):
                self.z[i], k[i], v, mean, current = point, row, v_new, mean_new, proposed
                w_new[i] = w_d[i] = -1.0
                inv, d = rest + np.outer(w_new, w_new) / new_s, rest_d + np.outer(w_d, w_d) / s_d

    def draw_values(self) -> None:
        c, phi, v = self.features(self.a, self.b, self.x[0])
        weight = 1 / (v + self.vz)
        root = cholesky(np.eye(len(self.z)) + (phi * weight) @ phi.T, lower=True, check_finite=False)
        u = cho_solve((root, True), phi @ (weight * self.x[1]))
        u += solve_triangular(root.T, self.r.standard_normal(len(u)), lower=False, check_finite=False)
        self.fbar = c @ u
        precision = 1 / v + 1 / self.vz
        mean = (phi.T @ u / v + self.x[1] / self.vz) / precision
        self.f = mean + self.r.standard_normal(len(mean)) / np.sqrt(precision)

    def latents(self, step: float = 0.5) -> None:
        c, phi, v = self.features(self.a, self.b, self.x[0])
        held = self.values_density(c, phi, v)
        for i in (0, 1):
            new = self.x[i] + step * self.r.standard_normal(self.x.shape[1])
            mine = self.owner == i
            scale = self.lam[mine]

            def said(x: np.ndarray, mine: np.ndarray = mine, scale: np.ndarray = scale) -> np.ndarray:
                return -0.5 * ((self.y[:, mine] - self.l0[mine] - x[:, None] * scale) ** 2 / self.e[mine]).sum(1)

            ratio = said(new) - said(self.x[i])
            if i == 0:
                c, phi, v = self.features(self.a, self.b, new)
                mu, var = self.mu[self.label], self.v[self.label]
                ratio += self.values_density(c, phi, v) - held
                ratio += -0.5 * ((new - mu) ** 2 - (self.x[0] - mu) ** 2) / var
            else:
                ratio += -0.5 * ((new - self.f) ** 2 - (self.x[1] - self.f) ** 2) / self.vz
            yes = np.log(self.r.random(len(new))) < ratio
            self.x[i] = np.where(yes, new, self.x[i])

    def rest(self) -> None:
        x = self.x[0]
        log = np.log(self.pi) - 0.5 * np.log(self.v) - 0.5 * (x[:, None] - self.mu) ** 2 / self.v
        cdf = np.cumsum(np.exp(log - log.max(1, keepdims=True)), 1)
        self.label = (cdf[:, :-1] < self.r.random((len(x), 1)) * cdf[:, -1:]).sum(1)
        count = np.bincount(self.label, minlength=K)
        self.pi = self.r.dirichlet(10.0 + count)
        precision = 1 / 5 + count / self.v
        self.mu = np.bincount(self.label, x, K) / self.v / precision + self.r.standard_normal(K) / np.sqrt(precision)
        square = np.bincount(self.label, (x - self.mu[self.label]) ** 2, K)
        self.v = (1 + square / 2) / self.r.standard_gamma(2 + count / 2)
        self.vz = (1 + ((self.x[1] - self.f) ** 2).sum() / 2) / self.r.standard_gamma(2 + len(x) / 2)
        for j, i in enumerate(self.owner):
            if j not in (0, len(self.owner) // 2):
                design = np.stack([self.x[i], np.ones(len(x))])
                root = cholesky(design @ design.T / self.e[j] + np.eye(2) / 5, lower=True)
                mean = cho_solve((root, True), design @ self.y[:, j] / self.e[j])
                self.lam[j], self.l0[j] = mean + solve_triangular(root.T, self.r.standard_normal(2), lower=False)
            residual = self.y[:, j] - self.l0[j] - self.lam[j] * self.x[i]
            self.e[j] = (1 + residual @ residual / 2) / self.r.standard_gamma(2 + len(x) / 2)

    def sweep(self) -> None:
        self.hyper()
        self.inputs()
        self.draw_values()
        self.latents()
        self.rest()
