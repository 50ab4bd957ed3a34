"""Lambda expressions as struct values, and the bodies of their call operators."""

from __future__ import annotations

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor
from migrate.frontend.lambdas import Capture, captures
from migrate.frontend.read_constructors import ConstructorReader
from migrate.frontend.reader import Variable
from migrate.frontend.refusal import Refused
from migrate.ir.expr import Compose, Const, Expr, FieldPlace, PtrElem, Read
from migrate.ir.types import I32, Array, Pointer, Struct, Type


class ClosureReader(ConstructorReader):
    """Reads lambdas: captures by value are members, captures by reference are pointers."""

    def closure(self, c: Cursor) -> Expr:
        """See :meth:`ValueReader.closure`."""
        kind = self.types.read(c.type, c)
        assert isinstance(kind, Struct)
        parts: list[Expr] = []
        held = zip(captures(c.type.declaration), self.types.struct(kind.name).fields, strict=True)
        for capture, field in held:
            mark = len(self.out)
            part = self._captured(capture, field.type, c)
            self.pin(parts, mark)
            parts.append(part)
        return Compose(tuple(parts), kind)

    def _captured(self, capture: Capture, kind: Type, c: Cursor) -> Expr:
        if capture.variable is None:
            if self.this is None:
                raise Refused(reading.LAMBDA, "the captured object is not known", c)
            return self.convert(self.this, kind, c)
        if isinstance(kind, Array):
            raise Refused(reading.LAMBDA, f"array {capture.field} is captured by value", c)
        source = capture.given
        if source is not None and not capture.by_reference:
            return self.convert(self.value_or_list(source, kind), kind, c)
        if source is not None:
            place = self.place(source)
        else:
            known = self.variables.get(capture.variable)
            if known is None:
                raise Refused(reading.LAMBDA, f"captured {capture.field} is not known", c)
            place = known.place
        if capture.by_reference:
            return self.convert(self.address(place), kind, c)
        return self.convert(self.read(place), kind, c)

    def enter_closure(self, record: Cursor) -> None:
        """Make the captured variables known inside of a closure's call operator."""
        assert self.this is not None and isinstance(self.this.type, Pointer)
        kind = self.this.type.pointee
        assert isinstance(kind, Struct)
        closure = PtrElem(self.this, Const(0, I32))
        self.this = None
        held = zip(captures(record), self.types.struct(kind.name).fields, strict=True)
        for capture, field in held:
            place = FieldPlace(closure, field.name, field.type)
            if capture.variable is None:
                self.this = Read(place)
            elif capture.by_reference:
                assert isinstance(field.type, Pointer)
                target = PtrElem(Read(place), Const(0, I32))
                self.know(capture.variable, Variable(target, field.type.space))
            else:
                self.know(capture.variable, Variable(place, self.space_of(place)))
