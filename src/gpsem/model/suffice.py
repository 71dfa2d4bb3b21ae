"""Do a latent's indicators suffice? Counting where each measures one latent, rank where they are shared."""

from __future__ import annotations

from gpsem.errors import quoted
from gpsem.model.defaults import blocks
from gpsem.model.draft import Draft, Drafts
from gpsem.model.equations import Equation
from gpsem.model.implied import apart, is_linear, roots
from gpsem.model.rank import deficient, unplaced
from gpsem.model.roles import Roles, connected
from gpsem.model.verdicts import Verdict
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source


def nonzero_loadings(drafts: Drafts) -> dict[str, list[Draft]]:
    """Each indicator's loadings that are not fixed at zero."""
    found: dict[str, list[Draft]] = {}
    for row in drafts.of("loading"):
        if row.fixed != 0:
            found.setdefault(row.rhs, []).append(row)
    return found


def measured(source: Source, drafts: Drafts, roles: Roles, equations: list[Equation]) -> list[Verdict]:
    """Whether loadings and error variances can be told apart."""
    loadings = nonzero_loadings(drafts)
    pure: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    shared: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    for indicator, rows in loadings.items():
        for row in rows:
            (pure if len(rows) == 1 else shared)[row.lhs].append(indicator)
    places = {row.lhs: row for row in reversed(drafts.of("loading"))}
    errors = {row.lhs: row for row in drafts.of("error")}
    ties = _ties(drafts, roles)
    found: list[Verdict] = []
    doubtful: set[str] = set()
    for latent in roles.latents:
        if len(pure[latent]) >= 3:
            continue
        if shared[latent]:
            doubtful.add(latent)
            continue
        found += _few(source, drafts, latent, pure[latent], bool(ties[latent]), errors, places)
    if doubtful:
        found += _rank_verdicts(source, drafts, roles, equations, loadings, doubtful, pure, ties, places)
    return found


def unmeasured(source: Source, drafts: Drafts, roles: Roles) -> list[Verdict]:
    """Latents all of whose loadings are fixed at 0."""
    with_loading = {row.lhs for rows in nonzero_loadings(drafts).values() for row in rows}
    places = {row.lhs: row for row in reversed(drafts.of("loading"))}
    return [
        Verdict(
            "refused",
            latent,
            f"'{latent}' is not measured: all its loadings are fixed at 0.",
            f"Give it indicators: {name_text(latent)} =~ y1 + y2 + y3.",
            places[latent].place(source),
        )
        for latent in roles.latents
        if latent not in with_loading
    ]


def placed(source: Source, drafts: Drafts, roles: Roles) -> list[Verdict]:
    """Whether the means fix every origin: asked where these stand on shared indicators only."""
    loadings = nonzero_loadings(drafts)
    held = {row.lhs for row in drafts.of("intercept") if row.fixed is not None}
    own = {rows[0].lhs for name, rows in loadings.items() if len(rows) == 1 and name in held}
    means = {row.lhs for row in drafts if row.kind in ("mean", "level") and row.fixed is not None}
    sure = own | means
    unsure = [latent for latent in roles.latents if latent not in sure]
    if not unsure or not unplaced(drafts, roles.latents, loadings):
        return []
    first = next(row for row in drafts.of("loading") if row.lhs == unsure[0])
    return [
        Verdict(
            "refused",
            unsure[0],
            f"The fixed intercepts do not set the origins of {quoted(unsure)}: means and intercepts could change "
            "together without changing what the data show.",
            f"Fix the intercept of an indicator of one of them alone, or a mean: {name_text(unsure[0])} ~ 0*1.",
            first.place(source),
        )
    ]


def _ties(drafts: Drafts, roles: Roles) -> dict[str, list[str]]:
    """The latents that each is tied to, by an equation whose slope is not 0 or by a free covariance."""
    ties: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    for latent, parents in roles.parents.items():
        for parent in parents:
            slope = drafts.get(latent, "~", name_text(parent))
            if slope is None or slope.fixed != 0:
                ties[latent].append(parent)
                ties[parent].append(latent)
    for row in drafts.of("covariance"):
        if row.fixed is None:
            ties[row.lhs].append(row.rhs)
            ties[row.rhs].append(row.lhs)
    return ties


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
        return []  # said by `unmeasured`
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
    distinct = {row.number for row in rows if row is not None and row.fixed is None}
    return len(distinct)


def _rank_verdicts(
    source: Source,
    drafts: Drafts,
    roles: Roles,
    equations: list[Equation],
    loadings: dict[str, list[Draft]],
    doubtful: set[str],
    pure: dict[str, list[str]],
    ties: dict[str, list[str]],
    places: dict[str, Draft],
) -> list[Verdict]:
    """Latents that share indicators: a rank computation on each cluster of them that has a doubtful member."""
    links: dict[str, list[str]] = {latent: [] for latent in pure}
    for rows in loadings.values():
        names = [row.lhs for row in rows]
        for name in names:
            links[name] += [other for other in names if other != name]
    found = []
    tied = {latent: [*links[latent], *ties[latent]] for latent in pure}
    wider = {latent: whole for whole in connected(tied) for latent in whole}
    for cluster in connected(links):
        weak = [latent for latent in cluster if latent in doubtful]
        if not weak:
            continue
        answer = _answer(drafts, roles, equations, loadings, cluster, wider[cluster[0]])
        if answer is None:
            found.append(
                Verdict(
                    "warning",
                    weak[0],
                    f"The indicators shared among {quoted(cluster)} are too many to work out whether the measurement "
                    "part is identified.",
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


def _answer(
    drafts: Drafts,
    roles: Roles,
    equations: list[Equation],
    loadings: dict[str, list[Draft]],
    cluster: tuple[str, ...],
    whole: tuple[str, ...],
) -> int | None:
    """The deficit of a cluster: as linear equations imply where all are linear; otherwise with open covariances,
    of the cluster alone, and then of all that it is tied to, but for latents that the graph makes independent.
    """
    if is_linear(equations) and equations:
        linear = deficient(drafts, whole, _of(loadings, whole), equations=equations)
        if linear is not None:
            return linear
    alone = deficient(drafts, cluster, _of(loadings, cluster))
    if not alone:
        return alone
    upstream = roots(roles, blocks(drafts, roles))
    together = deficient(drafts, whole, _of(loadings, whole), apart(whole, upstream))
    return alone if together is None else together


def _of(loadings: dict[str, list[Draft]], latents: tuple[str, ...]) -> dict[str, list[Draft]]:
    members = set(latents)
    return {name: rows for name, rows in loadings.items() if rows[0].lhs in members}
