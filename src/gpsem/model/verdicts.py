"""What was found about a model before any data."""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import Place


class Verdict(NamedTuple):
    """What was found: `ok`, `note`, `warning` or `refused`; what it is about; the remedy; the place."""

    level: str
    about: str
    what: str
    remedy: str = ""
    place: Place | None = None
