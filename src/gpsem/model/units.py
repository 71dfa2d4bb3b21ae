"""What can be said about a latent whose unit is its variance (`std_lv`, `X ~~ 1*X`) rather than a marker's.

Such a latent is estimated in its marker's unit and the draws are rescaled. Values, equalities and priors that would
tie parameters in the rescaled unit are therefore refused, with the remedy, rather than applied to the wrong thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpsem.errors import Problem
from gpsem.model.anchors import Anchors
from gpsem.model.draft import Draft, Drafts
from gpsem.model.roles import Roles
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import tokenize

_REMEDY = "Let a marker set the latent's unit and origin (loading 1, intercept 0), or take this out."


def unit_problems(
    source: Source, drafts: Drafts, classes: list[list[Draft]], anchors: Anchors, roles: Roles
) -> Iterator[Problem]:
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
        yield from _in_other_units(source, drafts, classes, rescaled, moved, roles)


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
    rescaled: set[str],
    moved: set[str],
    roles: Roles,
) -> Iterator[Problem]:
    for row in drafts:
        latents = _touched(row, rescaled, moved, roles)
        if not latents:
            continue
        latent = min(latents)
        how = "its unit is its own variance" if latent in rescaled else "its origin is its own mean"
        if row.priors:
            _, start, end = next(iter(row.priors.values()))
            yield Problem(
                f"'{latent}' is rescaled after estimation ({how}): a prior on '{row.name}' cannot be used.",
                source.place(start, end),
                _REMEDY,
            )
        elif row.kind in ("slope", "level", "intercept") and row.fixed not in (None, 0.0) and latent in rescaled:
            yield Problem(
                f"'{latent}' is rescaled after estimation ({how}): '{row.name}' cannot be fixed.",
                row.place(source),
                _REMEDY,
            )
    for rows in classes:
        if rows[0].fixed is not None or rows[0].kind not in ("loading", "slope", "level", "intercept"):
            continue
        latents = set().union(*(_touched(row, rescaled, moved, roles) for row in rows))
        within = rows[0].kind == "loading" and len({row.lhs for row in rows}) == 1
        within = within or (rows[0].kind == "intercept" and _move_together(drafts, rows, roles))
        if latents and not within:
            yield Problem(
                f"'{rows[0].name}' and '{rows[1].name}' cannot be equal: '{min(latents)}' is rescaled after "
                "estimation, its unit or origin being its own variance or mean.",
                rows[1].place(source),
                _REMEDY,
            )


def _move_together(drafts: Drafts, rows: list[Draft], roles: Roles) -> bool:
    """Whether these intercepts stay equal when their latent moves: one latent, loadings fixed and equal."""
    latents = {latent for row in rows for latent in roles.measured[row.lhs]}
    loadings = [drafts.get(latent, "=~", row.lhs) for latent in latents for row in rows]
    values = {loading.fixed for loading in loadings if loading is not None}
    return len(latents) == 1 and len(values) == 1 and None not in values


def _touched(row: Draft, rescaled: set[str], moved: set[str], roles: Roles) -> set[str]:
    """Those of the rescaled or moved latents that a row's number depends on."""
    if row.kind in ("loading", "function", "length"):
        return involved(row) & rescaled
    if row.kind == "slope":
        return involved(row) & (rescaled | moved)
    if row.kind == "level":
        return {row.lhs, *roles.parents.get(row.lhs, ())} & (rescaled | moved)
    if row.kind == "intercept":
        return set(roles.measured[row.lhs]) & moved
    return set()
