"""Standardisation of the indicators and its inverse: sampling works in one, the user sees the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


class Scaling(NamedTuple):
    """`z = (y - centre) / scale`, a column each; taken from the training rows and kept for new ones."""

    centre: Array
    scale: Array

    def apply(self, values: Array) -> Array:
        """User's units → internal ones."""
        return np.asarray((values - self.centre) / self.scale)

    def undo(self, values: Array) -> Array:
        """Internal units → the user's."""
        return np.asarray(values * self.scale + self.centre)


def scaling(values: Array, standardise: bool = True) -> Scaling:
    """Means and standard deviations over observed cells; without `standardise` only the means, as the paper has it."""
    centre = np.nanmean(values, axis=0)
    scale = np.nanstd(values, axis=0, ddof=1) if standardise else np.ones(values.shape[1])
    return Scaling(centre, scale)
