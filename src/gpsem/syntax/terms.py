"""Tokens → the terms on one side of an operator: `a*x1 + start(0.5)*x2 + gp(A, B) + A:B + 1`."""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import GpsemError, did_you_mean
from gpsem.syntax.expression import finite
from gpsem.syntax.modifiers import Modifier, asked, read_modifiers, split
from gpsem.syntax.prior import Prior
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import Token

FUNCTION_TERMS = ("gp", "lin")


class Term(NamedTuple):
    """One summand: a name, a product of two, a constant, or a function of names, with its modifiers."""

    kind: str  # name, product, constant, gp, lin
    names: tuple[str, ...]
    modifiers: tuple[Modifier, ...]
    start: int
    end: int
    places: tuple[tuple[int, int], ...] = ()  # of each name
    value: float = 0.0  # of a constant

    def modifier(self, kind: str) -> Modifier | None:
        return next((m for m in self.modifiers if m.kind == kind), None)


def parse_terms(source: Source, tokens: list[Token], operator: Token) -> tuple[Term, ...]:
    """All terms of one side; a term listed twice is one term with the modifiers of both."""
    pieces = split(tokens, "+")
    if len(pieces) > 1 and not pieces[0]:
        pieces = pieces[1:]  # lavaan lets a sum begin with a plus
    terms: dict[tuple[str, tuple[str, ...], float], Term] = {}
    before = operator
    for piece in pieces:
        if not piece:
            raise source.error(
                "Something is missing here.", before.start, before.end, "Write a name, or take the sign out."
            )
        term = _term(source, piece)
        key = (term.kind, term.names, term.value)
        terms[key] = _merged(source, terms[key], term) if key in terms else term
        before = piece[-1]
    return tuple(terms.values())


def _merged(source: Source, first: Term, again: Term) -> Term:
    kept = list(first.modifiers)
    for modifier in again.modifiers:
        _no_second(source, kept, modifier)
        kept.append(modifier)
    return first._replace(modifiers=tuple(kept))


def _no_second(source: Source, kept: list[Modifier], modifier: Modifier) -> None:
    kind = "label" if modifier.kind == "equal" else modifier.kind
    for other in kept:
        same_scale = kind != "prior" or _scale(other) == _scale(modifier)
        if ("label" if other.kind == "equal" else other.kind) == kind and same_scale:
            named = {"fixed": "value", "start": "starting value"}.get(kind, kind)
            raise source.error(
                f"This term is given a second {named}.", modifier.start, modifier.end, f"Keep one {named}."
            )


def _scale(modifier: Modifier) -> str:
    value = modifier.values[0]
    return value.on if isinstance(value, Prior) else ""


def _term(source: Source, tokens: list[Token]) -> Term:
    starred = split(tokens, "*")
    target = starred[-1]
    questions = split(target, "?")  # lavaan's 0.5?x: a starting value
    modifiers = [asked(source, piece or tokens[:1]) for piece in questions[:-1]]
    target = questions[-1]
    modifiers += read_modifiers(source, starred[:-1])
    if not target or not all(starred[:-1]):
        star = next(t for t in tokens if t.value in "*?" and t.kind == "op")
        raise source.error(
            "Something is missing beside this sign.", star.start, star.end, "Write modifier*name, such as 0.5*x."
        )
    for place, modifier in enumerate(modifiers):
        _no_second(source, modifiers[:place], modifier)
    return _target(source, target, tuple(modifiers))


def _target(source: Source, tokens: list[Token], modifiers: tuple[Modifier, ...]) -> Term:
    first, last = tokens[0], tokens[-1]
    places = tuple((t.start, t.end) for t in tokens if t.kind == "name")
    if len(tokens) == 1 and first.kind == "name":
        if first.value == "NA":
            raise source.error("NA is not a variable.", first.start, first.end, "NA*x frees the parameter of x.")
        return Term("name", (first.value,), modifiers, first.start, first.end, places)
    if len(tokens) == 1 and first.kind == "number":
        return Term("constant", (), modifiers, first.start, first.end, (), finite(source, first))
    if first.kind == "name" and len(tokens) > 2 and tokens[1].value == "(" and last.value == ")":
        return _function(source, tokens, modifiers)
    if first.kind == "name" and len(tokens) > 2 and tokens[1].value == ":":
        return _product(source, tokens, modifiers, places)
    raise unexpected(source, tokens)


def _product(
    source: Source, tokens: list[Token], modifiers: tuple[Modifier, ...], places: tuple[tuple[int, int], ...]
) -> Term:
    first, last = tokens[0], tokens[-1]
    if len(tokens) == 3 and last.kind == "name":
        return Term("product", (first.value, last.value), modifiers, first.start, last.end, places)
    if all(t.kind == "name" if place % 2 == 0 else t.value == ":" for place, t in enumerate(tokens)):
        raise source.error(
            "A product of three or more is not in the language.",
            first.start,
            last.end,
            "Products have two factors: A:B.",
        )
    raise unexpected(source, tokens[2:] or tokens)


def _function(source: Source, tokens: list[Token], modifiers: tuple[Modifier, ...]) -> Term:
    name = tokens[0]
    if name.value not in FUNCTION_TERMS:
        hint = did_you_mean(name.value, FUNCTION_TERMS)
        if name.value in ("s", "hsgp", "smooth", "te", "ti", "f"):
            hint = "Write gp(A) for a learned function."
        raise source.error(
            f"'{name.value}()' is not a term of this language.",
            name.start,
            name.end,
            f"{hint} Function terms are gp(A, B) and lin(A, B).".strip(),
        )
    names: list[Token] = []
    for piece in split(tokens[2:-1], ","):
        if len(piece) != 1 or piece[0].kind != "name":
            what = piece or tokens[1:]
            raise source.error(
                f"'{name.value}()' takes names.", what[0].start, what[-1].end, f"Write {name.value}(A, B)."
            )
        names.append(piece[0])
    values = tuple(token.value for token in names)
    for place, token in enumerate(names):
        if token.value in values[:place]:
            raise source.error(f"'{token.value}' stands twice here.", token.start, token.end, "Keep it once.")
    return Term(name.value, values, modifiers, name.start, tokens[-1].end, tuple((t.start, t.end) for t in names))


def unexpected(source: Source, tokens: list[Token]) -> GpsemError:
    """The error for tokens that make no term, with a guess at what was meant."""
    for left, right in zip(tokens, tokens[1:], strict=False):
        if left.kind in ("name", "number") and right.kind in ("name", "number"):
            return source.error(
                f"'{left.value}' and '{right.value}' stand side by side with nothing between them.",
                right.start,
                right.end,
                "Join terms with '+', a modifier to its variable with '*'; put a name with blanks in backticks.",
            )
    odd = next((t for t in tokens if t.kind == "op"), tokens[0])
    remedy = {
        "-": "There is no minus between terms: write -1*x to fix a coefficient at -1.",
        "/": "A number may be divided before a '*', as in 2/3*x.",
        "=": "Did you mean '=~' (measured by), '==' (equal) or ':=' (defined as)?",
        "^": "Squares are written A:A.",
        "**": "Squares are written A:A.",
        "@": "To fix a value write 1*x; '@' is Mplus's sign.",
        "[": "Means are written y ~ 1; '[y]' is Mplus's sign.",
    }.get(odd.value, "A term is a name, modifier*name, A:B, gp(A), lin(A) or 1.")
    return source.error(f"'{odd.value}' cannot stand here.", odd.start, odd.end, remedy)
