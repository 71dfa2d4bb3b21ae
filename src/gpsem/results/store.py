"""A run on disk: `posterior.zarr`, `model.txt`, `run.toml`. Written beside, moved into place when whole."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import tomllib
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from gpsem.assemble.problem import build
from gpsem.data.account import take
from gpsem.data.prepare import Data
from gpsem.data.scaling import Scaling
from gpsem.errors import MACHINE_AT_FAULT, GpsemError
from gpsem.model.settings import Settings
from gpsem.model.specification import specify
from gpsem.results.tree import kept_of
from gpsem.syntax.source import Source
from gpsem.version import __version__

if TYPE_CHECKING:
    from gpsem.results.fit import Fit


def refuse_existing(folder: str, force: bool) -> None:
    """A folder that exists is refused unless forced; what is no run of ours is never removed."""
    path = Path(folder)
    if path.exists() and not force:
        raise GpsemError(f"{folder} exists.", remedy="Choose another name, or add --force (force=True).")
    if path.exists() and not (path / "run.toml").is_file() and (path.is_file() or any(path.iterdir())):
        raise GpsemError(f"{folder} holds something that is not a run of gpsem.", remedy="Choose another name.")


def save(fit: Fit, folder: str, force: bool) -> None:
    """Write a run; an interrupted write leaves nothing under the name."""
    refuse_existing(folder, force)
    path = Path(folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}-"))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of zarr, about texts in its format 3
                fit.posterior.to_zarr(fresh / "posterior.zarr", mode="w", consolidated=False)
            (fresh / "model.txt").write_text(fit.built.layout.spec.source.text, encoding="utf-8")
            (fresh / "run.toml").write_text(_toml(fit), encoding="utf-8")
            if path.exists():
                shutil.rmtree(path)
            os.replace(fresh, path)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    except OSError as error:
        raise GpsemError(
            f"{folder} cannot be written ({error.strerror or error}).",
            remedy="Free some room, or choose another place.",
            code=MACHINE_AT_FAULT,
        ) from None


def _toml(fit: Fit) -> str:
    """Settings as TOML; a value that is None is left out."""
    parts = {
        "gpsem": {"version": __version__},
        "model": fit.built.layout.spec.settings._asdict(),
        "run": fit.run._asdict(),
    }
    parts["run"] = {**parts["run"], "joint": fit.built.shape.joint, "data": fit.data.account.name}
    lines = []
    for name, values in parts.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items() if value is not None]
        lines.append("")
    return "\n".join(lines)


def load(folder: str) -> Fit:
    """Read a run back."""
    from gpsem.results.fit import Fit, Run

    path = Path(folder)
    try:
        told = tomllib.loads((path / "run.toml").read_text(encoding="utf-8"))
        text = (path / "model.txt").read_text(encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stored = xr.open_datatree(path / "posterior.zarr", engine="zarr", consolidated=False)
            stored = stored.load()
    except FileNotFoundError:
        raise GpsemError(
            f"{folder} is not a run of gpsem.", remedy="Name the folder that 'gpsem fit ... --out' wrote."
        ) from None
    except (OSError, ValueError, KeyError) as error:
        raise GpsemError(f"{folder} cannot be read ({error}).", remedy="Fit it again.", code=MACHINE_AT_FAULT) from None
    settings = Settings(**told["model"])
    spec = specify(Source(text, "model.txt"), settings)
    observed, constant = stored["observed_data"], stored["constant_data"]
    values = np.asarray(observed["y"], dtype=float)
    indicators = tuple(map(str, observed["indicator"].to_numpy()))
    data = Data(
        values,
        indicators,
        _labels(observed["row"].to_numpy()),
        take(told["run"]["data"], len(indicators), indicators, values, ()),
        Scaling(np.asarray(constant["centre"], dtype=float), np.asarray(constant["scale"], dtype=float)),
    )
    kept = kept_of(stored["internal"])
    accepted = {
        str(name).removeprefix("accept_"): np.asarray(value) for name, value in stored["sample_stats"].data_vars.items()
    }
    run = Run(**{key: told["run"][key] for key in Run._fields})
    return Fit(build(spec, data, joint=told["run"]["joint"]), data, kept, accepted, run)


def _labels(rows: Any) -> Any:
    """Row labels as they were where they were 0, 1, ...; otherwise as text."""
    texts = [str(row) for row in rows]
    if texts == [str(n) for n in range(len(texts))]:
        return pd.RangeIndex(len(texts))
    return pd.Index(texts)
