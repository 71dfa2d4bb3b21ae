"""Text tables: encoding, separator and decimal sign are recognised, odd lines are named."""

from __future__ import annotations

import csv
import io
import re
from typing import Any, NamedTuple

import pandas as pd

from gpsem.errors import GpsemError, Place, quoted

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SAMPLE_LINES = 50
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?")
# Every digit counts: pandas reads numbers exactly from 3.1 on, and when asked to before.
_EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")


class Delimited(NamedTuple):
    """What a text table holds, and enough of its text to point at a cell."""

    frame: pd.DataFrame
    notes: tuple[str, ...]
    duplicates: tuple[str, ...]
    name: str
    text: str
    separator: str
    header_line: int

    def place(self, row: int, column: str) -> Place | None:
        """The place of a cell, where lines and rows agree (no quoted line ends, no blank lines between)."""
        lines = self.text.splitlines()
        if len(lines) - self.header_line != len(self.frame):
            return None
        line = lines[self.header_line + row]
        head = next(csv.reader([lines[self.header_line - 1]], delimiter=self.separator))
        names = [name.strip() for name in head]
        cells = line.split(self.separator)
        if column not in names or len(cells) not in (len(names), len(names) + 1):
            return None
        at = names.index(column) + len(cells) - len(names)
        start = sum(len(cell) + 1 for cell in cells[:at])
        blank = len(cells[at]) - len(cells[at].lstrip())
        return Place(self.name, self.header_line + row + 1, start + blank + 1, line, max(1, len(cells[at].strip())))


def read_delimited(data: bytes, name: str, separator: str | None = None) -> Delimited:
    """Bytes of a CSV-like file → a frame; errors carry the line."""
    notes: list[str] = []
    text = _decoded(data, name, notes)
    lines = text.splitlines()
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if not filled:
        raise GpsemError(f"{name} is empty.", remedy="Give a table with a line of names and a line a row.")
    first = filled[0]
    sample = [lines[n] for n in filled[: SAMPLE_LINES + 1]]
    separator = separator or _separator(sample)
    if separator != ",":
        notes.append(f"values are separated by {SEPARATORS.get(separator, repr(separator))}")
    head = [cell.strip() for cell in next(csv.reader([sample[0]], delimiter=separator))]
    _check_head(head, name, first + 1, sample[0])
    rows = list(csv.reader(sample[1:], delimiter=separator))
    decimal = _decimal(rows, separator)
    if decimal == ",":
        notes.append("decimal commas are read as decimal points")
    named_rows = bool(rows) and all(len(row) == len(head) + 1 for row in rows)
    _check_widths(text, lines, first, head, separator, decimal, name, named_rows)
    blank = len(lines) - first - len(filled)
    if blank > 0 and any(n > first for n in range(first, filled[-1]) if not lines[n].strip()):
        notes.append(f"{sum(not lines[n].strip() for n in range(first, filled[-1]))} blank lines were passed over")
    frame = _parsed(text, first, head, separator, decimal, name, named_rows)
    if named_rows:
        notes.append("the first value of each line, which has no name, is taken as the row's name")
    elif head[0] == "" and len(head) > 1:
        frame = frame.set_index(frame.columns[0])
        frame.index.name = None
        notes.append("the first column, which has no name, is taken as the rows' names")
    names = head[1:] if head[0] == "" and not named_rows and len(head) > 1 else head
    frame.columns = pd.Index(names)
    twice = tuple(dict.fromkeys(n for n in names if names.count(n) > 1)) if len(set(names)) < len(names) else ()
    return Delimited(frame, tuple(notes), twice, name, text, separator, first + 1)


def _decoded(data: bytes, name: str, notes: list[str]) -> str:
    if data[:4] == b"PK\x03\x04" or data[:4] == b"\xd0\xcf\x11\xe0":
        raise GpsemError(f"{name} is a spreadsheet or an archive, not a text table.", remedy="Save the sheet as CSV.")
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            try:
                return data.decode(encoding).removeprefix("\ufeff")
            except UnicodeDecodeError:
                raise GpsemError(f"{name} claims to be {encoding} but is not.", remedy="Save it as UTF-8.") from None
    if b"\x00" in data[:65536]:
        raise GpsemError(f"{name} is not a text table (it has zero bytes).", remedy="Save it as CSV in UTF-8.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        notes.append("not UTF-8: read as Windows-1252")
        return data.decode("cp1252", errors="replace")


def _separator(sample: list[str]) -> str:
    """The sign that cuts the lines into the most pieces, equally many in each."""
    best, best_score = ",", (0.0, 0)
    for sign in SEPARATORS:
        widths = [len(row) for row in csv.reader(sample, delimiter=sign)]
        head = widths[0]
        if head < 2:
            continue
        agree = sum(width in (head, head + 1) for width in widths) / len(widths)
        if (agree, head) > best_score:
            best, best_score = sign, (agree, head)
    return best


def _decimal(rows: list[list[str]], separator: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(_DECIMAL_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if separator != "," and commas > 0 and points == 0 else "."


def _check_head(head: list[str], name: str, line: int, text: str) -> None:
    if all(_NUMBER.fullmatch(cell) for cell in head if cell) and any(head):
        raise GpsemError(
            f"The first line of {name} holds numbers, not names.",
            Place(name, line, 1, text, len(text)),
            "Put a line of column names first.",
        )


def _check_widths(
    text: str,
    lines: list[str],
    first: int,
    head: list[str],
    separator: str,
    decimal: str,
    name: str,
    named_rows: bool,
) -> None:
    """Lines with too few or too many values are an error: a reader that fills or cuts them would shift cells."""
    wanted = len(head) + named_rows
    if '"' in text:
        reader = csv.reader(lines[first + 1 :], delimiter=separator)
        widths = ((first + 1 + reader.line_num, len(row)) for row in reader if row)
    else:
        widths = ((n + 1, lines[n].count(separator) + 1) for n in range(first + 1, len(lines)) if lines[n].strip())
    for line, width in widths:
        if width != wanted:
            more = "more" if width > wanted else "fewer"
            remedy = "Give each line a value in each column; an empty one is missing."
            if width > wanted and separator == ",":
                remedy += " If it has decimal commas, separate values by semicolons."
            place = Place(name, line, 1, lines[line - 1], len(lines[line - 1]))
            raise GpsemError(f"Line {line} of {name} has {width} values, {more} than {wanted}.", place, remedy)


def _parsed(
    text: str, first: int, head: list[str], separator: str, decimal: str, name: str, named_rows: bool
) -> pd.DataFrame:
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            decimal=decimal,
            header=None,
            skiprows=first + 1,
            names=list(range(len(head) + named_rows)),
            index_col=0 if named_rows else False,
            na_values=["."],
            skipinitialspace=True,
            low_memory=False,
            **_EXACT,
        )
        return frame
    except pd.errors.EmptyDataError:
        raise GpsemError(f"{name} has names ({quoted(head)}) but no rows.", remedy="Give it rows.") from None
    except (pd.errors.ParserError, ValueError) as error:
        raise GpsemError(
            f"{name} cannot be read as a table ({str(error).strip()}).", remedy="Check its quotes and separators."
        ) from None
