"""The small grammar of `prior("normal(0, 1)")`: a distribution, its numbers, and the scale it is put on."""

from __future__ import annotations

from typing import NamedTuple

from gpsem.errors import GpsemError, did_you_mean
from gpsem.syntax.expression import constant, number
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import Token, tokenize

SCALES = ("sd", "var", "prec", "scale")
"""What a prior can be put on where the parameter has several readings; `scale` is a function's length-scale."""


class Prior(NamedTuple):
    """A distribution by name with its arguments, on the scale named in brackets (empty: the parameter itself)."""

    name: str
    arguments: tuple[float, ...]
    on: str = ""

    def __str__(self) -> str:
        inside = ", ".join(number(value) for value in self.arguments)
        return f"{self.name}({inside})" + (f"[{self.on}]" if self.on else "")


class Distribution(NamedTuple):
    """What its arguments are called, which of them must be positive, and where its draws lie."""

    arguments: tuple[str, ...]
    positive: tuple[str, ...]
    support: str  # "real", "positive" or "unit"


DISTRIBUTIONS: dict[str, Distribution] = {
    "normal": Distribution(("mean", "sd"), ("sd",), "real"),
    "student_t": Distribution(("df", "location", "scale"), ("df", "scale"), "real"),
    "cauchy": Distribution(("location", "scale"), ("scale",), "real"),
    "uniform": Distribution(("low", "high"), (), "real"),
    "lognormal": Distribution(("meanlog", "sdlog"), ("sdlog",), "positive"),
    "gamma": Distribution(("shape", "rate"), ("shape", "rate"), "positive"),
    "inv_gamma": Distribution(("shape", "scale"), ("shape", "scale"), "positive"),
    "exponential": Distribution(("rate",), ("rate",), "positive"),
    "half_normal": Distribution(("sd",), ("sd",), "positive"),
    "half_cauchy": Distribution(("scale",), ("scale",), "positive"),
    "beta": Distribution(("a", "b"), ("a", "b"), "unit"),
}
_ALIASES = {
    "invgamma": "inv_gamma",
    "inverse_gamma": "inv_gamma",
    "inversegamma": "inv_gamma",
    "halfnormal": "half_normal",
    "halfcauchy": "half_cauchy",
    "studentt": "student_t",
    "student": "student_t",
    "gaussian": "normal",
}
_JAGS = {
    "dnorm": "normal(mean, sd)",
    "dgamma": "gamma(shape, rate)",
    "dbeta": "beta(a, b)",
    "dunif": "uniform(low, high)",
    "dexp": "exponential(rate)",
    "dt": "student_t(df, location, scale)",
    "dlnorm": "lognormal(meanlog, sdlog)",
    "dwish": "",
}


def parse_prior(text: str, host: Source, start: int, end: int) -> Prior:
    """Read the text of a `prior()`; an error points at the place in the model where it stands."""
    inner = Source(text, "prior()")
    try:
        return _read(inner, tokenize(inner))
    except GpsemError as error:
        raise host.error(error.what, start, end, error.remedy) from None


def _read(source: Source, tokens: list[Token]) -> Prior:
    name, opens = tokens[0], tokens[1] if len(tokens) > 1 else tokens[0]
    if name.kind != "name" or opens.value != "(":
        raise GpsemError(
            f"'{source.text}' is not a prior.", remedy='Write a distribution, such as prior("normal(0, 1)").'
        )
    kind = _known(name.value)
    arguments, at = _arguments(source, tokens, 2)
    on = ""
    if tokens[at].value == "[":
        on, at = tokens[at + 1].value, at + 3
        if on not in SCALES or len(tokens) <= at or tokens[at - 1].value != "]":
            raise GpsemError(
                f"'[{on}]' is not something a prior can be put on.", remedy="Write [sd], [var], [prec] or [scale]."
            )
    if tokens[at].kind != "end":
        raise GpsemError(f"'{source.text}' goes on after the distribution.", remedy="Leave out what follows it.")
    prior = Prior(kind, tuple(arguments), on)
    _check(prior)
    return prior


def _known(name: str) -> str:
    kind = _ALIASES.get(name.casefold(), name.casefold())
    if kind in DISTRIBUTIONS:
        return kind
    if kind in _JAGS:
        instead = f"Write {_JAGS[kind]}; a normal takes its sd here." if _JAGS[kind] else "It has no counterpart here."
        raise GpsemError(f"'{name}' is the spelling of JAGS, whose normal takes a precision.", remedy=instead)
    known = f"{did_you_mean(kind, DISTRIBUTIONS)} Known: {', '.join(DISTRIBUTIONS)}.".strip()
    raise GpsemError(f"'{name}' is not a distribution that a prior can have.", remedy=known)


def _arguments(source: Source, tokens: list[Token], at: int) -> tuple[list[float], int]:
    """The numbers between the brackets, and the position after the closing one."""
    values: list[float] = []
    piece: list[Token] = []
    depth = 0
    while tokens[at].kind != "end":
        token = tokens[at]
        at += 1
        if token.value == ")" and token.kind == "op" and depth == 0:
            if piece or values:
                values.append(_value(source, piece, token))
            return values, at
        if token.value == "," and token.kind == "op" and depth == 0:
            values.append(_value(source, piece, token))
            piece = []
            continue
        depth += {"(": 1, ")": -1}.get(token.value, 0) if token.kind == "op" else 0
        piece.append(token)
    raise GpsemError(f"The bracket in '{source.text}' is never closed.", remedy="Add the missing ')'.")


def _value(source: Source, piece: list[Token], after: Token) -> float:
    return constant(source, [*piece, Token("end", "", after.start, after.start)])


def _check(prior: Prior) -> None:
    known = DISTRIBUTIONS[prior.name]
    usage = f"{prior.name}({', '.join(known.arguments)})"
    if len(prior.arguments) != len(known.arguments):
        raise GpsemError(
            f"'{prior.name}' takes {len(known.arguments)} numbers, not {len(prior.arguments)}.",
            remedy=f"Write {usage}.",
        )
    for name, value in zip(known.arguments, prior.arguments, strict=True):
        if name in known.positive and not value > 0:
            raise GpsemError(f"The {name} of '{prior}' is not positive.", remedy=f"Write {usage} with {name} > 0.")
    if prior.name == "uniform" and not prior.arguments[0] < prior.arguments[1]:
        raise GpsemError(f"'{prior}' has no room between its ends.", remedy="Write uniform(low, high) with low < high.")
