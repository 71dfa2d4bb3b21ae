"""The model's graph as a networkx DiGraph: latents and indicators as nodes, causes and measurements as edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx

    from gpsem.model.specification import Specification


def digraph(spec: Specification) -> nx.DiGraph[str]:
    """Nodes carry `kind` (latent or indicator) and `role`; edges carry `kind` (structural or measurement)."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    for latent in spec.order:
        role = "endogenous" if latent in spec.roles.parents else "exogenous"
        graph.add_node(latent, kind="latent", role=role)
    for indicator in spec.roles.measured:
        graph.add_node(indicator, kind="indicator", role="indicator")
    for equation in spec.equations:
        for parent in spec.roles.parents[equation.latent]:
            shapes = [function_or_line(equation.functions, parent), *_lines(equation.slopes, parent)]
            graph.add_edge(parent, equation.latent, kind="structural", shape="+".join(s for s in shapes if s))
    for latent, indicators in spec.roles.measures.items():
        for indicator in indicators:
            marker = spec.anchors.marker[latent] == indicator and bool(spec.anchors.scale[latent])
            graph.add_edge(latent, indicator, kind="measurement", marker=marker)
    graph.graph["covarying"] = [block for block in spec.blocks if len(block) > 1]
    return graph


def function_or_line(functions: tuple[tuple[str, ...], ...], parent: str) -> str:
    """`function` where a learned function has the parent among its inputs."""
    return "function" if any(parent in parents for parents in functions) else ""


def _lines(slopes: tuple[tuple[str, ...], ...], parent: str) -> list[str]:
    degrees = {len(factors) for factors in slopes if parent in factors}
    return [{1: "linear", 2: "product"}[degree] for degree in sorted(degrees)]
