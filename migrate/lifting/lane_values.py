"""What becomes of the local variables of a kernel that was split into regions.

* One that a single region declares and uses stays there.
* One that says where a thread is (``int i = blockIdx.x * blockDim.x + threadIdx.x``: one value,
  made of indices, parameters and constants) is computed anew in each region that uses it.
* Any other becomes a lane buffer: its declaration is an assignment to this lane's slot.
* Shared variables become block arrays.

Legal because a region runs once for each lane wherever the kernel ran that piece of code once for
the thread, and a slot belongs to one lane alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from migrate.core.codes import lifting as codes
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    Select,
    Unary,
    VarPlace,
)
from migrate.ir.kernel import Kernel
from migrate.ir.lanes import (
    AnyLane,
    BlockArray,
    BlockVariable,
    Branch,
    LaneBuffer,
    LaneKernel,
    LaneStmt,
    Loop,
    Region,
    walk_lanes,
)
from migrate.ir.simt import Assign, Atomic, Collective, Declare, Stmt
from migrate.ir.types import Array, Scalar, Space
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    declared_name,
    var_names,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.naming import Names
from migrate.lifting.refusal import refuse

_MOST_NODES = 24
"""Operations of a value that is computed anew rather than kept."""


def finish(
    kernel: Kernel,
    body: tuple[LaneStmt, ...],
    variables: frozenset[str],
    slots: Mapping[str, Scalar],
    requires: tuple[Expr, ...],
) -> LaneKernel:
    """The lane program of a kernel from its steps. ``variables``: those of the block; ``slots``:
    lane buffers that are needed in any case."""
    arrays = tuple(_arrays(kernel))
    kinds = dict(_kinds(kernel, variables))
    values = _positions(kernel, variables | frozenset(slots) | {a.name for a in arrays})
    homes = _homes(body)
    kept = {n: k for n, k in kinds.items() if n in variables}
    buffers: dict[str, Scalar | Array] = dict(slots)
    for name, regions in homes.items():
        if name in kinds and name not in variables and name not in values and len(regions) > 1:
            buffers[name] = kinds[name]
    again = {n: d for n, d in values.items() if len(homes.get(n, ())) > 1}
    again = _with_needed(again, values)
    made = _Finish(frozenset(buffers), again, Names({*kinds, *buffers})).stmts(body)
    order = list(kinds) + [n for n in buffers if n not in kinds]
    return LaneKernel(
        kernel.symbol,
        kernel.params,
        arrays,
        tuple(LaneBuffer(n, buffers[n]) for n in order if n in buffers),
        tuple(BlockVariable(n, k) for n, k in kept.items() if isinstance(k, Scalar)),
        requires,
        made,
        span=kernel.span,
    )


def _arrays(kernel: Kernel) -> Iterator[BlockArray]:
    for s in walk_stmts(kernel.body):
        if isinstance(s, Declare) and s.space is Space.SHARED:
            match s.type:
                case Scalar() as kind:
                    yield BlockArray(s.name, kind, 1, scalar=True, span=s.span)
                case Array(Scalar() as element, length):
                    yield BlockArray(s.name, element, length, span=s.span)
                case other:
                    raise refuse(codes.UNSPLIT_VALUE, f"{s.name} is a shared {other}", s.span)


def _kinds(kernel: Kernel, variables: frozenset[str]) -> Iterator[tuple[str, Scalar | Array]]:
    """The locals of the kernel with their types, in order."""
    for s in walk_stmts(kernel.body):
        name = declared_name(s)
        if name is None or (isinstance(s, Declare) and s.space is Space.SHARED):
            continue
        kind = s.place.type if isinstance(s, Atomic) else None
        if isinstance(s, Declare | Collective):
            kind = s.type
        if isinstance(kind, Scalar) or (
            isinstance(kind, Array) and isinstance(kind.element, Scalar) and name not in variables
        ):
            yield name, kind
        else:
            raise refuse(codes.UNSPLIT_VALUE, f"{name} is a {kind}", s.span)


def _positions(kernel: Kernel, other: frozenset[str]) -> dict[str, Declare]:
    """Variables whose value can be computed anew anywhere, in order of declaration."""
    assigned = assigned_names(kernel.body)
    params = {p.name for p in kernel.params if isinstance(p.type, Scalar)} - assigned
    found: dict[str, Declare] = {}
    always = {s.name for s in kernel.body if isinstance(s, Declare)}
    for s in walk_stmts(kernel.body):
        if not isinstance(s, Declare) or s.init is None or s.name in assigned or s.name in other:
            continue
        parts = list(walk_expr(s.init))
        if isinstance(s.type, Scalar) and len(parts) <= _MOST_NODES:
            # A division that the kernel guards is not moved before its guard.
            safe = s.name in always or not any(_can_trap(e) for e in parts)
            if safe and all(_steady(e, params | found.keys()) for e in parts):
                found[s.name] = s
    return found


def _steady(e: Expr, known: set[str]) -> bool:
    match e:
        case Read(VarPlace(name)):
            return name in known
        case Const() | IndexVar() | Unary() | Binary() | Select() | Cast() | Call():
            return True
        case _:
            return False


def _can_trap(e: Expr) -> bool:
    if not isinstance(e, Binary) or e.op not in (BinaryOp.DIV, BinaryOp.REM):
        return False
    return not (isinstance(e.rhs, IndexVar) or (isinstance(e.rhs, Const) and e.rhs.value))


def _homes(body: tuple[LaneStmt, ...]) -> dict[str, set[int]]:
    """For each name the steps (by number) that declare or use it."""
    found: dict[str, set[int]] = {}
    for at, s in enumerate(walk_lanes(body)):
        if isinstance(s, Region):
            for name in _names(s.body):
                found.setdefault(name, set()).add(at)
    return found


def _names(stmts: tuple[Stmt, ...]) -> set[str]:
    found = {n for s in walk_stmts(stmts) if (n := declared_name(s)) is not None}
    found |= assigned_names(stmts)
    for e in all_exprs(stmts):
        found |= var_names(e)
    return found


def _with_needed(again: dict[str, Declare], values: dict[str, Declare]) -> dict[str, Declare]:
    """Also what the values that are computed anew are made of, in order of declaration."""
    names = set(again)
    todo = list(again.values())
    while todo:
        d = todo.pop()
        for name in (var_names(d.init) if d.init is not None else frozenset()) & values.keys():
            if name not in names:
                names.add(name)
                todo.append(values[name])
    return {n: d for n, d in values.items() if n in names}


@dataclass(frozen=True, slots=True)
class _Finish:
    buffers: frozenset[str]
    again: Mapping[str, Declare]
    names: Names

    def stmts(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            out += self._stmt(s)
        return tuple(out)

    def _stmt(self, s: LaneStmt) -> tuple[LaneStmt, ...]:
        match s:
            case Region(body):
                made = self._region(body)
                return (replace(s, body=made),) if made else ()
            case Branch(_, then, other):
                return (replace(s, then=self.stmts(then), other=self.stmts(other)),)
            case Loop(_, body, step):
                return (replace(s, body=self.stmts(body), step=self.stmts(step)),)
            case AnyLane(_, body):
                return (replace(s, body=self.stmts(body)),)
            case _:
                return (s,)

    def _region(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
            match s:
                case Declare(name) if name in self.again or s.space is Space.SHARED:
                    return ()
                case Declare(name, kind, init) if name in self.buffers:
                    if init is None:
                        return ()
                    place = VarPlace(name, kind)
                    return (Assign(place, init, span=s.span, note=s.note),)
                case Atomic(result=str(name)) if name in self.buffers:
                    old = VarPlace(self.names.fresh(f"{name}_old"), s.place.type)
                    kept, got = replace(s, result=old.name), Read(old)
                    return kept, Assign(VarPlace(name, s.place.type), got, span=s.span)
                case _:
                    return None

        made = Rewriter(stmt=stmt).body(body)
        if not made:
            return ()
        used = _names(made)
        needed = _with_needed({n: d for n, d in self.again.items() if n in used}, dict(self.again))
        return (*needed.values(), *made)
