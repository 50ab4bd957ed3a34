"""Which bytes of a captured buffer hold which scalars, from the kernel's parameter types."""

from __future__ import annotations

from migrate.ir.kernel import Kernel, Module
from migrate.ir.types import Array, Kind, Pointer, Scalar, Struct, Type, Vector
from migrate.verify.capture import Argument, Buffer, GlobalBuffer, Launch
from migrate.verify.compare import Section


def scalars_in(kind: Type, module: Module, base: int = 0) -> tuple[tuple[int, Kind], ...]:
    """(byte offset, scalar kind) of every scalar in a type; pointers count as ``u64``.

    A union has no one layout: none of its bytes is typed.
    """
    match kind:
        case Scalar(k):
            return ((base, k),)
        case Vector(_, element, lanes):
            return tuple((base + i * element.bytes, element.kind) for i in range(lanes))
        case Array(element, length):
            size = size_of(element, module)
            return tuple(
                x for i in range(length) for x in scalars_in(element, module, base + i * size)
            )
        case Struct(name):
            layout = module.struct(name)
            if layout.union:
                return ()
            return tuple(
                x for f in layout.fields for x in scalars_in(f.type, module, base + f.offset)
            )
        case _:
            return ()


def size_of(kind: Type, module: Module) -> int:
    """Size in bytes, padding included; 0 for ``void``."""
    match kind:
        case Scalar() | Vector():
            return kind.bytes
        case Pointer():
            return 8
        case Array(element, length):
            return length * size_of(element, module)
        case Struct(name):
            return module.struct(name).size
        case _:
            return 0


def _repeat(kind: Type, module: Module, offset: int, size: int) -> tuple[Section, ...]:
    """Sections for as many whole elements of ``kind`` as fit between ``offset`` and ``size``.

    Elements before ``offset`` belong to the same array when a pointer points into its middle.
    """
    step = size_of(kind, module)
    if step == 0:
        return ()
    start = offset % step
    count = (size - start) // step
    return tuple(
        Section(start + at, scalar, count, step) for at, scalar in scalars_in(kind, module)
    )


def buffer_sections(
    buffer: Buffer, launch: Launch, kernel: Kernel, module: Module
) -> tuple[Section, ...]:
    """How to read one buffer of a launch.

    Types come from the kernel's pointer parameters and from pointers in by-value structs. Where two
    parameters see one allocation with different types, no type is certain and the bytes are
    compared exactly.
    """
    found: set[tuple[Section, ...]] = set()
    for argument, param in zip(launch.args, kernel.params, strict=False):
        for kind, offset in _views(argument, param.type, buffer.alloc, module):
            found.add(_repeat(kind, module, offset, buffer.size))
    return found.pop() if len(found) == 1 else ()


def _views(
    argument: Argument, kind: Type, alloc: int, module: Module
) -> tuple[tuple[Type, int], ...]:
    match kind:
        case Pointer(pointee):
            return ((pointee, argument.offset),) if argument.alloc == alloc else ()
        case Struct(name):
            fields = {f.offset: f.type for f in module.struct(name).fields}
            return tuple(
                (field.pointee, word.offset)
                for word in argument.pointers
                if word.alloc == alloc and isinstance(field := fields.get(word.at), Pointer)
            )
        case _:
            return ()


def global_sections(item: GlobalBuffer, module: Module) -> tuple[Section, ...]:
    """How to read a ``__device__`` variable; untyped when the module does not know it."""
    for variable in module.globals:
        if variable.name == item.name:
            return _repeat(variable.type, module, 0, item.size)
    return ()
