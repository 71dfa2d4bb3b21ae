"""Draws as an xarray DataTree: posterior, sample_stats, observed_data, constant_data, and the sampler's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from gpsem.sample.run import Kept
from gpsem.version import __version__

if TYPE_CHECKING:
    from gpsem.results.fit import Fit

TUPLES = ("weight", "mean", "cov")


def tree(fit: Fit) -> xr.DataTree:
    """Dims chain and draw first, then named ones; what is label-dependent is in `internal` only."""
    layout, data = fit.built.layout, fit.data
    rows = [str(label) for label in data.labels]
    free = [row for row in layout.rows if row.value is None]
    sample = xr.Dataset(
        {
            "parameter_value": (("chain", "draw", "parameter"), np.stack([fit.draws[r.id] for r in free], axis=2)),
            "latent_value": (("chain", "draw", "row", "latent"), fit.latents),
            **{f"r2_{name}": (("chain", "draw"), values) for name, values in fit.explained.items()},
        },
        coords={
            "chain": np.arange(fit.kept.x.shape[0]),
            "draw": np.arange(fit.kept.x.shape[1]),
            "parameter": [row.name for row in free],
            "row": rows,
            "latent": list(layout.latents),
        },
        attrs=_attributes(fit),
    )
    stats = xr.Dataset(
        {
            f"accept_{n}": (("chain", "draw", f"{n}_block"), values)
            for n, values in fit.accepted.items()
            if values.shape[2:]
        },
        attrs=_attributes(fit),
    )
    observed = xr.Dataset(
        {"y": (("row", "indicator"), data.values)}, coords={"row": rows, "indicator": list(layout.indicators)}
    )
    constant = xr.Dataset(
        {"centre": ("indicator", layout.centre), "scale": ("indicator", layout.scale)},
        coords={"indicator": list(layout.indicators)},
    )
    return xr.DataTree.from_dict(
        {
            "posterior": sample,
            "sample_stats": stats,
            "observed_data": observed,
            "constant_data": constant,
            "internal": xr.Dataset(_internal(fit.kept)),
        }
    )


def _attributes(fit: Fit) -> dict[str, Any]:
    return {
        "inference_library": "gpsem",
        "inference_library_version": __version__,
        "seed": fit.run.seed,
        "sampler": fit.run.sampler,
        "warmup": fit.run.warmup,
        "model": fit.built.layout.spec.source.text,
    }


def _internal(kept: Kept) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in Kept._fields:
        value = getattr(kept, name)
        parts = {name: value} if name not in TUPLES else {f"{name}_{n}": part for n, part in enumerate(value)}
        for key, array in parts.items():
            array = np.asarray(array)
            found[key] = (("chain", "draw", *(f"{key}_{i}" for i in range(array.ndim - 2))), array)
    return found


def kept_of(group: Any) -> Kept:
    """The sampler's own numbers, read back."""
    values = {name: np.asarray(variable) for name, variable in group.data_vars.items()}
    found: dict[str, Any] = {}
    for name in Kept._fields:
        if name in TUPLES:
            found[name] = tuple(values[key] for key in sorted(k for k in values if k.rsplit("_", 1)[0] == name))
        else:
            found[name] = values[name]
    return Kept(**found)
