r"""Constraints in the user's units as an affine map in internal ones.

Internal coefficients are $w = a_0 + A_1 u$ of the user's $u$; what the user fixed and set equal is
$u = U_0 + U_1 \varphi$. The free numbers that are sampled, $\theta$, are the internal values of each class's first
member, so that a preset means the same for a parameter that stands alone and for one that is shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpsem.maths.priors import NAMES
from gpsem.model.table import Row
from gpsem.moves.types import Linear, Variances
from gpsem.syntax.prior import Prior, parse_prior
from gpsem.syntax.source import Source

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


class Constrained(NamedTuple):
    """The map from free numbers to internal coefficients, and from them to the user's values of each class."""

    constant: FloatArray
    basis: FloatArray
    user_rows: FloatArray  # (classes, theta): the user's number of each class is user_rows @ theta + user_shift
    user_shift: FloatArray


def classes(rows: Sequence[Row | None]) -> tuple[list[int], dict[int, int]]:
    """The free numbers among rows, in order, and their places; None is a coefficient that is not in the table."""
    numbers = list(dict.fromkeys(row.free for row in rows if row is not None and row.free))
    return numbers, {number: place for place, number in enumerate(numbers)}


def constrain(rows: Sequence[Row | None], a0: FloatArray, a1: FloatArray) -> Constrained:
    """Entries in the table's order (None: fixed at 0) with the map to internal coefficients."""
    numbers, place = classes(rows)
    u0 = np.zeros(len(rows))
    u1 = np.zeros((len(rows), len(numbers)))
    first: dict[int, int] = {}
    for n, row in enumerate(rows):
        if row is None:
            continue
        if row.free:
            u1[n, place[row.free]] = 1.0
            first.setdefault(place[row.free], n)
        else:
            u0[n] = row.value or 0.0
    start = a0 + a1 @ u0
    through = a1 @ u1
    if not numbers:
        return Constrained(start, through, np.zeros((0, 0)), np.zeros(0))
    pick = [first[k] for k in range(len(numbers))]
    inverse = np.asarray(np.linalg.inv(through[pick]), dtype=float)
    return Constrained(start - through @ inverse @ start[pick], through @ inverse, inverse, -inverse @ start[pick])


def with_priors(found: Constrained, rows: Sequence[Row | None], variance: float) -> Linear:
    """The preset's normal on each free number; a prior of the user's replaces it, in the user's units."""
    numbers, place = classes(rows)
    size = len(numbers)
    precision = np.eye(size) / variance
    shift = np.zeros(size)
    others: list[tuple[FloatArray, float, int, tuple[float, float, float]]] = []
    for number, k in place.items():
        row = next(r for r in rows if r is not None and r.free == number)
        prior = written(row.prior).get("")
        if prior is None:
            continue
        r, t = found.user_rows[k], float(found.user_shift[k])
        if prior.name == "normal":
            mean, sd = prior.arguments
            precision[k, k] -= 1 / variance
            precision += np.outer(r, r) / sd**2
            shift += r * (mean - t) / sd**2
        else:
            others.append((r, t, NAMES.index(prior.name), padded(prior)))
    # A prior that is not normal is met by a Metropolis step from the preset's: the preset is divided out again.
    spare = [(np.eye(size)[k], variance) for k in _replaced(rows, place)]
    return Linear(
        found.constant,
        found.basis,
        precision,
        shift,
        np.array([r for r, *_ in others]).reshape(len(others), size),
        np.array([t for _, t, *_ in others]),
        np.array([c for *_, c, _ in others], int),
        np.array([a for *_, a in others]).reshape(len(others), 3),
        np.array([r for r, _ in spare]).reshape(len(spare), size),
        np.array([v for _, v in spare]),
    )


def _replaced(rows: Sequence[Row | None], place: dict[int, int]) -> list[int]:
    found = []
    for number, k in place.items():
        row = next(r for r in rows if r is not None and r.free == number)
        prior = written(row.prior).get("")
        if prior is not None and prior.name != "normal":
            found.append(k)
    return found


def written(text: str) -> dict[str, Prior]:
    """The priors of a table's cell, by what they are put on."""
    parts = [part.strip() for part in text.split(";") if part.strip()]
    priors = [parse_prior(part, Source(part), 0, len(part)) for part in parts]
    return {prior.on: prior for prior in priors}


def padded(prior: Prior) -> tuple[float, float, float]:
    """Three arguments, as `maths.priors` takes them."""
    values = (*prior.arguments, 1.0, 1.0, 1.0)
    return values[0], values[1], values[2]


POWERS = {"var": 1.0, "sd": 0.5, "prec": -1.0}


def variances(rows: Sequence[Row | None], units: FloatArray, base: tuple[float, float]) -> Variances:
    """Variances whose internal value times `units` is the user's; None is one that is not a parameter (0)."""
    numbers, place = classes(rows)
    which = np.full(len(rows), -1)
    factor, fixed = np.ones(len(rows)), np.zeros(len(rows))
    unit = np.ones(len(numbers))
    code, power = np.full(len(numbers), -1), np.ones(len(numbers))
    arguments = np.ones((len(numbers), 3))
    seen: set[int] = set()
    for n, row in enumerate(rows):
        if row is None:
            continue
        if not row.free:
            fixed[n] = (row.value or 0.0) / units[n]
            continue
        k = place[row.free]
        which[n] = k
        if k not in seen:
            seen.add(k)
            unit[k] = units[n]
            for on, prior in written(row.prior).items():
                code[k], power[k], arguments[k] = NAMES.index(prior.name), POWERS[on], padded(prior)
        factor[n] = unit[k] / units[n]
    shape, scale = np.full(len(numbers), base[0]), np.full(len(numbers), base[1])
    return Variances(which, factor, fixed, shape, scale, code, arguments, power, unit)
