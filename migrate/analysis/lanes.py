"""How values depend on the lane: not at all, linearly, or in any way.

Works on statements in which the lane's number is the variable :data:`migrate.ir.tile.LANE` (see
:mod:`migrate.lifting.tile_axis`). Facts are per variable and hold at each of its uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from typing_extensions import assert_never

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
    FieldPlace,
    IndexVar,
    Invoke,
    NullPtr,
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    Text,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Break,
    CallStmt,
    Collective,
    Continue,
    Declare,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.simt import DoWhile as DoWhileStmt
from migrate.ir.tile import LANE
from migrate.ir.types import Pointer, Scalar
from migrate.ir.walk import children, sub_bodies, walk_stmts


class Kind(Enum):
    """Equal for all lanes; a constant multiple of the lane plus something uniform; anything."""

    UNIFORM = 0
    AFFINE = 1
    VARYING = 2


@dataclass(frozen=True, slots=True)
class Dependence:
    """How a value depends on the lane. ``step`` is its growth from one lane to the next.

    For ``UNIFORM`` the step is 0; for ``AFFINE`` a constant or a uniform expression; for
    ``VARYING`` it is ``None``. Steps are meant modulo the width of the value's type: C's unsigned
    arithmetic wraps, and signed arithmetic that would wrap is undefined.
    """

    kind: Kind
    step: int | Expr | None


UNIFORM = Dependence(Kind.UNIFORM, 0)
VARYING = Dependence(Kind.VARYING, None)


def affine(step: int | Expr) -> Dependence:
    """A value that grows by ``step`` a lane."""
    return UNIFORM if step == 0 else Dependence(Kind.AFFINE, step)


Facts = Mapping[str, Dependence]
"""Dependence of each local variable; names that are missing are parameters or globals: uniform."""


def _add(a: int | Expr, b: int | Expr, op: BinaryOp, kind: Scalar) -> int | Expr:
    if isinstance(a, int) and isinstance(b, int):
        return a + b if op is BinaryOp.ADD else a - b
    if b == 0:
        return a
    if a == 0 and op is BinaryOp.ADD:
        return b
    return Binary(op, _as_expr(a, kind), _as_expr(b, kind))


def _as_expr(step: int | Expr, kind: Scalar) -> Expr:
    if not isinstance(step, int):
        return step
    return Const(step % (1 << kind.bits) if not kind.is_signed else step, kind)


def _times(step: int | Expr, factor: Expr, kind: Scalar) -> int | Expr:
    if isinstance(factor, Const) and isinstance(step, int) and isinstance(factor.value, int):
        return step * int(factor.value)
    if step == 1:
        return factor
    return Binary(BinaryOp.MUL, _as_expr(step, kind), factor)


def dependence(e: Expr, facts: Facts) -> Dependence:
    """How ``e`` depends on the lane.

    Loads from one address for all lanes are uniform: lanes could only see different values there
    if another thread wrote it at the same time, which CUDA leaves undefined.
    """
    match e:
        case Read(VarPlace(name)):
            return affine(1) if name == LANE else facts.get(name, UNIFORM)
        case Binary(BinaryOp.ADD | BinaryOp.SUB as op, lhs, rhs) if _integer(e):
            a, b = dependence(lhs, facts), dependence(rhs, facts)
            if a.step is None or b.step is None:
                return VARYING
            return affine(_add(a.step, b.step, op, _scalar(e)))
        case Binary(BinaryOp.MUL, lhs, rhs) if _integer(e):
            a, b = dependence(lhs, facts), dependence(rhs, facts)
            if a.kind is Kind.UNIFORM and b.step is not None:
                return affine(_times(b.step, lhs, _scalar(e)) if b.step != 0 else 0)
            if b.kind is Kind.UNIFORM and a.step is not None:
                return affine(_times(a.step, rhs, _scalar(e)) if a.step != 0 else 0)
            return VARYING
        case Binary(BinaryOp.SHL, lhs, Const(int(amount))) if _integer(e) and 0 <= amount < 31:
            a = dependence(lhs, facts)
            if isinstance(a.step, int):
                return affine(a.step << amount)
            return VARYING
        case Unary(UnaryOp.NEG, operand) if _integer(e):
            a = dependence(operand, facts)
            return affine(-a.step) if isinstance(a.step, int) else VARYING
        case Cast(operand, Scalar() as kind) if kind.is_integer and kind.bits >= 32:
            a = dependence(operand, facts)
            inner = operand.type
            wide = isinstance(inner, Scalar) and inner.is_integer and inner.bits >= 32
            if a.kind is Kind.AFFINE and not (wide and isinstance(a.step, int)):
                return affine(Cast(a.step, kind)) if wide and isinstance(a.step, Expr) else VARYING
            return a
        case _:
            return UNIFORM if is_uniform(e, facts) else VARYING


def _integer(e: Expr) -> bool:
    return isinstance(e.type, Scalar) and e.type.is_integer


def _scalar(e: Expr) -> Scalar:
    if not isinstance(e.type, Scalar):
        raise TypeError(f"a {e.type} is no number")
    return e.type


def is_uniform(e: Expr, facts: Facts) -> bool:
    """True when all lanes compute the same value."""
    match e:
        case Const() | NullPtr() | Text() | IndexVar():
            return True
        case Read(place):
            return _uniform_place(place, facts, whole=False)
        case AddressOf(place):
            return _uniform_place(place, facts, whole=True)
        case Unary() | Binary() | Select() | Cast() | Bitcast() | Call() | Invoke():
            return all(is_uniform(c, facts) for c in children(e))
        case PtrAdd() | PtrDiff() | Compose() | Extract():
            return all(is_uniform(c, facts) for c in children(e))
        case _:
            assert_never(e)


def _uniform_place(p: Place, facts: Facts, *, whole: bool) -> bool:
    match p:
        case VarPlace(name):
            if whole and name in facts:
                return False  # the address of a local is another one for each thread
            return name != LANE and facts.get(name, UNIFORM).kind is Kind.UNIFORM
        case PtrElem(pointer, index):
            return is_uniform(pointer, facts) and is_uniform(index, facts)
        case ArrElem(base, index):
            return _uniform_place(base, facts, whole=whole) and is_uniform(index, facts)
        case FieldPlace(base):
            return _uniform_place(base, facts, whole=whole)
        case _:
            assert_never(p)


class _Solver:
    """Raises facts until they hold. Variables start uniform and only move upwards."""

    def __init__(self, stmts: tuple[Stmt, ...]) -> None:
        self.facts: dict[str, Dependence] = {}
        self._depth: dict[str, tuple[int, ...]] = {}
        self._changed = False
        self._stmts = stmts

    def run(self) -> Facts:
        for s in walk_stmts(self._stmts):
            match s:
                case Declare(name, kind):
                    # Arrays and structs of one thread live on the scalar unit.
                    plain = isinstance(kind, Scalar | Pointer)
                    self.facts[name] = UNIFORM if plain else VARYING
                case CallStmt(result=str(r)) | Collective(result=str(r)) | Atomic(result=str(r)):
                    self.facts[r] = VARYING
                case _:
                    pass
        while True:
            self._changed = False
            self._body(self._stmts, ())
            if not self._changed:
                return self.facts

    def _raise(self, name: str, to: Dependence) -> None:
        if name in self.facts and self.facts[name] != to:
            self.facts[name] = to
            self._changed = True

    def _assign(self, name: str, value: Expr, control: tuple[int, ...], first: bool) -> None:
        declared = self._depth.get(name, ())
        if control[: len(declared)] != declared or len(control) > len(declared):
            self._raise(name, VARYING)
            return
        got = dependence(value, self.facts)
        if got.kind is Kind.AFFINE and not isinstance(got.step, int):
            got = VARYING
        now = self.facts.get(name, UNIFORM)
        if now == UNIFORM and got.kind is Kind.AFFINE and first:
            self.facts[name] = got
            self._changed = True
        elif now.kind is not got.kind or now != got:
            self._raise(name, VARYING)

    def _body(self, stmts: tuple[Stmt, ...], control: tuple[int, ...]) -> None:
        for s in stmts:
            self._stmt(s, control)

    def _stmt(self, s: Stmt, control: tuple[int, ...]) -> None:
        match s:
            case Declare(name, _, init):
                self._depth[name] = control
                if init is not None:
                    self._assign(name, init, control, True)
            case Assign(VarPlace(name), value):
                self._assign(name, value, control, False)
            case Assign(place) if isinstance(place, ArrElem | FieldPlace):
                pass
            case Asm(_, outputs):
                for p in outputs:
                    if isinstance(p, VarPlace):
                        self._raise(p.name, VARYING)
            case If(cond, then, other):
                inside = control if is_uniform(cond, self.facts) else (*control, id(s))
                self._body(then, inside)
                self._body(other, inside)
            case Switch(value, cases):
                inside = control if is_uniform(value, self.facts) else (*control, id(s))
                for c in cases:
                    self._body(c.body, inside)
            case For(init, cond, step, body):
                free = is_uniform(cond, self.facts) and not leaves_early(body, self.facts)
                inside = control if free else (*control, id(s))
                self._body(init, inside)
                self._body(body, inside)
                self._body(step, inside)
            case While(cond, body) | DoWhileStmt(body, cond):
                free = is_uniform(cond, self.facts) and not leaves_early(body, self.facts)
                self._body(body, control if free else (*control, id(s)))
            case _:
                pass


def leaves_early(body: tuple[Stmt, ...], facts: Facts, varying: bool = False) -> bool:
    """True when some lanes break out of, or skip the rest of, the loop with this body."""
    for s in body:
        match s:
            case Break() | Continue():
                if varying:
                    return True
            case If(cond):
                inner = varying or not is_uniform(cond, facts)
                if any(leaves_early(b, facts, inner) for b in sub_bodies(s)):
                    return True
            case Switch(value):
                # A break here leaves the switch; a continue goes on with the loop.
                inner = varying or not is_uniform(value, facts)
                if inner and any(isinstance(x, Continue) for x in walk_stmts((s,))):
                    return True
            case _:
                pass
    return False


def lane_facts(stmts: tuple[Stmt, ...]) -> Facts:
    """The dependence of every local declared in ``stmts``.

    A variable that some lanes assign and others do not is varying, unless it is declared under the
    same condition. One with different steps in different places is varying.
    """
    return _Solver(stmts).run()
