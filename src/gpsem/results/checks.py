"""What `gpsem check` says: statements, table, graph, verdicts, data and cost, as text or as a plain dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpsem.errors import quoted
from gpsem.model import describe
from gpsem.model.specification import Specification
from gpsem.model.table import COLUMNS

if TYPE_CHECKING:
    from gpsem.data.account import Account

PATTERN_NAMES = 8
WIDEST_TEXT = 60


class Check(NamedTuple):
    """A model that can be estimated, and what is in the data for it, if data were given. Printing it says all."""

    spec: Specification
    data: Account | None = None

    def __str__(self) -> str:
        return text(self)

    def __repr__(self) -> str:
        return text(self)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return dictionary(self)


def text(check: Check) -> str:
    """All sections, in the order in which a reader asks."""
    spec = check.spec
    parts = [
        ("Statements", _statements(spec)),
        ("Parameter table", str(spec.table).splitlines()),
        ("Graph", describe.graph(spec)),
        ("Units and origins", describe.anchors(spec)),
        ("Identification", _verdicts(spec)),
        ("Computation", describe.computation(spec)),
    ]
    if check.data is not None:
        parts.append(("Data", _data(check.data, spec.table.parameters)))
    return "\n\n".join("\n".join([f"{title}", *(f"  {line}" for line in lines)]) for title, lines in parts if lines)


def _statements(spec: Specification) -> list[str]:
    said = describe.statements(spec)
    shown = [text if len(text) <= WIDEST_TEXT else text[: WIDEST_TEXT - 1] + "…" for _, text, _ in said]
    width = max(map(len, shown))
    number = len(str(said[-1][0]))
    return [
        f"{line:>{number}}  {text.ljust(width)}  {words}" for (line, _, words), text in zip(said, shown, strict=True)
    ]


def _verdicts(spec: Specification) -> list[str]:
    lines = []
    for verdict in spec.verdicts:
        where = f" ({verdict.place.source}, line {verdict.place.line})" if verdict.place else ""
        lines.append(f"{verdict.level}: {verdict.what}{where}")
        if verdict.remedy:
            lines.append(f"  {verdict.remedy}")
    if not any(verdict.level == "warning" for verdict in spec.verdicts):
        lines.insert(0, "ok: every latent has a scale, a sign, an origin and enough indicators")
    return lines


def _data(data: Account, parameters: int) -> list[str]:
    cells = data.rows * len(data.indicators)
    share = 100 * data.missing / cells if cells else 0.0
    lines = [
        f"{data.name}: {data.rows:,} rows, {data.columns:,} columns, {len(data.indicators):,} of them used",
        f"complete rows {data.complete:,}; missing cells {data.missing:,} of {cells:,} ({share:.1f}%); "
        f"rows without any indicator {data.empty:,}" + (" (kept: they get the prior's scores)" if data.empty else ""),
    ]
    if data.rows < parameters:
        lines.append(f"warning: {data.rows:,} rows for {parameters:,} free parameters: the priors will decide much")
    if data.pattern_count > 1 or data.missing:
        lines.append(f"missing patterns {data.pattern_count:,}, the commonest:")
        lines += [
            f"  {count:>{len(f'{data.rows:,}')},} rows  "
            + (f"without {quoted(gaps, PATTERN_NAMES)}" if gaps else "complete")
            for count, gaps in data.patterns
        ]
    lines += _indicator_lines(data)
    return [*lines, *(f"note: {note}" for note in data.notes)]


def _indicator_lines(data: Account) -> list[str]:
    head = ("indicator", "n", "missing", "mean", "sd", "min", "max")
    cells: list[tuple[str, ...]] = [head]
    for item in data.indicators:
        gap = 100 * (1 - item.observed / data.rows)
        cells.append(
            (
                item.name,
                f"{item.observed:,}",
                f"{gap:.1f}%",
                *(f"{value:.4g}" for value in (item.mean, item.sd, item.low, item.high)),
            )
        )
    widths = [max(len(row[n]) for row in cells) for n in range(len(head))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]


def dictionary(check: Check) -> dict[str, Any]:
    """Plain lists, texts and numbers; a missing number is None."""
    spec = check.spec
    found: dict[str, Any] = {
        "statements": [
            {"line": line, "text": text, "meaning": meaning} for line, text, meaning in describe.statements(spec)
        ],
        "table": [dict(zip(COLUMNS, row, strict=True)) for row in spec.table.rows],
        "graph": {
            "latents": list(spec.order),
            "indicators": list(spec.roles.indicators),
            "structural": [[parent, e.latent] for e in spec.equations for parent in spec.roles.parents[e.latent]],
            "measurement": [[latent, y] for latent, ys in spec.roles.measures.items() for y in ys],
            "blocks": [list(block) for block in spec.blocks],
        },
        "verdicts": [
            {
                "level": v.level,
                "about": v.about,
                "what": v.what,
                "remedy": v.remedy,
                "line": v.place.line if v.place else None,
                "column": v.place.column if v.place else None,
            }
            for v in spec.verdicts
        ],
        "computation": describe.computation(spec),
        "settings": dict(spec.settings._asdict()),
        "data": None,
    }
    if check.data is not None:
        data = dict(check.data._asdict())
        data["indicators"] = [dict(item._asdict()) for item in check.data.indicators]
        data["patterns"] = [{"rows": rows, "missing": list(gaps)} for rows, gaps in check.data.patterns]
        data["notes"] = list(check.data.notes)
        found["data"] = data
    return found
