"""The paper's sampler draws from the right law, and each erratum, planted, is caught (quick forms; see the harness)."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from geweke import Outcome, geweke, runner
from problems import errata, problem

CASES: dict[str, dict[str, Any]] = {
    "sparse, one parent, missing cells": {},
    "sparse, two parents in one joint mixture, joint proposal, Gaussian pseudo-inputs": {
        "graph": "two",
        "joint": True,
        "inducing_prior": "gaussian",
        "ard": True,
    },
    "sparse, sums of functions, pseudo-values proposed too": {"graph": "sum", "joint": True, "kernel": "matern52"},
    "non-sparse": {"family": "full-gp"},
    "basis": {"family": "basis", "graph": "two", "kernel": "matern32"},
    "quadratic": {"family": "quadratic", "graph": "two"},
    "linear, priors that are not conjugate": {"family": "linear", "mixed": True},
}
FIRST = "sparse, one parent, missing cells"
JOINT = "sparse, sums of functions, pseudo-values proposed too"
PLANTED = {"a1": FIRST, "a3": JOINT, "a4": FIRST, "a5": FIRST, "a6": FIRST, "a7": FIRST, "b5": FIRST, "b8": FIRST}


@cache
def _compiled(name: str) -> Any:
    shape, made, steps = problem(**CASES[name])
    return shape, made, steps, runner(shape)


def _run(name: str, **planted: float) -> Outcome:
    shape, made, steps, run = _compiled(name)
    return geweke(shape, made._replace(errata=errata(**planted)), steps, run, seed=11)


@pytest.mark.parametrize("name", CASES)
def test_the_sweep_leaves_the_posterior_as_it_is(name: str) -> None:
    found = _run(name)
    assert found.worst < found.bound(), found.listed()
    assert found.mean_square < found.null_high, (found.mean_square, found.null_high, found.listed())


@pytest.mark.parametrize("slip", PLANTED)
def test_each_erratum_is_caught(slip: str) -> None:
    found = _run(PLANTED[slip], **{slip: 1.0})
    assert found.worst > 8, found.listed()
