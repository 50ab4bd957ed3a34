"""Every memory access becomes an element of a flat array of scalars.

    p: ptr<global, float4>                 p: ptr<global, f32>
    p[i].y                                 p[((i * 4:i32) + 1:i32)]

    s: ptr<global, Particle>               s: ptr<global, i32>      (four-byte members only)
    s[i].mass                              bits<f32>(s[((i * 5:i32) + 3:i32)])

    cast<ptr<global, float4>>(x)[i].x      x[(i * 4:i32)]
    padd(q, row_offset)[j]                 q[(row_offset + j)]
    coef[2] of a ``__constant__`` array    coef: an added parameter, coef[2:i32]

One scalar type stands for each buffer: the type of all its scalars when they have one; ``i32``
words when all have four bytes, ``i64`` when all have eight. Other mixtures are refused with
CM3013. An access with another type of the same size goes through its bits.

A distance in bytes (``(char*)p + row * pitch``) is divided by the size of an element::

    cast<ptr<global, f32>>(padd(cast<ptr<global, i8>>(p), (row * pitch)))[x]

    p[(((cast<i64>(row) * cast<i64>(pitch)) / 4:i64) + cast<i64>(x))]

The division is exact: CUDA faults on an access that is not aligned to its size.

Legal because byte addresses stay the same: an offset of ``k`` scalars of ``n`` bytes is ``k * n``
bytes, and every member offset is a multiple of ``n``. Index types are kept; offsets of different
types meet in i64, as addresses do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.analysis.constants import const
from migrate.analysis.layout import field_offset, slots, type_bytes
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Sink
from migrate.core.span import Span
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
    PtrAdd,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.simt import Assign, Atomic, Stmt
from migrate.ir.types import I32, I64, Pointer, Scalar, Space, Type, Void
from migrate.ir.walk import Rewriter, all_exprs, stmt_places, walk_stmts
from migrate.lifting.fold import add, as_type, scaled
from migrate.lifting.refusal import refuse


def flatten_memory(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    return _Flattener(kernel, module).run()


@dataclass(frozen=True, slots=True)
class _Address:
    """Elements of several sizes added up: ``terms`` are (index, bytes an index step)."""

    buffer: str
    terms: tuple[tuple[Expr, int], ...]

    def moved(self, index: Expr, size: int) -> _Address:
        """The address ``index`` elements of ``size`` bytes further on."""
        if isinstance(index, Const) and index.value == 0:
            return self
        return replace(self, terms=(*self.terms, (index, size)))


class _Flattener:
    def __init__(self, kernel: Kernel, module: Module) -> None:
        self._kernel = kernel
        self._module = module
        self._buffers: dict[str, Type] = {
            p.name: p.type.pointee for p in kernel.params if isinstance(p.type, Pointer)
        }
        self._globals = {g.name: g for g in module.globals}
        self._scalar: dict[str, Scalar] = {}
        self._spans = {p.name: p.span for p in kernel.params}

    def run(self) -> Kernel:
        used = self._used_globals()
        for name in used:
            self._buffers[name] = self._globals[name].type
        self._choose_scalars()
        rewriter = _Words(place=self._place, stmt=self._stmt)
        body = rewriter.body(self._kernel.body)
        params = [self._param(p) for p in self._kernel.params]
        for name in used:
            params.append(Param(name, self._buffer_type(name), span=self._globals[name].span))
        if body is self._kernel.body and tuple(params) == self._kernel.params:
            return self._kernel
        return replace(self._kernel, params=tuple(params), body=body)

    def _used_globals(self) -> tuple[str, ...]:
        found: set[str] = set()
        for e in all_exprs(self._kernel.body):
            if isinstance(e, Read | AddressOf):
                found |= _variables(e.place)
        for s in walk_stmts(self._kernel.body):
            for p in stmt_places(s):
                found |= _variables(p)
        return tuple(g for g in self._globals if g in found)

    # --- the scalar of each buffer

    def _choose_scalars(self) -> None:
        for name, kind in self._buffers.items():
            kinds = {s.type for s in slots(kind, self._module)}
            if isinstance(kind, Void):
                kinds = self._accessed(name)
            self._scalar[name] = self._word(name, kinds)

    def _accessed(self, name: str) -> set[Scalar | Pointer]:
        """The scalars that a ``void*`` buffer is accessed with."""
        found: set[Scalar | Pointer] = set()
        for e in all_exprs(self._kernel.body):
            if isinstance(e, Cast) and isinstance(e.type, Pointer):
                if _root_name(e) == name:
                    found |= {s.type for s in slots(e.type.pointee, self._module)}
        return found

    def _word(self, name: str, kinds: set[Scalar | Pointer]) -> Scalar:
        scalars = {k for k in kinds if isinstance(k, Scalar)}
        if len(scalars) != len(kinds):
            raise refuse(
                codes.MIXED_LAYOUT,
                f"{name} points to memory that holds pointers",
                self._spans.get(name, self._kernel.span),
                "pass the inner buffers as parameters of their own",
            )
        if len(scalars) == 1:
            return next(iter(scalars))
        sizes = {s.bytes for s in scalars}
        if sizes == {4}:
            return I32
        if sizes == {8}:
            return I64
        listed = ", ".join(sorted(str(s) for s in scalars)) or "no scalar"
        raise refuse(
            codes.MIXED_LAYOUT,
            f"the elements of {name} mix {listed}",
            self._spans.get(name, self._kernel.span),
            "use one buffer for each member (structure of arrays)",
        )

    def _param(self, p: Param) -> Param:
        if not isinstance(p.type, Pointer) or p.type.pointee == self._scalar[p.name]:
            return p
        return replace(p, type=replace(p.type, pointee=self._scalar[p.name]))

    def _buffer_type(self, name: str) -> Pointer:
        """The type of a buffer's parameter after the pass."""
        word = self._scalar[name]
        for p in self._kernel.params:
            if p.name == name and isinstance(p.type, Pointer):
                return replace(p.type, pointee=word)
        space = self._globals[name].space
        return Pointer(word, space, const=space is Space.CONSTANT)

    # --- addresses

    def _address(self, p: Place) -> _Address | None:
        """Where a place lies; ``None`` for locals."""
        match p:
            case VarPlace(name):
                return _Address(name, ()) if name in self._globals else None
            case PtrElem(pointer, index):
                base = self._pointer(pointer)
                if base is None:
                    return None
                return base.moved(index, self._bytes(p.type, p.span))
            case ArrElem(inner, index):
                base = self._address(inner)
                if base is None:
                    return None
                return base.moved(index, self._bytes(p.type, p.span))
            case FieldPlace(inner, field):
                base = self._address(inner)
                if base is None:
                    return None
                offset = field_offset(inner.type, field, self._module)
                return base.moved(const(offset, I32), 1)

    def _bytes(self, kind: Type, span: Span) -> int:
        size = type_bytes(kind, self._module)
        if size is None:
            raise refuse(codes.MIXED_LAYOUT, "void is accessed without a type", span)
        return size

    def _pointer(self, e: Expr) -> _Address | None:
        match e:
            case Read(VarPlace(name)) if name in self._buffers:
                return _Address(name, ())
            case PtrAdd(pointer, offset):
                base = self._pointer(pointer)
                if base is None or not isinstance(e.type, Pointer):
                    return None
                return base.moved(offset, self._bytes(e.type.pointee, e.span))
            case Cast(operand) | Bitcast(operand):
                return self._pointer(operand)
            case AddressOf(place):
                return self._address(place)
            case _:
                return None

    def _index(self, at: _Address, word: int, span: Span) -> Expr:
        total: Expr | None = None
        uneven: Expr | None = None
        constant = 0
        for index, size in at.terms:
            if isinstance(index, Const):
                constant += int(index.value) * size
            elif size % word:
                step = scaled(as_type(index, I64), size)
                uneven = step if uneven is None else add(uneven, step)
            else:
                step = scaled(index, size // word)
                total = step if total is None else add(total, step)
        if uneven is not None:
            words = Binary(BinaryOp.DIV, uneven, const(word, I64), span=span)
            total = words if total is None else add(words, total)
        if constant % word:
            raise refuse(
                codes.MIXED_LAYOUT,
                f"{at.buffer} is accessed at byte {constant}, its elements have {word} bytes",
                span,
            )
        offset = const(constant // word, I32)
        return offset if total is None else add(total, offset)

    def _place(self, p: Place) -> Place | None:
        """A scalar place in memory as an element of its flat buffer, its own type kept aside."""
        if not isinstance(p.type, Scalar):
            return None
        at = self._address(p)
        if at is None:
            if isinstance(p, PtrElem):
                raise refuse(
                    codes.AMBIGUOUS_POINTER, "a pointer that is no parameter is read", p.span
                )
            return None
        word = self._scalar[at.buffer]
        if p.type.bytes != word.bytes:
            raise refuse(
                codes.MIXED_LAYOUT,
                f"{at.buffer} holds {word} and is accessed as {p.type}",
                p.span,
            )
        pointer = Read(VarPlace(at.buffer, self._buffer_type(at.buffer)), span=p.span)
        return PtrElem(pointer, self._index(at, word.bytes, p.span), span=p.span)

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Assign(place, value) if place.type != value.type:
                return (replace(s, value=Bitcast(value, place.type, span=value.span)),)
            case Atomic(_, place, operands) if any(x.type != place.type for x in operands):
                raise refuse(
                    codes.MIXED_LAYOUT,
                    f"an atomic operation on {operands[0].type} in memory of {place.type}",
                    s.span,
                )
            case _:
                return None


class _Words(Rewriter):
    """Reads keep their type: where the buffer's scalar is another one, its bits are taken."""

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression."""
        if not isinstance(e, Read):
            return super().expr(e)
        place = self.place(e.place)
        if place is e.place:
            return e
        read = replace(e, place=place)
        return read if place.type == e.type else Bitcast(read, e.type, span=e.span)


def _variables(p: Place) -> set[str]:
    match p:
        case VarPlace(name):
            return {name}
        case ArrElem(base) | FieldPlace(base):
            return _variables(base)
        case PtrElem():
            return set()


def _root_name(e: Expr) -> str:
    match e:
        case Read(VarPlace(name)):
            return name
        case Cast(operand) | Bitcast(operand):
            return _root_name(operand)
        case PtrAdd(pointer):
            return _root_name(pointer)
        case _:
            return ""
