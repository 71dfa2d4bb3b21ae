"""A file by its suffix → a frame. Rare formats are extras, and say so."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pandas as pd

from gpsem.data.delimited import Delimited, read_delimited
from gpsem.errors import MACHINE_AT_FAULT, GpsemError, Place, did_you_mean

_SEPARATED: dict[str, str | None] = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None, ".dat": None, "": None}
_BINARY = (".parquet", ".feather", ".arrow", ".dta", ".sav", ".zsav", ".rds")
_EXTRAS = {"pyreadstat": "spss", "rdata": "rds"}


class Read(NamedTuple):
    """A frame with where it came from, what was noticed, and its text where it has one."""

    frame: pd.DataFrame
    name: str
    notes: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    delimited: Delimited | None = None

    def place(self, row: int, column: str) -> Place | None:
        return self.delimited.place(row, column) if self.delimited else None


def read(path: str) -> Read:
    """Read a table: CSV, TSV, Parquet, Feather, .dta, .sav or .rds by suffix; `-` is standard input."""
    if path == "-":
        return _text(sys.stdin.buffer.read(), "standard input", None)
    file = Path(path)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    last = suffixes[-1] if suffixes else ""
    zipped = last == ".gz"
    kind = (suffixes[-2] if len(suffixes) > 1 else "") if zipped else last
    if kind not in _SEPARATED and kind not in _BINARY:
        raise _unknown_suffix(file, kind)
    data = contents(file)
    if zipped:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError):
            raise GpsemError(f"{file} is not a whole gzip file.", remedy="Compress it again.") from None
    if kind in _SEPARATED:
        return _text(data, str(file), _SEPARATED[kind])
    return Read(_binary(file, kind), str(file))


def contents(file: Path) -> bytes:
    """The bytes of a file, or an error in words."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise _missing(file) from None
    except IsADirectoryError:
        raise GpsemError(f"{file} is a folder.", remedy="Name a file in it.") from None
    except PermissionError:
        raise GpsemError(f"{file} may not be read.", remedy="Change its permissions.") from None
    except (OSError, ValueError) as error:
        raise GpsemError(f"{file} cannot be read ({error}).", code=MACHINE_AT_FAULT) from None


def _missing(file: Path) -> GpsemError:
    hint = ""
    with contextlib.suppress(OSError):
        hint = did_you_mean(file.name, [other.name for other in file.parent.iterdir()])
    return GpsemError(f"There is no file {file}.", remedy=hint or "Check its path; 'gpsem data' lists known data sets.")


def _unknown_suffix(file: Path, kind: str) -> GpsemError:
    if kind in (".xlsx", ".xls", ".ods"):
        return GpsemError(f"{file} is a spreadsheet.", remedy="Save the sheet as CSV.")
    return GpsemError(
        f"{file} has the suffix '{kind}', which names no format known here.",
        remedy="Known: .csv .tsv .txt .dat (also .gz), .parquet .feather .dta .sav .rds.",
    )


def _text(data: bytes, name: str, separator: str | None) -> Read:
    table = read_delimited(data, name, separator)
    return Read(table.frame, name, table.notes, table.duplicates, table)


def _binary(file: Path, kind: str) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the format's reader, about its own matters
        return _opened(file, kind)


def _opened(file: Path, kind: str) -> pd.DataFrame:
    try:
        if kind == ".parquet":
            return pd.read_parquet(file)
        if kind in (".feather", ".arrow"):
            return pd.read_feather(file)
        if kind == ".dta":
            return pd.read_stata(file, convert_categoricals=False)
        if kind == ".rds":
            return _rds(_needed("rdata"), file)
        return _sav(_needed("pyreadstat"), file)
    except GpsemError:
        raise
    except Exception as error:  # each format's reader raises its own kinds, many of them bare
        raise GpsemError(
            f"{file} cannot be read as a {kind} file ({type(error).__name__}: {error}).",
            remedy="Save it again, or as CSV.",
        ) from error


def _needed(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError:
        extra = _EXTRAS[module]
        raise GpsemError(
            f"Files of this kind are read by the package '{module}', which is not installed.",
            remedy=f"Install gpsem with the extra '{extra}' (pip install 'gpsem[{extra}]'), or save the data as CSV.",
            code=MACHINE_AT_FAULT,
        ) from None


def _sav(pyreadstat: Any, file: Path) -> pd.DataFrame:
    frame, _ = pyreadstat.read_sav(str(file))
    return pd.DataFrame(frame)


def _rds(rdata: Any, file: Path) -> pd.DataFrame:
    found = rdata.read_rds(str(file))
    if not isinstance(found, pd.DataFrame):
        raise GpsemError(
            f"{file} holds a {type(found).__name__}, not a data frame.", remedy="Save a data.frame with saveRDS()."
        )
    return found
