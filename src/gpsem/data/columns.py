"""Columns of a frame → numbers: names matched exactly, cells that are not numbers named by row and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from gpsem.data.read import Read
from gpsem.errors import Place, Problem, near, quoted

Array = np.ndarray[Any, np.dtype[np.float64]]
Codes = Sequence[float | str]
_BLANK = ("", ".", "NA", "NaN", "nan", "None", "<NA>", "NULL", "null")


class Columns(NamedTuple):
    """Numbers with NaN for missing cells (a matrix, or one column), what was wrong, and what was noticed."""

    values: Array
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    coded: int = 0  # cells that held a code for missing


def extract(read: Read, indicators: Sequence[str], places: Mapping[str, Place], missing: Codes = ()) -> Columns:
    """The named columns of a frame; `missing` are values that stand for a missing cell."""
    problems = _names(read, indicators, places)
    if problems:
        return Columns(np.empty((len(read.frame), 0)), tuple(problems))
    values = np.empty((len(read.frame), len(indicators)), order="F")
    notes: list[str] = []
    coded = 0
    for n, name in enumerate(indicators):
        found = _column(read, name, read.frame[name], missing)
        values[:, n] = found.values
        problems += found.problems
        notes += found.notes
        coded += found.coded
    if missing:
        shown = ", ".join(f"{code:g}" if isinstance(code, (int, float)) else repr(code) for code in missing)
        notes.append(f"{coded:,} cells equal to {shown} are taken as missing, as asked")
    return Columns(values, tuple(problems), tuple(notes), coded)


def _names(read: Read, indicators: Sequence[str], places: Mapping[str, Place]) -> list[Problem]:
    columns = list(read.frame.columns)
    texts = [name for name in columns if isinstance(name, str)]
    known = set(texts)
    twice = {name for name in known if texts.count(name) > 1} if len(known) < len(texts) else set()
    problems = []
    for name in indicators:
        if name in twice:
            problems.append(
                Problem(f"{read.name} has two columns named '{name}'.", places.get(name), "Rename one of them.")
            )
        elif name not in known:
            match = near(name, texts) if len(problems) < 20 else ""
            plain = all(c.isalnum() or c in "._" for c in match)
            remedy = f"Did you mean {match if plain else f'`{match}`'}?" if match else f"Its columns: {quoted(texts)}."
            remedy = remedy if texts else "It has no columns."
            if len(texts) < len(columns):
                remedy = "Its columns are not all named by text: rename them."
            problems.append(Problem(f"{read.name} has no column '{name}'.", places.get(name), remedy))
    return problems


def _column(read: Read, name: str, column: Any, missing: Codes) -> Columns:
    kind = column.dtype
    empty = np.full(len(column), np.nan)
    if types.is_bool_dtype(kind):
        found = _finite(read, name, column.to_numpy(dtype=float, na_value=np.nan), missing)
        return found._replace(notes=(f"'{name}' is true or false: read as 1 and 0",))
    if types.is_datetime64_any_dtype(kind) or types.is_timedelta64_dtype(kind):
        return Columns(empty, (Problem(f"The column '{name}' holds dates or times.", None, "Turn it into a number."),))
    if types.is_complex_dtype(kind):
        return Columns(empty, (Problem(f"The column '{name}' holds complex numbers.", None, "Give real numbers."),))
    if isinstance(kind, pd.CategoricalDtype) and not types.is_numeric_dtype(column.cat.categories.dtype):
        return _texts(read, name, column.astype(object), missing, "It is categorical: give its codes as numbers.")
    if isinstance(kind, pd.CategoricalDtype):
        column = column.astype(float)
    if types.is_numeric_dtype(column.dtype):
        return _finite(read, name, column.to_numpy(dtype=float, na_value=np.nan), missing)
    return _texts(read, name, column, missing, "")


def _finite(read: Read, name: str, values: Array, missing: Codes) -> Columns:
    """Numbers as they are, codes for missing taken out; infinities refused."""
    codes = [float(code) for code in missing if not isinstance(code, str)]
    hit = np.isin(values, codes) if codes else np.zeros(len(values), bool)
    if hit.any():
        values = np.where(hit, np.nan, values)
    infinite = np.flatnonzero(np.isinf(values))
    problems: tuple[Problem, ...] = ()
    if infinite.size:
        row = int(infinite[0])
        more = f" (and {infinite.size - 1:,} more of its cells)" if infinite.size > 1 else ""
        problems = (
            Problem(
                f"{_cell(read, row, name)} is infinite{more}.",
                read.place(row, name),
                "Give a number, or leave the cell empty.",
            ),
        )
    return Columns(values, problems, (), int(hit.sum()))


def _texts(read: Read, name: str, column: Any, missing: Codes, remedy: str) -> Columns:
    """A column that did not read as numbers: blanks and codes are missing cells, what is left must be numbers."""
    cells = column.to_numpy(dtype=object, na_value=None)
    values = np.full(len(cells), np.nan)
    words = {code for code in missing if isinstance(code, str)}
    comma = read.delimited is not None and read.delimited.decimal == ","
    bad: list[int] = []
    coded = 0
    for row, cell in enumerate(cells):
        text = cell.strip() if isinstance(cell, str) else cell
        if text is None or (isinstance(text, str) and text in _BLANK) or (isinstance(text, float) and text != text):
            continue
        if isinstance(text, str) and text in words:
            coded += 1
            continue
        number = _number(text.replace(",", ".") if comma and isinstance(text, str) else text)
        if number is None:
            bad.append(row)
        else:
            values[row] = number
    if not bad:
        found = _finite(read, name, values, missing)
        return found._replace(coded=found.coded + coded)
    row = bad[0]
    more = f" ({len(bad):,} cells of the column are not)" if len(bad) > 1 else ""
    shown = str(cells[row])
    shown = repr(shown if len(shown) <= 30 else shown[:27] + "...")
    problem = Problem(
        f"{_cell(read, row, name)} is {shown}, which is not a number{more}.",
        read.place(row, name),
        remedy or _text_remedy(str(cells[row])),
    )
    return Columns(values, (problem,))


def _number(cell: object) -> float | None:
    """The number a cell holds, or None. Python's own freedoms (1_000, full-width digits) are not numbers here."""
    if isinstance(cell, (bool, np.bool_)):
        return float(cell)
    if isinstance(cell, str) and ("_" in cell or not cell.isascii()):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _text_remedy(text: str) -> str:
    digits = text.replace(",", "").replace(" ", "").replace("%", "").replace("\u00a0", "")
    if _number(digits) is not None:
        return "Write plain numbers: no thousands signs, blanks or per cent signs inside."
    return "Correct it, leave the cell empty, or name it as a code for missing (--missing, missing=)."


def _cell(read: Read, row: int, name: str) -> str:
    """A cell in words: its row counted from 1 and, where rows have names, its name."""
    index = read.frame.index
    label = "" if isinstance(index, pd.RangeIndex) else f" ('{index[row]}')"
    return f"{read.name}: the cell in row {row + 1:,}{label}, column '{name}',"
