"""Parameter table → model text that says everything outright, a line a row: so an edited table can be given back."""

from __future__ import annotations

from gpsem.errors import GpsemError, Problem
from gpsem.model.settings import Settings
from gpsem.model.specification import Specification, specify
from gpsem.model.table import Row, Table
from gpsem.syntax.expression import name_text, number
from gpsem.syntax.prior import parse_prior
from gpsem.syntax.source import Source
from gpsem.syntax.tokens import tokenize


def text_of(table: Table) -> str:
    """The model of a table in the language, with every default written out; line n is row n."""
    lines = [_line(row) for row in table.rows]
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


def _line(row: Row) -> str:
    lhs = name_text(row.lhs)
    if row.op == ":=":
        return f"{lhs} := {row.rhs}"
    if row.op == "~gp.scale":
        return f"# {row.name}: said with its function"
    if row.op == "~gp.sd":
        term = f"gp({row.rhs})"
        return f"{lhs} ~ " + (" + ".join(f"{prior}*{term}" for prior in _priors(row.prior)) or term)
    term = "1" if row.op == "~1" else row.rhs if row.op == "~" else name_text(row.rhs)
    if row.op == "~" and len(_names(row.rhs)) == 1:
        term = f"lin({row.rhs})"
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


def _names(text: str) -> list[str]:
    """The names in a cell such as `A:B`."""
    return [token.value for token in tokenize(Source(text, "the table")) if token.kind == "name"]


def from_table(table: Table, settings: Settings) -> Specification:
    """The specification of a table as given back. Rows it lacks are not added behind the user's back."""
    source = Source(text_of(table), "the table")
    spec = specify(source, settings)
    given = {_key(row): row for row in table.rows}
    built = {_key(row): row for row in spec.table.rows}
    problems = [
        Problem(
            f"The table lacks the row '{row.name}'.",
            None,
            "Give it back; with free 0 and value 0 it is fixed at zero."
            if row.op in ("~~", "~1")
            else "Give it back with the others.",
        )
        for key, row in built.items()
        if key not in given
    ]
    problems += [
        Problem(f"The model has no place for row {row.id} of the table, '{row.name}'.", None, "Take it out.")
        for key, row in given.items()
        if key not in built
    ]
    if len(given) < len(table.rows):
        problems.append(Problem("A parameter has two rows in the table.", None, "Keep one of them."))
    if not problems:
        problems = _ineffective(given, built)
    if problems:
        raise GpsemError.of(problems)
    rows = tuple(row._replace(user=given[_key(row)].user) for row in spec.table.rows)
    return spec._replace(table=Table(rows))


_Key = tuple[str, str, str]


def _ineffective(given: dict[_Key, Row], built: dict[_Key, Row]) -> list[Problem]:
    """Cells that the model does not take over: they would be accepted and ignored."""
    problems = []
    numbers: dict[int, int] = {}
    for key, row in given.items():
        made = built[key]
        cells = {
            "value": (row.value, made.value),
            "start": (row.start, made.start),
            "label": (row.label, made.label),
            "prior": (_canonical(row.prior), _canonical(made.prior)),
            "free": (bool(row.free) and row.op != ":=", bool(made.free)),
        }
        for column, (theirs, ours) in cells.items():
            if theirs != ours:
                problems.append(
                    Problem(
                        f"Row {row.id} of the table ({row.name}) has something in '{column}' that has no effect there.",
                        None,
                        "A learned function takes priors only, on its row '~gp.sd'."
                        if row.op.startswith("~gp")
                        else f"Put the cell back to {_shown(ours)}.",
                    )
                )
        if row.free and made.free and numbers.setdefault(row.free, made.free) != made.free:
            problems.append(
                Problem(
                    f"Row {row.id} of the table ({row.name}) shares a number in 'free' but is not equal to the others.",
                    None,
                    "Give equal parameters one label and one number.",
                )
            )
    if not problems and len(set(numbers.values())) < len(numbers):
        problems.append(
            Problem(
                "Rows of the table share a label but have different numbers in 'free'.",
                None,
                "Equal parameters have one number; others have labels of their own.",
            )
        )
    return problems


def _canonical(priors: str) -> tuple[str, ...]:
    return tuple(
        sorted(str(parse_prior(part.strip(), Source(part), 0, 1)) for part in priors.split(";") if part.strip())
    )


def _shown(value: object) -> str:
    return "nothing" if value is None or value == "" or value == () else repr(value)


def _key(row: Row) -> _Key:
    """What names a parameter, spelled one way: covariances and products in either order, definitions by name."""
    if row.op == "~~":
        left, right = sorted((row.lhs, row.rhs))
        return left, row.op, right
    if row.op == ":=":
        return row.lhs, row.op, ""
    if row.op in ("~", "~gp.sd", "~gp.scale"):
        return row.lhs, row.op, "\n".join(sorted(_names(row.rhs)))
    return row.lhs, row.op, row.rhs
