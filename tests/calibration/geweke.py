"""The joint-distribution test in the form that has power: hundreds of short chains from exact prior draws.

Each chain alternates (data given state) with (sweep given data). If the sweep leaves the posterior invariant, every
state of every chain has the prior's law, so the chains' means, which are independent, must agree with a large sample
from the prior. A harness for any sampler: it takes a prior simulator, a sweep and statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gpsem.moves import linear, measurement
from gpsem.moves.types import Noise, Problem, Shape, State, Steps
from gpsem.sample.noise import gamma_shapes, many_noises
from gpsem.sample.prior import draw_data, draw_states
from gpsem.sample.sweep import sweep

CHUNK = 10


class Outcome(NamedTuple):
    names: list[str]
    z: np.ndarray
    rates: dict[str, float]
    null_high: float  # 99.9% of the mean z^2 where exact prior draws stand in for the chains

    @property
    def worst(self) -> float:
        return float(np.abs(self.z).max())

    @property
    def mean_square(self) -> float:
        return float((self.z**2).mean())

    def bound(self, alpha: float = 0.001) -> float:
        """Bonferroni bound on the largest |z|."""
        from scipy.stats import norm

        return float(norm.isf(alpha / 2 / len(self.z)))

    def listed(self, n: int = 6) -> str:
        order = np.argsort(-np.abs(self.z))[:n]
        return ", ".join(f"{self.names[i]} {self.z[i]:+.1f}" for i in order)


def statistics(shape: Shape, problem: Problem, state: State, y: Any) -> dict[str, Any]:
    """Label-free, of finite variance; one number each, for one state. Written for JAX arrays."""
    found: dict[str, Any] = {}

    def add(name: str, value: Any) -> None:
        value = jnp.atleast_1d(value)
        for n in range(value.shape[0]):
            found[f"{name}{n}" if value.shape[0] > 1 else name] = value[n]

    def squash(value: Any) -> Any:
        return jnp.tanh(value / 3)

    seen = problem.seen
    loadings, intercepts = measurement.split(problem, state.theta)
    add("theta", squash(state.theta))
    add("theta^2", squash(state.theta**2))
    if state.error.shape[0]:
        add("log e", jnp.log(state.error))
        add("log e^2", squash(jnp.log(state.error) ** 2))
    if state.disturbance.shape[0]:
        add("log v", jnp.log(state.disturbance))
        add("log v^2", squash(jnp.log(state.disturbance) ** 2))
    if state.phi.shape[0]:
        add("phi", squash(state.phi))
        add("phi^2", squash(state.phi**2))
    add("x", squash(state.x.mean(axis=1)))
    add("x^2", squash(jnp.mean(state.x**2, axis=1)))
    add("x first", squash(state.x[:, 0]))
    add("log spread x", jnp.log(jnp.var(state.x, axis=1) + 1e-3))
    residual = (y - intercepts - state.x.T @ loadings.T) * seen
    count = jnp.maximum(seen.sum(axis=0), 1)
    add("log residual", jnp.log(jnp.sum(residual**2, axis=0) / count + 1e-3))
    add("log y^2", jnp.log(jnp.mean((y * seen) ** 2) + 1e-3))
    if shape.terms:
        real = problem.term_inputs < shape.latents
        add("log a", state.hyper[:, 0])
        add("log a^2", squash(state.hyper[:, 0] ** 2))
        add("log b", state.hyper[:, 1])
        add("log b^2", squash(state.hyper[:, 1] ** 2))
        if shape.ard:
            add("log b last", jnp.where(real[:, -1], state.hyper[:, -1], 0.0))
        full = jnp.concatenate([state.x, jnp.ones((1, shape.rows))])
        if shape.family != "basis":
            add("log f^2", jnp.log(jnp.mean(state.f**2, axis=1) + 1e-4))
        child = state.x[problem.term_latent]
        add("f x", squash(jnp.mean(state.f * child, axis=1)))
        gap = child - state.f
        add("log gap", jnp.log(jnp.mean(gap**2, axis=1) + 1e-4))
        parent = full[problem.term_inputs[:, 0]]
        add("f parent", squash(jnp.mean(state.f * parent, axis=1)))
        if shape.inducing:
            add("log fbar^2", jnp.log(jnp.mean(state.fbar**2, axis=1) + 1e-4))
        if shape.family == "gp":
            add("z", state.z[:, :, 0].mean(axis=1))
            add("z^2", jnp.mean(state.z[:, :, 0] ** 2, axis=1))
            apart = jnp.sum((state.z[:, :, None] - state.z[:, None]) ** 2, axis=3)
            apart = apart + 1e3 * jnp.eye(shape.inducing)
            add("log closest z", 0.5 * jnp.log(apart.min(axis=(1, 2)) + 1e-6))
            add("fbar z", squash(jnp.mean(state.fbar * state.z[:, :, 0], axis=1)))
            near = jnp.min(jnp.abs(state.z[:, :, :1] - parent[:, None, :]), axis=1)
            add("log nearest", jnp.log(jnp.mean(near**2, axis=1) + 1e-4))
    for n, mixture in enumerate(state.mixtures):
        add(f"weights {n}.", jnp.sum(mixture.weight**2, axis=1))
        add(f"means {n}.", squash(jnp.sum(mixture.weight[..., None] * mixture.mean, axis=1))[:, 0])
        add(f"log det {n}.", jnp.linalg.slogdet(mixture.cov)[1].mean(axis=1))
        share = jnp.mean(mixture.label[:, :, None] == jnp.arange(shape.components), axis=1)
        add(f"shares {n}.", jnp.sum(share**2, axis=1))
        if shape.blocks[n][0] > 1:
            c = mixture.cov
            add(f"correlation {n}.", (c[..., 0, 1] / jnp.sqrt(c[..., 0, 0] * c[..., 1, 1])).mean(axis=1))
            both = state.x[problem.blocks[n]]
            add(f"covary {n}.", squash(jnp.mean(both[:, 0] * both[:, 1], axis=1)))
    return found


def simulated(problem: Problem, state: State, normal: Any) -> Any:
    """Data given one state, in JAX: inside the rounds."""
    loadings, intercepts = measurement.split(problem, state.theta)
    error = linear.variances(problem.errors, state.error)
    return problem.seen * (intercepts + state.x.T @ loadings.T + jnp.sqrt(error) * normal)


_Runner = Callable[[Problem, Steps, State, Noise, Any], tuple[State, Any, Any]]


def runner(shape: Shape) -> _Runner:
    """A chunk of rounds for all chains, compiled once for a shape; everything else is data."""

    def one(problem: Problem, steps: Steps, state: State, noise: Noise, normal: Any) -> Any:
        y = simulated(problem, state, normal)
        new, info = sweep(shape, problem._replace(y=y), state, steps, noise)
        return new, jnp.stack(list(statistics(shape, problem, new, y).values())), info

    def chunk(problem: Problem, steps: Steps, states: State, noises: Noise, normals: Any) -> Any:
        def body(states: State, inputs: Any) -> Any:
            noise, normal = inputs
            new, values, info = jax.vmap(one, in_axes=(None, None, 0, 0, 0))(problem, steps, states, noise, normal)
            return new, (values, jax.tree.map(lambda a: a.mean(axis=0), info))

        states, (values, info) = jax.lax.scan(body, states, (noises, normals))
        return states, values.sum(axis=0), info

    return jax.jit(chunk)


def geweke(
    shape: Shape,
    problem: Problem,
    steps: Steps,
    run: _Runner,
    seed: int,
    chains: int = 400,
    rounds: int = 100,
    prior_draws: int = 20_000,
) -> Outcome:
    generator = np.random.default_rng(seed)
    theta, phi = problem.measurement.precision.shape[0], problem.structure.precision.shape[0]
    gammas = gamma_shapes(problem)
    clean = problem._replace(errata=jax.tree.map(jnp.zeros_like, problem.errata))
    states = jax.tree.map(jnp.asarray, draw_states(shape, clean, generator, chains))
    total = np.zeros(())
    info = None
    for _ in range(rounds // CHUNK):
        noise = many_noises(shape, gammas, theta, phi, generator, (CHUNK, chains))
        normals = generator.standard_normal((CHUNK, chains, *problem.y.shape))
        states, values, info = run(problem, steps, states, noise, normals)
        total = total + np.asarray(values)
    means = total / (rounds // CHUNK * CHUNK)
    reference = []
    stat = jax.jit(jax.vmap(lambda s, y: jnp.stack(list(statistics(shape, clean, s, y).values()))))
    names: list[str] = []
    for _ in range(prior_draws // 2000):
        prior = draw_states(shape, clean, generator, 2000)
        y = draw_data(clean, prior, generator)
        reference.append(np.asarray(stat(jax.tree.map(jnp.asarray, prior), jnp.asarray(y))))
    one = jax.tree.map(lambda a: jnp.asarray(a[0]), prior)
    names = list(statistics(shape, clean, one, jnp.asarray(y[0])))
    sample = np.concatenate(reference)
    variance = means.var(axis=0, ddof=1) / chains + sample.var(axis=0, ddof=1) / len(sample)
    z = (means.mean(axis=0) - sample.mean(axis=0)) / np.sqrt(np.maximum(variance, 1e-30))
    z = np.where(sample.std(axis=0) > 1e-12, z, 0.0)
    rates = {name: float(np.mean(value)) for name, value in zip(info._fields, info, strict=True) if np.size(value)}
    return Outcome(names, np.where(np.isfinite(z), z, np.inf), rates, _null(sample, chains, generator))


def _null(sample: np.ndarray, chains: int, generator: np.random.Generator, repeats: int = 2000) -> float:
    """The mean z^2 has its own law, for statistics go together: found by putting prior draws in the chains' place."""
    usable = sample[:, sample.std(axis=0) > 1e-12]
    centre, spread = usable.mean(axis=0), usable.var(axis=0, ddof=1)
    found = []
    for _ in range(repeats):
        picked = usable[generator.integers(0, len(usable), chains)]
        variance = picked.var(axis=0, ddof=1) / chains + spread / len(usable)
        found.append(np.mean((picked.mean(axis=0) - centre) ** 2 / variance))
    return float(np.quantile(found, 0.999))
