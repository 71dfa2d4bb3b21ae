"""Local identification of a measurement part by rank, and of origins by matching.

With the latents' covariance Phi free, the indicators' covariance is L Phi L' + E. At generic values of the parameters
its Jacobian has full column rank if and only if the part is locally identified almost everywhere. The rank is taken
at random values; chance makes it too low with probability zero, rounding is kept away by a gap in singular values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpsem.model.draft import Draft, Drafts
from gpsem.model.equations import Equation
from gpsem.model.implied import Pairs, free_directions, linear_directions

MOST_ENTRIES = 60_000_000


def deficient(
    drafts: Drafts,
    latents: Sequence[str],
    loadings: Mapping[str, Sequence[Draft]],
    independent: Pairs = frozenset(),
    equations: Sequence[Equation] | None = None,
) -> int | None:
    """By how many the rank falls short of the number of free parameters; None where the problem is too large.

    The latents' covariance is free but for `independent` pairs, or as linear `equations` imply. Each latent is taken
    in the unit of its fixed loading, so that the answer does not depend on units. An error variance that stands alone
    is left out together with its indicator's variance, which it alone would have to fit.
    """
    indicators = list(loadings)
    place = {latent: n for n, latent in enumerate(latents)}
    errors = {name: drafts.get(name, "~~", name) for name in indicators}
    shared = _shared_errors(errors)
    moments = len(indicators) * (len(indicators) + 1) // 2
    width = sum(len(rows) for rows in loadings.values()) + len(latents) * (len(latents) + 1) // 2
    if moments * width > MOST_ENTRIES:
        return None
    import numpy as np

    marked = {row.lhs for rows in loadings.values() for row in rows if row.fixed not in (None, 0.0)}
    if equations is None:
        phi, directions = free_directions(drafts, latents, marked, independent, np)
    else:
        phi, directions = linear_directions(drafts, latents, equations, np)
    unit = _units(loadings)
    random = np.random.default_rng(20100701)
    values: dict[object, float] = {}
    table = np.zeros((len(indicators), len(latents)))
    for n, name in enumerate(indicators):
        for row in loadings[name]:
            number = values.setdefault(row.number, float(random.uniform(0.5, 1.5)))
            table[n, place[row.lhs]] = number if row.fixed is None else row.fixed / unit[row.lhs]
    lower = np.tril_indices(len(indicators))
    keep = np.ones(moments, bool)
    columns: dict[object, Any] = {}

    def add(key: object, change: Any) -> None:
        columns[key] = columns.get(key, 0.0) + change[lower]

    right = table @ phi
    for n, name in enumerate(indicators):
        for row in loadings[name]:
            if row.fixed is None:
                change = np.zeros((len(indicators), len(indicators)))
                change[n] += right[:, place[row.lhs]]
                change[:, n] += right[:, place[row.lhs]]
                add(row.number, change)
        error = errors[name]
        if error is None or error.fixed is not None:
            continue
        if error.number in shared:
            change = np.zeros((len(indicators), len(indicators)))
            change[n, n] = 1.0
            add(error.number, change)
        else:
            keep[(lower[0] == n) & (lower[1] == n)] = False
    for key, change in directions:
        add(key, table @ change @ table.T)
    if not columns:
        return 0
    return len(columns) - _rank(np.stack([column[keep] for column in columns.values()], axis=1), np)


def _rank(jacobian: Any, np: Any) -> int:
    """Numerical rank, columns at equal lengths."""
    if not jacobian.size:
        return 0
    scale = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(scale > 0, scale, 1.0)
    if scaled.shape[0] > 2 * scaled.shape[1]:
        scaled = np.linalg.qr(scaled, mode="r")
    singular = np.linalg.svd(scaled, compute_uv=False)
    return int((singular > max(float(singular[0]), 1e-300) * 1e-9 * max(jacobian.shape) ** 0.5).sum())


def _shared_errors(errors: Mapping[str, Draft | None]) -> set[object]:
    """Error variances that several indicators share."""
    seen: set[object] = set()
    shared: set[object] = set()
    for row in errors.values():
        if row is not None and row.fixed is None:
            (shared if row.number in seen else seen).add(row.number)
    return shared


def _units(loadings: Mapping[str, Sequence[Draft]]) -> dict[str, float]:
    """Each latent's first fixed loading that is not 0, or 1: its internal unit."""
    unit: dict[str, float] = {}
    for rows in loadings.values():
        for row in rows:
            if row.fixed not in (None, 0.0) and row.lhs not in unit:
                unit[row.lhs] = abs(float(row.fixed or 1.0))
    for rows in loadings.values():
        for row in rows:
            unit.setdefault(row.lhs, 1.0)
    return unit


def unplaced(drafts: Drafts, latents: Sequence[str], loadings: Mapping[str, Sequence[Draft]]) -> int | None:
    """By how many the means fall short of fixing latents' means and indicators' intercepts, loadings known."""
    indicators = list(loadings)
    columns: dict[object, int] = {}
    for latent in latents:
        own = drafts.get(latent, "~1", "")
        if own is None or own.fixed is None:
            columns[latent] = len(columns)
    for name in indicators:
        row = drafts.get(name, "~1", "")
        if row is not None and row.fixed is None:
            columns.setdefault(row.number, len(columns))
    if len(indicators) * len(columns) > MOST_ENTRIES // 10:
        return None
    import numpy as np

    random = np.random.default_rng(20100702)
    values: dict[object, float] = {}
    unit = _units(loadings)
    jacobian = np.zeros((len(indicators), len(columns)))
    for n, name in enumerate(indicators):
        for row in loadings[name]:
            if row.lhs in columns:
                number = row.fixed / unit[row.lhs] if row.fixed is not None else 0.0
                if row.fixed is None:
                    number = values.setdefault(row.number, float(random.uniform(0.5, 1.5)))
                jacobian[n, columns[row.lhs]] += number
        intercept = drafts.get(name, "~1", "")
        if intercept is not None and intercept.fixed is None:
            jacobian[n, columns[intercept.number]] += 1.0
    return len(columns) - _rank(jacobian, np)


def match(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Choice → the one it serves, such that as many as can be have one of their own (augmenting paths)."""
    holder: dict[str, str] = {}
    for seeker in choices:
        came_from: dict[str, str] = {}
        queue, end = [seeker], ""
        for who in queue:
            for choice in choices[who]:
                if choice in came_from:
                    continue
                came_from[choice] = who
                if choice not in holder:
                    end = choice
                    break
                queue.append(holder[choice])
            if end:
                break
        while end:
            who = came_from[end]
            previous = next((c for c, h in holder.items() if h == who), "") if who != seeker else ""
            holder[end] = who
            end = previous
    return holder
