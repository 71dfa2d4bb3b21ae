"""`gpsem.Model`: what it holds, what it refuses, and that a table or a frame says the same as the text."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

import gpsem
from gpsem import GpsemError, Model

TEXT = "A =~ a1 + a2 + a3; B =~ b1 + b2 + b3; C =~ c1 + c2 + c3; C ~ gp(A) + lin(B); A ~~ 0*B; k := 2"


def test_the_table_is_a_frame_and_goes_back() -> None:
    model = Model(TEXT)
    table = model.table
    assert list(table.columns) == ["id", "lhs", "op", "rhs", "user", "free", "value", "start", "label", "prior"]
    assert Model(table) == model
    assert Model(str(model.specification.table)) == model
    assert Model(table.drop(columns=["id", "user", "start"])) == model
    pd.testing.assert_frame_equal(Model(table).table, table)
    table.loc[(table.lhs == "A") & (table.rhs == "a2"), ["free", "value"]] = 0, 0.5
    edited = Model(table)
    assert edited != model
    assert edited.table.loc[edited.table.rhs == "a2", "value"].iloc[0] == 0.5


def test_the_graph() -> None:
    graph = Model(TEXT).graph
    assert set(graph.predecessors("C")) == {"A", "B"}
    assert graph.edges["A", "C"]["shape"] == "function"
    assert graph.edges["B", "C"]["shape"] == "linear"
    assert graph.nodes["A"]["role"] == "exogenous"
    assert graph.edges["A", "a1"]["marker"]
    assert not graph.edges["A", "a2"]["marker"]


def test_equal_models_whatever_their_text() -> None:
    assert Model("F =~ y1 + y2 + y3") == Model("F=~y1+y2 # c\n + y3")
    assert hash(Model("F =~ y1 + y2 + y3")) == hash(Model("F=~y1+y2+y3"))
    assert Model("F =~ y1 + y2 + y3") != Model("F =~ y1 + y2 + y3", mixture=2)
    assert Model("F =~ y1 + y2 + y3") != "F =~ y1 + y2 + y3"
    assert "1 latents, 3 indicators" in repr(Model("F =~ y1 + y2 + y3"))


@pytest.mark.parametrize("family", ["gp", "full-gp", "linear", "quadratic", "basis"])
def test_one_text_of_plain_names_under_every_family(family: str) -> None:
    model = Model("A =~ a1+a2+a3; B =~ b1+b2+b3; C =~ c1+c2+c3; C ~ A + B", structural=family)
    (equation,) = model.specification.equations
    if family in ("linear", "quadratic"):
        expected = [("A",), ("B",)] + ([("A", "A"), ("A", "B"), ("B", "B")] if family == "quadratic" else [])
        assert list(equation.slopes) == expected
        assert not equation.functions
        assert (model.table.query("lhs == 'C' and op == '~1'").free > 0).all()
    else:
        assert equation.functions == (("A", "B"),)
        assert equation.family == family
        assert list(model.table.query("op == '~gp.scale'").rhs) == ["A", "B"]
        assert model.table.query("lhs == 'C' and op == '~1'").empty


@pytest.mark.parametrize(
    ("right", "functions", "slopes"),
    [
        ("A + B", [("A", "B")], []),
        ("gp(A) + B", [("A",)], [("B",)]),
        ("gp(A) + gp(B)", [("A",), ("B",)], []),
        ("A + B + A:B", [], [("A",), ("B",), ("A", "B")]),
        ("A + A:A", [], [("A",), ("A", "A")]),
        ("lin(A, B)", [], [("A",), ("B",)]),
        ("lin(A) + gp(A)", [("A",)], [("A",)]),
        ("gp(A, B) + A:B", [("A", "B")], [("A", "B")]),
    ],
)
def test_written_terms_override_the_family(right: str, functions: list[object], slopes: list[object]) -> None:
    model = Model(f"A =~ a1+a2+a3; B =~ b1+b2+b3; C =~ c1+c2+c3; C ~ {right}")
    (equation,) = model.specification.equations
    assert list(equation.functions) == functions
    assert list(equation.slopes) == slopes
    assert Model(model.table) == model


def test_an_equation_in_several_statements_is_one() -> None:
    base = "A =~ a1+a2+a3; B =~ b1+b2+b3; C =~ c1+c2+c3;"
    assert Model(base + "C ~ A; C ~ B") == Model(base + "C ~ A + B")


@pytest.mark.parametrize(
    ("text", "options", "scale", "origin"),
    [
        ("F =~ y1 + y2 + y3", {}, "loading", "intercept"),
        ("F =~ y1 + y2 + y3", {"std_lv": True}, "variance", "intercept"),
        ("F =~ NA*y1 + y2 + y3; F ~~ 1*F", {}, "variance", "intercept"),
        ("F =~ NA*y1 + 1*y2 + y3", {}, "loading", "intercept"),
        ("F =~ y1 + y2 + y3; F ~ 0*1", {}, "loading", "mean"),
        ("F =~ y1 + y2 + y3; y1 ~ 1", {}, "loading", "mean"),
        ("F =~ y1 + y2 + y3; y2 ~ 0*1", {}, "loading", "intercept"),
        ("F =~ y1 + y2 + y3", {"identify": False}, "", ""),
    ],
)
def test_scale_and_origin(text: str, options: dict[str, object], scale: str, origin: str) -> None:
    anchors = Model(text, **options).specification.anchors  # type: ignore[arg-type]
    assert anchors.scale["F"] == scale
    assert anchors.origin["F"] == origin


def test_one_origin_each() -> None:
    """Exactly one of the marker's intercept and the mean is fixed, whatever is written."""
    for text in ("", "; F ~ 0*1", "; y1 ~ 1", "; F ~ 1", "; y1 ~ 0*1", "; y2 ~ 3*1", "; F ~ 2*1; y1 ~ 1"):
        table = Model("F =~ y1 + y2 + y3" + text).table
        assert (table[table.op == "~1"].free == 0).sum() == 1, text


def test_the_unidentified_variant_is_said_loudly() -> None:
    model = Model("F =~ y1 + y2 + y3; G =~ z1 + z2 + z3; G ~ F", identify=False)
    assert (model.table.query("op == '=~'").free > 0).all()
    assert (model.table.query("op == '~1' and lhs in ['y1', 'z1']").free > 0).all()
    assert "warning: Identification is switched off" in str(model.check())
    with pytest.raises(GpsemError, match="identify=False"):
        Model("F =~ y1 + 0.5*y2 + y3", identify=False)


def test_exogenous_blocks() -> None:
    base = "A =~ a1+a2+a3; B =~ b1+b2+b3; C =~ c1+c2+c3"
    assert Model(base).specification.blocks == (("A", "B", "C"),)
    assert Model(base + "; A ~~ 0*B + 0*C").specification.blocks == (("A",), ("B", "C"))
    assert Model(base + "; A ~~ 0*B; B ~~ 0*C; A ~~ 0*C").specification.blocks == (("A",), ("B",), ("C",))
    with pytest.raises(GpsemError, match="one joint mixture"):
        Model(base + "; A ~~ 0*B")


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("structural", "spline"),
        ("structural", None),
        ("inducing", 0),
        ("inducing", 2.5),
        ("inducing", True),
        ("mixture", 0),
        ("priors", "flat"),
        ("priors", {}),
        ("errors", "student"),
        ("errors", "laplace"),
        ("identify", "no"),
        ("kernel", 3),
        ("ard", 1),
        ("inducing_prior", "uniform"),
        ("inducing_moves", "fixed"),
        ("inducing_moves", 5),
        ("standardise", None),
    ],
)
def test_arguments_that_cannot_be_used_are_named(argument: str, value: object) -> None:
    with pytest.raises(GpsemError, match=argument) as caught:
        Model("F =~ y1 + y2 + y3", **{argument: value})  # type: ignore[arg-type]
    assert caught.value.remedy
    assert caught.value.code == 2


@pytest.mark.parametrize(
    "thing", [None, 3, ["F =~ y1"], b"F =~ y1 + y2 + y3", pd.DataFrame({"a": [1]}), pd.DataFrame()]
)
def test_what_is_no_model_is_refused(thing: object) -> None:
    with pytest.raises(GpsemError):
        Model(thing)  # type: ignore[arg-type]


def test_errors_travel() -> None:
    """An error survives pickling, as it must between processes."""
    with pytest.raises(GpsemError) as caught:
        Model("F =~ y1 +\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.code == 2


def test_several_mistakes_are_reported_at_once() -> None:
    with pytest.raises(GpsemError) as caught:
        Model("F =~ y1 + y2 + y3\nF ~ x1 + x2\ny1 ~~ y2\n")
    assert len(caught.value.problems) == 3
    assert [problem.place.line for problem in caught.value.problems if problem.place] == [2, 2, 3]


def test_defined_parameters_in_order_of_evaluation() -> None:
    model = Model("F =~ y1 + a*y2 + y3; G =~ z1+z2+z3; G ~ b*lin(F); t := u + 1; u := a*b; v := t^2")
    assert [d.name for d in model.specification.definitions] == ["u", "t", "v"]


def test_rows_of_equal_parameters() -> None:
    by_label = Model("F =~ y1 + a*y2 + a*y3").table
    assert by_label.free[1] == by_label.free[2] > 0
    by_constraint = Model("F =~ y1 + a*y2 + b*y3; a == b")
    assert by_constraint.table.free[1] == by_constraint.table.free[2] > 0
    assert Model(by_constraint.table) == by_constraint
    by_name = Model('F =~ y1 + y2 + equal("F=~y2")*y3').table
    assert by_name.free[1] == by_name.free[2] > 0
    assert Model(by_name) == Model('F =~ y1 + y2 + equal("F=~y2")*y3')
    with pytest.raises(GpsemError, match="names no other parameter"):
        Model('F =~ y1 + y2 + equal("F=~y9")*y3')
    fixed = Model("F =~ a*y1 + a*y2 + a*y3").table
    assert list(fixed.value[:3]) == [1.0, 1.0, 1.0]
    held = Model("F =~ y1 + a*y2 + y3; a == 2/4").table
    assert held.value[1] == 0.5


def test_public_names() -> None:
    assert set(gpsem.__all__) <= set(dir(gpsem))
