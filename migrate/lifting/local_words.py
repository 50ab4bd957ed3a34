"""Words of local values, which a copy of memory reads and writes through a cast.

    cast<ptr<u32>>(addr(bits))[1]  = v          bits.y = bitcast(v, i32)
    cast<ptr<u16>>(addr(bits))[3]  = v          bits.y = (bits.y & 0xffff) | (v << 16)
    w = cast<ptr<u16>>(addr(row.a))[3]          w = bitcast(row.a.[3], u16)

Device code copies a vector of four words to an array of eight halves so, to load and store them at
once. Exact: a word that is one scalar of the value has its bits, and one that is a part of a longer
scalar is cut out of its bits, lowest byte first as on the device. The bytes must lie in one scalar,
and the index must be known, unless the value is an array of scalars of the word's own size.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.analysis.constants import const
from migrate.analysis.layout import field_offset, type_bytes
from migrate.core.diagnostics import Sink
from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Cast,
    Const,
    Expr,
    FieldPlace,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import BOOL, I32, Array, Scalar, Space, Struct, Type, Vector
from migrate.ir.walk import Rewriter, root, walk_stmts
from migrate.lifting.words import as_bits, unsigned


def words_of_locals(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    names = {
        s.name for s in walk_stmts(kernel.body) if isinstance(s, Declare) and s.space is Space.LOCAL
    }
    words = _Words(module, frozenset(names))
    body = Rewriter(expr=words.expr, stmt=words.stmt).body(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Words:
    def __init__(self, module: Module, names: frozenset[str]) -> None:
        self._module = module
        self._names = names

    def expr(self, e: Expr) -> Expr | None:
        """A word that is read."""
        found = self._part(e.place) if isinstance(e, Read) else None
        if found is None or not isinstance(e.type, Scalar):
            return None
        scalar, first = found
        if not isinstance(scalar.type, Scalar) or scalar.type.bytes == e.type.bytes:
            return as_bits(Read(scalar, span=e.span), e.type)
        whole = unsigned(scalar.type.bytes)
        bits = as_bits(Read(scalar, span=e.span), whole)
        moved = Binary(BinaryOp.SHR, bits, const(8 * first, whole)) if first else bits
        return as_bits(Cast(moved, unsigned(e.type.bytes), span=e.span), e.type)

    def stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        """A word that is written."""
        found = self._part(s.place) if isinstance(s, Assign) else None
        if found is None or not isinstance(s, Assign) or not isinstance(s.place.type, Scalar):
            return None
        scalar, first = found
        if not isinstance(scalar.type, Scalar):
            return None
        size = s.place.type.bytes
        if scalar.type.bytes == size:
            return (replace(s, place=scalar, value=as_bits(s.value, scalar.type)),)
        whole = unsigned(scalar.type.bytes)
        mask = ((1 << (8 * size)) - 1) << (8 * first)
        kept = Binary(BinaryOp.AND, as_bits(Read(scalar, span=s.span), whole), const(~mask, whole))
        added: Expr = Cast(as_bits(s.value, unsigned(size)), whole, span=s.span)
        if first:
            added = Binary(BinaryOp.SHL, added, const(8 * first, whole))
        value = as_bits(Binary(BinaryOp.OR, kept, added), scalar.type)
        return (replace(s, place=scalar, value=value),)

    def _part(self, p: Place) -> tuple[Place, int] | None:
        """The scalar of a local value that a word lies in, and the word's first byte there."""
        if not isinstance(p, PtrElem) or not isinstance(p.type, Scalar) or p.type == BOOL:
            return None
        pointer, casts = p.pointer, 0
        while isinstance(pointer, Cast | Bitcast):
            pointer, casts = pointer.operand, casts + 1
        if not casts or not isinstance(pointer, AddressOf):
            return None
        place = pointer.place
        base = root(place)
        if not isinstance(base, VarPlace) or base.name not in self._names:
            return None
        if isinstance(p.index, Const):
            found = self._scalar_at(place, int(p.index.value) * p.type.bytes)
        else:
            found = self._element(place, p.index, p.type)
        if found is None:
            return None
        scalar, first = found
        kind = scalar.type
        fits = isinstance(kind, Scalar) and kind != BOOL and first + p.type.bytes <= kind.bytes
        return found if fits else None

    def _element(self, place: Place, index: Expr, word: Scalar) -> tuple[Place, int] | None:
        match place.type:
            case Array(Scalar() as element) if element.bytes == word.bytes:
                return ArrElem(place, index, span=place.span), 0
            case _:
                return None

    def _scalar_at(self, place: Place, at: int) -> tuple[Place, int] | None:
        """The scalar with byte ``at`` of a place, and what is left of ``at`` in it."""
        kind = place.type
        size = type_bytes(kind, self._module) or 0
        if not 0 <= at < size:
            return None
        match kind:
            case Array(element):
                step = type_bytes(element, self._module) or 0
                inner = ArrElem(place, const(at // step, I32), span=place.span)
                return self._scalar_at(inner, at % step)
            case Vector() | Struct():
                for name, member in self._members(kind):
                    first = field_offset(kind, name, self._module)
                    length = type_bytes(member, self._module) or 0
                    if first <= at < first + length:
                        inner_place = FieldPlace(place, name, member, span=place.span)
                        return self._scalar_at(inner_place, at - first)
                return None
            case Scalar():
                return place, at
            case _:
                return None

    def _members(self, kind: Vector | Struct) -> tuple[tuple[str, Type], ...]:
        if isinstance(kind, Vector):
            return tuple((name, kind.element) for name in kind.members)
        layout = self._module.struct(kind.name)
        return () if layout.union else tuple((f.name, f.type) for f in layout.fields)
