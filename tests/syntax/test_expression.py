"""The arithmetic of `:=`: values, precedence as in R, bounds, and printing that reads back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpsem.errors import GpsemError
from gpsem.syntax.expression import (
    DEEPEST,
    FUNCTIONS,
    LONGEST,
    Expression,
    constant,
    evaluate,
    parse_expression,
    written,
)
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import tokenize


def parsed(text: str) -> Expression:
    source = Source(text)
    return parse_expression(source, tokenize(source))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("7 - 2 - 1", 4.0),
        ("8/2/2", 2.0),
        ("2**3", 8.0),
        ("+3", 3.0),
        ("--3", 3.0),
        ("exp(log(5))", 5.0),
        ("max(1, 4, 2) - min(3, 2)", 2.0),
        ("pnorm(0) + plogis(0)", 1.0),
        ("abs(-3)", 3.0),
        ("1e2 + .5", 100.5),
    ],
)
def test_values_as_in_r(text: str, value: float) -> None:
    assert evaluate(parsed(text), {}) == pytest.approx(value, rel=1e-15)


def test_draw_by_draw() -> None:
    draws = {"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0])}
    functions = {name: getattr(np, name, None) for name in FUNCTIONS}
    assert evaluate(parsed("a*b - exp(a)/2"), draws, functions) == pytest.approx(
        draws["a"] * draws["b"] - np.exp(draws["a"]) / 2
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "ends too early"),
        ("a +", "ends too early"),
        ("(a", "never closed"),
        ("a b", "cannot stand here"),
        ("a * / b", "cannot stand here"),
        ("exec(a)", "not a function here"),
        ("exp()", "takes 1 argument, not 0"),
        ("exp(a, b)", "takes 1 argument, not 2"),
        ("(" * (DEEPEST + 1) + "a" + ")" * (DEEPEST + 1), "nested more than"),
        ("+".join(["a"] * LONGEST), "more than 1,000 parts"),
        ("1e999", "too large"),
        ("a.__class__()", "not a function here"),
        ("a[0]", "cannot stand here"),
    ],
)
def test_mistakes_are_named(text: str, what: str) -> None:
    with pytest.raises(GpsemError, match=what.replace("(", r"\(")):
        parsed(text)


@pytest.mark.parametrize("text", ["1/0", "log(-1)", "sqrt(-1)", "exp(1e6)", "(-8)^0.5", "10^400", "9^9^9^9", "log(0)"])
def test_constants_are_finite(text: str) -> None:
    source = Source(text)
    with pytest.raises(GpsemError, match="finite number"):
        constant(source, tokenize(source))


_leaf = st.one_of(
    st.floats(min_value=0, allow_nan=False, allow_infinity=False).map(lambda x: repr(x)),
    st.sampled_from(["a", "b.c", "`two words`", "x_1"]),
)
_trees = st.recursive(
    _leaf,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "^"]), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        inner.map(lambda t: f"-({t})"),
        inner.map(lambda t: f"exp({t})"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})"),
    ),
    max_leaves=12,
)


@given(_trees)
def test_printing_reads_back(text: str) -> None:
    first = parsed(text)
    again = parsed(written(first))
    assert again.steps == first.steps
    assert written(again) == written(first)


def test_minus_binds_as_in_r() -> None:
    assert evaluate(parsed(written(parsed("(-a)^2"))), {"a": 3.0}) == 9.0
    assert evaluate(parsed(written(parsed("-a^2"))), {"a": 3.0}) == -9.0
    assert math.isclose(evaluate(parsed("a - (b - 1)"), {"a": 5.0, "b": 2.0}), 4.0)
