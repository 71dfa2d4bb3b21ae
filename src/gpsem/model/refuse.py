"""What the language can say and the engine cannot estimate yet: refused by name, with its place and the remedy.

Each rule looks at the statements or flat rows and yields problems. Nothing that a rule does not refuse may be
without effect on the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpsem.errors import Place, Problem, did_you_mean, near
from gpsem.model.flat import FlatRow
from gpsem.model.roles import Roles, cycle
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement
from gpsem.syntax.terms import Term

_BY_OPERATOR = {
    "|": ("Thresholds of ordinal items", "Take the statement out: the item is then treated as continuous."),
    "~*~": ("Response scales of ordinal items", "Take the statement out."),
    "<~": ("Composites (formative factors)", "Measure a latent instead: F =~ y1 + y2 + y3."),
    ":~": ("Data-defined parameters", "Define parameters from parameters, with ':='."),
    "|~": ("Instruments", "Take the statement out: estimation here needs none."),
    "<": ("Inequality constraints", "Take it out; a prior can keep a parameter on one side of zero."),
    ">": ("Inequality constraints", "Take it out; a prior can keep a parameter on one side of zero."),
    "<=": ("Inequality constraints", "Take it out; a prior can keep a parameter on one side of zero."),
    ">=": ("Inequality constraints", "Take it out; a prior can keep a parameter on one side of zero."),
}
_BLOCKS = {
    "group": ("Groups", "Fit each group's rows alone."),
    "level": ("Levels (multilevel models)", "Take the 'level:' lines out and keep one level."),
    "class": ("Latent classes", "An exogenous latent's mixture already has components: see mixture=."),
    "block": ("Blocks", "Take the 'block:' lines out."),
}
_BY_MODIFIER = {
    "lower": ("Bounds on parameters", "Take lower() out; a prior can say as much."),
    "upper": ("Bounds on parameters", "Take upper() out; a prior can say as much."),
    "rv": ("Random slopes", "Take rv() out."),
    "efa": ("Rotated exploratory factors", "Say which indicators measure which latent."),
}


def unsupported(source: Source, statements: Sequence[Statement], rows: Sequence[FlatRow]) -> Iterator[Problem]:
    """Features known by their sign alone: operators, blocks and modifiers."""
    blocks: set[str] = set()
    for statement in statements:
        known = _BY_OPERATOR.get(statement.op)
        if statement.op == ":":
            kind = statement.value.split(":")[0]
            known = None if kind in blocks else _BLOCKS[kind]
            blocks.add(kind)
        if known:
            yield _not_yet(source, known, statement.start, statement.end)
    for row in rows:
        for modifier in (*row.term.modifiers, *row.left.modifiers):
            if modifier.kind in _BY_MODIFIER:
                yield _not_yet(source, _BY_MODIFIER[modifier.kind], modifier.start, modifier.end)
            elif len(modifier.values) > 1:
                yield _not_yet(source, _BLOCKS["group"], modifier.start, modifier.end)


def _not_yet(source: Source, known: tuple[str, str], start: int, end: int) -> Problem:
    return Problem(f"{known[0]} are not estimated by this version.", source.place(start, end), known[1])


def misplaced(source: Source, rows: Sequence[FlatRow], roles: Roles) -> Iterator[Problem]:
    """Relations between the wrong kinds of variable."""
    latents, indicators = set(roles.latents), set(roles.measured)
    known = [*roles.latents, *roles.indicators]
    for row in rows:
        if row.op == "=~" and row.rhs in latents:
            yield Problem(
                f"'{row.rhs}' is a latent that measures '{row.lhs}': latents measured by latents are not estimated "
                "by this version.",
                _right(source, row),
                f"Where '{row.lhs}' has indicators of its own, write an equation: {name_text(row.rhs)} ~ "
                f"{name_text(row.lhs)}; a general factor can measure the indicators of all of them directly.",
            )
        elif row.op == "~":
            label = row.modifier("label")
            if label is not None and label.values[0] in latents:
                yield Problem(
                    f"'{label.values[0]}*{row.rhs}' would label the slope of '{row.rhs}' with the name of a latent.",
                    source.place(label.start, row.term.end),
                    f"A product of the two is {name_text(str(label.values[0]))}:{row.rhs}; a label needs another name.",
                )
            yield from _regression(source, row, latents, indicators, known)
        elif row.op == "~~":
            yield from _covariance(source, row, roles, latents, indicators, known)
        elif row.op == "~1" and row.lhs not in latents | indicators:
            yield _unknown(source, row.lhs, row.left, known, "has a mean here, but is neither latent nor indicator")


def _right(source: Source, row: FlatRow) -> Place:
    return source.place(row.term.start, row.term.end)


def _regression(
    source: Source, row: FlatRow, latents: set[str], indicators: set[str], known: list[str]
) -> Iterator[Problem]:
    lhs = name_text(row.lhs)
    if row.lhs in indicators:
        cause = next((name for name in row.term.names if name in latents), "F")
        yield Problem(
            f"'{row.lhs}' is an indicator and an outcome: indicators are measured by '=~' only.",
            source.place(row.left.start, row.left.end),
            f"If {name_text(cause)} causes it, add it as an indicator: {name_text(cause)} =~ {lhs}.",
        )
    elif row.lhs not in latents:
        yield _unknown(source, row.lhs, row.left, known, "is an outcome that no latent stands for", wrap=True)
    for name, (start, end) in zip(row.term.names, row.term.places, strict=False):
        if name in indicators:
            yield Problem(
                f"'{name}' is an indicator and a cause: causes are latents in this version.",
                source.place(start, end),
                "Name the latent that it measures.",
            )
        elif name not in latents:
            term = row.term._replace(start=start, end=end)
            yield _unknown(source, name, term, known, "is an observed cause", wrap=True)


def _unknown(source: Source, name: str, at: Term, known: list[str], what: str, wrap: bool = False) -> Problem:
    place = source.place(at.start, at.end)
    if near(name, known):
        return Problem(f"'{name}' {what}: no '=~' measures it.", place, did_you_mean(name, known))
    remedy = "Take the statement out, or name a variable of the model."
    if wrap:
        plain, latent = name_text(name), name_text(f"L_{name}")
        remedy = (
            f"Observed causes and outcomes are not estimated by this version. A latent measured without error does "
            f"the same: '{latent} =~ {plain}; {plain} ~~ 0*{plain}', and {latent} in the equation."
        )
    return Problem(f"'{name}' {what}.", place, remedy)


def _is_zero(row: FlatRow) -> bool:
    fixed = row.modifier("fixed")
    return fixed is not None and fixed.values == (0.0,)


def _covariance(
    source: Source, row: FlatRow, roles: Roles, latents: set[str], indicators: set[str], known: list[str]
) -> Iterator[Problem]:
    for name, term in ((row.lhs, row.left), (row.rhs, row.term)):
        if name not in latents and name not in indicators:
            yield _unknown(source, name, term, known, "has a (co)variance here, but is neither latent nor indicator")
            return
    if row.lhs == row.rhs:
        return
    place = source.place(row.term.start, row.term.end)
    pair = f"'{row.lhs} ~~ {row.rhs}'"
    if (row.lhs in latents) != (row.rhs in latents):
        yield Problem(
            f"{pair} ties a latent to an indicator's error, which is not estimated.",
            place,
            "Add the indicator to the latent's '=~' statement.",
        )
    elif _is_zero(row) and (row.lhs in indicators or row.lhs in roles.parents or row.rhs in roles.parents):
        return  # what the model has anyway
    elif row.lhs in indicators:
        yield Problem(
            f"Residual covariances between indicators ({pair}) are not estimated by this version.",
            place,
            f"Take it out, or let the two share a latent of their own, independent of exogenous ones: "
            f"R =~ 1*{name_text(row.lhs)} + 1*{name_text(row.rhs)}; R ~~ 0*{name_text([*roles.exogenous, 'X'][0])}.",
        )
    elif row.lhs in roles.parents and row.rhs in roles.parents:
        yield Problem(
            f"Disturbance covariances of endogenous latents ({pair}) are not estimated by this version.",
            place,
            f"Take it out, or write an arrow: {name_text(row.rhs)} ~ {name_text(row.lhs)}. (lavaan frees such "
            "covariances of last outcomes by default; here they are zero.)",
        )
    elif row.lhs in roles.parents or row.rhs in roles.parents:
        yield Problem(
            f"{pair} ties an exogenous latent to a disturbance, which is not estimated.",
            place,
            "Write an arrow between the two, or take it out.",
        )


def cyclic(source: Source, rows: Sequence[FlatRow], roles: Roles) -> Iterator[Problem]:
    """A cycle among the latents, shown as it runs."""
    loop = cycle(roles)
    if not loop:
        return
    cause, effect = loop[0], loop[1]
    row = next(r for r in rows if r.op == "~" and r.lhs == effect and cause in r.term.names)
    yield Problem(
        f"The equations run in a circle: {' -> '.join(loop)}.",
        source.place(row.term.start, row.term.end),
        "Take one of these arrows out: functions on a circle do not define a model.",
    )
