"""Structural equations: what the terms of `Y ~ ...` mean under each family, and the rows they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpsem.errors import Problem
from gpsem.model.draft import Draft, Drafts
from gpsem.model.flat import FlatRow
from gpsem.model.settings import FUNCTION_FAMILIES, Settings
from gpsem.syntax.expression import name_text
from gpsem.syntax.source import Source


class Equation(NamedTuple):
    """One structural equation as it will be estimated: learned functions of parents, and linear terms beside them."""

    latent: str
    family: str  # of its functions: gp, full-gp or basis; empty where there is none
    functions: tuple[tuple[str, ...], ...]  # the parents of each learned function
    slopes: tuple[tuple[str, ...], ...]  # the factors of each linear term: (A,), (A, A), (A, B)

    @property
    def has_level(self) -> bool:
        """Whether it has an intercept of its own; a learned function carries its level itself."""
        return bool(self.slopes)

    @property
    def right(self) -> str:
        """The right-hand side in the language, every term written out."""
        functions = [f"gp({', '.join(map(name_text, parents))})" for parents in self.functions]
        lines = [":".join(map(name_text, factors)) for factors in self.slopes]
        return " + ".join([*functions, *lines])


def equations(
    source: Source, rows: Sequence[FlatRow], endogenous: Sequence[str], settings: Settings, problems: list[Problem]
) -> list[Equation]:
    """Every latent's equation; mistakes in it are added to `problems`."""
    written: dict[str, list[FlatRow]] = {latent: [] for latent in endogenous}
    for row in rows:
        if row.op == "~" and row.lhs in written:
            written[row.lhs].append(row)
    return [_equation(source, latent, terms, settings, problems) for latent, terms in written.items()]


def _equation(
    source: Source, latent: str, rows: list[FlatRow], settings: Settings, problems: list[Problem]
) -> Equation:
    plain = [row for row in rows if row.term.kind == "name"]
    spelled_out = len(plain) < len(rows)
    problems.extend(_mistakes(source, rows, settings, spelled_out))
    names = tuple(row.rhs for row in plain)
    if spelled_out:
        functions = tuple(row.term.names for row in rows if row.term.kind == "gp")
        slopes: list[tuple[str, ...]] = []
        for row in rows:
            if row.term.kind == "lin":
                slopes.extend((name,) for name in row.term.names)
            elif row.term.kind != "gp":
                slopes.append(row.term.names)
        return Equation(latent, settings.written_family if functions else "", functions, tuple(slopes))
    if settings.structural in FUNCTION_FAMILIES:
        return Equation(latent, settings.structural, (names,), ())
    if settings.structural == "quadratic":
        pairs = [(a, b) for place, a in enumerate(names) for b in names[place:]]
        return Equation(latent, "", (), (*((name,) for name in names), *pairs))
    return Equation(latent, "", (), tuple((name,) for name in names))


def _mistakes(source: Source, rows: list[FlatRow], settings: Settings, spelled_out: bool) -> Iterator[Problem]:
    in_functions: set[str] = set()
    linear: set[str] = set()
    for row in rows:
        term = row.term
        place = source.place(term.start, term.end)
        names = ", ".join(map(name_text, term.names))
        if term.kind == "gp":
            for name in term.names:
                if name in in_functions:
                    yield Problem(
                        f"'{name}' stands in two gp() terms of one equation: their sum could be split in any way.",
                        place,
                        "Keep it in one of them.",
                    )
            in_functions.update(term.names)
            for modifier in term.modifiers:
                if modifier.kind != "prior":
                    yield Problem(
                        f"A learned function has no coefficient to set ('{_shown(source, modifier)}').",
                        source.place(modifier.start, modifier.end),
                        f'Only a prior can stand before it, as in prior("half_normal(1)[sd]")*gp({names}); '
                        f"a slope is lin({name_text(term.names[0])}).",
                    )
        elif term.kind == "lin" and len(term.names) > 1 and term.modifiers:
            yield Problem(
                "A modifier before lin() of several names would mean several slopes.",
                place,
                f"Write one lin() a name: {' + '.join(f'lin({name_text(n)})' for n in term.names)}.",
            )
        elif term.kind == "name" and term.modifiers and not spelled_out and settings.structural in FUNCTION_FAMILIES:
            modifier = term.modifiers[0]
            yield Problem(
                f"'{row.rhs}' acts through a learned function (structural='{settings.structural}'), which has no "
                f"coefficient to set ('{_shown(source, modifier)}').",
                source.place(modifier.start, modifier.end),
                f"Write {_shown(source, modifier)}*lin({names}) for a straight line, or set structural='linear'.",
            )
        if term.kind in ("name", "lin"):
            for name in term.names:
                if name in linear:
                    yield Problem(f"'{name}' has two linear terms in one equation.", place, "Keep one of them.")
                linear.add(name)


def _shown(source: Source, modifier: object) -> str:
    start, end = modifier.start, modifier.end  # type: ignore[attr-defined]
    text = " ".join(source.text[start:end].split())
    return text if len(text) <= 40 else text[:37] + "..."


def add_rows(drafts: Drafts, equation: Equation, rows: Sequence[FlatRow]) -> None:
    """The table's rows of one equation: a slope each, and for a function its sd and a length-scale a parent."""
    latent = equation.latent
    by_name: dict[tuple[str, ...], FlatRow] = {}
    for row in rows:
        if row.term.kind == "lin":
            by_name.update({(name,): row for name in row.term.names})
        elif row.term.kind == "gp":
            by_name["gp", *row.term.names] = row
        else:
            by_name[row.term.names] = row
    for parents in equation.functions:
        written = by_name.get(("gp", *parents)) or by_name.get(parents[:1])
        at = (written.term.start, written.term.end) if written else (0, 0)
        drafts.add(Draft(latent, "~gp.sd", ",".join(map(name_text, parents)), "function", 1, at))
        for parent in parents:
            drafts.add(Draft(latent, "~gp.scale", name_text(parent), "length", 1, at))
    for factors in equation.slopes:
        slope = by_name.get(factors)
        at = (slope.term.start, slope.term.end) if slope else (0, 0)
        drafts.add(Draft(latent, "~", ":".join(map(name_text, factors)), "slope", 1 if slope else 0, at))
