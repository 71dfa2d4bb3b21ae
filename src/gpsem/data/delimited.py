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
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(r'"[^"]*"|\S+')
_ANNOUNCED = re.compile(r"sep=(.)\s*", re.IGNORECASE)
# Every digit counts: pandas reads numbers exactly from 3.1 on, and when asked to before.
_EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


class Delimited(NamedTuple):
    """What a text table holds, and enough of its text to point at a cell."""

    frame: pd.DataFrame
    notes: tuple[str, ...]
    duplicates: tuple[str, ...]
    name: str
    text: str
    separator: str
    decimal: str
    header_line: int

    def place(self, row: int, column: str) -> Place | None:
        """The place of a cell, where lines and rows agree (no quoted line ends)."""
        lines = self.text.splitlines()
        filled = [n for n in range(self.header_line, len(lines)) if lines[n].strip()]
        if len(filled) != len(self.frame):
            return None
        line = lines[filled[row]]
        names = [name.strip() for name in next(csv.reader([lines[self.header_line - 1]], delimiter=self.separator))]
        spans = _spans(line, self.separator)
        if column not in names or len(spans) not in (len(names), len(names) + 1):
            return None
        leading = len(spans) - len(names) if self.frame.index.dtype == object else 0
        start, end = spans[names.index(column) + leading]
        cell = line[start:end]
        blank = len(cell) - len(cell.lstrip())
        return Place(self.name, filled[row] + 1, start + blank + 1, line, max(1, len(cell.strip())))


def _spans(line: str, separator: str) -> list[tuple[int, int]]:
    """Where each value of a line stands; separators inside quotes do not separate."""
    spans, start, inside = [], 0, False
    for place, sign in enumerate(line):
        if sign == '"':
            inside = not inside
        elif sign == separator and not inside:
            spans.append((start, place))
            start = place + 1
    return [*spans, (start, len(line))]


class _Reading(NamedTuple):
    """What is known of a text before it is parsed."""

    name: str
    text: str
    lines: list[str]
    first: int  # the line of names
    head: list[str]
    separator: str
    decimal: str
    extra: str  # "", "names" (each line begins with the row's name) or "ends" (each ends with a separator)

    @property
    def width(self) -> int:
        return len(self.head) + bool(self.extra)


def read_delimited(data: bytes, name: str, separator: str | None = None) -> Delimited:
    """Bytes of a CSV-like file → a frame; errors carry the line."""
    notes: list[str] = []
    text = _decoded(data, name, notes)
    lines = text.splitlines()
    announced = _ANNOUNCED.fullmatch(lines[0]) if lines else None
    if announced:
        separator, lines[0] = announced.group(1), ""
        text = "\n".join(lines)
    filled = [n for n, line in enumerate(lines) if line.strip()]
    if not filled:
        raise GpsemError(f"{name} is empty.", remedy="Give a table with a line of names and a line a row.")
    first = filled[0]
    sample = [lines[n] for n in filled[: SAMPLE_LINES + 1]]
    separator = separator or _separator(sample)
    if separator == " ":
        notes.append("values are separated by blanks")
        lines = ["\t".join(_WORD.findall(line)) for line in lines]
        text, separator = "\n".join(lines), "\t"
        sample = [lines[n] for n in filled[: SAMPLE_LINES + 1]]
    elif separator != ",":
        notes.append(f"values are separated by {SEPARATORS.get(separator, repr(separator))}")
    head = [cell.strip() for cell in next(csv.reader([sample[0]], delimiter=separator))]
    _check_head(head, name, first + 1, sample[0])
    rows = list(csv.reader(sample[1:], delimiter=separator))
    decimal = _decimal(rows, separator, name)
    if decimal == ",":
        notes.append("decimal commas are read as decimal points")
    extra = ""
    if rows and all(len(row) == len(head) + 1 for row in rows):
        extra = "ends" if not any(row[-1].strip() for row in rows) else "names"
    reading = _Reading(name, text, lines, first, head, separator, decimal, extra)
    _check_widths(reading)
    blank = sum(not lines[n].strip() for n in range(first, filled[-1]))
    if blank:
        notes.append(f"{blank} blank line{'s were' if blank > 1 else ' was'} passed over")
    frame, names = _named(_parsed(reading), reading, notes)
    twice = tuple(dict.fromkeys(n for n in names if names.count(n) > 1)) if len(set(names)) < len(names) else ()
    return Delimited(frame, tuple(notes), twice, name, text, separator, decimal, first + 1)


def _named(frame: pd.DataFrame, reading: _Reading, notes: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Columns under their names; row names and empty columns without a name are taken for what they are."""
    names = list(reading.head)
    if reading.extra == "names":
        notes.append("the first value of each line, which has no name, is taken as the row's name")
    elif reading.extra == "ends":
        if frame.iloc[:, -1].notna().any():
            raise GpsemError(
                f"Lines of {reading.name} have one value more than there are names.",
                remedy="Name every column, or take the last separator of each line out.",
            )
        frame = frame.iloc[:, :-1]
        notes.append("each line ends with a separator, which is passed over")
    elif names[0] == "" and len(names) > 1:
        frame = frame.set_index(frame.columns[0])
        frame.index.name = None
        names = names[1:]
        notes.append("the first column, which has no name, is taken as the rows' names")
    frame.columns = pd.Index(range(len(names)))
    empty = [n for n, name in enumerate(names) if name == "" and bool(frame[n].isna().all())]
    if empty:
        frame = frame.drop(columns=empty)
        names = [name for n, name in enumerate(names) if n not in empty]
        notes.append("empty columns without a name are passed over")
    frame.columns = pd.Index(names)
    return frame, names


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
    """The sign that cuts the lines into the most pieces, equally many in each; blanks where no sign does."""
    best, best_score = "", (0.0, 0)
    for sign in SEPARATORS:
        widths = [len(row) for row in csv.reader(sample, delimiter=sign)]
        score = _score(widths)
        if score > best_score:
            best, best_score = sign, score
    if not best:
        agree, width = _score([len(_WORD.findall(line)) for line in sample])
        best = " " if width > 1 and agree == 1 and len(sample) > 1 else ","
    return best


def _score(widths: list[int]) -> tuple[float, int]:
    head = widths[0]
    if head < 2:
        return 0.0, 0
    return sum(width in (head, head + 1) for width in widths) / len(widths), head


def _decimal(rows: list[list[str]], separator: str, name: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    points = any(_DECIMAL_POINT.fullmatch(cell) for cell in cells)
    if separator == "," or not commas or points:
        return "."
    if all(_GROUPED.fullmatch(cell) for cell in commas):
        raise GpsemError(
            f"The commas in {name} can be thousands signs or decimal commas: each is followed by three digits "
            f"('{commas[0]}').",
            remedy="Save the table with decimal points and without thousands signs.",
        )
    return ","


def _check_head(head: list[str], name: str, line: int, text: str) -> None:
    if all(_NUMBER.fullmatch(cell) for cell in head if cell) and any(head):
        raise GpsemError(
            f"The first line of {name} holds numbers, not names.",
            Place(name, line, 1, text, len(text)),
            "Put a line of column names first.",
        )


def _check_widths(reading: _Reading) -> None:
    """Lines with too few or too many values, and stray quotes, are errors: a reader that mends them shifts cells."""
    for line, width in _widths(reading):
        if width == reading.width:
            continue
        more = "more" if width > reading.width else "fewer"
        remedy = "Give each line a value in each column; an empty one is missing."
        if width > reading.width and reading.separator == ",":
            remedy += " If it has decimal commas, separate values by semicolons."
        text = reading.lines[line - 1]
        raise GpsemError(
            f"Line {line} of {reading.name} has {width} values, {more} than {reading.width}.",
            Place(reading.name, line, 1, text, len(text)),
            remedy,
        )


def _widths(reading: _Reading) -> list[tuple[int, int]]:
    start = reading.first + 1
    if '"' not in reading.text:
        sign = reading.separator
        return [
            (n + 1, reading.lines[n].count(sign) + 1)
            for n in range(start, len(reading.lines))
            if reading.lines[n].strip()
        ]
    body = io.StringIO("\n".join(reading.lines[start:]))
    reader = csv.reader(body, delimiter=reading.separator, strict=True, skipinitialspace=True)
    widths = []
    before = start
    try:
        for row in reader:
            if start + reader.line_num > before + 1 and row:
                raise csv.Error("a quoted value runs over the line's end")
            before = start + reader.line_num
            if row and not (len(row) == 1 and not row[0].strip()):
                widths.append((before, len(row)))
    except csv.Error as error:
        line = before + 1
        text = reading.lines[min(line, len(reading.lines)) - 1]
        at = text.find('"')
        raise GpsemError(
            f"A quotation mark in line {line} of {reading.name} is out of place ({error}).",
            Place(reading.name, line, max(at, 0) + 1, text, 1),
            'Close it on the same line, or double it inside a value: "5"" wide".',
        ) from None
    return widths


def _parsed(reading: _Reading) -> pd.DataFrame:
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.StringIO("\n".join(reading.lines)),
            sep=reading.separator,
            decimal=reading.decimal,
            header=None,
            skiprows=reading.first + 1,
            names=list(range(reading.width)),
            index_col=0 if reading.extra == "names" else False,
            na_values=["."],
            skipinitialspace=True,
            low_memory=False,
            **_EXACT,
        )
        return frame
    except pd.errors.EmptyDataError:
        raise GpsemError(
            f"{reading.name} has names ({quoted(reading.head)}) but no rows.", remedy="Give rows."
        ) from None
    except (pd.errors.ParserError, ValueError) as error:
        raise GpsemError(
            f"{reading.name} cannot be read as a table ({str(error).strip()}).",
            remedy="Check its quotes and separators.",
        ) from None
