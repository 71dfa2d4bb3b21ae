"""The command line, a skin: read, call the library, print; errors become one message and an exit code.

Exit codes: 0 done; 1 done but the diagnostics object; 2 the input is at fault; 3 the machine or gpsem is; 130 stopped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from gpsem.cli.checking import check, data
from gpsem.cli.fitting import INTERRUPTED, demo, fit, simulate, summary
from gpsem.cli.options import with_debug
from gpsem.errors import MACHINE_AT_FAULT, GpsemError
from gpsem.version import __version__

_LATER = ("continue", "report", "score", "impute", "density", "curve", "do", "compare", "cv")


class _Commands(click.Group):
    """A group that lists commands in the order in which they are met, and knows those that are still to come."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] in _LATER and args[0] not in self.commands:
            raise GpsemError(
                f"'gpsem {args[0]}' is not in version {__version__}, which checks and fits models.",
                remedy="Try 'gpsem fit MODEL DATA --out RUN'; CHANGELOG.md says what each version adds.",
            )
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="gpsem")
@with_debug
def app() -> None:
    """Structural equation models with learned functions between latent variables.

    \b
    Example:
      gpsem check model.txt data.csv
    """


for _command in (check, data, fit, summary, simulate, demo):
    app.add_command(_command)


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
