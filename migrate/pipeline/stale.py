"""Launches that find their result already in memory, captured again on memory that looks unwritten.

A program that launches a kernel twice on the same input leaves the second launch nothing to
change, and equality of memory would prove nothing (CM5008). Where a kernel only writes a buffer,
what was in it before does not matter to the kernel: the original is run once more with such buffers
poisoned in front of each captured launch, and that run's launches take the place of the blind
ones.
"""

from __future__ import annotations

import shutil
from dataclasses import replace

from migrate.analysis.access import buffer_access
from migrate.core.diagnostics import Sink
from migrate.ir.expr import AddressOf, Invoke, PtrElem, Read, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.program import Program
from migrate.ir.types import Pointer
from migrate.ir.walk import Rewriter, all_exprs
from migrate.lifting.lift import normalise
from migrate.lifting.refusal import Refused
from migrate.verify.capture import Capture, Launch


def _is_blind(launch: Launch) -> bool:
    same = all(b.before == b.after for b in launch.buffers)
    return launch.skipped is None and same and all(g.before == g.after for g in launch.globals)


def write_only(kernel: Kernel, module: Module) -> tuple[str, ...]:
    """The pointer parameters that a kernel writes and provably never reads.

    Empty when the kernel has no normal form, or when some access goes through anything but a
    parameter itself: then what it reads is not known.
    """
    try:
        body = normalise(kernel, module, Sink())
    except Refused:
        return ()
    names = {p.name for p in kernel.params if isinstance(p.type, Pointer)}
    unknown = False

    def place(p: object) -> None:
        nonlocal unknown
        match p:
            case PtrElem(Read(VarPlace(name))) if name in names:
                pass
            case PtrElem():
                unknown = True
            case _:
                pass

    Rewriter(place=place).body(body.body)
    if unknown or any(isinstance(e, AddressOf | Invoke) for e in all_exprs(body.body)):
        return ()
    access = buffer_access(body)
    return tuple(n for n in sorted(access.written - access.read) if n in names)


def blind_outputs(program: Program, capture: Capture) -> tuple[str, ...]:
    """``kernel:parameter`` for the write-only buffers of kernels whose launches are all blind."""
    found: dict[str, None] = {}
    for unit, kernel in program.kernels:
        launches = [x for x in capture.of_kernel(kernel.mangled) if x.skipped is None]
        if launches and all(_is_blind(x) for x in launches):
            for name in write_only(kernel, unit.module):
                found[f"{kernel.name}:{name}"] = None
    return tuple(found)


def with_second_run(first: Capture, second: Capture) -> Capture:
    """``first`` with its blind launches replaced by those of ``second`` that are not blind.

    Launches are matched by number and kernel: the program is the same and makes the same launches.
    """
    better = {
        (x.seq, x.mangled): x for x in second.launches if x.skipped is None and not _is_blind(x)
    }
    blobs = first.directory / "blobs"
    launches: list[Launch] = []
    for launch in first.launches:
        found = better.get((launch.seq, launch.mangled)) if _is_blind(launch) else None
        if found is None:
            launches.append(launch)
            continue
        launches.append(found)
        digests = {h for b in found.buffers for h in (b.before, b.after)}
        digests |= {h for g in found.globals for h in (g.before, g.after)}
        for digest in sorted(digests):
            for path in second.files_of(digest):
                if not (blobs / path.name).exists():
                    shutil.copyfile(path, blobs / path.name)
    return replace(first, launches=tuple(launches))
