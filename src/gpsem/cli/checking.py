"""`check` and `data`: everything before a sampler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gpsem.cli.options import codes_of, model_options, model_text, named, settings_of, with_debug, write_file
from gpsem.errors import GpsemError


@click.command()
@click.argument("model")
@click.argument("data", required=False)
@model_options
@click.option("--missing", multiple=True, metavar="CODE", help="A value that means missing, such as -99; repeatable.")
@click.option("--format", "form", default="text", metavar="FORM", help="text, json, or csv (the parameter table).")
@with_debug
def check(model: str, data: str | None, missing: tuple[str, ...], form: str, **options: Any) -> None:
    """Say what MODEL means, whether it can be estimated, and what DATA hold for it; nothing is sampled.

    MODEL is lavaan syntax (or a parameter table) in a file, DATA a table by suffix; '-' is standard input.
    The table printed by --format csv can be edited and given back as MODEL.

    \b
    Example:
      gpsem check model.txt data.csv --missing -99
    """
    if form not in ("text", "json", "csv"):
        raise GpsemError(f"--format {form} is not known.", remedy="It can be text, json or csv.")
    if model == "-" and data == "-":
        raise GpsemError("MODEL and DATA cannot both be standard input.", remedy="Give one of them as a file.")
    import gc

    from gpsem import pipeline

    gc.disable()  # all that is made here lives to the end: a search for garbage takes a third of a long text's time
    try:
        _check(pipeline, model, data, missing, form, options)
    finally:
        gc.enable()


def _check(
    pipeline: Any, model: str, data: str | None, missing: tuple[str, ...], form: str, options: dict[str, Any]
) -> None:
    spec = pipeline.specification(model_text(model), settings_of(options), named(model))
    read = None
    if data is not None:
        from gpsem.data.read import read as read_data

        read = read_data(data)
    found = pipeline.check(spec, read, codes_of(missing))
    if form == "json":
        import json

        click.echo(json.dumps(plain(found.to_dict()), indent=1, ensure_ascii=False))
    elif form == "csv":
        click.echo(_table_csv(spec), nl=False)
    else:
        click.echo(str(found))


@click.command()
@click.argument("name", required=False)
@click.option("--out", metavar="FILE", help="Write there instead of to standard output.")
@click.option(
    "--model", "wants_model", is_flag=True, help="The model text that goes with the data, instead of the data."
)
@click.option("--seed", type=int, metavar="S", help="Seed of a generated data set (1).")
@click.option("--rows", type=int, metavar="N", help="Rows of a generated data set.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@with_debug
def data(name: str | None, out: str | None, wants_model: bool, seed: int | None, rows: int | None, force: bool) -> None:
    """List the known data sets, or write the one called NAME as CSV, fetching it if need be.

    \b
    Example:
      gpsem data political_democracy --out democracy.csv
    """
    if name is None:
        if out or wants_model or seed is not None or rows is not None:
            raise GpsemError("The options of 'gpsem data' need a NAME.", remedy="'gpsem data' alone lists the names.")
        click.echo(_listed())
        return
    from gpsem.datasets.registry import DATASETS

    if wants_model and name in DATASETS:
        text = DATASETS[name].model
    else:
        from gpsem import datasets

        text = datasets.model(name) if wants_model else datasets.load(name, seed, rows).to_csv(index=False)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_file(Path(out), text, force)
        click.echo(f"wrote {out}", err=True)


def plain(value: Any) -> Any:
    """JSON has no NaN: a missing number is null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and value != value else value


def _table_csv(spec: Any) -> str:
    import csv
    import io

    from gpsem.model.table import COLUMNS

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(["" if cell is None else cell for cell in row] for row in spec.table.rows)
    return out.getvalue()


def _listed() -> str:
    from gpsem.datasets.files import locate
    from gpsem.datasets.registry import DATASETS

    lines = []
    for dataset in DATASETS.values():
        here = dataset.source in ("generated", "bundled") or locate(dataset) is not None
        state = "here" if here else "to be fetched" if dataset.url else "a copy of your own"
        lines.append((dataset.name, f"{dataset.rows:,} x {len(dataset.columns)}", state, dataset.title))
    widths = [max(len(line[n]) for line in lines) for n in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line[:3], widths, strict=True)), line[3]])
        for line in lines
    )
