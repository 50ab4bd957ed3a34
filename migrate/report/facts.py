"""Prints the facts of a kernel: ``cudamigrate explain SOURCE --facts KERNEL``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.analysis.barriers import BarrierUse
from migrate.pipeline.facts import KernelFacts


def print_facts(console: Console, facts: KernelFacts) -> None:
    """One section a kind of fact; lines are those of the CUDA source."""
    kernel = facts.kernel
    _line(console, f"{kernel.symbol} ({kernel.span.file}:{kernel.span.line})", "bold")
    _line(console, f"rung: {facts.rung.value}")
    for d in facts.reasons:
        _line(console, f"  {d.one_line()}")
    if facts.refusal is not None:
        _line(console, f"no normal form, so no facts: {facts.refusal.one_line()}")
        return
    _line(console, "launch: " + ", ".join(f"{axis} {use}" for axis, use in facts.axes))
    if facts.values:
        rows = [(v.name, v.shared_by) for v in facts.values]
        _table(console, ("value", "one value for each"), rows)
    if facts.loops:
        loops = [(x.counter, x.start, x.bound) for x in facts.loops]
        _table(console, ("loop", "from", "while"), loops)
    if facts.accesses:
        _table(
            console,
            ("line", "access", "of", "index: same for the block", "of the thread"),
            [
                (str(a.span.line), a.kind, a.buffer, a.shared_part, a.own_part)
                for a in facts.accesses
            ],
        )
    for h in facts.hazards:
        text = (
            f"{h.buffer}: line {h.read.line} can read what another thread writes in "
            f"line {h.write.line}"
        )
        _line(console, text)
    for barrier in facts.barriers:
        _barrier(console, barrier)


def _barrier(console: Console, barrier: BarrierUse) -> None:
    if not barrier.orders:
        _line(console, f"barrier, line {barrier.span.line}: orders no accesses that can meet")
        return
    _line(console, f"barrier, line {barrier.span.line}:")
    for pair in barrier.orders:
        a, b = pair.before, pair.after
        _line(
            console,
            f"  {a.kind} {a.buffer}[{a.index}] (line {a.span.line}) before "
            f"{b.kind} {b.buffer}[{b.index}] (line {b.span.line})",
        )


def _untyped(text: str) -> str:
    """Constants without their types: readers look for the numbers."""
    return re.sub(r"(?<=\d):[iuf]\d+\b", "", text)


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(_untyped(text), style=style), soft_wrap=True)


def _table(console: Console, names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_untyped(cell)) for cell in row))
    console.print(table)
