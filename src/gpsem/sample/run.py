"""Chains: one compiled program, called chunk by chunk by one thread a chain; steps adapt in warm-up only.

A chain's draws depend on its seed and number alone: every chain runs the same program by itself, whatever runs beside.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gpsem.moves.structure import function_part, linear_part
from gpsem.moves.types import Info, Problem, Shape, State, Steps
from gpsem.sample.noise import draw_noise, gamma_shapes
from gpsem.sample.sweep import sweep

CHUNK = 25
TARGET = 0.35
FloatArray = np.ndarray[Any, np.dtype[np.float64]]


class Kept(NamedTuple):
    """What is kept of a state: parameters, pseudo-functions, mixtures, latents. No labels, no function values."""

    theta: Any
    error: Any
    phi: Any
    disturbance: Any
    hyper: Any
    z: Any
    fbar: Any
    weight: tuple[Any, ...]
    mean: tuple[Any, ...]
    cov: tuple[Any, ...]
    f: Any  # (terms, rows) in the non-sparse family, else (terms, 0): elsewhere it follows from the rest
    explained: Any  # (latents,) variance of the equations' means over the rows
    x: Any


class Chains(NamedTuple):
    """Draws of all chains, (chain, draw, ...), and how they went."""

    kept: Kept
    accepted: dict[str, FloatArray]  # (chain, draw, ...) rates by kind of move
    steps: list[Steps]
    states: list[State]
    interrupted: bool


def keep(shape: Shape, problem: Problem, state: State) -> Kept:
    """What is written down of a state."""
    mean = function_part(problem, state.f, state.x.shape[0])
    mean = mean + linear_part(problem, state.phi, state.x)
    return Kept(
        state.theta,
        state.error,
        state.phi,
        state.disturbance,
        state.hyper,
        state.z,
        state.fbar,
        tuple(m.weight for m in state.mixtures),
        tuple(m.mean for m in state.mixtures),
        tuple(m.cov for m in state.mixtures),
        state.f if shape.family == "full-gp" else state.f[:, :0],
        jnp.var(mean, axis=1),
        state.x,
    )


@cache
def program(shape: Shape) -> Callable[..., Any]:
    """`CHUNK` sweeps, of which the first `count` are run; compiled once for a shape."""

    def chunk(problem: Problem, state: State, steps: Steps, noises: Any, count: Any) -> Any:
        def one(state: State, inputs: Any) -> Any:
            place, noise = inputs
            new, info = sweep(shape, problem, state, steps, noise)
            new = jax.tree.map(lambda a, b: jnp.where(place < count, a, b), new, state)
            return new, (keep(shape, problem, new), info)

        return jax.lax.scan(one, state, (jnp.arange(CHUNK), noises))

    return jax.jit(chunk)


class Progress(NamedTuple):
    """How far one chain is."""

    chain: int
    done: int
    total: int
    warmup: int


def run_chains(
    shape: Shape,
    problem: Problem,
    starts: list[State],
    steps: Steps,
    seed: int,
    warmup: int,
    draws: int,
    cores: int,
    report: Callable[[Progress, Kept | None], None] | None = None,
    stop: threading.Event | None = None,
) -> Chains:
    """All chains, `cores` at a time. `stop` ends them at the next chunk; what all of them have is kept."""
    run = program(shape)
    gammas = gamma_shapes(problem)
    on_device = jax.tree.map(jnp.asarray, problem)
    halt = stop or threading.Event()

    def chain(number: int) -> Any:
        return _chain(
            run, shape, problem, on_device, gammas, starts[number], steps, seed, number, warmup, draws, report, halt
        )

    with ThreadPoolExecutor(max_workers=max(1, cores)) as pool:
        futures = [pool.submit(chain, number) for number in range(len(starts))]
        try:
            results = [future.result() for future in futures]
        except KeyboardInterrupt:
            halt.set()
            results = [future.result() for future in futures]
    return _gathered(results, draws, halt.is_set())


def _chain(
    run: Callable[..., Any],
    shape: Shape,
    problem: Problem,
    on_device: Problem,
    gammas: Any,
    state: State,
    steps: Steps,
    seed: int,
    number: int,
    warmup: int,
    draws: int,
    report: Callable[[Progress, Kept | None], None] | None,
    halt: threading.Event,
) -> tuple[list[Kept], list[Info], Steps, State]:
    theta, phi = problem.measurement.precision.shape[0], problem.structure.precision.shape[0]
    state = jax.tree.map(jnp.asarray, state)
    kept: list[Kept] = []
    infos: list[Info] = []
    at, total = 0, warmup + draws
    while at < total and not halt.is_set():
        warming = at < warmup
        count = min(CHUNK, (warmup if warming else total) - at)
        many = [draw_noise(shape, gammas, theta, phi, seed, number, at + n) for n in range(CHUNK)]
        noises = jax.tree.map(lambda *a: np.stack(a), *many)
        state, (saved, info) = run(on_device, state, steps, noises, count)
        saved, info = jax.tree.map(lambda a, count=count: np.asarray(a)[:count], (saved, info))
        if warming:
            steps = _adapted(steps, info, at // CHUNK)
        else:
            kept.append(saved)
            infos.append(info)
        at += count
        if report is not None:
            report(Progress(number, at, total, warmup), None if warming else saved)
    return kept, infos, steps, jax.tree.map(np.asarray, state)


def _adapted(steps: Steps, info: Info, chunk: int) -> Steps:
    """Robbins-Monro on the log steps, after each chunk of warm-up."""
    gain = 2.0 / (1 + chunk) ** 0.6

    def moved(step: Any, rate: Any) -> FloatArray:
        return np.asarray(np.clip(step + gain * (np.mean(rate, axis=0) - TARGET), -8.0, 2.0))

    return Steps(moved(steps.x, info.x), moved(steps.z, info.z), moved(steps.hyper, info.hyper))


def _gathered(results: list[Any], draws: int, interrupted: bool) -> Chains:
    """The draws that every chain has, stacked."""
    length = min(sum(len(saved.x) for saved in kept) for kept, *_ in results)
    length = min(length, draws)
    stacked, infos = [], []
    for kept, info, _, _ in results:
        if not kept:
            continue
        stacked.append(jax.tree.map(lambda *a: np.concatenate(a)[:length], *kept))
        infos.append(jax.tree.map(lambda *a: np.concatenate(a)[:length], *info))
    if len(stacked) < len(results) or not length:
        empty = {name: np.zeros((len(results), 0)) for name in Info._fields}
        return Chains(Kept(*[np.zeros((len(results), 0))] * len(Kept._fields)), empty, [], [], True)  # type: ignore[arg-type]
    together = jax.tree.map(lambda *a: np.stack(a), *stacked)
    rates = jax.tree.map(lambda *a: np.stack(a), *infos)
    return Chains(
        together,
        dict(zip(Info._fields, rates, strict=True)),
        [steps for *_, steps, _ in results],
        [state for *_, state in results],
        interrupted,
    )
