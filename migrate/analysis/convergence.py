"""Which threads of a block agree on a value or a branch: all of them, those of a warp, or none.

A level says that all threads *that get to a point together* have the same value there. Three
things make it finer than :mod:`migrate.analysis.uniformity`:

* the level WARP between block and thread: ``threadIdx.x / 32``, ``threadIdx.x < 64``;
* memory read at an index that all threads agree on is agreed on, written or not: a block that is
  free of races has one value there from one barrier to the next;
* a variable is as divergent as the control *between its declaration and an assignment*, not as
  what stands around both.

WARP levels rest on a condition on the launch, :func:`whole_warps`: each row of the block is made of
whole warps, or there is just one row. ``threadIdx.y`` and ``.z`` are then the same for a warp. The
global index ``blockIdx.x * blockDim.x + threadIdx.x`` counts warps when rows are whole (``rows``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Kernel
from migrate.ir.lanes import WARP
from migrate.ir.simt import Atomic, Break, Collective, Continue, Declare, For, If, Stmt, While
from migrate.ir.types import U32, Scalar, Space
from migrate.ir.walk import (
    assigned_names,
    children,
    root,
    stmt_exprs,
    stmt_places,
    sub_bodies,
    walk_stmts,
)


class Level(IntEnum):
    """How many threads share a value; the larger number wins in a mix."""

    BLOCK = 0
    WARP = 1
    THREAD = 2


@dataclass(frozen=True, slots=True)
class Convergence:
    """Levels of the variables of a kernel in normal form; ``values`` of those with just one value,
    ``rows`` says whether each row of the block is whole warps."""

    variables: Mapping[str, Level]
    values: Mapping[str, Expr]
    rows: bool = False

    def of(self, e: Expr) -> Level:
        """The level of an expression."""
        match e:
            case IndexVar(Builtin.THREAD, axis):
                return Level.THREAD if axis == "x" else Level.WARP
            case Binary(op, lhs, Const(bound)) if _by_warps(op, bound) and self._counts(lhs):
                return Level.WARP
            case _:
                worst = max(map(self.of, children(e)), default=Level.BLOCK)
                base = root(e.place) if isinstance(e, Read) else None
                if isinstance(base, VarPlace):
                    return max(worst, self.variables.get(base.name, Level.BLOCK))
                return worst

    def _counts(self, e: Expr) -> bool:
        """Whether ``e`` counts the threads of a row, of the block, or of a row of the grid."""
        e = resolved(e, self.values)
        if e == IndexVar(Builtin.THREAD, "x"):
            return True
        terms = sorted(_summands(e, self.values))
        # In one plane of the block rows are whole warps, or there is one row: whole_warps.
        return terms in (_LINEAR, _PLANE) or (self.rows and terms == _GLOBAL)

    def of_loop(self, s: For | While) -> Level:
        """Over which threads the number of rounds is the same, early exits included."""
        return max([self.of(s.cond), *(self.of(c) for c in exits(s.body))])


def convergence(kernel: Kernel, rows: bool = False) -> Convergence:
    """Levels by a fixed point that starts with everything shared; ``rows`` of whole warps."""
    assigned = assigned_names(kernel.body)
    shared = frozenset(
        s.name
        for s in walk_stmts(kernel.body)
        if isinstance(s, Declare) and s.space is Space.SHARED
    )
    values = {
        s.name: s.init
        for s in walk_stmts(kernel.body)
        if isinstance(s, Declare) and s.init is not None and s.name not in assigned
    }
    levels: dict[str, Level] = {}
    while True:
        before = dict(levels)
        facts = Convergence(levels, values, rows)
        _Walk(levels, facts, shared).visit(kernel.body, (Level.BLOCK,), {})
        if levels == before:
            return facts


def whole_warps(rows: bool) -> Expr:
    """The condition on the launch that WARP levels rest on."""
    x, y, z = (IndexVar(Builtin.BLOCK_DIM, a) for a in "xyz")
    whole = Binary(BinaryOp.EQ, Binary(BinaryOp.REM, x, Const(WARP, U32)), Const(0, U32))
    if rows:
        return whole
    single = Binary(BinaryOp.EQ, Binary(BinaryOp.MUL, y, z), Const(1, U32))
    return Binary(BinaryOp.LOR, single, whole)


def exits(body: tuple[Stmt, ...]) -> Iterator[Expr]:
    """Conditions of the branches of a loop's body in which a round ends early."""
    for s in body:
        if isinstance(s, If):
            if _leaves(s.then) or _leaves(s.other):
                yield s.cond
            yield from exits(s.then)
            yield from exits(s.other)


def _leaves(body: tuple[Stmt, ...]) -> bool:
    for s in body:
        if isinstance(s, Break | Continue):
            return True
        if isinstance(s, If) and (_leaves(s.then) or _leaves(s.other)):
            return True
    return False


@dataclass(slots=True)
class _Walk:
    levels: dict[str, Level]
    facts: Convergence
    shared: frozenset[str]

    def visit(
        self, stmts: tuple[Stmt, ...], control: tuple[Level, ...], declared: dict[str, int]
    ) -> None:
        """``control``: the levels of the branches and loops around; ``declared``: how many of them
        stood around each variable's declaration."""
        for s in stmts:
            self._names(s, control, declared)
            inner = control
            match s:
                case If(cond):
                    inner = (*control, self._of(cond))
                case For(init, cond, _, body):
                    self.visit(init, control, declared)
                    inner = (*control, max([self._of(cond), *map(self._of, exits(body))]))
                case While(cond, body):
                    inner = (*control, max([self._of(cond), *map(self._of, exits(body))]))
                case _:
                    pass
            for part in sub_bodies(s):
                if not (isinstance(s, For) and part is s.init):
                    self.visit(part, inner, declared)

    def _names(self, s: Stmt, control: tuple[Level, ...], declared: dict[str, int]) -> None:
        match s:
            case Declare(name=name):
                declared[name] = len(control)
                self._raise(name, max(map(self._of, stmt_exprs(s)), default=Level.BLOCK))
            case Collective(op, args, result):
                declared[result] = len(control)
                self._raise(result, self._exchanged(op, args))
            case Atomic(result=str(result)):
                declared[result] = len(control)
                self._raise(result, Level.THREAD)
            case _:
                pass
        for p in stmt_places(s):
            base = root(p)
            if isinstance(base, VarPlace) and base.name not in self.shared:
                between = control[declared.get(base.name, 0) :]
                parts = [self._of(e) for e in stmt_exprs(s)]
                if isinstance(p, ArrElem):
                    parts.append(self._of(p.index))
                self._raise(base.name, max([*between, *parts], default=Level.BLOCK))

    def _of(self, e: Expr) -> Level:
        return self.facts.of(e)

    def _raise(self, name: str, level: Level) -> None:
        self.levels[name] = max(level, self.levels.get(name, Level.BLOCK))

    def _exchanged(self, op: str, args: tuple[Expr, ...]) -> Level:
        if op.startswith("syncthreads"):
            return Level.BLOCK
        if op in ("ballot", "any", "all", "activemask") or op.startswith("reduce"):
            return Level.WARP
        if op == "shfl" and isinstance(args[3], Const) and args[3].value == WARP:
            return max(Level.WARP, self._of(args[2]))
        return Level.THREAD


def _by_warps(op: BinaryOp, bound: float | bool) -> bool:
    """Whether an operator with a constant gives all numbers of a warp the same result."""
    match op:
        case BinaryOp.DIV | BinaryOp.LT | BinaryOp.GE:
            return bound > 0 and bound % WARP == 0
        case BinaryOp.LE | BinaryOp.GT:
            return bound >= 0 and (bound + 1) % WARP == 0
        case BinaryOp.SHR:
            return bound >= 5
        case _:
            return False


_LINEAR = sorted(["x", "y*X", "z*X*Y"])
_PLANE = sorted(["x", "y*X"])
_GLOBAL = sorted(["x", "b*X"])


def _summands(e: Expr, values: Mapping[str, Expr]) -> list[str]:
    """A sum of products of built-ins, each as the sorted names of its factors."""
    e = resolved(e, values)
    match e:
        case Binary(BinaryOp.ADD, lhs, rhs):
            return [*_summands(lhs, values), *_summands(rhs, values)]
        case Binary(BinaryOp.MUL, lhs, rhs):
            return [
                "*".join(sorted([*a.split("*"), *b.split("*")], key=lambda n: (n.isupper(), n)))
                for a in _summands(lhs, values)
                for b in _summands(rhs, values)
            ]
        case IndexVar(Builtin.THREAD, axis):
            return [axis]
        case IndexVar(Builtin.BLOCK_DIM, axis):
            return [axis.upper()]
        case IndexVar(Builtin.BLOCK, "x"):
            return ["b"]
        case _:
            return ["?"]


def resolved(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """Through variables with one value, and casts between integers of 32 bits and more."""
    while True:
        match e:
            case Read(VarPlace(name)) if name in values:
                e = values[name]
            case Cast(operand, Scalar() as kind) if _wide(kind) and _wide(operand.type):
                e = operand
            case _:
                return e


def _wide(kind: object) -> bool:
    return isinstance(kind, Scalar) and kind.is_integer and kind.bits >= 32
