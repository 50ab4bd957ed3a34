"""``cudamigrate verify OUT``: proves an output tree again, with what was edited by hand."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from migrate.cli.choices import FUZZ, Fuzz, Oracle, Seed, make_options
from migrate.cli.compare_oracles import compare_oracles
from migrate.cli.convert import exit_for, report_files
from migrate.cli.progress import showing
from migrate.cli.self_check import self_check
from migrate.cli.shrink import replay_capture, shrink_tree
from migrate.core.codes import usage
from migrate.core.compile_settings import settings_from
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.options import DoublePolicy, Options, OracleKind
from migrate.core.targets import Target
from migrate.pipeline.inputs import InputProgram, read_source
from migrate.pipeline.oracle import gpu_of
from migrate.pipeline.run import run_all
from migrate.pipeline.summary import MANIFEST
from migrate.report.assemble import assemble_report
from migrate.report.terminal import print_report
from migrate.rules.catalogue import load_catalogue


def _bad(cause: str) -> UserError:
    return UserError(Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, cause))


def read_manifest(out: Path, timeout: float) -> tuple[tuple[InputProgram, ...], Options]:
    """The programs and options that an output tree was made from.

    Raises :class:`UserError` CM0010 for a tree without a readable record.
    """
    path = out / MANIFEST
    if not path.is_file():
        raise _bad(f"{path} does not exist; is {out} an output of convert?")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        options = make_options(
            Target(data["target"]),
            double=DoublePolicy(data["double"]),
            include=[Path(p) for p in data["include_dirs"]],
            define=list(data["defines"]),
            std=str(data["std"]),
            rules=[Path(p) for p in data["rules"]],
            timeout=timeout,
        )
        options = replace(options, program_args=tuple(data["args"]))
        programs = tuple(
            InputProgram(
                str(p["name"]),
                Path(p["root"]),
                tuple(Path(s) for s in p["sources"]),
                tuple(Path(s) for s in p["host_sources"]),
                bool(p["has_main"]),
                tuple((Path(f), settings_from(s)) for f, s in p.get("settings", {}).items()),
            )
            for p in data["programs"]
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _bad(f"{path}: {error}") from error
    for program in programs:
        for source in program.sources:
            read_source(source)
    return programs, options


def verify(
    out: Annotated[Path, typer.Argument(help="An output directory of convert.")],
    timeout: Annotated[
        float, typer.Option(min=1, help="Seconds that one program run may take.")
    ] = 60.0,
    fuzz: Fuzz = FUZZ,
    seed: Seed = 1,
    oracle: Oracle = OracleKind.CPU,
    own: Annotated[
        bool,
        typer.Option(
            "--self",
            help="Run the original's captured launches again instead, in several orders; "
            "with --oracle gpu compare both oracles.",
        ),
    ] = False,
    shrink: Annotated[
        Path | None,
        typer.Option(
            "--shrink", help="Reduce the failing launch of each different kernel; write it here."
        ),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(help="Replay the launches of this directory instead of running the original."),
    ] = None,
) -> None:
    """Prove the files of an output directory again, edited or not, and renew its report."""
    started = time.monotonic()
    programs, options = read_manifest(out, timeout)
    options = replace(options, fuzz=fuzz, seed=seed, oracle=oracle)
    gpu = gpu_of(oracle)
    console = Console()
    if own and gpu is not None:
        with showing(console, len(programs)) as listener:
            status = compare_oracles(programs, options, console, listener)
        raise typer.Exit(status)
    if own:
        with showing(console, len(programs)) as listener:
            status = self_check(programs, options, console, listener)
        raise typer.Exit(status)
    if shrink is not None:
        with showing(console, len(programs)) as listener:
            status = shrink_tree(programs, options, out, shrink, console, listener)
        raise typer.Exit(status)
    if capture is not None:
        with showing(console, len(programs)) as listener:
            runs = replay_capture(programs, options, out, capture, listener)
        report = assemble_report(runs, options, time.monotonic() - started, "")
        print_report(console, report)
        raise typer.Exit(exit_for(report))
    with showing(console, len(programs)) as listener:
        runs = run_all(
            programs, options, load_catalogue(options.rules_dirs), listener=listener, edited=out
        )
    report = assemble_report(
        runs, options, time.monotonic() - started, " ".join(["cudamigrate", *sys.argv[1:]])
    )
    for file in report_files(report):
        try:
            (out / file.path).write_bytes(file.content)
        except OSError as error:
            raise UserError(
                Diagnostic(
                    usage.OUTPUT_UNWRITABLE,
                    Outcome.STOPPED,
                    f"{out / file.path}: {error.strerror}",
                )
            ) from error
    print_report(console, report)
    raise typer.Exit(exit_for(report))
