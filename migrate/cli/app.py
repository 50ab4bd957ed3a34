"""The command line. Parses, calls the pipeline, prints, sets the exit code; nothing else."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from migrate import __version__
from migrate.cli.api_coverage import api_coverage_command
from migrate.cli.convert import convert
from migrate.cli.doctor import doctor
from migrate.cli.exit_codes import ExitCode, exit_code_of
from migrate.cli.explain import explain
from migrate.cli.extract import extract_command
from migrate.cli.gate import gate
from migrate.cli.mutants import mutants
from migrate.cli.report import report
from migrate.cli.round_trip import round_trip_command
from migrate.cli.rules import rules_app
from migrate.cli.run import run
from migrate.cli.run_ascend import run_ascend
from migrate.cli.score import score
from migrate.cli.tilelang_build import tilelang_build
from migrate.cli.tilelang_cuda import tilelang_cuda
from migrate.cli.verify import verify
from migrate.core.diagnostics import InternalError, UserError
from migrate.report.terminal import print_diagnostic

app = typer.Typer(
    name="cudamigrate",
    help="CUDA C++ to TileLang and Ascend C, with evidence that the numbers agree.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(convert)
app.command()(run)
app.command()(verify)
app.command()(report)
app.command()(score)
app.command("run-ascend")(run_ascend)
app.command("extract")(extract_command)
app.command()(gate)
app.command("api-coverage")(api_coverage_command)
app.command("round-trip")(round_trip_command)
app.command()(mutants)
app.command("tilelang-cuda")(tilelang_cuda)
app.command("tilelang-build")(tilelang_build)
app.command()(explain)
app.command()(doctor)
app.add_typer(rules_app, name="rules")


def _version(value: bool) -> None:
    if value:
        print(f"cudamigrate {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """CUDA C++ to TileLang and Ascend C, with evidence that the numbers agree."""


def main() -> None:
    """Entry point of the ``cudamigrate`` command."""
    try:
        app()
    except UserError as error:
        print_diagnostic(Console(stderr=True), error.diagnostic)
        sys.exit(exit_code_of(error.diagnostic.code))
    except InternalError as error:
        Console(stderr=True).print(f"internal error: {error}", style="red", markup=False)
        sys.exit(ExitCode.INTERNAL)
