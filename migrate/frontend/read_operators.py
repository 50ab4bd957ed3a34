"""Operators: arithmetic, logic, assignment, increment, choice."""

from __future__ import annotations

from migrate.core.codes import reading
from migrate.frontend.convert import coerce, common_type, invert, negate, promote
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.read_values import ValueReader, coerce_bool, same_bits
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.ir.expr import (
    COMPARISONS,
    SHIFTS,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    PtrDiff,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import Assign, Declare, Effect, If, Stmt
from migrate.ir.types import BOOL, I32, I64, Pointer, Scalar, Type
from migrate.ir.walk import root

_OPS = {op.value: op for op in BinaryOp}


class OperatorReader(ValueReader):
    """Reads operators of built-in types; overloaded operators are calls."""

    def operator_value(self, c: Cursor) -> Expr:
        """See :meth:`ValueReader.operator_value`."""
        match c.form:
            case Form.UNARY:
                return self._unary(c)
            case Form.CONDITIONAL:
                return self._choice(c)
            case Form.COMPOUND_ASSIGN:
                return self._compound(c, used=True)
            case _:
                return self._binary(c)

    # --- unary

    def _unary(self, c: Cursor) -> Expr:
        inner = c.expressions[0]
        match c.operator:
            case "++" | "--" | "p++" | "p--":
                return self._step(c, used=True)
            case "*":
                return self.read(self.place(c))
            case "&":
                return self._address_of(inner, c)
            case "+":
                return self.convert(self.value(inner), self.types.read(c.type, c), c)
            case "-":
                return negate(self.convert(self.value(inner), self.types.read(c.type, c), c))
            case "~":
                operand = self.convert(self.value(inner), self.types.read(c.type, c), c)
                return Unary(UnaryOp.BITNOT, operand)
            case "!":
                return invert(coerce_bool(self.value(inner)))
            case "extension":
                return self.value(inner)
        raise self.unreadable(c)

    def _address_of(self, inner: Cursor, c: Cursor) -> Expr:
        if inner.type.form is TypeForm.FUNCTION:
            raise Refused(reading.FUNCTION_POINTER, f"address of {inner.name}", c)
        place = self.try_place(inner)
        if place is None:
            raise self.unreadable(c)
        return self.convert(self.address(place), self.types.read(c.type, c), c)

    def _step(self, c: Cursor, *, used: bool) -> Expr:
        operator = c.operator
        place = self.place(c.expressions[0])
        volatile = c.expressions[0].type.is_volatile
        before = self.read(place)
        if volatile:
            before = self.volatile_read(before)
            self.volatile_write(place)
        elif used and operator.startswith("p"):
            before = self.temporary(before, self.hint(place))
        minus = operator.endswith("--")
        kind = place.type
        if isinstance(kind, Pointer):
            after = self.pointer_plus(
                before if volatile else self.read(place), Const(1, I32), minus=minus
            )
        elif isinstance(kind, Scalar):
            wide = promote(kind)
            one = Const(1.0 if kind.is_float else 1, wide)
            op = BinaryOp.SUB if minus else BinaryOp.ADD
            after = coerce(
                Binary(op, coerce(before if volatile else self.read(place), wide), one), kind
            )
        else:
            raise self.unreadable(c)
        if operator.startswith("p"):
            self.store(place, after, c)
            return before
        return self.store_and_keep(place, after, c, used=used)

    @staticmethod
    def hint(place: Place) -> str:
        """A name for a temporary that holds a place's old value."""
        base = root(place)
        return f"{base.name}_old" if isinstance(base, VarPlace) else "old"

    # --- binary

    def _binary(self, c: Cursor) -> Expr:
        operator = c.operator
        parts = c.expressions
        if len(parts) != 2:
            raise self.unreadable(c)
        lhs, rhs = parts
        match operator:
            case "=":
                return self._assign(c, used=True)
            case ",":
                self.effect(lhs)
                return self.value(rhs)
            case "&&" | "||":
                return self._logic(c, operator == "&&")
        op = _OPS.get(operator)
        if op is None:
            raise self.unreadable(c)
        a, b = self.values((lhs, rhs))
        return self.combine(op, a, b, c)

    def combine(self, op: BinaryOp, a: Expr, b: Expr, at: Cursor) -> Expr:
        """``a op b`` after C's conversions."""
        match a.type, b.type:
            case Pointer(), Pointer():
                if op is BinaryOp.SUB:
                    return PtrDiff(a, b)
                if op in COMPARISONS:
                    return Binary(op, a, self.convert(b, a.type, at))
            case Pointer(), Scalar() if op in (BinaryOp.ADD, BinaryOp.SUB):
                return self.pointer_plus(a, b, minus=op is BinaryOp.SUB)
            case Scalar(), Pointer() if op is BinaryOp.ADD:
                return self.pointer_plus(b, a)
            case Scalar() as x, Scalar() as y:
                if op in SHIFTS:
                    return Binary(op, coerce(a, promote(x)), coerce(b, promote(y)))
                if x == y == BOOL and op in COMPARISONS:
                    return Binary(op, a, b)
                common = common_type(x, y)
                return fold_comparison(Binary(op, coerce(a, common), coerce(b, common)))
        raise Refused(
            reading.UNREADABLE_EXPRESSION, f"operator {op.value} on {a.type} and {b.type}", at
        )

    def _logic(self, c: Cursor, conjunction: bool) -> Expr:
        lhs, rhs = c.expressions
        first = coerce_bool(self.value(lhs))
        emitted, second = self.captured(lambda: coerce_bool(self.value(rhs)))
        if not emitted:
            if isinstance(first, Const):
                return second if bool(first.value) == conjunction else first
            return Binary(BinaryOp.LAND if conjunction else BinaryOp.LOR, first, second)
        result = self.temporary(first, "both" if conjunction else "either")
        guard: Expr = result if conjunction else invert(result)
        then = (*emitted, Assign(result.place, second, span=self.span_of(rhs)))
        self.emit(If(guard, then, span=self.span_of(c)))
        return result

    def _choice(self, c: Cursor) -> Expr:
        parts = c.expressions
        if len(parts) != 3:
            raise self.unreadable(c)
        cond = coerce_bool(self.value(parts[0]))
        if isinstance(cond, Const):
            return self.value(parts[1] if cond.value else parts[2])
        kind = self.types.read(c.type, c)
        one, first = self.captured(lambda: self.branch(parts[1], kind))
        two, second = self.captured(lambda: self.branch(parts[2], kind))
        if not one and not two:
            return Select(cond, first, second)
        name = self.fresh("chosen")
        self.emit(Declare(name, first.type, span=self.span))
        place = VarPlace(name, first.type)
        self.emit(
            If(
                cond,
                (*one, Assign(place, first, span=self.span_of(parts[1]))),
                (*two, Assign(place, second, span=self.span_of(parts[2]))),
                span=self.span_of(c),
            )
        )
        return Read(place)

    def branch(self, c: Cursor, kind: Type) -> Expr:
        """One side of a conditional as a value of its type."""
        return self.convert(self.value(c), kind, c)

    # --- assignment

    def store(self, place: Place, value: Expr, at: Cursor) -> None:
        """Emit ``place = value``."""
        held = self.under_cast(place)
        if held is not None:
            place, value = held, same_bits(value, held.type)
        self.emit(Assign(place, value, span=self.span_of(at)))

    def _assign(self, c: Cursor, *, used: bool) -> Expr:
        lhs, rhs = c.expressions
        # C++17: the right side is sequenced before the left
        value = self.value(rhs)
        mark = len(self.out)
        place = self.place(lhs)
        pinned = [value]
        self.pin(pinned, mark)
        value = self.convert(pinned[0], place.type, c)
        if lhs.type.is_volatile:
            self.volatile_write(place)
        return self.store_and_keep(place, value, c, used=used)

    def store_and_keep(self, place: Place, value: Expr, at: Cursor, *, used: bool) -> Expr:
        """Store a value that may be used further.

        A variable is read again; of other places the value is held, because the store may change
        what the place's indices read.
        """
        if used and not isinstance(place, VarPlace) and not _is_simple(value):
            value = self.temporary(value)
        self.store(place, value, at)
        return Read(place) if isinstance(place, VarPlace) else value

    def _compound(self, c: Cursor, *, used: bool) -> Expr:
        lhs, rhs = c.expressions
        op = _OPS[c.operator.removesuffix("=")]
        value = self.value(rhs)
        mark = len(self.out)
        place = self.place(lhs)
        pinned = [value]
        self.pin(pinned, mark)
        old = self.read(place)
        if lhs.type.is_volatile:
            old = self.volatile_read(old)
            self.volatile_write(place)
        result = self.combine(op, old, pinned[0], c)
        return self.store_and_keep(place, self.convert(result, place.type, c), c, used=used)

    # --- effects

    def effect(self, c: Cursor) -> None:
        """See :meth:`Reader.effect`."""
        try:
            self._effect(c)
        except NotAPlace:
            raise self.unreadable(c) from None

    def _effect(self, c: Cursor) -> None:
        match c.form:
            case Form.PAREN:
                self.effect(c.expressions[0])
            case Form.UNARY if c.operator.endswith(("++", "--")):
                self._step(c, used=False)
            case Form.COMPOUND_ASSIGN:
                self._compound(c, used=False)
            case Form.BINARY if c.operator == "=":
                self._assign(c, used=False)
            case Form.BINARY if c.operator == ",":
                for part in c.expressions:
                    self.effect(part)
            case Form.CONDITIONAL:
                self._choose_effect(c)
            case Form.CALL:
                self.call_effect(c)
            case Form.STMT_EXPR:
                for part in c.expressions[0].children:
                    self.statement(part)
            case Form.UNEXPOSED | Form.CAST if len(c.expressions) == 1:
                self.effect(c.expressions[0])
            case _:
                self.value(c)  # nothing of it remains, but its effects do

    def call_effect(self, c: Cursor) -> None:
        """A call as a statement."""
        self.call_value(c)

    def _choose_effect(self, c: Cursor) -> None:
        parts = c.expressions
        cond = coerce_bool(self.value(parts[0]))
        if _is_assertion(parts[2]):
            self.emit(Effect("assert", (cond,), span=self.span_of(c)))
            return
        then: list[Stmt] = []
        other: list[Stmt] = []
        with self.into(then):
            self.effect(parts[1])
        with self.into(other):
            self.effect(parts[2])
        if then or other:
            if not then:
                cond, then, other = invert(cond), other, then
            self.emit(If(cond, tuple(then), tuple(other), span=self.span_of(c)))


def fold_comparison(e: Binary) -> Expr:
    """A comparison of two constants is known: template arguments decide branches."""
    if not (isinstance(e.lhs, Const) and isinstance(e.rhs, Const)):
        return e
    a, b = e.lhs.value, e.rhs.value
    match e.op:
        case BinaryOp.EQ:
            return Const(a == b, BOOL)
        case BinaryOp.NE:
            return Const(a != b, BOOL)
        case BinaryOp.LT:
            return Const(a < b, BOOL)
        case BinaryOp.LE:
            return Const(a <= b, BOOL)
        case BinaryOp.GT:
            return Const(a > b, BOOL)
        case BinaryOp.GE:
            return Const(a >= b, BOOL)
        case _:
            return e


def _is_simple(e: Expr) -> bool:
    """A value that costs nothing to repeat and cannot change: a constant or a whole local."""
    return isinstance(e, Const) or (isinstance(e, Read) and isinstance(e.place, VarPlace))


def _is_assertion(c: Cursor) -> bool:
    """The failing branch of the C library's ``assert``."""
    while c.form in (Form.PAREN, Form.UNEXPOSED) and len(c.expressions) == 1:
        c = c.expressions[0]
    return c.form is Form.CALL and c.name in ("__assert_fail", "__assert", "_assert")


POINTER_STEP = Const(1, I32)
POINTER_DISTANCE = I64
