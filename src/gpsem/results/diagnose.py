"""Rank-normalised R-hat, bulk and tail effective sizes, the paper's EPSR, and what they mean in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
RHAT, ESS_A_CHAIN = 1.01, 100


class Diagnosis(NamedTuple):
    """Of many quantities at once, last axis."""

    rhat: FloatArray
    bulk: FloatArray
    tail: FloatArray


def diagnose(draws: FloatArray) -> Diagnosis:
    """Of (chain, draw, quantity); NaN for what does not vary, or where there are too few draws to say."""
    quantities = draws.shape[2]
    empty = np.full(quantities, np.nan)
    varying = np.array([bool(np.ptp(draws[:, :, n]) > 0) for n in range(quantities)], bool)
    if draws.shape[1] < 4 or not varying.any():
        return Diagnosis(empty, empty.copy(), empty.copy())
    from arviz_stats.base import array_stats  # type: ignore[attr-defined]

    given = draws[:, :, varying]
    found = Diagnosis(empty.copy(), empty.copy(), empty.copy())
    with np.errstate(all="ignore"):
        if draws.shape[0] > 1:
            found.rhat[varying] = array_stats.rhat(given, chain_axis=0, draw_axis=1)
        found.bulk[varying] = array_stats.ess(given, chain_axis=0, draw_axis=1, method="bulk")
        found.tail[varying] = array_stats.ess(given, chain_axis=0, draw_axis=1, method="tail", prob=(0.05, 0.95))
    return found


def epsr(draws: FloatArray) -> FloatArray:
    r"""Gelman & Rubin's (1992) statistic, as the paper uses it: $\sqrt{((n-1)/n\, W + B/n) / W}$."""
    n = draws.shape[1]
    within = draws.var(axis=1, ddof=1).mean(axis=0)
    between = n * draws.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt(((n - 1) / n * within + between / n) / within))


class Finding(NamedTuple):
    """A verdict on a run: good or not, in words, with the remedy."""

    name: str
    good: bool
    what: str
    remedy: str = ""


def findings(names: list[str], diagnosis: Diagnosis, chains: int, draws: int, interrupted: bool) -> list[Finding]:
    """What a reader must know before believing the numbers."""
    found: list[Finding] = []
    if interrupted:
        found.append(
            Finding("interrupted", False, f"The run was stopped; {draws:,} draws a chain were kept.", "Run it again.")
        )
    if chains < 2:
        found.append(
            Finding("one chain", False, "One chain cannot show whether chains agree.", "Run four (--chains 4).")
        )
    bad = np.flatnonzero(diagnosis.rhat > RHAT)
    if bad.size:
        worst = int(bad[np.argmax(diagnosis.rhat[bad])])
        found.append(
            Finding(
                "chains disagree",
                False,
                f"{bad.size} of {len(names)} parameters have an R-hat above {RHAT}; the worst is '{names[worst]}' "
                f"({diagnosis.rhat[worst]:.2f}).",
                "Draw longer (--draws, --warmup); do not read the intervals yet.",
            )
        )
    least = ESS_A_CHAIN * chains
    few = np.flatnonzero(np.minimum(diagnosis.bulk, diagnosis.tail) < least)
    if few.size:
        size = np.minimum(diagnosis.bulk, diagnosis.tail)
        worst = int(few[np.argmin(size[few])])
        found.append(
            Finding(
                "few effective draws",
                False,
                f"{few.size} of {len(names)} parameters have fewer than {least} effective draws; the fewest has "
                f"'{names[worst]}' ({size[worst]:.0f}).",
                "Draw longer (--draws).",
            )
        )
    if draws < 4:
        found.append(Finding("too short", False, "The run is too short to judge.", "Draw at least 1,000."))
    if not found:
        found.append(Finding("converged", True, "Chains agree, and every parameter has enough effective draws."))
    return found
