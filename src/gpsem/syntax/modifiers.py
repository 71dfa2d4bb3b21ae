"""What stands before a `*`: numbers, NA, labels, start(), equal(), prior(), c() and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpsem.errors import did_you_mean
from gpsem.syntax.expression import FUNCTIONS, constant
from gpsem.syntax.prior import Prior, parse_prior
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import Token

Value = float | str | Prior | None


class Modifier(NamedTuple):
    """What stands before a `*`: its kind and values (one a group); a fixed value of None frees (`NA`)."""

    kind: str  # fixed, label, equal, start, lower, upper, prior, rv, efa
    values: tuple[Value, ...]
    start: int
    end: int


def split(tokens: list[Token], sign: str) -> list[list[Token]]:
    """Tokens between a sign that stands outside all brackets; empty stretches are kept."""
    pieces: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "op":
            if token.value in ("(", "["):
                depth += 1
            elif token.value in (")", "]"):
                depth -= 1
            elif token.value == sign and depth == 0:
                pieces.append([])
                continue
        pieces[-1].append(token)
    return pieces


def read_modifiers(source: Source, pieces: list[list[Token]]) -> list[Modifier]:
    """The modifiers of the stretches before a term's last `*`; numbers side by side are multiplied, as R would."""
    modifiers: list[Modifier] = []
    ahead: list[list[Token]] = []
    for piece in [*pieces, []]:
        if piece and _is_arithmetic(piece):
            ahead.append(piece)
            continue
        if ahead:
            modifiers.append(_fixed(source, ahead))
            ahead = []
        if piece:
            modifiers.append(_modifier(source, piece))
    return modifiers


def _is_arithmetic(piece: list[Token]) -> bool:
    """Whether a modifier is a sum in numbers: no names but `NA` excluded, functions of numbers allowed."""
    for place, token in enumerate(piece):
        if token.kind == "number" or (token.kind == "op" and token.value not in "?=[]"):
            continue
        opens = piece[place + 1].value if place + 1 < len(piece) else ""
        if token.kind == "name" and token.value in FUNCTIONS and opens == "(":
            continue
        return False
    return True


def _fixed(source: Source, pieces: list[list[Token]]) -> Modifier:
    """Numbers before a `*`, several of them multiplied as R would: `2*3*x` fixes at 6."""
    tokens = list(pieces[0])
    for piece in pieces[1:]:
        star = Token("op", "*", piece[0].start, piece[0].start)
        tokens = [*tokens, star, *piece]
    return Modifier("fixed", (_number(source, tokens),), tokens[0].start, tokens[-1].end)


def _number(source: Source, tokens: list[Token]) -> float:
    end = tokens[-1].end
    return constant(source, [*tokens, Token("end", "", end, end)])


def asked(source: Source, piece: list[Token]) -> Modifier:
    if len(piece) == 1 and piece[0].value == "NA":
        raise source.error("NA is not a starting value.", piece[0].start, piece[0].end, "Write a number before '?'.")
    return Modifier("start", (_number(source, piece),), piece[0].start, piece[-1].end)


def _modifier(source: Source, piece: list[Token]) -> Modifier:
    while len(piece) > 2 and piece[0].value == "(" and piece[0].kind == "op" and piece[-1].value == ")":
        piece = piece[1:-1]
    first, last = piece[0], piece[-1]
    if len(piece) == 1 and first.kind in ("name", "text"):
        if first.kind == "name" and first.value == "NA":
            return Modifier("fixed", (None,), first.start, first.end)
        return Modifier("label", (_label(source, first),), first.start, first.end)
    if first.kind == "name" and len(piece) > 2 and piece[1].value == "(" and last.value == ")":
        return _called(source, piece)
    return _confused(source, piece)


def _confused(source: Source, piece: list[Token]) -> Modifier:
    raise source.error(
        "This is not a modifier.",
        piece[0].start,
        piece[-1].end,
        "Before a '*' stands a number, NA, a label, start(), label(), equal(), prior(), or c() of them.",
    )


def _label(source: Source, token: Token) -> str:
    label = token.value.strip()
    if not label or not label.isprintable() or any(c in label for c in "`\"'"):
        raise source.error("This is not a usable label.", token.start, token.end, "Write letters and digits.")
    return label


def _called(source: Source, piece: list[Token]) -> Modifier:
    name = piece[0]
    reader = _CALLS.get(name.value)
    if reader is None:
        hint = did_you_mean(name.value, [*_CALLS, *FUNCTIONS])
        raise source.error(
            f"'{name.value}()' is not a modifier.", name.start, name.end, f"{hint} Known: {', '.join(_CALLS)}.".strip()
        )
    arguments = split(piece[2:-1], ",")
    if len(arguments) == 1 and len(arguments[0]) > 2 and arguments[0][0].value == "c" and arguments[0][1].value == "(":
        arguments = split(arguments[0][2:-1], ",")  # start(c(1, 2)): a value a group
    if not all(arguments):
        raise source.error(
            f"'{name.value}()' has an empty argument.", name.start, piece[-1].end, "Write it or drop it."
        )
    kind, values = reader(source, arguments)
    return Modifier(kind, values, name.start, piece[-1].end)


def _numbers(kind: str) -> Callable[[Source, list[list[Token]]], tuple[str, tuple[Value, ...]]]:
    def read(source: Source, arguments: list[list[Token]]) -> tuple[str, tuple[Value, ...]]:
        return kind, tuple(None if _is_na(piece) else _number(source, piece) for piece in arguments)

    return read


def _texts(kind: str) -> Callable[[Source, list[list[Token]]], tuple[str, tuple[Value, ...]]]:
    def read(source: Source, arguments: list[list[Token]]) -> tuple[str, tuple[Value, ...]]:
        return kind, tuple(_text(source, piece) for piece in arguments)

    return read


def _is_na(piece: list[Token]) -> bool:
    return len(piece) == 1 and piece[0].kind == "name" and piece[0].value == "NA"


def _text(source: Source, piece: list[Token]) -> str:
    if _is_na(piece):
        raise source.error("NA is not a label.", piece[0].start, piece[0].end, "Write the label, or leave it out.")
    if len(piece) != 1 or piece[0].kind not in ("name", "text"):
        raise source.error("A text is expected here.", piece[0].start, piece[-1].end, 'Write it in quotes: "a".')
    return _label(source, piece[0])


def _prior(source: Source, arguments: list[list[Token]]) -> tuple[str, tuple[Value, ...]]:
    piece = arguments[0]
    if len(arguments) != 1 or len(piece) != 1 or piece[0].kind != "text":
        raise source.error(
            "A prior is a text in quotes.",
            piece[0].start,
            arguments[-1][-1].end,
            'Write prior("normal(0, 1)") before the star.',
        )
    return "prior", (parse_prior(piece[0].value, source, piece[0].start, piece[0].end),)


def _by_group(source: Source, arguments: list[list[Token]]) -> tuple[str, tuple[Value, ...]]:
    """`c(...)`: numbers and NA fix or free, names and texts label, by group."""
    if all(_is_na(piece) or _is_arithmetic(piece) for piece in arguments):
        return _numbers("fixed")(source, arguments)
    for piece in arguments:
        if _is_arithmetic(piece):
            raise source.error(
                "c() holds numbers or labels, not both.", piece[0].start, piece[-1].end, "Use two c() on one term."
            )
    return _texts("label")(source, arguments)


_CALLS: dict[str, Callable[[Source, list[list[Token]]], tuple[str, tuple[Value, ...]]]] = {
    "start": _numbers("start"),
    "lower": _numbers("lower"),
    "upper": _numbers("upper"),
    "label": _texts("label"),
    "equal": _texts("equal"),
    "rv": _texts("rv"),
    "efa": _texts("efa"),
    "prior": _prior,
    "c": _by_group,
}
