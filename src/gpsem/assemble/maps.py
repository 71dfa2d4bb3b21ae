"""Affine maps between the user's coefficients and internal ones: units, origins, products multiplied out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpsem.model.specification import Specification
from gpsem.model.table import Row

FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def units_of(
    spec: Specification,
    table: dict[tuple[str, str, str], Row],
    latents: tuple[str, ...],
    indicators: tuple[str, ...],
    centre: FloatArray,
    scale: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """x_user = unit x_internal + origin, such that the marker's internal loading is 1 and its intercept 0."""
    unit, origin = np.ones(len(latents)), np.zeros(len(latents))
    for n, latent in enumerate(latents):
        marker = spec.anchors.marker[latent]
        j = indicators.index(marker)
        loading = table[latent, "=~", marker].value if spec.anchors.scale[latent] == "loading" else None
        intercept = table[marker, "~1", ""].value
        unit[n] = scale[j] / (loading or 1.0)
        origin[n] = (centre[j] - (intercept or 0.0)) / (loading or 1.0)
    return unit, origin


def measurement_map(
    spec: Specification,
    latents: tuple[str, ...],
    indicators: tuple[str, ...],
    centre: FloatArray,
    scale: FloatArray,
    unit: FloatArray,
    origin: FloatArray,
) -> tuple[list[tuple[str, str]], FloatArray, FloatArray]:
    """Entries (indicator, latent; '' is the intercept) and internal = a0 + a1 user: see `docs/model.md`."""
    entries = [(y, x) for y in indicators for x in (*spec.roles.measured[y], "")]
    at = {entry: n for n, entry in enumerate(entries)}
    a0, a1 = np.zeros(len(entries)), np.zeros((len(entries), len(entries)))
    for n, (y, x) in enumerate(entries):
        s = scale[indicators.index(y)]
        if x:
            a1[n, n] = unit[latents.index(x)] / s
            a1[at[y, ""], n] = origin[latents.index(x)] / s
        else:
            a1[n, n] = 1 / s
            a0[n] = -centre[indicators.index(y)] / s
    return entries, a0, a1


def closed_slopes(spec: Specification) -> list[tuple[str, tuple[str, ...]]]:
    """Every equation's linear terms, closed under shifts of origin: a product brings its factors and an intercept."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    for equation in spec.equations:
        if not equation.slopes:
            continue
        found[equation.latent, ()] = None
        for factors in equation.slopes:
            if len(factors) > 1:
                found.update(((equation.latent, (x,)), None) for x in factors)
        found.update(((equation.latent, factors), None) for factors in equation.slopes)
    return list(found)


def expand(
    slopes: tuple[tuple[str, tuple[str, ...]], ...], latents: tuple[str, ...], unit: FloatArray, origin: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Internal = s0 + s1 user for slopes, where x_user = unit x + origin of every latent.

    The user's $x_c = \sum_s u_s \prod x_k$ with $x_k = unit_k z_k + origin_k$, multiplied out.
    """
    at = {slope: n for n, slope in enumerate(slopes)}
    s0, s1 = np.zeros(len(slopes)), np.zeros((len(slopes), len(slopes)))
    place = {name: n for n, name in enumerate(latents)}
    for n, (latent, factors) in enumerate(slopes):
        c = place[latent]
        pieces: dict[tuple[str, ...], float] = {(): 1.0}
        for x in factors:
            k = place[x]
            grown: dict[tuple[str, ...], float] = {}
            for inside, value in pieces.items():
                grown[(*inside, x)] = grown.get((*inside, x), 0.0) + value * unit[k]
                grown[inside] = grown.get(inside, 0.0) + value * origin[k]
            pieces = grown
        for inside, value in pieces.items():
            s1[at[latent, inside], n] += value / unit[c]
        if not factors:
            s0[n] = -origin[c] / unit[c]
    return s0, s1
