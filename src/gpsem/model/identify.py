"""Can this be estimated? Verdicts on each latent's scale, sign, origin and indicators, before any data.

The measurement part is judged with the latents' covariances left open (their relations are learned, so nothing is
known of them): an indicator of one latent alone is "pure". Three pure indicators identify a latent by themselves, two
where it is tied to others; everything else goes to a rank computation (`rank`).
"""

from __future__ import annotations

from gpsem.errors import quoted
from gpsem.model.anchors import Anchors
from gpsem.model.draft import Draft, Drafts
from gpsem.model.equations import Equation
from gpsem.model.roles import Roles
from gpsem.model.settings import Settings
from gpsem.model.suffice import measured, nonzero_loadings, placed, unmeasured
from gpsem.model.verdicts import Verdict
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source


def verdicts(
    source: Source, drafts: Drafts, roles: Roles, equations: list[Equation], anchors: Anchors, settings: Settings
) -> list[Verdict]:
    """Everything that can be said without data, refusals first."""
    found = [*unmeasured(source, drafts, roles), *_error_free(source, drafts, roles)]
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
        found += _scales(source, drafts, roles, anchors)
        found += measured(source, drafts, roles, equations)
        found += placed(source, drafts, roles)
    found += _notes(drafts, roles)
    order = {"refused": 0, "warning": 1, "note": 2, "ok": 3}
    return sorted(found, key=lambda verdict: order[verdict.level])


def _error_free(source: Source, drafts: Drafts, roles: Roles) -> list[Verdict]:
    """Indicators without error fix a latent's values: each latent takes one, and each such indicator one latent."""
    loadings = nonzero_loadings(drafts)
    by_latent: dict[str, Draft] = {}
    found = []
    for row in drafts.of("error"):
        if row.fixed != 0:
            continue
        latents = [loading.lhs for loading in loadings.get(row.lhs, ())]
        if not latents:
            found.append(
                Verdict(
                    "refused",
                    row.lhs,
                    f"'{row.lhs}' measures nothing and has no error: its loadings and its error variance are 0.",
                    "Take it out, or free one of the two.",
                    row.place(source),
                )
            )
        found += [
            Verdict(
                "refused",
                latent,
                f"'{latent}' is measured without error by '{row.lhs}' and its disturbance is 0: it would be an exact "
                "function of its causes.",
                "Free the disturbance, or give the indicator an error variance.",
                row.place(source),
            )
            for latent in latents
            if latent in roles.parents and (own := drafts.get(latent, "~~", latent)) is not None and own.fixed == 0
        ]
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


def _scales(source: Source, drafts: Drafts, roles: Roles, anchors: Anchors) -> list[Verdict]:
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


def _notes(drafts: Drafts, roles: Roles) -> list[Verdict]:
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
