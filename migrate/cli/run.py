"""``cudamigrate run``: runs a CUDA program on the CPU, with checks when they are asked for."""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from migrate.cli.choices import Define, Include, Oracle, Std, make_options
from migrate.cli.exit_codes import ExitCode
from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, Severity, UserError
from migrate.core.options import Limits, OracleKind
from migrate.core.targets import Target
from migrate.emulation.checks import Check
from migrate.pipeline.check import ProgramCheck, check_program
from migrate.pipeline.inputs import find_programs
from migrate.report.checks import check_report
from migrate.report.model import Report, dump_json
from migrate.report.sarif import render_sarif
from migrate.report.terminal import print_diagnostic

ALL = "all"


def _checks(words: str) -> frozenset[Check]:
    names = [word.strip() for word in words.split(",") if word.strip()]
    if ALL in names:
        return frozenset(Check)
    known = {check.value: check for check in Check}
    unknown = [name for name in names if name not in known]
    if unknown:
        wanted = ", ".join([*known, ALL])
        raise typer.BadParameter(f"{unknown[0]} is not one of {wanted}")
    return frozenset(known[name] for name in names)


def _split(words: list[Path]) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Sources, and what stood after ``--`` (which the parser hands over in one list)."""
    given = [str(word) for word in words]
    if "--" in sys.argv:
        after = len(sys.argv) - sys.argv.index("--") - 1
        if after and given[-after:] == sys.argv[-after:]:
            return tuple(words[:-after]), tuple(sys.argv[-after:])
    return tuple(words), ()


def _show(console: Console, check: ProgramCheck) -> None:
    if check.result is not None:
        sys.stdout.write(check.result.stdout)
        sys.stdout.flush()
        sys.stderr.write(check.result.stderr)
        sys.stderr.flush()
    for diagnostic in check.diagnostics:
        print_diagnostic(console, diagnostic)


def _summary(results: list[ProgramCheck], checks: frozenset[Check]) -> str:
    found = [d for r in results for d in r.diagnostics]
    faults = sum(d.severity is not Severity.NOTE for d in found)
    names = ", ".join(sorted(c.value for c in checks))
    return f"checked {names}: {faults} findings, {len(found) - faults} remarks"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            Diagnostic(usage.OUTPUT_UNWRITABLE, Outcome.STOPPED, f"{path}: {error.strerror}")
        ) from error


def run(
    sources: Annotated[
        list[Path], typer.Argument(help="CUDA sources or directories; arguments after --.")
    ],
    check: Annotated[
        str,
        typer.Option("--check", help="memory, race, init, leak (comma separated), or all."),
    ] = "",
    include: Include = None,
    define: Define = None,
    std: Std = "c++17",
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that a run may take.")] = 60.0,
    oracle: Oracle = OracleKind.CPU,
    memory: Annotated[int, typer.Option(min=64, help="MiB that a run may use.")] = 8192,
    json_out: Annotated[
        Path | None, typer.Option("--json", help="Write the findings as a report in JSON.")
    ] = None,
    sarif: Annotated[
        Path | None, typer.Option("--sarif", help="Write the findings as SARIF.")
    ] = None,
) -> None:
    """Run a CUDA program on the CPU or a GPU, in a sandbox; find its faults with --check."""
    started = time.monotonic()
    paths, arguments = _split(sources)
    checks = _checks(check)
    options = make_options(
        Target.TILELANG,
        include=include,
        define=define,
        std=std,
        args=arguments,
        timeout=timeout,
        oracle=oracle,
    )
    if checks and oracle is OracleKind.GPU:
        raise typer.BadParameter("--check needs the CPU runtime: leave --oracle at cpu")
    options = replace(options, limits=Limits(seconds=timeout, memory_bytes=memory << 20))
    console = Console(stderr=True)
    results: list[ProgramCheck] = []
    for program in find_programs(paths):
        with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
            work = Path(scratch)
            result = check_program(program, options, checks, work, Path.cwd())
        results.append(result)
        _show(console, result)
    if checks:
        console.print(_summary(results, checks), markup=False, highlight=False)
    report: Report = check_report(results, options, time.monotonic() - started, sys.argv[1:])
    if json_out is not None:
        _write(json_out, dump_json(report))
    if sarif is not None:
        _write(sarif, render_sarif(report))
    if any(d.severity is not Severity.NOTE for r in results for d in r.diagnostics):
        raise typer.Exit(ExitCode.BELOW_GATE)
