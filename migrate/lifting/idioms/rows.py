"""What lane programs are asked by more than one idiom: locals of a region, values of the block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from migrate.ir.expr import Builtin, Expr, IndexVar, PtrElem, Read, VarPlace
from migrate.ir.lanes import LaneKernel, Region
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import Scalar
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    stmt_places,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.fold import fold_expr


def fixed_locals(body: tuple[Stmt, ...]) -> dict[str, Expr]:
    """Variables of a region's outermost level that are given a value once, with that value."""
    changed = assigned_names(body)
    return {
        s.name: s.init
        for s in body
        if isinstance(s, Declare) and s.init is not None and s.name not in changed
    }


def written_out(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """An expression with variables replaced by their values, over and over, and folded."""

    def rule(x: Expr) -> Expr | None:
        match x:
            case Read(VarPlace(name)) if name in values:
                return written_out(values[name], values)
            case _:
                return fold_expr(x)

    return Rewriter(expr=rule).expr(e)


def at_thread(e: Expr, thread: Expr) -> Expr:
    """An expression with ``threadIdx.x`` replaced, and folded."""

    def rule(x: Expr) -> Expr | None:
        if isinstance(x, IndexVar) and x.builtin is Builtin.THREAD:
            return thread
        return fold_expr(x)

    return Rewriter(expr=rule).expr(e)


@dataclass(frozen=True, slots=True)
class BlockNames:
    """The names of a program that mean the same in all lanes: scalar parameters and variables."""

    names: frozenset[str]

    def agrees(self, e: Expr) -> bool:
        """Whether a value is made of those, constants and the block's indices, without memory."""
        return self.fixed(e) and not any(_is_thread(x) for x in walk_expr(e))

    def fixed(self, e: Expr) -> bool:
        """The same, where ``threadIdx`` is allowed too."""
        return all(self._part(x) for x in walk_expr(e))

    def _part(self, x: Expr) -> bool:
        match x:
            case Read(VarPlace(name)):
                return name in self.names
            case Read():
                return False
            case _:
                return True


def _is_thread(x: Expr) -> bool:
    return isinstance(x, IndexVar) and x.builtin is Builtin.THREAD


def block_names(program: LaneKernel) -> BlockNames:
    """The names that all lanes of a block agree on."""
    params = {p.name for p in program.params if isinstance(p.type, Scalar)}
    return BlockNames(frozenset(params | {v.name for v in program.variables}))


def touches(s: Region, buffers: frozenset[str]) -> bool:
    """Whether a region reads or writes one of these buffers."""
    places = [p for x in walk_stmts(s.body) for p in stmt_places(x)]
    places += [e.place for e in all_exprs(s.body) if isinstance(e, Read)]
    return any(buffer_of(p) in buffers for p in places)


def buffer_of(p: object) -> str:
    """The parameter through which a place is reached, or nothing."""
    match p:
        case PtrElem(Read(VarPlace(name))):
            return name
        case _:
            return ""
