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

import math
import struct

from typing_extensions import assert_never

from migrate.analysis.launch_axes import AXES, global_count, global_index
from migrate.backends.tilelang.dtypes import ARGUMENT, STORAGE, value_type
from migrate.backends.tilelang.names import PythonNames
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import lifting as lifting_codes
from migrate.core.codes import target as codes
from migrate.core.span import NO_SPAN
from migrate.ir.expr import (
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Builtin,
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
from migrate.ir.types import I32, U32, Kind, Pointer, Scalar, Type
from migrate.ir.walk import Rewriter, walk_expr
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form, Prelude

OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(12)

_PRECEDENCE = {
    BinaryOp.LOR: OR, BinaryOp.LAND: AND, BinaryOp.OR: BIT_OR, BinaryOp.XOR: BIT_XOR,
    BinaryOp.AND: BIT_AND, BinaryOp.SHL: SHIFT, BinaryOp.SHR: SHIFT, BinaryOp.ADD: SUM,
    BinaryOp.SUB: SUM, BinaryOp.MUL: PRODUCT, BinaryOp.DIV: PRODUCT,
}  # fmt: skip
_MODULAR = frozenset(
    {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
)
_WRAPPING = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.SHL})
_TEMPORARIES = ("T.reinterpret(", "T.if_then_else(", "T.max(", "T.min(", "T.isnan(", "bfloat16")
_ROUND_BF16 = "round_to_bfloat16"


Part = tuple[str, int]
"""Python text and its precedence."""


def exact_in_seven_digits(value: float, kind: Scalar) -> bool:
    """Whether ``%.6e`` gives the constant back in its type."""
    if not math.isfinite(value):
        return True
    printed = float(f"{value:.6e}")
    if kind.kind is Kind.F64:
        return printed == value
    (back,) = struct.unpack("<f", struct.pack("<f", printed))
    return bool(back == value)


def float_literal(value: float, kind: Scalar) -> str:
    """The shortest digits that name the value in its type."""
    if kind.kind is Kind.F64:
        return repr(value)
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return repr(float(text))
    return repr(value)


class Speller:
    """Spells the expressions of one kernel."""

    def __init__(
        self,
        names: PythonNames,
        catalogue: Catalogue,
        values: dict[str, Expr],
        indices: dict[tuple[str, str], str],
        arguments: dict[str, Scalar],
        mutable: frozenset[str],
    ) -> None:
        """``values``: what a variable that is assigned once was given. ``indices``: the Python
        name for (``thread``, ``x``), (``global``, ``x``), (``count``, ``x``) and so on.
        ``arguments``: the scalar parameters. ``mutable``: variables that change."""
        self.names = names
        self._catalogue = catalogue
        self._values = values
        self._indices = indices
        self._arguments = arguments
        self._mutable = mutable
        self.constants: dict[tuple[float, str], str] = {}
        self.null_tests: dict[str, str] = {}
        self.preludes: dict[str, Prelude] = {}
        self.uses_bfloat16 = False

    # --- entry points

    def text(self, e: Expr, level: int = OR) -> str:
        """Python text that can stand where ``level`` binds."""
        text, precedence = self._part(e)
        return text if precedence >= level else f"({text})"

    def place(self, p: Place) -> str:
        """A place that is read or written."""
        match p:
            case VarPlace(name):
                return self.names.of(name)
            case PtrElem(Read(VarPlace(name)), index):
                return f"{self.names.of(name)}[{self.text(index)}]"
            case ArrElem(VarPlace(name), index):
                return f"{self.names.of(name)}[{self.text(index)}]"
            case _:
                raise Unspellable(
                    lifting_codes.AMBIGUOUS_POINTER, "a place is no element of a buffer", p.span
                )

    def assigned(self, e: Expr) -> str:
        """A value that goes straight to memory or to a variable: nothing looks at its bounds."""
        if isinstance(e, Cast):
            target, source = scalar(e.type), scalar(e.operand.type)
            if source.is_integer and target.is_integer and target.bits < source.bits:
                return self._cast_text(self.typed(e.operand), value_type(target))
        return self.typed(e)

    def stored(self, e: Expr) -> str:
        """A value in the form that a buffer of its type holds."""
        kind = scalar(e.type)
        if kind.kind is Kind.BF16:
            self.uses_bfloat16 = True
            return f"bfloat16_bits({self.text(e)})"
        if STORAGE[kind.kind] == value_type(kind):
            return self.assigned(e)
        if isinstance(e, Const):
            return self._cast_text(self.typed(e), STORAGE[kind.kind])
        return self._cast_text(self.text(e), STORAGE[kind.kind])

    def typed(self, e: Expr) -> str:
        """Text whose type is right even where nothing else says it (constants)."""
        if isinstance(e, Const):
            return self._const(e, plain=False)[0]
        return self.text(e)

    def bound(self, e: Expr) -> str:
        """A loop bound: a plain number or an int32 expression."""
        return str(int(e.value)) if isinstance(e, Const) else self.text(e)

    def helper(self, prelude: Prelude) -> None:
        """Remember a helper function that the module has to define."""
        self.preludes.setdefault(prelude.name, prelude)

    # --- constants

    def constant(self, e: Expr) -> Const | None:
        """The constant that an expression is, through variables assigned once."""
        match e:
            case Const():
                return e
            case Read(VarPlace(name)) if name in self._values:
                return self.constant(self._values[name])
            case _:
                return None

    def _const(self, e: Const, plain: bool) -> Part:
        kind, value = e.type, e.value
        if kind.kind is Kind.BOOL:
            return (repr(bool(value)) if plain else f"T.bool({bool(value)})"), ATOM
        if kind.is_float:
            return self._float_const(float(value), kind, plain)
        whole = int(value)
        if kind.kind is Kind.I32 or (kind.kind is Kind.I64 and plain and abs(whole) < 1 << 31):
            if whole == -(1 << 31):
                return "T.min_value('int32')", ATOM
            if plain:
                return str(whole), ATOM if whole >= 0 else UNARY
        return f"T.{value_type(kind)}({whole})", ATOM

    def _float_const(self, value: float, kind: Scalar, plain: bool) -> Part:
        dtype = value_type(kind)
        if math.isinf(value):
            sign = "-" if value < 0 else ""
            return f"{sign}T.infinity('{dtype}')", UNARY if value < 0 else ATOM
        if math.isnan(value):
            return f"T.{dtype}(float('nan'))", ATOM
        if kind.kind not in (Kind.F16, Kind.BF16) and not exact_in_seven_digits(value, kind):
            return self._argument(value, dtype), ATOM
        text = float_literal(value, kind)
        if plain and kind.kind is Kind.F32:
            return text, UNARY if text.startswith("-") else ATOM
        return f"T.{dtype}({text})", ATOM

    def _argument(self, value: float, dtype: str) -> str:
        key = (value, dtype) if value or math.copysign(1, value) > 0 else (-0.0, f"-{dtype}")
        if key not in self.constants:
            wanted = "zero" if value == 0 else f"c{len(self.constants)}"
            self.constants[key] = self.names.fresh(wanted)
        return self.constants[key]

    # --- expressions

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

    def _index_var(self, e: IndexVar) -> str:
        key = {
            Builtin.THREAD: "thread",
            Builtin.BLOCK: "block",
            Builtin.BLOCK_DIM: "block_dim",
            Builtin.GRID_DIM: "grid_dim",
        }[e.builtin]
        text = self._indices[(key, e.axis)]
        return f"T.int32({text})" if e.builtin is Builtin.BLOCK_DIM else text

    def _size(self, e: Expr) -> str | None:
        """The bare name of a block size: a Python number, which needs a typed neighbour."""
        if isinstance(e, IndexVar) and e.builtin is Builtin.BLOCK_DIM:
            return self._indices[("block_dim", e.axis)]
        return None

    def _global(self, e: Expr) -> str | None:
        """The name for a canonical global index or count, as int32."""
        for axis in AXES:
            if ("global", axis) in self._indices:
                if e == global_index(axis):
                    return self._indices[("global", axis)]
                if e == global_count(axis):
                    return self._indices[("count", axis)]
        return None

    # --- operators

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
        if _wraps(e, kind):
            return self._through_unsigned(e)
        unsigned = kind.kind in (Kind.U32, Kind.U64)
        if e.op is BinaryOp.SUB and unsigned and not self._changes(e):
            return self._through_signed(e, kind)
        return self._infix(e, e.op.value, _PRECEDENCE[e.op])

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
        level = _PRECEDENCE[e.op]
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
        return f"{_ROUND_BF16}({part[0]})", ATOM

    def _may_cancel(self, lhs: Expr, rhs: Expr) -> bool:
        """Whether TileLang could find one side of a float difference in the other."""
        left, right = self._resolved(lhs), self._resolved(rhs)
        if left == right or _leaves(left) == _leaves(right):
            return True
        for whole, part in ((left, right), (right, left)):
            if isinstance(whole, Binary) and whole.op is BinaryOp.ADD:
                inner = _leaves(part)
                for side in (whole.lhs, whole.rhs):
                    if _leaves(side) == inner:
                        return True
        return False

    def _resolved(self, e: Expr) -> Expr:
        """Variables assigned once replaced by what they were given, as TileLang does."""

        def rule(x: Expr) -> Expr | None:
            match x:
                case Read(VarPlace(name)) if name in self._values:
                    value = self._values[name]
                    return self._resolved(value) if _reads_nothing(value) else None
                case _:
                    return None

        return Rewriter(expr=rule).expr(e)

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
        left = self._unwrapped(e.lhs, self._operand(e.lhs, e.rhs, BIT_OR))
        right = self._unwrapped(e.rhs, self._operand(e.rhs, e.lhs, BIT_OR))
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
        """An unsigned difference: TileLang stops at one that is negative for some lane."""
        if kind == U32:
            inner = f"{self.signed(e.lhs, SUM)} - {self.signed(e.rhs, PRODUCT)}"
        else:
            sides = [self._signed64(x) for x in (e.lhs, e.rhs)]
            inner = " - ".join(sides)
        return self._bits_text(inner, value_type(kind)), ATOM

    def _signed64(self, e: Expr) -> str:
        if isinstance(e, Const):
            value = int(e.value)
            return f"T.int64({value - (1 << 64) if value >> 63 else value})"
        return self._bits_text(self.text(e), "int64")

    # --- conversions

    @staticmethod
    def _bits_text(text: str, dtype: str) -> str:
        return f'T.reinterpret({text}, "{dtype}")'

    def _unsigned_text(self, text: str, kind: Scalar) -> str:
        """A signed value seen as unsigned, by a helper that hides its bounds."""
        if kind.bits < 32:
            return self._cast_text(text, value_type(kind))
        return f"as_{value_type(kind)}({text})"

    def _changes(self, e: Expr) -> bool:
        """Whether the text of an expression can mean another value later."""
        return any(
            isinstance(x, Read)
            and not (isinstance(x.place, VarPlace) and x.place.name not in self._mutable)
            for x in walk_expr(e)
        )

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

    @staticmethod
    def _cast_text(text: str, dtype: str) -> str:
        return f'T.cast({text}, "{dtype}")'

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
            case Binary(op, lhs, rhs) if op in _MODULAR and not _wraps(e, I32):
                level = _PRECEDENCE[op]
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

    def _cast(self, e: Cast) -> Part:
        target, source = scalar(e.type), scalar(e.operand.type)
        if target == source:
            return self._part(e.operand)
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
            return f"{_ROUND_BF16}({self._to_float32(e.operand, source)})", ATOM
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
            return self._const(_same_bits(e.operand, target), plain=False)
        return self._bits_text(self.text(e.operand), value_type(target)), ATOM

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
            return f"{_ROUND_BF16}({text})", ATOM
        return text, ATOM if spelling.atomic else OR

    def _call_operand(self, e: Expr) -> str:
        if isinstance(e.type, Pointer):
            if isinstance(e, AddressOf):
                return self.place(e.place)
            raise Unspellable(lifting_codes.AMBIGUOUS_POINTER, "a pointer is an argument", e.span)
        return self.typed(e)


def scalar(kind: Type) -> Scalar:
    """The scalar type; other types are not left in normal form."""
    if not isinstance(kind, Scalar):
        raise Unspellable(lifting_codes.UNSPLIT_VALUE, f"a {kind} is left", NO_SPAN)
    return kind


def small(e: Expr) -> bool:
    """Whether a u32 value is below 2^31 for sure (launches are limited to that)."""
    if any(e in (global_index(a), global_count(a)) for a in AXES):
        return True
    match e:
        case IndexVar():
            return True
        case Const(value):
            return 0 <= int(value) < 1 << 31
        case Cast(operand, kind) if kind == U32:
            inner = operand.type
            return isinstance(inner, Scalar) and not inner.is_signed and inner.bits < 32
        case Binary(BinaryOp.DIV, lhs, _):
            return small(lhs)
        case Binary(BinaryOp.REM, lhs, rhs):
            return small(lhs) or small(rhs)
        case Binary(BinaryOp.SHR, lhs, _):
            return small(lhs)
        case Binary(BinaryOp.AND, lhs, rhs):
            return small(lhs) or small(rhs)
        case _:
            return False


def compares_floats(e: Expr) -> bool:
    """Whether the truth of an expression rests on an ordering of floats."""
    for x in walk_expr(e):
        if isinstance(x, Binary) and x.op in COMPARISONS:
            if isinstance(x.lhs.type, Scalar) and x.lhs.type.is_float:
                return True
    return False


def _reads_nothing(e: Expr) -> bool:
    """Whether TileLang can put a value in place of its variable: loads stay where they are."""
    return not any(isinstance(x, Read) and isinstance(x.place, PtrElem) for x in walk_expr(e))


def _wraps(e: Binary, kind: Scalar) -> bool:
    """A product with a constant so large that it is meant to wrap (a hash)."""
    if kind != I32 or e.op is not BinaryOp.MUL:
        return False
    return any(isinstance(x, Const) and abs(int(x.value)) > 46340 for x in (e.lhs, e.rhs))


def _leaves(e: Expr) -> frozenset[str]:
    """Names and constants that an expression is made of."""
    found: set[str] = set()
    for x in walk_expr(e):
        match x:
            case Read(VarPlace(name)):
                found.add(name)
            case Read(ArrElem(VarPlace(name), _)) | Read(FieldPlace(VarPlace(name))):
                found.add(name)
            case IndexVar(builtin, axis):
                found.add(f"{builtin.value}.{axis}")
            case _:
                pass
    return frozenset(found)


def _same_bits(c: Const, target: Scalar) -> Const:
    codes_ = {
        Kind.I32: "i", Kind.U32: "I", Kind.F32: "f", Kind.I64: "q", Kind.U64: "Q", Kind.F64: "d",
        Kind.F16: "e", Kind.I16: "h", Kind.U16: "H",
    }  # fmt: skip
    packed = struct.pack(f"<{codes_[c.type.kind]}", c.value)
    (value,) = struct.unpack(f"<{codes_[target.kind]}", packed)
    return Const(value, target, span=c.span)
