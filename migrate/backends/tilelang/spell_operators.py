"""Operators as TileLang Python, with the value that C gives."""

from __future__ import annotations

from typing_extensions import assert_never

from migrate.backends.tilelang.dtypes import value_type
from migrate.backends.tilelang.expression_facts import compares_floats, leaves, scalar, small, wraps
from migrate.backends.tilelang.precedence import (
    AND,
    ATOM,
    BIT_OR,
    COMPARE,
    NOT,
    OR,
    PRECEDENCE,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    Part,
)
from migrate.backends.tilelang.spell_base import ROUND_BF16
from migrate.backends.tilelang.spell_casts import CastSpeller
from migrate.ir.expr import (
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    NullPtr,
    PtrAdd,
    Read,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.types import I32, U32, Kind, Scalar

_WRAPPING = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.SHL})

_TEMPORARIES = ("T.reinterpret(", "T.if_then_else(", "T.max(", "T.min(", "T.isnan(", "bfloat16")


class OperatorSpeller(CastSpeller):
    """Spells operators."""

    def _unary(self, e: Unary) -> Part:
        match e.op:
            case UnaryOp.NEG:
                return self._rounded(e, (f"-{self.text(e.operand, ATOM)}", UNARY))
            case UnaryOp.BITNOT:
                return f"~{self.text(e.operand, ATOM)}", UNARY
            case UnaryOp.NOT:
                if compares_floats(e.operand):
                    return f"{self._cast_text(self.text(e.operand), 'int32')} == 0", COMPARE
                return f"not {self.text(e.operand, NOT)}", NOT
            case _:
                assert_never(e.op)

    def _binary(self, e: Binary) -> Part:
        found = self._global(e)
        if found is not None:
            return self._cast_text(found, "uint32"), ATOM
        if e.op in LOGICAL:
            return self._logical(e)
        if e.op in COMPARISONS:
            return self._comparison(e)
        kind = scalar(e.lhs.type)
        if e.op in SHIFTS:
            return self._shift(e, kind)
        if e.op in (BinaryOp.DIV, BinaryOp.REM) and not kind.is_float:
            name = "T.truncdiv" if e.op is BinaryOp.DIV else "T.truncmod"
            sides = (self._unwrapped(x, self.typed(x)) for x in (e.lhs, e.rhs))
            return f"{name}({', '.join(sides)})", ATOM
        if kind.is_float:
            return self._rounded(e, self._float(e, kind))
        if wraps(e, kind):
            return self._through_unsigned(e)
        unsigned = kind.kind in (Kind.U32, Kind.U64)
        if e.op is BinaryOp.SUB and unsigned and not self._changes(e):
            return self._through_signed(e, kind)
        return self._infix(e, e.op.value, PRECEDENCE[e.op])

    def _infix(self, e: Binary, symbol: str, level: int) -> Part:
        left = self._operand(e.lhs, e.rhs, level)
        right = self._operand(e.rhs, e.lhs, level + 1)
        return f"{left} {symbol} {right}", level

    def _operand(self, e: Expr, sibling: Expr, level: int) -> str:
        """A plain literal where the other side gives the type, else the typed one."""
        if isinstance(e, Const) and self.constant(sibling) is None:
            text, precedence = self._const(e, plain=True)
            return text if precedence >= level else f"({text})"
        return self.text(e, level)

    def _float(self, e: Binary, kind: Scalar) -> Part:
        level = PRECEDENCE[e.op]
        lhs, rhs = self.constant(e.lhs), self.constant(e.rhs)
        left = self._operand(e.lhs, e.rhs, level)
        right = self._operand(e.rhs, e.lhs, level + 1)
        folds = e.op in (BinaryOp.MUL, BinaryOp.ADD)
        if lhs is not None and lhs.value == 0 and (folds or e.op is BinaryOp.DIV):
            left = self._argument(float(lhs.value), value_type(kind))
        if rhs is not None and rhs.value == 0 and folds:
            right = self._argument(float(rhs.value), value_type(kind))
        if lhs is not None and rhs is not None:
            left = self._argument(float(lhs.value), value_type(kind))
        if e.op is BinaryOp.SUB and self._may_cancel(e.lhs, e.rhs):
            return f"{left} + -{self.text(e.rhs, ATOM)}", SUM
        return f"{left} {e.op.value} {right}", level

    def _rounded(self, e: Expr, part: Part) -> Part:
        """A bfloat16 operation is one in float32 whose result is rounded again, which is exact:
        24 bits are more than twice 8 and two."""
        if scalar(e.type).kind is not Kind.BF16:
            return part
        self.uses_bfloat16 = True
        return f"{ROUND_BF16}({part[0]})", ATOM

    def _may_cancel(self, lhs: Expr, rhs: Expr) -> bool:
        """Whether TileLang could find one side of a float difference in the other."""
        left, right = self._resolved(lhs), self._resolved(rhs)
        if left == right or leaves(left) == leaves(right):
            return True
        for whole, part in ((left, right), (right, left)):
            if isinstance(whole, Binary) and whole.op is BinaryOp.ADD:
                inner = leaves(part)
                for side in (whole.lhs, whole.rhs):
                    if leaves(side) == inner:
                        return True
        return False

    def _shift(self, e: Binary, kind: Scalar) -> Part:
        amount = e.rhs
        left = self._operand(e.lhs, e.rhs, SHIFT) if not isinstance(e.lhs, Const) else ""
        if not left:
            left = self.typed(e.lhs)
        if isinstance(amount, Const):
            right = (
                f"T.{value_type(kind)}({int(amount.value)})"
                if kind != I32
                else str(int(amount.value))
            )
        elif amount.type == kind:
            right = self.text(amount, SUM)
        else:
            right = self._cast_text(self.text(amount), value_type(kind))
        return f"{left} {e.op.value} {right}", SHIFT

    def _comparison(self, e: Binary) -> Part:
        if isinstance(e.lhs, NullPtr) or isinstance(e.rhs, NullPtr):
            return self._null_test(e)
        kind = scalar(e.lhs.type)
        if kind.is_float and e.op in (BinaryOp.EQ, BinaryOp.NE):
            if self._resolved(e.lhs) == self._resolved(e.rhs):
                value = self._widened(e.lhs, kind)
                if e.op is BinaryOp.NE:
                    return f"T.isnan({value})", ATOM
                return f"T.cast(T.isnan({value}), 'int32') == 0", COMPARE
        if kind.kind is Kind.BOOL:
            sides = (self._cast_text(self.text(x), "int32") for x in (e.lhs, e.rhs))
            return f" {e.op.value} ".join(sides), COMPARE
        if kind == U32 and small(e.lhs) and small(e.rhs):
            left, right = self.signed(e.lhs, BIT_OR), self.signed(e.rhs, BIT_OR)
            return f"{left} {e.op.value} {right}", COMPARE
        left = self._compared(e.lhs, self._operand(e.lhs, e.rhs, BIT_OR))
        right = self._compared(e.rhs, self._operand(e.rhs, e.lhs, BIT_OR))
        return f"{left} {e.op.value} {right}", COMPARE

    def _widened(self, e: Expr, kind: Scalar) -> str:
        text = self.text(e)
        return self._cast_text(text, "float32") if kind.kind is Kind.F16 else text

    def _null_test(self, e: Binary) -> Part:
        pointer = e.rhs if isinstance(e.lhs, NullPtr) else e.lhs
        while isinstance(pointer, Cast | PtrAdd):
            pointer = pointer.operand if isinstance(pointer, Cast) else pointer.pointer
        if not isinstance(pointer, Read) or not isinstance(pointer.place, VarPlace):
            return ("True" if e.op is BinaryOp.NE else "False"), ATOM
        name = pointer.place.name
        if name not in self.null_tests:
            self.null_tests[name] = self.names.fresh(f"has_{self.names.of(name)}")
        symbol = "!=" if e.op is BinaryOp.NE else "=="
        return f"{self.null_tests[name]} {symbol} 0", COMPARE

    def _logical(self, e: Binary) -> Part:
        """Lazy, like C. A conditional value on the right would be computed before the test."""
        right = self.text(e.rhs)
        if any(word in right for word in (*_TEMPORARIES, *self.preludes)):
            left = self.text(e.lhs)
            if e.op is BinaryOp.LAND:
                return f"T.if_then_else({left}, {right}, T.bool(False))", ATOM
            return f"T.if_then_else({left}, T.bool(True), {right})", ATOM
        word, level = ("and", AND) if e.op is BinaryOp.LAND else ("or", OR)
        return f"{self.text(e.lhs, level)} {word} {self.text(e.rhs, level + 1)}", level

    def _unwrapped(self, e: Expr, text: str) -> str:
        """An unsigned operand of a comparison or division, hidden when its value can wrap."""
        kind = scalar(e.type)
        if kind.kind not in (Kind.U32, Kind.U64) or small(e):
            return text
        value = self._resolved(e)
        if not isinstance(value, Binary) or value.op not in _WRAPPING:
            return text
        if isinstance(e, Binary) and e.op is BinaryOp.SUB:
            return text
        return f"(({text}) ^ T.{value_type(kind)}(0))"

    def _compared(self, e: Expr, text: str) -> str:
        """One side of a comparison. TileLang solves tests for the variables in them, and fails on
        unsigned ones that are set once ("cannot make uint from negative value", 0.1.15)."""
        kind = scalar(e.type)
        if kind.kind in (Kind.U32, Kind.U64) and isinstance(e, Read):
            fixed = self._mutable | self._arguments.keys()
            if isinstance(e.place, VarPlace) and e.place.name not in fixed:
                return f"({text} ^ T.{value_type(kind)}(0))"
        return self._unwrapped(e, text)

    def _through_unsigned(self, e: Binary) -> Part:
        """Signed arithmetic that is meant to wrap."""
        sides = []
        for side, other in ((e.lhs, e.rhs), (e.rhs, e.lhs)):
            unsigned = Cast(side, U32, span=side.span)
            if isinstance(side, Const):
                sides.append(f"T.uint32({int(side.value) & 0xFFFFFFFF})")
            else:
                sides.append(self.text(unsigned, PRODUCT))
            del other
        inner = f"{sides[0]} {e.op.value} {sides[1]}"
        return self._bits_text(inner, "int32"), ATOM

    def _through_signed(self, e: Binary, kind: Scalar) -> Part:
        """An unsigned difference: TileLang stops at one that is negative for some lane.

        One that is never negative is cast: of a block size less one TileLang makes a number, and
        the bits of what is no variable cannot be taken in the C that it prints (0.1.15).
        """
        if kind == U32:
            inner = f"{self.signed(e.lhs, SUM)} - {self.signed(e.rhs, PRODUCT)}"
            if small(e):
                return self._cast_text(inner, "uint32"), ATOM
        else:
            sides = [self._signed64(x) for x in (e.lhs, e.rhs)]
            inner = " - ".join(sides)
        return self._bits_text(inner, value_type(kind)), ATOM
