"""Options and inputs that commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from gpsem.errors import MACHINE_AT_FAULT, GpsemError

Command = Callable[..., Any]


def with_debug(command: Command) -> Command:
    return click.option("--debug", is_flag=True, expose_value=False, is_eager=True, help="Show tracebacks.")(command)


def model_options(command: Command) -> Command:
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


def settings_of(options: dict[str, Any]) -> Any:
    from gpsem.model.settings import Settings

    named = dict(options)
    named["identify"] = not named.pop("unidentified", False)
    named["standardise"] = not named.pop("no_standardise", False)
    return Settings(**named)


def named(path: str) -> str:
    return "standard input" if path == "-" else path


def model_text(path: str) -> str:
    """The text of a model file; data in its place are recognised."""
    content = sys.stdin.buffer.read() if path == "-" else _contents(Path(path))
    mark = next(
        (name for sign, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")) if content.startswith(sign)), ""
    )
    try:
        text = content.decode(mark or "utf-8-sig")
    except UnicodeDecodeError:
        raise GpsemError(
            f"{named(path)} is not text in UTF-8.", remedy="MODEL comes first, then DATA; save the model as UTF-8."
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


def codes_of(missing: Sequence[str]) -> list[float | str]:
    codes: list[float | str] = []
    for code in missing:
        try:
            codes.append(float(code))
        except ValueError:
            codes.append(code)
    return codes


def write_file(file: Path, text: str, force: bool) -> None:
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
