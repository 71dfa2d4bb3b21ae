r"""How the latents' covariance can move: freely, or as $(I - B)^{-1} \Psi (I - B)^{-\top}$ of linear equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpsem.model.draft import Drafts
from gpsem.model.equations import Equation
from gpsem.model.roles import Roles, causal_order
from gpsem.syntax.expression import name_text

Pairs = frozenset[frozenset[str]]


def roots(roles: Roles, blocks: Sequence[tuple[str, ...]]) -> dict[str, set[int]]:
    """For each latent the exogenous blocks upstream of it: latents that share none are independent."""
    found: dict[str, set[int]] = {}
    for n, block in enumerate(blocks):
        found.update((latent, {n}) for latent in block)
    for latent in causal_order(roles):
        if latent in roles.parents:
            found[latent] = set().union(*(found[parent] for parent in roles.parents[latent]))
    return found


def apart(latents: Sequence[str], upstream: Mapping[str, set[int]]) -> Pairs:
    """Pairs of latents that the graph makes independent."""
    return frozenset(
        frozenset((a, b)) for n, a in enumerate(latents) for b in latents[:n] if not upstream[a] & upstream[b]
    )


def is_linear(equations: Sequence[Equation]) -> bool:
    """Whether every equation is a plain linear combination, so that covariances are all that there is to fit."""
    return all(not e.functions and all(len(factors) == 1 for factors in e.slopes) for e in equations)


def linear_directions(
    drafts: Drafts, latents: Sequence[str], equations: Sequence[Equation], np: Any
) -> tuple[Any, list[tuple[object, Any]]]:
    """A generic covariance of the latents that linear equations imply, and its derivative in each free number.

    A fixed disturbance that sets a latent's scale counts as its value; other fixed values likewise.
    """
    place = {latent: n for n, latent in enumerate(latents)}
    random = np.random.default_rng(20100703)
    size = len(latents)
    b, psi = np.zeros((size, size)), np.zeros((size, size))
    slopes = []
    for equation in equations:
        for (parent,) in equation.slopes:
            if equation.latent in place and parent in place:
                row = drafts.get(equation.latent, "~", name_text(parent))
                value = float(random.uniform(0.3, 0.9)) if row is None or row.fixed is None else float(row.fixed)
                b[place[equation.latent], place[parent]] = value
                if row is not None and row.fixed is None:
                    slopes.append((row.number, place[equation.latent], place[parent]))
    spreads = []
    for n, first in enumerate(latents):
        row = drafts.get(first, "~~", first)
        psi[n, n] = float(random.uniform(1.0, 2.0)) if row is None or row.fixed is None else float(row.fixed)
        if row is not None and row.fixed is None:
            spreads.append((row.number, n, n))
        for m, second in enumerate(latents[:n]):
            row = drafts.get(first, "~~", second)
            if row is not None and row.kind == "covariance" and row.fixed is None:
                psi[n, m] = psi[m, n] = float(random.uniform(0.2, 0.6))
                spreads.append((row.number, n, m))
    through = np.linalg.inv(np.eye(size) - b)
    phi = through @ psi @ through.T
    directions: list[tuple[object, Any]] = []
    for number, c, a in slopes:
        change = np.outer(through[:, c], phi[a])
        directions.append((number, change + change.T))
    for number, n, m in spreads:
        change = np.outer(through[:, n], through[:, m])
        directions.append((number, change if n == m else change + change.T))
    return phi, directions


def free_directions(
    drafts: Drafts, latents: Sequence[str], marked: set[str], independent: Pairs, np: Any
) -> tuple[Any, list[tuple[object, Any]]]:
    """A generic covariance of the latents and its derivative in each of its numbers, but for independent pairs.

    A fixed variance that sets a latent's scale closes it; a fixed disturbance beside a marker leaves the total open.
    """
    size = len(latents)
    random = np.random.default_rng(20100704)
    root = random.normal(size=(size, size))
    phi = root @ root.T + size * np.eye(size)
    directions: list[tuple[object, Any]] = []
    for a, first in enumerate(latents):
        variance = drafts.get(first, "~~", first)
        if variance is None or variance.fixed is None or (variance.kind == "disturbance" and first in marked):
            change = np.zeros((size, size))
            change[a, a] = 1.0
            directions.append(((first, first), change))
        for b, second in enumerate(latents[:a]):
            if frozenset((first, second)) in independent:
                phi[a, b] = phi[b, a] = 0.0
                continue
            change = np.zeros((size, size))
            change[a, b] = change[b, a] = 1.0
            directions.append(((first, second), change))
    return phi, directions
