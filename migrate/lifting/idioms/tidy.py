"""Tidies a program with reductions: what is the same for the whole block leaves the lanes.

    region { v = mine }  reduce total = sum(v)       reduce total = sum(mine)
    region { m = (total / n) }                       once m = (total / n)
    region { active = (t / 32 == 0) }                region { if (t / 32 == 0) { ... } }
    region where active { ... }

Legal, in this order: ``v`` is a copy that nothing changes before the reduction reads it; ``m`` is
set once, by all lanes alike, from values that all lanes agree on; ``active`` is set once, from the
thread's place alone, so that the test can be made where it is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from migrate.ir.expr import Expr, Read, VarPlace
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    BlockVariable,
    Branch,
    LaneBuffer,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    walk_lanes,
)
from migrate.ir.simt import Assign, Declare, If, Stmt
from migrate.ir.types import BOOL, Scalar, Type
from migrate.ir.walk import assigned_names, var_names
from migrate.lifting.idioms.rows import BlockNames, block_names, fixed_locals, written_out
from migrate.lifting.idioms.unused import without_unused

LaneRule = Callable[[tuple[LaneStmt, ...]], tuple[LaneStmt, ...]]


def tidied(program: LaneKernel) -> LaneKernel:
    """The program in the form in which tiles are written."""
    program = _Uniform(program).run()
    program = replace(program, body=_masks(program))
    program = _Folded(program).run()
    return without_unused(program)


def mapped(body: tuple[LaneStmt, ...], rule: LaneRule) -> tuple[LaneStmt, ...]:
    """Rewrite the lists of a program from the inside out; ``rule`` gets each whole list."""
    out: list[LaneStmt] = []
    for s in body:
        match s:
            case Branch(_, then, other):
                out.append(replace(s, then=mapped(then, rule), other=mapped(other, rule)))
            case Loop(_, inner, step):
                out.append(replace(s, body=mapped(inner, rule), step=mapped(step, rule)))
            case AnyLane(_, inner):
                out.append(replace(s, body=mapped(inner, rule)))
            case _:
                out.append(s)
    return rule(tuple(out))


def assigned_counts(program: LaneKernel) -> dict[str, int]:
    """How many statements and steps set each name."""
    found: dict[str, int] = {}

    def count(stmts: tuple[Stmt, ...]) -> None:
        for s in stmts:
            for name in assigned_names((s,)):
                whole = isinstance(s, Assign) and isinstance(s.place, VarPlace)
                found[name] = found.get(name, 0) + (1 if whole else 2)

    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            count(s.body)
        elif isinstance(s, BlockAssign | Reduce):
            name = s.name if isinstance(s, BlockAssign) else s.result
            found[name] = found.get(name, 0) + 1
    return found


class _Uniform:
    """Values that all lanes set alike become variables of the block."""

    def __init__(self, program: LaneKernel) -> None:
        self._program = program
        self._counts = assigned_counts(program)
        folded = {s.value for s in walk_lanes(program.body) if isinstance(s, Reduce)}
        self._kinds = {b.name: b.type for b in program.buffers if b.name not in folded}
        self._names: BlockNames = block_names(program)
        self._made: dict[str, Scalar] = {}
        self._results = {s.result for s in walk_lanes(program.body) if isinstance(s, Reduce)}

    def run(self) -> LaneKernel:
        body = mapped(self._program.body, self._list)
        return replace(
            self._program,
            body=body,
            buffers=tuple(b for b in self._program.buffers if b.name not in self._made),
            variables=(
                *self._program.variables,
                *(BlockVariable(n, k) for n, k in self._made.items()),
            ),
        )

    def _list(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            if isinstance(s, Region) and s.mask is None and s.body:
                out += self._region(s)
            else:
                out.append(s)
        return tuple(out)

    def _region(self, s: Region) -> list[LaneStmt]:
        values = fixed_locals(s.body)
        once: list[LaneStmt] = []
        kept: list[Stmt] = []
        for x in s.body:
            found = self._value(x, values)
            if found is None:
                kept.append(x)
                continue
            name, value = found
            once.append(BlockAssign(name, value, span=x.span))
            self._names = BlockNames(self._names.names | {name})
            values.pop(name, None)
        return [*once, *([replace(s, body=tuple(kept))] if kept else [])]

    def _value(self, x: Stmt, values: dict[str, Expr]) -> tuple[str, Expr] | None:
        """A variable that a statement gives a value of the block, with that value."""
        match x:
            case Assign(VarPlace(name, Scalar() as kind), value):
                if name not in self._kinds or self._counts.get(name) != 1 or kind == BOOL:
                    return None
            case Declare(name, Scalar() as kind, init) if name in values and init is not None:
                value = init
                if kind == BOOL or not self._of_results(written_out(value, values)):
                    return None
            case _:
                return None
        whole = written_out(value, values)
        if not self._names.agrees(whole):
            return None
        self._made[name] = kind
        if self._of_results(whole):
            self._results.add(name)
        return name, whole

    def _of_results(self, e: Expr) -> bool:
        return bool(var_names(e) & self._results)


def _masks(program: LaneKernel) -> tuple[LaneStmt, ...]:
    """Masks that are a test of the thread's place alone are tested where they count."""
    counts = assigned_counts(program)
    names = block_names(program)
    fixed = BlockNames(frozenset(n for n in names.names if not counts.get(n)))
    tests: dict[str, Expr] = {}
    for s in walk_lanes(program.body):
        if isinstance(s, Region) and s.mask is None:
            values = fixed_locals(s.body)
            for x in s.body:
                match x:
                    case Assign(VarPlace(name, kind), value) if kind == BOOL:
                        whole = written_out(value, values)
                        if counts.get(name) == 1 and fixed.fixed(whole):
                            tests[name] = whole
                    case _:
                        pass

    def rule(body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        return tuple(
            replace(s, body=(If(tests[s.mask], s.body, span=s.span),), mask=None)
            if isinstance(s, Region) and s.mask in tests
            else s
            for s in body
        )

    return mapped(program.body, rule)


class _Folded:
    """A reduction reads the value itself, not a copy of it."""

    def __init__(self, program: LaneKernel) -> None:
        self._program = program
        self._buffers = {b.name: b.type for b in program.buffers}

    def run(self) -> LaneKernel:
        body = mapped(self._program.body, self._list)
        kept = tuple(LaneBuffer(n, k) for n, k in self._buffers.items())
        return replace(self._program, body=body, buffers=kept)

    def _list(self, body: tuple[LaneStmt, ...]) -> tuple[LaneStmt, ...]:
        out: list[LaneStmt] = []
        for s in body:
            # Several values can be reduced behind one region.
            at = next((k for k in range(len(out), 0, -1) if not isinstance(out[k - 1], Reduce)), 0)
            before = out[at - 1] if at else None
            if isinstance(s, Reduce) and isinstance(before, Region) and before.mask is None:
                out[at - 1], name = self._source(before, s.value)
                out.append(replace(s, value=name))
            else:
                out.append(s)
        return tuple(out)

    def _source(self, s: Region, name: str) -> tuple[Region, str]:
        """What a buffer copies, at the end of a region; a local that it copies becomes a buffer."""
        while True:
            last = next((k for k in range(len(s.body), 0, -1) if _sets(s.body[k - 1], name)), 0)
            if not last:
                return s, name
            source, kind = _copied(s, last - 1)
            if not source:
                return s, name
            if source not in self._buffers:
                found = _with_buffer(s, source)
                if found is None or not isinstance(kind, Scalar):
                    return s, name
                s = found
                self._buffers[source] = kind
            name = source


def _copied(s: Region, at: int) -> tuple[str, Type]:
    """The variable that statement ``at`` copies, if nothing sets it from there to the end; a copy
    under another name is looked through."""
    match s.body[at]:
        case (
            Assign(VarPlace(), Read(VarPlace(source, kind)))
            | Declare(init=Read(VarPlace(source, kind)))
        ) if not any(_sets(x, source) for x in s.body[at:]):
            pass
        case _:
            return "", BOOL
    for k in range(at - 1, -1, -1):
        x = s.body[k]
        if isinstance(x, Declare) and x.name == source:
            inner, inner_kind = _copied(s, k)
            return (inner, inner_kind) if inner else (source, kind)
    return source, kind


def _sets(s: Stmt, name: str) -> bool:
    return name in assigned_names((s,))


def _with_buffer(s: Region, name: str) -> Region | None:
    """A region whose own variable lies in a lane buffer; it has to be one that is assigned, since
    others can be declared in several regions."""
    if name not in assigned_names(s.body):
        return None
    out: list[Stmt] = []
    found = False
    for x in s.body:
        if isinstance(x, Declare) and x.name == name:
            found = True
            if x.init is not None:
                out.append(Assign(VarPlace(name, x.type), x.init, span=x.span, note=x.note))
        else:
            out.append(x)
    return replace(s, body=tuple(out)) if found else None
