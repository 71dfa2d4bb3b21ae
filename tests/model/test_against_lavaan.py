"""Parameter tables against lavaan 0.6-14's own (benchmarks/lavaan_reference.R): every difference is listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpsem.model.settings import Settings
from gpsem.model.specification import specify
from gpsem.syntax.source import Source
from support import cases

LAVAAN = json.loads((Path(__file__).parent / "lavaan_tables.json").read_text(encoding="utf-8"))["cases"]
TEXTS = {head[0]: text for head, text in cases("model/table_cases.txt")}

# Rows whose free or fixed differs, by case: our value (None is free). Two reasons only.
ORIGIN = "the origin of a latent is its marker's intercept (0), and its mean is free; lavaan has it the other way round"
MIXTURE = "lavaan frees the covariances of last outcomes; disturbances are independent here"
DIFFERENT_ORIGIN = {
    "cfa": ["x1", "x4", "x7", "visual", "textual", "speed"],
    "democracy": ["x1", "y1", "y5", "ind60", "dem60", "dem65"],
    "unit variances": ["x1", "x4", "visual", "textual"],
    "orthogonal by hand": ["y1", "y4", "f1", "f2"],
    "cross-loading": ["x1", "x4", "x7", "visual", "textual", "speed"],
    "single indicators": ["y1", "y5", "y2", "f", "h", "g"],
    "means written out": [],  # the text frees the markers' intercepts, so the means are 0 as in lavaan
    "mediation": ["x1", "m1", "y1", "FX", "FM", "FY"],
    "two outcomes": ["y1", "y4", "y7", "f", "g", "h"],
    "fixed values and several markers": ["y1", "f", "g"],  # z2's intercept is fixed by the text: it is g's origin
    "covarying causes": ["a1", "b1", "d1", "c1", "A", "B", "D", "C"],
}
NOT_HERE = {"two outcomes": [("g", "~~", "h")]}


def _key(lhs: str, op: str, rhs: str) -> tuple[str, str, str]:
    if op == ":=":
        return lhs, "", op
    return (*sorted((lhs, rhs)), op) if op == "~~" else (lhs, rhs, op)  # type: ignore[return-value]


def test_ten_models_and_more() -> None:
    assert len(TEXTS) >= 10
    assert set(TEXTS) == set(LAVAAN) == set(DIFFERENT_ORIGIN)


@pytest.mark.parametrize("name", TEXTS)
def test_same_rows_same_free_and_fixed(name: str) -> None:
    settings = Settings(structural="linear", std_lv="std_lv" in TEXTS[name])
    ours = {_key(r.lhs, r.op, r.rhs): r for r in specify(Source(TEXTS[name]), settings).table.rows}
    theirs = {_key(r["lhs"], r["op"], r.get("rhs", "")): r for r in LAVAAN[name]}
    missing = [_key(*key) for key in NOT_HERE.get(name, [])]
    assert set(theirs) - set(ours) == set(missing), MIXTURE
    assert set(ours) <= set(theirs)
    differing = []
    for key, row in ours.items():
        entry = theirs[key]
        if row.op == ":=":
            assert row.rhs.replace(" ", "") == entry["rhs"].replace(" ", "").replace("(", "").replace(")", "")
            continue
        assert row.label == entry.get("label", "")
        their_value = None if entry["free"] else entry.get("ustart", 0)
        if row.value != their_value:
            differing.append(row.lhs)
            assert row.op == "~1", ORIGIN
            assert {row.value, their_value} == {None, 0.0}, ORIGIN
    assert differing == [n for n in differing if n in DIFFERENT_ORIGIN[name]]
    assert sorted(differing) == sorted(DIFFERENT_ORIGIN[name])


@pytest.mark.parametrize("name", TEXTS)
def test_a_labelled_class_is_one_parameter(name: str) -> None:
    rows = specify(Source(TEXTS[name]), Settings(structural="linear")).table.rows
    by_label: dict[str, set[int]] = {}
    for row in rows:
        if row.label and row.op != ":=":
            by_label.setdefault(row.label, set()).add(row.free)
    assert all(len(numbers) == 1 for numbers in by_label.values())
    free = [row.free for row in rows if row.free]
    assert sorted(set(free)) == list(range(1, len(set(free)) + 1))
