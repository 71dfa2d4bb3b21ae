"""Statements → flat rows, one for each parameter the text names, in lavaan's manner: nothing is decided here yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpsem.errors import GpsemError
from gpsem.syntax.modifiers import Modifier
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement
from gpsem.syntax.terms import Term

MOST_ROWS = 200_000


class FlatRow(NamedTuple):
    """One parameter as written: `lhs op rhs`, its modifiers, and the places of both names."""

    lhs: str
    op: str
    rhs: str
    term: Term
    left: Term

    def modifier(self, kind: str) -> Modifier | None:
        return self.term.modifier(kind)


def flatten(source: Source, statements: Sequence[Statement]) -> list[FlatRow]:
    """The rows of all relations; sums on the left are repeated, a parameter that is written twice is an error."""
    rows: list[FlatRow] = []
    seen: dict[tuple[str, str, str], FlatRow] = {}
    for statement in statements:
        if statement.op == ":":  # each block may say the same anew
            seen = {}
        for left in statement.left:
            for term in statement.right:
                row = _row(source, statement.op, left, term)
                for key in _keys(row):
                    if key in seen:
                        raise _twice(source, row, seen[key])
                seen[row.lhs, row.op, row.rhs] = row
                rows.append(row)
                if len(rows) > MOST_ROWS:
                    raise source.error(
                        f"The model has more than {MOST_ROWS:,} parameters.",
                        statement.start,
                        statement.end,
                        "Sums on both sides of an operator multiply: write fewer of them.",
                    )
    return rows


def _keys(row: FlatRow) -> list[tuple[str, str, str]]:
    """The row's own key, and the same parameter with its names the other way round."""
    keys = [(row.lhs, row.op, row.rhs)]
    if row.op == "~~":
        keys.append((row.rhs, row.op, row.lhs))
    if row.term.kind == "product":
        keys.append((row.lhs, row.op, ":".join(reversed(row.term.names))))
    return keys


def _twice(source: Source, row: FlatRow, first: FlatRow) -> GpsemError:
    line = source.line_of(first.term.start)
    shown = f"{row.lhs} {row.op} {row.rhs}".strip()
    return source.error(
        f"'{shown}' is written twice; the first time in line {line}.",
        row.term.start,
        row.term.end,
        "Keep one of them; several modifiers of one term stand in one statement: 0.5*x + a*x.",
    )


def _row(source: Source, op: str, left: Term, term: Term) -> FlatRow:
    lhs = left.names[0]
    if term.kind == "constant":
        return _constant(source, op, left, term)
    if term.kind in ("gp", "lin"):
        if op != "~":
            raise source.error(
                f"{term.kind}() describes a structural equation; it cannot stand after '{op}'.",
                term.start,
                term.end,
                f"Write a name, or 'Y ~ {term.kind}(...)'.",
            )
        return FlatRow(lhs, op, f"{term.kind}({','.join(term.names)})", term, left)
    if term.kind == "product" and op != "~":
        raise source.error(
            f"A product cannot stand after '{op}'.", term.start, term.end, "Products belong in regressions: Y ~ A:B."
        )
    if op == "=~" and term.names[0] == lhs:
        raise source.error(f"'{lhs}' cannot be measured by itself.", term.start, term.end, "Name an indicator.")
    if op in ("~", "<~") and lhs in term.names and term.kind == "name":
        raise source.error(f"'{lhs}' is regressed on itself.", term.start, term.end, "Take it out.")
    return FlatRow(lhs, op, ":".join(term.names), term, left)


def _constant(source: Source, op: str, left: Term, term: Term) -> FlatRow:
    """`y ~ 1` is an intercept, `y ~ 0` one fixed at zero; any other number has no meaning alone."""
    lhs = left.names[0]
    if op == "=~" and term.value == 0:
        raise source.error(
            f"'{lhs} =~ 0' is a latent without indicators, which is not estimated here.",
            term.start,
            term.end,
            "Give it indicators, or leave the statement out.",
        )
    if op != "~":
        raise source.error(
            f"A number cannot stand after '{op}'.", term.start, term.end, "Write a name; a fixed value is 2.4*name."
        )
    if term.value == 1:
        return FlatRow(lhs, "~1", "", term, left)
    if term.value == 0:
        if term.modifiers:
            raise source.error("A modifier of 0 has no effect.", term.start, term.end, "Write 0*1, or 0 alone.")
        zero = Modifier("fixed", (0.0,), term.start, term.end)
        return FlatRow(lhs, "~1", "", term._replace(modifiers=(zero,)), left)
    raise source.error(
        f"'{lhs} ~ {term.value:g}' is neither an intercept nor a variable.",
        term.start,
        term.end,
        f"Write '{lhs} ~ 1' for a free intercept, '{lhs} ~ {term.value:g}*1' for one fixed at {term.value:g}.",
    )
