"""Kernels of a program as plain loops between barriers, to be linked to the original on the CPU.

The runtime gives a CUDA thread that waits a stack of its own. A kernel whose barriers and warp
operations lie in control that all threads take alike needs none: its lane program
(:mod:`migrate.lifting.regions`) is printed as loops over the threads of a block, one for each
region between barriers. Whatever the front end or a pass got wrong would then be wrong in the
oracle too, so the runtime compares the two forms, launch by launch, before it takes this one, and
captured launches are always the original's own (``cuda_emu/emu/fission_impl.h``).

Why both forms give the same bytes: CUDA promises no order between threads from one barrier to the
next, and the runtime's order there is that of the threads' numbers, as in the loops; arithmetic is
done by the same compiler without contraction or reordering. Refused here is what can tell the
difference:

* an atomic operation whose result, or whose floating-point sum, depends on the turn, in a kernel
  with warp operations: on stacks a warp runs ahead of the next one, in loops it does not;
* a loop that goes on until another thread has done something: it would never end in a loop over
  threads (on stacks, threads that spin on an atomic give way);
* what the split itself refuses: barriers and warp operations in divergent flow, masks that do not
  name the lanes that are there, ``volatile``, recursion, addresses of locals that get away, output.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.backends.clike_dialect import Unprintable
from migrate.backends.lane_loops import MOST_LANES, print_lane_kernel
from migrate.core.diagnostics import InternalError, Sink
from migrate.ir.expr import VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lanes import Exchange, LaneKernel, Region, walk_lanes
from migrate.ir.program import Program
from migrate.ir.simt import (
    Assign,
    Atomic,
    AtomicOp,
    Barrier,
    Break,
    Declare,
    For,
    If,
    Stmt,
    While,
)
from migrate.ir.types import Array, Pointer, Scalar, Type
from migrate.ir.volatile_access import volatile_use
from migrate.ir.walk import root, var_names, walk_stmts
from migrate.lifting.lift import normalise
from migrate.lifting.refusal import Refused
from migrate.lifting.regions import split_regions

_MOST_BYTES = 1 << 20
"""Lane buffers and shared arrays lie on the stack of an OS thread."""
_HEAD = """// Kernels as loops over the threads of a block, one for each stretch between barriers.
#include "emu/fission.h"

namespace cm = ::cuda_emu;

"""
_COMMUTE = frozenset(
    {
        AtomicOp.ADD,
        AtomicOp.SUB,
        AtomicOp.MIN,
        AtomicOp.MAX,
        AtomicOp.AND,
        AtomicOp.OR,
        AtomicOp.XOR,
    }
)


@dataclass(frozen=True, slots=True)
class Fission:
    """C++ for the kernels that can run so (empty without any), and the reason for each other one.

    Both tables are by mangled name.
    """

    text: str
    kernels: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


class _Stays(Exception):
    """A kernel has to run on stacks; the text says why."""


def fission_program(program: Program) -> Fission:
    """The fissioned kernels of a program, as one C++ file for the CPU runtime."""
    parts: dict[str, str] = {}
    refused: dict[str, str] = {}
    for unit, kernel in program.kernels:
        name = kernel.mangled
        if name in parts or name in refused:
            # Two files have a kernel of that name. Whether they are one cannot be seen at a launch.
            parts.pop(name, None)
            refused[name] = "several files define a kernel of this name"
            continue
        try:
            number = len(parts) + len(refused)
            parts[name] = fission_kernel(kernel, unit.module, number)
        except (Refused, Unprintable) as fault:
            refused[name] = fault.diagnostic.one_line()
        except (_Stays, InternalError) as fault:  # a pass that fails costs speed, no oracle
            refused[name] = str(fault)
    text = _HEAD + "\n".join(parts.values()) if parts else ""
    return Fission(text, tuple(parts), tuple(refused.items()))


def fission_states(capture: Path) -> tuple[tuple[str, str], ...]:
    """By mangled name what a captured run found out of its fissioned kernels; see the runtime."""
    try:
        lines = (capture / "fission.jsonl").read_text(encoding="utf-8").splitlines()
        rows: list[dict[str, str]] = [json.loads(line) for line in lines]
        return tuple(sorted((row["mangled"], row["state"]) for row in rows))
    except (OSError, ValueError, KeyError):
        return ()


def fission_kernel(kernel: Kernel, module: Module, number: int) -> str:
    """The C++ of one kernel. Raises ``Refused``, ``Unprintable`` or a reason of this module."""
    normal = normalise(kernel, module, Sink())
    if not _same_parameters(kernel, normal, module):
        raise _Stays("parameters are structs")
    if any(isinstance(s, Barrier) and s.scope == "grid" for s in walk_stmts(normal.body)):
        raise _Stays("blocks wait for one another")
    if volatile_use(normal.body) is not None:
        raise _Stays("threads speak to each other through volatile memory")
    # Not brought together at barriers: the original has to stay what its author wrote.
    lanes = split_regions(normal, module, together=False)
    _check_order(lanes)
    if _stack_bytes(lanes) > _MOST_BYTES:
        raise _Stays("values of all threads take too much memory")
    return print_lane_kernel(lanes, module, kernel, number)


def _same_parameters(a: Kernel, b: Kernel, module: Module) -> bool:
    """Whether the normal form takes what the kernel takes, and then device variables by address."""

    def same(x: Type, y: Type) -> bool:
        return x == y or (isinstance(x, Pointer) and isinstance(y, Pointer))

    own, further = b.params[: len(a.params)], b.params[len(a.params) :]
    variables = {g.name for g in module.globals}
    if not all(p.name in variables and isinstance(p.type, Pointer) for p in further):
        return False
    pairs = zip(a.params, own, strict=False)
    return len(own) == len(a.params) and all(
        x.name == y.name and same(x.type, y.type) for x, y in pairs
    )


def _stack_bytes(k: LaneKernel) -> int:
    held = [(b.type, MOST_LANES) for b in k.buffers]
    held += [(Array(a.element, a.length), 1) for a in k.arrays]
    return sum(_bytes(t) * times for t, times in held)


def _bytes(t: Type) -> int:
    match t:
        case Scalar():
            return t.bytes
        case Array(element, length):
            return _bytes(element) * length
        case _:
            raise _Stays(f"a {t} lives across a barrier")


def _check_order(k: LaneKernel) -> None:
    steps = list(walk_lanes(k.body))
    warps_run_ahead = any(isinstance(s, Exchange) for s in steps)
    for s in steps:
        if not isinstance(s, Region):
            continue
        for atomic in walk_stmts(s.body):
            if isinstance(atomic, Atomic) and warps_run_ahead and _turn_counts(atomic):
                raise _Stays(f"line {atomic.span.line}: what an atomic gives depends on the turn")
        for loop in walk_stmts(s.body):
            if isinstance(loop, For | While) and _waits(loop):
                raise _Stays(f"line {loop.span.line}: a loop waits for another thread")


def _turn_counts(s: Atomic) -> bool:
    """Whether the order of two such operations on one place can be seen afterwards."""
    kind = s.place.type
    is_float = isinstance(kind, Scalar) and kind.is_float
    sums = s.op in (AtomicOp.ADD, AtomicOp.SUB)
    return s.result is not None or s.op not in _COMMUTE or (is_float and sums)


def _waits(loop: For | While) -> bool:
    """Whether the number of rounds depends on what an atomic in the loop gave."""
    told = {s.result for s in walk_stmts(loop.body) if isinstance(s, Atomic) and s.result}
    if not told:
        return False
    while True:
        more = {name for name, names in _flows(loop.body) if names & told} - told
        if not more:
            break
        told |= more
    return bool(var_names(loop.cond) & told) or any(
        isinstance(s, If) and var_names(s.cond) & told and _leaves(s) for s in walk_stmts(loop.body)
    )


def _leaves(s: If) -> bool:
    return any(isinstance(x, Break) for x in walk_stmts((s,)))


def _flows(stmts: tuple[Stmt, ...]) -> Iterator[tuple[str, frozenset[str]]]:
    """Names that are set, with the names in the value and in the tests around."""
    for s in walk_stmts(stmts):
        match s:
            case Declare(name, _, init) if init is not None:
                yield name, var_names(init)
            case Assign(place, value):
                base = root(place)
                yield base.name if isinstance(base, VarPlace) else "", var_names(value)
            case If(cond, then, other):
                for name, names in (*_flows(then), *_flows(other)):
                    yield name, names | var_names(cond)
            case _:
                pass
