"""What can be said about a latent whose unit is its variance (`std_lv`, `X ~~ 1*X`) rather than a marker's.

Such a latent is estimated in its marker's unit and the draws are rescaled. Values, equalities and priors that would
tie parameters in the rescaled unit are therefore refused, with the remedy, rather than applied to the wrong thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpsem.errors import Problem
from gpsem.model.defaults import Anchors
from gpsem.model.draft import Draft, Drafts
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import tokenize

_REMEDY = "Fix a loading instead (the latent is then in that indicator's unit), or take this out."


def unit_problems(source: Source, drafts: Drafts, classes: list[list[Draft]], anchors: Anchors) -> Iterator[Problem]:
    """Priors on fixed rows, which nothing would use; and what has no meaning in a rescaled unit."""
    for row in drafts:
        if row.fixed is not None:
            for prior, start, end in row.priors.values():
                yield Problem(
                    f"'{row.name}' is fixed, so its prior '{prior}' would have no effect.",
                    source.place(start, end),
                    "Free it with NA*, or take the prior out.",
                )
            if row.starting is not None:
                yield Problem(
                    f"'{row.name}' is fixed, so its starting value would have no effect.",
                    row.place(source),
                    "Free it with NA*, or take start() out.",
                )
    rescaled = {latent for latent, how in anchors.scale.items() if how == "variance"}
    moved = {latent for latent, how in anchors.origin.items() if how == "mean"}
    if rescaled or moved:
        yield from _in_other_units(source, drafts, classes, anchors, rescaled, moved)


def involved(row: Draft) -> set[str]:
    """The latents whose unit a parameter is in."""
    if row.kind in ("slope", "function", "length"):
        right = Source(row.rhs)
        return {row.lhs, *(t.value for t in tokenize(right) if t.kind == "name")}
    return {row.lhs}


def _in_other_units(
    source: Source,
    drafts: Drafts,
    classes: list[list[Draft]],
    anchors: Anchors,
    rescaled: set[str],
    moved: set[str],
) -> Iterator[Problem]:
    for row in drafts:
        latents = involved(row) & rescaled
        if row.kind in ("loading", "slope", "function", "level") and latents and row.priors:
            prior, start, end = next(iter(row.priors.values()))
            yield Problem(
                f"The unit of '{min(latents)}' is its own variance; no prior on '{row.name}' in that unit can be used.",
                source.place(start, end),
                _REMEDY,
            )
        if row.kind in ("slope", "level") and latents and row.fixed not in (None, 0.0):
            yield Problem(
                f"The unit of '{min(latents)}' is its own variance; '{row.name}' cannot be fixed in that unit.",
                row.place(source),
                _REMEDY,
            )
    markers = {anchors.marker[latent] for latent in moved}
    for row in drafts.of("intercept"):
        if row.lhs in markers and row.priors:
            prior, start, end = next(iter(row.priors.values()))
            yield Problem(
                f"The origin of a latent is its own mean here; the prior '{prior}' on its marker's intercept "
                "cannot be used.",
                source.place(start, end),
                "Let the marker's intercept be 0 and the mean free, or take the prior out.",
            )
    for rows in classes:
        if rows[0].kind not in ("loading", "slope") or rows[0].fixed is not None:
            continue
        latents = set().union(*(involved(row) for row in rows))
        if latents & rescaled and (rows[0].kind == "slope" or len(latents) > 1):
            yield Problem(
                f"'{rows[0].name}' and '{rows[1].name}' cannot be equal in the unit of a latent's own variance.",
                rows[1].place(source),
                _REMEDY,
            )
