"""Structural equation models with learned functions between latent variables. Names load when first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpsem.version import __version__

if TYPE_CHECKING:
    from gpsem import datasets as datasets
    from gpsem.errors import GpsemError as GpsemError
    from gpsem.pipeline import Model as Model
    from gpsem.pipeline import fit as fit
    from gpsem.pipeline import load as load
    from gpsem.results.checks import Check as Check
    from gpsem.results.fit import Fit as Fit

_HOMES = {
    "Model": "gpsem.pipeline",
    "Check": "gpsem.results.checks",
    "Fit": "gpsem.results.fit",
    "fit": "gpsem.pipeline",
    "load": "gpsem.pipeline",
    "GpsemError": "gpsem.errors",
    "datasets": "gpsem.datasets",
}

__all__ = ["Check", "Fit", "GpsemError", "Model", "__version__", "datasets", "fit", "load"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gpsem' has no attribute '{name}'")
    from importlib import import_module

    home = import_module(_HOMES[name])
    return home if name == "datasets" else getattr(home, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
