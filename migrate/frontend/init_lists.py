"""Which element of an aggregate each part of a braced list initialises.

C++ lets inner braces be left out: ``int m[2][2] = {1, 2, 3, 4}`` ([dcl.init.aggr]). libclang shows
the list as it is written, so the parts are dealt out here. Designators (``{.x = 1}``) name their
member.
"""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.reader import strip
from migrate.frontend.refusal import Refused
from migrate.frontend.types import TypeReader, has_default_value, is_plain, member_name
from migrate.ir.types import Array, Struct, Type, Vector


@dataclass(frozen=True, slots=True)
class Elided:
    """The parts of an aggregate whose own braces are left out; ``None`` where none is given."""

    parts: tuple[Init | None, ...]


Init = Cursor | Elided
_WITH_CONSTRUCTORS = frozenset({"dim3", "half2", "bfloat162"})
"""Vector types of CUDA that are no aggregates."""


def arranged(c: Cursor, kind: Type, types: TypeReader) -> tuple[Init | None, ...]:
    """One entry for each element or member of ``kind``, as far as the list reaches.

    Raises ``Refused`` with CM1110 for parts that are left over and for designators of arrays.
    """
    parts = list(c.expressions)
    if any(_is_designator(p) for p in parts):
        return _designated(parts, kind, types, c)
    found = _dealt(parts, kind, types)
    if parts:
        raise Refused(reading.UNREADABLE_EXPRESSION, f"initialiser list of {kind}", c)
    return found


def member_default(kind: Type, index: int, types: TypeReader) -> Cursor | None:
    """The initialiser that a struct's definition gives a member, if any."""
    if not isinstance(kind, Struct):
        return None
    name = types.struct(kind.name).fields[index].name
    for member in types.declaration(kind.name).children:
        if member.form is Form.FIELD and member_name(member) == name:
            return member.expressions[-1] if has_default_value(member) else None
    return None


def _dealt(parts: list[Cursor], kind: Type, types: TypeReader) -> tuple[Init | None, ...]:
    """Take the parts that belong to ``kind`` off the front of the list."""
    found: list[Init | None] = []
    for inner in _members(kind, types):
        if not parts:
            break
        if _takes_one(parts[0], inner, types):
            found.append(parts.pop(0))
        else:
            found.append(Elided(_dealt(parts, inner, types)))
    return tuple(found)


def _members(kind: Type, types: TypeReader) -> tuple[Type, ...]:
    match kind:
        case Array(element, length):
            return (element,) * length
        case Struct(name):
            definition = types.struct(name)
            fields = definition.fields[:1] if definition.union else definition.fields
            return tuple(f.type for f in fields)
        case Vector(element=element, lanes=lanes):
            return (element,) * lanes
        case _:
            return ()


def _takes_one(part: Cursor, kind: Type, types: TypeReader) -> bool:
    """Whether a part initialises the whole of an element, rather than the first part of it."""
    node = strip(part)
    if node.form is Form.INIT_LIST or not isinstance(kind, Array | Struct | Vector):
        return True
    if isinstance(kind, Vector):
        return part.type.form is TypeForm.RECORD or kind.name in _WITH_CONSTRUCTORS
    if isinstance(kind, Array):
        return node.form is Form.STRING or node.type.form is TypeForm.ARRAY
    if part.type.form is TypeForm.RECORD:
        try:
            if types.read(part.type, part) == kind:
                return True
        except Refused:
            return True
    return not is_plain(types.declaration(kind.name))  # a constructor takes the part


def _is_designator(part: Cursor) -> bool:
    return part.form is Form.UNEXPOSED and part.type.form is TypeForm.VOID


def _designated(
    parts: list[Cursor], kind: Type, types: TypeReader, c: Cursor
) -> tuple[Init | None, ...]:
    if not isinstance(kind, Struct) or types.struct(kind.name).union:
        raise Refused(reading.UNREADABLE_EXPRESSION, f"designated initialiser of {kind}", c)
    names = [f.name for f in types.struct(kind.name).fields]
    found: list[Init | None] = [None] * len(names)
    for part in parts:
        named = [x for x in part.children if x.raw_kind == "member_ref"]
        values = part.expressions
        target = named[0].referenced if len(named) == 1 else None
        if target is None or len(values) != 1 or member_name(target) not in names:
            raise Refused(reading.UNREADABLE_EXPRESSION, f"designated initialiser of {kind}", c)
        found[names.index(member_name(target))] = values[0]
    return tuple(found)
