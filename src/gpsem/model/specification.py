"""A model, understood: everything that later stages need, and nothing that depends on data."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from gpsem.errors import GpsemError, Problem
from gpsem.model import defaults, identify, refuse
from gpsem.model.anchors import Anchors, anchor
from gpsem.model.defined import Definition, define
from gpsem.model.draft import Draft, Drafts
from gpsem.model.equalities import settle, unite
from gpsem.model.equations import Equation, equations
from gpsem.model.flat import flatten
from gpsem.model.roles import Roles, assign, causal_order
from gpsem.model.settings import Settings, checked
from gpsem.model.table import Row, Table
from gpsem.model.units import unit_problems
from gpsem.model.verdicts import Verdict
from gpsem.model.written import write
from gpsem.syntax.source import Source
from gpsem.syntax.statements import Statement, parse

MOST_PROBLEMS = 40


class Specification(NamedTuple):
    """The statements, the table they give, and the model in the terms of the mathematics."""

    source: Source
    settings: Settings
    statements: tuple[Statement, ...]
    table: Table
    roles: Roles
    order: tuple[str, ...]  # latents, causes first
    blocks: tuple[tuple[str, ...], ...]  # exogenous latents, one mixture a block
    equations: tuple[Equation, ...]  # in causal order
    anchors: Anchors
    definitions: tuple[Definition, ...]  # in an order of evaluation
    verdicts: tuple[Verdict, ...]

    @property
    def key(self) -> frozenset[tuple[object, ...]]:
        """What the model is, whatever the order of its statements: equal keys, equal models."""
        classes: dict[int, list[str]] = {}
        for row in self.table.rows:
            if row.free:
                classes.setdefault(row.free, []).append(_unordered(row))
        return frozenset(
            (_unordered(row), tuple(sorted(classes.get(row.free, ()))), row.value, row.start, row.label, row.prior)
            for row in self.table.rows
        )


def _unordered(row: Row) -> str:
    left, right = row.lhs, row.rhs
    if row.op == "~~":
        left, right = sorted((left, right))
    elif row.op in ("~", "~gp.sd"):
        sign = "," if row.op == "~gp.sd" else ":"
        right = sign.join(sorted(right.split(sign)))
    return f"{left} {row.op} {right}"


def specify(source: Source, settings: Settings) -> Specification:
    """Text and settings → a specification, or an error that reports every mistake of the first stage that has any."""
    settings = checked(settings)
    statements = parse(source)
    rows = flatten(source, statements)
    roles = assign(rows)
    _raise(refuse.unsupported(source, statements, rows))
    _raise(_no_latent(source, statements, roles))
    _raise(refuse.misplaced(source, rows, roles))
    _raise(refuse.cyclic(source, rows, roles))
    problems: list[Problem] = []
    found = equations(source, rows, roles.endogenous, settings, problems)
    _raise(problems)
    drafts = write(source, rows, roles, found, problems)
    defaults.complete(source, drafts, roles, found, problems)
    classes = unite(source, drafts, statements, problems)
    _raise(problems)
    anchors = anchor(source, drafts, roles, settings, problems)
    problems.extend(settle(source, classes))
    problems.extend(defaults.check_covariances(source, drafts, roles))
    _raise(problems)
    definitions = define(source, statements, drafts, roles, problems)
    problems.extend(unit_problems(source, drafts, classes, anchors, roles))
    _raise(problems)
    verdicts = identify.verdicts(source, drafts, roles, found, anchors, settings)
    _raise(Problem(v.what, v.place, v.remedy) for v in verdicts if v.level == "refused")
    order = causal_order(roles)
    place = {latent: n for n, latent in enumerate(order)}
    return Specification(
        source,
        settings,
        statements,
        _table(drafts, definitions),
        roles,
        order,
        tuple(defaults.blocks(drafts, roles)),
        tuple(sorted(found, key=lambda equation: place[equation.latent])),
        anchors,
        tuple(definitions),
        tuple(verdicts),
    )


def _raise(problems: Iterable[Problem]) -> None:
    found = list(islice(problems, MOST_PROBLEMS))
    if found:
        raise GpsemError.of(found)


def _no_latent(source: Source, statements: tuple[Statement, ...], roles: Roles) -> Iterable[Problem]:
    if not roles.latents:
        first = statements[0]
        yield Problem(
            "The model has no latent variable.",
            source.place(first.start, first.end),
            "Say what is measured by what: F =~ y1 + y2 + y3.",
        )


_DEFAULTS_IN_ORDER = {
    "error": 1,
    "disturbance": 2,
    "variance": 2,
    "covariance": 3,
    "intercept": 4,
    "mean": 5,
    "level": 5,
}


def _section(draft: Draft) -> int:
    """Lavaan's order: what the text says as it stands, then defaults by kind."""
    return 0 if draft.user else _DEFAULTS_IN_ORDER.get(draft.kind, 0)


def _table(drafts: Drafts, definitions: list[Definition]) -> Table:
    """Number the free parameters in order of appearance; equal ones share a number."""
    numbers: dict[object, int] = {}
    rows: list[Row] = []
    for draft in sorted(drafts, key=_section):
        free = 0
        if draft.fixed is None:
            free = numbers.setdefault(draft.number, len(numbers) + 1)
        priors = "; ".join(str(prior) for prior, _, _ in draft.priors.values())
        rows.append(
            Row(
                len(rows) + 1,
                draft.lhs,
                draft.op,
                draft.rhs,
                draft.user,
                free,
                draft.fixed,
                draft.starting,
                draft.label,
                priors,
            )
        )
    for name, expression in definitions:
        rows.append(Row(len(rows) + 1, name, ":=", str(expression), 1, 0, None, None, "", ""))
    return Table(tuple(rows))
