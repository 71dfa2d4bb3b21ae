"""Frame and indicators → the arrays that a model is fitted to, with their account and scaling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gpsem.data import account as accounts
from gpsem.data.columns import extract
from gpsem.data.read import Read
from gpsem.data.scaling import Scaling, scaling
from gpsem.errors import GpsemError, Place, Problem, quoted

Array = np.ndarray[Any, np.dtype[np.float64]]


class Data(NamedTuple):
    """Indicators as numbers in the user's units (NaN: missing), the rows' labels, the account and the scaling."""

    values: Array
    indicators: tuple[str, ...]
    labels: pd.Index[Any]  # of the rows, in their order
    account: accounts.Account
    scaling: Scaling


def as_read(data: object, name: str = "the data") -> Read:
    """A frame as users hand it in: pandas, or anything that turns itself into it (`to_pandas`)."""
    if not isinstance(data, pd.DataFrame) and hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if not isinstance(data, pd.DataFrame):
        raise GpsemError(
            f"Data are a pandas DataFrame, not {type(data).__name__}.",
            remedy="Give a frame whose columns are named as in the model.",
        )
    return Read(data, name)


def prepare(
    read: Read,
    indicators: Sequence[str],
    latents: Mapping[str, Place],
    places: Mapping[str, Place],
    standardise: bool = True,
    missing: object = (),
) -> Data:
    """Everything a fit needs of the data, or every reason why it cannot be had."""
    columns = set(map(str, read.frame.columns))
    clash = [
        Problem(
            f"'{latent}' is a latent of the model and a column of {read.name}.",
            place,
            "Rename the latent: a column would otherwise be passed over in silence.",
        )
        for latent, place in latents.items()
        if latent in columns
    ]
    if clash:
        raise GpsemError.of(clash)
    missing = codes(missing)
    if not len(read.frame):
        raise GpsemError(f"{read.name} has no rows.", remedy="Give more rows.")
    found = extract(read, indicators, places, missing)
    if found.problems:
        raise GpsemError.of(found.problems)
    notes = [*read.notes, *found.notes]
    unused = [name for name in read.duplicates if name not in indicators]
    if unused:
        notes.append(f"{quoted(unused)} stands in more than one column; the model does not use it")
    account = accounts.take(read.name, read.frame.shape[1], indicators, found.values, notes)
    refused = accounts.refusals(account, found.values, places)
    if refused:
        raise GpsemError.of(refused)
    return Data(found.values, tuple(indicators), read.frame.index, account, scaling(found.values, standardise))


def codes(missing: object) -> tuple[float | str, ...]:
    """What stands for a missing cell, as numbers and words; one code may be given alone."""
    if missing is None:
        return ()
    if isinstance(missing, (int, float, str, np.generic)):
        missing = [missing]
    if isinstance(missing, Mapping) or not isinstance(missing, Iterable):
        raise GpsemError(f"{missing!r} names no codes for missing.", remedy="Give numbers or words: missing=[-99].")
    found = []
    for code in missing:
        plain = code.item() if isinstance(code, np.generic) else code
        if isinstance(plain, bool) or not isinstance(plain, (int, float, str)) or plain != plain or plain == "":
            raise GpsemError(f"{code!r} cannot be a code for missing.", remedy="Give numbers or words: missing=[-99].")
        found.append(plain)
    return tuple(found)
