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


class UnionLayout(ValueError):
    """A union has no separate members; the argument is its name."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar or pointer member of an aggregate: the member names down to it, and its type.

    ``type`` is an array where arrays lie on the way; nested ones have their lengths multiplied
    into one dimension in row-major order.
    """

    path: tuple[str, ...]
    type: Type


def is_aggregate(kind: Type) -> bool:
    """Structs, vectors, and arrays of them."""
    match kind:
        case Vector() | Struct():
            return True
        case Array(element):
            return is_aggregate(element) or isinstance(element, Array)
        case _:
            return False


def members(kind: Type, module: Module) -> tuple[tuple[str, Type], ...]:
    """The members of a struct or vector in order. Raises :class:`UnionLayout`."""
    match kind:
        case Vector(element=element):
            return tuple((m, element) for m in kind.members)
        case Struct(name):
            layout = module.struct(name)
            if layout.union:
                raise UnionLayout(name)
            return tuple((f.name, f.type) for f in layout.fields)
        case _:
            raise TypeError(f"{kind} has no members")


def leaves(kind: Type, module: Module) -> Iterator[Leaf]:
    """All scalars of a type, in layout order."""
    match kind:
        case Array(element, length):
            for leaf in leaves(element, module):
                inner = leaf.type
                if isinstance(inner, Array):
                    yield Leaf(leaf.path, Array(inner.element, inner.length * length))
                else:
                    yield Leaf(leaf.path, Array(inner, length))
        case Vector() | Struct():
            for name, member in members(kind, module):
                for leaf in leaves(member, module):
                    yield Leaf((name, *leaf.path), leaf.type)
        case _:
            yield Leaf((), kind)
