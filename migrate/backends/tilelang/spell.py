"""Expressions as TileLang Python, with the value that C gives.

TileLang simplifies as if floats were real numbers and integers never wrapped. Measured on 0.1.15:

* ``x * 0``, ``0 / x`` give 0, ``x + 0`` gives x, ``x - x`` gives 0, ``(x + y) - x`` gives y, for
  floats too. A zero there is passed as an argument, a difference is written ``x + -y``.
* ``not (a < b)`` becomes ``b <= a``, wrong for NaN: the comparison is made an integer first.
* ``x != x`` is dropped: it is written ``T.isnan``.
* the C target prints float constants with seven digits: others are passed as arguments.
* index arithmetic is widened to 64 bits from the leaves, so a value that wraps at 32 bits has to
  hide behind ``T.reinterpret``.
* ``&&`` with a value on its right that needs a temporary (a conditional value, the bits of
  another type) evaluates both: it becomes ``T.if_then_else``.
* bounds of a cast are those of its operand: a signed value seen as unsigned is reinterpreted, one
  that is cut to fewer bits is masked first.
* bounds of unsigned sums do not wrap: a sum that is compared or divided is hidden (``wrapped``).
"""

from __future__ import annotations

from typing_extensions import assert_never

from migrate.backends.tilelang.dtypes import ARGUMENT, STORAGE, value_type
from migrate.backends.tilelang.expression_facts import scalar
from migrate.backends.tilelang.precedence import ATOM, COMPARE, OR, Part
from migrate.backends.tilelang.spell_base import ROUND_BF16
from migrate.backends.tilelang.spell_operators import OperatorSpeller
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import lifting as lifting_codes
from migrate.core.codes import target as codes
from migrate.ir.expr import (
    AddressOf,
    Binary,
    Bitcast,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
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
    VarPlace,
)
from migrate.ir.types import Kind, Pointer, Scalar, Type
from migrate.rules.model import Form


class Speller(OperatorSpeller):
    """Spells the expressions of one kernel."""

    def _part(self, e: Expr) -> Part:
        match e:
            case Const():
                return self._const(e, plain=False)
            case Read(place):
                return self._read(e, place)
            case IndexVar():
                return self._cast_text(self._index_var(e), "uint32"), ATOM
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Select(cond, then, other):
                parts = (self.text(cond), self.typed(then), self.typed(other))
                return f"T.if_then_else({', '.join(parts)})", ATOM
            case Cast():
                return self._cast(e)
            case Bitcast():
                return self._bitcast(e)
            case Call():
                return self._call(e)
            case (
                NullPtr()
                | Text()
                | AddressOf()
                | Invoke()
                | PtrAdd()
                | PtrDiff()
                | Compose()
                | Extract()
            ):
                raise Unspellable(
                    lifting_codes.AMBIGUOUS_POINTER,
                    f"a {type(e).__name__.lower()} is left in the kernel",
                    e.span,
                )
            case _:
                assert_never(e)

    def _read(self, e: Read, place: Place) -> Part:
        text = self.place(place)
        if isinstance(place, PtrElem):
            kind = scalar(e.type)
            if kind.kind is Kind.BOOL:
                return f"{text} != 0", COMPARE
            if kind.kind is Kind.BF16:
                self.uses_bfloat16 = True
                return f"bfloat16_value({text})", ATOM
            if STORAGE[kind.kind] != value_type(kind):
                return self._unsigned_text(text, kind), ATOM
        if isinstance(place, VarPlace) and place.name in self._arguments:
            return self._passed(text, self._arguments[place.name])
        return text, ATOM

    def _passed(self, text: str, kind: Scalar) -> Part:
        """A scalar argument in its own type."""
        if kind.kind is Kind.BOOL:
            return f"{text} != 0", COMPARE
        if ARGUMENT[kind.kind] == value_type(kind):
            return text, ATOM
        if kind.kind in (Kind.U32, Kind.U64):
            return self._unsigned_text(text, kind), ATOM
        return self._cast_text(text, value_type(kind)), ATOM

    def _call(self, e: Call) -> Part:
        kinds: list[Type] = [a.type for a in e.args]
        rule = self._catalogue.intrinsic(e.name, kinds)
        spelling = None if rule is None else rule.spelling("tilelang", Form.EXPR, kinds)
        if spelling is None:
            listed = ", ".join(str(k) for k in kinds)
            raise Unspellable(codes.NO_INTRINSIC, f"{e.name}({listed})", e.span)
        for prelude in spelling.prelude:
            self.helper(prelude)
        text = spelling.fill([self._call_operand(a) for a in e.args])
        if isinstance(e.type, Scalar) and e.type.kind is Kind.BF16:
            self.uses_bfloat16 = True
            text = text.replace('"bfloat16"', '"float32"')
            return f"{ROUND_BF16}({text})", ATOM
        return text, ATOM if spelling.atomic else OR

    def _call_operand(self, e: Expr) -> str:
        if isinstance(e.type, Pointer):
            if isinstance(e, AddressOf):
                return self.place(e.place)
            raise Unspellable(lifting_codes.AMBIGUOUS_POINTER, "a pointer is an argument", e.span)
        return self.typed(e)
