"""`name := expression`: what it may refer to, and an order in which each is known before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpsem.errors import Problem, did_you_mean
from gpsem.model.draft import Drafts
from gpsem.model.roles import Roles
from gpsem.syntax.expression import Expression
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement


class Definition(NamedTuple):
    """A defined parameter, evaluated draw by draw from labels and from definitions before it."""

    name: str
    expression: Expression


def define(
    source: Source, statements: Sequence[Statement], drafts: Drafts, roles: Roles, problems: list[Problem]
) -> list[Definition]:
    """All definitions in an order of evaluation; unknown names, names used twice and circles are problems."""
    labels = {row.label for row in drafts if row.label}
    names: dict[str, Statement] = {}
    for statement in statements:
        if statement.op == ":=":
            _name(source, statement, labels, names, roles, problems)
    known = labels | set(names)
    for statement in names.values():
        for name, start, end in _right(statement).places:
            if name not in known and len(problems) < 40:
                problems.append(
                    Problem(
                        f"'{name}' is neither a label nor a defined parameter.",
                        source.place(start, end),
                        did_you_mean(name, known)
                        or f"Label the parameter where it is written: F =~ y1 + {name}*y2, or Y ~ {name}*lin(X).",
                    )
                )
    return _ordered(source, names, problems)


def _right(statement: Statement) -> Expression:
    assert statement.right_expression is not None
    return statement.right_expression


def _name(
    source: Source,
    statement: Statement,
    labels: set[str],
    names: dict[str, Statement],
    roles: Roles,
    problems: list[Problem],
) -> None:
    assert statement.left_expression is not None
    name, start, end = statement.left_expression.places[0]
    taken = (
        "defined already"
        if name in names
        else "a label"
        if name in labels
        else "a variable of the model"
        if name in roles.measures or name in roles.measured
        else ""
    )
    if taken:
        problems.append(Problem(f"'{name}' is {taken}.", source.place(start, end), "Choose another name."))
    else:
        names[name] = statement


def _ordered(source: Source, names: dict[str, Statement], problems: list[Problem]) -> list[Definition]:
    waiting = {name: {n for n in _right(s).names if n in names} for name, s in names.items()}
    users: dict[str, list[str]] = {name: [] for name in names}
    for name, needs in waiting.items():
        for need in needs:
            users[need].append(name)
    ready = [name for name, needs in waiting.items() if not needs]
    for name in ready:
        for user in users[name]:
            waiting[user].discard(name)
            if not waiting[user]:
                ready.append(user)
    if len(ready) < len(names):
        stuck = [name for name in names if name not in set(ready)]
        statement = names[stuck[0]]
        problems.append(
            Problem(
                f"'{stuck[0]}' is defined by itself, directly or through others.",
                source.place(statement.start, statement.end),
                "Define it from labels.",
            )
        )
    return [Definition(name, _right(names[name])) for name in ready]
