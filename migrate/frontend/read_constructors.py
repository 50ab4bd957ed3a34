"""Constructors: calls of the user's, and what the compiler writes where there are none."""

from __future__ import annotations

from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.init_lists import Init, member_default
from migrate.frontend.read_calls import CallReader
from migrate.frontend.read_groups import group_size
from migrate.frontend.read_library import owners_of
from migrate.frontend.refusal import Refused
from migrate.frontend.types import (
    has_default_value,
    identifier,
    is_implicit,
    is_plain,
    member_name,
)
from migrate.ir.expr import ArrElem, Compose, Const, Expr, FieldPlace, Place, Read, VarPlace
from migrate.ir.simt import Declare
from migrate.ir.types import I32, Array, Scalar, Struct, Type, Vector


class ConstructorReader(CallReader):
    """Reads how objects come into being."""

    def construct(self, c: Cursor, callee: Cursor) -> Expr:
        """A constructor call as a value."""
        kind = self.types.read(c.type, c)
        given = c.arguments
        if isinstance(kind, Scalar | Vector):
            return self.construct_known(c, kind, self.arguments(c, callee))
        if isinstance(kind, Struct) and group_size(c.type.spelling) is not None:
            return Compose((), kind)
        if not isinstance(kind, Struct):
            raise Refused(reading.CONSTRUCTOR, f"construction of {c.type.spelling}", c)
        if len(given) == 1 and self._same_record(given[0], kind) and is_implicit(callee):
            return self.convert(self.value(given[0]), kind, c)
        name = self.fresh(identifier(callee.name).lower() + "_value")
        self.emit(Declare(name, kind, span=self.span_of(c)))
        place = VarPlace(name, kind)
        self.construct_into(place, c, callee)
        return Read(place)

    def construct_into(self, place: Place, c: Cursor, callee: Cursor) -> None:
        """Run a constructor on a place that was declared."""
        kind = place.type
        given = c.arguments
        assert isinstance(kind, Struct)
        if "cooperative_groups" in owners_of(callee) and not self.types.struct(kind.name).fields:
            return
        if is_implicit(callee):
            if given:
                source = self.convert(self.value(given[0]), kind, c)
                self.store(place, source, c)
            else:
                self._default_members(place, kind, c)
            return
        self._run_constructor(place, c, callee, self.arguments(c, callee))

    def _run_constructor(
        self, place: Place, c: Cursor, callee: Cursor, cursors: tuple[Cursor, ...]
    ) -> None:
        function = self.unit.device_function(callee.definition or callee, c)
        args: list[Expr] = [self.address(place)]
        for argument, parameter, own in zip(
            cursors, callee.arguments, function.params[1:], strict=True
        ):
            mark = len(self.out)
            reference = parameter.type.is_reference
            value = self.argument(argument, own.type, reference=reference, const=True, at=c)
            self.pin(args, mark)
            args.append(value)
        self.finish_call(function, tuple(args), c, used=False)

    def _default_members(self, place: Place, kind: Struct, c: Cursor) -> None:
        """The default constructor that the compiler writes: members one by one."""
        shape = self.types.declaration(kind.name)
        definition = self.types.struct(kind.name)
        declared = {member_name(m): m for m in shape.children if m.form is Form.FIELD}
        for field in definition.fields:
            member = declared.get(field.name)
            target = FieldPlace(place, field.name, field.type)
            if member is not None and has_default_value(member):
                self.fill(target, member.expressions[-1], c)
            else:
                self.default_construct(target, c)

    def default_construct(self, place: Place, c: Cursor) -> None:
        """Default-initialise a place: plain types stay undefined, classes are constructed."""
        kind = place.type
        if isinstance(kind, Array):
            if self._needs_construction(kind.element):
                for i in range(kind.length):
                    self.default_construct(ArrElem(place, Const(i, I32)), c)
            return
        if not isinstance(kind, Struct) or not self._needs_construction(kind):
            return
        shape = self.types.declaration(kind.name)
        if is_plain(shape):
            self._default_members(place, kind, c)
            return
        own = [m for m in shape.children if m.form is Form.CONSTRUCTOR]
        usable = [m for m in own if all(p.expressions for p in m.arguments)]
        if shape.form is Form.CLASS_TEMPLATE or (own and len(usable) != 1):
            raise Refused(reading.CONSTRUCTOR, f"default constructor of {kind}", c)
        if not own:
            self._default_members(place, kind, c)
            return
        defaults = tuple(p.expressions[-1] for p in usable[0].arguments)
        self._run_constructor(place, c, usable[0], defaults)

    def _needs_construction(self, kind: Type) -> bool:
        match kind:
            case Array():
                return self._needs_construction(kind.element)
            case Struct():
                if not is_plain(self.types.declaration(kind.name)):
                    return True
                return any(self._needs_construction(f) for f in self.struct_fields(kind))
            case _:
                return False

    def value_constructed(self, kind: Struct, at: Cursor) -> Expr:
        """See :meth:`ValueReader.value_constructed`."""
        name = self.fresh("made")
        self.emit(Declare(name, kind, span=self.span_of(at)))
        place = VarPlace(name, kind)
        self.value_initialise(place, at)
        return Read(place)

    def value_initialise(self, place: Place, at: Cursor) -> None:
        """``T{}``: a constructor of the user's where there is one, else members one by one, each
        with its default value or zero."""
        kind = place.type
        match kind:
            case Array(_, length):
                for i in range(length):
                    self.value_initialise(ArrElem(place, Const(i, I32)), at)
            case Struct():
                shape = self.types.declaration(kind.name)
                if any(m.form is Form.CONSTRUCTOR for m in shape.children):
                    self.default_construct(place, at)
                    return
                definition = self.types.struct(kind.name)
                fields = definition.fields[:1] if definition.union else definition.fields
                for i, field in enumerate(fields):
                    member = FieldPlace(place, field.name, field.type)
                    given = member_default(kind, i, self.types)
                    if given is None:
                        self.value_initialise(member, at)
                    else:
                        self.fill(member, given, at)
            case _:
                blank = self.blank(kind, at)
                assert blank is not None
                self.store(place, blank, at)

    @abstractmethod
    def fill(self, place: Place, init: Init, at: Cursor) -> None:
        """Assign an initialiser to a place."""
