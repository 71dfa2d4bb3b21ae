"""A text the user gave, and the places in it."""

from __future__ import annotations

import re
from bisect import bisect_right

from gpsem.errors import GpsemError, Place

LONGEST = 20_000_000
_TILDES = str.maketrans({"˜": "~", "∼": "~", "~": "~", "﹋": "~"})


class Source:
    """Model text with its name; offsets become lines and columns only when a place is asked for."""

    def __init__(self, text: str, name: str = "the model") -> None:
        if not isinstance(text, str):
            raise GpsemError(
                f"A model is text, not {type(text).__name__}.",
                remedy='Give lavaan syntax as a string, such as "F =~ y1 + y2 + y3".',
            )
        if len(text) > LONGEST:
            raise GpsemError(f"The model text has {len(text):,} characters; the limit is {LONGEST:,}.")
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self.text = text if text.isascii() else text.translate(_TILDES)
        self.name = name
        self._starts: list[int] | None = None

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._starts

    def line_of(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_right(self._line_starts(), offset)

    def place(self, start: int, end: int) -> Place:
        """The place of a stretch of the text; one that runs over a line's end is cut there."""
        starts = self._line_starts()
        start = min(start, len(self.text))
        line = bisect_right(starts, start)
        first = starts[line - 1]
        stop = starts[line] - 1 if line < len(starts) else len(self.text)
        return Place(self.name, line, start - first + 1, self.text[first:stop], max(1, min(end, stop) - start))

    def error(self, what: str, start: int, end: int, remedy: str = "") -> GpsemError:
        """The error that points at a stretch of this text."""
        return GpsemError(what, self.place(start, end), remedy)
