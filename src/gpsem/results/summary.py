"""The parameter table of a fit: lavaan's order, blavaan's columns, and the verdicts under it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gpsem.assemble.presets import PRESETS, Preset
from gpsem.assemble.problem import Built
from gpsem.model.table import Row
from gpsem.results.diagnose import Diagnosis, Finding

COLUMNS = (
    "lhs", "op", "rhs", "label", "group", "est", "sd", "ci.lower", "ci.upper", "rhat", "ess_bulk", "ess_tail", "prior",
)  # fmt: skip
FloatArray = np.ndarray[Any, np.dtype[np.float64]]


def frame(
    built: Built,
    draws: dict[int, FloatArray],
    explained: dict[str, FloatArray],
    varying: list[Row],
    diagnosis: Diagnosis,
    level: float,
) -> pd.DataFrame:
    """All rows of the table, then R-squares; a fixed row has its value and nothing else."""
    preset = PRESETS[built.layout.spec.settings.priors]
    place = {row.id: n for n, row in enumerate(varying)}
    rows = []
    for row in built.layout.rows:
        n = place.get(row.id)
        numbers = _numbers(draws[row.id], level) if n is not None else [float(draws[row.id].flat[0])] + [np.nan] * 3
        quality = [float(part[n]) for part in diagnosis] if n is not None else [np.nan] * 3
        prior = row.prior or (_preset(built, row, preset) if row.free else "")
        rows.append((row.lhs, row.op, row.rhs, row.label, 1, *numbers, *quality, prior))
    from gpsem.results.diagnose import diagnose

    for latent, values in explained.items():
        quality = [float(part[0]) for part in diagnose(values[..., None])]
        rows.append((latent, "r2", latent, "", 1, *_numbers(values, level), *quality, ""))
    return pd.DataFrame.from_records(rows, columns=list(COLUMNS))


def _numbers(values: FloatArray, level: float) -> list[float]:
    lower, upper = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return [float(values.mean()), float(values.std(ddof=min(1, values.size - 1))), float(lower), float(upper)]


def _preset(built: Built, row: Row, preset: Preset) -> str:
    """The preset's prior in words; `std` says that it is put on the standardised scale."""
    endogenous = row.lhs in built.layout.spec.roles.parents
    latent = row.lhs in built.layout.spec.roles.measures
    if row.op == "=~" or (row.op == "~1" and not latent):
        return f"normal(0, {preset.coefficient**0.5:.3g}) std"
    if row.op == "~" or (row.op == "~1" and endogenous):
        return f"normal(0, {preset.slope**0.5:.3g}) std"
    if row.op == "~~" and row.lhs == row.rhs and (not latent or endogenous):
        a, b = preset.disturbance if latent else preset.error
        return f"inv_gamma({a:g}, {b:g})[var] std"
    if row.op in ("~gp.sd", "~gp.scale"):
        name, arguments, power = preset.amplitude if row.op == "~gp.sd" else preset.length
        on = "" if power == 0.5 else "[var]"
        if name == "two_gammas":
            return f"half gamma(1, 20), half gamma(10, 10){on or '[var]'} std"
        return f"{name}({', '.join(f'{v:g}' for v in arguments)}){on} std"
    return "mixture"


SECTIONS = (
    ("Latent Variables", lambda r: r.op == "=~"),
    ("Regressions", lambda r: r.op in ("~", "~gp.sd", "~gp.scale")),
    ("Covariances", lambda r: r.op == "~~" and r.lhs != r.rhs),
    ("Intercepts", lambda r: r.op == "~1"),
    ("Variances", lambda r: r.op == "~~" and r.lhs == r.rhs),
    ("R-Square", lambda r: r.op == "r2"),
    ("Defined Parameters", lambda r: r.op == ":="),
)


class Summary(NamedTuple):
    """A table and what to think of it; `str()` prints both."""

    table: pd.DataFrame
    findings: list[Finding]
    run: Any
    built: Built
    level: float

    def __str__(self) -> str:
        return "\n".join([*_head(self), "", *_body(self), "", *_verdicts(self)])

    def __repr__(self) -> str:
        return str(self)

    def to_json(self) -> str:
        """`parameters`, `verdicts`, `settings`; a missing number is null; nothing depends on place or time."""
        records = [
            {
                key: (None if isinstance(value, float) and not np.isfinite(value) else value)
                for key, value in row.items()
            }
            for row in self.table.to_dict("records")
        ]
        spec = self.built.layout.spec
        settings = {
            **spec.settings._asdict(),
            "sampler": self.run.sampler,
            "chains": self.run.chains,
            "draws": self.run.draws,
            "warmup": self.run.warmup,
            "seed": self.run.seed,
            "rows": self.built.shape.rows,
        }
        verdicts = [dict(finding._asdict()) for finding in self.findings]
        return json.dumps({"parameters": records, "verdicts": verdicts, "settings": settings}, indent=1, default=_plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _head(summary: Summary) -> list[str]:
    run, shape = summary.run, summary.built.shape
    settings = summary.built.layout.spec.settings
    return [
        f"gpsem: structural='{settings.structural}', sampler='{run.sampler}', priors='{settings.priors}'",
        f"{shape.rows:,} rows; {run.chains} chains of {run.draws:,} draws after {run.warmup:,} of warm-up; "
        f"seed {run.seed}",
        f"intervals hold {summary.level:.0%} of the posterior; est is its mean; numbers are in your units",
    ]


def _body(summary: Summary) -> list[str]:
    lines: list[str] = []
    head = ("", "Estimate", "Post.SD", "pi.lower", "pi.upper", "Rhat", "ESS", "Prior")
    cells: list[tuple[str, tuple[str, ...] | None]] = []
    for title, wanted in SECTIONS:
        rows = [row for row in summary.table.itertuples(index=False) if wanted(row)]
        if not rows:
            continue
        cells.append((title, None))
        cells += [("", _cells(row)) for row in rows]
    widths = [max(len(head[n]), *(len(c[n]) for _, c in cells if c)) for n in range(len(head))]
    lines.append(
        "  ".join(
            [head[0].ljust(widths[0]), *(h.rjust(w) for h, w in zip(head[1:-1], widths[1:-1], strict=True)), head[-1]]
        )
    )
    for title, row in cells:
        if row is None:
            lines += ["", title]
        else:
            lines.append(
                "  ".join(
                    [
                        row[0].ljust(widths[0]),
                        *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:-1], strict=True)),
                        row[-1],
                    ]
                ).rstrip()
            )
    return lines


def _cells(row: Any) -> tuple[str, ...]:
    record = dict(zip(COLUMNS, row, strict=True))
    op = record["op"]
    name = {
        "=~": f"{record['lhs']} =~ {record['rhs']}",
        "~1": f"{record['lhs']} ~ 1",
        "r2": str(record["lhs"]),
        ":=": str(record["lhs"]),
        "~gp.sd": f"{record['lhs']} ~ f({record['rhs']}): sd",
        "~gp.scale": f"{record['lhs']} ~ f: scale of {record['rhs']}",
    }.get(op, f"{record['lhs']} {op} {record['rhs']}")
    label = f" ({record['label']})" if record["label"] else ""
    numbers = [_number(record[key], ".3f") for key in ("est", "sd", "ci.lower", "ci.upper")]
    return (
        "  " + name + label,
        *numbers,
        _number(record["rhat"], ".3f"),
        _number(record["ess_bulk"], ".0f"),
        record["prior"],
    )


def _number(value: float, form: str) -> str:
    if not np.isfinite(value):
        return ""
    return format(value, form) if abs(value) < 1e5 and (abs(value) >= 1e-3 or value == 0) else f"{value:.3g}"


def _verdicts(summary: Summary) -> list[str]:
    lines = []
    for finding in summary.findings:
        lines.append(("" if finding.good else "! ") + finding.what)
        if finding.remedy:
            lines.append("  " + finding.remedy)
    return lines
