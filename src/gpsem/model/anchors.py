"""Where each latent's scale and origin come from: a marker's loading and intercept, or its own variance and mean.

The origin is the marker's intercept, 0, and the mean is free, as in the paper; lavaan has it the other way round. What
the text says about either decides. Nothing here depends on the order of statements: latents are served by name.
"""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import Problem
from gpsem.model.draft import Draft, Drafts
from gpsem.model.rank import match
from gpsem.model.roles import Roles
from gpsem.model.settings import Settings
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source


class Anchors(NamedTuple):
    """Where each latent's scale and origin come from."""

    scale: dict[str, str]  # latent → "loading", "variance", or "" where nothing sets it
    origin: dict[str, str]  # latent → "intercept", "mean", or "" where nothing sets it or a function carries it
    marker: dict[str, str]  # latent → the indicator that carries its unit, and its sign


def anchor(
    source: Source,
    drafts: Drafts,
    roles: Roles,
    settings: Settings,
    problems: list[Problem],
) -> Anchors:
    """Fix what sets scales and origins, and say what that is."""
    loadings: dict[str, list[Draft]] = {latent: [] for latent in roles.latents}
    for row in drafts.of("loading"):
        loadings[row.lhs].append(row)
    anchors = Anchors({}, {}, {})
    for latent in roles.latents:
        if settings.identify:
            _scale(source, drafts, latent, loadings[latent], roles, settings, anchors, problems)
        else:
            _unscaled(source, drafts, latent, loadings[latent], anchors, problems)
    if settings.identify:
        _origins(source, drafts, roles, loadings, anchors, problems)
    return anchors


def _required(drafts: Drafts, lhs: str, op: str, rhs: str) -> Draft:
    row = drafts.get(lhs, op, rhs)
    assert row is not None, (lhs, op, rhs)
    return row


def _unscaled(
    source: Source, drafts: Drafts, latent: str, loadings: list[Draft], anchors: Anchors, problems: list[Problem]
) -> None:
    """Without identification every loading is free, and so are means and variances of exogenous latents."""
    anchors.scale[latent] = anchors.origin[latent] = ""
    anchors.marker[latent] = loadings[0].rhs
    held = [row for row in loadings if row.fixed is not None]
    held += [
        row for row in (drafts.get(latent, "~1", ""), drafts.get(latent, "~~", latent)) if row and row.fixed is not None
    ]
    problems.extend(
        Problem(
            f"'{row.name}' is fixed, but without identification (identify=False) a latent's loadings, mean and "
            "variance are free.",
            row.place(source),
            "Take the value out, or leave the model identified.",
        )
        for row in held
    )


def _scale(
    source: Source,
    drafts: Drafts,
    latent: str,
    loadings: list[Draft],
    roles: Roles,
    settings: Settings,
    anchors: Anchors,
    problems: list[Problem],
) -> None:
    variance = _required(drafts, latent, "~~", latent)
    first = loadings[0]
    anchors.marker[latent] = next((row.rhs for row in loadings if row.fixed != 0), first.rhs)
    if settings.std_lv and variance.fixed is None and not variance.freed:
        variance.fixed = 1.0
    by_variance = variance.fixed is not None
    if not (by_variance and settings.std_lv) and first.fixed is None and not first.freed:
        first.fixed = 1.0  # lavaan fixes each first loading at 1 unless it is given a value or NA
    fixed = [row for row in loadings if row.fixed not in (None, 0.0)]
    if fixed:
        anchors.marker[latent] = fixed[0].rhs
    if by_variance:
        _check_fixed_variance(source, latent, variance, fixed, roles, settings, problems)
    anchors.scale[latent] = "loading" if fixed else "variance" if by_variance else ""


def _check_fixed_variance(
    source: Source,
    latent: str,
    variance: Draft,
    fixed: list[Draft],
    roles: Roles,
    settings: Settings,
    problems: list[Problem],
) -> None:
    exogenous = latent not in roles.parents
    place = variance.place(source)
    name = name_text(latent)
    if exogenous and variance.fixed == 0:
        problems.append(
            Problem(
                f"The variance of '{latent}' is fixed at 0: an exogenous latent that never varies.",
                place,
                "Take the statement out.",
            )
        )
    elif fixed and (exogenous or settings.std_lv):
        marker = name_text(fixed[0].rhs)
        problems.append(
            Problem(
                f"The scale of '{latent}' is set twice: by its variance, and by the loading of '{fixed[0].rhs}'.",
                place or fixed[0].place(source),
                f"Free the loading ({name} =~ NA*{marker} + ...), or leave the variance free ({name} ~~ NA*{name}).",
            )
        )
    elif variance.fixed == 0 and not fixed:
        problems.append(
            Problem(
                f"'{latent}' has no scale: its loadings are free and its disturbance is fixed at 0.",
                place,
                f"Fix a loading: {name} =~ 1*{name_text(roles.measures[latent][0])}.",
            )
        )


def _origins(
    source: Source,
    drafts: Drafts,
    roles: Roles,
    loadings: dict[str, list[Draft]],
    anchors: Anchors,
    problems: list[Problem],
) -> None:
    """One origin a latent: fixed intercepts of the text first, then means that it fixes, then defaults."""
    measures = {latent: [row.rhs for row in rows if row.fixed != 0] for latent, rows in loadings.items()}
    pure = {name for name, latents in roles.measured.items() if sum(name in measures[x] for x in latents) == 1}
    needing = []
    for latent in sorted(roles.latents):
        own = drafts.get(latent, "~1", "")
        if own is None or own.fixed is None:
            needing.append(latent)
            continue
        anchors.origin[latent] = "mean"
        held = [y for y in measures[latent] if y in pure and _required(drafts, y, "~1", "").fixed is not None]
        if held:
            problems.append(
                Problem(
                    f"The origin of '{latent}' is set twice: by its mean, and by the intercept of '{held[0]}'.",
                    own.place(source) or _required(drafts, held[0], "~1", "").place(source),
                    "Free one of them.",
                )
            )
    held_by = match({x: [y for y in measures[x] if _required(drafts, y, "~1", "").fixed is not None] for x in needing})
    waiting = [latent for latent in needing if latent not in held_by.values()]
    anchors.origin.update(dict.fromkeys(held_by.values(), "intercept"))
    open_ = []
    for latent in waiting:
        marker = _required(drafts, anchors.marker[latent], "~1", "")
        if marker.user and marker.lhs in pure:
            _freed_marker(source, drafts, latent, marker, anchors, problems)
        else:
            open_.append(latent)
    _default_origins(source, drafts, open_, measures, pure, anchors, problems)


def _freed_marker(
    source: Source,
    drafts: Drafts,
    latent: str,
    marker: Draft,
    anchors: Anchors,
    problems: list[Problem],
) -> None:
    """The text frees the marker's intercept: as in lavaan, the latent's mean is then 0."""
    own = drafts.get(latent, "~1", "")
    if own is None:
        problems.append(
            Problem(
                f"Nothing sets the origin of '{latent}': the intercept of '{marker.lhs}' is free, and the level of a "
                "learned function is free too.",
                marker.place(source),
                f"Take '{name_text(marker.lhs)} ~ 1' out (it is then 0), or use structural='linear'.",
            )
        )
    elif own.user:
        problems.append(
            Problem(
                f"Nothing sets the origin of '{latent}': its mean and the intercept of '{marker.lhs}' are both free.",
                own.place(source),
                f"Fix one of them: {name_text(latent)} ~ 0*1, or {name_text(marker.lhs)} ~ 0*1."
                + (
                    " Where intercepts are equal across latents, fix every marker's at 0 and leave every mean free: "
                    "that is the same model."
                    if marker.group
                    else ""
                ),
            )
        )
    else:
        own.fixed = 0.0
        anchors.origin[latent] = "mean"


def _default_origins(
    source: Source,
    drafts: Drafts,
    latents: list[str],
    measures: dict[str, list[str]],
    pure: set[str],
    anchors: Anchors,
    problems: list[Problem],
) -> None:
    """Each latent left takes an intercept of its own at 0: its marker's, else that of another indicator."""
    choices = {}
    for latent in latents:
        free = [y for y in measures[latent] if not (row := _required(drafts, y, "~1", "")).user and row.fixed is None]
        free.sort(key=lambda y: (y != anchors.marker[latent], y not in pure))
        choices[latent] = free
    for indicator, latent in match(choices).items():
        _required(drafts, indicator, "~1", "").fixed = 0.0
        anchors.origin[latent] = "intercept"
    for latent in latents:
        if latent not in anchors.origin and measures[latent]:
            problems.append(
                Problem(
                    f"Nothing of its own sets the origin of '{latent}': the intercepts of its indicators are free, or "
                    "needed by other latents.",
                    _required(drafts, latent, "=~", anchors.marker[latent]).place(source),
                    f"Fix its mean, {name_text(latent)} ~ 0*1, or an intercept, "
                    f"{name_text(anchors.marker[latent])} ~ 0*1.",
                )
            )
