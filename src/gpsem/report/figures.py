"""Figures, drawn without a display: the learned function with its band over the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpsem.errors import MACHINE_AT_FAULT, GpsemError

if TYPE_CHECKING:
    from gpsem.results.fit import Fit

INK, BAND, POINT = "#1b3a5c", "#9fb8d0", "#7a7a7a"


def curve(fit: Fit, equation: str, file: str, level: float = 0.95) -> None:
    """Write a picture (by suffix: png, svg, pdf) of one equation over its first parent and the rows' scores."""
    from matplotlib.figure import Figure

    line = fit.curve(equation, level=level)
    latent = equation.split("~")[0].strip()
    parent = str(line.columns[0])
    scores = fit.scores().pivot(index="row", columns="latent", values="mean")
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(
        scores[parent], scores[latent], ".", color=POINT, alpha=0.55, markersize=5, label="scores (posterior means)"
    )
    axes.fill_between(
        line[parent], line["lower"], line["upper"], color=BAND, alpha=0.6, linewidth=0, label=f"{level:.0%} band"
    )
    axes.plot(line[parent], line["mean"], color=INK, linewidth=2, label=f"learned function {latent} ~ f({parent})")
    low, high = np.nanmin(scores[latent]), np.nanmax(scores[latent])
    axes.set_ylim(low - 0.25 * (high - low), high + 0.25 * (high - low))
    axes.set_xlabel(parent)
    axes.set_ylabel(latent)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    if not fit.converged:
        axes.set_title("not converged: read the verdicts", fontsize=9, color="#a33", loc="right")
    try:
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.endswith("svg") else None)
    except (OSError, ValueError) as error:
        raise GpsemError(f"{file} cannot be written ({error}).", code=MACHINE_AT_FAULT) from None
