"""``cudamigrate verify OUT --self --oracle gpu``: the originals on the CPU and on the device."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from migrate.cli.exit_codes import ExitCode
from migrate.core.options import Options, OracleKind
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.run import Listener, Prepared, prepare
from migrate.verify.capture import Capture
from migrate.verify.two_captures import LaunchPair, compare_captures


def compare_oracles(
    programs: tuple[InputProgram, ...], options: Options, console: Console, listener: Listener
) -> int:
    """Capture every program with both oracles and compare launch by launch.

    Prints one row a launch. The exit status is that of a gate: not OK when a buffer differs, or
    when only one of the oracles made or recorded a launch.
    """
    good = True
    table = Table("program", "kernel", "launch", "same", "different", box=None)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        for number, program in enumerate(programs):
            work = Path(scratch) / str(number)
            cpu, gpu = (
                prepare(program, replace(options, oracle=kind, fuzz=0), work / kind.value, listener)
                for kind in (OracleKind.CPU, OracleKind.GPU)
            )
            for pair in pairs_of(cpu, gpu):
                good &= not pair.found and not pair.problem
                words = pair.problem or "; ".join(pair.found)
                table.add_row(program.name, pair.kernel, str(pair.seq), str(pair.same), words)
            for d in (*cpu.oracle.diagnostics, *gpu.oracle.diagnostics):
                console.print(f"{program.name}: {d.code.id}: {d.cause}", markup=False)
                good = False
    console.print(table)
    return ExitCode.OK if good else ExitCode.BELOW_GATE


def pairs_of(first: Prepared, second: Prepared) -> tuple[LaunchPair, ...]:
    """The launches of two runs of one program; empty when one of them was not captured."""
    captures: tuple[Capture | None, ...] = (first.oracle.capture, second.oracle.capture)
    kernels = {k.mangled: (k, unit.module) for unit, k in first.program.kernels}
    a, b = captures
    return () if a is None or b is None else compare_captures(a, b, kernels)
