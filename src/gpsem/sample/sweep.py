"""One sweep of the paper's samplers, corrected: sparse, non-sparse, and the parametric families beside them."""

from __future__ import annotations

import jax.numpy as jnp

from gpsem.moves import basis, full, functions, latents, measurement, mixture, structure
from gpsem.moves.types import Info, Noise, Problem, Shape, State, Steps


def sweep(shape: Shape, problem: Problem, state: State, steps: Steps, noise: Noise) -> tuple[State, Info]:
    """Functions, latents, mixtures, slopes and disturbances, measurement: each block given all others."""
    hyper = z = jnp.ones(shape.terms)
    if shape.terms and shape.family == "gp":
        state, hyper, z = functions.move(shape, problem, state, steps, noise)
    elif shape.terms and shape.family == "basis":
        state, hyper = basis.move(shape, problem, state, steps, noise)
    elif shape.terms:
        state, hyper = full.move_functions(shape, problem, state, steps, noise)
    if shape.terms and shape.family == "full-gp":
        state, x = full.move_latents(shape, problem, state, steps, noise)
    else:
        state, x = latents.move(shape, problem, state, steps, noise)
    if shape.blocks:
        state = mixture.move(problem, state, noise)
    state, first = structure.move(problem, state, noise)
    state, second = measurement.move(problem, state, noise)
    return state, Info(x, z, hyper, jnp.concatenate([first, second]))
