"""Defaults that complete a model: scale and origin of each latent, variances, covariances, means.

lavaan's defaults, with one change that the paper asks for: a latent's origin is its marker's intercept, fixed at 0,
and its mean is free (lavaan frees the intercept and fixes the mean; the two say the same in other units).
"""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import Problem, quoted
from gpsem.model.draft import Draft, Drafts
from gpsem.model.equations import Equation
from gpsem.model.roles import Roles, connected
from gpsem.model.settings import Settings
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source

MOST_COVARYING = 200


class Anchors(NamedTuple):
    """Where each latent's scale and origin come from."""

    scale: dict[str, str]  # latent → "loading", "variance", or "" where nothing sets it
    origin: dict[str, str]  # latent → "intercept", "mean", "prior" (a function's own level) or ""
    marker: dict[str, str]  # latent → the indicator that carries its unit, and its sign


def complete(
    source: Source,
    drafts: Drafts,
    roles: Roles,
    equations: list[Equation],
    settings: Settings,
    problems: list[Problem],
) -> Anchors:
    """Add every row that the text leaves to defaults, and say what anchors each latent."""
    by_latent = {equation.latent: equation for equation in equations}
    loadings: dict[str, list[Draft]] = {latent: [] for latent in roles.latents}
    for row in drafts.of("loading"):
        loadings[row.lhs].append(row)
    anchors = Anchors({}, {}, {})
    for latent in roles.latents:
        _scale(source, drafts, latent, loadings[latent], roles, settings, anchors, problems)
    origin_taken: set[str] = set()
    for latent in roles.latents:
        _origin(
            source, drafts, latent, loadings[latent], by_latent.get(latent), settings, anchors, origin_taken, problems
        )
    for indicator in roles.indicators:
        drafts.default(indicator, "~~", indicator, "error")
    for latent in roles.latents:
        drafts.default(latent, "~~", latent, "disturbance" if latent in by_latent else "variance")
    _covariances(source, drafts, roles, problems)
    for indicator in roles.indicators:
        drafts.default(indicator, "~1", "", "intercept")
    for latent in roles.latents:
        equation = by_latent.get(latent)
        if equation is None or equation.has_level:
            drafts.default(latent, "~1", "", "mean" if equation is None else "level")
    return anchors


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
    variance = drafts.get(latent, "~~", latent)
    first = loadings[0]
    anchors.marker[latent] = first.rhs
    fixed = [row for row in loadings if row.fixed not in (None, 0.0)]
    if not settings.identify:
        for row in fixed:
            problems.append(
                Problem(
                    f"'{row.name}' is fixed, but without identification (identify=False) every loading is free.",
                    row.place(source),
                    "Take the value out, or leave the model identified.",
                )
            )
        anchors.scale[latent] = ""
        return
    if settings.std_lv and variance is None:
        variance = drafts.default(latent, "~~", latent, "disturbance" if latent in roles.parents else "variance")
        variance.fixed = 1.0
    by_variance = variance is not None and variance.fixed is not None
    if not by_variance or not settings.std_lv:
        _mark_first(first)
        fixed = [row for row in loadings if row.fixed not in (None, 0.0)]
    if fixed:
        anchors.marker[latent] = fixed[0].rhs
    if variance is not None and variance.fixed is not None:
        _check_fixed_variance(source, latent, variance, fixed, roles, settings, problems)
    anchors.scale[latent] = "loading" if fixed else "variance" if by_variance else ""


def _mark_first(first: Draft) -> None:
    """Lavaan fixes each latent's first loading at 1 unless it is given a value or NA."""
    if first.fixed is None and not first.freed:
        first.fixed = 1.0


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
                f"Free the loading ({name_text(latent)} =~ NA*{marker} + ...), or leave the variance free "
                f"({name_text(latent)} ~~ NA*{name_text(latent)}).",
            )
        )
    elif variance.fixed == 0 and not fixed:
        problems.append(
            Problem(
                f"'{latent}' has no scale: its loadings are free and its disturbance is fixed at 0.",
                place,
                f"Fix a loading: {name_text(latent)} =~ 1*{name_text(roles.measures[latent][0])}.",
            )
        )


def _origin(
    source: Source,
    drafts: Drafts,
    latent: str,
    loadings: list[Draft],
    equation: Equation | None,
    settings: Settings,
    anchors: Anchors,
    taken: set[str],
    problems: list[Problem],
) -> None:
    """One origin a latent: an indicator's intercept, or its own mean; what the user wrote decides."""
    own = drafts.get(latent, "~1", "")
    if equation is not None and not equation.has_level and own is not None:
        problems.append(
            Problem(
                f"'{latent}' follows a learned function, which carries its own level: it has no separate intercept.",
                own.place(source),
                f"Take '{name_text(latent)} ~ 1' out, or use straight lines (lin(), structural='linear').",
            )
        )
        return
    if not settings.identify:
        anchors.origin[latent] = ""
        return
    intercepts = {row.rhs: drafts.get(row.rhs, "~1", "") for row in loadings if row.fixed != 0.0}
    held = [row for row in intercepts.values() if row is not None and row.fixed is not None and row.lhs not in taken]
    if own is not None and own.fixed is not None:
        anchors.origin[latent] = "mean"
        if held and equation is None:
            problems.append(
                Problem(
                    f"The origin of '{latent}' is set twice: by its mean, and by the intercept of '{held[0].lhs}'.",
                    own.place(source),
                    "Free one of them.",
                )
            )
        return
    if held:
        anchors.origin[latent] = "intercept"
        taken.add(held[0].lhs)
        return
    marker = anchors.marker[latent]
    if marker in taken:
        marker = next((name for name in intercepts if name not in taken), marker)
    written = intercepts.get(marker)
    if written is None:
        default = drafts.default(marker, "~1", "", "intercept")
        if default.fixed is None and default.user == 0:
            default.fixed = 0.0
        taken.add(marker)
        anchors.origin[latent] = "intercept"
    elif equation is not None and not equation.has_level:
        problems.append(
            Problem(
                f"Nothing sets the origin of '{latent}': the intercept of '{marker}' is free, and the level of a "
                "learned function is free too.",
                written.place(source),
                f"Take '{name_text(marker)} ~ 1' out (it is then 0), or use structural='linear'.",
            )
        )
    elif own is None:
        mean = drafts.default(latent, "~1", "", "mean" if equation is None else "level")
        mean.fixed = 0.0
        anchors.origin[latent] = "mean"
    else:
        problems.append(
            Problem(
                f"Nothing sets the origin of '{latent}': its mean and the intercept of '{marker}' are both free.",
                own.place(source),
                f"Fix one of them: {name_text(latent)} ~ 0*1, or {name_text(marker)} ~ 0*1.",
            )
        )


def _covariances(source: Source, drafts: Drafts, roles: Roles, problems: list[Problem]) -> None:
    """Exogenous latents covary unless the text says 0; the zeros must cut them into independent blocks."""
    exogenous = roles.exogenous
    zeros: set[frozenset[str]] = set()
    for row in drafts.of("covariance"):
        if row.fixed == 0:
            zeros.add(frozenset((row.lhs, row.rhs)))
        elif row.fixed is not None:
            problems.append(
                Problem(
                    f"'{row.name}' is fixed at {row.fixed:g}: exogenous latents share one mixture, whose covariances "
                    "are free, or are independent.",
                    row.place(source),
                    f"Leave it free, or write {name_text(row.lhs)} ~~ 0*{name_text(row.rhs)}.",
                )
            )
    total = len(exogenous) * (len(exogenous) - 1) // 2
    if total - len(zeros) > MOST_COVARYING * (MOST_COVARYING - 1) // 2:
        raise_at = drafts.of("loading")[0]
        problems.append(
            Problem(
                f"{len(exogenous):,} exogenous latents covary: a joint mixture would have {total:,} covariances; "
                f"the limit is {MOST_COVARYING} latents.",
                raise_at.place(source),
                "Write equations between them, or make blocks independent: A ~~ 0*B.",
            )
        )
        return
    for place, first in enumerate(exogenous):
        for second in exogenous[place + 1 :]:
            drafts.default(first, "~~", second, "covariance")
    if zeros:
        problems.extend(_no_blocks(source, drafts, exogenous, zeros))


def _no_blocks(source: Source, drafts: Drafts, exogenous: tuple[str, ...], zeros: set[frozenset[str]]) -> list[Problem]:
    links = {a: [b for b in exogenous if b != a and frozenset((a, b)) not in zeros] for a in exogenous}
    for block in connected(links):
        members = set(block)
        for first in block:
            cut = [other for other in block if other != first and frozenset((first, other)) in zeros]
            if cut:
                between = next(b for b in links[first] if b in members)
                row = drafts.get(first, "~~", cut[0])
                return [
                    Problem(
                        f"'{first}' and '{cut[0]}' are to be independent, yet each is tied to others of "
                        f"{quoted(block)}: one joint mixture cannot have zeros inside.",
                        row.place(source) if row else None,
                        f"Make blocks: write {name_text(first)} ~~ 0*{name_text(between)} too, or take the zero out.",
                    )
                ]
    return []


def blocks(drafts: Drafts, roles: Roles) -> list[tuple[str, ...]]:
    """The exogenous latents in independent blocks, each with one mixture."""
    links: dict[str, list[str]] = {latent: [] for latent in roles.exogenous}
    for row in drafts.of("covariance"):
        if row.fixed != 0:
            links[row.lhs].append(row.rhs)
            links[row.rhs].append(row.lhs)
    return connected(links)
