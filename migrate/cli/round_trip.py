"""``cudamigrate round-trip SRC``: proves that reading the kernels lost nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from migrate.cli.choices import make_options
from migrate.cli.exit_codes import ExitCode
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.round_trip import RoundTrip, round_trip


def round_trip_command(
    paths: Annotated[list[Path], typer.Argument(help="CUDA files or directories.")],
    args: Annotated[str, typer.Option(help="Arguments of the programs.")] = "",
    include: Annotated[list[Path] | None, typer.Option("-I", help="Include directory.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="NAME or NAME=VALUE.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that one run may take.")] = 60.0,
    details: Annotated[bool, typer.Option("--details", help="Say why kernels were left.")] = False,
) -> None:
    """Read each kernel, print it back as CUDA in place of its body, and run both programs."""
    options = make_options(
        Target.TILELANG, include=include, define=define, args=tuple(args.split()), timeout=timeout
    )
    found: list[RoundTrip] = []
    console = Console()
    for program in find_programs(tuple(paths)):
        with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
            found.append(round_trip(program, options, Path(scratch)))
        if details:
            for symbol, reason in found[-1].left:
                console.print(f"{program.name}: {symbol} keeps its body: {reason}", markup=False)
            if found[-1].detail:
                console.print(f"{program.name}: {found[-1].detail}", markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "text", "printed", "left", "unread", "before", "after", "launches"):
        table.add_column(name)
    for r in found:
        table.add_row(
            r.program, "same" if r.text_equal else "differs", str(r.kernels), str(len(r.left)),
            str(r.unread), r.before, r.after, f"{r.equal}/{r.launches}",
        )  # fmt: skip
    console.print(table)
    if not all(r.holds for r in found):
        raise typer.Exit(ExitCode.BELOW_GATE)
