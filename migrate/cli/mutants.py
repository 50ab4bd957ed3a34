"""``cudamigrate mutants SUITE``: checks the checker with seeded faults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.core.targets import resolve_target
from migrate.pipeline.mutation import MutantResult, run_mutants
from migrate.pipeline.suite import load_suite
from migrate.report.accuracy import share_text
from migrate.report.model import wilson
from migrate.rules.catalogue import load_catalogue


def _show(console: Console, results: tuple[MutantResult, ...]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("fault", "seeded", "caught", "generated", "compiler", "inert", "missed"):
        table.add_column(name, justify="left" if name == "fault" else "right")
    for operator in sorted({r.mutant.operator for r in results}):
        mine = [r for r in results if r.mutant.operator == operator]
        row = [str(sum(r.caught == c for r in mine)) for c in ("numbers", "compiler", "inert", "")]
        row.insert(1, str(sum(r.by_generated for r in mine)))
        table.add_row(operator, str(len(mine)), *row)
    console.print(table)
    for r in results:
        if r.caught in ("", "inert"):
            state = r.caught or "missed"
            where = f"{r.program} {r.mutant.symbol} line {r.mutant.line} ({r.mutant.operator})"
            console.print(
                Text(f"{state}: {where}:\n  - {r.mutant.before}\n  + {r.mutant.after}"),
                soft_wrap=True,
            )


def mutants(
    suite: Annotated[Path, typer.Argument(help="A directory with case.yaml files.")],
    to: choices.To,
    chip: choices.Chip = None,
    count: Annotated[int, typer.Option(min=1, help="How many faults to seed.")] = 30,
    seed: Annotated[int, typer.Option(help="The same seed gives the same faults.")] = 1,
    only: Annotated[str, typer.Option(help="Only these programs (comma separated).")] = "",
    min_caught: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Exit 1 below this share.")
    ] = 0.95,
    timeout: choices.Timeout = 60.0,
    fuzz: choices.Fuzz = choices.FUZZ,
) -> None:
    """Seed faults into generated kernels and print the share that the proof catches.

    A fault that changes no bit of any output is listed as inert and does not count. The column
    "generated" counts those that captured launches alone do not show.
    """
    target = resolve_target(to, chip)
    programs = load_suite(suite, None, "{program}", frozenset())
    wanted = frozenset(x for x in only.split(",") if x)
    if wanted:
        programs = tuple(p for p in programs if p.source.name in wanted)
    options = choices.make_options(target, timeout=timeout, fuzz=fuzz, seed=seed)
    console = Console()
    with showing(console, len(programs)) as listener:
        results = run_mutants(
            programs, options, load_catalogue(), count=count, seed=seed, listener=listener
        )
    _show(console, results)
    run = [r for r in results if r.caught in ("numbers", "")]
    share = wilson(sum(bool(r.caught) for r in run), len(run))
    inert = sum(r.caught == "inert" for r in results)
    rejected = sum(r.caught == "compiler" for r in results)
    console.print(
        f"\n{target.value}: {len(results)} faults seeded; {rejected} rejected by the compiler; "
        f"{inert} inert (every output bit as before); of the {len(run)} that change a result, "
        f"caught: {share_text(share)}; "
        f"{sum(r.by_generated for r in run)} by generated launches alone"
    )
    low = not run or share.count < min_caught * share.total
    raise typer.Exit(ExitCode.BELOW_GATE if low else ExitCode.OK)
