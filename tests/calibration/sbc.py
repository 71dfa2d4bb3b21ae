"""Simulation-based calibration: ranks of true values among posterior draws must be uniform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from geweke import CHUNK, statistics

from gpsem.moves.types import Problem, Shape, State, Steps
from gpsem.sample.noise import gamma_shapes, many_noises
from gpsem.sample.prior import draw_data, draw_states
from gpsem.sample.start import start_state
from gpsem.sample.sweep import sweep

BINS = 8


class Ranks(NamedTuple):
    """Ranks of each statistic, (replication, statistic), among `draws` draws."""

    names: list[str]
    ranks: np.ndarray
    draws: int

    def p_values(self) -> np.ndarray:
        """Chi-square test of uniformity, a statistic each."""
        from scipy.stats import chisquare

        found = []
        for column in self.ranks.T:
            counts = np.histogram(column, bins=BINS, range=(-0.5, self.draws + 0.5))[0]
            found.append(chisquare(counts).pvalue)
        return np.array(found)

    def worst(self) -> float:
        """The smallest p value, adjusted for the number of statistics."""
        return float(min(1.0, self.p_values().min() * len(self.names)))

    def listed(self, n: int = 5) -> str:
        p = self.p_values()
        return ", ".join(f"{self.names[i]} {p[i]:.1e}" for i in np.argsort(p)[:n])


def runner(shape: Shape) -> Callable[..., Any]:
    """A chunk of sweeps for all replications, each with its own data, compiled once for a shape."""

    def one(problem: Problem, steps: Steps, state: State, y: Any, noise: Any) -> Any:
        new, _ = sweep(shape, problem._replace(y=y), state, steps, noise)
        return new, jnp.stack(list(statistics(shape, problem, new, y).values()))

    def chunk(problem: Problem, steps: Steps, states: State, y: Any, noises: Any) -> Any:
        def body(states: State, noise: Any) -> Any:
            return jax.vmap(one, in_axes=(None, None, 0, 0, 0))(problem, steps, states, y, noise)

        states, values = jax.lax.scan(body, states, noises)
        return states, values[-1]

    return jax.jit(chunk)


def calibrate(
    shape: Shape,
    problem: Problem,
    steps: Steps,
    run: Callable[..., Any],
    seed: int,
    replications: int = 200,
    draws: int = 63,
    warmup: int = 300,
    thin: int = 1,
    from_truth: bool = False,
) -> Ranks:
    """True values from the prior, chains from starts near the data; one draw kept every `CHUNK` x `thin` sweeps."""
    generator = np.random.default_rng(seed)
    theta, phi = problem.measurement.precision.shape[0], problem.structure.precision.shape[0]
    gammas = gamma_shapes(problem)
    clean = problem._replace(errata=jax.tree.map(jnp.zeros_like, problem.errata))
    truth = draw_states(shape, clean, generator, replications)
    y = draw_data(clean, truth, generator)
    stat = jax.jit(jax.vmap(lambda s, d: jnp.stack(list(statistics(shape, clean, s, d).values()))))
    true_values = np.asarray(stat(jax.tree.map(jnp.asarray, truth), jnp.asarray(y)))
    loadings = np.arange(theta) % 2 == 0  # a loading and an intercept for each indicator but the markers
    starts = [
        start_state(shape, clean._replace(y=y[r]), loadings.astype(float), np.zeros(phi), seed, r)
        for r in range(replications)
    ]
    states = jax.tree.map(lambda *a: jnp.stack([jnp.asarray(v) for v in a]), *starts)
    if from_truth:  # exact draws from the posteriors: what then drifts is wrong, what does not reach them mixes slowly
        states = jax.tree.map(jnp.asarray, truth)
    ranks = np.zeros_like(true_values)
    for n in range(warmup // CHUNK + draws * thin):
        noise = many_noises(shape, gammas, theta, phi, generator, (CHUNK, replications))
        states, values = run(problem, steps, states, y, noise)
        if n >= warmup // CHUNK and n % thin == 0:
            got = np.asarray(values)
            tied = (got == true_values) & (generator.random(got.shape) < 0.5)  # counts of rows are discrete
            ranks += (got < true_values) | tied
    first = jax.tree.map(lambda a: jnp.asarray(a[0]), truth)
    names = list(statistics(shape, clean, first, jnp.asarray(y[0])))
    varying = true_values.std(axis=0) > 1e-12
    varying &= np.array([not name.startswith("log y^2") for name in names])  # a function of the data alone
    return Ranks([n for n, v in zip(names, varying, strict=True) if v], ranks[:, varying], draws)
