"""Text → tokens, in one pass of one regular expression."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpsem.errors import GpsemError
from gpsem.syntax.source import Source

MOST_TOKENS = 5_000_000


class Token(NamedTuple):
    """A piece of the text: kind, value, and where it stands."""

    kind: str  # name, number, text, op, newline, end
    value: str
    start: int
    end: int


_PIECES = re.compile(
    r"""
    (?P<skip>    [^\S\n]+ | [\#!][^\n]* )
  | (?P<newline> [\n;] )
  | (?P<number>  (?: \d+ (?: \.\d* )? | \.\d+ ) (?: [eE][+-]?\d+ )? )
  | (?P<name>    (?: [^\W\d] | \.(?!\d) ) [\w.]* )
  | (?P<tick>    `[^`\n]*` )
  | (?P<text>    "[^"\n]*" | '[^'\n]*' | “[^”\n]*” | ‘[^’\n]*’ )
  | (?P<op>      ~\*~ | =~ | <~ | \|~ | :~ | ~~ | := | == | <= | >= | <- | -> | \*\* | [~<>|:+\-*/^(),?=\[\]%@$&{}] )
    """,
    re.VERBOSE,
)
_DECIMAL = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def tokenize(source: Source) -> list[Token]:
    """All tokens of a text, comments and blanks left out, closed by an `end` token."""
    text, found, at = source.text, [], 0
    match_at = _PIECES.match
    while at < len(text):
        match = match_at(text, at)
        if match is None:
            raise _unreadable(source, at)
        kind, value = str(match.lastgroup), match.group()
        start, at = at, match.end()
        if kind == "skip":
            continue
        if kind == "number":
            _check_number(source, start, at, value)
        elif kind == "tick":
            kind, value = "name", _ticked(source, start, at, value)
        elif kind == "text":
            value = value[1:-1]
        elif kind == "name" and not value.strip("."):
            raise source.error("A name needs a letter.", start, at, "Write a variable's name.")
        found.append(Token(kind, value, start, at))
        if len(found) > MOST_TOKENS:
            raise GpsemError(f"The model text has more than {MOST_TOKENS:,} words and signs.")
    found.append(Token("end", "", len(text), len(text)))
    return found


def _check_number(source: Source, start: int, end: int, value: str) -> None:
    if not _DECIMAL.fullmatch(value):
        raise source.error(f"'{value}' is not written in the digits 0 to 9.", start, end, "Write the number as in 2.5.")
    following = source.text[end : end + 1]
    if following == "_" or following == "." or following.isalnum():
        stop = end
        while stop < len(source.text) and (source.text[stop].isalnum() or source.text[stop] in "_."):
            stop += 1
        word = source.text[start:stop]
        raise source.error(
            f"'{word}' starts with a digit, so it is neither a number nor a plain name.",
            start,
            stop,
            f"If it is a column, put it in backticks: `{word}`; if a number times a name, write {value}*name.",
        )


def _ticked(source: Source, start: int, end: int, value: str) -> str:
    name = value[1:-1]
    if not name or name != name.strip():
        raise source.error(
            "A name in backticks is empty or has blanks at its edge.", start, end, "Write it as in `my column`."
        )
    if not name.isprintable():
        raise source.error("A name in backticks has an unprintable character.", start, end, "Rename the column.")
    return name


def _unreadable(source: Source, at: int) -> GpsemError:
    char = source.text[at]
    if char in "\"'“‘`":
        what = "This backtick is never closed." if char == "`" else "This quotation mark is never closed."
        return source.error(what, at, at + 1, f"Close it on the same line with {char}.")
    named = char if char.isprintable() else f"U+{ord(char):04X}"
    return source.error(
        f"The character '{named}' means nothing here.",
        at,
        at + 1,
        "Take it out; if it belongs to a column's name, put the name in backticks.",
    )
