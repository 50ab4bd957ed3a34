"""Over which threads a value is the same: the whole grid, one block, or one thread only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from migrate.ir.expr import Builtin, Expr, IndexVar, Place, PtrElem, Read, VarPlace
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Declare, For, If, Stmt, While
from migrate.ir.types import Space
from migrate.ir.walk import (
    children,
    declared_name,
    root,
    stmt_exprs,
    stmt_places,
    sub_bodies,
    walk_stmts,
)


class Uniform(IntEnum):
    """How many threads share a value, from most to fewest; the larger number wins in a mix."""

    GRID = 0
    BLOCK = 1
    THREAD = 2


@dataclass(frozen=True, slots=True)
class Uniformity:
    """The level of every variable of a kernel; parameters are GRID."""

    variables: tuple[tuple[str, Uniform], ...]
    written: frozenset[str]

    def of(self, e: Expr) -> Uniform:
        """The level of an expression."""
        return _level(e, dict(self.variables), self.written)


def uniformity(kernel: Kernel) -> Uniformity:
    """Levels by a fixed point: a variable has the level of the worst value that it is given, and of
    the worst branch or loop in which that happens."""
    levels: dict[str, Uniform] = {p.name: Uniform.GRID for p in kernel.params}
    written = _written(kernel.body)
    while True:
        before = dict(levels)
        _visit(kernel.body, Uniform.GRID, levels, written)
        if levels == before:
            return Uniformity(tuple(sorted(levels.items())), written)


def _written(body: tuple[Stmt, ...]) -> frozenset[str]:
    found: set[str] = set()
    for s in walk_stmts(body):
        for p in stmt_places(s):
            base = root(p)
            if isinstance(base, PtrElem):
                found.add(_buffer(base))
    return frozenset(found)


def _visit(
    stmts: tuple[Stmt, ...],
    around: Uniform,
    levels: dict[str, Uniform],
    written: frozenset[str],
) -> None:
    for s in stmts:
        inner = around
        if isinstance(s, If | While | For):
            inner = max(around, _level(s.cond, levels, written))
        for p in stmt_places(s):
            base = root(p)
            if isinstance(base, VarPlace):
                values = [_level(e, levels, written) for e in stmt_exprs(s)]
                _raise(base.name, max([around, *values]), levels)
        name = declared_name(s)
        if name is not None:
            if isinstance(s, Declare):
                shared = s.space is Space.SHARED
                start = Uniform.BLOCK if shared else around
                values = [_level(e, levels, written) for e in stmt_exprs(s)]
                _raise(name, max([start, *values]), levels)
            else:
                _raise(name, Uniform.THREAD, levels)
        # A loop that some threads leave early goes on for the others alone.
        for body in sub_bodies(s):
            _visit(body, inner, levels, written)


def _raise(name: str, level: Uniform, levels: dict[str, Uniform]) -> None:
    levels[name] = max(level, levels.get(name, Uniform.GRID))


def _level(e: Expr, levels: Mapping[str, Uniform], written: frozenset[str]) -> Uniform:
    match e:
        case IndexVar(Builtin.THREAD):
            return Uniform.THREAD
        case IndexVar(Builtin.BLOCK):
            return Uniform.BLOCK
        case _:
            pass
    worst = max((_level(c, levels, written) for c in children(e)), default=Uniform.GRID)
    if isinstance(e, Read):
        base = root(e.place)
        if isinstance(base, VarPlace):
            return max(worst, levels.get(base.name, Uniform.GRID))
        name = _buffer(base)
        if name in written or "*" in written:
            return Uniform.THREAD
    return worst


def _buffer(p: Place) -> str:
    """The parameter through which a place is reached, ``*`` for anything else."""
    match p:
        case PtrElem(Read(VarPlace(name))):
            return name
        case _:
            return "*"
