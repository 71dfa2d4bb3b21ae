"""The flat parameter table: what is estimated, what is fixed, what is equal. It prints, and what it prints reads back.

`free` is 0 for a fixed row, otherwise the number of the parameter: rows that share a number are equal. `value` is the
fixed value, or where sampling starts; `user` is 1 for what the text says and 0 for a default.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gpsem.errors import GpsemError, did_you_mean
from gpsem.syntax.expression import number

COLUMNS = ("id", "lhs", "op", "rhs", "user", "free", "value", "start", "label", "prior")
OPERATORS = ("=~", "~", "~gp.sd", "~gp.scale", "~~", "~1", ":=")


class Row(NamedTuple):
    """One parameter."""

    id: int
    lhs: str
    op: str
    rhs: str
    user: int
    free: int
    value: float | None
    start: float | None
    label: str
    prior: str

    @property
    def name(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}".strip()


class Table(NamedTuple):
    """All rows of a model."""

    rows: tuple[Row, ...]

    @property
    def parameters(self) -> int:
        """How many numbers are free."""
        return len({row.free for row in self.rows if row.free})

    def __str__(self) -> str:
        return written(self)


def _cell(value: object) -> str:
    if value is None or value == "":
        return "."
    if isinstance(value, float):
        return number(value)
    text = str(value)
    if _BARE.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_BARE = re.compile(r"[^\s\"\\]*[^\s\"\\.][^\s\"\\]*")
_CELL = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))')


def written(table: Table) -> str:
    """The table as aligned text; a dot stands for an empty cell."""
    lines = [COLUMNS, *(tuple(_cell(value) for value in row) for row in table.rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(COLUMNS))]
    right = {"id", "user", "free", "value", "start"}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(COLUMNS, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def is_table(text: str) -> bool:
    """Whether a text is a printed table or its CSV rather than statements: its first line names the columns."""
    head = text.lstrip("\ufeff \t\r\n").split("\n", 1)[0]
    words = [word.strip().strip('"') for word in (head.split(",") if "," in head else head.split())]
    return {"lhs", "op", "rhs"} <= set(words)


def read(text: str) -> Table:
    """A table from its printed text or from CSV."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    head = lines[0]
    if "," in head:
        import csv

        cells = [list(line) for line in csv.reader(lines)]
        cells[0] = [cell.strip() for cell in cells[0]]
    else:
        cells = [_cells(line) for line in lines]
    names, records = cells[0], cells[1:]
    for place, record in enumerate(records, start=2):
        if len(record) != len(names):
            raise GpsemError(
                f"Line {place} of the table has {len(record)} cells, its head has {len(names)}.",
                remedy="Give every row a cell in each column; a dot stands for an empty one.",
            )
    return from_records([dict(zip(names, record, strict=True)) for record in records])


def _cells(line: str) -> list[str]:
    found = []
    at = 0
    while at < len(line.rstrip()):
        match = _CELL.match(line, at)
        if match is None:
            raise GpsemError(f"This line of the table cannot be read: {line.strip()}", remedy="Close its quotes.")
        quoted, bare = match.groups()
        found.append(re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else "" if bare == "." else str(bare))
        at = match.end()
    return found


def from_records(records: Iterable[Mapping[str, Any]]) -> Table:
    """A table from mappings, such as the rows of an edited data frame; `lhs`, `op` and `rhs` must be there."""
    rows = []
    for place, record in enumerate(records, start=1):
        missing = [name for name in ("lhs", "op", "rhs") if name not in record]
        if missing:
            raise GpsemError(
                f"The table lacks the column '{missing[0]}'.", remedy=f"Its columns are {', '.join(COLUMNS)}."
            )
        op = _text(record, "op")
        if op not in OPERATORS:
            hint = did_you_mean(op, OPERATORS)
            raise GpsemError(
                f"Row {place} of the table has the operator '{op}'.",
                remedy=f"{hint} A table knows {' '.join(OPERATORS)}.".strip(),
            )
        value = _number(record, "value", place)
        free = _whole(record, "free", place, 0 if value is not None or op == ":=" else -place)
        rows.append(
            Row(
                place,
                _text(record, "lhs"),
                op,
                _text(record, "rhs"),
                _whole(record, "user", place, 1),
                free,
                value,
                _number(record, "start", place),
                _text(record, "label"),
                _text(record, "prior"),
            )
        )
    if not rows:
        raise GpsemError("The table has no rows.", remedy="Give at least the rows of one latent.")
    return Table(tuple(rows))


def _empty(value: object) -> bool:
    if value is None or (isinstance(value, str) and value.strip() in ("", ".")):
        return True
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value))


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if name in ("lhs", "rhs") and isinstance(value, str):
        return value  # a dot may be a name
    return "" if _empty(value) else str(value)


def _number(record: Mapping[str, Any], name: str, place: int) -> float | None:
    value = record.get(name)
    if _empty(value):
        return None
    try:
        found = float(str(value))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise GpsemError(
            f"Row {place} of the table has '{value}' in the column '{name}'.",
            remedy="Write a number, or leave it empty.",
        )
    return found


def _whole(record: Mapping[str, Any], name: str, place: int, default: int) -> int:
    found = _number(record, name, place)
    if found is None:
        return default
    if found != int(found) or (found < 0 and name == "user"):
        raise GpsemError(
            f"Row {place} of the table has '{record.get(name)}' in the column '{name}'.", remedy="Write a whole number."
        )
    return int(found)


def find(rows: Sequence[Row], lhs: str, op: str, rhs: str) -> Row | None:
    """The row of a parameter, a covariance by either order."""
    for row in rows:
        if row.op == op and ((row.lhs, row.rhs) == (lhs, rhs) or (op == "~~" and (row.rhs, row.lhs) == (lhs, rhs))):
            return row
    return None
