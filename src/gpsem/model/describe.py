"""A specification in words: the statements understood, the graph, and how it would be computed."""

from __future__ import annotations

from collections.abc import Iterator

from gpsem.errors import quoted
from gpsem.model.equations import Equation
from gpsem.model.roles import cores
from gpsem.model.settings import PAPER_INDUCING
from gpsem.model.specification import Specification
from gpsem.syntax.expression import name_text, number
from gpsem.syntax.modifiers import Modifier
from gpsem.syntax.statements import Statement
from gpsem.syntax.terms import Term

_FAMILY = {
    "gp": "a learned function (sparse Gaussian process, {inducing} pseudo-inputs, {kernel} kernel)",
    "full-gp": "a learned function (full Gaussian process, {kernel} kernel)",
    "basis": "a learned function (finite basis, {kernel} spectrum)",
}
_KERNEL = {"rbf": "squared exponential", "matern32": "Matérn 3/2", "matern52": "Matérn 5/2"}
NAMES_SHOWN = 12


def statements(spec: Specification) -> list[tuple[int, str, str]]:
    """Each statement: its line, its text, and what it says."""
    equations = {equation.latent: equation for equation in spec.equations}
    means = {row.lhs: row.value for row in spec.table.rows if row.op == "~1"}
    said = []
    for statement in spec.statements:
        text = " ".join(spec.source.text[statement.start : statement.end].split())
        said.append((spec.source.line_of(statement.start), text, _meaning(spec, statement, equations, means)))
    return said


def _meaning(
    spec: Specification, statement: Statement, equations: dict[str, Equation], means: dict[str, float | None]
) -> str:
    left = _names([term.names[0] for term in statement.left])
    if statement.op == "=~":
        return f"{left} is measured by {_names([_indicator(term) for term in statement.right])}"
    if statement.op == "~":
        return "; ".join(
            part for term in statement.left for part in _regression(spec, statement, term.names[0], equations, means)
        )
    if statement.op == "~~":
        return "; ".join(_covariance(spec, a.names[0], term) for a in statement.left for term in statement.right)
    if statement.op == ":=":
        return "worked out from every draw"
    left_side, right_side = statement.left_expression, statement.right_expression
    named = left_side is not None and right_side is not None and left_side.places and right_side.places
    return "equal parameters" if named else "a fixed parameter"


def _names(names: list[str]) -> str:
    cut = names[:NAMES_SHOWN]
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(cut) + more


def _indicator(term: Term) -> str:
    name = name_text(term.names[0])
    shown = [words for modifier in term.modifiers if (words := _modifier(modifier))]
    return f"{name} ({', '.join(shown)})" if shown else name


def _modifier(modifier: Modifier) -> str:
    value = modifier.values[0] if modifier.values else None
    if modifier.kind == "fixed":
        return "free" if value is None else f"fixed at {number(float(str(value)))}"
    if modifier.kind in ("label", "equal"):
        return f"label {value}"
    return f"starts at {number(float(str(value)))}" if modifier.kind == "start" else f"prior {value}"


def _regression(
    spec: Specification,
    statement: Statement,
    left: str,
    equations: dict[str, Equation],
    means: dict[str, float | None],
) -> Iterator[str]:
    constant = next((term for term in statement.right if term.kind == "constant"), None)
    if constant is not None:
        value = means[left]
        held = f"fixed at {number(value)}" if value is not None else "free"
        words = [w for m in constant.modifiers if m.kind != "fixed" and (w := _modifier(m))]
        what = "mean" if left in spec.roles.measures and left not in equations else "intercept"
        yield f"the {what} of {left} is {', '.join([held, *words])}"
    if left in equations and any(term.kind != "constant" for term in statement.right):
        yield f"{left} is " + " plus ".join(_parts(spec, equations[left]))


def _parts(spec: Specification, equation: Equation) -> Iterator[str]:
    for parents in equation.functions:
        yield f"{function_words(spec, equation.family)} of {_names([name_text(p) for p in parents])}"
    if equation.slopes:
        yield f"a linear combination of {_names([' x '.join(map(name_text, factors)) for factors in equation.slopes])}"


def function_words(spec: Specification, family: str) -> str:
    """A family of functions in words."""
    inducing = spec.settings.inducing or PAPER_INDUCING
    words = _FAMILY[family].format(inducing=inducing, kernel=_KERNEL[spec.settings.kernel])
    return words.replace(")", ", a length-scale for each parent)") if spec.settings.ard else words


def _covariance(spec: Specification, first: str, term: Term) -> str:
    second = term.names[0]
    value = next((m.values[0] for m in term.modifiers if m.kind == "fixed"), None)
    words = [w for m in term.modifiers if m.kind != "fixed" and (w := _modifier(m))]
    extra = f" ({', '.join(words)})" if words else ""
    if first != second:
        zero = isinstance(value, float) and value == 0
        what = "" if first in spec.roles.exogenous and second in spec.roles.exogenous else "the disturbances of "
        if first not in spec.roles.measures:
            what = "the errors of "
        return f"{what}{first} and {second} " + ("are independent" if zero else f"covary{extra}")
    what = "disturbance variance" if first in spec.roles.parents else "variance"
    if first not in spec.roles.measures:
        what = "error variance"
    return f"the {what} of {first} is " + (f"fixed at {number(value)}" if isinstance(value, float) else "free") + extra


def graph(spec: Specification) -> list[str]:
    """The graph in words: exogenous latents, then each equation with its cause and effect, then measurement."""
    lines = []
    for block in spec.blocks:
        kind = "mixture" if len(block) == 1 else "joint mixture"
        size = spec.settings.mixture
        lines.append(f"{_names(list(block))}: exogenous, a {kind} of {size} normal{'s' if size > 1 else ''}")
    for equation in spec.equations:
        lines.append(f"{_names(list(spec.roles.parents[equation.latent]))} -> {equation.latent}")
    for latent in spec.order:
        lines.append(f"{latent} -> {_names([_marked(spec, latent, name) for name in spec.roles.measures[latent]])}")
    return lines


def _marked(spec: Specification, latent: str, indicator: str) -> str:
    return f"{indicator}*" if spec.anchors.marker[latent] == indicator and spec.anchors.scale[latent] else indicator


def anchors(spec: Specification) -> list[str]:
    """Where the units and origins of the latents come from."""
    by_marker = [latent for latent in spec.order if spec.anchors.scale[latent] == "loading"]
    by_variance = [latent for latent in spec.order if spec.anchors.scale[latent] == "variance"]
    lines = []
    if by_marker:
        lines.append(f"{_names(by_marker)}: in the unit of the marker (starred), whose loading is fixed")
    if by_variance:
        exogenous = [latent for latent in by_variance if latent not in spec.roles.parents]
        others = [latent for latent in by_variance if latent in spec.roles.parents]
        if exogenous:
            lines.append(f"{_names(exogenous)}: in units of the total standard deviation")
        if others:
            lines.append(f"{_names(others)}: in units of the disturbance's standard deviation")
    by_mean = [latent for latent in spec.order if spec.anchors.origin.get(latent) == "mean"]
    if by_mean:
        lines.append(f"{_names(by_mean)}: the origin is the latent's own mean or intercept, which is fixed")
    if by_marker and len(by_mean) < len(spec.order):
        lines.append(
            ("other origins" if by_mean else "origins")
            + ": an indicator's intercept is fixed (by default the marker's, at 0), the latent's mean or level is free"
        )
    return lines


def computation(spec: Specification) -> list[str]:
    """What a fit would have to work out, and what its cost depends on."""
    settings, roles = spec.settings, spec.roles
    core = cores(roles)
    inner = set(core)
    leaves = [latent for latent in roles.endogenous if latent not in inner]
    lines = [
        f"{spec.table.parameters} free parameters in the table; {len(spec.order)} latent value"
        f"{'s' if len(spec.order) > 1 else ''} and {len(roles.measured)} cells a row"
    ]
    functions = [(e, parents) for e in spec.equations for parents in e.functions]
    for equation, parents in functions:
        lines.append(f"{equation.latent}: {_cost(spec, equation, parents)}")
    straight = [e.latent for e in spec.equations if not e.functions]
    if straight:
        lines.append(f"{_names(straight)}: straight lines, squares or products; cost grows with rows")
    for block in spec.blocks:
        width = len(block)
        numbers = settings.mixture * (1 + width + width * (width + 1) // 2) - 1
        lines.append(f"{_names(list(block))}: {numbers} mixture numbers, none of them in the table")
    if core:
        lines.append(f"latents with latent effects: {_names(list(core))}")
    if leaves:
        lines.append(f"outcomes that cause nothing else: {_names(leaves)}")
    where = "standardised indicators" if settings.standardise else "centred indicators in their own units"
    lines.append(f"priors '{settings.priors}' on {where}; everything is reported in your units")
    return lines


def _cost(spec: Specification, equation: Equation, parents: tuple[str, ...]) -> str:
    dimension = f"{len(parents)} parent{'s' if len(parents) > 1 else ''}"
    if equation.family == "gp":
        inducing = spec.settings.inducing or PAPER_INDUCING
        chosen = "as set" if spec.settings.inducing else "the paper's number"
        size = (
            f"{inducing} pseudo-inputs ({chosen}); time grows with rows x {inducing}^2, memory with rows x {inducing}"
        )
    elif equation.family == "full-gp":
        size = "no pseudo-inputs; time grows with rows^3, memory with rows^2"
    else:
        size = "a finite basis; time grows with rows x basis size"
    return f"function of {dimension} ({quoted(parents)}), {size}"
