"""The parameter table while it is being made: rows that can still change, found by their key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpsem.errors import Place
from gpsem.syntax.prior import Prior
from gpsem.syntax.source import Source

Key = tuple[str, str, str]


class Draft:
    """One row in the making. `kind` says what parameter it is; `fixed` is None where it is free."""

    __slots__ = (
        "end",
        "equal",
        "fixed",
        "freed",
        "group",
        "kind",
        "label",
        "lhs",
        "op",
        "priors",
        "rhs",
        "start",
        "starting",
        "user",
    )

    def __init__(self, lhs: str, op: str, rhs: str, kind: str, user: int, at: tuple[int, int] = (0, 0)) -> None:
        self.lhs, self.op, self.rhs, self.kind, self.user = lhs, op, rhs, kind, user
        self.fixed: float | None = None
        self.freed = False  # by NA
        self.starting: float | None = None
        self.label = ""
        self.equal: tuple[str, int, int] | None = None  # equal("F=~y2"): the name of another row, and its place
        self.priors: dict[str, tuple[Prior, int, int]] = {}
        self.group = 0  # of equal rows; 0 stands alone
        self.start, self.end = at

    @property
    def key(self) -> Key:
        return self.lhs, self.op, self.rhs

    @property
    def number(self) -> object:
        """What it shares with the rows that are equal to it, and with no other."""
        return self.group or id(self)

    @property
    def name(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}".strip()

    def place(self, source: Source) -> Place | None:
        return source.place(self.start, self.end) if self.user else None


class Drafts:
    """All rows, in order, each found by its key; a covariance by either order of its names."""

    def __init__(self) -> None:
        self._rows: dict[Key, Draft] = {}

    def __iter__(self) -> Iterator[Draft]:
        return iter(self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: Draft) -> Draft:
        self._rows[row.key] = row
        return row

    def get(self, lhs: str, op: str, rhs: str) -> Draft | None:
        row = self._rows.get((lhs, op, rhs))
        if row is None and op == "~~":
            row = self._rows.get((rhs, op, lhs))
        return row

    def default(self, lhs: str, op: str, rhs: str, kind: str) -> Draft:
        """The user's row where there is one, else a new one."""
        return self.get(lhs, op, rhs) or self.add(Draft(lhs, op, rhs, kind, user=0))

    def of(self, kind: str) -> list[Draft]:
        return [row for row in self if row.kind == kind]


class Kind(NamedTuple):
    """What a kind of parameter admits: equalities, starting values, and the scales of a prior ('' is itself)."""

    named: str
    equal: bool
    starts: bool
    priors: tuple[str, ...]
    positive: bool


KINDS: dict[str, Kind] = {
    "loading": Kind("a loading", True, True, ("",), False),
    "intercept": Kind("an indicator's intercept", True, True, ("",), False),
    "error": Kind("an error variance", True, True, ("sd", "var", "prec"), True),
    "disturbance": Kind("a disturbance variance", True, True, ("sd", "var", "prec"), True),
    "slope": Kind("a slope", True, True, ("",), False),
    "level": Kind("an equation's intercept", True, True, ("",), False),
    "function": Kind("a learned function", False, False, ("sd", "scale"), True),
    "length": Kind("a length-scale", False, False, (), True),
    "mean": Kind("the mean of an exogenous latent", False, False, (), False),
    "variance": Kind("the variance of an exogenous latent", False, False, (), True),
    "covariance": Kind("a covariance of exogenous latents", False, False, (), False),
    "zero": Kind("a covariance that is zero", False, False, (), False),
    "defined": Kind("a defined parameter", False, False, (), False),
}
