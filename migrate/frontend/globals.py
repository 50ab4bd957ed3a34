"""``__constant__`` and ``__device__`` variables, with the bytes of their initialisers."""

from __future__ import annotations

import struct

from migrate.core.codes import reading
from migrate.frontend.convert import fold_cast
from migrate.frontend.cursor import CType, Cursor, Form, TypeForm
from migrate.frontend.init_lists import Elided, Init, arranged, member_default
from migrate.frontend.read_values import constant
from migrate.frontend.reader import strip
from migrate.frontend.refusal import Refused
from migrate.frontend.types import TypeReader, is_implicit
from migrate.ir.expr import Const
from migrate.ir.types import Array, Kind, Scalar, Space, Struct, Type, Vector

_CODES = {
    Kind.BOOL: "?", Kind.I8: "b", Kind.U8: "B", Kind.I16: "h", Kind.U16: "H", Kind.I32: "i",
    Kind.U32: "I", Kind.I64: "q", Kind.U64: "Q", Kind.F16: "e", Kind.F32: "f", Kind.F64: "d",
}  # fmt: skip


def space_of_variable(c: Cursor) -> Space | None:
    """Where a file-scope variable lives on the device; ``None`` for a host variable."""
    attributes = c.attributes
    if "CUDACONSTANT_ATTR" in attributes:
        return Space.CONSTANT
    if "CUDADEVICE_ATTR" in attributes or "CUDAMANAGED_ATTR" in attributes:
        return Space.GLOBAL
    return None


def initial_bytes(c: Cursor, kind: Type, types: TypeReader) -> bytes | None:
    """The bytes of a variable's initialiser; ``None`` when it has none.

    Raises ``Refused`` with CM1303 when the initialiser is not constant.
    """
    init = initialiser(c)
    if init is None:
        return None
    if isinstance(kind, Struct) and _is_blank(init):
        return _laid_out((), kind, types, c)
    return _bytes(init, kind, types, c)


def _is_blank(init: Cursor) -> bool:
    """A call of the default constructor that the compiler writes."""
    node = strip(init)
    target = node.referenced if node.form is Form.CALL and not node.arguments else None
    return target is not None and target.form is Form.CONSTRUCTOR and is_implicit(target)


def initialiser(c: Cursor) -> Cursor | None:
    """A variable's initialiser, told from its array lengths."""
    parts = list(c.expressions)
    if c.type.form in (TypeForm.ARRAY, TypeForm.UNSIZED_ARRAY):
        parts = [p for p in parts if p.form in (Form.INIT_LIST, Form.STRING)]
    return parts[-1] if parts else None


def size_of(kind: Type, types: TypeReader) -> int:
    """Size of a type in memory."""
    match kind:
        case Array(element, length):
            return size_of(element, types) * length
        case Struct(name):
            return types.struct(name).size
        case Scalar() | Vector():
            return kind.bytes
        case _:
            return 8


def _bytes(init: Init, kind: Type, types: TypeReader, at: Cursor) -> bytes:
    """The bytes of an initialiser; what it leaves out is zero."""
    if isinstance(kind, Scalar):
        if isinstance(init, Elided):
            raise _refused(at)
        return _scalar_bytes(strip(init), kind, types, at)
    if isinstance(init, Elided):
        parts = init.parts
    else:
        node = strip(init)
        if node.form is not Form.INIT_LIST or not isinstance(kind, Array | Struct | Vector):
            raise _refused(at)
        parts = arranged(node, kind, types)
    return _laid_out(parts, kind, types, at)


def _laid_out(parts: tuple[Init | None, ...], kind: Type, types: TypeReader, at: Cursor) -> bytes:
    """Parts at their offsets; a member without one has its default value, or is zero."""
    data = bytearray(size_of(kind, types))
    union = isinstance(kind, Struct) and types.struct(kind.name).union
    for i, (offset, member) in enumerate(_places(kind, types)):
        if union and i:
            break
        part = parts[i] if i < len(parts) else None
        if part is None:
            part = member_default(kind, i, types)
        if part is None:
            piece = _laid_out((), member, types, at)
        else:
            piece = _bytes(part, member, types, at)
        data[offset : offset + len(piece)] = piece
    return bytes(data)


def _places(kind: Type, types: TypeReader) -> tuple[tuple[int, Type], ...]:
    """Offsets and types of what an aggregate consists of."""
    match kind:
        case Array(element, length):
            size = size_of(element, types)
            return tuple((i * size, element) for i in range(length))
        case Struct(name):
            return tuple((f.offset, f.type) for f in types.struct(name).fields)
        case Vector(element=element, lanes=lanes):
            return tuple((i * element.bytes, element) for i in range(lanes))
        case _:
            return ()


def _scalar_bytes(node: Cursor, kind: Scalar, types: TypeReader, at: Cursor) -> bytes:
    while node.form is Form.INIT_LIST:
        if not node.expressions:
            return b"\0" * kind.bytes
        node = strip(node.expressions[0])
    value = node.evaluate()
    source = _scalar_type(node.type, types, at)
    found = None if value is None else constant(value, source)
    folded = None if found is None else fold_cast(found, kind)
    if folded is None or kind.kind not in _CODES:
        raise _refused(at)
    assert isinstance(folded, Const)
    return struct.pack("<" + _CODES[kind.kind], folded.value)


def _scalar_type(t: CType, types: TypeReader, at: Cursor) -> Scalar:
    return types.scalar(t, at)


def _refused(at: Cursor) -> Refused:
    return Refused(reading.DEVICE_VARIABLE_INITIALISER, f"initialiser of {at.name}", at)
