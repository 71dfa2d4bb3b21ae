"""Parameter table → model text that says everything outright, a line a row: so an edited table can be given back."""

from __future__ import annotations

from gpsem.errors import GpsemError, Problem
from gpsem.model.settings import Settings
from gpsem.model.specification import Specification, specify
from gpsem.model.table import Row, Table
from gpsem.syntax.expression import name_text, number
from gpsem.syntax.source import Source


def text_of(table: Table) -> str:
    """The model of a table in the language, with every default written out; line n is row n."""
    lines = [_line(row, table) for row in table.rows]
    return "\n".join([*lines, *_constraints(table)]) + "\n"


def _constraints(table: Table) -> list[str]:
    """`a == b` for rows that share a number under different labels; a number shared without a label is refused."""
    classes: dict[int, list[Row]] = {}
    for row in table.rows:
        if row.free:
            classes.setdefault(row.free, []).append(row)
    found: dict[str, None] = {}
    for shared, rows in classes.items():
        if len(rows) < 2:
            continue
        for row in rows:
            if not row.label:
                raise GpsemError(
                    f"Row {row.id} of the table ({row.name}) shares the number {shared} in 'free' with another row, "
                    "but has no label.",
                    remedy="Equal parameters share a label; a parameter of its own has a number of its own.",
                )
            if row.label != rows[0].label:
                found[f"{name_text(rows[0].label)} == {name_text(row.label)}"] = None
    return list(found)


def _line(row: Row, table: Table) -> str:
    lhs = name_text(row.lhs)
    if row.op == ":=":
        return f"{lhs} := {row.rhs}"
    if row.op == "~gp.scale":
        return f"# {row.name}: said with its function"
    if row.op == "~gp.sd":
        priors = [*_priors(row.prior), *_scale_priors(row, table)]
        term = f"gp({row.rhs})"
        return f"{lhs} ~ " + (" + ".join(f"{prior}*{term}" for prior in priors) or term)
    term = {"~1": "1", "~": f"lin({row.rhs})" if ":" not in row.rhs else row.rhs}.get(row.op, name_text(row.rhs))
    op = "~" if row.op == "~1" else row.op
    if row.free and row.value is not None:
        raise GpsemError(
            f"Row {row.id} of the table ({row.name}) has both a value and a number in 'free'.",
            remedy="Set free to 0 to fix it at the value; a place to start goes into 'start'.",
        )
    modifiers = ["NA" if row.free else _fixed(row)]
    if row.label:
        modifiers.append(f'"{row.label}"')
    if row.start is not None:
        modifiers.append(f"start({number(row.start)})")
    modifiers += _priors(row.prior)
    return f"{lhs} {op} " + " + ".join(f"{modifier}*{term}" for modifier in modifiers)


def _fixed(row: Row) -> str:
    if row.value is None:
        raise GpsemError(
            f"Row {row.id} of the table ({row.name}) is fixed (free 0) but has no value.",
            remedy="Give it a value, or a number in 'free'.",
        )
    return number(row.value)


def _priors(text: str) -> list[str]:
    return [f'prior("{part.strip()}")' for part in text.split(";") if part.strip()]


def _scale_priors(row: Row, table: Table) -> list[str]:
    """A prior written on a length-scale's row belongs to its function's term."""
    found: list[str] = []
    parents = {part.strip() for part in row.rhs.split(",")}
    for other in table.rows:
        if other.op == "~gp.scale" and other.lhs == row.lhs and other.rhs in parents:
            found += [p for p in _priors(other.prior) if p not in found]
    return found


def from_table(table: Table, settings: Settings) -> Specification:
    """The specification of a table as given back. Rows it lacks are not added behind the user's back."""
    source = Source(text_of(table), "the table")
    spec = specify(source, settings)
    given = {_key(row): row for row in table.rows}
    lacking = [row for row in spec.table.rows if _key(row) not in given]
    if lacking:
        raise GpsemError.of(
            Problem(
                f"The table lacks the row '{row.name}'.",
                None,
                "Give it back; with free 0 and value 0 it is fixed at zero."
                if row.op in ("~~", "~1")
                else "Give it back with the others.",
            )
            for row in lacking
        )
    rows = tuple(row._replace(user=given[_key(row)].user) for row in spec.table.rows)
    return spec._replace(table=Table(rows))


def _key(row: Row) -> tuple[str, str, str]:
    left, right = (row.lhs, row.rhs) if row.op != "~~" else sorted((row.lhs, row.rhs))
    return left, row.op, right
