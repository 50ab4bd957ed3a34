"""``cudamigrate verify OUT --self``: the original against its own capture."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from migrate.cli.exit_codes import ExitCode
from migrate.core.options import Options
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.run import Listener, prepare
from migrate.verify.capture import Launch


def self_check(
    programs: tuple[InputProgram, ...], options: Options, console: Console, listener: Listener
) -> int:
    """Run every captured launch of the originals again, in the same order and in others.

    Prints one row a launch. The exit status is that of a gate: not OK when a launch gave other bits
    in the same order, or was not run again.
    """
    table = Table("program", "kernel", "launch", "again", "other orders", box=None)
    good = True
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        for number, program in enumerate(programs):
            mine = replace(options, fuzz=max(1, options.fuzz))
            oracle = prepare(program, mine, Path(scratch) / str(number), listener).oracle
            launches = () if oracle.capture is None else oracle.capture.launches
            for launch in launches:
                if launch.source == "captured" and launch.skipped is None:
                    again, other = _words(launch)
                    good &= again == "exact"
                    table.add_row(program.name, launch.kernel, str(launch.seq), again, other)
    console.print(table)
    return ExitCode.OK if good else ExitCode.BELOW_GATE


def _words(launch: Launch) -> tuple[str, str]:
    order = launch.order
    if order is None:
        return "not run", ""
    again = "exact" if order.repeatable else "other bits"
    if not order.ordered:
        return again, "exact"
    return again, ("float atomics: " if order.explained else "differ: ") + order.detail
