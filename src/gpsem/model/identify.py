"""Can this be estimated? Verdicts on each latent's scale, sign, origin and indicators, before any data.

The measurement part is judged with the latents' covariances left open (their relations are learned, so nothing is
known of them): an indicator of one latent alone is "pure". Three pure indicators identify a latent by themselves, two
where it is tied to others; everything else goes to a rank computation (`rank`).
"""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import Place, quoted
from gpsem.model.defaults import Anchors
from gpsem.model.draft import Draft, Drafts
from gpsem.model.equations import Equation
from gpsem.model.rank import deficient, matched
from gpsem.model.roles import Roles, connected
from gpsem.model.settings import Settings
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source


class Verdict(NamedTuple):
    """What was found: `ok`, `note`, `warning` or `refused`; what it is about; the remedy; the place."""

    level: str
    about: str
    what: str
    remedy: str = ""
    place: Place | None = None


def verdicts(
    source: Source, drafts: Drafts, roles: Roles, equations: list[Equation], anchors: Anchors, settings: Settings
) -> list[Verdict]:
    """Everything that can be said without data, refusals first."""
    found = list(_error_free(source, drafts, roles))
    if not settings.identify:
        found.append(
            Verdict(
                "warning",
                "the model",
                "Identification is switched off: no loading, intercept or variance sets a latent's unit, sign or "
                "origin, so neither latents nor functions can be read, and chains will not agree.",
                "This is the paper's unidentifiable variant, for comparison only; leave identify=True to interpret.",
            )
        )
    else:
        found += _scales(source, drafts, roles, anchors, settings)
        found += _measured(source, drafts, roles)
        found += _origins(source, drafts, roles, anchors)
    found += _notes(drafts, roles, equations)
    order = {"refused": 0, "warning": 1, "note": 2, "ok": 3}
    return sorted(found, key=lambda verdict: order[verdict.level])


def _loadings(drafts: Drafts) -> dict[str, list[Draft]]:
    """Each indicator's loadings that are not fixed at zero."""
    found: dict[str, list[Draft]] = {}
    for row in drafts.of("loading"):
        if row.fixed != 0:
            found.setdefault(row.rhs, []).append(row)
    return found


def _error_free(source: Source, drafts: Drafts, roles: Roles) -> list[Verdict]:
    """Indicators without error fix a latent's values: each latent takes one, and each such indicator one latent."""
    loadings = _loadings(drafts)
    by_latent: dict[str, Draft] = {}
    found = []
    for row in drafts.of("error"):
        if row.fixed != 0:
            continue
        latents = [loading.lhs for loading in loadings.get(row.lhs, ())]
        if len(latents) > 1:
            found.append(
                Verdict(
                    "refused",
                    row.lhs,
                    f"'{row.lhs}' is without error and measures {quoted(latents)}: their values would be tied exactly.",
                    "Give it an error variance, or let it measure one latent.",
                    row.place(source),
                )
            )
        for latent in latents:
            if latent in by_latent:
                found.append(
                    Verdict(
                        "refused",
                        latent,
                        f"'{by_latent[latent].lhs}' and '{row.lhs}' both measure '{latent}' without error, so each "
                        "would be an exact function of the other.",
                        "Leave at most one error variance of a latent at 0.",
                        row.place(source),
                    )
                )
            by_latent[latent] = row
    return found


def _scales(source: Source, drafts: Drafts, roles: Roles, anchors: Anchors, settings: Settings) -> list[Verdict]:
    first: dict[str, Draft] = {}
    for row in drafts.of("loading"):
        first.setdefault(row.lhs, row)
    found = []
    for latent in roles.latents:
        if anchors.scale[latent]:
            continue
        name, marker = name_text(latent), name_text(anchors.marker[latent])
        found.append(
            Verdict(
                "refused",
                latent,
                f"'{latent}' has no scale and no sign: none of its loadings is fixed at a value other than 0, nor is "
                "its variance.",
                f"Fix one loading, {name} =~ 1*{marker}, or its variance, {name} ~~ 1*{name}.",
                first[latent].place(source),
            )
        )
    return found


def _measured(source: Source, drafts: Drafts, roles: Roles) -> list[Verdict]:
    """Whether loadings and error variances can be told apart."""
    loadings = _loadings(drafts)
    pure: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    shared: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    for indicator, rows in loadings.items():
        for row in rows:
            (pure if len(rows) == 1 else shared)[row.lhs].append(indicator)
    places = {row.lhs: row for row in reversed(drafts.of("loading"))}
    errors = {row.lhs: row for row in drafts.of("error")}
    tied = _ties(drafts, roles)
    found: list[Verdict] = []
    doubtful: set[str] = set()
    for latent in roles.latents:
        if len(pure[latent]) >= 3:
            continue
        if shared[latent]:
            doubtful.add(latent)
            continue
        found += _few(source, drafts, latent, pure[latent], tied[latent], errors, places)
    if doubtful:
        found += _rank_verdicts(source, drafts, loadings, doubtful, pure, tied, places)
    return found


def _ties(drafts: Drafts, roles: Roles) -> dict[str, bool]:
    """Whether each latent is tied to another: by an equation or a free covariance."""
    tied = {latent: latent in roles.parents for latent in roles.latents}
    for parents in roles.parents.values():
        tied.update((parent, True) for parent in parents)
    for row in drafts.of("covariance"):
        if row.fixed is None:
            tied[row.lhs] = tied[row.rhs] = True
    return tied


def _few(
    source: Source,
    drafts: Drafts,
    latent: str,
    indicators: list[str],
    tied: bool,
    errors: dict[str, Draft],
    places: dict[str, Draft],
) -> list[Verdict]:
    """A latent with one or two indicators, all its own."""
    name = name_text(latent)
    place = places[latent].place(source)
    if not indicators:
        return [
            Verdict(
                "refused",
                latent,
                f"'{latent}' is not measured: all its loadings are fixed at 0.",
                f"Give it indicators: {name} =~ y1 + y2 + y3.",
                place,
            )
        ]
    unknown = _unknowns(drafts, latent, indicators, errors)
    if len(indicators) == 1:
        if errors[indicators[0]].fixed is not None:
            return []
        only = name_text(indicators[0])
        return [
            Verdict(
                "refused",
                latent,
                f"'{latent}' has a single indicator, '{indicators[0]}', whose error variance is free: error and latent "
                "cannot be told apart.",
                f"Fix its error variance at a known value, such as {only} ~~ 0.2*{only} (0 if it is measured without "
                "error), or add indicators.",
                place,
            )
        ]
    if unknown <= 3:
        return []
    if tied:
        return [
            Verdict(
                "warning",
                latent,
                f"'{latent}' has only two indicators of its own: it is identified through the latents it is tied to, "
                "weakly where they are weakly related.",
                "Add a third indicator if there is one.",
                place,
            )
        ]
    return [
        Verdict(
            "warning",
            latent,
            f"'{latent}' has two indicators and is tied to no other latent: variances and covariance do not identify "
            "it; only non-normal data and the priors do.",
            f"Fix both loadings ({name} =~ 1*{name_text(indicators[0])} + 1*{name_text(indicators[1])}), add an "
            "indicator, or tie it to another latent.",
            place,
        )
    ]


def _unknowns(drafts: Drafts, latent: str, indicators: list[str], errors: dict[str, Draft]) -> int:
    """Free second-moment parameters of a latent by itself; equal ones count once. Its data have three."""
    rows = [drafts.get(latent, "=~", name) for name in indicators] + [errors[name] for name in indicators]
    rows.append(drafts.get(latent, "~~", latent))
    distinct = {row.label or id(row) for row in rows if row is not None and row.fixed is None}
    return len(distinct)


def _rank_verdicts(
    source: Source,
    drafts: Drafts,
    loadings: dict[str, list[Draft]],
    doubtful: set[str],
    pure: dict[str, list[str]],
    tied: dict[str, bool],
    places: dict[str, Draft],
) -> list[Verdict]:
    """Latents that share indicators: a rank computation on each cluster of them that has a doubtful member."""
    links: dict[str, list[str]] = {latent: [] for latent in pure}
    for rows in loadings.values():
        names = [row.lhs for row in rows]
        for name in names:
            links[name] += [other for other in names if other != name]
    by_latent: dict[str, list[str]] = {latent: [] for latent in pure}
    for indicator, rows in loadings.items():
        by_latent[rows[0].lhs].append(indicator)
    found = []
    for cluster in connected(links):
        weak = [latent for latent in cluster if latent in doubtful]
        if not weak:
            continue
        mine = {name: loadings[name] for latent in cluster for name in by_latent[latent]}
        answer = deficient(drafts, cluster, mine)
        if answer is None:
            found.append(
                Verdict(
                    "warning",
                    weak[0],
                    f"{len(mine):,} indicators are shared among {quoted(cluster)}: too many to work out whether the "
                    "measurement part is identified.",
                    "Give each latent three indicators of its own.",
                    places[weak[0]].place(source),
                )
            )
        elif answer:
            found.append(
                Verdict(
                    "refused",
                    weak[0],
                    f"The measurement part of {quoted(cluster)} is not identified: {answer} of its loadings and "
                    "variances could change together without changing what the data show.",
                    f"{quoted(weak)} {'has' if len(weak) == 1 else 'have'} fewer than three indicators of "
                    f"{'its' if len(weak) == 1 else 'their'} own: fix cross-loadings at 0, or add indicators.",
                    places[weak[0]].place(source),
                )
            )
        else:
            found += [
                Verdict(
                    "warning",
                    latent,
                    f"'{latent}' has {len(pure[latent])} indicator{'s' if len(pure[latent]) != 1 else ''} of its own; "
                    "it is identified through indicators that it shares.",
                    "Three indicators of its own would be firmer.",
                    places[latent].place(source),
                )
                for latent in weak
            ]
    return found


def _origins(source: Source, drafts: Drafts, roles: Roles, anchors: Anchors) -> list[Verdict]:
    """Each latent with a free mean needs a fixed intercept of its own among its indicators."""
    needing = [latent for latent in roles.latents if anchors.origin.get(latent) == "intercept"]
    held = {row.lhs for row in drafts.of("intercept") if row.fixed is not None}
    choices: dict[str, list[str]] = {latent: [] for latent in needing}
    for row in drafts.of("loading"):
        if row.lhs in choices and row.fixed != 0 and row.rhs in held:
            choices[row.lhs].append(row.rhs)
    return [
        Verdict(
            "refused",
            latent,
            f"Nothing of its own sets the origin of '{latent}': the fixed intercepts of its indicators are needed by "
            "other latents.",
            f"Fix its mean, {name_text(latent)} ~ 0*1, or another of its indicators' intercepts.",
            (drafts.of("loading")[0]).place(source),
        )
        for latent in matched(choices)
    ]


def _notes(drafts: Drafts, roles: Roles, equations: list[Equation]) -> list[Verdict]:
    found = []
    causes = {parent for parents in roles.parents.values() for parent in parents}
    last = [latent for latent in roles.endogenous if latent not in causes]
    if len(last) > 1 and not all(
        (row := drafts.get(a, "~~", b)) is not None and row.fixed == 0
        for place, a in enumerate(last[:20])
        for b in last[place + 1 : 20]
    ):
        found.append(
            Verdict(
                "note",
                "disturbances",
                f"The disturbances of {quoted(last)} are independent here; lavaan would free their covariances by "
                "default.",
                "Write an arrow between two of them if they should be related beyond their causes.",
            )
        )
    for row in drafts.of("error"):
        if row.fixed == 0:
            found.append(Verdict("note", row.lhs, f"'{row.lhs}' is taken to be measured without error."))
    return found
