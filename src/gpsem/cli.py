"""The command line, a skin: read, call the library, print; errors become one message and an exit code.

Exit codes: 0 done; 1 done but the diagnostics object; 2 the input is at fault; 3 the machine or gpsem is; 130 stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from gpsem import __version__
from gpsem.errors import MACHINE_AT_FAULT, GpsemError

INTERRUPTED = 130
_LATER = (
    "fit",
    "continue",
    "summary",
    "report",
    "score",
    "impute",
    "density",
    "curve",
    "do",
    "simulate",
    "compare",
    "cv",
)


class _Commands(click.Group):
    """A group that lists commands in the order in which they are met, and knows those that are still to come."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] in _LATER and args[0] not in self.commands:
            raise GpsemError(
                f"'gpsem {args[0]}' is not in version {__version__}, which reads and checks models and data.",
                remedy="Try 'gpsem check MODEL DATA'; CHANGELOG.md says what each version adds.",
            )
        return super().resolve_command(ctx, args)


def _debug(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--debug", is_flag=True, expose_value=False, is_eager=True, help="Show tracebacks.")(command)


def _model_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that make up a `Model`, beside its text."""
    options = [
        click.option("--structural", default="gp", metavar="FAMILY", help="gp, full-gp, linear, quadratic or basis."),
        click.option("--inducing", type=int, metavar="M", help="Pseudo-inputs of each learned function."),
        click.option("--mixture", type=int, default=5, metavar="K", help="Components of exogenous mixtures (5)."),
        click.option("--kernel", default="rbf", metavar="NAME", help="rbf, matern32 or matern52."),
        click.option("--ard", is_flag=True, help="A length-scale for each parent."),
        click.option("--priors", default="default", metavar="NAME", help="default or silva-gramacy."),
        click.option("--errors", default="gaussian", metavar="LAW", help="gaussian."),
        click.option("--inducing-prior", default="det", metavar="NAME", help="det or gaussian."),
        click.option("--std-lv", is_flag=True, help="Latents in units of their own standard deviation."),
        click.option("--unidentified", is_flag=True, help="No markers: the paper's unidentifiable variant."),
        click.option("--no-standardise", is_flag=True, help="Work in the indicators' own units."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="gpsem")
@_debug
def app() -> None:
    """Structural equation models with learned functions between latent variables.

    \b
    Example:
      gpsem check model.txt data.csv
    """


@app.command()
@click.argument("model")
@click.argument("data", required=False)
@_model_options
@click.option("--missing", multiple=True, metavar="CODE", help="A value that means missing, such as -99; repeatable.")
@click.option("--format", "form", default="text", metavar="FORM", help="text, json, or csv (the parameter table).")
@_debug
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
    from gpsem import pipeline

    spec = pipeline.specification(_model_text(model), _settings(options), _named(model))
    read = None
    if data is not None:
        from gpsem.data.read import read as read_data

        read = read_data(data)
    found = pipeline.check(spec, read, _codes(missing))
    if form == "json":
        import json

        click.echo(json.dumps(_plain(found.to_dict()), indent=1, ensure_ascii=False))
    elif form == "csv":
        click.echo(_table_csv(spec), nl=False)
    else:
        click.echo(str(found))


@app.command()
@click.argument("name", required=False)
@click.option("--out", metavar="FILE", help="Write there instead of to standard output.")
@click.option(
    "--model", "wants_model", is_flag=True, help="The model text that goes with the data, instead of the data."
)
@click.option("--seed", type=int, metavar="S", help="Seed of a generated data set (1).")
@click.option("--rows", type=int, metavar="N", help="Rows of a generated data set.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@_debug
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
        _write(Path(out), text, force)
        click.echo(f"wrote {out}", err=True)


@app.command()
@click.argument("model")
@click.argument("data")
@click.option("--out", required=True, metavar="RUN", help="Folder of the run.")
@_model_options
@click.option("--sampler", default="paper", metavar="NAME", help="paper, or paper-joint.")
@click.option("--chains", type=int, default=4, metavar="N", help="Chains (4).")
@click.option("--draws", type=int, default=1000, metavar="N", help="Draws kept of each chain (1000).")
@click.option("--warmup", type=int, default=1000, metavar="N", help="Sweeps of each chain before them (1000).")
@click.option("--seed", type=int, default=1, metavar="S", help="Seed (1): the same seed gives the same draws.")
@click.option("--cores", type=int, metavar="N", help="Chains at a time; the draws do not depend on it.")
@click.option("--missing", multiple=True, metavar="CODE", help="A value that means missing, such as -99; repeatable.")
@click.option("--force", is_flag=True, help="Replace a run that is there.")
@_debug
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
    settings = _settings(options)
    made = pipeline.Model(_model_text(model), name=_named(model), **settings._asdict())
    found = _run(made, read_data(data), out, _codes(missing), sampling)
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


@app.command()
@click.argument("run")
@click.option("--format", "form", default="text", metavar="FORM", help="text, csv or json.")
@click.option("--level", type=float, default=0.95, metavar="P", help="Of the intervals (0.95).")
@_debug
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


@app.command()
@click.option("--out", default="gpsem-demo", metavar="DIR", help="Folder for the files of the demo (gpsem-demo).")
@click.option("--draws", type=int, default=2000, metavar="N", help="Draws kept of each chain (2000).")
@click.option("--force", is_flag=True, help="Write over files that are there.")
@_debug
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
    _write(model, datasets.model("synthetic"), force)
    _write(table, datasets.load("synthetic", seed=1).to_csv(index=False), force)
    made = pipeline.Model(_model_text(str(model)), name=str(model), priors="silva-gramacy")
    read = read_data(str(table))
    click.echo(str(pipeline.check(made.specification, read)))
    sampling = {"sampler": "paper", "chains": 4, "draws": draws, "warmup": draws // 2, "seed": 1, "force": force}
    found = _run(made, read, str(run), (), sampling)
    click.echo("\n" + str(found.summary()))
    from gpsem.report.figures import curve

    curve(found, "X2 ~ X1", str(picture))
    click.echo(f"\nThe learned function: {picture}\nThe run: {run} (gpsem summary {run})", err=True)
    return _verdict(found)


def _settings(options: dict[str, Any]) -> Any:
    from gpsem.model.settings import Settings

    named = dict(options)
    named["identify"] = not named.pop("unidentified", False)
    named["standardise"] = not named.pop("no_standardise", False)
    return Settings(**named)


def _named(path: str) -> str:
    return "standard input" if path == "-" else path


def _model_text(path: str) -> str:
    """The text of a model file; data in its place are recognised."""
    content = sys.stdin.buffer.read() if path == "-" else _contents(Path(path))
    mark = next(
        (name for sign, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")) if content.startswith(sign)), ""
    )
    try:
        text = content.decode(mark or "utf-8-sig")
    except UnicodeDecodeError:
        raise GpsemError(
            f"{_named(path)} is not text in UTF-8.", remedy="MODEL comes first, then DATA; save the model as UTF-8."
        ) from None
    from gpsem.model.table import is_table

    if Path(path).suffix.lower() in (".csv", ".tsv") and not is_table(text):
        raise GpsemError(
            f"{path} does not look like a model or a parameter table.",
            remedy="MODEL comes first, then DATA: gpsem check model.txt data.csv.",
        )
    return text


def _contents(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        from gpsem.errors import did_you_mean

        around = [other.name for other in file.parent.iterdir()] if file.parent.is_dir() else []
        missing = isinstance(error, FileNotFoundError)
        what = f"There is no file {file}." if missing else f"{file} cannot be read ({error.strerror})."
        hint = did_you_mean(file.name, around) if missing else ""
        raise GpsemError(what, remedy=hint or "Give the path of a file with the model's text.") from None
    except ValueError:
        raise GpsemError(f"{str(file)!r} is not a path.", remedy="Give the path of a file.") from None


def _codes(missing: Sequence[str]) -> list[float | str]:
    codes: list[float | str] = []
    for code in missing:
        try:
            codes.append(float(code))
        except ValueError:
            codes.append(code)
    return codes


def _plain(value: Any) -> Any:
    """JSON has no NaN: a missing number is null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
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


def _write(file: Path, text: str, force: bool) -> None:
    """Write a file whole; one that holds something else is kept unless forced."""
    try:
        if file.exists() and not force and file.read_bytes() != text.encode():
            raise GpsemError(f"{file} exists and holds something else.", remedy="Choose another name, or add --force.")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    except (FileExistsError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise GpsemError(f"{file} cannot be written ({error.strerror}).", remedy="Choose another place.") from None
    except OSError as error:
        raise GpsemError(f"{file} cannot be written ({error.strerror}).", code=MACHINE_AT_FAULT) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every error is one message on standard error."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    try:
        code = app.main(args=words, prog_name="gpsem", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except GpsemError as error:
        code, message = error.code, str(error)
        problem: BaseException = error
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return 2
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        code, message, problem = INTERRUPTED, "interrupted; nothing was written", error
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        code, message, problem = MACHINE_AT_FAULT, "The machine's memory does not suffice.", error
    except Exception as error:
        code, problem = MACHINE_AT_FAULT, error
        message = (
            f"An unexpected error, which is gpsem's fault: {type(error).__name__}: {error}\n"
            "Run the command again with --debug and report what it shows."
        )
    if debug:
        import traceback

        traceback.print_exception(problem)
    click.echo(f"error: {message}", err=True)
    return code


def run() -> None:
    """The console script."""
    sys.exit(main())


if __name__ == "__main__":
    run()
