"""Vector operations for expressions: which the 910B has, and exact compositions for the others.

Every composition here gives the same bits as the scalar operation for all inputs of its type; where
none is known the caller gets :class:`NotVector` and puts the expression on the scalar unit.
Data types of each instruction: vendor API reference, Add, Sub, Mul, Div, Max, Min, Compare,
Select, Cast and ShiftLeft/Right for Atlas A2.

* ``x - s``, ``s`` uniform: ``x + (-s)``, the same IEEE operation. ``s - x``: ``(-x) + s``.
* integers: 32-bit addition, subtraction and multiplication wrap, so signedness does not matter.
* ``a < b`` for integers: ``max(a, b) != a``. Unsigned: both sides shifted by 2**31 first.
* ``a ^ b``: ``(a | b) & ~(a & b)``.
* bfloat16: each operation in f32, rounded back. Innocuous double rounding: f32 has more than twice
  bfloat16's digits plus two.
* 8-bit integers convert through half, which holds each of them; 32 to 8 bits drops the high bits by
  shifts first.
"""

from __future__ import annotations

from collections.abc import Callable

from migrate.ir.expr import BinaryOp, Cast, Const, Expr, Unary, UnaryOp
from migrate.ir.tile import (
    Choose,
    Compare,
    Map,
    MapOp,
    Operand,
    TileRef,
    TileStmt,
)
from migrate.ir.types import BF16, BOOL, F16, F32, I8, I16, I32, U8, U32, Kind, Scalar
from migrate.lifting.tile_buffers import Buffers, NotVector

_ARITHMETIC = {
    BinaryOp.ADD: MapOp.ADD,
    BinaryOp.SUB: MapOp.SUB,
    BinaryOp.MUL: MapOp.MUL,
    BinaryOp.DIV: MapOp.DIV,
}
_BITS = {BinaryOp.AND: MapOp.AND, BinaryOp.OR: MapOp.OR, BinaryOp.XOR: MapOp.XOR}
_SWAPPED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.EQ: BinaryOp.EQ,
    BinaryOp.NE: BinaryOp.NE,
}
_WORDS = frozenset({Kind.I32, Kind.U32})
_NATIVE_FLOATS = frozenset({Kind.F16, Kind.F32})

Emit = Callable[[TileStmt], None]


def negated(e: Expr) -> Expr:
    """``-e`` as a uniform value, folded for a literal."""
    if isinstance(e, Const) and isinstance(e.value, float):
        return Const(-e.value, e.type)
    if isinstance(e, Const) and e.type == I32 and e.value not in (0, -(1 << 31)):
        return Const(-e.value, e.type)
    return Unary(UnaryOp.NEG, e)


class Selector:
    """Emits tile statements for single operations on operands that are already at hand.

    Operands that are temporaries are consumed. Each method returns the tile with the result, which
    is ``into`` when that is given.
    """

    def __init__(self, buffers: Buffers, emit: Emit) -> None:
        self.buffers = buffers
        self.emit = emit

    # --- building blocks

    def op(self, op: MapOp, kind: Scalar, *args: Operand, into: TileRef | None = None) -> TileRef:
        """One map operation."""
        self.buffers.release(*args)
        dst = self.buffers.temp(kind) if into is None else into
        self.emit(Map(dst, op, args))
        return dst

    def spread(self, e: Expr, into: TileRef | None = None) -> TileRef:
        """A uniform value in every lane."""
        kind = e.type
        if not isinstance(kind, Scalar) or kind.bits > 32 or kind.bits == 8:
            raise NotVector(f"a {kind} cannot be spread over lanes")
        if kind == BOOL:
            one = self.spread(Cast(e, F32))
            return self.compare(BinaryOp.NE, one, Const(0.0, F32), into)
        return self.op(MapOp.FILL, kind, e, into=into)

    def tile(self, x: Operand) -> TileRef:
        """The operand as a tile."""
        return x if isinstance(x, TileRef) else self.spread(x)

    def copy(self, src: TileRef, into: TileRef) -> TileRef:
        """The same bits in another tile."""
        return src if src == into else self.op(MapOp.COPY, src.type, src, into=into)

    # --- arithmetic

    def binary(self, op: BinaryOp, a: Operand, b: Operand, into: TileRef | None) -> TileRef:
        """``a op b`` where both have one type and at least one is a tile."""
        kind = a.type
        if not isinstance(kind, Scalar):
            raise NotVector(f"{op.value} of a {kind}")
        if kind == BF16:
            return self._bf16(op, a, b, into)
        if op in _ARITHMETIC and kind.kind in _NATIVE_FLOATS:
            return self._arithmetic(_ARITHMETIC[op], kind, a, b, into)
        if kind.kind in _WORDS:
            if op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL):
                return self._arithmetic(_ARITHMETIC[op], kind, a, b, into)
            if op in _BITS:
                return self._bits(_BITS[op], kind, self.tile(a), self.tile(b), into)
        if op in _BITS and kind == BOOL:
            return self._bits(_BITS[op], kind, self.tile(a), self.tile(b), into)
        raise NotVector(f"{kind} {op.value} has no vector instruction")

    def _arithmetic(
        self, op: MapOp, kind: Scalar, a: Operand, b: Operand, into: TileRef | None
    ) -> TileRef:
        if isinstance(a, TileRef) and isinstance(b, TileRef):
            return self.op(op, kind, a, b, into=into)
        if op is MapOp.DIV:
            return self.op(op, kind, self.tile(a), self.tile(b), into=into)
        if isinstance(a, TileRef):
            if op is MapOp.SUB:
                if isinstance(b, TileRef):
                    raise TypeError("handled above")
                return self.op(MapOp.ADD, kind, a, negated(b), into=into)
            return self.op(op, kind, a, b, into=into)
        if not isinstance(b, TileRef):
            raise NotVector("both operands are uniform")
        if op is MapOp.SUB:
            minus = self.op(MapOp.MUL, kind, b, _one(kind, -1))
            return self.op(MapOp.ADD, kind, minus, a, into=into)
        return self.op(op, kind, b, a, into=into)

    def _bits(
        self, op: MapOp, kind: Scalar, a: TileRef, b: TileRef, into: TileRef | None
    ) -> TileRef:
        if op is not MapOp.XOR:
            return self.op(op, kind, a, b, into=into)
        both = self.buffers.temp(kind)
        self.emit(Map(both, MapOp.AND, (a, b)))
        any_ = self.op(MapOp.OR, kind, a, b)
        neither = self.op(MapOp.NOT, kind, both)
        return self.op(MapOp.AND, kind, any_, neither, into=into)

    def _bf16(self, op: BinaryOp, a: Operand, b: Operand, into: TileRef | None) -> TileRef:
        wide = [self.convert(x, F32) if isinstance(x, TileRef) else Cast(x, F32) for x in (a, b)]
        return self.convert(self.binary(op, wide[0], wide[1], None), BF16, into)

    def shift(self, left: bool, a: TileRef, amount: Expr, into: TileRef | None) -> TileRef:
        """Shift of 32-bit integers by a literal below 32."""
        known = isinstance(amount, Const) and 0 <= int(amount.value) < 32
        if a.type.kind not in _WORDS or not known:
            raise NotVector(f"shift of {a.type} by a value that is no literal below 32")
        return self.op(MapOp.SHL if left else MapOp.SHR, a.type, a, amount, into=into)

    def negate(self, a: TileRef, into: TileRef | None) -> TileRef:
        """``-a``."""
        if a.type.kind not in _NATIVE_FLOATS | _WORDS:
            raise NotVector(f"negation of {a.type}")
        return self.op(MapOp.MUL, a.type, a, _one(a.type, -1), into=into)

    def invert(self, a: TileRef, into: TileRef | None) -> TileRef:
        """``~a`` of 32-bit integers, ``!a`` of masks."""
        if a.type.kind not in _WORDS and a.type != BOOL:
            raise NotVector(f"~ of {a.type}")
        return self.op(MapOp.NOT, a.type, a, into=into)

    # --- comparison and choice

    def compare(self, op: BinaryOp, a: Operand, b: Operand, into: TileRef | None) -> TileRef:
        """``a op b`` as a mask."""
        if not isinstance(a, TileRef):
            if not isinstance(b, TileRef):
                raise NotVector("both operands are uniform")
            return self.compare(_SWAPPED[op], b, a, into)
        if a.type.kind in _NATIVE_FLOATS:
            return self._compare(op, a, b, into)
        if a.type == BF16:
            wide = self.convert(b, F32) if isinstance(b, TileRef) else Cast(b, F32)
            return self._compare(op, self.convert(a, F32), wide, into)
        if a.type.kind not in _WORDS:
            raise NotVector(f"comparison of {a.type}")
        if a.type == U32 and op not in (BinaryOp.EQ, BinaryOp.NE):
            a, b = self._signed_order(a), self._signed_order(self.tile(b))
        if a.type == U32:
            a = TileRef(a.name, I32)
            b = TileRef(b.name, I32) if isinstance(b, TileRef) else Cast(b, I32)
        return self._compare_words(op, a, b, into)

    def _signed_order(self, a: TileRef) -> TileRef:
        bits = TileRef(a.name, I32)
        dst = self.buffers.temp(I32)
        self.emit(Map(dst, MapOp.ADD, (bits, Const(-(1 << 31), I32))))
        self.buffers.release(a)
        return dst

    def _compare_words(self, op: BinaryOp, a: TileRef, b: Operand, into: TileRef | None) -> TileRef:
        if op is BinaryOp.EQ:
            return self._compare(op, a, b, into)
        if op is BinaryOp.NE:
            return self.invert(self._compare(BinaryOp.EQ, a, b, None), into)
        # a < b: max(a, b) != a;  a >= b: max(a, b) == a;  a > b: min != a;  a <= b: min == a
        extreme = MapOp.MAX if op in (BinaryOp.LT, BinaryOp.GE) else MapOp.MIN
        top = self.buffers.temp(I32)
        self.emit(Map(top, extreme, (a, b)))
        self.buffers.release(b)
        if op in (BinaryOp.GE, BinaryOp.LE):
            return self._compare(BinaryOp.EQ, top, a, into)
        return self.invert(self._compare(BinaryOp.EQ, top, a, None), into)

    def _compare(self, op: BinaryOp, a: TileRef, b: Operand, into: TileRef | None) -> TileRef:
        mask = self.buffers.temp(BOOL) if into is None else into
        self.emit(Compare(mask, op, a, b))
        self.buffers.release(a, b)
        return mask

    def choose(self, mask: TileRef, then: Operand, other: Operand, into: TileRef | None) -> TileRef:
        """``mask ? then : other``. The instruction moves bits of 16 or 32; 8 go through half."""
        kind = then.type
        if not isinstance(kind, Scalar) or kind.bits > 32:
            raise NotVector(f"choice between {kind}")
        if kind == BOOL:
            return self._choose_mask(mask, self.tile(then), self.tile(other), into)
        if kind.bits == 8:
            halves = [
                self.convert(x, F16) if isinstance(x, TileRef) else self.spread(Cast(x, F16))
                for x in (then, other)
            ]
            return self.convert(self.choose(mask, halves[0], halves[1], None), kind, into)
        dst = self.buffers.temp(kind) if into is None else into
        self.emit(Choose(dst, mask, self.tile(then), self.tile(other)))
        self.buffers.release(mask, then, other)
        return dst

    def _choose_mask(
        self, mask: TileRef, then: TileRef, other: TileRef, into: TileRef | None
    ) -> TileRef:
        left = self.buffers.temp(BOOL)
        self.emit(Map(left, MapOp.AND, (mask, then)))
        rest = self.buffers.temp(BOOL)
        self.emit(Map(rest, MapOp.NOT, (mask,)))
        self.emit(Map(rest, MapOp.AND, (rest, other)))
        self.buffers.release(mask, then, other)
        return self.op(MapOp.OR, BOOL, left, rest, into=into)

    # --- conversion

    def convert(self, a: TileRef, to: Scalar, into: TileRef | None = None) -> TileRef:
        """The value of ``a`` as ``to``, by C's rules."""
        if a.type == to:
            return a if into is None else self.copy(a, into)
        if a.type.kind in _WORDS and to.kind in _WORDS:
            view = TileRef(a.name, to)
            return view if into is None else self.copy(view, into)
        if to == BOOL:
            zero = Const(0.0, a.type) if a.type.is_float else Const(0, a.type)
            return self.compare(BinaryOp.NE, a, zero, into)
        if a.type == BOOL:
            if to.kind not in _WORDS | _NATIVE_FLOATS:
                raise NotVector(f"bool as {to}")
            return self.choose(a, _one(to, 1), _one(to, 0), into)
        path = _PATHS.get((a.type.kind, to.kind))
        if path is None:
            raise NotVector(f"conversion of {a.type} to {to} has no exact vector form")
        for step in path[:-1]:
            a = self._step(a, step, None)
        return self._step(a, path[-1], into)

    def _step(self, a: TileRef, step: Scalar | tuple[MapOp, int], into: TileRef | None) -> TileRef:
        if isinstance(step, tuple):
            op, amount = step
            return self.op(op, a.type, a, Const(amount, a.type), into=into)
        if a.type.kind in _WORDS and step.kind in _WORDS:
            return TileRef(a.name, step)
        dst = self.buffers.temp(step) if into is None else into
        self.emit(Map(dst, MapOp.CONVERT, (a,)))
        self.buffers.release(a)
        return dst


def _one(kind: Scalar, value: int) -> Const:
    return (
        Const(float(value), kind)
        if kind.is_float
        else Const(value % (1 << 32), kind)
        if (kind == U32)
        else Const(value, kind)
    )


_Step = Scalar | tuple[MapOp, int]
_LOW8: tuple[_Step, ...] = ((MapOp.SHL, 24), I32, (MapOp.SHR, 24), F32, F16, I8)
_LOW8U: tuple[_Step, ...] = ((MapOp.SHL, 24), U32, (MapOp.SHR, 24), I32, F32, F16, U8)
_LOW16: tuple[_Step, ...] = ((MapOp.SHL, 16), I32, (MapOp.SHR, 16), I16)
_PATHS: dict[tuple[Kind, Kind], tuple[_Step, ...]] = {
    (Kind.F16, Kind.F32): (F32,),
    (Kind.F32, Kind.F16): (F16,),
    (Kind.BF16, Kind.F32): (F32,),
    (Kind.F32, Kind.BF16): (BF16,),
    (Kind.I32, Kind.F32): (F32,),
    (Kind.F32, Kind.I32): (I32,),
    (Kind.F16, Kind.I32): (I32,),
    (Kind.I8, Kind.F16): (F16,),
    (Kind.U8, Kind.F16): (F16,),
    (Kind.I8, Kind.F32): (F16, F32),
    (Kind.U8, Kind.F32): (F16, F32),
    (Kind.I8, Kind.I32): (F16, I32),
    (Kind.U8, Kind.I32): (F16, I32),
    (Kind.I8, Kind.U32): (F16, I32, U32),
    (Kind.U8, Kind.U32): (F16, I32, U32),
    (Kind.F16, Kind.I8): (I8,),
    (Kind.F16, Kind.U8): (U8,),
    (Kind.I16, Kind.F32): (F32,),
    (Kind.I16, Kind.I32): (F32, I32),
    (Kind.I32, Kind.I8): _LOW8,
    (Kind.U32, Kind.I8): _LOW8,
    (Kind.I32, Kind.U8): _LOW8U,
    (Kind.U32, Kind.U8): _LOW8U,
    (Kind.F32, Kind.I8): (I32, *_LOW8),
    (Kind.F32, Kind.U8): (I32, *_LOW8U),
    (Kind.F32, Kind.I16): (I32, *_LOW16),
    (Kind.I32, Kind.I16): _LOW16,
    (Kind.U32, Kind.I16): _LOW16,
}
"""Steps of a conversion: an instruction's target type, or a shift; 32-bit steps reread the bits.

F32 to I32 truncates and saturates, as CUDA does. F16 to an 8-bit integer occurs only as the last
step of a path or of a choice, where the value is an integer in range. (A cast of a half to an 8-bit
integer in the source goes through :func:`source_conversion`.)
"""


def source_conversion(a: Kind, b: Kind) -> bool:
    """True when a conversion that stands in the source may take its path.

    Half to 8 bits rounds, where C truncates, so that path is only for values known to be integers.
    """
    return (a, b) not in {(Kind.F16, Kind.I8), (Kind.F16, Kind.U8)}
