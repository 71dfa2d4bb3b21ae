"""The account of the data: counts, patterns, what is said and what is refused; scaling and its inverse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gpsem import Model
from gpsem.data.account import LEAST_ROWS, take
from gpsem.data.scaling import scaling
from gpsem.errors import GpsemError

TEXT = "F =~ a + b + c"


def frame(rows: int = 40, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    f = random.normal(size=rows)
    return pd.DataFrame({name: f + random.normal(size=rows) for name in "abc"})


def notes(data: pd.DataFrame, **options: object) -> str:
    account = Model(TEXT).check(data, **options).data  # type: ignore[arg-type]
    assert account is not None
    return "\n".join(account.notes)


def test_rows_gaps_and_patterns_are_counted() -> None:
    data = frame()
    data.loc[3, "a"] = np.nan
    data.loc[4:6, ["a", "b"]] = np.nan
    data.loc[9] = np.nan
    account = Model(TEXT).check(data).data
    assert account is not None
    assert (account.rows, account.complete, account.empty, account.missing) == (40, 35, 1, 1 + 6 + 3)
    assert account.patterns == ((35, ()), (3, ("a", "b")), (1, ("a",)), (1, ("a", "b", "c")))
    assert account.pattern_count == 4
    assert account.indicators[0].observed == 35


def test_no_row_is_dropped_and_the_index_is_kept() -> None:
    from gpsem.pipeline import prepared

    data = frame()
    data.loc[0] = np.nan
    data.index = [f"row {n % 7}" for n in range(40)]
    found = prepared(Model(TEXT).specification, data)
    assert found.values.shape == (40, 3)
    assert list(found.labels) == list(data.index)


@pytest.mark.parametrize(
    ("code", "others"),
    [(-99, "normal"), (999, "normal"), (9999, "normal"), (-9, "likert"), (9, "likert"), (99, "likert"), (-1, "likert")],
)
def test_codes_for_missing_are_noticed(code: float, others: str) -> None:
    data = frame()
    if others == "likert":
        data["a"] = np.arange(40) % 5 + 1
    data.loc[[3, 8], "a"] = code
    said = notes(data)
    assert f"{code} stands far outside" in said
    assert "(2 cells)" in said
    assert "stands far outside" not in notes(data, missing=[code])


def test_two_codes_in_one_column_are_both_noticed() -> None:
    data = frame()
    data.loc[3, "a"] = 98
    data.loc[4, "a"] = 99
    said = notes(data)
    assert "99 stands far outside" in said
    assert "98 stands far outside" in said


def test_ordinary_values_are_no_codes() -> None:
    data = frame()
    data["a"] = np.linspace(0, 120, 40).round()
    data["b"] = np.arange(40) % 7 + 1
    data["c"] = np.arange(40) % 2 * 2 - 1  # -1 and 1
    assert "stands far outside" not in notes(data)


def test_items_that_look_ordinal_are_said() -> None:
    data = frame()
    data["b"] = np.arange(40) % 5 + 1
    assert "'b' looks ordinal (5 whole values)" in notes(data)
    assert "ordinal" not in notes(frame())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: d.assign(b=3.0), "no variance"),
        (lambda d: d.assign(b=np.nan), "is empty"),
        (lambda d: d.assign(b=d["a"]), "are equal"),
        (lambda d: d.assign(b=-3 * d["a"] + 7), "same up to unit and origin"),
        (lambda d: d.assign(b=1e9 + 1e-8 * d["a"]), "no variance"),
        (lambda d: d.assign(F=1.0), "latent of the model and a column"),
        (lambda d: d.head(LEAST_ROWS - 1), f"at least {LEAST_ROWS}"),
        (lambda d: d.mask(pd.Series(d.index >= 5), np.nan), "5 rows to learn from (35 more hold none"),
        (lambda d: pd.concat([d, d[["b"]]], axis=1), "two columns named 'b'"),
        (lambda d: d.drop(columns="b"), "no column 'b'"),
        (lambda d: d.rename(columns={"b": 2}), "no column 'b'"),
        (lambda d: d.head(0), "no rows"),
    ],
)
def test_what_cannot_be_used_is_refused(change: object, what: str) -> None:
    with pytest.raises(GpsemError) as caught:
        Model(TEXT).check(change(frame()))  # type: ignore[operator]
    assert what in str(caught.value)


def test_duplicates_with_gaps_and_near_duplicates() -> None:
    data = frame()
    data["b"] = data["a"]
    data.loc[2, "b"] = np.nan
    Model(TEXT).check(data)  # different gaps: not plainly the same column
    data["b"] = data["a"] + 1e-3 * data["c"]
    Model(TEXT).check(data)


@given(hnp.arrays(float, (12, 2), elements=st.floats(-1e6, 1e6, width=32)))
def test_scaling_and_its_inverse(values: np.ndarray) -> None:
    values = values + np.arange(12)[:, None] * [1.0, 2.0]
    if (values.std(axis=0) < 1e-3).any():
        return
    found = scaling(values)
    standard = found.apply(values)
    np.testing.assert_allclose(standard.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(standard.std(axis=0, ddof=1), 1, rtol=1e-6)
    np.testing.assert_allclose(found.undo(standard), values, rtol=1e-9, atol=1e-6)


def test_scaling_by_a_power_of_two_is_exact_and_raw_is_centred_only() -> None:
    values = frame().to_numpy()
    np.testing.assert_array_equal(scaling(values).apply(values), scaling(1024 * values).apply(1024 * values))
    raw = scaling(values, standardise=False)
    np.testing.assert_array_equal(raw.scale, 1.0)
    np.testing.assert_allclose(raw.apply(values).mean(axis=0), 0, atol=1e-12)


def test_patterns_of_many_columns() -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(500, 37))
    values[random.random(values.shape) < 0.05] = np.nan
    account = take("t", 37, [f"y{n}" for n in range(37)], values, ())
    rows = {tuple(row) for row in np.isnan(values)}
    assert account.pattern_count == len(rows)
    assert account.patterns[0][0] == max(sum((np.isnan(values) == np.array(pattern)).all(axis=1)) for pattern in rows)
