"""A fitted model: tables, scores, curves, and the draws in ArviZ's layout."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from gpsem.assemble import units
from gpsem.assemble.problem import Built
from gpsem.data.prepare import Data
from gpsem.errors import GpsemError, did_you_mean
from gpsem.model.table import Row
from gpsem.results import curves, summary
from gpsem.results.diagnose import Diagnosis, Finding, diagnose, epsr, findings
from gpsem.sample.run import Kept

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
GRID = 60
NEAR = 0.25
"""A row supports a grid point when its latent's posterior mean lies within this many standard deviations of it."""


class Run(NamedTuple):
    """How the draws were made."""

    sampler: str
    chains: int
    draws: int
    warmup: int
    seed: int
    seconds: float
    interrupted: bool


class Fit:
    """What `gpsem.fit` returns. Nothing here depends on where or when it was run, but `run.seconds`."""

    def __init__(self, built: Built, data: Data, kept: Kept, accepted: dict[str, FloatArray], run: Run) -> None:
        self.built, self.data, self.kept, self.accepted, self.run = built, data, kept, accepted, run

    def __repr__(self) -> str:
        spec = self.built.layout.spec
        return (
            f"<gpsem.Fit: {len(spec.order)} latents, {len(self.data.values):,} rows, {self.run.chains} chains of "
            f"{self.kept.x.shape[1]:,} draws>"
        )

    @cached_property
    def draws(self) -> dict[int, FloatArray]:
        """Draws of each row of the parameter table, by id, (chain, draw), in the user's units."""
        return units.parameters(self.built.layout, self.built.problem, self.kept)

    @cached_property
    def explained(self) -> dict[str, FloatArray]:
        """Draws of each equation's R-square."""
        return units.explained(self.built.layout, self.built.problem, self.kept)

    @cached_property
    def latents(self) -> FloatArray:
        """Draws of every row's latents, (chain, draw, row, latent), in the user's units."""
        return units.latents(self.built.layout, self.built.problem, self.kept)

    @cached_property
    def _varying(self) -> tuple[list[Row], Diagnosis]:
        rows = [row for row in self.built.layout.rows if row.value is None]
        stacked = np.stack([self.draws[row.id] for row in rows], axis=2)
        return rows, diagnose(stacked)

    def parameters(self, level: float = 0.95) -> pd.DataFrame:
        """One row a parameter: `lhs op rhs label group est sd ci.lower ci.upper rhat ess_bulk ess_tail prior`."""
        _check_level(level)
        rows, diagnosis = self._varying
        return summary.frame(self.built, self.draws, self.explained, rows, diagnosis, level)

    def findings(self) -> list[Finding]:
        """What must be known before the numbers are believed, in words, each with its remedy."""
        rows, diagnosis = self._varying
        return findings(
            [row.name for row in rows], diagnosis, self.run.chains, self.kept.x.shape[1], self.run.interrupted
        )

    @property
    def converged(self) -> bool:
        """Whether the diagnostics have no objection."""
        return all(finding.good for finding in self.findings())

    def summary(self, level: float = 0.95) -> summary.Summary:
        """The table in lavaan's order with blavaan's columns, and the verdicts; printing it shows both."""
        return summary.Summary(self.parameters(level), self.findings(), self.run, self.built, level)

    def epsr(self) -> dict[str, FloatArray]:
        """The paper's EPSR: of the table's parameters, and of every row's latents."""
        rows, _ = self._varying
        draws = np.stack([self.draws[row.id] for row in rows], axis=2)
        flat = self.latents.reshape(*self.latents.shape[:2], -1)
        return {"parameters": epsr(draws), "latents": epsr(flat).reshape(self.latents.shape[2:])}

    def scores(self, level: float = 0.95) -> pd.DataFrame:
        """One row an input row and latent: `row latent mean sd lower upper`, for the training rows."""
        _check_level(level)
        flat = self.latents.reshape(-1, *self.latents.shape[2:])
        lower, upper = np.quantile(flat, [(1 - level) / 2, (1 + level) / 2], axis=0)
        names = self.built.layout.latents
        return pd.DataFrame(
            {
                "row": np.repeat(np.asarray(self.data.labels), len(names)),
                "latent": np.tile(names, len(flat[0])),
                "mean": flat.mean(axis=0).ravel(),
                "sd": flat.std(axis=0, ddof=min(1, len(flat) - 1)).ravel(),
                "lower": lower.ravel(),
                "upper": upper.ravel(),
            }
        )

    def curve(self, equation: str, at: Any = None, level: float = 0.95, seed: int = 0) -> pd.DataFrame:
        """The learned function with its pointwise band and slope; see `docs/commands.md` for the columns."""
        _check_level(level)
        latent, parents = self._equation(equation)
        grid = self._grid(parents, at)
        values, slopes = self._on(latent, parents, grid.to_numpy(float), seed)
        made = grid.copy()
        tails = [(1 - level) / 2, (1 + level) / 2]
        made["mean"], made["sd"] = values.mean(axis=0), values.std(axis=0, ddof=min(1, len(values) - 1))
        made["lower"], made["upper"] = np.quantile(values, tails, axis=0)
        for n, parent in enumerate(parents):
            tag = f"slope_{parent}" if len(parents) > 1 else "slope"
            made[tag] = slopes[..., n].mean(axis=0)
            made[f"{tag}_lower"], made[f"{tag}_upper"] = np.quantile(slopes[..., n], tails, axis=0)
        made["support"] = self._support(parents, grid.to_numpy(float))
        return made

    def _equation(self, text: str) -> tuple[str, tuple[str, ...]]:
        wanted = "".join(str(text).split())
        spec = self.built.layout.spec
        known = {f"{e.latent}~{'+'.join(spec.roles.parents[e.latent])}": e.latent for e in spec.equations}
        known |= {e.latent: e.latent for e in spec.equations}
        known |= {f"{e.latent}~{'+'.join(reversed(spec.roles.parents[e.latent]))}": e.latent for e in spec.equations}
        if wanted not in known:
            hint = did_you_mean(wanted, known)
            listed = ", ".join(f"'{e.latent} ~ {' + '.join(spec.roles.parents[e.latent])}'" for e in spec.equations)
            raise GpsemError(f"There is no equation '{text}'.", remedy=f"{hint} Equations: {listed or 'none'}.".strip())
        return known[wanted], spec.roles.parents[known[wanted]]

    def _grid(self, parents: tuple[str, ...], at: Any) -> pd.DataFrame:
        means = self.latents.mean(axis=(0, 1))
        place = [self.built.layout.latents.index(parent) for parent in parents]
        if at is None:
            first = means[:, place[0]]
            columns = {parents[0]: np.linspace(first.min(), first.max(), GRID)}
            columns |= {p: np.full(GRID, means[:, k].mean()) for p, k in zip(parents[1:], place[1:], strict=True)}
            return pd.DataFrame(columns)
        if isinstance(at, pd.DataFrame):
            lacking = [parent for parent in parents if parent not in at]
            if lacking:
                raise GpsemError(f"The grid lacks the column '{lacking[0]}'.", remedy=f"Give {', '.join(parents)}.")
            grid = at[list(parents)].astype(float).reset_index(drop=True)
        else:
            points = np.asarray(at, dtype=float)
            if points.ndim != 1 or len(parents) != 1:
                raise GpsemError(
                    f"This function has {len(parents)} parents ({', '.join(parents)}).",
                    remedy="Give at= as a frame with a column for each.",
                )
            grid = pd.DataFrame({parents[0]: points})
        if not np.isfinite(grid.to_numpy()).all() or not len(grid):
            raise GpsemError("The grid is empty or has points that are not finite.", remedy="Give finite numbers.")
        return grid

    def _on(self, latent: str, parents: tuple[str, ...], grid: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
        """Draws (all chains) of an equation's mean and its slopes on a grid, in the user's units."""
        layout, problem, kept = self.built.layout, self.built.problem, self.kept
        frame = units.frames(layout, problem, kept)
        q = len(layout.latents)
        unit, origin = frame.unit.reshape(-1, q), frame.origin.reshape(-1, q)
        c = layout.latents.index(latent)
        place = {parent: layout.latents.index(parent) for parent in parents}
        total = np.zeros((len(unit), len(grid)))
        slope = np.zeros((len(unit), len(grid), len(parents)))
        inside = {
            p: (grid[None, :, n] - origin[:, place[p], None]) / unit[:, place[p], None] for n, p in enumerate(parents)
        }
        generator = np.random.default_rng([seed, c])
        level = True
        for t, (name, takes) in enumerate(layout.terms):
            if name != latent:
                continue
            points = np.stack([inside[p] for p in takes], axis=2)
            f, d = self._function(t, takes, points, generator)
            total += f * unit[:, c, None]
            for i, p in enumerate(takes):
                slope[..., parents.index(p)] += d[..., i] * (unit[:, c] / unit[:, place[p]])[:, None]
        lines = units.slopes(layout, problem, kept, frame)
        for (name, factors), draws in lines.items():
            if name != latent:
                continue
            level = False
            weight = draws.reshape(-1, 1)
            columns = [grid[:, parents.index(x)] for x in factors]
            total += weight * (np.prod(columns, axis=0) if columns else 1.0)
            for n, x in enumerate(factors):
                others = [column for m, column in enumerate(columns) if m != n]
                slope[..., parents.index(x)] += weight * (np.prod(others, axis=0) if others else 1.0)
        if level:
            total += origin[:, c, None]
        return total, slope

    def _function(
        self, t: int, takes: tuple[str, ...], points: FloatArray, generator: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        kept, shape = self.kept, self.built.shape
        size = len(takes)
        hyper = kept.hyper[:, :, t, : 1 + size].reshape(-1, 1 + size)
        if shape.family == "basis":
            return self._basis(t, takes, points)
        if shape.family == "full-gp":
            where = [self.built.layout.latents.index(x) for x in takes]
            inputs = np.moveaxis(kept.x[:, :, where], 2, 3).reshape(-1, shape.rows, size)
            return curves.values(
                shape.kernel, hyper, inputs, kept.f[:, :, t].reshape(-1, shape.rows), points, generator
            )
        inputs = kept.z[:, :, t, :, :size].reshape(-1, shape.inducing, size)
        known = kept.fbar[:, :, t].reshape(-1, shape.inducing)
        return curves.values(shape.kernel, hyper, inputs, known, points, generator)

    def _basis(self, t: int, takes: tuple[str, ...], points: FloatArray) -> tuple[FloatArray, FloatArray]:
        import jax

        from gpsem.moves.basis import basis_features

        shape, problem = self.built.shape, self.built.problem
        real = (np.asarray(problem.term_inputs)[t] < shape.latents).astype(float)
        padded = np.concatenate([points, np.ones((*points.shape[:2], shape.inputs - len(takes)))], axis=2)
        hyper = self.kept.hyper[:, :, t].reshape(-1, 1 + shape.inputs)
        weights = self.kept.fbar[:, :, t].reshape(-1, shape.inducing)

        def one(h: Any, u: Any, x: Any) -> Any:
            return basis_features(shape, problem, h, x[None], real)[:, 0] @ u

        both = jax.jit(jax.vmap(jax.vmap(jax.value_and_grad(one, argnums=2), (None, None, 0)), (0, 0, 0)))
        f, d = both(hyper, weights, padded)
        return np.asarray(f), np.asarray(d)[..., : len(takes)]

    def _support(self, parents: tuple[str, ...], grid: FloatArray) -> FloatArray:
        means = self.latents.mean(axis=(0, 1))[:, [self.built.layout.latents.index(p) for p in parents]]
        width = NEAR * np.maximum(means.std(axis=0, ddof=1), 1e-300)
        near = np.abs(means[None] - grid[:, None]) <= width
        return np.asarray(near.all(axis=2).sum(axis=1))

    @cached_property
    def posterior(self) -> xr.DataTree:
        """The draws as an xarray DataTree in ArviZ's layout."""
        from gpsem.results.tree import tree

        return tree(self)

    def to_arviz(self) -> Any:
        """The same, in the type that the installed ArviZ takes."""
        return self.posterior

    def save(self, folder: str, force: bool = False) -> None:
        """Write the run as a folder: draws (zarr), model text, settings."""
        from gpsem.results.store import save

        save(self, folder, force)


def _check_level(level: float) -> None:
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise GpsemError(f"level={level!r} is no probability.", remedy="Give a number between 0 and 1, such as 0.95.")
