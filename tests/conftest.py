"""Shared by all tests: hypothesis profiles, a cache of their own, the folder of real data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadlines (machines differ), the same examples in every run; `make fuzz` asks for many more, and new ones.
settings.register_profile("default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "fuzz", deadline=None, max_examples=5000, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _no_network_no_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A cache of its own for every test: nothing is read from or written to the user's."""
    monkeypatch.setenv("GPSEM_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data named by GPSEM_DATA; tests that want it skip where there is none."""
    folder = os.environ.get("GPSEM_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("GPSEM_DATA names no folder of data")
    return Path(folder)
