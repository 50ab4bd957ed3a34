"""Values: literals, reads, conversions, initialiser lists."""

from __future__ import annotations

from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.convert import coerce, round_float, wrap, zero
from migrate.frontend.cursor import Cursor, Form, TypeForm, Value
from migrate.frontend.init_lists import Elided, Init, arranged, member_default
from migrate.frontend.read_places import PlaceReader, index_builtin
from migrate.frontend.reader import strip
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.frontend.types import is_plain
from migrate.ir.expr import (
    Bitcast,
    Builtin,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
    FieldPlace,
    IndexVar,
    NullPtr,
    Place,
    PtrElem,
    Read,
    Select,
)
from migrate.ir.types import (
    BOOL,
    I32,
    VOID,
    Array,
    Pointer,
    Scalar,
    Struct,
    Type,
    Vector,
)

_LVALUES = frozenset({Form.SUBSCRIPT, Form.MEMBER, Form.UNARY, Form.REF})
"""What a volatile object is named by."""


def constant(value: Value, kind: Scalar) -> Const | None:
    """An evaluated constant as an IR constant of a type."""
    if kind == BOOL:
        return None if value.integer is None else Const(bool(value.integer), BOOL)
    if kind.is_float:
        if value.real is not None:
            return Const(round_float(value.real, kind), kind)
        return None if value.integer is None else Const(float(value.integer), kind)
    return None if value.integer is None else Const(wrap(value.integer, kind), kind)


class ValueReader(PlaceReader):
    """Reads rvalues, except operators and calls."""

    @abstractmethod
    def operator_value(self, c: Cursor) -> Expr:
        """The value of a unary, binary, assignment or conditional expression."""

    @abstractmethod
    def call_value(self, c: Cursor) -> Expr:
        """The value of a call or construction."""

    def value(self, c: Cursor) -> Expr:
        """See :meth:`Reader.value`."""
        try:
            found = self._value(c)
            if c.form in _LVALUES and c.type.is_volatile and not isinstance(found, Const):
                return self.volatile_read(found)
            return found
        except NotAPlace:
            raise self.unreadable(c) from None

    def _value(self, c: Cursor) -> Expr:
        match c.form:
            case Form.INTEGER | Form.CHARACTER | Form.BOOL | Form.TRAIT | Form.FLOAT:
                return self._literal(c)
            case Form.PAREN:
                return self.value(c.expressions[0])
            case Form.REF:
                return self._reference(c)
            case Form.MEMBER:
                return self._member_value(c)
            case Form.SUBSCRIPT:
                return self.read(self.place(c))
            case Form.UNEXPOSED:
                return self._implicit_value(c)
            case Form.CAST | Form.BIT_CAST:
                return self._cast(c)
            case Form.BINARY | Form.COMPOUND_ASSIGN | Form.UNARY | Form.CONDITIONAL:
                return self.operator_value(c)
            case Form.CALL:
                return self.call_value(c)
            case Form.INIT_LIST:
                return self.list_value(c, self.types.read(c.type, c))
            case Form.STMT_EXPR:
                return self.statement_value(c)
            case Form.COMPOUND_LITERAL:
                return self.value(c.expressions[-1])
            case Form.NULLPTR:
                return NullPtr(Pointer(VOID))
            case Form.LAMBDA:
                return self.closure(c)
            case Form.THIS:
                if self.this is not None:
                    return self.this
        raise self.unreadable(c)

    def unreadable(self, c: Cursor) -> Refused:
        """The refusal for an expression that nothing here reads."""
        match c.form:
            case Form.NEW | Form.DELETE:
                return Refused(reading.DEVICE_ALLOCATION, "new or delete in device code", c)
            case _ if c.raw_kind == "addr_label_expr":
                return Refused(reading.GOTO, "address of a label", c)
            case Form.STRING:
                return Refused(reading.UNREADABLE_EXPRESSION, "string used as a value", c)
            case Form.UNRESOLVED | Form.PACK:
                return Refused(reading.DEPENDENT_CODE, "unresolved name or pack", c)
            case Form.INVALID:
                return Refused(reading.ERROR_IN_KERNEL, "expression with an error", c)
        if c.type.form is TypeForm.DEPENDENT or "dependent" in c.type.spelling:
            return Refused(reading.DEPENDENT_CODE, f"{c.raw_kind} of a dependent type", c)
        return Refused(reading.UNREADABLE_EXPRESSION, f"{c.raw_kind} of type {c.type.spelling}", c)

    @abstractmethod
    def value_constructed(self, kind: Struct, at: Cursor) -> Expr:
        """``T{}`` of a class with constructors or default member values."""

    @abstractmethod
    def statement_value(self, c: Cursor) -> Expr:
        """GNU's ``({ ...; value; })``."""

    @abstractmethod
    def closure(self, c: Cursor) -> Expr:
        """The object that a lambda expression makes."""

    # --- leaves

    def _literal(self, c: Cursor) -> Expr:
        kind = self.types.scalar(c.type, c)
        value = c.evaluate()
        found = None if value is None else constant(value, kind)
        if found is None:
            raise Refused(reading.DEPENDENT_CODE, f"value of {c.raw_kind} is not known", c)
        return found

    def _reference(self, c: Cursor) -> Expr:
        target = c.referenced
        if target is None:
            inner = c.expressions
            if len(inner) == 1:  # a template parameter with its value in place
                return self.value(inner[0])
            raise Refused(reading.DEPENDENT_CODE, f"name {c.name or '?'} is not resolved", c)
        if target.form is Form.ENUM_CONSTANT:
            kind = self.types.scalar(c.type, c)
            return Const(wrap(target.enum_value, kind), kind)
        if target.form in (Form.FUNCTION, Form.METHOD):
            raise Refused(reading.FUNCTION_POINTER, f"function {target.name} used as a value", c)
        builtin = index_builtin(c)
        if builtin is not None:
            return self._index_triple(builtin, c)
        if target.name == "warpSize" and target.in_system_header:
            return Const(32, I32)
        known = self.variables.get(target)
        constant_template = target.raw_kind == "unexposed_decl" and c.type.is_const
        if known is None and (target.is_constexpr_value or constant_template):
            folded = self._folded(c)
            if folded is not None:
                return folded
        return self.read(self.place(c))

    def _folded(self, c: Cursor) -> Expr | None:
        """The value of a named constant from outside of the function."""
        try:
            kind = self.types.read(c.type, c)
        except Refused:
            return None
        if not isinstance(kind, Scalar):
            return None
        value = c.evaluate()
        return None if value is None else constant(value, kind)

    def _index_triple(self, builtin: str, c: Cursor) -> Expr:
        kind = self.types.read(c.type, c)
        assert isinstance(kind, Vector)
        parts = tuple(IndexVar(Builtin(builtin), axis) for axis in "xyz")
        return Compose(parts, kind)

    def _member_value(self, c: Cursor) -> Expr:
        inner = c.expressions
        if inner:
            builtin = index_builtin(inner[0])
            if builtin is not None:
                return IndexVar(Builtin(builtin), c.name)
        field = c.referenced
        if field is not None and field.form is Form.ENUM_CONSTANT:
            kind = self.types.scalar(c.type, c)
            return Const(wrap(field.enum_value, kind), kind)
        if field is not None and field.form is Form.VAR and field.is_constexpr_value:
            folded = self._folded(c)
            if folded is not None:
                return folded
        place = self.try_place(c)
        if place is not None:
            return self.read(place)
        if not inner or field is None or field.form is not Form.FIELD:
            raise self.unreadable(c)
        return self.member_of(self.value(inner[0]), field.name, self.types.read(c.type, c))

    @staticmethod
    def member_of(value: Expr, field: str, kind: Type) -> Expr:
        """A member of a value, looked up at once where the value is composed."""
        if isinstance(value, Read):
            return Read(FieldPlace(value.place, field, kind))
        if isinstance(value, Compose) and isinstance(value.type, Vector):
            at = value.type.members.index(field)
            others = value.parts[:at] + value.parts[at + 1 :]
            if all(isinstance(p, Const | IndexVar | Read) for p in others):
                return value.parts[at]
        return Extract(value, field, kind)

    def read(self, place: Place) -> Expr:
        """The value at a place; an array decays."""
        if isinstance(place.type, Array):
            return self.decay(place)
        held = self.under_cast(place)
        return Read(place) if held is None else same_bits(Read(held), place.type)

    def under_cast(self, place: Place) -> Place | None:
        """Of ``*(int*)&f`` the place ``f``: memory that is used as another scalar of its size."""
        match place:
            case PtrElem(Cast(pointer), index) if isinstance(pointer.type, Pointer):
                held, seen = pointer.type.pointee, place.type
                if isinstance(held, Scalar) and isinstance(seen, Scalar) and held != seen:
                    if held.bytes == seen.bytes and BOOL not in (held, seen):
                        return self.element_of(pointer, index)
        return None

    # --- conversions

    def _implicit_value(self, c: Cursor) -> Expr:
        inner = c.expressions
        kind = c.type
        if not inner:
            wanted = self.types.read(kind, c)
            blank = self.blank(wanted, c)
            if blank is None:
                raise self.unreadable(c)
            return blank
        if len(inner) == 4 and inner[0].start == inner[1].start == inner[2].start:
            return self._short_choice(inner, self.types.read(kind, c), c)
        if len(inner) != 1:
            raise self.unreadable(c)
        child = inner[0]
        if child.form is Form.INIT_LIST:
            return self.list_value(child, self.types.read(kind, c))
        if child.type.form in (TypeForm.ARRAY, TypeForm.UNSIZED_ARRAY):
            if strip(child).form is Form.STRING:
                raise Refused(reading.UNREADABLE_EXPRESSION, "string used as a value", c)
            if kind.form is TypeForm.POINTER:
                return self.convert(self.decay(self.place(child)), self.types.read(kind, c), c)
        value = self.value(child)
        wanted = self.types.read(kind, c)
        if isinstance(wanted, Array) and isinstance(value.type, Pointer):
            return value  # a parameter that is written as an array
        return self.convert(value, wanted, c)

    def _short_choice(self, inner: tuple[Cursor, ...], kind: Type, c: Cursor) -> Expr:
        """GNU's ``a ?: b``: shown as ``a``, its test, its value and ``b``."""
        mark = len(self.out)
        cond, then, other = (self.value(x) for x in inner[1:])
        if len(self.out) != mark:
            raise Refused(reading.UNREADABLE_EXPRESSION, "?: with effects", c)
        return Select(coerce_bool(cond), self.convert(then, kind, c), self.convert(other, kind, c))

    def _cast(self, c: Cursor) -> Expr:
        inner = c.expressions
        if not inner:
            raise self.unreadable(c)
        child = inner[-1]
        target = c.type
        if target.form is TypeForm.VOID:
            self.effect(child)
            return Const(0, I32)
        if child.form is Form.INIT_LIST:
            return self.list_value(child, self.types.read(target, c))
        if c.raw_kind == "cxx_reinterpret_cast_expr" or c.form is Form.BIT_CAST:
            return self._reinterpret(c, child)
        wanted = self.types.read(target, c)
        if isinstance(wanted, Struct | Vector):
            place = self.try_place(child)
            if place is not None:
                return self.convert(self.read(place), wanted, c)
        return self.convert(self.value(child), wanted, c)

    def _reinterpret(self, c: Cursor, child: Cursor) -> Expr:
        wanted = self.types.read(c.type, c)
        if c.form is Form.BIT_CAST:
            return Bitcast(self.value(child), wanted)
        if child.type.form is TypeForm.POINTER and isinstance(wanted, Pointer):
            return self.convert(self.value(child), wanted, c)
        if child.type.form is TypeForm.POINTER or isinstance(wanted, Pointer):
            return Cast(self.value(child), wanted)
        return self.read(self.place(c))  # a cast to a reference: the same memory, read anew

    def convert(self, e: Expr, wanted: Type, at: Cursor) -> Expr:
        """C's conversion, or a refusal where there is none."""
        if isinstance(e.type, Pointer) and isinstance(wanted, Pointer):
            base = self._base_pointer(e, wanted)
            if base is not None:
                return base
            # the space of the source is known better than that of the type in the text
            wanted = Pointer(wanted.pointee, e.type.space, wanted.const, e.type.restrict)
        try:
            return coerce(e, wanted)
        except TypeError:
            pass
        if isinstance(e.type, Struct) and isinstance(wanted, Struct) and isinstance(e, Read):
            return Read(self._base_place(e.place, wanted, at))
        raise Refused(reading.UNREADABLE_EXPRESSION, f"conversion from {e.type} to {wanted}", at)

    def _base_pointer(self, e: Expr, wanted: Pointer) -> Expr | None:
        """A pointer to an object as a pointer to one of its base classes."""
        assert isinstance(e.type, Pointer)
        source, target = e.type.pointee, wanted.pointee
        if not isinstance(source, Struct) or not isinstance(target, Struct) or source == target:
            return None
        place = self._base_path(self.element_of(e, Const(0, I32)), target)
        return None if place is None else self.address(place, const=wanted.const)

    # --- initialiser lists

    def blank(self, kind: Type, at: Cursor) -> Expr | None:
        """The value-initialised value of a type; ``None`` for arrays and what holds them."""
        if isinstance(kind, Struct):
            if self.types.struct(kind.name).union:
                return None
            if not is_plain(self.types.declaration(kind.name)):
                return self.value_constructed(kind, at)
            parts: list[Expr] = []
            for field in self.struct_fields(kind):
                part = self.blank(field, at)
                if part is None:
                    return None
                parts.append(part)
            return Compose(tuple(parts), kind)
        return zero(kind)

    def struct_fields(self, kind: Struct) -> tuple[Type, ...]:
        """The member types of a struct."""
        found = self.types.struct(kind.name)
        return tuple(f.type for f in found.fields)

    def list_value(self, c: Cursor, kind: Type) -> Expr:
        """``{a, b}`` as a value of ``kind``; missing members are zero."""
        parts = c.expressions
        match kind:
            case Scalar() | Pointer():
                if not parts:
                    blank = zero(kind)
                    assert blank is not None
                    return blank
                return self.convert(self.value(parts[0]), kind, c)
            case Vector():
                if len(parts) == 1 and self._same_record(parts[0], kind):
                    return self.value(parts[0])
                if len(parts) > kind.lanes:
                    raise Refused(reading.UNREADABLE_EXPRESSION, f"initialiser list of {kind}", c)
                return self._composed(parts, kind, (kind.element,) * kind.lanes, c)
            case Struct():
                if self.types.struct(kind.name).union:
                    raise Refused(reading.UNREADABLE_EXPRESSION, f"value of union {kind}", c)
                if len(parts) == 1 and self._same_record(parts[0], kind):
                    return self.value(parts[0])
                given = arranged(c, kind, self.types)
                return self._composed(given, kind, self.struct_fields(kind), c)
            case _:
                raise Refused(reading.UNREADABLE_EXPRESSION, f"initialiser list of {kind}", c)

    def _composed(
        self,
        given: tuple[Init | None, ...],
        kind: Vector | Struct,
        wanted: tuple[Type, ...],
        c: Cursor,
    ) -> Expr:
        """Parts in order; a member without one has its default value, or is zero."""
        values: list[Expr] = []
        for i, field in enumerate(wanted):
            mark = len(self.out)
            part = given[i] if i < len(given) else None
            if part is None:
                part = member_default(kind, i, self.types)
            e = self.blank(field, c) if part is None else self.part_value(part, field, c)
            if e is None:
                raise Refused(reading.UNREADABLE_EXPRESSION, f"initialiser list of {kind}", c)
            self.pin(values, mark)
            values.append(e)
        return Compose(tuple(values), kind)

    def part_value(self, part: Init, kind: Type, at: Cursor) -> Expr:
        """One element of an initialiser list; the list keeps no implicit conversions."""
        if isinstance(part, Elided):
            if isinstance(kind, Vector):
                lanes: tuple[Type, ...] = (kind.element,) * kind.lanes
                return self._composed(part.parts, kind, lanes, at)
            if not isinstance(kind, Struct):
                raise Refused(reading.UNREADABLE_EXPRESSION, f"initialiser list of {kind}", at)
            return self._composed(part.parts, kind, self.struct_fields(kind), at)
        inner = strip(part)
        if inner.form is Form.INIT_LIST:
            return self.list_value(inner, kind)
        return self.convert(self.value(part), kind, at)

    def _same_record(self, part: Cursor, kind: Type) -> bool:
        if part.type.form is not TypeForm.RECORD:
            return False
        try:
            return self.types.read(part.type, part) == kind
        except Refused:
            return False


def same_bits(value: Expr, kind: Type) -> Expr:
    """A scalar as another one of its size: integers by conversion, which keeps the bits."""
    held = value.type
    if isinstance(held, Scalar) and isinstance(kind, Scalar):
        if held.is_integer and kind.is_integer:
            return coerce(value, kind)
    return Bitcast(value, kind)


def coerce_bool(e: Expr) -> Expr:
    """``e != 0``, unless it is a ``bool`` already."""
    return coerce(e, BOOL)
