"""The small arithmetic of `:=`, `==` and constant modifiers, with bounds on size and depth.

Model text is data: nothing in it reaches Python's own evaluator. An expression becomes a postfix program of a few
instructions, run by a stack machine on whatever numbers it is given: floats here, arrays of posterior draws later.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gpsem.errors import did_you_mean
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import Token

DEEPEST = 60
LONGEST = 1_000

Number = Any


class Step(NamedTuple):
    """One instruction: a number, a name, an operator, or a function of some arguments."""

    kind: str  # number, name, neg, binary, call
    value: str | float
    arity: int = 0


class Expression(NamedTuple):
    """A parsed expression: its postfix program and where each of its names stands."""

    steps: tuple[Step, ...]
    places: tuple[tuple[str, int, int], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(step.value) for step in self.steps if step.kind == "name"))

    def __str__(self) -> str:
        return written(self)


_BINARY: dict[str, tuple[int, Callable[[Number, Number], Number]]] = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "^": (4, operator.pow),
}
_NEGATION, _ATOM = 3, 9


def _inverse_logit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


# name: (number of arguments, None for one or more; the function of floats). Whoever evaluates draws passes
# a table of its own with the same keys.
FUNCTIONS: dict[str, tuple[int | None, Callable[..., float]]] = {
    "exp": (1, math.exp),
    "log": (1, math.log),
    "log2": (1, math.log2),
    "log10": (1, math.log10),
    "log1p": (1, math.log1p),
    "expm1": (1, math.expm1),
    "sqrt": (1, math.sqrt),
    "abs": (1, math.fabs),
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "tanh": (1, math.tanh),
    "atan": (1, math.atan),
    "plogis": (1, _inverse_logit),
    "pnorm": (1, _normal_cdf),
    "min": (None, min),
    "max": (None, max),
}


def finite(source: Source, token: Token) -> float:
    """The value of a number token; `1e999` is an error, not infinity."""
    value = float(token.value)
    if not math.isfinite(value):
        raise source.error(f"{token.value} is too large a number.", token.start, token.end, "Write a finite number.")
    return value


def parse_expression(source: Source, tokens: list[Token]) -> Expression:
    """Parse a whole run of tokens (the last one of kind `end`) as one expression."""
    reader = _Reader(source, tokens)
    reader.sum(0)
    left_over = reader.peek()
    if left_over.kind != "end":
        raise source.error(
            f"'{left_over.value}' cannot stand here.",
            left_over.start,
            left_over.end,
            "Decimals have a point: 0.5." if left_over.value == "," else "An operator is missing before it.",
        )
    return Expression(tuple(reader.steps), tuple(reader.places))


class _Reader:
    """Recursive descent; depth grows only with brackets, signs and powers, and is bounded."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source, self.tokens, self.at = source, tokens, 0
        self.steps: list[Step] = []
        self.places: list[tuple[str, int, int]] = []

    def peek(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def emit(self, step: Step, token: Token) -> None:
        self.steps.append(step)
        if len(self.steps) > LONGEST:
            raise self.source.error(
                f"This expression has more than {LONGEST:,} parts.", token.start, token.end, "Split it with ':='."
            )

    def deeper(self, depth: int) -> int:
        if depth >= DEEPEST:
            token = self.peek()
            raise self.source.error(
                f"This expression is nested more than {DEEPEST} deep.", token.start, token.end, "Split it with ':='."
            )
        return depth + 1

    def sum(self, depth: int) -> None:
        self.product(depth)
        while (token := self.peek()).kind == "op" and token.value in "+-":
            self.take()
            self.product(depth)
            self.emit(Step("binary", token.value, 2), token)

    def product(self, depth: int) -> None:
        self.signed(depth)
        while (token := self.peek()).kind == "op" and token.value in ("*", "/"):
            self.take()
            self.signed(depth)
            self.emit(Step("binary", token.value, 2), token)

    def signed(self, depth: int) -> None:
        token = self.peek()
        if token.kind == "op" and token.value in ("-", "+"):
            self.take()
            self.signed(self.deeper(depth))
            if token.value == "-":
                self.emit(Step("neg", "-", 1), token)
            return
        self.power(depth)

    def power(self, depth: int) -> None:
        self.atom(depth)
        token = self.peek()
        if token.kind == "op" and token.value in ("^", "**"):
            self.take()
            self.signed(self.deeper(depth))
            self.emit(Step("binary", "^", 2), token)

    def atom(self, depth: int) -> None:
        token = self.take()
        if token.kind == "number":
            self.emit(Step("number", finite(self.source, token)), token)
        elif token.kind in ("name", "text"):
            opens = self.peek()
            if token.kind == "name" and opens.kind == "op" and opens.value == "(":
                self.call(token, self.deeper(depth))
            else:
                self.emit(Step("name", token.value), token)
                self.places.append((token.value, token.start, token.end))
        elif token.kind == "op" and token.value == "(":
            self.sum(self.deeper(depth))
            self.close(token)
        elif token.kind == "end":
            before = self.tokens[self.at - 1] if self.at else token
            raise self.source.error(
                "The expression ends too early.", before.start, before.end, "Write what is missing."
            )
        else:
            raise self.source.error(
                f"'{token.value}' cannot stand here.", token.start, token.end, "A number or a label is expected."
            )

    def close(self, opening: Token) -> None:
        token = self.take()
        if token.kind != "op" or token.value != ")":
            raise self.source.error("This bracket is never closed.", opening.start, opening.end, "Add the missing ')'.")

    def call(self, name: Token, depth: int) -> None:
        if name.value not in FUNCTIONS:
            hint = did_you_mean(name.value, FUNCTIONS)
            known = f"{hint} Known functions: {', '.join(FUNCTIONS)}.".strip()
            raise self.source.error(f"'{name.value}()' is not a function here.", name.start, name.end, known)
        opening = self.take()
        count = 0
        if not (self.peek().kind == "op" and self.peek().value == ")"):
            while True:
                self.sum(depth)
                count += 1
                if not (self.peek().kind == "op" and self.peek().value == ","):
                    break
                self.take()
        self.close(opening)
        wanted = FUNCTIONS[name.value][0]
        if (wanted is not None and count != wanted) or count == 0:
            raise self.source.error(
                f"'{name.value}()' takes {wanted or 'one or more'} argument{'s' if wanted != 1 else ''}, not {count}.",
                name.start,
                name.end,
                f"Write {name.value}(x)." if wanted == 1 else f"Write {name.value}(x, y).",
            )
        self.emit(Step("call", name.value, count), name)


def evaluate(
    expression: Expression,
    values: Mapping[str, Number],
    functions: Mapping[str, Callable[..., Number]] | None = None,
) -> Number:
    """Run the program on `values`; a table of array functions makes it work draw by draw."""
    table = functions or {name: function for name, (_, function) in FUNCTIONS.items()}
    stack: list[Number] = []
    for kind, value, arity in expression.steps:
        if kind == "number":
            stack.append(value)
        elif kind == "name":
            stack.append(values[str(value)])
        elif kind == "neg":
            stack.append(-stack.pop())
        elif kind == "binary":
            right, left = stack.pop(), stack.pop()
            stack.append(_BINARY[str(value)][1](left, right))
        else:
            arguments = stack[len(stack) - arity :]
            del stack[len(stack) - arity :]
            stack.append(table[str(value)](*arguments))
    return stack[0]


def constant(source: Source, tokens: list[Token]) -> float:
    """The value of an expression without names, such as `2/3` or `sqrt(10)`; finite, or an error that points at it."""
    expression = parse_expression(source, tokens)
    start, end = tokens[0].start, tokens[-2].end if len(tokens) > 1 else tokens[-1].end
    if expression.places:
        name, start, end = expression.places[0]
        raise source.error(f"'{name}' is not a number.", start, end, "Only numbers can be calculated with here.")
    try:
        value = evaluate(expression, {})
        if isinstance(value, complex) or not math.isfinite(value):
            raise ValueError("not a finite number")
    except (ValueError, ArithmeticError) as error:
        raise source.error(
            f"This does not come to a finite number ({error}).", start, end, "Write a finite number."
        ) from None
    return float(value)


def written(expression: Expression) -> str:
    """The expression as text, with no more brackets than it needs; parsing it again gives the same program."""
    stack: list[tuple[str, int]] = []
    for kind, value, arity in expression.steps:
        if kind == "number":
            stack.append((number(float(value)), _ATOM))
        elif kind == "name":
            stack.append((name_text(str(value)), _ATOM))
        elif kind == "neg":
            text, rank = stack.pop()
            stack.append((f"-{_bracketed(text, rank, _NEGATION)}", _NEGATION))
        elif kind == "binary":
            right, left = stack.pop(), stack.pop()
            rank = _BINARY[str(value)][0]
            if value == "^":
                text = f"{_bracketed(*left, _ATOM)}^{_bracketed(*right, _NEGATION)}"
            else:
                text = f"{_bracketed(*left, rank)} {value} {_bracketed(*right, rank + 1)}"
            stack.append((text, rank))
        else:
            arguments = ", ".join(text for text, _ in stack[len(stack) - arity :])
            del stack[len(stack) - arity :]
            stack.append((f"{value}({arguments})", _ATOM))
    return stack[0][0]


def _bracketed(text: str, rank: int, least: int) -> str:
    return text if rank >= least else f"({text})"


def number(value: float) -> str:
    """A number as a person writes it: 1, not 1.0; no digit lost."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def name_text(name: str) -> str:
    """A name as the language reads it: plain where it can be, otherwise in backticks."""
    return name if is_plain(name) else f"`{name}`"


def is_plain(name: str) -> bool:
    """Whether a name needs no backticks."""
    first = name[:1]
    if not name.strip("."):
        return False
    if not (first.isalpha() or first in "._") or (first == "." and name[1:2].isdigit()) or name == "NA":
        return False
    return all(c.isalnum() or c in "._" for c in name)
