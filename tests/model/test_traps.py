"""Models that a careful reader tried to slip through, and ones that were wrongly turned away."""

from __future__ import annotations

import pytest

from gpsem import GpsemError, Model

THREE = "F =~ y1 + y2 + y3"
REFUSED = {
    "a value by == is a value: exogenous variance": (THREE + "; F ~~ v*F; v == 1", {}, "set twice"),
    "a value by == is a value: 0": (THREE + "; F ~~ v*F; v == 0", {}, "never varies"),
    "a value by == is a value: covariance": ("A=~a1+a2+a3; B=~b1+b2+b3; A ~~ c*B; c == 0.5", {}, "one mixture"),
    "a value by == is a value: zero in a block": (
        "A=~a1+a2+a3; B=~b1+b2+b3; C=~c1+c2+c3; A ~~ c*B; c == 0",
        {},
        "one joint mixture",
    ),
    "a value by == is a value: origin": (THREE + "; F ~ m*1; y1 ~ 2*1; m == 0", {}, "origin of 'F' is set twice"),
    "two values": ("F =~ y1 + a*y2 + y3; a == 1; a == 2", {}, "two values"),
    "two values through equals": ("F =~ y1 + a*y2 + b*y3; a == b; a == 1; b == 2", {}, "fixed at 1 already"),
    "an equality that is not finite": ("F =~ y1 + a*y2 + y3; a == 1/0", {}, "finite"),
    "linear equations that leave covariances too few": (
        "F =~ y1 + y2; G =~ y3 + y4 + y5 + y2; H =~ y6 + y7 + y8 + y5; H ~ G",
        {"structural": "linear"},
        "not identified",
    ),
    "no scale: zero loadings, unidentified": ("F =~ 0*y1 + 0*y2; G =~ z1+z2+z3", {"identify": False}, "fixed"),
    "a fixed variance without identification": (THREE + "; F ~~ 1*F", {"identify": False}, "fixed"),
    "a fixed mean without identification": (THREE + "; F ~ 3*1", {"identify": False}, "fixed"),
    "no loading and no error": (THREE + " + 0*y4; y4 ~~ 0*y4", {}, "measures nothing"),
    "exact outcome of exact causes": (
        "X =~ x1; Y =~ y1; x1 ~~ 0*x1; y1 ~~ 0*y1; Y ~~ 0*Y; Y ~ X",
        {},
        "exact function",
    ),
    "a start below zero": (THREE + "; y1 ~~ start(-1)*y1", {}, "above 0"),
    "two starts of one parameter": ("F =~ y1 + a*y2 + start(1)*y2 + a*y3 + start(2)*y3", {}, "starting values"),
    "two priors of one variance": (
        THREE + '; y1 ~~ prior("gamma(1,1)[sd]")*y1 + prior("gamma(1,1)[var]")*y1',
        {},
        "second prior",
    ),
    "NA for a label": ("F =~ y1 + label(NA)*y2 + y3", {}, "not a label"),
    "deep brackets": ("F =~ y1 + " + "(" * 3000 + "a" + ")" * 3000 + "*y2 + y3 +", {}, "missing"),
    "too many parameters": (
        "F =~ y1 + y2 + y3; "
        + " + ".join(f"a{n}" for n in range(700))
        + " ~~ "
        + " + ".join(f"b{n}" for n in range(700)),
        {},
        "more than 200,000",
    ),
    "priors in a moved origin": (THREE + '; F ~ 0*1; y2 ~ prior("normal(0,1)")*1', {}, "rescaled after"),
    "a product by a star": ("A=~a1+a2+a3; B=~b1+b2+b3; C=~c1+c2+c3; C ~ A*B", {}, "A:B"),
    "R over several lines": ("library(lavaan)\nm <- '\n F =~ y1 + y2\n'", {}, "code that holds a model"),
    "R, assignment first": (
        "# x\nmodel <- '\n  F =~ y1 + y2 + y3\n'\nfit <- cfa(model)",
        {},
        "code that holds a model",
    ),
    "Python around it": ('model = """\nF =~ y1 + y2 + y3\n"""', {}, "code that holds a model"),
    "an Mplus section": ("MODEL: F BY y1 y2 y3;", {}, "section of Mplus"),
    "a decimal comma": ("F =~ y1 + 0,5*y2 + y3", {}, "',' cannot stand here"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, options, what = REFUSED[name]
    with pytest.raises(GpsemError) as caught:
        Model(text, **options)  # type: ignore[arg-type]
    assert what in str(caught.value)


ACCEPTED = {
    "a latent of two indicators, one shared, tied to others": ("A=~a1+a2+a3; B=~b1+b2; C=~c1+c2+b2; B ~ A; C ~ A", {}),
    "a marker's value by ==": ("F =~ NA*y1 + a*y2 + y3; a == 1", {}),
    "a two-group bifactor as an outcome": (
        "X=~x1+x2+x3; G=~y1+y2+y3+y4+y5+y6; S1=~y1+y2+y3; S2=~y4+y5+y6; X ~~ 0*S1 + 0*S2; S1 ~~ 0*S2; G ~ X",
        {"structural": "linear"},
    ),
    "units that differ by much": ("A =~ 1e6*a1 + a2 + s; B =~ b1 + b2 + b3 + s", {}),
    "a first loading of zero, std_lv": ("F =~ 0*y1 + y2 + y3 + y4", {"std_lv": True}),
    "equal intercepts of a moved latent": ("F =~ 1*y1 + 1*y2 + 1*y3; y1 ~ i*1; y2 ~ i*1; y3 ~ i*1", {}),
    "residual covariances as latents": (
        "ind60=~x1+x2+x3; dem60=~y1+y2+y3+y4; dem65=~y5+y6+y7+y8; dem60~ind60; dem65~ind60+dem60; "
        "r=~1*y1+1*y5; r ~~ 0*ind60",
        {},
    ),
    "scalar invariance, by markers": (
        "F1 =~ y1 + l2*y2 + l3*y3; F2 =~ z1 + l2*z2 + l3*z3; y1 ~ 0*1; z1 ~ 0*1; y2 ~ i2*1; z2 ~ i2*1",
        {},
    ),
    "names with signs": ("F =~ y1+y2+y3; `p:q` =~ z1+z2+z3; `A,x` =~ w1+w2+w3; F ~ lin(`p:q`) + gp(`A,x`)", {}),
    "origins on shared indicators with one shape go to others": (
        "A =~ 1*y1 + 1*y2 + y3 + y4 + y5; B =~ 1*y1 + 1*y2 + y6 + y7 + y8",
        {},
    ),
    "equality by == counts as a label does": ("B =~ b1 + a*b2; C =~ c1 + c*c2 + b2; a == c", {}),
    "equality by label": ("B =~ b1 + a*b2; C =~ c1 + a*c2 + b2", {}),
    "names of dots": ("`.` =~ y1+y2+y3; `...` =~ z1+z2+z3", {}),
    "a chain of equals": (
        'F =~ y1 + y2 + equal("F=~y4")*y3 + equal("F=~y5")*y4 + y5',
        {},
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_and_their_tables_read_back(name: str) -> None:
    text, options = ACCEPTED[name]
    model = Model(text, **options)  # type: ignore[arg-type]
    assert Model(model.table, **options) == model  # type: ignore[arg-type]
    assert Model(str(model.specification.table), **options) == model  # type: ignore[arg-type]


def test_origins_that_nothing_sets() -> None:
    text = "A =~ 1*y1 + 1*y2 + y3 + y4 + y5; B =~ 1*y1 + 1*y2 + y6 + y7 + y8; "
    free = "; ".join(f"y{n} ~ 1" for n in range(3, 9))
    with pytest.raises(GpsemError, match="origin"):
        Model(text + free + "; A ~ 1; B ~ 1")


def test_the_chain_of_equals_is_one_parameter() -> None:
    table = Model(ACCEPTED["a chain of equals"][0]).table
    assert len(set(table.free[2:5])) == 1


def test_std_lv_is_not_cancelled_by_naming_the_variance() -> None:
    for written in ("F ~~ F", "F ~~ v*F"):
        table = Model(f"F =~ y1 + y2 + y3; {written}", std_lv=True).table
        assert table.loc[(table.lhs == "F") & (table.rhs == "F"), "value"].iloc[0] == 1.0
        assert (table.free[:3] > 0).all()


def test_origins_do_not_depend_on_the_order_of_statements() -> None:
    first, second = "A =~ y1+y2+y3+y4", "B =~ y1+z2+z3+z4"
    assert Model(f"{first}; {second}") == Model(f"{second}; {first}")


@pytest.mark.parametrize(
    ("op", "column", "value"),
    [
        ("~gp.sd", ["free", "value"], [0, 1.0]),
        ("~gp.sd", "label", "a"),
        ("~gp.scale", "start", 1.0),
        ("~gp.scale", "prior", "half_normal(1)[scale]"),
        ("~gp.sd", "rhs", "X"),
        (":=", "value", 3.0),
        (":=", "label", "a"),
        ("=~", "free", 1),
    ],
)
def test_edits_without_effect_are_refused(op: str, column: object, value: object) -> None:
    table = Model("X=~x1+x2+x3; Z=~z1+z2+z3; Y=~y1+y2+y3; Y ~ X + Z; k := 2").table
    table = table.astype({"prior": object, "label": object})
    row = table.index[table.op == op][1 if op == "=~" else 0]
    if op == "=~":
        table.loc[row + 1, "free"] = table.loc[row, "free"]
    else:
        table.loc[row, column] = value
    with pytest.raises(GpsemError):
        Model(table)


def test_an_edited_definition_is_taken() -> None:
    table = Model("F =~ y1 + a*y2 + y3; k := 2").table
    table.loc[table.op == ":=", "rhs"] = "a*2"
    assert str(Model(table).specification.definitions[0].expression) == "a * 2"
