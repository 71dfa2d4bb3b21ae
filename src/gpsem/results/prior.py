"""Rows from the prior, latents included: the paper's "fantasy samples" before any data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gpsem.assemble.problem import Built, build
from gpsem.assemble.units import latents as in_user_units
from gpsem.data.account import take
from gpsem.data.prepare import Data
from gpsem.data.scaling import Scaling
from gpsem.errors import GpsemError
from gpsem.model.specification import Specification
from gpsem.sample.prior import draw_data, draw_states
from gpsem.sample.run import Kept

MOST_FULL = 3000


def simulate(spec: Specification, rows: int, seed: int, scaling: Scaling | None) -> pd.DataFrame:
    """One draw of everything from the prior; `scaling` gives the units (standardised where it is None)."""
    indicators = spec.roles.indicators
    scaling = scaling or Scaling(np.zeros(len(indicators)), np.ones(len(indicators)))
    if rows > MOST_FULL and any(e.family == "full-gp" for e in spec.equations):
        raise GpsemError(
            f"A full Gaussian process over {rows:,} rows needs a matrix of their square.",
            remedy=f"Ask for at most {MOST_FULL:,} rows, or set structural='gp'.",
        )
    values = scaling.undo(np.zeros((rows, len(indicators))))
    data = Data(
        values, indicators, pd.RangeIndex(rows), take("prior", len(indicators), indicators, values, ()), scaling
    )
    built = _with_prior_sizes(build(spec, data))
    generator = np.random.default_rng(seed)
    state = draw_states(built.shape, built.problem, generator, 1)
    y = scaling.undo(draw_data(built.problem, state, generator)[0])
    x = in_user_units(built.layout, built.problem, _kept(built, state))[0, 0]
    frame = pd.DataFrame(x, columns=list(built.layout.latents))
    return pd.concat([frame, pd.DataFrame(y, columns=list(indicators))], axis=1)


def _with_prior_sizes(built: Built) -> Built:
    """The box and the spread of pseudo-inputs as on standardised data: there are no data to take them from."""
    problem = built.problem._replace(box=np.asarray(3.0), inducing_variance=np.asarray(1.0))
    return built._replace(problem=problem)


def _kept(built: Built, state: Any) -> Kept:
    """A state as the one draw of one chain."""
    import jax

    one = jax.tree.map(lambda a: np.asarray(a)[None], state)
    return Kept(
        one.theta,
        one.error,
        one.phi,
        one.disturbance,
        one.hyper,
        one.z,
        one.fbar,
        tuple(m.weight for m in one.mixtures),
        tuple(m.mean for m in one.mixtures),
        tuple(m.cov for m in one.mixtures),
        one.f,
        np.zeros((1, 1, built.shape.latents)),
        one.x,
    )
