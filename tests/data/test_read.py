"""Files of every kind give the same frame; what is odd is recognised and said, or refused with its place."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gpsem.data.columns import extract
from gpsem.data.delimited import read_delimited
from gpsem.data.prepare import as_read
from gpsem.data.read import Read, read
from gpsem.errors import GpsemError

FRAME = pd.DataFrame({"y1": [1.5, np.nan, -2.25], "y2": [0.1, 1e-9, 3.0], "my item": [1.0, 2.0, 3.0]})


def _write(kind: str, file: Path) -> None:
    if kind == ".parquet":
        FRAME.to_parquet(file)
    elif kind == ".feather":
        FRAME.to_feather(file)
    elif kind == ".dta":
        FRAME.rename(columns={"my item": "my_item"}).to_stata(file, write_index=False)
    elif kind == ".sav":
        pyreadstat = pytest.importorskip("pyreadstat")
        pyreadstat.write_sav(FRAME.rename(columns={"my item": "my_item"}), str(file))
    elif kind == ".csv.gz":
        file.write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    else:
        FRAME.to_csv(file, index=False, sep="\t" if kind == ".tsv" else ",")


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".feather", ".dta", ".sav"])
def test_every_format_gives_the_same_numbers(kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"data{kind}"
    _write(kind, file)
    found = read(str(file)).frame.rename(columns={"my_item": "my item"})
    pd.testing.assert_frame_equal(found.reset_index(drop=True), FRAME, check_exact=True)


def test_an_r_data_frame(tmp_path: Path) -> None:
    rdata = pytest.importorskip("rdata")
    file = tmp_path / "data.rds"
    rdata.write_rds(file, FRAME)
    found = read(str(file)).frame
    np.testing.assert_array_equal(found["y1"].to_numpy(float), FRAME["y1"])
    np.testing.assert_array_equal(found["my item"].to_numpy(float), FRAME["my item"])


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    (tmp_path / "d.sav").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(GpsemError, match="not installed") as caught:
        read(str(tmp_path / "d.sav"))
    assert "gpsem[spss]" in caught.value.remedy
    assert caught.value.code == 3


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a;b\n1,5;2\n3;4,25\n", "decimal commas"),
        ("a;b\n1.5;2\n3;4.25\n", "semicolons"),
        ("a|b\n1.5|2\n3|4.25\n", "bars"),
        ("a\tb\n1,5\t2\n3\t4,25\n", "decimal commas"),
        ('"a","b"\n"1.5","2"\n"3","4.25"\n', ""),
        ("\ufeffa,b\n1.5,2\n3,4.25\n", ""),
        ("a, b\n 1.5, 2\n 3, 4.25\n", ""),
        ("a,b\r\n1.5,2\r\n3,4.25\r\n", ""),
        ("\n\na,b\n1.5,2\n3,4.25\n\n", ""),
        ("a,b\n1.5,2\n\n3,4.25\n", "1 blank line was"),
        (",a,b\nr1,1.5,2\nr2,3,4.25\n", "rows' names"),
        ("a,b\nr1,1.5,2\nr2,3,4.25\n", "row's name"),
        ("a,b\n+1.5,2\n3.,4.25e0\n", ""),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_dialects_are_recognised(text: str, note: str, encoding: str) -> None:
    found = read_delimited(text.encode(encoding), "t")
    np.testing.assert_array_equal(found.frame[["a", "b"]].to_numpy(float), [[1.5, 2.0], [3.0, 4.25]])
    assert note in "; ".join(found.notes)


def test_another_encoding_is_said() -> None:
    found = read_delimited("größe,b\n1,2\n".encode("cp1252"), "t")
    assert list(found.frame.columns) == ["größe", "b"]
    assert "Windows-1252" in found.notes[0]


@pytest.mark.parametrize("content", [b"", b"  \n \n", b"PK\x03\x04zip", b"a,b\n1\x002,3\n", b"\xff\xfea\x00\xff"])
def test_what_is_no_table_is_refused(content: bytes) -> None:
    with pytest.raises(GpsemError):
        read_delimited(content, "t")


def _columns(frame: pd.DataFrame, missing: tuple[float | str, ...] = ()) -> object:
    return extract(Read(frame, "t"), list(frame.columns), {}, missing)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2, 3]),
        pd.Series([1, 2, 3], dtype="Int64"),
        pd.Series([1, 2, 3], dtype="float32"),
        pd.Series([1, 2, 3], dtype="int64[pyarrow]"),
        pd.Series(["1", " 2 ", "3.0"]),
        pd.Series([1, "2", 3.0], dtype=object),
        pd.Series([1, 2, 3], dtype="category"),
        pd.Series(["1", "2", "3"], dtype="category"),
    ],
)
def test_numbers_in_any_clothes(column: pd.Series) -> None:
    found = _columns(pd.DataFrame({"x": column}))
    assert not found.problems  # type: ignore[attr-defined]
    np.testing.assert_array_equal(found.values[:, 0], [1.0, 2.0, 3.0])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1.0, np.nan, 3.0]),
        pd.Series(["1", "", "3"]),
        pd.Series(["1", " . ", "3"]),
        pd.Series([1, None, 3], dtype=object),
        pd.Series([1, pd.NA, 3], dtype=object),
        pd.Series(["1", "NA", "3"]),
        pd.Series(["1", None, "3"], dtype="category"),
        pd.Series([True, None, True], dtype="boolean").map({True: 1, False: 0}),
    ],
)
def test_gaps_in_any_clothes(column: pd.Series) -> None:
    found = _columns(pd.DataFrame({"x": column}))
    assert not found.problems  # type: ignore[attr-defined]
    assert np.isnan(found.values[1, 0])  # type: ignore[attr-defined]
    assert np.isnan(found.values).sum() == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pd.Series(["1", "2,5", "3"]), "'2,5', which is not a number"),
        (pd.Series(["low", "high", "low"], dtype="category"), "codes as numbers"),
        (pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02", None])), "dates"),
        (pd.Series([1 + 2j, 1, 2]), "complex"),
        (pd.Series([1.0, np.inf, 2.0]), "row 2"),
        (pd.Series([1.0, -np.inf, 2.0], index=["a", "b", "c"]), "('b')"),
        (pd.Series(["1_000", "2", "3"]), "1_000"),
        (pd.Series([[1], [2], [3]]), "not a number"),
    ],
)
def test_cells_that_are_no_numbers_are_named(column: pd.Series, what: str) -> None:
    found = _columns(pd.DataFrame({"x": column}))
    assert what in str(found.problems[0])  # type: ignore[attr-defined]


def test_codes_for_missing_are_taken_out_and_counted() -> None:
    frame = pd.DataFrame({"x": [1.0, -99, 3], "y": ["4", "refused", "-99"]})
    found = _columns(frame, (-99.0, "refused"))
    np.testing.assert_array_equal(np.isnan(found.values), [[False, False], [True, True], [False, True]])  # type: ignore[attr-defined]
    assert "3 cells" in found.notes[0]  # type: ignore[attr-defined]


def test_the_place_of_a_cell_is_in_the_file() -> None:
    text = "a,b,c\n1,2,3\n4, high ,6\n"
    found = read_delimited(text.encode(), "t.csv")
    place = found.place(1, "b")
    assert place is not None
    assert (place.line, place.column, place.length) == (3, 4, 4)
    assert place.text[place.column - 1 :].startswith("high")


def test_other_frames_are_taken_and_other_things_refused() -> None:
    class Lazy:
        def to_pandas(self) -> pd.DataFrame:
            return FRAME

    assert as_read(Lazy()).frame is FRAME
    for thing in (np.eye(3), [1, 2], "data.csv", None, io.StringIO("a")):
        with pytest.raises(GpsemError, match="DataFrame"):
            as_read(thing)
