"""Files that other readers shift, mix or misread in silence."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpsem import GpsemError, Model
from gpsem.data.columns import extract
from gpsem.data.delimited import read_delimited
from gpsem.data.read import Read

ROWS = [[r * 0.5 + c + (r * c) % 3 for c in range(4)] for r in range(20)]


def body(separator: str = ",", end: str = "", show: str = "{}") -> str:
    return "".join(separator.join(show.format(v) for v in row) + end + "\n" for row in ROWS)


@pytest.mark.parametrize(
    "text",
    [
        "x1,x2,x3,x4\n" + body(end=","),
        "x1,x2,x3,x4,\n" + body(end=","),
        "x1\tx2\tx3\tx4\n" + body("\t", "\t"),
        "x1 x2 x3 x4\n" + body(" "),
        '"x1"  "x2" "x3"   "x4"\n' + "".join(f'"{n}" {line}\n' for n, line in enumerate(body(" ").splitlines())),
        "sep=;\nx1;x2;x3;x4\n" + body(";"),
        '"x1";"x2";"x3";"x4"\n' + body(";", show='"{}"'),
    ],
)
def test_cells_stay_in_their_columns(text: str) -> None:
    found = read_delimited(text.encode(), "t")
    np.testing.assert_array_equal(found.frame[["x1", "x2", "x3", "x4"]].to_numpy(float), ROWS)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('a,b,c\n1,"5,2\n3,"5,4\n' + "1,2,3\n" * 10, "quotation mark"),
        ('a,b\n1,"x\n2,3\n4,y"\n', "quotation mark"),
        ("a;b\n1;3,868\n2;4,123\n", "thousands"),
        ("a\tb\n237\t3,868\n2\t4,123\n", "thousands"),
    ],
)
def test_what_could_be_misread_is_refused(text: str, what: str) -> None:
    with pytest.raises(GpsemError, match=what):
        read_delimited(text.encode(), "t")


def test_one_text_cell_among_decimal_commas_is_the_one_that_is_named() -> None:
    text = "a;b\n" + "".join(f"{n},5;2\n" for n in range(60)) + "oops;2\n"
    table = read_delimited(text.encode(), "t.csv")
    read = Read(table.frame, "t.csv", (), (), table)
    found = extract(read, ["a"], {})
    assert "'oops'" in str(found.problems[0])
    assert "line 62" in str(found.problems[0])
    declared = extract(read, ["a"], {}, ["oops"])
    assert not declared.problems
    assert declared.values[3, 0] == 3.5


def test_the_caret_stands_under_a_quoted_cell() -> None:
    table = read_delimited(b'a,b\n1,"-198,306.799"\n', "t.csv")
    place = table.place(0, "b")
    assert place is not None
    assert place.text[place.column - 1 :][: place.length] == '"-198,306.799"'


@pytest.mark.parametrize("factor", [1e160, 1e-170])
def test_values_beyond_arithmetic(factor: float) -> None:
    frame = pd.DataFrame(ROWS, columns=["y1", "y2", "y3", "y4"])
    frame["y1"] *= factor
    with pytest.raises(GpsemError, match="to calculate with"):
        Model("F =~ y1 + y2 + y3 + y4").check(frame)


@pytest.mark.parametrize("missing", [-99, None, np.array([-99]), (-99.0,), "refused", np.int64(-99), ()])
def test_codes_in_any_form(missing: object) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["y1", "y2", "y3"])
    found = Model("F =~ y1 + y2 + y3").check(frame, missing=missing)  # type: ignore[arg-type]
    assert found.data is not None
    assert repr(found) == str(found)


@pytest.mark.parametrize("missing", [{"y1": -9}, [math.nan], [None], [""], [True], 3 + 2j])
def test_codes_that_are_none(missing: object) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["y1", "y2", "y3"])
    with pytest.raises(GpsemError, match="missing"):
        Model("F =~ y1 + y2 + y3").check(frame, missing=missing)  # type: ignore[arg-type]


def test_a_folder_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from gpsem import datasets

    monkeypatch.setenv("GPSEM_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(GpsemError) as caught:
        datasets.load("bfi")
    assert "which is no folder" in caught.value.remedy


def test_fewer_rows_than_parameters_is_said() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 6)), columns=[f"y{n}" for n in range(6)])
    found = str(Model("F =~ y0 + y1 + y2; G =~ y3 + y4 + y5; G ~ F").check(frame))
    assert "warning: 12 rows for 19 free parameters" in found
