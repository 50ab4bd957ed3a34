"""Declarations inside functions: variables, references, arrays and their initialisers."""

from __future__ import annotations

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.init_lists import Elided, Init, arranged, member_default
from migrate.frontend.read_calls import takes_function
from migrate.frontend.read_closures import ClosureReader
from migrate.frontend.reader import Variable, strip
from migrate.frontend.refusal import Refused
from migrate.ir.expr import (
    ArrElem,
    Const,
    FieldPlace,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.simt import Declare
from migrate.ir.types import I32, Array, Pointer, Space, Struct, Type


class DeclarationReader(ClosureReader):
    """Reads declaration statements."""

    def declaration(self, c: Cursor) -> None:
        """One declared name: a variable, or something that does nothing at run time."""
        if c.form in (Form.RECORD, Form.UNION, Form.ENUM, Form.TYPE_NAME):
            return  # nothing happens at run time
        if c.form is Form.LINKAGE and c.name.startswith("["):
            self._bindings(c)
            return
        if c.form is not Form.VAR:
            raise Refused(reading.STRUCTURED_BINDING, f"declaration by {c.raw_kind}", c)
        shared = "CUDASHARED_ATTR" in c.attributes
        if c.is_static_storage and not shared and not c.type.is_const:
            raise Refused(reading.STATIC_LOCAL, f"{c.name} keeps its value between calls", c)
        if shared:
            kind = self.types.read(c.type, c, Space.SHARED)
            name = self.fresh(c.name)
            self.bind(c, name, kind, Space.SHARED)
            self.emit(Declare(name, kind, None, Space.SHARED, span=self.span_of(c)))
            return
        init = self._initialiser(c)
        if takes_function(c.type) and init is not None:
            target = self.static_function(init)
            if target is not None:
                self.functions[c] = target
                return
        if c.type.is_reference:
            self._reference_declaration(c, init)
            return
        kind = self.types.read(c.type, c)
        self._variable_declaration(c, kind, init)

    def _bindings(self, c: Cursor) -> None:
        """``auto [x, y] = p;``: names for the members or elements of one hidden object."""
        *names, init = c.expressions
        reference = c.type.is_reference
        kind = self.types.read(c.type.pointee if reference else c.type, c)
        if isinstance(kind, Struct):
            if c.type.spelling.removeprefix("const ").startswith("std::"):
                raise Refused(reading.STRUCTURED_BINDING, f"binding of {c.type.spelling}", c)
            fields = self.types.struct(kind.name).fields
        else:
            fields = ()
        count = kind.length if isinstance(kind, Array) else len(fields)
        if count != len(names) or any(f.name.startswith("base_") for f in fields):
            raise Refused(reading.STRUCTURED_BINDING, f"binding of {c.type.spelling}", c)
        source = self._bound(c, init, kind, reference=reference)
        for i, declared in enumerate(names):
            place: Place
            if isinstance(kind, Array):
                place = ArrElem(source, Const(i, I32))
            else:
                place = FieldPlace(source, fields[i].name, fields[i].type)
            self.know(declared, Variable(place, self.space_of(place)))

    def _bound(self, c: Cursor, init: Cursor, kind: Type, *, reference: bool) -> Place:
        """The object that a structured binding names the parts of."""
        if not reference and isinstance(kind, Struct):
            value = self.convert(self.value_or_list(init, kind), kind, c)
            return self.temporary(value, "bound").place
        node = init.expressions[0] if isinstance(kind, Array) and not reference else init
        place = self.try_place(node)
        if place is None or place.type != kind:
            raise Refused(reading.STRUCTURED_BINDING, f"binding of {c.type.spelling}", c)
        if reference:
            if self.is_fixed(place):
                return place
            return PtrElem(self.temporary(self.address(place), "bound"), Const(0, I32))
        assert isinstance(kind, Array)
        if isinstance(kind.element, Array):
            raise Refused(reading.STRUCTURED_BINDING, f"binding of {c.type.spelling}", c)
        copy = VarPlace(self.fresh("bound"), kind)
        self.emit(Declare(copy.name, kind, span=self.span_of(c)))
        for i in range(kind.length):
            element = Read(ArrElem(place, Const(i, I32)))
            self.store(ArrElem(copy, Const(i, I32)), element, c)
        return copy

    def _initialiser(self, c: Cursor) -> Cursor | None:
        parts = list(c.expressions)
        # an array's lengths are children as well and come before the initialiser
        depth = 0
        kind = c.type
        while kind.form is TypeForm.ARRAY:
            depth += 1
            kind = kind.element
        if depth:
            last = parts[-1] if parts else None
            if last is None or last.form not in (
                Form.INIT_LIST, Form.STRING, Form.CALL, Form.UNEXPOSED
            ):  # fmt: skip
                return None
            return last if last.type.form is TypeForm.ARRAY or last.form is Form.INIT_LIST else None
        return parts[-1] if parts else None

    def _reference_declaration(self, c: Cursor, init: Cursor | None) -> None:
        if init is None:
            raise Refused(reading.UNREADABLE_STATEMENT, f"reference {c.name} without value", c)
        target = c.type.pointee
        wanted = self.types.read(target, c)
        place = self.try_place(init)
        if place is None:
            if isinstance(wanted, Array):
                raise Refused(reading.UNREADABLE_STATEMENT, f"reference {c.name}", c)
            value = self.convert(self.value_or_list(init, wanted), wanted, c)
            name = self.fresh(c.name)
            self.emit(Declare(name, wanted, value, span=self.span_of(c)))
            self.bind(c, name, wanted, Space.LOCAL)
            return
        if place.type != wanted:
            value = self.convert(self.read(place), wanted, c)
            name = self.fresh(c.name)
            self.emit(Declare(name, wanted, value, span=self.span_of(c)))
            self.bind(c, name, wanted, Space.LOCAL)
            return
        if self.is_fixed(place):
            self.variables[c] = Variable(place, self.space_of(place))
            return
        address = self.address(place, const=target.is_const)
        assert isinstance(address.type, Pointer)
        name = self.fresh(c.name)
        self.emit(Declare(name, address.type, address, span=self.span_of(c)))
        whole = Read(VarPlace(name, address.type))
        self.variables[c] = Variable(PtrElem(whole, Const(0, I32)), address.type.space)

    def is_fixed(self, place: Place) -> bool:
        """A place whose address depends on nothing that could change: another name for it."""
        match place:
            case VarPlace():
                return True
            case ArrElem(base, index):
                return isinstance(index, Const) and self.is_fixed(base)
            case FieldPlace(base):
                return self.is_fixed(base)
            case _:
                return False

    def _variable_declaration(self, c: Cursor, kind: Type, init: Cursor | None) -> None:
        span = self.span_of(c)
        if init is None or isinstance(kind, Array):
            name = self.fresh(c.name)
            place = self.bind(c, name, kind, Space.LOCAL)
            self.emit(Declare(name, kind, span=span))
            if init is not None:
                self.fill(place, init, c)
            return
        node = strip(init)
        if isinstance(kind, Struct) and node.form is Form.CALL:
            callee = node.referenced
            if callee is not None and callee.form is Form.CONSTRUCTOR:
                if not (len(node.arguments) == 1 and self._same_record(node.arguments[0], kind)):
                    name = self.fresh(c.name)
                    place = self.bind(c, name, kind, Space.LOCAL)
                    self.emit(Declare(name, kind, span=span))
                    self.construct_into(place, node, callee)
                    return
        if isinstance(kind, Struct) and self._by_member(kind) and node.form is Form.INIT_LIST:
            name = self.fresh(c.name)
            place = self.bind(c, name, kind, Space.LOCAL)
            self.emit(Declare(name, kind, span=span))
            self.fill(place, init, c)
            return
        if self._is_untouched(node, kind):
            name = self.fresh(c.name)
            self.bind(c, name, kind, Space.LOCAL)
            self.emit(Declare(name, kind, span=span))
            return
        value = self.convert(self.value_or_list(init, kind), kind, c)
        name = self.fresh(c.name)
        self.bind(c, name, kind, Space.LOCAL)
        self.emit(Declare(name, kind, value, span=span))

    def _is_untouched(self, node: Cursor, kind: Type) -> bool:
        """A default constructor that does nothing: the variable has no value yet."""
        if node.form is not Form.CALL or node.arguments or isinstance(kind, Struct):
            return False
        callee = node.referenced
        return callee is not None and callee.form is Form.CONSTRUCTOR and (
            callee.is_default_method or not callee.arguments
        )  # fmt: skip

    def _by_member(self, kind: Struct) -> bool:
        """A struct that cannot be composed as one value: it holds an array, or is a union."""
        return self.types.struct(kind.name).union or self._holds_array(kind)

    def _holds_array(self, kind: Type) -> bool:
        match kind:
            case Array():
                return True
            case Struct():
                return any(self._holds_array(f) for f in self.struct_fields(kind))
            case _:
                return False

    def fill(self, place: Place, init: Init, at: Cursor) -> None:
        """Assign an array or struct element by element; elements without a value are zero."""
        if isinstance(init, Elided):
            if isinstance(place.type, Array | Struct):
                self._fill_parts(place, init.parts, at)
            else:
                self.store(place, self.part_value(init, place.type, at), at)
            return
        node = strip(init)
        kind = place.type
        if node.form is Form.CALL and isinstance(kind, Array):
            self._construct_elements(place, node, at)
            return
        if node.form is Form.UNEXPOSED and not node.expressions:
            self.value_initialise(place, at)
            return
        if node.form is Form.INIT_LIST and (
            isinstance(kind, Array) or (isinstance(kind, Struct) and self._by_member(kind))
        ):
            self._fill_parts(place, arranged(node, kind, self.types), at)
            return
        if isinstance(kind, Array):
            raise Refused(reading.UNREADABLE_STATEMENT, f"initialiser of {at.name}", at)
        self.store(place, self.part_value(init, kind, at), at)

    def _fill_parts(self, place: Place, parts: tuple[Init | None, ...], at: Cursor) -> None:
        """Assign the parts of an aggregate; a member without one has its default value."""
        kind = place.type
        if isinstance(kind, Array):
            for i in range(kind.length):
                element = ArrElem(place, Const(i, I32))
                part = parts[i] if i < len(parts) else None
                if part is not None:
                    self.fill(element, part, at)
                else:
                    self.value_initialise(element, at)
            return
        assert isinstance(kind, Struct)
        definition = self.types.struct(kind.name)
        for i, field in enumerate(definition.fields):
            member = FieldPlace(place, field.name, field.type)
            given = parts[i] if i < len(parts) else None
            if given is None and not (definition.union and i):
                given = member_default(kind, i, self.types)
            if given is not None:
                self.fill(member, given, at)
            elif not (definition.union and i):
                self.value_initialise(member, at)

    def _construct_elements(self, place: Place, node: Cursor, at: Cursor) -> None:
        """``T a[n];`` of a class: one constructor for every element."""
        kind = place.type
        callee = node.referenced
        if isinstance(kind, Array):
            if self._needs_construction(kind):
                for i in range(kind.length):
                    self._construct_elements(ArrElem(place, Const(i, I32)), node, at)
        elif isinstance(kind, Struct) and callee is not None:
            self.construct_into(place, node, callee)
