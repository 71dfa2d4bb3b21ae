"""Local identification of a measurement part by rank, and of origins by matching.

With the latents' covariance Phi free, the indicators' covariance is L Phi L' + E. At generic values of the parameters
its Jacobian has full column rank if and only if the part is locally identified almost everywhere. The rank is taken
at random values; chance makes it too low with probability zero, rounding is kept away by a gap in singular values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpsem.model.draft import Draft, Drafts

MOST_ENTRIES = 30_000_000


def deficient(drafts: Drafts, latents: Sequence[str], loadings: Mapping[str, Sequence[Draft]]) -> int | None:
    """By how many the rank falls short of the number of free parameters; None where the problem is too large."""
    indicators = list(loadings)
    place = {latent: n for n, latent in enumerate(latents)}
    columns: dict[object, int] = {}

    def column(row: Draft) -> int:
        return columns.setdefault(row.label or id(row), len(columns))

    free_loadings = [
        (n, place[row.lhs], column(row))
        for n, name in enumerate(indicators)
        for row in loadings[name]
        if row.fixed is None
    ]
    errors = [(n, row) for n, name in enumerate(indicators) if (row := drafts.get(name, "~~", name)) is not None]
    free_errors = [(n, column(row)) for n, row in errors if row.fixed is None]
    marked = {row.lhs for rows in loadings.values() for row in rows if row.fixed not in (None, 0.0)}
    pairs = _open_covariances(drafts, latents, marked)
    for pair in pairs:
        columns[pair] = len(columns)
    moments = len(indicators) * (len(indicators) + 1) // 2
    if moments * len(columns) > MOST_ENTRIES:
        return None
    import numpy as np

    random = np.random.default_rng(20100701)
    values = random.uniform(0.5, 1.5, len(columns))
    table = np.zeros((len(indicators), len(latents)))
    for n, name in enumerate(indicators):
        for row in loadings[name]:
            table[n, place[row.lhs]] = row.fixed if row.fixed is not None else values[column(row)]
    root = random.normal(size=(len(latents), len(latents)))
    phi = root @ root.T + len(latents) * np.eye(len(latents))
    phi *= _allowed(drafts, latents, np)
    jacobian = np.zeros((moments, len(columns)))
    lower = np.tril_indices(len(indicators))
    right = table @ phi
    for n, k, at in free_loadings:
        change = np.zeros((len(indicators), len(indicators)))
        change[n] += right[:, k]
        change[:, n] += right[:, k]
        jacobian[:, at] += change[lower]
    for n, at in free_errors:
        change = np.zeros((len(indicators), len(indicators)))
        change[n, n] = 1.0
        jacobian[:, at] += change[lower]
    for a, b in pairs:
        change = np.outer(table[:, a], table[:, b])
        change = change + change.T if a != b else change
        jacobian[:, columns[a, b]] += change[lower]
    scale = np.linalg.norm(jacobian, axis=0)
    singular = np.linalg.svd(jacobian / np.where(scale > 0, scale, 1.0), compute_uv=False)
    rank = int((singular > singular[0] * 1e-9 * max(jacobian.shape) ** 0.5).sum())
    return len(columns) - rank


def _open_covariances(drafts: Drafts, latents: Sequence[str], marked: set[str]) -> list[tuple[int, int]]:
    """Variances that are open, and covariances that are not zero by the text, as pairs of places.

    A fixed variance that sets a latent's scale closes it; a fixed disturbance beside a marker leaves the total open.
    """
    found = []
    for a, first in enumerate(latents):
        variance = drafts.get(first, "~~", first)
        if variance is None or variance.fixed is None or (variance.kind == "disturbance" and first in marked):
            found.append((a, a))
        for b, second in enumerate(latents[:a]):
            row = drafts.get(first, "~~", second)
            if row is None or row.kind != "covariance" or row.fixed is None:
                found.append((b, a))
    return found


def _allowed(drafts: Drafts, latents: Sequence[str], np: Any) -> Any:
    allowed = np.ones((len(latents), len(latents)))
    for a, first in enumerate(latents):
        for b, second in enumerate(latents[:a]):
            row = drafts.get(first, "~~", second)
            if row is not None and row.kind == "covariance" and row.fixed == 0:
                allowed[a, b] = allowed[b, a] = 0.0
    return allowed


def matched(choices: Mapping[str, Sequence[str]]) -> list[str]:
    """Those on the left who cannot all be given a choice of their own at once (augmenting paths)."""
    holder: dict[str, str] = {}
    without = []
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
        if not end:
            without.append(seeker)
            continue
        while end:
            who = came_from[end]
            previous = next((c for c, h in holder.items() if h == who), "") if who != seeker else ""
            holder[end] = who
            end = previous
    return without
