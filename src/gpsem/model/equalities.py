"""Equal parameters: the same label, `equal()`, or `a == b`; values by `a == 2`; and what may be equal to what."""

from __future__ import annotations

from collections.abc import Sequence

from gpsem.errors import Problem, did_you_mean
from gpsem.model.draft import KINDS, Draft, Drafts
from gpsem.syntax.expression import Expression, evaluate, number
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement

HINTS = 10


class _Union:
    """Sets of rows that are equal, merged as they are found to be."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {}

    def root(self, item: int) -> int:
        while self.parent.setdefault(item, item) != item:
            self.parent[item] = self.parent[self.parent[item]]
            item = self.parent[item]
        return item

    def join(self, first: int, second: int) -> None:
        self.parent[self.root(second)] = self.root(first)


def unite(
    source: Source, drafts: Drafts, statements: Sequence[Statement], problems: list[Problem]
) -> list[list[Draft]]:
    """Classes of equal parameters, of two or more rows each; values given by `a == 2` are put on their rows."""
    rows = list(drafts)
    place = {id(row): n for n, row in enumerate(rows)}
    union = _Union()
    by_label: dict[str, Draft] = {}
    for row in rows:
        if row.label:
            union.join(place[id(by_label.setdefault(row.label, row))], place[id(row)])
    _by_name(source, rows, place, union, by_label, problems)
    held: dict[str, tuple[float, Statement]] = {}
    for statement in statements:
        if statement.op == "==":
            _constraint(source, statement, by_label, place, union, held, problems)
    classes: dict[int, list[Draft]] = {}
    for row in rows:
        if row.label:
            classes.setdefault(union.root(place[id(row)]), []).append(row)
    for label, (value, statement) in held.items():
        for row in classes.get(union.root(place[id(by_label[label])]), []):
            _hold(source, row, value, statement, problems)
    for group, members in enumerate(classes.values(), start=1):
        for row in members:
            row.group = group
    return [members for members in classes.values() if len(members) > 1]


def settle(source: Source, classes: list[list[Draft]]) -> list[Problem]:
    """After scales and origins are set: what keeps rows from being one parameter; a fixed member fixes the rest."""
    return [problem for rows in classes for problem in _clashes(source, rows)]


def _by_name(
    source: Source,
    rows: list[Draft],
    place: dict[int, int],
    union: _Union,
    by_label: dict[str, Draft],
    problems: list[Problem],
) -> None:
    """`equal("F=~y2")*y3` names a row by its automatic name or its label.

    A label that is another row's automatic name says the same, as in lavaan; so printed tables read back.
    """
    asking = [row for row in rows if row.equal or "~" in row.label]
    if not asking:
        return
    named: dict[str, Draft] = {}
    for row in rows:
        named["".join(f"{row.lhs}{row.op}{row.rhs}".split())] = row
        if row.op == "~~":
            named.setdefault("".join(f"{row.rhs}~~{row.lhs}".split()), row)
    hints = 0
    for row in asking:
        wanted, start, end = row.equal or (row.label, 0, 0)
        key = "".join(wanted.split())
        target = named.get(key) or by_label.get(wanted)
        if target is None or target is row:
            if row.equal:
                hints += 1
                hint = did_you_mean(key, [*named, *by_label]) if hints <= HINTS else ""
                what = f"equal() names no other parameter: '{wanted}'."
                remedy = hint or 'Write equal("F=~y2") for the loading of y2.'
                problems.append(Problem(what, source.place(start, end), remedy))
            continue
        union.join(place[id(target)], place[id(row)])
        for member in (target, row):
            member.label = member.label or key
            union.join(place[id(by_label.setdefault(member.label, member))], place[id(member)])


def _constraint(
    source: Source,
    statement: Statement,
    by_label: dict[str, Draft],
    place: dict[int, int],
    union: _Union,
    held: dict[str, tuple[float, Statement]],
    problems: list[Problem],
) -> None:
    left, right = statement.left_expression, statement.right_expression
    assert left is not None
    assert right is not None
    for name, start, end in (*left.places, *right.places):
        if name not in by_label:
            hint = did_you_mean(name, by_label) if len(problems) < HINTS else ""
            problems.append(
                Problem(
                    f"'{name}' is not a label of this model.",
                    source.place(start, end),
                    f"{hint} Labels are set by a name before a '*': F =~ y1 + {name}*y2.".strip(),
                )
            )
            return
    names = [e.places[0][0] if len(e.steps) == 1 and e.places else "" for e in (left, right)]
    if names[0] and names[1]:
        union.join(place[id(by_label[names[0]])], place[id(by_label[names[1]])])
    elif (names[0] and not right.places) or (names[1] and not left.places):
        value = _value(right if names[0] else left)
        label = names[0] or names[1]
        if label in held and held[label][0] != value:
            problems.append(
                Problem(
                    f"'{label}' is given two values, {number(held[label][0])} and {value:g}.",
                    source.place(statement.start, statement.end),
                    "Keep one of them.",
                )
            )
        held[label] = (value, statement)
    else:
        problems.append(
            Problem(
                "Constraints other than 'a == b' and 'a == 2' are not estimated by this version.",
                source.place(statement.start, statement.end),
                "Give equal parameters one label; fix others by a value: 2*x.",
            )
        )


def _value(expression: Expression) -> float:
    try:
        return float(evaluate(expression, {}))
    except (ArithmeticError, ValueError, TypeError):
        return float("nan")


def _hold(source: Source, row: Draft, value: float, statement: Statement, problems: list[Problem]) -> None:
    place = source.place(statement.start, statement.end)
    if not abs(value) < float("inf"):
        problems.append(Problem("This does not come to a finite number.", place, "Write a finite number."))
    elif row.fixed is not None and row.fixed != value:
        problems.append(
            Problem(f"'{row.name}' is fixed at {number(row.fixed)} already.", place, "Keep one of the two values.")
        )
    elif value < 0 and KINDS[row.kind].positive:
        problems.append(Problem(f"A variance cannot be {number(value)}.", place, "Fix it at 0 or above."))
    elif row.kind in ("function", "length"):
        problems.append(Problem("A learned function has no coefficient to fix.", place, "Take it out."))
    else:
        row.fixed = value


def _clashes(source: Source, rows: list[Draft]) -> list[Problem]:
    first = rows[0]
    for row in rows[1:]:
        if row.kind != first.kind:
            return [
                Problem(
                    f"'{row.name}' is {KINDS[row.kind].named} and '{first.name}' is {KINDS[first.kind].named}: they "
                    f"cannot be equal.",
                    row.place(source),
                    "Give one of them another label.",
                )
            ]
    if not KINDS[first.kind].equal:
        what = KINDS[first.kind].named
        return [
            Problem(
                f"{what[0].upper() + what[1:]} follows from the mixture and cannot be equal to another.",
                rows[1].place(source),
                "Give each its own label.",
            )
        ]
    problems = []
    for what, told in (
        ("fixed at different values", {row.fixed for row in rows if row.fixed is not None}),
        ("given different starting values", {row.starting for row in rows if row.starting is not None}),
        ("given different priors", {_priors(row) for row in rows if row.priors}),
    ):
        if len(told) > 1:
            problems.append(
                Problem(
                    f"Parameters with the label '{first.label}' are {what}.",
                    rows[1].place(source),
                    "They are one parameter: say it once, or give them different labels.",
                )
            )
    value = next((row.fixed for row in rows if row.fixed is not None), None)
    start = next((row.starting for row in rows if row.starting is not None), None)
    shared = next((row.priors for row in rows if row.priors), {})
    for row in rows:
        row.fixed, row.starting = value, start
        row.priors = row.priors or dict(shared)
    return problems


def _priors(row: Draft) -> tuple[str, ...]:
    return tuple(sorted(str(prior) for prior, _, _ in row.priors.values()))
