"""Rows that complete a model (lavaan's defaults), and the blocks of exogenous latents that the zeros leave.

What fixes a latent's scale and origin is in `anchors.py`: the one change from lavaan that the paper asks for.
"""

from __future__ import annotations

from gpsem.errors import Problem, quoted
from gpsem.model.draft import Drafts
from gpsem.model.equations import Equation
from gpsem.model.roles import Roles, connected
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source

MOST_COVARYING = 200


def complete(source: Source, drafts: Drafts, roles: Roles, equations: list[Equation], problems: list[Problem]) -> None:
    """Add every row that the text leaves to defaults, free; what the text wrote stays as it is."""
    by_latent = {equation.latent: equation for equation in equations}
    for indicator in roles.indicators:
        drafts.default(indicator, "~~", indicator, "error")
    for latent in roles.latents:
        drafts.default(latent, "~~", latent, "disturbance" if latent in by_latent else "variance")
    _covariances(source, drafts, roles, problems)
    for indicator in roles.indicators:
        drafts.default(indicator, "~1", "", "intercept")
    for latent in roles.latents:
        equation = by_latent.get(latent)
        own = drafts.get(latent, "~1", "")
        if equation is None or equation.has_level:
            drafts.default(latent, "~1", "", "mean" if equation is None else "level")
        elif own is not None:
            problems.append(
                Problem(
                    f"'{latent}' follows a learned function, which carries its own level: it has no intercept.",
                    own.place(source),
                    f"Take '{name_text(latent)} ~ 1' out, or use straight lines (lin(), structural='linear').",
                )
            )


def _covariances(source: Source, drafts: Drafts, roles: Roles, problems: list[Problem]) -> None:
    """Exogenous latents covary unless the text says 0."""
    exogenous = roles.exogenous
    written = len(drafts.of("covariance"))
    total = len(exogenous) * (len(exogenous) - 1) // 2
    if total - written > MOST_COVARYING * (MOST_COVARYING - 1) // 2:
        problems.append(
            Problem(
                f"{len(exogenous):,} exogenous latents covary: a joint mixture would have {total:,} covariances; "
                f"the limit is {MOST_COVARYING} latents.",
                drafts.of("loading")[0].place(source),
                "Write equations between them, or make blocks independent: A ~~ 0*B.",
            )
        )
        return
    for place, first in enumerate(exogenous):
        for second in exogenous[place + 1 :]:
            drafts.default(first, "~~", second, "covariance")


def check_covariances(source: Source, drafts: Drafts, roles: Roles) -> list[Problem]:
    """Covariances of exogenous latents are free or 0, and the zeros cut them into independent blocks."""
    problems = []
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
    return problems or (_no_blocks(source, drafts, roles.exogenous, zeros) if zeros else [])


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
