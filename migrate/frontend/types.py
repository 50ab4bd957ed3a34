"""C++ types to IR types, and the layouts of the structs met on the way."""

from __future__ import annotations

import re

from migrate.core.codes import reading
from migrate.frontend.cursor import CType, Cursor, Form, TypeForm
from migrate.frontend.lambdas import captures, closure_label, is_closure, is_local
from migrate.frontend.refusal import Refused
from migrate.ir.kernel import Field, StructDef
from migrate.ir.types import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    VECTORS,
    VOID,
    Array,
    Pointer,
    Scalar,
    Space,
    Struct,
    Type,
)

_SCALARS: dict[str, Scalar] = {
    "BOOL": BOOL, "CHAR_S": I8, "SCHAR": I8, "CHAR_U": U8, "UCHAR": U8, "SHORT": I16,
    "USHORT": U16, "INT": I32, "UINT": U32, "LONG": I64, "ULONG": U64, "LONGLONG": I64,
    "ULONGLONG": U64, "FLOAT": F32, "DOUBLE": F64, "CHAR16": U16, "CHAR32": U32, "WCHAR": I32,
}  # fmt: skip

_KNOWN_RECORDS: dict[str, Type] = {
    **VECTORS,
    "__half": F16,
    "__nv_bfloat16": BF16,
    "__half2": VECTORS["half2"],
    "__nv_bfloat162": VECTORS["bfloat162"],
}
_LIBRARY_RECORDS = {
    "cooperative_groups::cluster_group": reading.COOPERATIVE_GROUPS,
}
_SUB_BYTE = "nvcuda::wmma::experimental::"
"""Warp matrices of less than a byte an element, which nothing computes with."""
_GROUPS = re.compile(
    r"cooperative_groups::(thread_block$|thread_block_tile<([1-9]|[12]\d|3[0-2])[,>])"
)
"""Groups whose type says all about them; their objects are empty structs."""


def identifier(text: str) -> str:
    """C++ spelling to an identifier: ``ns::V<float, 4>`` becomes ``ns_V_float_4``."""
    text = closure_label(text)
    text = text.replace("*", " ptr ").replace("&", " ref ").replace("-", " minus ")
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "anonymous"


def bare(spelling: str) -> str:
    """A record's spelling without qualifiers and elaborations."""
    return re.sub(r"^((const|volatile|struct|class|union|enum) )+", "", spelling)


class TypeReader:
    """Maps types and keeps the struct definitions that they need, in order of need."""

    def __init__(self) -> None:
        self._structs: dict[str, StructDef] = {}
        self._names: dict[str, str] = {}
        self._open: set[str] = set()
        self._declarations: dict[str, Cursor] = {}

    def struct(self, name: str) -> StructDef:
        """A struct's layout by its IR name."""
        return self._structs[name]

    def declaration(self, name: str) -> Cursor:
        """The declaration of a struct by its IR name; the template of an instantiation."""
        return self._declarations[name]

    @property
    def structs(self) -> tuple[StructDef, ...]:
        """Definitions so far, members before the structs that hold them."""
        return tuple(self._structs.values())

    def read(self, t: CType, at: Cursor | None, space: Space = Space.GENERIC) -> Type:
        """The IR type; ``space`` is given to pointers. References become pointers.

        Raises :class:`Refused` with CM1113 and its relatives.
        """
        match t.form:
            case TypeForm.SCALAR:
                scalar = _SCALARS.get(t.name)
                if scalar is None:
                    raise Refused(reading.UNREADABLE_TYPE, f"{t.spelling} is not supported", at)
                return scalar
            case TypeForm.ENUM:
                return self.read(t.enum_underlying, at)
            case TypeForm.VOID:
                return VOID
            case TypeForm.POINTER | TypeForm.LVALUE_REF | TypeForm.RVALUE_REF:
                return self._pointer(t, at, space)
            case TypeForm.ARRAY:
                return Array(self.read(t.element, at, space), t.length)
            case TypeForm.UNSIZED_ARRAY:
                return Array(self.read(t.element, at, space), 0)
            case TypeForm.NULLPTR:
                return Pointer(VOID, space)
            case TypeForm.RECORD:
                return self._record(t, at)
            case TypeForm.FUNCTION:
                raise Refused(reading.FUNCTION_POINTER, f"function type {t.spelling}", at)
            case TypeForm.DEPENDENT:
                raise Refused(reading.DEPENDENT_CODE, f"type {t.written} stays dependent", at)
            case _:
                if "type-parameter" in t.spelling or "dependent" in t.spelling:
                    raise Refused(reading.DEPENDENT_CODE, f"type {t.written} stays dependent", at)
                raise Refused(reading.UNREADABLE_TYPE, f"{t.spelling} is not supported", at)

    def scalar(self, t: CType, at: Cursor | None) -> Scalar:
        """A type that must be a scalar."""
        found = self.read(t, at)
        if not isinstance(found, Scalar):
            raise Refused(reading.UNREADABLE_TYPE, f"{t.spelling} is no scalar", at)
        return found

    def _pointer(self, t: CType, at: Cursor | None, space: Space) -> Pointer:
        target = t.pointee
        if target.form is TypeForm.FUNCTION:
            raise Refused(reading.FUNCTION_POINTER, f"function pointer {t.spelling}", at)
        if target.form is TypeForm.RECORD and target.size < 0 and not t.is_reference:
            return Pointer(VOID, space, const=target.is_const)  # nothing can be done with it
        pointee = self.read(target, at, space)
        return Pointer(pointee, space, const=target.is_const, restrict=t.is_restrict)

    def _record(self, t: CType, at: Cursor | None) -> Type:
        spelling = bare(t.spelling)
        known = _KNOWN_RECORDS.get(spelling)
        if known is not None:
            return known
        group = _GROUPS.match(spelling)
        if group is not None:
            name = f"group_tile_{group.group(2)}" if group.group(2) else "group_block"
            self._structs.setdefault(name, StructDef(name, (), 1, 1))
            self._declarations.setdefault(name, t.declaration)
            return Struct(name)
        if spelling.startswith("std::"):
            try:
                return self._struct(t, spelling, at)
            except Refused as refusal:
                cause = f"type {spelling}: {refusal.cause}"
                raise Refused(reading.STANDARD_LIBRARY, cause, at) from None
        if _SUB_BYTE in spelling:
            raise Refused(reading.WARP_MATRIX, f"type {spelling}", at)
        for prefix, code in _LIBRARY_RECORDS.items():
            if spelling.startswith(prefix):
                raise Refused(code, f"type {spelling}", at)
        return self._struct(t, spelling, at)

    def _struct(self, t: CType, spelling: str, at: Cursor | None) -> Struct:
        key = _key(t, spelling)
        if key in self._names:
            return Struct(self._names[key])  # possibly behind a pointer, in its own definition
        name = identifier(spelling)
        if "(anonymous" in spelling or "(unnamed" in spelling:
            # the spelling holds a path, which would make output depend on where it is run
            name = f"{identifier(spelling.split('(', maxsplit=1)[0])}_unnamed_{len(self._names)}"
        while name in self._names.values() or name in VECTORS:
            name += "_"
        self._names[key] = name
        self._open.add(key)
        try:
            self._structs[name] = self._layout(t, name, at)
        except Refused:
            del self._names[key]
            raise
        finally:
            self._open.discard(key)
        return Struct(name)

    def _layout(self, t: CType, name: str, at: Cursor | None) -> StructDef:
        declared = t.declaration
        definition = declared.definition or declared
        if t.size < 0:
            raise Refused(reading.UNION_ACCESS, f"{t.spelling} has no complete definition", at)
        template = definition.template
        shape = definition if template is None else template
        self._declarations[name] = shape
        fields: list[Field] = []
        if any(m.form is Form.METHOD and m.is_virtual for m in shape.children):
            raise Refused(reading.VIRTUAL_CALL, f"{t.spelling} has virtual functions", at)
        for member in shape.children:
            if member.form is Form.DESTRUCTOR and not member.is_default_method:
                if any(x.form is Form.COMPOUND and x.children for x in member.children):
                    raise Refused(reading.DESTRUCTOR, f"{t.spelling} has a destructor", at)
        if any(m.form is Form.BASE for m in shape.children):
            fields += self._bases(t, definition, shape, at)
        if is_closure(declared):
            held = zip(t.fields, captures(declared), strict=True)
            fields += [self._field(t, member, at, capture.field) for member, capture in held]
        else:
            fields += [self._field(t, member, at) for member in t.fields]
        return StructDef(name, tuple(fields), t.size, t.align, union=definition.form is Form.UNION)

    def _bases(self, t: CType, definition: Cursor, shape: Cursor, at: Cursor | None) -> list[Field]:
        """Base classes as members in front of the own ones."""
        bases = (
            t.bases
            if shape is not definition
            else tuple(m for m in shape.children if m.form is Form.BASE)
        )
        if bases is None:
            cause = f"{t.spelling} is a template with a base, which needs libclang 20 or later"
            raise Refused(reading.UNION_ACCESS, cause, at)
        fields: list[Field] = []
        for member in bases:
            if member.is_virtual_base:
                raise Refused(reading.VIRTUAL_CALL, f"{t.spelling} has a virtual base", at)
            base = self.read(member.type, at)
            if isinstance(base, Struct) and not self._structs[base.name].fields:
                continue
            if fields:
                raise Refused(reading.UNION_ACCESS, f"{t.spelling} has several bases", at)
            fields.append(Field(base_field(base), base, 0))
        return fields

    def _field(self, t: CType, member: Cursor, at: Cursor | None, name: str = "") -> Field:
        if member.is_bitfield:
            raise Refused(reading.BIT_FIELD, f"member {member.name} of {t.spelling}", at)
        bits = member.field_offset_bits
        if bits < 0:
            raise Refused(reading.UNION_ACCESS, f"offset of {t.spelling}::{member.name}", at)
        return Field(name or member_name(member), self.read(member.type, at), bits // 8)


def _key(t: CType, spelling: str) -> str:
    """What tells one record from another: classes inside of functions share their spelling with
    those of other functions and of other instantiations of the same template."""
    declared = t.declaration
    if "(lambda at " in spelling or is_local(declared):
        return f"{spelling} {hash(declared)}"
    return spelling


def member_name(member: Cursor) -> str:
    """A member's name; an unnamed struct or union inside a record is named by its position."""
    if member.name and "(" not in member.name:
        return member.name
    owner = member.parent
    fields = () if owner is None else owner.type.fields
    return f"unnamed_{fields.index(member) if member in fields else 0}"


def is_plain(shape: Cursor) -> bool:
    """Whether a record has neither constructors nor default member values of its own.

    Only then is a value without initialiser zero (in ``{}``) or undefined (without).
    """
    for member in shape.children:
        if member.form is Form.CONSTRUCTOR and not member.is_default_method:
            if member.raw_kind == "constructor" and any(
                x.form in (Form.COMPOUND, Form.PARAM) for x in member.children
            ):
                return False
        if member.form is Form.FUNCTION_TEMPLATE and member.name.split("<")[0] == shape.name:
            return False
        if member.form is Form.FIELD and has_default_value(member):
            return False
    return True


def has_default_value(member: Cursor) -> bool:
    """Whether a data member has an initialiser in its class."""
    parts = member.expressions
    if "[" in member.type.spelling:  # an array's length is a child too
        parts = tuple(p for p in parts if p.form is Form.INIT_LIST)
    return bool(parts)


def base_field(base: Type) -> str:
    """The name of the member that holds a base class."""
    return f"base_{base}"


def is_implicit(callee: Cursor) -> bool:
    """A member function that the compiler writes: it has no body in the source."""
    if callee.is_default_method:
        return True
    owner = callee.parent
    if owner is None:
        return False
    # an implicit member stands at the place of its class
    return callee.offset == owner.offset and callee.file == owner.file
