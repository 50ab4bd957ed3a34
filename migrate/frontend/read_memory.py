"""``memcpy`` and ``memset`` in device code, as assignments.

A copy of one whole object is an assignment, with a bit cast where the types differ. Longer ones are
loops over units that both sides are aligned for.
"""

from __future__ import annotations

from collections.abc import Callable

from migrate.core.codes import reading
from migrate.frontend.convert import coerce
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.globals import size_of
from migrate.frontend.read_operators import OperatorReader
from migrate.frontend.refusal import Refused
from migrate.ir.expr import Binary, BinaryOp, Bitcast, Cast, Const, Expr, Place, Read, VarPlace
from migrate.ir.simt import Assign, Declare, For, Stmt
from migrate.ir.types import (
    I32,
    U8,
    U16,
    U32,
    U64,
    Array,
    Pointer,
    Scalar,
    Struct,
    Type,
    Vector,
    Void,
)

_Step = Callable[[Expr], tuple[Place, Expr]]
"""The place and the value of one unit of a copy or fill."""
COPIES = frozenset({"memcpy", "__builtin_memcpy", "memmove", "__builtin_memmove"})
FILLS = frozenset({"memset", "__builtin_memset"})
_UNITS = {1: U8, 2: U16, 4: U32, 8: U64}
_UNROLLED = 8


class MemoryReader(OperatorReader):
    """Reads copies and fills of memory."""

    def memory_call(self, name: str, c: Cursor, *, used: bool) -> None:
        """Emit a copy or a fill. Raises ``Refused`` with CM1110."""
        if used:
            raise Refused(reading.UNREADABLE_EXPRESSION, f"result of {name} is used", c)
        target_cursor, source_cursor, size_cursor = c.arguments
        mark = len(self.out)
        target = self._pointer(target_cursor)
        operands = [target]
        source = self._pointer(source_cursor) if name in COPIES else self.value(source_cursor)
        self.pin(operands, mark)
        operands.append(source)
        mark = len(self.out)
        size = self.value(size_cursor)
        self.pin(operands, mark)
        if name in COPIES:
            self._copy(name, operands[0], operands[1], size, c)
        else:
            self._fill_memory(operands[0], operands[1], size, c)

    def _pointer(self, c: Cursor) -> Expr:
        """A pointer argument with its own type, before it becomes ``void*``."""
        node = c
        while node.form in (Form.UNEXPOSED, Form.PAREN, Form.CAST) and len(node.expressions) == 1:
            inner = node.expressions[0]
            if inner.type.form not in (TypeForm.POINTER, TypeForm.ARRAY):
                break
            if inner.type.form is TypeForm.ARRAY:
                return self.decay(self.place(inner))
            if node.form is Form.CAST and not self._is_void(node):
                break
            node = inner
        return self.value(node)

    @staticmethod
    def _is_void(c: Cursor) -> bool:
        return c.type.pointee.form is TypeForm.VOID

    def _copy(self, name: str, target: Expr, source: Expr, size: Expr, c: Cursor) -> None:
        to, from_ = _pointee(target, c), _pointee(source, c)
        whole = isinstance(size, Const) and size.value == self._size(to) == self._size(from_)
        simple = not isinstance(to, Array) and not isinstance(from_, Array)
        if whole and simple and (to == from_ or (_has_bits(to) and _has_bits(from_))):
            value = Read(self.element_of(source, Const(0, I32)))
            same = to == from_
            self.store(
                self.element_of(target, Const(0, I32)), value if same else Bitcast(value, to), c
            )
            return
        if "memmove" in name:
            raise Refused(reading.UNREADABLE_EXPRESSION, "memmove of several elements", c)
        unit = self._unit(to, from_, size)

        def step(index: Expr) -> tuple[Place, Expr]:
            return self._at(target, unit, index), Read(self._at(source, unit, index))

        self._each(size, unit, step, c)

    def _fill_memory(self, target: Expr, byte: Expr, size: Expr, c: Cursor) -> None:
        to = _pointee(target, c)
        if not isinstance(byte, Const):
            raise Refused(reading.UNREADABLE_EXPRESSION, "memset with a variable byte", c)
        pattern = int(byte.value) & 0xFF
        unit = self._unit(to, to, size)
        repeated = int.from_bytes(bytes([pattern]) * unit.bytes, "little", signed=unit.is_signed)
        value: Expr = Const(repeated, unit)
        if unit.is_float:
            value = Const(0.0, unit)
        elif unit != to and pattern == 0 and isinstance(to, Scalar) and to.bytes == unit.bytes:
            unit, value = to, coerce(value, to)

        def step(index: Expr) -> tuple[Place, Expr]:
            return self._at(target, unit, index), value

        self._each(size, unit, step, c)

    def _size(self, kind: Type) -> int:
        return size_of(kind, self.types)

    def _unit(self, to: Type, from_: Type, size: Expr) -> Scalar:
        """The largest unit that both sides are aligned for and that divides the size."""
        if to == from_ and isinstance(to, Scalar) and to.is_integer:
            if isinstance(size, Const) and int(size.value) % to.bytes == 0:
                return to
        width = min(self._alignment(to), self._alignment(from_))
        if not isinstance(size, Const):
            return U8
        while int(size.value) % width:
            width //= 2
        return _UNITS[width]

    def _alignment(self, kind: Type) -> int:
        match kind:
            case Array(element):
                return self._alignment(element)
            case Struct(name):
                return min(8, self.types.struct(name).align)
            case Vector(element=element):
                return element.bytes
            case Scalar():
                return kind.bytes
            case Pointer():
                return 8
            case Void():
                return 1

    def _at(self, pointer: Expr, unit: Scalar, index: Expr) -> Place:
        kind = pointer.type
        assert isinstance(kind, Pointer)
        if kind.pointee == unit:
            return self.element_of(pointer, index)
        return self.element_of(Cast(pointer, Pointer(unit, kind.space, kind.const)), index)

    def _each(self, size: Expr, unit: Scalar, step: _Step, c: Cursor) -> None:
        if isinstance(size, Const) and int(size.value) // unit.bytes <= _UNROLLED:
            for i in range(int(size.value) // unit.bytes):
                place, value = step(Const(i, I32))
                self.store(place, value, c)
            return
        count: Expr = coerce(size, U64)
        if isinstance(size, Const):
            count = Const(int(size.value) // unit.bytes, U64)
        elif unit.bytes != 1:
            raise Refused(reading.UNREADABLE_EXPRESSION, "copy of a variable size", c)
        counter = VarPlace(self.fresh("i"), U64)
        body: list[Stmt] = []
        with self.into(body):
            place, value = step(Read(counter))
            self.store(place, value, c)
        span = self.span_of(c)
        held = self.temporary(count, "size")
        start = Declare(counter.name, U64, Const(0, U64), span=span)
        cond = Binary(BinaryOp.LT, Read(counter), held)
        after = Assign(counter, Binary(BinaryOp.ADD, Read(counter), Const(1, U64)), span=span)
        self.emit(For((start,), cond, (after,), tuple(body), span=span))


def _pointee(pointer: Expr, c: Cursor) -> Type:
    if not isinstance(pointer.type, Pointer):
        raise Refused(reading.UNREADABLE_EXPRESSION, "copy from what is no pointer", c)
    return pointer.type.pointee


def _has_bits(kind: Type) -> bool:
    """A value that a bit cast takes."""
    return isinstance(kind, Scalar | Vector)
