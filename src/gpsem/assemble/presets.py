"""Priors as data: the paper's numbers, and weakly informative ones. Both are for standardised indicators."""

from __future__ import annotations

from typing import NamedTuple

Argument = tuple[str, tuple[float, ...]]


class Preset(NamedTuple):
    """Priors of every kind of parameter, on the internal scale."""

    coefficient: float  # variance of loadings and intercepts of indicators, centred at 0
    slope: float  # variance of slopes and intercepts of equations, centred at 0
    error: tuple[float, float]  # inverse gamma of error variances
    disturbance: tuple[float, float]
    amplitude: tuple[str, tuple[float, ...], float]  # name, arguments, power: of a^power
    length: tuple[str, tuple[float, ...], float]  # of b^power
    weights: float
    mean: float
    spread: float


PRESETS = {
    "silva-gramacy": Preset(
        5.0, 5.0, (2.0, 1.0), (2.0, 1.0), ("two_gammas", (), 1.0), ("two_gammas", (), 1.0), 10.0, 5.0, 1.0
    ),
    "default": Preset(
        4.0, 4.0, (1.0, 0.1), (1.0, 0.1), ("half_normal", (1.0,), 0.5), ("lognormal", (0.0, 0.6), 0.5), 4.0, 1.0, 0.5
    ),
}
