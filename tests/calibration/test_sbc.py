"""Ranks of true values are uniform where the sampler mixes: linear and quadratic equations (quick forms)."""

from __future__ import annotations

import pytest
from problems import errata, problem
from sbc import calibrate, runner


@pytest.mark.parametrize("family", ["linear", "quadratic"])
def test_ranks_are_uniform(family: str) -> None:
    shape, made, steps = problem(family=family, rows=15)
    run = runner(shape)
    found = calibrate(shape, made, steps, run, seed=4)
    assert found.worst() > 0.001, found.listed()
    if family == "linear":
        planted = calibrate(shape, made._replace(errata=errata(b8=1.0)), steps, run, seed=4)
        assert planted.worst() < 1e-6, planted.listed()
