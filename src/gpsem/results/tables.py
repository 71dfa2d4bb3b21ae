"""Parameter tables as data frames, and back."""

from __future__ import annotations

import pandas as pd

from gpsem.model.table import COLUMNS, Table, from_records


def frame(table: Table) -> pd.DataFrame:
    """One row a parameter, in lavaan's columns."""
    made = pd.DataFrame.from_records(list(table.rows), columns=list(COLUMNS))
    return made.astype({"value": float, "start": float, "id": int, "user": int, "free": int})


def table(edited: pd.DataFrame) -> Table:
    """The table that a frame holds."""
    return from_records(
        [dict(zip(map(str, edited.columns), row, strict=True)) for row in edited.itertuples(index=False)]
    )
