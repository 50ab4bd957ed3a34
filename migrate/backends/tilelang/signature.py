"""How the parameters of a CUDA kernel map to those of its TileLang kernel and wrapper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.layout import field_offset, leaves, type_bytes
from migrate.ir.kernel import GlobalVar, Kernel, Module, Param
from migrate.ir.types import Array, Pointer, Scalar, Struct, Type, Vector


@dataclass(frozen=True, slots=True)
class Piece:
    """One parameter of the kernel in normal form. ``member`` is its name in the wrapper's struct
    argument (empty: the parameter itself), ``offset`` its byte offset there. ``places`` are the
    byte offsets of an array's elements where they do not follow each other: a member of an array
    of structs, whose elements become an array of their own."""

    param: Param
    member: str
    offset: int
    places: tuple[int, ...] = ()

    @property
    def type(self) -> Type:
        """The type in normal form: a scalar, a pointer to scalars, or an array of scalars."""
        return self.param.type


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter of the CUDA kernel with its pieces; ``is_global`` marks a module variable."""

    name: str
    type: Type
    pieces: tuple[Piece, ...]
    is_global: bool = False

    @property
    def is_struct(self) -> bool:
        """Passed as one object with members."""
        return isinstance(self.type, Struct | Vector)


def given_params(source: Kernel, body: Kernel, module: Module) -> tuple[Given, ...]:
    """The parameters in CUDA's order, then the globals that the kernel uses.

    Relies on scalarisation splitting parameters in order, and on flattening adding globals last.
    """
    left = list(body.params)
    out: list[Given] = []
    for p in source.params:
        if isinstance(p.type, Struct | Vector):
            pieces: list[Piece] = []
            for leaf in leaves(p.type, module):
                places = tuple(_places(p.type, leaf.path, module))
                size = element(left[0].type).bytes
                row = tuple(range(places[0], places[0] + size * len(places), size))
                apart = () if places == row else places
                pieces.append(Piece(left.pop(0), "_".join(leaf.path), places[0], apart))
            out.append(Given(p.name, p.type, tuple(pieces)))
        else:
            out.append(Given(p.name, p.type, (Piece(left.pop(0), "", 0),)))
    kinds: dict[str, GlobalVar] = {g.name: g for g in module.globals}
    for q in left:
        out.append(Given(q.name, kinds[q.name].type, (Piece(q, "", 0),), is_global=True))
    return tuple(out)


def _places(kind: Type, path: tuple[str, ...], module: Module, at: int = 0) -> Iterator[int]:
    """The byte offsets of a leaf, each element of the arrays on the way, in row-major order as in
    :func:`migrate.analysis.layout.leaves`."""
    if isinstance(kind, Array):
        size = size_of(kind.element, module)
        for n in range(kind.length):
            yield from _places(kind.element, path, module, at + n * size)
    elif path:
        inner = at + field_offset(kind, path[0], module)
        yield from _places(_member(kind, path[0], module), path[1:], module, inner)
    else:
        yield at


def _member(kind: Type, name: str, module: Module) -> Type:
    if isinstance(kind, Vector):
        return kind.element
    if isinstance(kind, Struct):
        return next(f.type for f in module.struct(kind.name).fields if f.name == name)
    return kind


def element(kind: Type) -> Scalar:
    """The scalar that a buffer or argument holds."""
    match kind:
        case Pointer(pointee):
            return element(pointee)
        case Array(inner):
            return element(inner)
        case Scalar():
            return kind
        case _:
            raise TypeError(f"{kind} is not in normal form")


def size_of(kind: Type, module: Module) -> int:
    """Bytes of a type; 0 for ``void``."""
    return type_bytes(kind, module) or 0
