"""The pictures of the documentation: prior draws under both presets, and the learned function of a simulated study.

python benchmarks/pictures.py [priors] [curve]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import gpsem
from gpsem import Model
from gpsem.pipeline import simulate

IMAGES = Path(__file__).parents[1] / "docs" / "images"
TEXT = "X =~ a1 + a2 + a3; Z =~ b1 + b2 + b3; Z ~ X"


def priors() -> None:
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    for row, preset in enumerate(("default", "silva-gramacy")):
        axes = figure.add_subplot(1, 2, row + 1)
        for seed in range(12):
            rows = simulate(Model(TEXT, priors=preset, inducing=20), 150, seed=seed)
            axes.plot(rows["X"], rows["Z"], ".", markersize=2.5)
        axes.set_xlim(-6, 6)
        axes.set_ylim(-6, 6)
        axes.set_title(f'priors="{preset}"', fontsize=10)
        axes.set_xlabel("X (standardised)")
        axes.set_ylabel("Z")
        axes.add_patch(Rectangle((-2, -2), 4, 4, fill=False, color="0.4", lw=0.8))
    figure.savefig(IMAGES / "priors.png", dpi=110)


def curve() -> None:
    """A curve on data simulated here: ability and performance with a plateau, 300 rows."""
    import pandas as pd

    from gpsem.report.figures import curve as draw

    random = np.random.default_rng(4)
    ability = random.normal(size=300)
    performance = 1.6 * np.tanh(1.3 * ability) + 0.25 * random.normal(size=300)
    data = pd.DataFrame({f"a{n}": ability + 0.4 * random.normal(size=300) for n in (1, 2, 3)})
    for n in (1, 2, 3):
        data[f"p{n}"] = performance + 0.4 * random.normal(size=300)
    text = "Ability =~ a1 + a2 + a3; Performance =~ p1 + p2 + p3; Performance ~ Ability"
    fit = gpsem.fit(Model(text, inducing=20), data, chains=4, draws=6000, warmup=2000, sampler="paper-joint")
    print(fit.summary())
    draw(fit, "Performance ~ Ability", str(IMAGES / "curve.png"))


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["priors", "curve"]
    for name in wanted:
        {"priors": priors, "curve": curve}[name]()
