"""``cudamigrate tilelang-cuda SUITE``: proves the CUDA that TileLang makes of migrated kernels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.cli import choices
from migrate.cli.exit_codes import ExitCode
from migrate.cli.progress import showing
from migrate.core.targets import Target
from migrate.pipeline.suite import load_suite
from migrate.pipeline.tilelang_cuda import CudaKernel, prove_suite_cuda
from migrate.rules.catalogue import load_catalogue
from migrate.verify.evidence import Verdict


def _show(console: Console, kernels: tuple[CudaKernel, ...]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "kernel", "lowered", "nvcc", "numbers", "launches"):
        justify: Literal["left", "right"] = "right" if name == "launches" else "left"
        table.add_column(name, justify=justify, overflow="fold")
    for k in kernels:
        lowered = "yes" if k.lowered else "no"
        nvcc = k.nvcc.split(":")[0]
        table.add_row(k.program, k.symbol, lowered, nvcc, k.verdict.value, str(k.launches))
    console.print(table)
    for k in kernels:
        if k.nvcc.startswith("failed"):
            console.print(Text(f"{k.program} {k.symbol}: nvcc {k.nvcc}"), soft_wrap=True)
        if not k.verdict.is_equal:
            console.print(Text(f"{k.program} {k.symbol}: {k.cause}"), soft_wrap=True)
    verdicts = Counter(k.verdict.value for k in kernels)
    compiled = Counter(k.nvcc.split(":")[0] for k in kernels if k.nvcc)
    parts = [f"lowered {sum(k.lowered for k in kernels)} of {len(kernels)}"]
    parts += [f"nvcc {name} {n}" for name, n in compiled.items()]
    parts += [f"{name} {n}" for name, n in verdicts.items()]
    console.print(f"\n{', '.join(parts)}")


def tilelang_cuda(
    suite: Annotated[Path, typer.Argument(help="A directory with case.yaml files, or a CSV.")],
    sources: Annotated[Path | None, typer.Option(help="Where the programs of a CSV lie.")] = None,
    pattern: Annotated[
        str, typer.Option(help="Folder of a program below --sources.")
    ] = "{program}",
    without: Annotated[
        str, typer.Option(help="Leave out programs with one of these features (comma separated).")
    ] = "",
    only: Annotated[str, typer.Option(help="Only these programs (comma separated).")] = "",
    timeout: choices.Timeout = 60.0,
    jobs: choices.Jobs = 0,
) -> None:
    """Lower migrated TileLang kernels to CUDA, compile that with nvcc, and compare its numbers."""
    left_out = frozenset(x for x in without.split(",") if x)
    wanted = frozenset(x for x in only.split(",") if x)
    programs = load_suite(suite, sources, pattern, left_out)
    if wanted:
        programs = tuple(p for p in programs if p.source.name in wanted)
    options = choices.make_options(Target.TILELANG, timeout=timeout, jobs=jobs)
    console = Console()
    with showing(console, len(programs)) as listener:
        kernels = prove_suite_cuda(programs, options, load_catalogue(), listener)
    _show(console, kernels)
    wrong = any(k.verdict is Verdict.DIFFERENT or k.nvcc.startswith("failed") for k in kernels)
    lost = any(k.nvcc == "not-lowered" for k in kernels)
    raise typer.Exit(ExitCode.BELOW_GATE if wrong or lost else ExitCode.OK)
