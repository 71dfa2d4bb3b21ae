"""Every error a user can meet: what is wrong, where, and what to do about it.

One class, `GpsemError`, carries one or more `Problem`s. The command line prints it and exits with its code;
in Python it reads the same. This module imports nothing of ours, so that everything may import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

INPUT_AT_FAULT = 2
MACHINE_AT_FAULT = 3
SHOWN_AT_MOST = 8
WINDOW = 96


class Place(NamedTuple):
    """A stretch of one line of a text the user gave: line and column count from 1."""

    source: str
    line: int
    column: int
    text: str
    length: int


class Problem(NamedTuple):
    """One mistake: what is wrong, the place where it shows, and the remedy."""

    what: str
    place: Place | None = None
    remedy: str = ""

    def __str__(self) -> str:
        parts = [self.what]
        if self.place is not None:
            parts.append(pointed(self.place))
        if self.remedy:
            parts.append("  " + self.remedy if self.place is not None else self.remedy)
        return "\n".join(parts)


class GpsemError(Exception):
    """The one error a user can meet. `code` is the exit code of the command line."""

    def __init__(
        self, what: str | Problem, place: Place | None = None, remedy: str = "", *, code: int = INPUT_AT_FAULT
    ) -> None:
        problem = what if isinstance(what, Problem) else Problem(what, place, remedy)
        self.problems: tuple[Problem, ...] = (problem,)
        self.code = code
        super().__init__(problem.what)

    @classmethod
    def of(cls, problems: Iterable[Problem], code: int = INPUT_AT_FAULT) -> GpsemError:
        """One error that reports several independent mistakes at once, each said once."""
        distinct = tuple(dict.fromkeys(problems))
        error = cls(distinct[0], code=code)
        error.problems = distinct
        return error

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.problems, self.code)

    @property
    def what(self) -> str:
        return self.problems[0].what

    @property
    def place(self) -> Place | None:
        return self.problems[0].place

    @property
    def remedy(self) -> str:
        return self.problems[0].remedy

    def __str__(self) -> str:
        shown = [str(problem) for problem in self.problems[:SHOWN_AT_MOST]]
        hidden = len(self.problems) - len(shown)
        if hidden:
            shown.append(f"and {hidden} more of the kind" if hidden > 1 else "and one more")
        return "\n".join(shown)


def _rebuilt(problems: tuple[Problem, ...], code: int) -> GpsemError:
    return GpsemError.of(problems, code)


def pointed(place: Place) -> str:
    """The place in words, its line, and carets under it.

    Tabs are widened to one blank, unprintable characters shown as a dot, and a very long line is cut to a window
    around the place, so that the carets stand where they should on any terminal.
    """
    line = "".join(c if c.isprintable() else " " if c == "\t" else "·" for c in place.text)
    start = place.column - 1
    stop = min(start + max(place.length, 1), len(line)) if start < len(line) else start + 1
    first = max(0, start - WINDOW // 2) if len(line) > WINDOW else 0
    shown = line[first : first + WINDOW]
    before = line[first:start]
    under = line[start : min(stop, first + WINDOW)] or " "
    left = "…" if first else ""
    right = "…" if first + WINDOW < len(line) else ""
    return (
        f"  {place.source}, line {place.line}, column {place.column}\n"
        f"    {left}{shown}{right}\n"
        f"    {' ' * (len(left) + _width(before))}{'^' * max(_width(under), 1)}"
    )


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def quoted(names: Iterable[str], at_most: int = 6) -> str:
    """Names in a sentence: 'a', 'b' and 'c'; long lists are cut and counted."""
    listed = [f"'{name}'" for name in names]
    if len(listed) > at_most:
        return ", ".join(listed[:at_most]) + f" and {len(listed) - at_most} more"
    if len(listed) < 2:
        return "".join(listed)
    return ", ".join(listed[:-1]) + " and " + listed[-1]


def near(name: str, known: Iterable[str]) -> str:
    """The known name that a misspelt one probably means, or an empty text."""
    from difflib import get_close_matches

    pool = list(known)
    folded = {other.casefold(): other for other in pool}
    if name.casefold() in folded:
        return folded[name.casefold()]
    squeezed = {"".join(c for c in other.casefold() if c.isalnum()): other for other in pool}
    key = "".join(c for c in name.casefold() if c.isalnum())
    if key and key in squeezed:
        return squeezed[key]
    close = get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return folded[close[0]] if close else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`Did you mean 'x'?`, or an empty text when nothing is near."""
    match = near(name, known)
    return f"Did you mean '{match}'?" if match else ""
