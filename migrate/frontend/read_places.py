"""Places: variables, members, elements, dereferences, references."""

from __future__ import annotations

from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.convert import coerce
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.lambdas import is_local
from migrate.frontend.reader import Reader, Variable, strip
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.frontend.types import member_name
from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    FieldPlace,
    Place,
    PtrAdd,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.simt import Declare
from migrate.ir.types import (
    BF16,
    BOOL,
    F16,
    I32,
    I64,
    U16,
    Pointer,
    Scalar,
    Space,
    Struct,
    Type,
    Vector,
)

_INDEX_NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


def index_builtin(c: Cursor) -> str | None:
    """The name of CUDA's index variable that an expression is, if it is one."""
    while c.form in (Form.PAREN, Form.UNEXPOSED) and len(c.expressions) == 1:
        c = c.expressions[0]
    if c.form is Form.REF and c.name in _INDEX_NAMES:
        target = c.referenced
        if target is not None and target.in_system_header:
            return c.name
    return None


class PlaceReader(Reader):
    """Reads lvalues."""

    @abstractmethod
    def call_place(self, c: Cursor) -> Place:
        """The place that a call returns by reference."""

    def place(self, c: Cursor) -> Place:
        """See :meth:`Reader.place`."""
        match c.form:
            case Form.REF:
                return self._variable(c)
            case Form.MEMBER:
                return self._member(c)
            case Form.SUBSCRIPT:
                return self._element(c)
            case Form.PAREN:
                return self.place(c.expressions[0])
            case Form.UNARY:
                return self._unary_place(c)
            case Form.BINARY | Form.COMPOUND_ASSIGN:
                return self._assigned_place(c)
            case Form.CONDITIONAL:
                return self._chosen_place(c)
            case Form.CALL:
                return self.call_place(c)
            case Form.UNEXPOSED | Form.CAST:
                return self._implicit(c)
            case _:
                raise NotAPlace()

    def _variable(self, c: Cursor) -> Place:
        target = c.referenced
        if target is None:
            raise NotAPlace()
        if target.raw_kind == "unexposed_decl":  # of a template, or a structured binding
            return self._variable_template(target, c)
        if target.form not in (Form.VAR, Form.PARAM):
            raise NotAPlace()
        known = self.variables.get(target)
        if known is None:
            known = self._outside_variable(target, c)
        return known.place

    def _anonymous_union(self, target: Cursor, c: Cursor) -> Variable:
        """A local union without a name; libclang shows no declaration of it where it stands."""
        kind = self.types.read(target.type, c)
        name = self.fresh("parts")
        self.prologue.append(Declare(name, kind, span=self.span_of(c)))
        self.bind(target, name, kind, Space.LOCAL)
        return self.variables[target]

    def _outside_variable(self, target: Cursor, c: Cursor) -> Variable:
        if is_local(target):
            if "CUDASHARED_ATTR" in target.attributes:
                raise Refused(
                    reading.LAMBDA, f"shared {target.name} of the function around a lambda", c
                )
            if not target.name and isinstance(self.types.read(target.type, c), Struct):
                return self._anonymous_union(target, c)
            if not target.is_static_storage:
                raise Refused(
                    reading.UNREADABLE_EXPRESSION,
                    f"{target.name} is used outside of the scope in which it was read",
                    c,
                )
        if "CUDASHARED_ATTR" in target.attributes:  # `extern __shared__` at file scope
            kind = self.types.read(target.type, c, Space.SHARED)
            name = self.fresh(target.name)
            self.prologue.append(Declare(name, kind, None, Space.SHARED, span=self.span_of(target)))
            self.bind(target, name, kind, Space.SHARED)
            return self.variables[target]
        known = self.unit.global_variable(target, c)
        self.know(target, known)
        return known

    def _variable_template(self, target: Cursor, c: Cursor) -> Place:
        known = self.variables.get(target)
        if known is None:
            known = self.unit.variable_template(target, c)
            self.know(target, known)
        return known.place

    def _member(self, c: Cursor) -> Place:
        field = c.referenced
        if field is not None and field.form is Form.VAR:  # a static data member
            return self.unit.global_variable(field, c).place
        if field is None or field.form is not Form.FIELD:
            raise NotAPlace()
        inner = c.expressions
        if not inner:
            base = self._this_place(c)
        elif inner[0].type.form is TypeForm.POINTER:
            base = self.element_of(self.value(inner[0]), Const(0, I32))
        else:
            base = self.place(inner[0])
        return self.field_of(base, field, c)

    def field_of(self, base: Place, field: Cursor, at: Cursor) -> Place:
        """``base.field``; a reference member is followed."""
        kind = self.types.read(field.type, at)
        if isinstance(base.type, Vector):
            return FieldPlace(base, field.name, base.type.element)
        if base.type in (F16, BF16) and field.name == "x":  # the bits
            pointer = self.address(base)
            assert isinstance(pointer.type, Pointer)
            bits = Pointer(U16, pointer.type.space, const=pointer.type.const)
            return PtrElem(Cast(pointer, bits), Const(0, I32))
        if not isinstance(base.type, Struct):
            raise Refused(reading.UNREADABLE_EXPRESSION, f"member {field.name} of {base.type}", at)
        name = member_name(field)
        through = self._through_unnamed(base, name)
        if through is None:
            raise Refused(reading.UNION_ACCESS, f"member {name} of {base.type}", at)
        found = FieldPlace(through, name, kind)
        if field.type.is_reference:
            return PtrElem(Read(found), Const(0, I32))
        return found

    def _through_unnamed(self, base: Place, name: str) -> Place | None:
        """The place that has a member ``name``: ``base`` or an unnamed member or base inside.

        libclang leaves out some of the implicit steps into unnamed structs and unions.
        """
        if not isinstance(base.type, Struct):
            return None
        definition = self.types.struct(base.type.name)
        if any(f.name == name for f in definition.fields):
            return base
        for f in definition.fields:
            if f.name.startswith(("unnamed_", "base_")):
                found = self._through_unnamed(FieldPlace(base, f.name, f.type), name)
                if found is not None:
                    return found
        return None

    def _this_place(self, at: Cursor) -> Place:
        if self.this is None:
            raise Refused(reading.UNREADABLE_EXPRESSION, "member used without an object", at)
        return PtrElem(self.this, Const(0, I32))

    def _element(self, c: Cursor) -> Place:
        base, index = c.expressions
        if base.type.form is not TypeForm.POINTER and index.type.form is TypeForm.POINTER:
            base, index = index, base
        array = self._decayed_array(base)
        if array is not None:
            mark = len(self.out)
            place = self.place(array)
            after = len(self.out)
            subscript = self.index_value(index)
            if isinstance(place.type, Pointer):  # a parameter that is written as an array
                pointers: list[Expr] = [Read(place)]
                self.pin(pointers, after)
                return self.element_of(pointers[0], subscript)
            if len(self.out) != after:
                # the index has effects: read the base's own indices before them
                pointers = [self._array_pointer(place)]
                self.pin(pointers, max(mark, after))
                return PtrElem(pointers[0], subscript)
            return ArrElem(place, subscript)
        operands = [self.value(base)]
        mark = len(self.out)
        subscript = self.index_value(index)
        self.pin(operands, mark)
        return self.element_of(operands[0], subscript)

    def index_value(self, c: Cursor) -> Expr:
        """An index with its own integer type; ``bool`` becomes ``int``."""
        e = self.value(c)
        if isinstance(e.type, Scalar) and not e.type.is_integer:
            return coerce(e, I32)
        return e

    def _decayed_array(self, c: Cursor) -> Cursor | None:
        while c.form in (Form.PAREN, Form.UNEXPOSED) and len(c.expressions) == 1:
            inner = c.expressions[0]
            if inner.type.form in (TypeForm.ARRAY, TypeForm.UNSIZED_ARRAY):
                return inner
            if inner.type.spelling != c.type.spelling:
                return None
            c = inner
        return None

    def _array_pointer(self, place: Place) -> Expr:
        return self.address(ArrElem(place, Const(0, I32)))

    def decay(self, place: Place) -> Expr:
        """An array as a pointer to its first element."""
        if isinstance(place.type, Pointer):  # a parameter that is written as an array
            return Read(place)
        return self._array_pointer(place)

    def element_of(self, pointer: Expr, index: Expr) -> Place:
        """``pointer[index]``, with ``(p + i)[0]`` and ``(&x)[0]`` made simple."""
        first = isinstance(index, Const) and index.value == 0
        match pointer:
            case AddressOf(place) if first:
                return place
            case PtrAdd(base, offset) if first:
                return self.element_of(base, offset)
            case AddressOf(ArrElem(array, Const(0))) if isinstance(index.type, Scalar):
                return ArrElem(array, index)
        return PtrElem(pointer, index)

    def _unary_place(self, c: Cursor) -> Place:
        inner = c.expressions[0]
        match c.operator:
            case "*":
                array = self._decayed_array(inner)
                if array is not None:
                    return self.element_of(self.decay(self.place(array)), Const(0, I32))
                pointer = strip(inner)
                target = pointer.referenced if pointer.form is Form.REF else None
                if target is not None and target in self.elements:
                    return self.elements[target]
                return self.element_of(self.value(inner), Const(0, I32))
            case "++" | "--":
                self.effect(c)
                return self.settled_place(inner)
            case "extension":
                return self.place(inner)
            case _:
                raise NotAPlace()

    def _assigned_place(self, c: Cursor) -> Place:
        lhs, rhs = c.expressions
        if c.operator == ",":
            self.effect(lhs)
            return self.place(rhs)
        if c.form is Form.COMPOUND_ASSIGN or c.operator == "=":
            self.effect(c)
            return self.settled_place(lhs)
        raise NotAPlace()

    def _chosen_place(self, c: Cursor) -> Place:
        """``(c ? a : b)`` as an lvalue: a choice of two addresses."""
        parts = c.expressions
        if len(parts) != 3:
            raise NotAPlace()
        cond = coerce(self.value(parts[0]), BOOL)
        if isinstance(cond, Const):
            return self.place(parts[1] if cond.value else parts[2])
        mark = len(self.out)
        then, other = self.place(parts[1]), self.place(parts[2])
        if len(self.out) != mark:
            raise Refused(reading.UNREADABLE_EXPRESSION, "choice of places with effects", c)
        if then.type != other.type:
            raise NotAPlace()
        return PtrElem(Select(cond, self.address(then), self.address(other)), Const(0, I32))

    def _implicit(self, c: Cursor) -> Place:
        inner = c.expressions
        if not inner or (len(inner) != 1 and c.form is not Form.CAST):
            raise NotAPlace()
        child = inner[-1]  # before it stand the lengths of an array that is cast to
        if c.form is Form.CAST and not self._casts_to_reference(c, child):
            raise NotAPlace()
        wanted = self.types.read(c.type, c)
        reinterprets = c.raw_kind == "cxx_reinterpret_cast_expr"
        records = c.type.form is TypeForm.RECORD and child.type.form is TypeForm.RECORD
        if records and not reinterprets:
            return self._base_place(self.place(child), wanted, c)
        source = self.place(child)
        if source.type == wanted:
            return source
        if not reinterprets:
            raise NotAPlace()
        pointer = self.address(source)  # the same memory as another type
        assert isinstance(pointer.type, Pointer)
        target = Pointer(wanted, pointer.type.space, const=pointer.type.const)
        return PtrElem(Cast(pointer, target), Const(0, I32))

    def _casts_to_reference(self, c: Cursor, child: Cursor) -> bool:
        """Whether a cast names a reference type; its own type does not tell, its text does."""
        extent = c.extent
        head = self.unit.sources.get(extent.file).text(extent.start, child.start)
        return "&" in head

    def _base_place(self, source: Place, wanted: Type, at: Cursor) -> Place:
        """A class object as an object of one of its base classes."""
        if source.type == wanted or not isinstance(source.type, Struct):
            return source
        if not isinstance(wanted, Struct):
            return source
        found = self._base_path(source, wanted)
        if found is None and not self.types.struct(wanted.name).fields:
            name = self.fresh("empty")  # a base without members: any object of it will do
            self.emit(Declare(name, wanted, span=self.span))
            return VarPlace(name, wanted)
        if found is None:
            raise Refused(reading.UNREADABLE_EXPRESSION, f"{source.type} as {wanted}", at)
        return found

    def _base_path(self, source: Place, wanted: Struct) -> Place | None:
        if source.type == wanted:
            return source
        if isinstance(source.type, Struct):
            for f in self.types.struct(source.type.name).fields:
                if f.name.startswith("base_"):
                    found = self._base_path(FieldPlace(source, f.name, f.type), wanted)
                    if found is not None:
                        return found
        return None

    def pointer_plus(self, pointer: Expr, offset: Expr, *, minus: bool = False) -> Expr:
        """``pointer + offset``; a subtracted offset is widened before its sign is turned."""
        if isinstance(offset.type, Scalar) and not offset.type.is_integer:
            offset = coerce(offset, I32)
        if minus:
            wide = coerce(offset, I64)
            if isinstance(wide, Const):
                offset = Const(-int(wide.value), I64)
            else:
                offset = Binary(BinaryOp.SUB, Const(0, I64), wide)
        if isinstance(pointer, AddressOf) and isinstance(pointer.place, ArrElem):
            if isinstance(pointer.place.index, Const) and pointer.place.index.value == 0:
                # &a[0] + i is &a[i]: keeps the array and its index together
                return AddressOf(ArrElem(pointer.place.base, offset), pointer.type)
        return PtrAdd(pointer, offset)
