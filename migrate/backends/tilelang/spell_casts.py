"""Conversions as TileLang Python: casts, bits of another type, unsigned values seen as signed."""

from __future__ import annotations

from migrate.analysis.float_range import saturating_call
from migrate.backends.tilelang.dtypes import value_type
from migrate.backends.tilelang.expression_facts import same_bits, scalar, small, wraps
from migrate.backends.tilelang.precedence import (
    ATOM,
    BIT_OR,
    COMPARE,
    OR,
    PRECEDENCE,
    SHIFT,
    UNARY,
    Part,
)
from migrate.backends.tilelang.spell_base import ROUND_BF16, SpellerBase
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import target as codes
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Bitcast,
    Cast,
    Const,
    Expr,
    IndexVar,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.types import I32, U32, Kind, Scalar

_MODULAR = frozenset(
    {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
)


class CastSpeller(SpellerBase):
    """Spells conversions."""

    def _unsigned_text(self, text: str, kind: Scalar) -> str:
        """A signed value seen as unsigned, by a helper that hides its bounds."""
        if kind.bits < 32:
            return self._cast_text(text, value_type(kind))
        return f"as_{value_type(kind)}({text})"

    def signed(self, e: Expr, level: int = OR) -> str:
        """A u32 expression as int32 with the same bits, where that reads better than a cast."""
        text, precedence = self._signed(e)
        return text if precedence >= level else f"({text})"

    def _signed(self, e: Expr) -> Part:
        found = self._global(e)
        if found is not None:
            return found, ATOM
        match e:
            case IndexVar():
                return self._index_var(e), ATOM
            case Const(value):
                whole = int(value) & 0xFFFFFFFF
                whole -= (1 << 32) if whole >> 31 else 0
                return str(whole), ATOM if whole >= 0 else UNARY
            case Cast(operand, Scalar() as kind) if kind == U32 and operand.type == I32:
                return self._part(operand)
            case Binary(op, lhs, rhs) if op in _MODULAR and not wraps(e, I32):
                level = PRECEDENCE[op]
                left = self._size(lhs) or self.signed(lhs, level)
                right = self._size(rhs) or self.signed(rhs, level + 1)
                return f"{left} {op.value} {right}", level
            case Binary(BinaryOp.DIV | BinaryOp.REM as op, lhs, rhs) if small(lhs) and small(rhs):
                name = "T.truncdiv" if op is BinaryOp.DIV else "T.truncmod"
                return f"{name}({self.signed(lhs)}, {self.signed(rhs)})", ATOM
            case Binary(BinaryOp.SHR, lhs, Const(value)) if small(lhs):
                return f"{self.signed(lhs, SHIFT)} >> {int(value)}", SHIFT
            case Read(VarPlace(name)) if name in self._arguments:
                return self.place(e.place), ATOM
            case Read(PtrElem()):
                return self.place(e.place), ATOM
            case _:
                return self._bits_text(self.text(e), "int32"), ATOM

    def _signed64(self, e: Expr) -> str:
        if isinstance(e, Const):
            value = int(e.value)
            return f"T.int64({value - (1 << 64) if value >> 63 else value})"
        return self._bits_text(self.text(e), "int64")

    def _cast(self, e: Cast) -> Part:
        target, source = scalar(e.type), scalar(e.operand.type)
        if target == source:
            return self._part(e.operand)
        saturating = saturating_call(e)
        if saturating is not None:
            return self._part(saturating)
        if target.kind is Kind.BOOL:
            zero = "0.0" if source.is_float else "0"
            if source.kind in (Kind.F16, Kind.F64):
                zero = f"T.{value_type(source)}(0.0)"
            return f"{self.text(e.operand, BIT_OR)} != {zero}", COMPARE
        if source == U32 and target == I32:
            return self._signed(e.operand)
        if source == U32 and small(e.operand) and target.bits == 64:
            return self._cast_text(self.signed(e.operand), value_type(target)), ATOM
        if source == U32 and small(e.operand) and target.kind in (Kind.F32, Kind.F64):
            return self._cast_text(self.signed(e.operand), value_type(target)), ATOM
        if target.kind is Kind.BF16:
            self.uses_bfloat16 = True
            return f"{ROUND_BF16}({self._to_float32(e.operand, source)})", ATOM
        if source.kind is Kind.BF16 and target.kind is Kind.F32:
            return self._part(e.operand)
        inner = self.typed(e.operand)
        if target == I32 and source.bits == 64 and not isinstance(e.operand, Read):
            if source.is_integer:
                narrowed = self._cast_text(inner, "uint32")
                return self._bits_text(narrowed, "int32"), ATOM
        return self._integer_cast(inner, e.operand, source, target), ATOM

    def _integer_cast(self, inner: str, e: Expr, source: Scalar, target: Scalar) -> str:
        """A cast whose bounds, as TileLang sees them, are right."""
        dtype = value_type(target)
        if not (source.is_integer and target.is_integer):
            return self._cast_text(inner, dtype)
        if source.is_signed and not target.is_signed and target.bits >= source.bits:
            if target.bits < 32 or isinstance(e, Const):
                return self._cast_text(inner, dtype)
            known = self.constant(e)
            if known is not None:
                # TileLang puts the number in the variable's place, and C has no address of one.
                whole = int(known.value) % (1 << target.bits)
                return self._const(Const(whole, target), plain=False)[0]
            same = "int32" if target.bits == 32 else "int64"
            widened = inner if value_type(source) == same else self._cast_text(inner, same)
            if self._changes(e):
                return self._unsigned_text(widened, target)
            return self._bits_text(widened, dtype)
        if target.bits == source.bits and target.bits >= 32:
            return self._bits_text(inner, dtype)
        if target.bits < min(source.bits, 32):
            return self._cut(inner, e, source, target)
        return self._cast_text(inner, dtype)

    def _cut(self, inner: str, e: Expr, source: Scalar, target: Scalar) -> str:
        """The low bits of a wider integer."""
        operand = self.text(e, ATOM)
        if not target.is_signed:
            mask = (1 << target.bits) - 1
            text = (
                f"{operand} & {mask}"
                if source == I32
                else (f"{operand} & T.{value_type(source)}({mask})")
            )
            return self._cast_text(text, value_type(target))
        if source.bits != 32:
            return self._cast_text(
                self._bits_text(self._cast_text(inner, "uint32"), "int32"), value_type(target)
            )
        if source == U32:
            operand = self._bits_text(self.text(e), "int32")
        shift = 32 - target.bits
        return self._cast_text(f"({operand} << {shift}) >> {shift}", value_type(target))

    def _to_float32(self, e: Expr, source: Scalar) -> str:
        if source.kind in (Kind.F32, Kind.BF16):
            return self.text(e)
        if source.kind in (Kind.F16, Kind.I8, Kind.U8, Kind.I16, Kind.U16):
            return self._cast_text(self.typed(e), "float32")
        raise Unspellable(
            codes.NO_INTRINSIC, f"a {source} is converted to bf16 in one rounding", e.span
        )

    def _bitcast(self, e: Bitcast) -> Part:
        target, source = scalar(e.type), scalar(e.operand.type)
        if target == source:
            return self._part(e.operand)
        if Kind.BF16 in (target.kind, source.kind):
            self.uses_bfloat16 = True
            if target.kind is Kind.BF16:
                text = self.text(e.operand)
                if source.kind is not Kind.I16:
                    text = self._cast_text(text, "int16")
                return f"bfloat16_value({text})", ATOM
            bits = f"bfloat16_bits({self.text(e.operand)})"
            return (
                bits if target.kind is Kind.I16 else self._cast_text(bits, value_type(target))
            ), ATOM
        if not target.is_float and not source.is_float:
            return self._cast(Cast(e.operand, e.type, span=e.span))
        if isinstance(e.operand, Const):
            return self._const(same_bits(e.operand, target), plain=False)
        return self._bits_text(self.text(e.operand), value_type(target)), ATOM
