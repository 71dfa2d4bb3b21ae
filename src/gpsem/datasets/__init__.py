"""Data sets by name, each with a model to begin with.

>>> from gpsem import datasets
>>> datasets.load("synthetic", seed=1).shape
(150, 6)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from gpsem.data.read import read
from gpsem.datasets.files import obtain
from gpsem.datasets.registry import DATASETS, Dataset
from gpsem.errors import GpsemError, did_you_mean

__all__ = ["find", "load", "model", "names", "synthetic"]


def names() -> tuple[str, ...]:
    """The data sets known here."""
    return tuple(DATASETS)


def find(name: str) -> Dataset:
    """The entry of a data set."""
    if name not in DATASETS:
        hint = did_you_mean(str(name), DATASETS)
        raise GpsemError(f"There is no data set '{name}'.", remedy=f"{hint} Known: {', '.join(DATASETS)}.".strip())
    return DATASETS[name]


def model(name: str) -> str:
    """A model text for a data set."""
    return find(name).model


def load(name: str, seed: int | None = None, rows: int | None = None) -> pd.DataFrame:
    """A data set as a frame; `seed` and `rows` are for generated ones."""
    dataset = find(name)
    if dataset.source == "generated":
        return synthetic(seed=1 if seed is None else seed, rows=dataset.rows if rows is None else rows)
    if seed is not None or rows is not None:
        raise GpsemError(f"'{name}' is data, not a simulation: it takes no seed and no number of rows.")
    if dataset.source == "bundled":
        return read(str(Path(__file__).with_name(dataset.file))).frame
    return _arranged(dataset, obtain(dataset))


def synthetic(seed: int = 1, rows: int = 150, truth: bool = False) -> pd.DataFrame:
    """The paper's synthetic study: X1 and all errors standard normal, X2 = 4 X1^2 + zeta, three indicators each.

    With `truth` the two latents come too, as `X1_true` and `X2_true`.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise GpsemError(f"The seed {seed!r} is not a whole number from 0.")
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= 100_000_000:
        raise GpsemError(f"{rows!r} is not a number of rows.", remedy="Give a whole number from 1.")
    random = np.random.default_rng(seed)
    x1 = random.standard_normal(rows)
    x2 = 4.0 * x1**2 + random.standard_normal(rows)
    errors = random.standard_normal((rows, 6))
    columns = {f"Y{n + 1}": (x1 if n < 3 else x2) + errors[:, n] for n in range(6)}
    if truth:
        columns = {"X1_true": x1, "X2_true": x2, **columns}
    return pd.DataFrame(columns)


def _arranged(dataset: Dataset, file: Path) -> pd.DataFrame:
    """The file as a frame with the columns that the data set has; a copy that lacks some is named."""
    frame = read(str(file)).frame
    lacking = [column for column in dataset.columns if column not in frame]
    if lacking:
        raise GpsemError(
            f"{file} lacks the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)} of '{dataset.name}'.",
            remedy="Put a copy with these columns there.",
        )
    if dataset.name != "housing":
        return frame
    frame = frame[frame["RAD"] < 24].copy()
    for column in ("INDUS", "DIS", "RAD", "TAX"):
        frame[column] = np.log(frame[column].astype(float))
    return frame[list(dataset.columns)]
