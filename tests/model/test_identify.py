"""Identification against the linear algebra it stands for, and against known answers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gpsem.errors import GpsemError
from gpsem.model.rank import match
from gpsem.model.settings import Settings
from gpsem.model.specification import Specification, specify
from gpsem.syntax.source import Source


def spec(text: str, **options: object) -> Specification:
    return specify(Source(text), Settings(**options))  # type: ignore[arg-type]


def warnings(text: str) -> list[str]:
    return [v.what for v in spec(text).verdicts if v.level == "warning"]


TIED = "G =~ z1 + z2 + z3; G ~ F; "

KNOWN = {
    "three pure": ("F =~ y1 + y2 + y3", "ok"),
    "four pure": ("F =~ y1 + y2 + y3 + y4", "ok"),
    "two pure, tied": (TIED + "F =~ y1 + y2", "weak"),
    "two pure, alone": ("F =~ y1 + y2", "weak"),
    "two pure, alone, both loadings fixed": ("F =~ 1*y1 + 1*y2", "ok"),
    "two pure, alone, equal errors": ("F =~ y1 + y2; y1 ~~ e*y1; y2 ~~ e*y2", "ok"),
    "two pure, one error known": ("F =~ y1 + y2; y1 ~~ 0.2*y1", "ok"),
    "one, free error": (TIED + "F =~ y1", "refused"),
    "one, known error": (TIED + "F =~ y1; y1 ~~ 0.3*y1", "ok"),
    "one, no error": (TIED + "F =~ y1; y1 ~~ 0*y1", "ok"),
    "two latents, all shared": ("F =~ y1+y2+y3+y4+y5+y6; G =~ y1+y2+y3+y4+y5+y6", "refused"),
    "two latents, echelon": ("F =~ y1 + 0*y2 + y3 + y4 + y5 + y6; G =~ y2 + y3 + y4 + y5 + y6; F ~~ 0*G", "weak"),
    "two latents, echelon, not enough": ("F =~ y1 + 0*y2 + y3; G =~ y2 + y3; F ~~ 0*G", "refused"),
    "bifactor of three groups": (
        "g =~ y1+y2+y3+y4+y5+y6+y7+y8+y9; s =~ y1+y2+y3; t =~ y4+y5+y6; u =~ y7+y8+y9; g ~~ 0*s + 0*t + 0*u; "
        "s ~~ 0*t + 0*u; t ~~ 0*u",
        "weak",
    ),
    "bifactor of two groups": (  # the general factor's share of each group can be traded against the other's
        "g =~ y1+y2+y3+y4+y5+y6; s =~ y1+y2+y3; t =~ y4+y5+y6; g ~~ 0*s + 0*t; s ~~ 0*t",
        "refused",
    ),
    "bifactor whose factors covary": ("g =~ y1+y2+y3+y4+y5+y6; s =~ y1+y2+y3; t =~ y4+y5+y6", "refused"),
    "one cross-loading": ("F =~ y1+y2+y3+z1; G =~ z2+z3+z1", "weak"),
    "one pure beside a shared one": ("F =~ y1 + z1; G =~ z1 + z2 + z3 + z4", "refused"),
    "std_lv by hand": ("F =~ NA*y1 + y2 + y3; F ~~ 1*F", "ok"),
    "endogenous in disturbance units": ("F =~ y1+y2+y3; G =~ NA*z1+z2+z3; G ~ F; G ~~ 1*G", "ok"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name: str) -> None:
    text, answer = KNOWN[name]
    if answer == "refused":
        with pytest.raises(GpsemError) as caught:
            spec(text)
        assert caught.value.place is not None
    else:
        assert bool(warnings(text)) == (answer == "weak"), warnings(text)


def brute_rank_deficit(loadings: np.ndarray, markers: list[tuple[int, int]], covary: bool) -> int:
    """The same question by finite differences of the implied covariance, sharing no code with the library."""
    p, k = loadings.shape
    free = [(i, j) for i, j in itertools.product(range(p), range(k)) if loadings[i, j] and (i, j) not in markers]
    pairs = [(a, b) for a in range(k) for b in range(a + 1) if a == b or covary]

    def implied(theta: np.ndarray) -> np.ndarray:
        table = np.zeros((p, k))
        for i, j in markers:
            table[i, j] = 1.0
        for value, (i, j) in zip(theta, free, strict=False):
            table[i, j] = value
        phi = np.zeros((k, k))
        for value, (a, b) in zip(theta[len(free) :], pairs, strict=False):
            phi[a, b] = phi[b, a] = value
        sigma = table @ phi @ table.T + np.diag(theta[len(free) + len(pairs) :])
        return sigma[np.tril_indices(p)]

    random = np.random.default_rng(7)
    root = random.normal(size=(k, k))
    phi = root @ root.T + k * np.eye(k)
    start = np.concatenate(
        [random.uniform(0.5, 1.5, len(free)), [phi[a, b] if a != b else phi[a, a] for a, b in pairs], np.ones(p)]
    )
    step = 1e-5
    jacobian = np.array(
        [(implied(start + step * e) - implied(start - step * e)) / (2 * step) for e in np.eye(len(start))]
    ).T
    singular = np.linalg.svd(jacobian, compute_uv=False)
    return len(start) - int((singular > singular[0] * 1e-7).sum())


@pytest.mark.parametrize("seed", range(30))
def test_random_patterns_against_finite_differences(seed: int) -> None:
    random = np.random.default_rng(seed)
    k, p = int(random.integers(2, 4)), int(random.integers(5, 9))
    pattern = random.random((p, k)) < 0.45
    pattern[random.permutation(p)[:k], np.arange(k)] = True
    pattern[~pattern.any(axis=1), 0] = True
    covary = bool(random.random() < 0.6)
    markers, text = [], []
    for j in range(k):
        items = np.flatnonzero(pattern[:, j])
        markers.append((int(items[0]), j))
        text.append(f"F{j} =~ " + " + ".join(f"y{i}" for i in items))
    if not covary:
        text += [f"F{a} ~~ 0*F{b}" for a in range(k) for b in range(a)]
    if len({i for i, _ in markers}) < k or (pattern.sum(axis=1) == 1)[:, None].repeat(k, 1)[pattern].all():
        return  # a shared marker is a matter of origins, and pure patterns of counting
    deficit = brute_rank_deficit(pattern.astype(float), markers, covary)
    try:
        spec("\n".join(text))
        accepted = True
    except GpsemError as error:
        assert "not identified" in str(error) or "single indicator" in str(error) or "origin" in str(error)
        accepted = False
    pure = [(pattern[:, j] & (pattern.sum(axis=1) == 1)).sum() for j in range(k)]
    alone = [not (pattern[:, j] & (pattern.sum(axis=1) > 1)).any() for j in range(k)]
    if not covary and any(a and n == 2 for a, n in zip(alone, pure, strict=True)):
        return  # two indicators alone: weak by the house's rule, though second moments do not identify them
    assert accepted == (deficit == 0), (text, deficit)


def test_matching() -> None:
    assert sorted(match({"a": ["1", "2"], "b": ["1"], "c": ["2"]}).values()) == ["a", "b"]
    assert match({"a": ["1", "2"], "b": ["1", "3"], "c": ["1"]}) == {"1": "c", "2": "a", "3": "b"}
    assert match({"a": [], "b": ["1"]}) == {"1": "b"}


def test_shared_markers_find_origins_of_their_own() -> None:
    found = spec("F =~ y1+y2+y3+y4+y5; G =~ y1+z2+z3+z4")
    fixed = [row.lhs for row in found.table.rows if row.op == "~1" and row.value == 0]
    assert len(fixed) == 2


def test_notes_on_what_lavaan_would_do() -> None:
    text = "F =~ y1+y2+y3; G =~ z1+z2+z3; H =~ h1+h2+h3; G ~ F; H ~ F"
    notes = [v.what for v in spec(text).verdicts if v.level == "note"]
    assert any("lavaan would free" in note for note in notes)
    assert not [v for v in spec(text + "; G ~~ 0*H").verdicts if v.level == "note"]
