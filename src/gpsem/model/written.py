"""Flat rows → drafts: what the user wrote, with its modifiers, before any default is added."""

from __future__ import annotations

from collections.abc import Sequence

from gpsem.errors import Problem
from gpsem.model.draft import KINDS, Draft, Drafts
from gpsem.model.equations import Equation, add_rows
from gpsem.model.flat import FlatRow
from gpsem.model.roles import Roles
from gpsem.syntax.expression import name_text, number
from gpsem.syntax.modifiers import Modifier
from gpsem.syntax.prior import DISTRIBUTIONS, Prior
from gpsem.syntax.source import Source


def write(
    source: Source, rows: Sequence[FlatRow], roles: Roles, equations: Sequence[Equation], problems: list[Problem]
) -> Drafts:
    """All rows that the text names, in its order; an equation's rows stand where its first term stands."""
    drafts = Drafts()
    terms: dict[str, list[FlatRow]] = {equation.latent: [] for equation in equations}
    for row in rows:
        if row.op == "~" and row.lhs in terms:
            terms[row.lhs].append(row)
    by_latent = {equation.latent: equation for equation in equations}
    for row in rows:
        if row.op == "~":
            if row.lhs in by_latent:
                add_rows(drafts, by_latent.pop(row.lhs), terms[row.lhs])
            for draft in _slopes(drafts, row):
                _modify(source, draft, row.term.modifiers, problems)
        elif row.op in ("=~", "~~", "~1"):
            at = (row.term.start, row.term.end)
            draft = drafts.add(Draft(row.lhs, row.op, row.rhs, kind_of(row, roles), 1, at))
            _modify(source, draft, row.term.modifiers, problems)
    return drafts


def _slopes(drafts: Drafts, row: FlatRow) -> list[Draft]:
    """The drafts that a term of an equation sets: its slope, or the sd of its function."""
    if row.term.kind == "gp":
        found = drafts.get(row.lhs, "~gp.sd", ",".join(map(name_text, row.term.names)))
        return [found] if found else []
    right = [":".join(map(name_text, row.term.names))]
    if row.term.kind == "lin":
        right = [name_text(name) for name in row.term.names]
    return [draft for rhs in right if (draft := drafts.get(row.lhs, "~", rhs))]


def kind_of(row: FlatRow, roles: Roles) -> str:
    """What kind of parameter a row of `=~`, `~~` or `~1` is."""
    if row.op == "=~":
        return "loading"
    latent, endogenous = row.lhs in roles.measures, row.lhs in roles.parents
    if row.op == "~1":
        return ("level" if endogenous else "mean") if latent else "intercept"
    if row.lhs == row.rhs:
        return ("disturbance" if endogenous else "variance") if latent else "error"
    return "covariance" if latent and not endogenous and row.rhs not in roles.parents else "zero"


def _modify(source: Source, draft: Draft, modifiers: Sequence[Modifier], problems: list[Problem]) -> None:
    kind = KINDS[draft.kind]
    for modifier in modifiers:
        place = source.place(modifier.start, modifier.end)
        value = modifier.values[0] if modifier.values else None
        if modifier.kind == "fixed":
            draft.fixed = float(value) if isinstance(value, float) else None
            draft.freed = value is None
            if draft.fixed is not None and draft.fixed < 0 and kind.positive:
                problems.append(
                    Problem(f"A variance cannot be {number(draft.fixed)}.", place, "Fix it at 0 or above, or free it.")
                )
        elif modifier.kind == "start":
            if not kind.starts:
                problems.append(
                    Problem(
                        f"{_sentence(kind.named)} takes no starting value: nothing would use it.", place, "Drop it."
                    )
                )
            draft.starting = float(value) if isinstance(value, float) else None
            if draft.starting is not None and draft.starting <= 0 and kind.positive:
                problems.append(Problem("A variance starts above 0.", place, "Write a positive number."))
            if value is None:
                problems.append(Problem("A starting value is a number.", place, "Write start(0.5)*x."))
        elif modifier.kind == "label":
            draft.label = str(value or "")
        elif modifier.kind == "equal":
            draft.equal = (str(value or ""), modifier.start, modifier.end)
        elif modifier.kind == "prior" and isinstance(value, Prior):
            problem = _prior_problem(draft, value)
            if problem:
                problems.append(Problem(problem[0], place, problem[1]))
            elif draft.priors and draft.kind != "function":
                problems.append(Problem("This parameter is given a second prior.", place, "Keep one of them."))
            draft.priors[value.on] = (value, modifier.start, modifier.end)


def _prior_problem(draft: Draft, prior: Prior) -> tuple[str, str] | None:
    """Why a prior cannot be put on this parameter, and what to write, or None."""
    kind = KINDS[draft.kind]
    if not kind.priors:
        what = f"{_sentence(kind.named)} takes no prior of its own: it follows from the mixture's."
        return what, "Choose priors= for the mixture, or take it out."
    if prior.on not in kind.priors:
        if kind.priors == ("",):
            return f"{_sentence(kind.named)} has one reading; [{prior.on}] has no meaning.", "Leave the bracket out."
        scales = " or ".join(f"{prior.name}(...)[{on}]" for on in kind.priors)
        return f"A prior on {kind.named} must say on what.", f"Write {scales}."
    support = DISTRIBUTIONS[prior.name].support
    low = prior.arguments[0] if prior.name == "uniform" else None
    if kind.positive and support != "positive" and not (low is not None and low >= 0):
        return (
            f"'{prior}' {'ends at 1' if support == 'unit' else 'can be negative'}, but {kind.named} is positive.",
            'Write a positive one, such as prior("half_normal(1)[sd]") or prior("gamma(1, 0.5)[sd]").',
        )
    if not kind.positive and support == "unit":
        return f"'{prior}' lies between 0 and 1, which {kind.named} need not.", 'Write prior("normal(0, 1)").'
    return None


def _sentence(named: str) -> str:
    return named[0].upper() + named[1:]
