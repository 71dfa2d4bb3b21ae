"""Who is who: latents, their indicators, who depends on whom, and an order in which causes come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpsem.model.flat import FlatRow


class Roles(NamedTuple):
    """The variables of a model by what they are. Everything is in the order of first mention."""

    latents: tuple[str, ...]
    measures: Mapping[str, tuple[str, ...]]  # latent → its indicators
    measured: Mapping[str, tuple[str, ...]]  # indicator → the latents it measures
    parents: Mapping[str, tuple[str, ...]]  # endogenous latent → the latents in its equation

    @property
    def indicators(self) -> tuple[str, ...]:
        return tuple(self.measured)

    @property
    def exogenous(self) -> tuple[str, ...]:
        return tuple(latent for latent in self.latents if latent not in self.parents)

    @property
    def endogenous(self) -> tuple[str, ...]:
        return tuple(latent for latent in self.latents if latent in self.parents)


def assign(rows: Sequence[FlatRow]) -> Roles:
    """Roles from the flat rows; names that are neither latent nor indicator are left to `refuse`."""
    latents = dict.fromkeys(row.lhs for row in rows if row.op == "=~")
    measures: dict[str, dict[str, None]] = {latent: {} for latent in latents}
    measured: dict[str, dict[str, None]] = {}
    parents: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.op == "=~":
            measures[row.lhs][row.rhs] = None
            if row.rhs not in latents:
                measured.setdefault(row.rhs, {})[row.lhs] = None
        elif row.op == "~" and row.lhs in latents:
            causes = parents.setdefault(row.lhs, {})
            causes.update((name, None) for name in row.term.names if name in latents)
    return Roles(
        tuple(latents),
        {latent: tuple(names) for latent, names in measures.items()},
        {indicator: tuple(names) for indicator, names in measured.items()},
        {latent: tuple(names) for latent, names in parents.items()},
    )


def causal_order(roles: Roles) -> tuple[str, ...]:
    """Latents with every cause before its effects; those on a cycle, and below one, are left out."""
    waiting = {latent: len(roles.parents.get(latent, ())) for latent in roles.latents}
    children: dict[str, list[str]] = {latent: [] for latent in roles.latents}
    for child, parents in roles.parents.items():
        for parent in parents:
            children[parent].append(child)
    ready = [latent for latent in roles.latents if waiting[latent] == 0]
    for latent in ready:
        for child in children[latent]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return tuple(ready)


def cycle(roles: Roles) -> tuple[str, ...]:
    """One cycle as it runs, its first latent repeated at the end; empty where there is none."""
    ordered = set(causal_order(roles))
    left = [latent for latent in roles.latents if latent not in ordered]
    if not left:
        return ()
    at, seen = left[0], dict[str, int]()
    path: list[str] = []
    while at not in seen:  # every latent left has a cause that is left, so walking up must come round
        seen[at] = len(path)
        path.append(at)
        at = next(parent for parent in roles.parents[at] if parent not in ordered)
    loop = [at, *reversed(path[seen[at] :])]
    return tuple(loop)


def connected(links: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Connected components of an undirected graph, each in the order of its keys."""
    seen: set[str] = set()
    components = []
    for start in links:
        if start in seen:
            continue
        found, queue = {start}, [start]
        for node in queue:
            for other in links[node]:
                if other not in found:
                    found.add(other)
                    queue.append(other)
        seen |= found
        components.append(found)
    place = {name: n for n, name in enumerate(links)}
    return [tuple(sorted(found, key=place.__getitem__)) for found in components]


def cores(roles: Roles) -> tuple[str, ...]:
    """Latents with latent children: those that stay when every leaf is integrated out."""
    causes = {parent for parents in roles.parents.values() for parent in parents}
    return tuple(latent for latent in roles.latents if latent in causes)
