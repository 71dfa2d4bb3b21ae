"""An account of the data: rows, gaps and their patterns, each indicator's range, and what looks odd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpsem.errors import Place, Problem, quoted

Array = np.ndarray[Any, np.dtype[np.float64]]
LEAST_ROWS = 10
HUGE, TINY = 1e140, 1e-140
FEW_VALUES = 7
PATTERNS_SHOWN = 5
_CODES = frozenset(
    sign * value for value in (7, 8, 9, 77, 88, 98, 99, 777, 888, 998, 999, 9998, 9999, 99999) for sign in (1, -1)
) | {-1}


class Indicator(NamedTuple):
    """One column: observed cells, their mean, sd, range, and how many distinct values there are (up to a few)."""

    name: str
    observed: int
    mean: float
    sd: float
    low: float
    high: float
    whole: int  # number of distinct values if all are whole and few, else 0


class Account(NamedTuple):
    """What is in the data, as numbers."""

    name: str
    rows: int
    columns: int
    indicators: tuple[Indicator, ...]
    complete: int
    empty: int
    missing: int
    patterns: tuple[tuple[int, tuple[str, ...]], ...]  # rows, and the indicators missing in them; commonest first
    pattern_count: int
    notes: tuple[str, ...]


def take(name: str, columns: int, names: Sequence[str], values: Array, notes: Sequence[str]) -> Account:
    """Count everything; judge nothing that would refuse the data."""
    gaps = np.isnan(values)
    missing_by_row = gaps.sum(axis=1)
    described = tuple(_describe(names[n], values[:, n], gaps[:, n]) for n in range(len(names)))
    patterns, count = _patterns(gaps, names)
    return Account(
        name,
        len(values),
        columns,
        described,
        int((missing_by_row == 0).sum()),
        int((missing_by_row == len(names)).sum()),
        int(missing_by_row.sum()),
        patterns,
        count,
        (*notes, *_codes(names, values), *_ordinal(described)),
    )


def _describe(name: str, column: Array, gaps: Any) -> Indicator:
    seen = column[~gaps]
    if not len(seen):
        return Indicator(name, 0, np.nan, np.nan, np.nan, np.nan, 0)
    low, high = float(seen.min()), float(seen.max())
    if max(abs(low), abs(high)) > HUGE:
        return Indicator(name, len(seen), np.nan, np.inf, low, high, 0)
    few = high - low < 20 and bool((seen == np.round(seen)).all())
    distinct = len(np.unique(seen)) if few else 0
    sd = float(seen.std(ddof=1)) if len(seen) > 1 else 0.0
    return Indicator(name, len(seen), float(seen.mean()), sd, low, high, distinct if distinct <= FEW_VALUES else 0)


def _patterns(gaps: Any, names: Sequence[str]) -> tuple[tuple[tuple[int, tuple[str, ...]], ...], int]:
    packed = np.ascontiguousarray(np.packbits(gaps, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:PATTERNS_SHOWN]
    shown = tuple((int(counts[n]), tuple(np.asarray(names)[gaps[first[n]]].tolist())) for n in order)
    return shown, len(counts)


def _codes(names: Sequence[str], values: Array) -> list[str]:
    """Values such as -99 or 999 that stand far outside all others: said, and kept, for they may be real."""
    found: dict[float, list[str]] = {}
    cells: dict[float, int] = {}
    for n, name in enumerate(names):
        seen = values[:, n]
        seen = seen[np.isfinite(seen)]
        for code in _column_codes(seen):
            found.setdefault(code, []).append(name)
            cells[code] = cells.get(code, 0) + int((seen == code).sum())
    return [
        f"{code:g} stands far outside the other values of {quoted(columns)} ({cells[code]:,} cells): if it means "
        f"missing, say so (--missing {code:g}, missing=[{code:g}]); it is taken as a value"
        for code, columns in found.items()
    ]


def _column_codes(seen: Array) -> list[float]:
    """Codes at either end of a column: the most of its outermost values that are codes and stand far from the rest."""
    codes: list[float] = []
    for sign in (1.0, -1.0):
        rest = seen * sign
        outer: list[float] = []
        while len(rest) and sign * rest.max() in _CODES:
            outer.append(float(rest.max()))
            rest = rest[rest < outer[-1]]
        while outer and not _far(outer[-1], rest):
            rest = seen[sign * seen <= outer.pop()] * sign
        codes += [sign * code for code in outer]
    return codes


def _far(code: float, rest: Array) -> bool:
    """Whether a code above all other values is further from them than they are from each other."""
    if len(rest) < 3 or len(np.unique(rest[:1000])) < 3:
        return False
    low, high = float(rest.min()), float(rest.max())
    few = high - low <= FEW_VALUES and bool((rest == np.round(rest)).all())
    return code - high > max(high - low, 1.0) or (few and code - high >= 2)


def _ordinal(described: Sequence[Indicator]) -> list[str]:
    items = [item for item in described if item.whole]
    if not items:
        return []
    counts = sorted({item.whole for item in items})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return [
        f"{quoted(item.name for item in items)} look{'s' * (len(items) == 1)} ordinal ({span} whole values); "
        "such items are treated as continuous by this version"
    ]


def refusals(account: Account, values: Array, places: Mapping[str, Place]) -> list[Problem]:
    """What makes these data impossible to use with this model."""
    problems = []
    for item in account.indicators:
        place = places.get(item.name)
        if item.observed == 0:
            problems.append(
                Problem(f"The column '{item.name}' is empty.", place, "Take the indicator out, or check the file.")
            )
        elif item.sd == np.inf or (item.low != item.high and item.sd < TINY):
            problems.append(
                Problem(
                    f"The values of '{item.name}' run from {item.low:g} to {item.high:g}: too "
                    f"{'large' if item.sd == np.inf else 'small'} to calculate with.",
                    place,
                    "Give them in another unit.",
                )
            )
        elif item.low == item.high or item.sd <= 1e-12 * max(abs(item.low), abs(item.high)):
            problems.append(
                Problem(
                    f"The column '{item.name}' has no variance: every value is {item.low:g}.",
                    place,
                    "Take the indicator out.",
                )
            )
    usable = account.rows - account.empty
    if usable < LEAST_ROWS:
        empty = f" ({account.empty:,} more hold none of the indicators)" if account.empty else ""
        problems.append(
            Problem(
                f"{account.name} has {usable} row{'s' if usable != 1 else ''} to learn from{empty}; at least "
                f"{LEAST_ROWS} are needed.",
                None,
                "Give more rows.",
            )
        )
    if not problems:
        problems = _duplicates(account, values, places)
    return problems


def _duplicates(account: Account, values: Array, places: Mapping[str, Place]) -> list[Problem]:
    """Columns that are equal, or one a multiple of the other plus a constant: one indicator named twice."""
    names = [item.name for item in account.indicators]
    by_print: dict[bytes, list[int]] = {}
    for n, item in enumerate(account.indicators):
        standard = np.round((values[:1000, n] - item.mean) / item.sd, 6) + 0.0
        first = standard[np.isfinite(standard) & (standard != 0)]
        sign = -1.0 if len(first) and first[0] < 0 else 1.0
        by_print.setdefault((np.nan_to_num(standard * sign, nan=1e9) + 0.0).tobytes(), []).append(n)
    problems = []
    for alike in by_print.values():
        for other in alike[1:]:
            a, b = values[:, alike[0]], values[:, other]
            both = np.isfinite(a) & np.isfinite(b)
            if both.sum() < 3 or abs(np.corrcoef(a[both], b[both])[0, 1]) < 1 - 1e-12:
                continue
            how = "equal" if np.array_equal(a[both], b[both]) else "the same up to unit and origin"
            problems.append(
                Problem(
                    f"The columns '{names[alike[0]]}' and '{names[other]}' are {how}.",
                    places.get(names[other]),
                    "They are one measurement: take one of them out.",
                )
            )
    return problems
