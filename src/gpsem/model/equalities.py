"""Equal parameters: the same label, `equal()`, or `a == b`; and what may be equal to what."""

from __future__ import annotations

from collections.abc import Sequence

from gpsem.errors import Problem, did_you_mean
from gpsem.model.draft import KINDS, Draft, Drafts
from gpsem.syntax.expression import number
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement


def unite(
    source: Source, drafts: Drafts, statements: Sequence[Statement], problems: list[Problem]
) -> list[list[Draft]]:
    """Classes of equal parameters, of two or more rows each; a class with a fixed member is fixed as a whole."""
    parent: dict[str, str] = {}

    def root(label: str) -> str:
        while parent.setdefault(label, label) != label:
            parent[label] = parent[parent[label]]
            label = parent[label]
        return label

    _resolve_equal(source, drafts, problems)
    labelled = [row for row in drafts if row.label]
    known = {row.label for row in labelled}
    held: dict[str, tuple[float, Statement]] = {}
    for statement in statements:
        if statement.op == "==":
            _constraint(source, statement, known, parent, root, held, problems)
    classes: dict[str, list[Draft]] = {}
    for row in labelled:
        classes.setdefault(root(row.label), []).append(row)
    for label, (value, statement) in held.items():
        for row in classes.get(root(label), []):
            _hold(source, row, value, statement, problems)
    several = [rows for rows in classes.values() if len(rows) > 1]
    for rows in several:
        problems.extend(_clashes(source, rows))
    return several


def _resolve_equal(source: Source, drafts: Drafts, problems: list[Problem]) -> None:
    """`equal("F=~y2")*y3` names a row by its automatic name or its label: both get one label.

    A label that is another row's automatic name says the same, as in lavaan; so printed tables read back.
    """
    asking = [row for row in drafts if row.equal or "~" in row.label]
    if not asking:
        return
    named = {f"{row.lhs}{row.op}{row.rhs}": row for row in drafts}
    named |= {f"{row.rhs}~~{row.lhs}": row for row in drafts if row.op == "~~"}
    labels = {row.label: row for row in reversed(list(drafts)) if row.label}
    for row in asking:
        wanted, start, end = row.equal or (row.label, 0, 0)
        target = named.get("".join(wanted.split())) or labels.get(wanted)
        if target is None or target is row:
            if row.equal:
                problems.append(
                    Problem(
                        f"equal() names no other parameter: '{wanted}'.",
                        source.place(start, end),
                        did_you_mean(wanted, [*named, *labels]) or 'Write equal("F=~y2") for the loading of y2.',
                    )
                )
            continue
        row.label = target.label = target.label or "".join(wanted.split())


def _constraint(
    source: Source,
    statement: Statement,
    known: set[str],
    parent: dict[str, str],
    root: object,
    held: dict[str, tuple[float, Statement]],
    problems: list[Problem],
) -> None:
    left, right = statement.left_expression, statement.right_expression
    assert left is not None
    assert right is not None
    for name, start, end in (*left.places, *right.places):
        if name not in known:
            problems.append(
                Problem(
                    f"'{name}' is not a label of this model.",
                    source.place(start, end),
                    f"{did_you_mean(name, known)} Labels are set by a name before a '*': F =~ y1 + {name}*y2.".strip(),
                )
            )
            return
    if len(left.steps) == 1 and left.places and len(right.steps) == 1 and right.places:
        parent[root(left.places[0][0])] = root(right.places[0][0])  # type: ignore[operator]
    elif len(left.steps) == 1 and left.places and not right.places:
        held[left.places[0][0]] = (_value(right), statement)
    elif len(right.steps) == 1 and right.places and not left.places:
        held[right.places[0][0]] = (_value(left), statement)
    else:
        problems.append(
            Problem(
                "Constraints other than 'a == b' and 'a == 2' are not estimated by this version.",
                source.place(statement.start, statement.end),
                "Give equal parameters one label; fix others by a value: 2*x.",
            )
        )


def _value(expression: object) -> float:
    from gpsem.syntax.expression import Expression, evaluate

    assert isinstance(expression, Expression)
    try:
        return float(evaluate(expression, {}))
    except (ArithmeticError, ValueError, TypeError):
        return float("nan")


def _hold(source: Source, row: Draft, value: float, statement: Statement, problems: list[Problem]) -> None:
    place = source.place(statement.start, statement.end)
    if value != value:
        problems.append(Problem("This does not come to a number.", place, "Write a finite number."))
    elif row.fixed is not None and row.fixed != value:
        problems.append(
            Problem(f"'{row.name}' is fixed at {number(row.fixed)} already.", place, "Keep one of the two values.")
        )
    elif value < 0 and KINDS[row.kind].positive:
        problems.append(Problem(f"A variance cannot be {number(value)}.", place, "Fix it at 0 or above."))
    else:
        row.fixed = value


def _clashes(source: Source, rows: list[Draft]) -> list[Problem]:
    """What keeps these rows from being one parameter; where nothing does, a fixed member fixes the rest."""
    first = rows[0]
    for row in rows[1:]:
        if row.kind != first.kind:
            return [
                Problem(
                    f"'{row.name}' is {KINDS[row.kind].named} and '{first.name}' is {KINDS[first.kind].named}: they "
                    f"cannot share the label '{row.label}'.",
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
    values = {row.fixed for row in rows if row.fixed is not None}
    if len(values) > 1:
        return [
            Problem(
                f"Parameters with the label '{first.label}' are fixed at "
                f"{' and '.join(number(v) for v in sorted(values))}.",
                rows[1].place(source),
                "Fix them at one value, or give them different labels.",
            )
        ]
    priors = {tuple(sorted(map(str, (p for p, _, _ in row.priors.values())))) for row in rows if row.priors}
    if len(priors) > 1:
        return [
            Problem(
                f"Parameters with the label '{first.label}' are given different priors.",
                rows[1].place(source),
                "One parameter has one prior.",
            )
        ]
    for row in rows:
        if values:
            row.fixed = next(iter(values))
    shared = next((row.priors for row in rows if row.priors), {})
    for row in rows:
        row.priors = row.priors or dict(shared)
    return []
