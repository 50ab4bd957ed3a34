"""Sizes and scalar layout of types in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from migrate.ir.kernel import Module
from migrate.ir.types import Array, Pointer, Scalar, Struct, Type, Vector, Void


@dataclass(frozen=True, slots=True)
class Slot:
    """A scalar at a byte ``offset`` of a type."""

    offset: int
    type: Scalar | Pointer


def type_bytes(kind: Type, module: Module) -> int | None:
    """Size in bytes with padding; ``None`` for ``void``."""
    match kind:
        case Scalar() | Vector():
            return kind.bytes
        case Pointer():
            return 8
        case Array(element, length):
            inner = type_bytes(element, module)
            return None if inner is None else inner * length
        case Struct(name):
            return module.struct(name).size
        case Void():
            return None


def slots(kind: Type, module: Module, at: int = 0) -> Iterator[Slot]:
    """Every scalar of a type by byte offset. Members of unions overlap."""
    match kind:
        case Scalar() | Pointer():
            yield Slot(at, kind)
        case Vector(element=element, lanes=lanes):
            for lane in range(lanes):
                yield Slot(at + lane * element.bytes, element)
        case Array(element, length):
            size = type_bytes(element, module) or 0
            for i in range(length):
                yield from slots(element, module, at + i * size)
        case Struct(name):
            for f in module.struct(name).fields:
                yield from slots(f.type, module, at + f.offset)
        case Void():
            return


def field_offset(base: Type, name: str, module: Module) -> int:
    """Byte offset of a member."""
    match base:
        case Vector(element=element, members=members):
            return members.index(name) * element.bytes
        case Struct(struct):
            for f in module.struct(struct).fields:
                if f.name == name:
                    return f.offset
    raise KeyError(name)
