"""What is legal in the lane dialect. A fault found here is ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from typing_extensions import assert_never

from migrate.core.codes.internal import INVALID_IR
from migrate.core.diagnostics import InternalError
from migrate.ir.expr import Builtin, Expr, IndexVar, Read, VarPlace
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    Branch,
    Exchange,
    LaneKernel,
    Loop,
    Reduce,
    Region,
    Scan,
    walk_lanes,
)
from migrate.ir.printer import print_expr
from migrate.ir.simt import Barrier, Collective, Return, Stmt
from migrate.ir.types import BOOL, I32, Pointer, Type
from migrate.ir.verify import faults_of
from migrate.ir.walk import all_exprs, assigned_names, var_names, walk_expr, walk_stmts

OPERANDS = {
    "shfl": 3, "shfl_up": 3, "shfl_down": 3, "shfl_xor": 3, "ballot": 2, "any": 2, "all": 2,
    "match_any": 2, "activemask": 0, "reduce_add": 2, "reduce_min": 2, "reduce_max": 2,
    "reduce_and": 2, "reduce_or": 2, "reduce_xor": 2, "syncthreads_count": 1,
    "syncthreads_and": 1, "syncthreads_or": 1,
}  # fmt: skip
"""The operations among lanes, with their number of operands."""
REDUCTIONS = frozenset({"sum", "max", "min"})
"""Operations over all lanes of a block."""


def verify_lanes(k: LaneKernel, module: Module) -> None:
    """Raises :class:`InternalError` (CM9001) for the first fault of a lane program."""
    fault = next(_faults(k, module), None)
    if fault is not None:
        raise InternalError(INVALID_IR, f"lane program of {k.symbol}: {fault}")


def _faults(k: LaneKernel, module: Module) -> Iterator[str]:
    if len(k.types()) != len(k.params) + len(k.arrays) + len(k.buffers) + len(k.variables):
        yield "a name is declared twice"
    buffers: dict[str, Type] = {b.name: b.type for b in k.buffers}
    variables = {v.name: v.type for v in k.variables}
    arrays = {a.name: a for a in k.arrays}
    known = frozenset(k.types()) - frozenset(buffers)
    for s in walk_lanes(k.body):
        match s:
            case Region(_, mask):
                yield from _mask(mask, buffers)
                yield from _region(k, s, frozenset(variables), module)
                yield from _box(s, frozenset(buffers))
            case BlockAssign(name, value):
                if variables.get(name) != value.type:
                    yield f"{name} = a value of type {value.type}"
                yield from _uniform(value, known)
            case Exchange(op, result, operands, mask):
                yield from _mask(mask, buffers)
                if result not in (variables if op.startswith("syncthreads") else buffers):
                    yield f"{result} cannot hold the result of {op}"
                if OPERANDS.get(op) != len(operands):
                    yield f"{op} of {len(operands)} operands"
                for e in operands:
                    if not (isinstance(e, Read) and e.place in _places(k)):
                        yield from _uniform(e, known)
            case Branch(cond) | Loop(cond):
                if cond.type != BOOL:
                    yield f"condition {print_expr(cond)} is {cond.type}"
                yield from _uniform(cond, known)
            case AnyLane(mask):
                yield from _mask(mask, buffers)
            case Reduce(op, result, value):
                if op not in REDUCTIONS:
                    yield f"{op} over a block"
                if buffers.get(value) is None or variables.get(result) != buffers[value]:
                    yield f"{result} = {op} over {value}"
            case Scan(array):
                found = arrays.get(array)
                if found is None or found.scalar or found.columns:
                    yield f"prefix sums of {array}"
            case _:
                assert_never(s)


def _box(s: Region, buffers: frozenset[str]) -> Iterator[str]:
    """The points of a box know no lanes."""
    if not s.box:
        return
    if s.mask is not None:
        yield "a box under a mask"
    for e in all_exprs(s.body):
        if isinstance(e, IndexVar) and e.builtin is Builtin.THREAD:
            yield f"{print_expr(e)} in a box"
        for name in sorted(var_names(e) & buffers):
            yield f"{name} in a box"
    for name in sorted(assigned_names(s.body) & buffers):
        yield f"{name} set in a box"


def _places(k: LaneKernel) -> frozenset[VarPlace]:
    return frozenset(VarPlace(b.name, b.type) for b in k.buffers)


def _mask(mask: str | None, buffers: Mapping[str, Type]) -> Iterator[str]:
    if mask is not None and buffers.get(mask) != BOOL:
        yield f"mask {mask} is no lane buffer of bool"


def _uniform(e: Expr, known: frozenset[str]) -> Iterator[str]:
    """A value that every lane agrees on names no lane buffer and no thread."""
    for name in sorted(var_names(e) - known):
        yield f"{name} in {print_expr(e)} is not the same for all lanes"
    for x in walk_expr(e):
        if isinstance(x, IndexVar) and x.builtin is Builtin.THREAD:
            yield f"{print_expr(e)} depends on the thread"


def _region(k: LaneKernel, s: Region, fixed: frozenset[str], module: Module) -> Iterator[str]:
    body = s.body
    for x in walk_stmts(body):
        if isinstance(x, Barrier | Collective | Return):
            yield f"{type(x).__name__} inside a region"
    for name in sorted(assigned_names(body) & fixed):
        yield f"a region assigns the block variable {name}"
    # Checked like the body of a kernel whose parameters are the names from outside.
    names = _addresses(body, module) | k.types() | dict.fromkeys((n for n, _ in s.box), I32)
    params = tuple(Param(name, kind) for name, kind in names.items())
    yield from faults_of(Kernel(k.symbol, k.symbol, params, body), module)


def _addresses(body: tuple[Stmt, ...], module: Module) -> dict[str, Type]:
    """Device variables whose names stand for their addresses, as one chip's normal form has it."""
    names = {g.name for g in module.globals}
    return {
        e.place.name: e.type
        for e in all_exprs(body)
        if isinstance(e, Read) and isinstance(e.place, VarPlace) and isinstance(e.type, Pointer)
        if e.place.name in names
    }
