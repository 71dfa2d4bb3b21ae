"""`fit`, `summary` and `demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gpsem.cli.options import codes_of, model_options, model_text, named, settings_of, with_debug, write_file
from gpsem.errors import GpsemError

INTERRUPTED = 130


@click.command()
@click.argument("model")
@click.argument("data")
@click.option("--out", required=True, metavar="RUN", help="Folder of the run.")
@model_options
@click.option("--sampler", default="paper", metavar="NAME", help="paper, or paper-joint.")
@click.option("--chains", type=int, default=4, metavar="N", help="Chains (4).")
@click.option("--draws", type=int, default=1000, metavar="N", help="Draws kept of each chain (1000).")
@click.option("--warmup", type=int, default=1000, metavar="N", help="Sweeps of each chain before them (1000).")
@click.option("--seed", type=int, default=1, metavar="S", help="Seed (1): the same seed gives the same draws.")
@click.option("--cores", type=int, metavar="N", help="Chains at a time; the draws do not depend on it.")
@click.option("--missing", multiple=True, metavar="CODE", help="A value that means missing, such as -99; repeatable.")
@click.option("--force", is_flag=True, help="Replace a run that is there.")
@with_debug
def fit(model: str, data: str, out: str, missing: tuple[str, ...], **options: Any) -> int:
    """Draw from the posterior of MODEL given DATA, and write the run to a folder.

    \b
    Example:
      gpsem fit model.txt data.csv --out run --structural linear
    """
    from gpsem import pipeline
    from gpsem.data.read import read as read_data
    from gpsem.results.store import refuse_existing

    if model == "-" and data == "-":
        raise GpsemError("MODEL and DATA cannot both be standard input.", remedy="Give one of them as a file.")
    names = ("sampler", "chains", "draws", "warmup", "seed", "cores", "force")
    sampling = {name: options.pop(name) for name in names}
    refuse_existing(out, sampling["force"])
    settings = settings_of(options)
    made = pipeline.Model(model_text(model), name=named(model), **settings._asdict())
    found = _run(made, read_data(data), out, codes_of(missing), sampling)
    click.echo(str(found.summary()))
    return _verdict(found)


def _run(model: Any, data: Any, out: str | None, missing: Any, sampling: dict[str, Any]) -> Any:
    """Fit with progress on standard error."""
    from gpsem import pipeline
    from gpsem.terminal import Progress

    progress = Progress(max(1, sampling["chains"]))
    try:
        found = pipeline.fit(model, data, out=out, missing=missing, report=progress, **sampling)
    finally:
        progress.close()
    if found.run.interrupted:
        click.echo(f"interrupted; {found.run.draws:,} draws of each chain were kept", err=True)
    return found


def _verdict(found: Any) -> int:
    """0, or 1 where the diagnostics object, or 130 where the run was interrupted."""
    return INTERRUPTED if found.run.interrupted else 0 if found.converged else 1


@click.command()
@click.argument("run")
@click.option("--format", "form", default="text", metavar="FORM", help="text, csv or json.")
@click.option("--level", type=float, default=0.95, metavar="P", help="Of the intervals (0.95).")
@with_debug
def summary(run: str, form: str, level: float) -> int:
    """Print the parameters of RUN in lavaan's order, with diagnostics in words.

    \b
    Example:
      gpsem summary run --format csv
    """
    if form not in ("text", "csv", "json"):
        raise GpsemError(f"--format {form} is not known.", remedy="It can be text, csv or json.")
    from gpsem import pipeline

    found = pipeline.load(run)
    told = found.summary(level)
    if form == "csv":
        click.echo(told.table.to_csv(index=False), nl=False)
    else:
        click.echo(told.to_json() if form == "json" else str(told))
    return _verdict(found)


@click.command()
@click.argument("model")
@click.option("-n", "--rows", type=int, default=1000, metavar="N", help="Rows (1000).")
@click.option("--seed", type=int, default=1, metavar="S", help="Seed (1).")
@click.option("--like", metavar="DATA", help="A table whose units the rows are to have; else standardised.")
@click.option("--out", metavar="FILE", help="Write CSV there instead of to standard output.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@model_options
@with_debug
def simulate(model: str, rows: int, seed: int, like: str | None, out: str | None, force: bool, **options: Any) -> None:
    """Rows drawn from the prior of MODEL: one draw of everything, latents first, then indicators.

    \b
    Example:
      gpsem simulate model.txt -n 2000 --seed 1 --like data.csv --out prior.csv
    """
    from gpsem import pipeline
    from gpsem.data.read import read as read_data

    made = pipeline.Model(model_text(model), name=named(model), **settings_of(options)._asdict())
    table = pipeline.simulate(made, rows, seed, None if like is None else read_data(like)).to_csv(index=False)
    if out is None:
        click.echo(table, nl=False)
    else:
        write_file(Path(out), table, force)
        click.echo(f"wrote {out}", err=True)


@click.command()
@click.option("--out", default="gpsem-demo", metavar="DIR", help="Folder for the files of the demo (gpsem-demo).")
@click.option("--draws", type=int, default=2000, metavar="N", help="Draws kept of each chain (2000).")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@with_debug
def demo(out: str, draws: int, force: bool) -> int:
    """The paper's synthetic study: write its model and data into DIR, check, fit, and draw the learned function.

    \b
    Example:
      gpsem demo --out demo
    """
    from gpsem import datasets, pipeline
    from gpsem.data.read import read as read_data
    from gpsem.results.store import refuse_existing

    folder = Path(out)
    model, table, run, picture = (folder / name for name in ("model.txt", "data.csv", "run", "curve.png"))
    refuse_existing(str(run), force)
    write_file(model, datasets.model("synthetic"), force)
    write_file(table, datasets.load("synthetic", seed=1).to_csv(index=False), force)
    made = pipeline.Model(model_text(str(model)), name=str(model), priors="silva-gramacy")
    read = read_data(str(table))
    click.echo(str(pipeline.check(made.specification, read)))
    sampling = {"sampler": "paper", "chains": 4, "draws": draws, "warmup": draws // 2, "seed": 1, "force": force}
    found = _run(made, read, str(run), (), sampling)
    click.echo("\n" + str(found.summary()))
    from gpsem.report.figures import curve

    curve(found, "X2 ~ X1", str(picture))
    click.echo(f"\nThe learned function: {picture}\nThe run: {run} (gpsem summary {run})", err=True)
    return _verdict(found)
