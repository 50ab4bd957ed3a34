"""A small interpreter of the SIMT dialect for one thread, as a yardstick in tests.

It is written from the IR's documentation alone and shares no code with the front end. Buffers are
Python lists; a pointer is a buffer with an index. Pointer casts between element types are left out.
"""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
    FieldPlace,
    IndexVar,
    Invoke,
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import (
    Assign,
    Atomic,
    AtomicOp,
    Break,
    CallStmt,
    Continue,
    Declare,
    DoWhile,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import Array, Kind, Scalar, Struct, Type, Vector

Value = object


@dataclass(frozen=True)
class Ptr:
    """An element of a buffer."""

    buffer: list[Value]
    index: int


class _Leave(Exception):
    """Control flow."""


class _Break(_Leave):
    pass


class _Continue(_Leave):
    pass


class _Return(_Leave):
    def __init__(self, value: Value) -> None:
        self.value = value


def fit(value: Value, kind: Type) -> Value:
    """A number in a scalar type."""
    assert isinstance(kind, Scalar)
    if kind.kind is Kind.BOOL:
        return bool(value)
    assert isinstance(value, int | float)
    if kind.is_float:
        number = float(value)
        code = {Kind.F16: "e", Kind.F32: "f", Kind.F64: "d"}[kind.kind]
        try:
            return struct.unpack(code, struct.pack(code, number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)
    whole = math.trunc(value) & ((1 << kind.bits) - 1)
    return whole - (1 << kind.bits) if kind.is_signed and whole >> (kind.bits - 1) else whole


def copied(value: Value) -> Value:
    """A struct's value, members included; pointers still point where they did."""
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    if isinstance(value, list):
        return [copied(v) for v in value]
    return value


@dataclass
class Machine:
    """Runs kernels and functions of a module."""

    module: Module
    intrinsics: dict[str, Callable[..., Value]] = field(default_factory=dict)

    def run(self, item: Kernel | Function, args: list[Value]) -> Value:
        """Call with arguments; pointers are :class:`Ptr`."""
        scope = {p.name: [a] for p, a in zip(item.params, args, strict=True)}
        try:
            self._block(item.body, scope)
        except _Return as result:
            return result.value
        return None

    # --- values

    def blank(self, kind: Type) -> Value:
        """A value to declare a variable with."""
        if isinstance(kind, Array):
            return [self.blank(kind.element) for _ in range(kind.length)]
        if isinstance(kind, Struct):
            return {f.name: self.blank(f.type) for f in self.module.struct(kind.name).fields}
        if isinstance(kind, Vector):
            return dict.fromkeys(kind.members, 0)
        return None

    def expr(self, e: Expr, scope: dict[str, list[Value]]) -> Value:
        match e:
            case Const(value):
                return value
            case IndexVar():
                return 0
            case Read(place):
                buffer, key = self.place(place, scope)
                found = buffer[key]
                return copied(found)
            case AddressOf(ArrElem(base, index)):
                inner, key = self.place(base, scope)
                return Ptr(inner[key], self.expr(index, scope))
            case AddressOf(place):
                buffer, key = self.place(place, scope)
                return Ptr(buffer, key)
            case Unary(op, operand):
                value = self.expr(operand, scope)
                if op is UnaryOp.NOT:
                    return not value
                return fit(-value if op is UnaryOp.NEG else ~value, e.type)
            case Binary(op, lhs, rhs):
                return self._binary(op, lhs, rhs, e, scope)
            case Select(cond, then, other):
                return self.expr(then if self.expr(cond, scope) else other, scope)
            case Cast(operand, kind):
                value = self.expr(operand, scope)
                return value if isinstance(value, Ptr) else fit(value, kind)
            case Call(name, args):
                return self.intrinsics[name](*(self.expr(a, scope) for a in args))
            case Invoke(function, args):
                values = [self.expr(a, scope) for a in args]
                return self.run(self.module.function(function), values)
            case PtrAdd(pointer, offset):
                p = self.expr(pointer, scope)
                return Ptr(p.buffer, p.index + self.expr(offset, scope))
            case PtrDiff(lhs, rhs):
                return self.expr(lhs, scope).index - self.expr(rhs, scope).index
            case Compose(parts, Struct(name)):
                names = [f.name for f in self.module.struct(name).fields]
                return {n: self.expr(p, scope) for n, p in zip(names, parts, strict=True)}
            case Compose(parts, kind):
                return {n: self.expr(p, scope) for n, p in zip(kind.members, parts, strict=True)}
            case Extract(value, name):
                return self.expr(value, scope)[name]
        raise NotImplementedError(type(e).__name__)

    def _binary(self, op, lhs, rhs, e, scope):
        if op is BinaryOp.LAND:
            return bool(self.expr(lhs, scope)) and bool(self.expr(rhs, scope))
        if op is BinaryOp.LOR:
            return bool(self.expr(lhs, scope)) or bool(self.expr(rhs, scope))
        a, b = self.expr(lhs, scope), self.expr(rhs, scope)
        if isinstance(a, Ptr):
            a, b = a.index, b.index
        match op:
            case BinaryOp.DIV:
                if lhs.type.is_float:
                    return fit(a / b, lhs.type)
                quotient = abs(a) // abs(b)
                return fit(quotient if (a < 0) == (b < 0) else -quotient, lhs.type)
            case BinaryOp.REM:
                return fit(int(math.copysign(abs(a) % abs(b), a)) if a else 0, lhs.type)
            case BinaryOp.SHL:
                return fit(a << b, lhs.type)
            case BinaryOp.SHR:
                return fit(a >> b, lhs.type)
        plain = {
            "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b,
            "|": lambda: a | b, "^": lambda: a ^ b,
        }  # fmt: skip
        if op.value in plain:
            return fit(plain[op.value](), lhs.type)
        return {
            "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b,
        }[op.value]  # fmt: skip

    def place(self, p: Place, scope: dict[str, list[Value]]):
        match p:
            case VarPlace(name):
                return scope[name], 0
            case PtrElem(pointer, index):
                base = self.expr(pointer, scope)
                at = base.index + self.expr(index, scope) if index != Const(0, index.type) else None
                return base.buffer, base.index if at is None else at
            case ArrElem(base, index):
                buffer, key = self.place(base, scope)
                return buffer[key], self.expr(index, scope)
            case FieldPlace(base, name):
                buffer, key = self.place(base, scope)
                return buffer[key], name
        raise NotImplementedError(type(p).__name__)

    # --- statements

    def _block(self, stmts: tuple[Stmt, ...], scope: dict[str, list[Value]]) -> None:
        for s in stmts:
            self.stmt(s, scope)

    def stmt(self, s: Stmt, scope: dict[str, list[Value]]) -> None:
        match s:
            case Declare(name, kind, init):
                scope[name] = [self.blank(kind) if init is None else self.expr(init, scope)]
            case Assign(place, value):
                result = self.expr(value, scope)
                buffer, key = self.place(place, scope)
                buffer[key] = result
            case If(cond, then, other):
                self._block(then if self.expr(cond, scope) else other, scope)
            case For(init, cond, step, body):
                self._block(init, scope)
                self._loop(lambda: self.expr(cond, scope), body, step, scope)
            case While(cond, body):
                self._loop(lambda: self.expr(cond, scope), body, (), scope)
            case DoWhile(body, cond):
                first = [True]

                def again() -> Value:
                    if first[0]:
                        first[0] = False
                        return True
                    return self.expr(cond, scope)

                self._loop(again, body, (), scope)
            case Switch(value, cases):
                found = self.expr(value, scope)
                arm = next((c for c in cases if found in c.values), None)
                arm = arm or next((c for c in cases if not c.values), None)
                if arm is not None:
                    with contextlib.suppress(_Break):
                        self._block(arm.body, scope)
            case Break():
                raise _Break
            case Continue():
                raise _Continue
            case Return(value):
                raise _Return(None if value is None else self.expr(value, scope))
            case CallStmt(function, args, result):
                values = [self.expr(a, scope) for a in args]
                got = self.run(self.module.function(function), values)
                if result is not None:
                    scope[result] = [got]
            case Atomic(op, place, operands, result):
                buffer, key = self.place(place, scope)
                old = buffer[key]
                values = [self.expr(o, scope) for o in operands]
                new = {
                    AtomicOp.ADD: lambda: fit(old + values[0], place.type),
                    AtomicOp.EXCH: lambda: values[0],
                    AtomicOp.CAS: lambda: values[1] if old == values[0] else old,
                }[op]()
                buffer[key] = new
                if result is not None:
                    scope[result] = [old]
            case _:
                raise NotImplementedError(type(s).__name__)

    def _loop(self, test, body, step, scope) -> None:
        rounds = 0
        while test():
            rounds += 1
            assert rounds < 10_000, "endless loop"
            try:
                self._block(body, scope)
            except _Break:
                return
            except _Continue:
                pass
            self._block(step, scope)
