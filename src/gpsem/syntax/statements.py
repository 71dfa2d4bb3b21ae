"""Tokens → statements, each with its operator, its two sides and its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpsem.errors import GpsemError
from gpsem.syntax.expression import Expression, parse_expression
from gpsem.syntax.source import Source
from gpsem.syntax.terms import Term, parse_terms, unexpected
from gpsem.syntax.tokens import Token, tokenize

RELATIONS = ("=~", "~", "~~", "|", "~*~", "<~", ":~", "|~")
CONSTRAINTS = ("==", "<", ">", "<=", ">=", ":=")
BLOCKS = ("group", "level", "block", "class")
_ENDS_OPEN = frozenset("+-*/^,(?:") | {"**", *RELATIONS, *CONSTRAINTS}
_BEGINS_OPEN = frozenset("+-*/^,)?:") | {"**"}
_OPERATORS = frozenset((*RELATIONS, *CONSTRAINTS))


class Statement(NamedTuple):
    """One statement. Relations have terms on both sides, constraints expressions, a block its name and value."""

    op: str
    left: tuple[Term, ...]
    right: tuple[Term, ...]
    start: int
    end: int
    left_expression: Expression | None = None
    right_expression: Expression | None = None
    value: str = ""


def parse(source: Source) -> tuple[Statement, ...]:
    """All statements of a text, or the first mistake with its place."""
    _not_a_script(source)
    tokens = tokenize(source)
    statements = tuple(_statement(source, run) for run in _runs(source, tokens))
    if not statements:
        raise GpsemError("The model text holds no statement.", remedy="Write at least 'F =~ y1 + y2 + y3'.")
    return statements


def _runs(source: Source, tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each statement. A line's end closes a statement unless a bracket is open, the line ends with
    a sign that wants more, or the next line begins with one.
    """
    goes_on = _goes_on(tokens)
    runs: list[list[Token]] = []
    run: list[Token] = []
    opened: list[Token] = []
    for place, token in enumerate(tokens):
        if token.kind == "op" and token.value in ("(", "["):
            opened.append(token)
        elif token.kind == "op" and token.value in (")", "]"):
            if not opened:
                raise source.error(f"This '{token.value}' closes nothing.", token.start, token.end, "Take it out.")
            opened.pop()
        if token.kind not in ("newline", "end"):
            run.append(token)
            continue
        if token.value == ";" or token.kind == "end":
            if opened:
                raise source.error(
                    f"This '{opened[-1].value}' is never closed.",
                    opened[-1].start,
                    opened[-1].end,
                    "Close the bracket.",
                )
        elif opened or (run and goes_on[place]) or (run and run[-1].kind == "op" and run[-1].value in _ENDS_OPEN):
            continue
        if run:
            runs.append(run)
            run = []
    return runs


def _goes_on(tokens: list[Token]) -> list[bool]:
    """For each token whether the next one that is no line's end begins with a sign that continues a statement."""
    answers = [False] * len(tokens)
    following = False
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        if token.kind == "newline":
            answers[place] = following and token.value != ";"
            following = answers[place]
        else:
            following = token.kind == "op" and token.value in _BEGINS_OPEN
    return answers


def _statement(source: Source, tokens: list[Token]) -> Statement:
    block = _block(source, tokens)
    if block is not None:
        return block
    signs = [(place, t) for place, t in enumerate(tokens) if t.kind == "op" and t.value in _OPERATORS]
    if not signs:
        raise _no_operator(source, tokens)
    place, operator = signs[0]
    left, right = tokens[:place], tokens[place + 1 :]
    _check_sides(source, left, operator, right, signs)
    start, end = tokens[0].start, tokens[-1].end
    if operator.value in CONSTRAINTS:
        if operator.value == ":=":
            _check_defined(source, left)
        return Statement(operator.value, (), (), start, end, _expression(source, left), _expression(source, right), "")
    left_terms = parse_terms(source, left, operator)
    for term in left_terms:
        _check_left(source, term, operator)
    if operator.value == ":~":  # its right side is code on data, which is not read
        return Statement(operator.value, left_terms, (), start, end)
    return Statement(operator.value, left_terms, parse_terms(source, right, operator), start, end)


def _expression(source: Source, tokens: list[Token]) -> Expression:
    end = tokens[-1].end
    return parse_expression(source, [*tokens, Token("end", "", end, end)])


def _check_sides(
    source: Source, left: list[Token], operator: Token, right: list[Token], signs: list[tuple[int, Token]]
) -> None:
    if len(signs) > 1:
        second = signs[1][1]
        above = source.line_of(second.start) > source.line_of(operator.start)
        remedy = (
            "The line above ends with a sign that wants more: finish it, or take the sign out."
            if above
            else "Give each statement its own line, or put ';' between two."
        )
        raise source.error(f"A second operator, '{second.value}', in one statement.", second.start, second.end, remedy)
    if not left:
        raise source.error(
            f"Nothing stands before '{operator.value}'.", operator.start, operator.end, "Write a name before it."
        )
    if not right:
        raise source.error(
            f"Nothing stands after '{operator.value}'.", operator.start, operator.end, "Write what belongs there."
        )


def _check_defined(source: Source, left: list[Token]) -> None:
    if len(left) != 1 or left[0].kind != "name":
        raise source.error(
            "A single name stands before ':='.", left[0].start, left[-1].end, "Write 'name := expression'."
        )


def _check_left(source: Source, term: Term, operator: Token) -> None:
    if term.kind != "name":
        raise source.error(
            f"Before '{operator.value}' only names can stand.", term.start, term.end, "Write a variable's name."
        )
    for modifier in term.modifiers:
        if modifier.kind != "efa":
            raise source.error(
                f"A modifier before '{operator.value}' would have no effect.",
                modifier.start,
                modifier.end,
                "Modifiers stand on the right: F =~ 0.5*y.",
            )


def _block(source: Source, tokens: list[Token]) -> Statement | None:
    first = tokens[0]
    if first.kind != "name" or len(tokens) < 2 or tokens[1].value != ":" or tokens[1].kind != "op":
        return None
    if first.value.casefold() not in BLOCKS:
        if any(t.kind == "op" and t.value in _OPERATORS for t in tokens):
            return None
        if first.value.upper() in ("TITLE", "DATA", "VARIABLE", "ANALYSIS", "MODEL", "OUTPUT", "DEFINE", "PLOT"):
            raise source.error(
                f"'{first.value}:' is a section of Mplus; this is lavaan's language.",
                first.start,
                first.end,
                "Write the model alone: F =~ y1 + y2 + y3 for BY, Y ~ X for ON, A ~~ B for WITH.",
            )
        raise source.error(
            f"'{first.value}:' opens no block.",
            first.start,
            first.end,
            "Blocks are group:, level:, block: and class:; a product A:B stands after a '~'.",
        )
    value = tokens[2:]
    if not value:
        raise source.error(f"'{first.value}:' names no block.", first.start, tokens[1].end, "Write 'group: 1'.")
    if any(t.kind not in ("name", "number", "text") for t in value):
        raise source.error("A block has a number or a name.", value[0].start, value[-1].end, "Write 'group: 1'.")
    named = source.text[value[0].start : value[-1].end].strip("\"'")
    return Statement(":", (), (), first.start, tokens[-1].end, value=f"{first.value.casefold()}: {named}")


def _no_operator(source: Source, tokens: list[Token]) -> GpsemError:
    first, last = tokens[0], tokens[-1]
    words = [t.value for t in tokens]
    mplus = {"BY": "=~", "ON": "~", "WITH": "~~"}
    for word in words:
        if word.upper() in mplus and len(words) > 2:
            names = [t.value for t in tokens[2:] if t.kind == "name"]
            plain = len(names) == len(words) - 2
            return source.error(
                f"'{word}' is Mplus's word; this is lavaan's language.",
                first.start,
                last.end,
                f"Write '{words[0]} {mplus[word.upper()]} {' + '.join(names) if plain else 'y1 + y2 + y3'}'.",
            )
    if first.value.upper() in SEMOPY and len(tokens) > 1 and tokens[1].value == "(":
        return source.error(
            f"'{first.value}(...)' is semopy's command; this is lavaan's language.",
            first.start,
            last.end,
            SEMOPY[first.value.upper()],
        )
    if len(tokens) > 1 and any(t.value == "=" for t in tokens):
        return unexpected(source, [t for t in tokens if t.value == "="])
    return source.error(
        "This statement has no operator.",
        first.start,
        last.end,
        "Write =~ (measured by), ~ (regressed on), ~~ (variance) or := (defined as); a line that goes on "
        "needs a '+' at its end or at the next line's start.",
    )


SEMOPY = {
    "START": "Write start(0.5)*x before the variable.",
    "BOUND": 'Bounds are not estimated here; a prior can say as much: prior("half_normal(1)")*x.',
    "CONSTRAINT": "Equal labels make parameters equal: F =~ y1 + a*y2 + a*y3.",
    "DEFINE": "Latents are defined by 'F =~ y1 + y2 + y3'.",
    "IS": "Ordinal items are not estimated here yet.",
    "RF": "Random effects are not estimated here.",
}


_SCRIPT = re.compile(
    r"""(?:\s|[#!][^\n]*\n)*(?P<code>(?:library|require|suppress\w*)\s*\(|(?:import|from)\s+[\w.]+\s|"""
    r"""[\w.]+\s*(?:<-|=(?![~=]))\s*[rf]?["'])"""
)


def _not_a_script(source: Source) -> None:
    """R or Python code around a model is the commonest paste: say so, rather than stumble over its signs."""
    match = _SCRIPT.match(source.text)
    if match:
        raise source.error(
            "This is code that holds a model, not the model itself.",
            match.start("code"),
            match.end("code"),
            "Give only what stands between the quotation marks.",
        )
