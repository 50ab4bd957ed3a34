"""``cudamigrate score SUITE``: the accuracy table of a suite."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.cli.originals import score_originals, status_of, write_originals
from migrate.cli.progress import showing
from migrate.cli.round_trip import score_round_trips, write_round_trips
from migrate.cli.round_trip import status_of as round_trip_status
from migrate.cli.stored_figures import store_figures, this_command
from migrate.core.options import DoublePolicy, OracleKind
from migrate.core.targets import Target, resolve_target
from migrate.pipeline.oracle import gpu_of
from migrate.pipeline.score import SuiteScore, score_suite
from migrate.pipeline.suite import load_suite
from migrate.pipeline.summary import now
from migrate.pipeline.toolchain import tool_versions
from migrate.report.accuracy import (
    HEAD,
    brief,
    dump_score,
    figures,
    merge_score,
    verdicts_of,
)
from migrate.rules.catalogue import load_catalogue
from migrate.verify.evidence import EQUAL_NAMES


def _show(console: Console, score: SuiteScore, targets: tuple[Target, ...]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("target", *HEAD):
        table.add_column(name, justify="left" if name == "target" else "right")
    for t in targets:
        table.add_row(t.value, *figures(verdicts_of(score.kernels, t.value), brief))
    console.print(table)
    rungs = Counter((k.target, k.rung, k.verdict) for k in score.kernels)
    detail = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("target", "rung", "verdict", "kernels"):
        detail.add_column(name, justify="right" if name == "kernels" else "left")
    for (target, rung, verdict), n in sorted(rungs.items()):
        detail.add_row(target, rung, verdict, str(n))
    console.print()
    console.print(detail)
    for t in targets:
        runs = [p for p in score.programs if p.target == t.value]
        counts = Counter((p.original, p.migrated, p.control) for p in runs)
        console.print()
        for (original, migrated, control), n in sorted(counts.items()):
            console.print(
                f"{t.value}: {n} programs: original {original}, migrated {migrated}, "
                f"kernels skipped {control}"
            )


def _details(console: Console, score: SuiteScore) -> None:
    for k in score.kernels:
        if k.verdict not in EQUAL_NAMES:
            line = f"{k.target} {k.program} {k.symbol}: {k.verdict} {' '.join(k.codes)}: {k.cause}"
            console.print(Text(line), soft_wrap=True)
    for p in score.programs:
        if p.original != "pass" or p.migrated != "pass" or p.control == "pass":
            further = f", output {p.output}" if p.output else ""
            further += f", with the arguments {p.arguments}" if p.arguments else ""
            line = (
                f"{p.target} {p.program}: original {p.original}, migrated {p.migrated}, "
                f"kernels skipped {p.control}{further} {p.detail}"
            )
            console.print(Text(line), soft_wrap=True)


def _targets(to: str | None, chip: str | None) -> tuple[Target, ...]:
    return tuple(Target) if to is None else (resolve_target(to, chip),)


def score(
    suite: Annotated[Path, typer.Argument(help="A directory with case.yaml files, or a CSV.")],
    to: Annotated[
        str | None, typer.Option("--to", help="Target (default: all).", metavar="TARGET")
    ] = None,
    chip: choices.Chip = None,
    sources: Annotated[Path | None, typer.Option(help="Where the programs of a CSV lie.")] = None,
    pattern: Annotated[
        str, typer.Option(help="Folder of a program below --sources.")
    ] = "{program}",
    without: Annotated[
        str, typer.Option(help="Leave out programs with one of these features (comma separated).")
    ] = "",
    only: Annotated[str, typer.Option(help="Only these programs (comma separated).")] = "",
    double: choices.Double = DoublePolicy.SOFT,
    timeout: choices.Timeout = 60.0,
    jobs: choices.Jobs = 0,
    no_cache: choices.NoCache = False,
    fuzz: choices.Fuzz = choices.FUZZ,
    seed: choices.Seed = 1,
    oracle: choices.Oracle = OracleKind.CPU,
    originals: Annotated[
        bool,
        typer.Option(
            "--originals", help="Only build, run, capture and replay the programs as they are."
        ),
    ] = False,
    round_trip: Annotated[
        bool,
        typer.Option("--round-trip", help="Only print each kernel back as CUDA and run that."),
    ] = False,
    details: Annotated[bool, typer.Option("--details", help="List what is not equal.")] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Page to regenerate; scores lie in a folder beside. With --only, rows are renewed."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the stored score.")] = "suite",
    title: Annotated[str, typer.Option(help="Heading on the page.")] = "",
) -> None:
    """Convert and prove a suite, and print emitted, compiled, equal, refused, different."""
    targets = _targets(to, chip)
    left_out = frozenset(x for x in without.split(",") if x)
    wanted = frozenset(x for x in only.split(",") if x)
    programs = load_suite(suite, sources, pattern, left_out)
    if wanted:
        programs = tuple(p for p in programs if p.source.name in wanted)
    options = choices.make_options(
        targets[0],
        double=double,
        timeout=timeout,
        jobs=jobs,
        no_cache=no_cache,
        fuzz=fuzz,
        seed=seed,
        oracle=oracle,
    )
    gpu_of(oracle)
    console = Console()
    if originals:
        rows = score_originals(programs, replace(options, fuzz=0), console, details=details)
        if write is not None:
            write_originals(write, name, title or name, rows, options, update=bool(wanted))
        raise typer.Exit(status_of(rows))
    if round_trip:
        trips = score_round_trips(programs, options, console, details=details)
        if write is not None:
            write_round_trips(write, name, title or name, trips, options, update=bool(wanted))
        raise typer.Exit(round_trip_status(trips))
    with showing(console, len(programs)) as listener:
        result = score_suite(programs, targets, options, load_catalogue(), listener)
    _show(console, result, targets)
    if details:
        console.print()
        _details(console, result)
    for miss in result.misses:
        console.print(Text(f"not as expected: {miss}", style="red"), soft_wrap=True)
    if write is not None:
        text = dump_score(result, title or name, now(), this_command(), tool_versions(options))
        store_figures(write, f"{name}.json", text, merge_score if wanted else None)
    different = any(k.verdict == "different" for k in result.kernels)
    raise typer.Exit(ExitCode.BELOW_GATE if result.misses or different else ExitCode.OK)
