"""Expressions and places of IR text: the middle layer of :mod:`migrate.ir.parser`."""

from __future__ import annotations

from migrate.ir.expr import (
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
from migrate.ir.kernel import StructDef
from migrate.ir.text_tokens import IrSyntaxError, TokenReader
from migrate.ir.types import BOOL, Pointer, Scalar, Struct, Type, Vector

_BINARY = {op.value: op for op in BinaryOp}
_UNARY = {op.value: op for op in UnaryOp}
_BUILTIN = {b.value: b for b in Builtin}


class ExprReader(TokenReader):
    """Reads expressions; knows the types of what is in scope."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._structs: dict[str, StructDef] = {}
        self._globals: dict[str, Type] = {}
        self._scope: dict[str, Type] = {}

    def _args(self, close: str = ")") -> tuple[Expr, ...]:
        out: list[Expr] = []
        while not self._accept(close):
            if out:
                self._take(",")
            out.append(self.expr())
        return tuple(out)

    def expr(self) -> Expr:
        """Read an expression."""
        e = self._primary()
        while self._next.text == "[" and self._next.kind == "op":
            e = self._postfix(self._element(e))
        return e

    def _element(self, pointer: Expr) -> Place:
        self._take("[")
        index = self.expr()
        self._take("]")
        return PtrElem(pointer, index)

    def _members(self, place: Place) -> Place:
        while True:
            if self._accept(".["):
                index = self.expr()
                self._take("]")
                place = ArrElem(place, index)
            elif self._accept("."):
                name = self._name()
                place = FieldPlace(place, name, self._field_type(place.type, name))
            else:
                return place

    def _postfix(self, place: Place) -> Expr:
        return Read(self._members(place))

    def _field_type(self, base: Type, name: str) -> Type:
        match base:
            case Vector(element=element):
                return element
            case Struct(struct) if struct in self._structs:
                for f in self._structs[struct].fields:
                    if f.name == name:
                        return f.type
                raise self._fail(f"a member of {struct}")
            case _:
                raise self._fail(f"a struct before .{name}")

    def _primary(self) -> Expr:
        t = self._next
        if t.kind in ("number", "int"):
            return self._number()
        if t.kind == "string":
            return Text(self._string())
        if t.text == "(":
            return self._parenthesised()
        if t.kind == "name":
            return self._named()
        raise self._fail("an expression")

    def _number(self) -> Expr:
        text = self._take()
        self._take(":")
        kind = self.type()
        if not isinstance(kind, Scalar):
            raise self._fail("a scalar type")
        return Const(float(text) if kind.is_float else int(text), kind)

    def _parenthesised(self) -> Expr:
        self._take("(")
        if self._next.text in _UNARY and self._next.kind == "op":
            op = _UNARY[self._take()]
            operand = self.expr()
            self._take(")")
            return Unary(op, operand)
        lhs = self.expr()
        if self._accept("?"):
            then = self.expr()
            self._take(":")
            other = self.expr()
            self._take(")")
            return Select(lhs, then, other)
        if self._next.text not in _BINARY:
            raise self._fail("an operator")
        binary = _BINARY[self._take()]
        rhs = self.expr()
        self._take(")")
        return Binary(binary, lhs, rhs)

    def _named(self) -> Expr:
        name = self._name()
        if name in ("true", "false"):
            return Const(name == "true", BOOL)
        if name in _BUILTIN:
            self._take(".")
            return IndexVar(_BUILTIN[name], self._name())
        if self._next.text == "<" and name in ("cast", "bits", "addr", "null", "make", "get"):
            return self._typed(name)
        if self._next.text == "<" and name in ("call", "invoke"):
            kind = self._angle_type()
            callee = self._name()
            self._take("(")
            args = self._args()
            return Call(callee, args, kind) if name == "call" else Invoke(callee, args, kind)
        if self._next.text == "(" and name in ("padd", "pdiff"):
            self._take("(")
            a, b = self._args()
            return PtrAdd(a, b) if name == "padd" else PtrDiff(a, b)
        return self._postfix(self._variable(name))

    def _typed(self, name: str) -> Expr:
        kind = self._angle_type()
        if name == "null":
            if not isinstance(kind, Pointer):
                raise self._fail("a pointer type")
            return NullPtr(kind)
        self._take("(")
        if name == "addr":
            place = self.place()
            self._take(")")
            if not isinstance(kind, Pointer):
                raise self._fail("a pointer type")
            return AddressOf(place, kind)
        if name == "get":
            value = self.expr()
            self._take(",")
            field = self._name()
            self._take(")")
            return Extract(value, field, kind)
        args = self._args()
        if name == "make":
            if not isinstance(kind, Vector | Struct):
                raise self._fail("a struct or vector type")
            return Compose(args, kind)
        (operand,) = args
        return Cast(operand, kind) if name == "cast" else Bitcast(operand, kind)

    def _variable(self, name: str) -> VarPlace:
        kind = self._scope.get(name) or self._globals.get(name)
        if kind is None:
            raise IrSyntaxError(f"line {self._next.line}: {name} is not declared")
        return VarPlace(name, kind)

    def place(self) -> Place:
        """Read a place."""
        e = self.expr()
        if not isinstance(e, Read):
            raise self._fail("a place")
        return e.place
