"""Long forms of the proofs: `make calibrate`. Each case is written as it ends and skipped when it is there.

Writes benchmarks/out/calibration/*.json and a page, calibration.md, with the figures of all cases that are there.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)
sys.path.insert(0, str(Path(__file__).parent))
import geweke
import numpy as np
import nuts
import sbc
from problems import errata, problem
from scipy.stats import norm

OUT = Path(__file__).parents[2] / "benchmarks" / "out" / "calibration"
SLIPS = ("a1", "a3", "a4", "a5", "a6", "a7", "b5", "b8")


def cases() -> dict[str, tuple[str, dict[str, Any], dict[str, float]]]:
    found: dict[str, tuple[str, dict[str, Any], dict[str, float]]] = {}
    for graph in ("chain", "two", "sum"):
        for family in ("gp", "full-gp", "basis", "linear", "quadratic"):
            found[f"geweke {family} {graph}"] = ("geweke", {"graph": graph, "family": family}, {})
        for prior in ("det", "gaussian"):
            for joint in (False, True):
                for kernel in ("rbf", "matern32", "matern52"):
                    name = f"geweke gp {graph} {prior} {'joint' if joint else 'alone'} {kernel}"
                    options = {"graph": graph, "inducing_prior": prior, "joint": joint, "kernel": kernel, "ard": joint}
                    found[name] = ("geweke", options, {})
    for slip in SLIPS:
        found[f"planted {slip}"] = ("geweke", {"joint": slip == "a3"}, {slip: 1.0})
    for family in ("linear", "quadratic"):
        for graph in ("chain", "two", "sum"):
            found[f"sbc {family} {graph}"] = ("sbc", {"graph": graph, "family": family, "rows": 20}, {})
    for family in ("linear", "quadratic", "gp"):
        found[f"nuts {family}"] = ("nuts", {"family": family, "rows": 15}, {})
    return found


def judged(kind: str, options: dict[str, Any], planted: dict[str, float]) -> dict[str, Any]:
    shape, made, steps = problem(**options)
    made = made._replace(errata=errata(**planted))
    start = time.perf_counter()
    if kind == "nuts":
        agreed = nuts.compare(shape, made, steps, seed=5)
        bound = float(norm.isf(0.0005 / len(agreed.z)))
        result = {
            "worst": float(np.abs(agreed.z).max()),
            "bound": bound,
            "mean_square": float((agreed.z**2).mean()),
            "statistics": len(agreed.z),
            "sd ratios": [float(agreed.sd_ratio.min()), float(agreed.sd_ratio.max())],
            "rhat of NUTS": agreed.rhat,
        }
        result["passes"] = result["worst"] < bound and agreed.rhat < 1.02
    elif kind == "geweke":
        found = geweke.geweke(shape, made, steps, geweke.runner(shape), seed=101, chains=600, rounds=200)
        result = {
            "worst": found.worst,
            "bound": found.bound(),
            "mean_square": found.mean_square,
            "null_high": found.null_high,
            "statistics": len(found.z),
            "largest": found.listed(),
        }
        clean = found.worst < found.bound() and found.mean_square < found.null_high
        result["passes"] = found.worst > 8 if planted else clean
    else:
        ranks = sbc.calibrate(
            shape, made, steps, sbc.runner(shape), seed=101, replications=400, warmup=3000, thin=3, from_truth=True
        )
        _rank_plot(ranks, OUT / f"{'_'.join(map(str, options.values()))}.png")
        counts = [np.histogram(c, bins=sbc.BINS, range=(-0.5, ranks.draws + 0.5))[0].tolist() for c in ranks.ranks.T]
        result = {
            "p": ranks.worst(),
            "statistics": len(ranks.names),
            "lowest": ranks.listed(),
            "counts": dict(zip(ranks.names, counts, strict=True)),
            "passes": ranks.worst() > 0.001,
        }
    return {**result, "seconds": time.perf_counter() - start}


def _rank_plot(ranks: sbc.Ranks, file: Path) -> None:
    """Histograms of ranks, with the band in which 99% of bins lie where ranks are uniform."""
    from matplotlib.figure import Figure
    from scipy.stats import binom

    side = int(np.ceil(np.sqrt(len(ranks.names))))
    figure = Figure(figsize=(2 * side, 1.5 * side), layout="constrained")
    low, high = binom.ppf([0.005, 0.995], len(ranks.ranks), 1 / sbc.BINS)
    for n, name in enumerate(ranks.names):
        axes = figure.add_subplot(side, side, n + 1)
        axes.axhspan(low, high, color="0.85")
        axes.hist(ranks.ranks[:, n], bins=sbc.BINS, range=(-0.5, ranks.draws + 0.5), color="#1b3a5c")
        axes.set_title(name, fontsize=7)
        axes.tick_params(labelsize=5)
    figure.savefig(file, dpi=90)


def page() -> str:
    lines = ["# Calibration", "", "| case | passes | figure | bound | statistics |", "|---|---|---|---|---|"]
    for name in cases():
        file = OUT / f"{name}.json"
        if file.exists():
            r = json.loads(file.read_text())
            figure = (
                f"max abs z {r['worst']:.2f}, mean z^2 {r['mean_square']:.2f}" if "worst" in r else f"p {r['p']:.3g}"
            )
            bound = f"{r['bound']:.2f}" if "bound" in r else "0.001"
            bound += f", {r['null_high']:.2f}" if "null_high" in r else ""
            lines.append(f"| {name} | {'yes' if r['passes'] else 'NO'} | {figure} | {bound} | {r['statistics']} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for name, (kind, options, planted) in cases().items():
        file = OUT / f"{name}.json"
        if file.exists():
            continue
        result = judged(kind, options, planted)
        file.write_text(json.dumps(result, indent=1, default=lambda v: v.item()))
        (OUT / "calibration.md").write_text(page())
        print(f"{name}: {'passes' if result['passes'] else 'FAILS'} ({result['seconds']:.0f} s)", flush=True)
    print(page())


if __name__ == "__main__":
    main()
