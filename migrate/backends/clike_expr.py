"""Prints IR expressions as C++ with the parentheses and casts that are needed, and no others.

A cast is left out where C++ does the same conversion by itself: in an initialisation, an
assignment, an argument or a condition (`convert`, `condition`), and between the operands of an
arithmetic operator when C++'s usual arithmetic conversions give the IR's operand type.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from typing_extensions import assert_never

from migrate.backends.clike_dialect import Dialect, Prec, Spelled
from migrate.backends.clike_types import (
    HALVES,
    c_string,
    float_digits,
    plain,
    preserves_value,
    promoted,
    usual_type,
)
from migrate.ir.expr import (
    COMPARISONS,
    LOGICAL,
    SHIFTS,
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
from migrate.ir.types import BOOL, F32, I32, I64, Kind, Pointer, Scalar, Type
from migrate.ir.walk import root

_PREC = {
    BinaryOp.MUL: Prec.MUL, BinaryOp.DIV: Prec.MUL, BinaryOp.REM: Prec.MUL,
    BinaryOp.ADD: Prec.ADD, BinaryOp.SUB: Prec.ADD, BinaryOp.SHL: Prec.SHIFT,
    BinaryOp.SHR: Prec.SHIFT, BinaryOp.LT: Prec.RELATION, BinaryOp.LE: Prec.RELATION,
    BinaryOp.GT: Prec.RELATION, BinaryOp.GE: Prec.RELATION, BinaryOp.EQ: Prec.EQUAL,
    BinaryOp.NE: Prec.EQUAL, BinaryOp.AND: Prec.AND, BinaryOp.XOR: Prec.XOR,
    BinaryOp.OR: Prec.OR, BinaryOp.LAND: Prec.LAND, BinaryOp.LOR: Prec.LOR,
}  # fmt: skip
_SMALL_LITERAL = 1 << 31


class ExprPrinter:
    """Expressions and places of one module in one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        # By identity: a node is printed several times while the shortest form is looked for. The
        # node is kept so that its identity stays its own.
        self._printed: dict[int, tuple[Expr, Spelled]] = {}

    # --- contexts ---------------------------------------------------------------------------

    def exact(self, e: Expr) -> Spelled:
        """Printed so that its C++ type is the IR's type."""
        s = self.expr(e)
        if s.type == e.type or not isinstance(e.type, Scalar):
            return s
        return self._c_cast(e.type, s)

    def convert(self, e: Expr) -> str:
        """Printed where C++ converts to ``e.type``: initialisation, assignment, ``return``."""
        return self.converted(e).at(Prec.ASSIGN)

    def converted(self, e: Expr) -> Spelled:
        """As :meth:`convert`, for use inside a larger expression."""
        match e:
            case Const(value, Scalar() as t) if t.is_integer and not isinstance(value, float):
                # A literal that fits int needs no suffix when it is converted.
                if -_SMALL_LITERAL < value < _SMALL_LITERAL:
                    return self._int_literal(int(value), I32)
                return self.expr(e)
            case Cast(operand, Scalar() as target):
                source = operand.type
                inner = self._through(operand)
                if plain(source) and plain(target) and self._is_quiet(plain(source), target):
                    return self.exact(inner)
                return self.exact(e)
            case Cast(operand, Pointer() as target):
                source = operand.type
                if isinstance(source, Pointer) and self.dialect.implicit_pointer(source, target):
                    return self.expr(operand)
                return self.expr(e)
            case _:
                return self.exact(e)

    def _is_quiet(self, source: Scalar | None, target: Scalar) -> bool:
        """True where a reader expects no cast: all but float to integer."""
        if source is None or not self.dialect.converts(source, target):
            return False
        return not (source.is_float and target.is_integer)

    def _through(self, e: Expr) -> Expr:
        """``e`` without value-preserving casts around it: what follows converts the same value."""
        while isinstance(e, Cast):
            source, target = plain(e.operand.type), plain(e.type)
            if source is None or target is None or not preserves_value(source, target):
                break
            e = e.operand
        return e

    def condition(self, e: Expr) -> Spelled:
        """Printed where C++ converts to ``bool``."""
        match e:
            case Cast(operand, Scalar(Kind.BOOL)) if plain(operand.type) is not None:
                return self.exact(operand)
            case Cast(operand, Scalar(Kind.BOOL)) if isinstance(operand.type, Pointer):
                return self.expr(operand)
            case _:
                return self.expr(e)

    def index(self, e: Expr) -> str:
        """Printed between brackets, where any integer type keeps its value."""
        return self._integer(e).text

    def _integer(self, e: Expr) -> Spelled:
        match e:
            case Const(int() as value) if -_SMALL_LITERAL < value < _SMALL_LITERAL:
                return self._int_literal(value, I32)
            case _:
                inner = self._through(e)
                return self.exact(inner)

    # --- places -----------------------------------------------------------------------------

    def place(self, p: Place) -> Spelled:
        """A place as an lvalue."""
        match p:
            case VarPlace(name, type_):
                return Spelled(self.dialect.variable_name(name), Prec.POSTFIX, type_)
            case PtrElem(PtrAdd(pointer, offset), Const(0)):
                return self._subscript(self._pointer(pointer), offset, p.type)
            case PtrElem(AddressOf(place), Const(0)):
                return self.place(place)
            case PtrElem(pointer, Const(0)):
                text = self._pointer(pointer).at(Prec.UNARY)
                return Spelled(f"*{text}", Prec.UNARY, p.type)
            case PtrElem(pointer, index):
                return self._subscript(self._pointer(pointer), index, p.type)
            case ArrElem(base, index):
                return self._subscript(self.place(base), index, p.type)
            case FieldPlace(PtrElem(pointer, Const(0)), field, type_) if not isinstance(
                pointer, PtrAdd | AddressOf
            ):
                text = self._pointer(pointer).at(Prec.POSTFIX)
                return Spelled(f"{text}->{field}", Prec.POSTFIX, type_)
            case FieldPlace(base, field, type_):
                return Spelled(f"{self.place(base).at(Prec.POSTFIX)}.{field}", Prec.POSTFIX, type_)
            case _:
                assert_never(p)

    def _subscript(self, base: Spelled, index: Expr, type_: Type) -> Spelled:
        return Spelled(f"{base.at(Prec.POSTFIX)}[{self.index(index)}]", Prec.POSTFIX, type_)

    def address(self, p: Place, type_: Type) -> Spelled:
        """``&place``; the first element of an array or pointer is the array or pointer."""
        s = self._address(p, type_)
        base = root(p)
        if isinstance(base, PtrElem) and isinstance(type_, Pointer) and not type_.const:
            held = base.pointer.type
            if isinstance(held, Pointer) and held.const:
                # The IR drops const where the source does (methods); C++ wants to be told.
                return self._c_cast(replace(type_, restrict=False), s)
        return s

    def _address(self, p: Place, type_: Type) -> Spelled:
        match p:
            case PtrElem(pointer, Const(0)):
                return self.expr(pointer)
            case ArrElem(base, Const(0)):
                return Spelled(self.place(base).text, Prec.POSTFIX, type_)
            case _:
                return Spelled(f"&{self.place(p).at(Prec.UNARY)}", Prec.UNARY, type_)

    def _pointer(self, e: Expr) -> Spelled:
        """A pointer that is followed; one that is always null (an inlined argument) has a type."""
        if isinstance(e, NullPtr) and isinstance(e.type, Pointer):
            kind = self.dialect.pointer(replace(e.type, restrict=False))
            return Spelled(f"(({kind})nullptr)", Prec.POSTFIX, e.type)
        return self.expr(e)

    # --- expressions ------------------------------------------------------------------------

    def expr(self, e: Expr) -> Spelled:
        """Printed with the type that C++ gives it."""
        known = self._printed.get(id(e))
        if known is None:
            known = self._printed[id(e)] = (e, self._expr(e))
        return known[1]

    def _expr(self, e: Expr) -> Spelled:
        match e:
            case Const():
                return self._const(e)
            case NullPtr(type_):
                return Spelled("nullptr", Prec.POSTFIX, type_)
            case Text(value):
                return Spelled(c_string(value), Prec.POSTFIX, e.type)
            case IndexVar():
                return self.dialect.index_var(e)
            case Read(place):
                return self._read(place)
            case AddressOf(place, type_):
                return self.address(place, type_)
            case Unary():
                return self._unary(e)
            case Binary():
                return self._binary(e)
            case Select():
                return self._select(e)
            case Cast():
                return self._cast(e)
            case Bitcast(operand):
                return self.dialect.bitcast(e, self.exact(operand))
            case Call(_, args):
                return self.dialect.call(e, tuple(self.exact(a) for a in args))
            case Invoke(function, args, type_):
                return Spelled(self.invocation(function, args), Prec.POSTFIX, type_)
            case PtrAdd(pointer, offset):
                return self._ptr_add(pointer, offset, e.type)
            case PtrDiff(lhs, rhs):
                text = f"{self.expr(lhs).at(Prec.ADD)} - {self.expr(rhs).at(Prec.MUL)}"
                return Spelled(text, Prec.ADD, I64)
            case Compose(parts):
                return self.dialect.compose(e, tuple(self.exact(p).at(Prec.ASSIGN) for p in parts))
            case Extract(value, field, type_):
                return Spelled(f"{self.expr(value).at(Prec.POSTFIX)}.{field}", Prec.POSTFIX, type_)
            case _:
                assert_never(e)

    def _read(self, place: Place) -> Spelled:
        s = self.place(place)
        if isinstance(place, FieldPlace) and isinstance(s.type, Pointer):
            pointee = s.type.pointee
            if isinstance(pointee, Scalar) and pointee.kind in (Kind.I8, Kind.I64, Kind.U64):
                # char, signed char, long and long long meet in one IR type, but are several in
                # the struct's own declaration.
                text = f"({self.dialect.pointer(s.type)}){s.at(Prec.UNARY)}"
                return Spelled(text, Prec.UNARY, s.type)
        return s

    def invocation(self, function: str, args: tuple[Expr, ...]) -> str:
        """A call of a device function, without its semicolon."""
        d = self.dialect
        exact = d.overloaded(function)
        wanted = self._parameter_types(function, len(args))
        texts = [self._argument(a, t, exact) for a, t in zip(args, wanted, strict=True)]
        texts += d.invoke_args(function)
        return f"{d.function_name(function)}({', '.join(texts)})"

    def _parameter_types(self, function: str, count: int) -> tuple[Type | None, ...]:
        for f in self.dialect.module.functions:
            if f.symbol == function and len(f.params) == count:
                return tuple(p.type for p in f.params)
        return (None,) * count

    def _argument(self, a: Expr, wanted: Type | None, exact: bool) -> str:
        if isinstance(wanted, Pointer) and isinstance(a.type, Pointer):
            if not self.dialect.implicit_pointer(a.type, wanted):
                return self._c_cast(replace(wanted, restrict=False), self.expr(a)).text
        return self.exact(a).at(Prec.ASSIGN) if exact else self.convert(a)

    def _const(self, c: Const) -> Spelled:
        special = self.dialect.constant(c)
        if special is not None:
            return special
        if c.type.kind is Kind.BOOL:
            return Spelled("true" if c.value else "false", Prec.POSTFIX, BOOL)
        if c.type.kind in HALVES:
            return self._c_cast(c.type, self._const(Const(float(c.value), F32)))
        if not c.type.is_float:
            return self._int_literal(int(c.value), c.type)
        value = float(c.value)
        single = c.type.kind is Kind.F32
        if not math.isfinite(value):
            return self.dialect.special_float(value, c.type)
        text = float_digits(value, single) + ("f" if single else "")
        return Spelled(text, Prec.UNARY if text.startswith("-") else Prec.POSTFIX, c.type)

    def _int_literal(self, value: int, t: Scalar) -> Spelled:
        t = promoted(t)
        suffix = {Kind.U32: "u", Kind.I64: "ll", Kind.U64: "ull"}.get(t.kind, "")
        if t.is_signed and value == -(1 << (t.bits - 1)):
            return Spelled(f"({value + 1}{suffix} - 1)", Prec.POSTFIX, t)
        prec = Prec.UNARY if value < 0 else Prec.POSTFIX
        return Spelled(f"{value}{suffix}", prec, t)

    def _unary(self, e: Unary) -> Spelled:
        if e.op is UnaryOp.NOT:
            return Spelled(f"!{self.condition(e.operand).at(Prec.UNARY)}", Prec.UNARY, BOOL)
        operand = self.exact(e.operand)
        special = self.dialect.unary(e, operand)
        if special is not None:
            return special
        text = operand.at(Prec.UNARY)
        if text.startswith("-"):
            text = f"({text})"
        known = plain(operand.type)
        result = operand.type if known is None else promoted(known)
        return Spelled(f"{e.op.value}{text}", Prec.UNARY, result)

    def _select(self, e: Select) -> Spelled:
        then, other = self._pair(e.then, e.other)
        cond = self.condition(e.cond).at(Prec.LOR)
        text = f"{cond} ? {then.at(Prec.SELECT)} : {other.at(Prec.SELECT)}"
        found = then.type if then.type == other.type else usual_type(then.type, other.type)
        return Spelled(text, Prec.SELECT, e.type if found is None else found)

    def _cast(self, e: Cast) -> Spelled:
        inner = e.operand
        if plain(e.type) is not None:
            inner = self._through(inner)
        if isinstance(inner, Const) and e.type == F32 and inner.type.is_float:
            return self._const(Const(float(np.float32(inner.value)), F32))
        operand = self.exact(inner)
        special = self.dialect.cast(e, operand)
        if special is not None:
            return special
        if isinstance(e.type, Pointer) and isinstance(e.operand.type, Pointer):
            if e.operand.type == e.type:
                return operand
        elif operand.type == e.type:
            return operand
        return self._c_cast(e.type, operand)

    def _c_cast(self, t: Type, s: Spelled) -> Spelled:
        return Spelled(f"({self.dialect.type(t)}){s.at(Prec.UNARY)}", Prec.UNARY, t)

    def _ptr_add(self, pointer: Expr, offset: Expr, type_: Type) -> Spelled:
        base = self.expr(pointer)
        if isinstance(offset, Const) and isinstance(offset.value, int) and offset.value < 0:
            return Spelled(f"{base.at(Prec.ADD)} - {-offset.value}", Prec.ADD, type_)
        return Spelled(
            f"{base.at(Prec.ADD)} + {self._integer(offset).at(Prec.MUL)}", Prec.ADD, type_
        )

    # --- binary operators -------------------------------------------------------------------

    def _binary(self, e: Binary) -> Spelled:
        if e.op in LOGICAL:
            return self._logical(e)
        if e.op in SHIFTS:
            return self._shift(e)
        lhs, rhs = self._pair(e.lhs, e.rhs)
        special = self.dialect.binary(e, lhs, rhs)
        if special is not None:
            return special
        prec = _PREC[e.op]
        # Children of the same operator group to the left; others of one level keep that order too.
        left, right = lhs.at(prec), rhs.at(prec + 1)
        if e.op in (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR):
            left, right = self._plain_operand(lhs, prec), self._plain_operand(rhs, prec, right=True)
        elif e.op in COMPARISONS:
            left, right = lhs.at(Prec.SHIFT), rhs.at(Prec.SHIFT)
        if e.op in COMPARISONS:
            result: Type = BOOL
        else:
            found = usual_type(lhs.type, rhs.type)
            result = e.lhs.type if found is None else found
        return Spelled(f"{left} {e.op.value} {right}", prec, result)

    @staticmethod
    def _plain_operand(s: Spelled, prec: Prec, right: bool = False) -> str:
        """Operands of ``& | ^``: anything but a like operator and unary terms gets parentheses."""
        if s.prec >= Prec.UNARY or (s.prec == prec and not right):
            return s.text
        return f"({s.text})"

    def _logical(self, e: Binary) -> Spelled:
        prec = _PREC[e.op]
        sides = []
        for side, right in ((e.lhs, False), (e.rhs, True)):
            s = self.condition(side)
            keep = s.prec > Prec.OR or (s.prec == prec and not right)
            sides.append(s.text if keep else f"({s.text})")
        return Spelled(f"{sides[0]} {e.op.value} {sides[1]}", prec, BOOL)

    def _shift(self, e: Binary) -> Spelled:
        lhs = self.exact(e.lhs)
        inner = self._through(e.lhs)
        source, wanted = plain(inner.type), e.lhs.type
        if inner is not e.lhs and source is not None and promoted(source) == wanted:
            lhs = self.exact(inner)
        rhs = self._integer(e.rhs)
        left = lhs.text if lhs.prec >= Prec.UNARY else f"({lhs.text})"
        if lhs.prec == Prec.SHIFT:
            left = lhs.text
        right = rhs.text if rhs.prec >= Prec.UNARY else f"({rhs.text})"
        result = promoted(lhs.type) if isinstance(lhs.type, Scalar) else lhs.type
        return Spelled(f"{left} {e.op.value} {right}", Prec.SHIFT, result)

    def _pair(self, a: Expr, b: Expr) -> tuple[Spelled, Spelled]:
        """Both operands with as few casts as give the same operand type in C++."""
        wanted = a.type
        if isinstance(wanted, Pointer):
            return self.converted(a), self.converted(b)
        if plain(wanted) is None:
            return self.exact(a), self.exact(b)
        others = self._forms(b)
        for x in self._forms(a):
            for y in others:
                if usual_type(x.type, y.type) == wanted:
                    return x, y
        return self.exact(a), self.exact(b)

    def _forms(self, e: Expr) -> tuple[Spelled, ...]:
        """Spellings of an operand, the shortest first; each converts to the same value.

        Without the cast, C++ converts the operand itself: to the same type by the same rule.
        """
        whole = self.exact(e)
        match e:
            case Const(int() as value, t) if t.is_integer and t != I32:
                if abs(value) < _SMALL_LITERAL and (value >= 0 or t.is_signed):
                    return (self._int_literal(value, I32), whole)
                return (whole,)
            case Cast(operand, t) if plain(operand.type) is not None and plain(t) is not None:
                inner = self._through(operand)
                bare = (
                    (self.exact(inner),)
                    if inner is operand
                    else (
                        self.exact(inner),
                        self.exact(operand),
                    )
                )
                return (*bare, whole)
            case _:
                return (whole,)
