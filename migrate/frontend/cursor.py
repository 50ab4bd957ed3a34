"""A typed view of libclang's cursors and types.

This module alone touches the cursors of clang's Python bindings, so differences between libclang 18
and 22 end here. Operator kinds and constant evaluation are reached through the C functions, because
the bindings of libclang 18 do not wrap them.

libclang shows implicit nodes as ``UNEXPOSED`` with one child: conversions, materialised
temporaries, substituted template parameters. What they do is told by comparing types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clang import cindex

from migrate.frontend.clang_functions import children, file_offset, functions
from migrate.frontend.forms import (
    BINARY_OPERATORS,
    BIT_CAST_KIND,
    FORM_OF,
    INVALID_KINDS,
    SCALAR_KINDS,
    TYPE_FORMS,
    UNARY_OPERATORS,
    Form,
    TypeForm,
)
from migrate.frontend.toolchain import EXTENSIONS, LIBRARY, STUBS

__all__ = ["CType", "Cursor", "Extent", "Form", "TypeForm", "Value"]

_STUBS = str(STUBS)
_LIBRARY = (str(LIBRARY), str(EXTENSIONS))


class CType:
    """A clang type; every question is asked of its canonical form."""

    __slots__ = ("_raw", "_type", "form", "name")

    def __init__(self, raw: cindex.Type) -> None:
        self._raw = raw
        self._type = raw.get_canonical()
        self.name: str = str(self._type.kind.name)
        if self.name in SCALAR_KINDS:
            self.form = TypeForm.SCALAR
        else:
            self.form = TYPE_FORMS.get(self.name, TypeForm.OTHER)

    @property
    def spelling(self) -> str:
        """The canonical spelling, with qualifiers."""
        return str(self._type.spelling)

    @property
    def written(self) -> str:
        """The spelling as written (typedef names kept)."""
        return str(self._raw.spelling)

    @property
    def is_const(self) -> bool:
        """Top-level ``const``."""
        return bool(self._type.is_const_qualified())

    @property
    def is_volatile(self) -> bool:
        """Top-level ``volatile``."""
        return bool(self._type.is_volatile_qualified())

    @property
    def is_restrict(self) -> bool:
        """``__restrict__`` on a pointer; looked for on the written type, which canonicalising
        a function's parameter list drops."""
        return bool(self._raw.is_restrict_qualified() or self._type.is_restrict_qualified())

    @property
    def pointee(self) -> CType:
        """What a pointer or reference refers to."""
        return CType(self._type.get_pointee())

    @property
    def element(self) -> CType:
        """An array's element type."""
        return CType(self._type.get_array_element_type())

    @property
    def length(self) -> int:
        """An array's length."""
        return int(self._type.get_array_size())

    @property
    def size(self) -> int:
        """Size in bytes; negative when unknown."""
        return int(self._type.get_size())

    @property
    def align(self) -> int:
        """Alignment in bytes; negative when unknown."""
        return int(self._type.get_align())

    @property
    def result(self) -> CType:
        """A function type's result."""
        return CType(self._type.get_result())

    @property
    def parameters(self) -> tuple[CType, ...]:
        """A function type's parameter types, arrays decayed to pointers."""
        return tuple(CType(t) for t in self._type.argument_types())

    @property
    def is_reference(self) -> bool:
        """True for both kinds of reference."""
        return self.form in (TypeForm.LVALUE_REF, TypeForm.RVALUE_REF)

    @property
    def declaration(self) -> Cursor:
        """Where a record or enum is declared."""
        return Cursor(self._type.get_declaration())

    @property
    def enum_underlying(self) -> CType:
        """The integer type under an enum."""
        return CType(self._type.get_declaration().enum_type)

    def field_offset_bits(self, field: str) -> int:
        """A member's offset in bits; negative when unknown."""
        return int(self._type.get_offset(field))

    @property
    def fields(self) -> tuple[Cursor, ...]:
        """A record's own members; works for instantiations, whose children libclang hides."""
        return tuple(Cursor(f) for f in self._type.get_fields())

    @property
    def bases(self) -> tuple[Cursor, ...] | None:
        """A record's base specifiers; ``None`` where libclang cannot list them (before 20)."""
        if not hasattr(self._type, "get_bases"):
            return None
        return tuple(Cursor(b) for b in self._type.get_bases())

    def template_arguments(self) -> tuple[str, ...]:
        """Canonical spellings of a record's type arguments (value arguments come back empty)."""
        count = int(self._type.get_num_template_arguments())
        return tuple(
            str(self._type.get_template_argument_type(i).get_canonical().spelling)
            for i in range(max(0, count))
        )


@dataclass(frozen=True, slots=True)
class Extent:
    """A byte range of a file; where macros are involved, of the place where the macro is used."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Value:
    """The result of a constant evaluation; exactly one of the two is set."""

    integer: int | None = None
    real: float | None = None


_BY_TYPE_PARAMETER = re.compile(r"type-parameter-0-(\d+)")


def _integer_type(kind: CType) -> str:
    return kind.enum_underlying.spelling if kind.form is TypeForm.ENUM else kind.spelling


class Cursor:
    """One node of clang's tree. ``children`` and ``form`` are computed once."""

    __slots__ = ("_children", "_raw", "form")

    def __init__(self, raw: cindex.Cursor) -> None:
        self._raw = raw
        self._children: tuple[Cursor, ...] | None = None
        kind = int(raw._kind_id)
        form = FORM_OF.get(kind)
        if form is None:
            if kind == BIT_CAST_KIND:
                form = Form.BIT_CAST
            elif 400 <= kind < 500:
                form = Form.ATTRIBUTE
            else:
                form = Form.OTHER
        self.form = form

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cursor) and bool(self._raw == other._raw)

    def __hash__(self) -> int:
        return int(self._raw.hash)

    @property
    def raw_kind(self) -> str:
        """Clang's own kind name, for messages only."""
        try:
            return str(self._raw.kind.name).lower()
        except ValueError:
            return f"cursor kind {self._raw._kind_id}"

    @property
    def name(self) -> str:
        """The cursor's spelling."""
        return str(self._raw.spelling)

    @property
    def display(self) -> str:
        """Spelling with template arguments and parameters."""
        return str(self._raw.displayname)

    @property
    def type(self) -> CType:
        """The type of an expression or declaration."""
        return CType(self._raw.type)

    @property
    def children(self) -> tuple[Cursor, ...]:
        """Child cursors in source order."""
        if self._children is None:
            self._children = tuple([Cursor(c) for c in children(self._raw)])
        return self._children

    @property
    def expressions(self) -> tuple[Cursor, ...]:
        """Children without attributes and references to types and namespaces."""
        return tuple(c for c in self.children if c.form not in (Form.ATTRIBUTE, Form.REFERENCE))

    @property
    def arguments(self) -> tuple[Cursor, ...]:
        """A call's arguments, or a function's parameters."""
        return tuple(Cursor(c) for c in self._raw.get_arguments() if c is not None)

    @property
    def referenced(self) -> Cursor | None:
        """The declaration that a reference or call means."""
        found = self._raw.referenced
        return None if found is None else Cursor(found)

    @property
    def definition(self) -> Cursor | None:
        """The definition of what this declares or refers to, if this unit has one."""
        found = self._raw.get_definition()
        return None if found is None else Cursor(found)

    @property
    def parent(self) -> Cursor | None:
        """The semantic parent: record, namespace or function that owns a declaration."""
        found = self._raw.semantic_parent
        return None if found is None else Cursor(found)

    @property
    def template(self) -> Cursor | None:
        """The template that an instantiation comes from."""
        found = functions().specialized(self._raw)
        if int(found._kind_id) in INVALID_KINDS:
            return None
        found._tu = self._raw._tu  # the bindings keep the unit alive through its cursors
        return Cursor(found)

    @property
    def usr(self) -> str:
        """Clang's unique id of a declaration."""
        return str(self._raw.get_usr())

    @property
    def mangled(self) -> str:
        """The Itanium name as clang gives it."""
        return str(self._raw.mangled_name)

    @property
    def result_type(self) -> CType:
        """A function's result type."""
        return CType(self._raw.result_type)

    @property
    def comment(self) -> str:
        """The documentation comment clang attached, raw."""
        return str(self._raw.raw_comment or "")

    @property
    def extent(self) -> Extent:
        """Byte range in the file; text of a macro argument counts where it is written, text of a
        macro's body where the macro is used."""
        extent = self._raw.extent
        file = extent.start.file
        if file is None:
            return Extent("", 0, 0)
        start, end = file_offset(extent.start), file_offset(extent.end)
        if end <= start:
            end = int(extent.end.offset)
        return Extent(str(file.name), start, end)

    @property
    def start(self) -> int:
        """First byte of :attr:`extent`."""
        return file_offset(self._raw.extent.start)

    @property
    def file(self) -> str:
        """The file of the cursor's location; empty when it has none."""
        file = self._raw.location.file
        return "" if file is None else str(file.name)

    @property
    def offset(self) -> int:
        """Byte offset of the cursor's name."""
        return int(self._raw.location.offset)

    @property
    def operator(self) -> str:
        """The spelling of a unary or binary operator; empty when unknown."""
        if self.form is Form.UNARY:
            return UNARY_OPERATORS.get(int(functions().unary(self._raw)), "")
        return BINARY_OPERATORS.get(int(functions().binary(self._raw)), "")

    @property
    def is_definition(self) -> bool:
        """True for a declaration that is the definition."""
        return bool(self._raw.is_definition())

    @property
    def is_static_method(self) -> bool:
        """True for a static member function."""
        return bool(self._raw.is_static_method())

    @property
    def is_default_method(self) -> bool:
        """True for a member function that the compiler writes."""
        return bool(self._raw.is_default_method())

    @property
    def is_bitfield(self) -> bool:
        """True for a bit-field member."""
        return bool(self._raw.is_bitfield())

    @property
    def field_offset_bits(self) -> int:
        """A member's offset in its record, in bits; negative when unknown."""
        return int(self._raw.get_field_offsetof())

    @property
    def is_virtual_base(self) -> bool:
        """True for a virtual base."""
        return bool(functions().virtual_base(self._raw))

    @property
    def is_virtual(self) -> bool:
        """True for a virtual member function."""
        return bool(self._raw.is_virtual_method())

    @property
    def in_system_header(self) -> bool:
        """True for what a system directory declares; the CUDA stubs count as such."""
        location = self._raw.location
        if location.is_in_system_header or location.file is None:
            return True
        if self.name.startswith("__builtin_"):
            return True  # clang's own functions stand where they are first used
        return str(location.file.name).startswith(_STUBS)

    @property
    def in_plain_library(self) -> bool:
        """True for a function of CUDA's libraries whose body is to be read like the user's."""
        location = self._raw.location
        if location.file is None or not str(location.file.name).startswith(_LIBRARY):
            return False
        return self.definition is not None

    @property
    def is_constexpr_value(self) -> bool:
        """True for a variable whose type is const, so that it can have a constant value."""
        return self.form is Form.VAR and self.type.is_const

    @property
    def is_anonymous(self) -> bool:
        """True for a record without a name."""
        return bool(self._raw.is_anonymous())

    @property
    def is_static_storage(self) -> bool:
        """True for a ``static`` or ``thread_local`` variable or member."""
        return str(self._raw.storage_class.name) == "STATIC" or self._raw.tls_kind.value != 0

    @property
    def attributes(self) -> frozenset[str]:
        """Names of attributes that clang exposes, such as ``CUDAGLOBAL_ATTR``."""
        return frozenset(str(c._raw.kind.name) for c in self.children if c.form is Form.ATTRIBUTE)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens from where the first one is spelled; in a macro there may be more behind."""
        return tuple(str(t.spelling) for t in self._raw.get_tokens())

    @property
    def included_file(self) -> str | None:
        """The file that an include line brings in; ``None`` when it was not found."""
        try:
            file = self._raw.get_included_file()
        except AssertionError:
            return None
        return None if file is None else str(file.name)

    @property
    def enum_value(self) -> int:
        """An enum constant's value."""
        return int(self._raw.enum_value)

    def evaluate(self) -> Value | None:
        """The constant value of an expression; ``None`` when it is not a constant."""
        lib = functions()
        result = lib.evaluate(self._raw)
        if not result:
            return None
        try:
            match int(lib.result_kind(result)):
                case 1:
                    if lib.result_is_unsigned(result):
                        return Value(integer=int(lib.result_unsigned(result)))
                    return Value(integer=int(lib.result_int(result)))
                case 2:
                    return Value(real=float(lib.result_float(result)))
                case _:
                    return None
        finally:
            lib.dispose(result)

    @property
    def template_parameters(self) -> tuple[Cursor, ...]:
        """The parameters of a template."""
        return tuple(
            x for x in self.children
            if x.raw_kind.startswith("template_") and x.raw_kind.endswith("parameter")
        )  # fmt: skip

    def template_arguments(self) -> tuple[str, ...]:
        """An instantiation's arguments as text: canonical types, decimal values, true and false."""
        found: list[str] = []
        parameters = () if self.template is None else self.template.template_parameters
        for i in range(max(0, int(self._raw.get_num_template_arguments()))):
            kind = str(self._raw.get_template_argument_kind(i).name)
            if kind == "INTEGRAL":
                wanted = _integer_type(parameters[i].type) if i < len(parameters) else ""
                typed_by = _BY_TYPE_PARAMETER.fullmatch(wanted)  # template <typename T, T value>
                if typed_by is not None and int(typed_by.group(1)) < len(found):
                    wanted = found[int(typed_by.group(1))]
                found.append(self._integral_argument(i, wanted))
            elif kind == "TYPE":
                found.append(str(self._raw.get_template_argument_type(i).get_canonical().spelling))
            else:
                found.append(f"<{kind.lower()}>")
        return tuple(found)

    def _integral_argument(self, index: int, kind: str) -> str:
        """libclang extends an argument from its own width, a ``bool`` from one bit: the type of
        the parameter says which of its two readings is the value."""
        if kind == "bool":
            return "true" if self._raw.get_template_argument_unsigned_value(index) else "false"
        if kind.startswith("unsigned"):
            return str(self._raw.get_template_argument_unsigned_value(index))
        return str(self._raw.get_template_argument_value(index))

    def walk(self) -> Iterator[Cursor]:
        """This cursor and all below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))
