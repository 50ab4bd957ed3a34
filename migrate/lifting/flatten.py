"""Every memory access becomes an element of a flat array of scalars.

    p: ptr<global, float4>                 p: ptr<global, f32>
    p[i].y                                 p[((i * 4:i32) + 1:i32)]

    s: ptr<global, Particle>               s: ptr<global, i32>      (four-byte members only)
    s[i].mass                              bits<f32>(s[((i * 5:i32) + 3:i32)])

    cast<ptr<global, float4>>(x)[i].x      x[(i * 4:i32)]
    padd(q, row_offset)[j]                 q[(row_offset + j)]
    coef[2] of a ``__constant__`` array    coef: an added parameter, coef[2:i32]

Variables of the kernel that are read through a pointer of another type become arrays of words in
the same way.

One scalar type stands for each buffer: the type of its scalars when they have one and are accessed
in its size; otherwise an integer of the smallest size that occurs. An access with another type of
that size goes through its bits, a wider one is put together from several elements (its parts in
little-endian order, as memory is on every CUDA host and device)::

    cast<ptr<global, u32>>(h)[i] of half    (cast<u32>(bits<u16>(h[(i * 2)])) | (... << 16))

A buffer whose atomic operations work on one type of the elements' size has that type: a compare and
swap of the bits of floats makes the floats bits. What holds pointers, atomic operations of two such
types, and those that would need several elements, are refused with CM3013.

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
from migrate.analysis.layout import field_offset, is_aggregate, slots, type_bytes
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
from migrate.ir.simt import Assign, Atomic, AtomicOp, Declare, Stmt
from migrate.ir.types import I32, I64, Array, Pointer, Scalar, Space, Type
from migrate.ir.walk import Rewriter, all_exprs, stmt_places, walk_stmts
from migrate.lifting.fold import add, as_type, scaled
from migrate.lifting.naming import names_of
from migrate.lifting.refusal import refuse
from migrate.lifting.words import as_bits, atomic_word, unsigned, variables_of, word_of


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
        self._arrays = _seen_otherwise(kernel)
        self._buffers |= {name: s.type for name, s in self._arrays.items()}
        self._scalar: dict[str, Scalar] = {}
        self._names = names_of(kernel, module)
        self._spans = {p.name: p.span for p in kernel.params}

    def run(self) -> Kernel:
        used = self._used_globals()
        for name in used:
            self._buffers[name] = self._globals[name].type
        self._choose_scalars()
        rewriter = _Words(self)
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
                found |= variables_of(e.place)
        for s in walk_stmts(self._kernel.body):
            for p in stmt_places(s):
                found |= variables_of(p)
        return tuple(g for g in self._globals if g in found)

    # --- the scalar of each buffer

    def _choose_scalars(self) -> None:
        accessed, atomic = self._accessed()
        typed = self._typed_atomics()
        for name, kind in self._buffers.items():
            held = {s.type for s in slots(kind, self._module)}
            if any(isinstance(k, Pointer) for k in held):
                raise refuse(
                    codes.MIXED_LAYOUT,
                    f"{name} points to memory that holds pointers",
                    self._spans.get(name, self._kernel.span),
                    "pass the inner buffers as parameters of their own",
                )
            scalars = {k for k in held if isinstance(k, Scalar)}
            if name in self._arrays:
                # an atomic operation needs its own type; a plain access can take the bits
                scalars = atomic.get(name, scalars)
            word = word_of(scalars, accessed.get(name, set()))
            self._scalar[name] = word if name in self._arrays else atomic_word(word, typed[name])

    def _accessed(self) -> tuple[dict[str, set[Scalar]], dict[str, set[Scalar]]]:
        """The scalar types with which each buffer is accessed, and those of atomic operations."""
        found: dict[str, set[Scalar]] = {}
        atomic: dict[str, set[Scalar]] = {}
        places = [e.place for e in all_exprs(self._kernel.body) if isinstance(e, Read)]
        for s in walk_stmts(self._kernel.body):
            for p in stmt_places(s):
                places.append(p)
                at = self._address(p) if isinstance(s, Atomic) else None
                if at is not None and isinstance(p.type, Scalar):
                    atomic.setdefault(at.buffer, set()).add(p.type)
        for p in places:
            at = self._address(p)
            if at is not None and isinstance(p.type, Scalar):
                found.setdefault(at.buffer, set()).add(p.type)
        return found, atomic

    def _typed_atomics(self) -> dict[str, set[Scalar]]:
        """For each buffer the types of the atomic operations that no other type can do."""
        found: dict[str, set[Scalar]] = {name: set() for name in self._buffers}
        for s in walk_stmts(self._kernel.body):
            if isinstance(s, Atomic) and isinstance(s.place.type, Scalar) and not _any_sign(s):
                at = self._address(s.place)
                if at is not None:
                    found[at.buffer].add(s.place.type)
        return found

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
                known = name in self._globals or name in self._arrays
                return _Address(name, ()) if known else None
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
        """A scalar place in memory as one element of its flat buffer."""
        at = self._address(p) if isinstance(p.type, Scalar) else None
        if at is None:
            if isinstance(p, PtrElem) and isinstance(p.type, Scalar):
                raise refuse(
                    codes.AMBIGUOUS_POINTER, "a pointer that is no parameter is read", p.span
                )
            return None
        if self._parts(p) != 1:
            return None
        return self._element(at, 0, p.span)

    def _parts(self, p: Place) -> int:
        """How many elements of its buffer a scalar place covers; 0 for locals."""
        at = self._address(p) if isinstance(p.type, Scalar) else None
        if at is None or not isinstance(p.type, Scalar):
            return 0
        return p.type.bytes // self._scalar[at.buffer].bytes

    def _element(self, at: _Address, part: int, span: Span) -> PtrElem | ArrElem:
        word = self._scalar[at.buffer]
        moved = at.moved(const(part * word.bytes, I32), 1)
        index = self._index(moved, word.bytes, span)
        if at.buffer in self._arrays:
            array = self._array_type(self._arrays[at.buffer].type, word, span)
            return ArrElem(VarPlace(at.buffer, array), index, span=span)
        pointer = Read(VarPlace(at.buffer, self._buffer_type(at.buffer)), span=span)
        return PtrElem(pointer, index, span=span)

    def _array_type(self, kind: Type, word: Scalar, span: Span) -> Array:
        """A variable as an array of its words."""
        return Array(word, -(-self._bytes(kind, span) // word.bytes))

    # --- accesses of several elements

    def read(self, e: Read) -> Expr:
        """The value at a place whose indices are rewritten already."""
        count = self._parts(e.place)
        at = self._address(e.place)
        if count < 2 or at is None or not isinstance(e.type, Scalar):
            return e
        whole, piece = unsigned(e.type.bytes), unsigned(self._scalar[at.buffer].bytes)
        total: Expr | None = None
        for part in range(count):
            element = Read(self._element(at, part, e.span), span=e.span)
            bits: Expr = Cast(as_bits(element, piece), whole, span=e.span)
            if part:
                amount = Const(part * piece.bits, I32)
                bits = Binary(BinaryOp.SHL, bits, amount, span=e.span)
            total = bits if total is None else Binary(BinaryOp.OR, total, bits, span=e.span)
        if total is None:
            raise TypeError("an access of no element")
        return total if e.type == whole else Bitcast(total, e.type, span=e.span)

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name, kind, init) if name in self._arrays:
                array = replace(
                    s, type=self._array_type(kind, self._scalar[name], s.span), init=None
                )
                if init is None:
                    return (array,)
                return array, *self._initial(s, name, kind, init)
            case Assign(place, value) if self._parts(place) > 1:
                return self._wide_store(s, place, value)
            case Assign(place, value) if place.type != value.type:
                return (replace(s, value=Bitcast(value, place.type, span=value.span)),)
            case Atomic(_, place, operands):
                return self._atomic(s, place, operands)
            case _:
                return None

    def _wide_store(self, s: Assign, place: Place, value: Expr) -> tuple[Stmt, ...]:
        at = self._address(place)
        if at is None or not isinstance(value.type, Scalar):
            raise TypeError("a wide store is to memory")
        whole, word = unsigned(value.type.bytes), self._scalar[at.buffer]
        piece = unsigned(word.bytes)
        held = VarPlace(self._names.fresh("stored"), whole)
        out: list[Stmt] = [
            Declare(held.name, whole, as_bits(value, whole), span=s.span, note=s.note)
        ]
        for part in range(self._parts(place)):
            bits: Expr = Read(held, span=s.span)
            if part:
                bits = Binary(BinaryOp.SHR, bits, Const(part * piece.bits, I32), span=s.span)
            low = Cast(bits, piece, span=s.span)
            element = low if word == piece else Bitcast(low, word, span=s.span)
            out.append(Assign(self._element(at, part, s.span), element, span=s.span))
        return tuple(out)

    def _initial(self, s: Declare, name: str, kind: Type, init: Expr) -> tuple[Stmt, ...]:
        """The first value of a scalar that became an array of words."""
        first = Assign(VarPlace(name, kind, span=s.span), init, span=s.span)
        wide = self._stmt(first)
        if wide is not None:
            return wide
        place = self._element(_Address(name, ()), 0, s.span)
        same = place.type == init.type
        return (replace(first, place=place, value=init if same else Bitcast(init, place.type)),)

    def _atomic(
        self, s: Atomic, place: Place, operands: tuple[Expr, ...]
    ) -> tuple[Stmt, ...] | None:
        """Sums of integers are the same bits in both signs; other operations need their type."""
        wanted = operands[0].type
        if place.type == wanted:
            return None
        same_sum = (
            _any_sign(s)
            and isinstance(wanted, Scalar)
            and isinstance(place.type, Scalar)
            and place.type.is_integer
            and wanted.bytes == place.type.bytes
        )
        if not same_sum:
            raise refuse(
                codes.MIXED_LAYOUT,
                f"an atomic operation on {wanted} in memory of {place.type}",
                s.span,
            )
        return (replace(s, operands=tuple(Cast(x, place.type, span=x.span) for x in operands)),)


def _any_sign(s: Atomic) -> bool:
    """Whether an atomic operation leaves the same bits in memory of either sign."""
    kind = s.operands[0].type
    return (
        s.op in (AtomicOp.ADD, AtomicOp.SUB, AtomicOp.AND, AtomicOp.OR, AtomicOp.XOR)
        and isinstance(kind, Scalar)
        and kind.is_integer
        and s.result is None
    )


def _seen_otherwise(kernel: Kernel) -> dict[str, Declare]:
    """The kernel's own variables that are memory: their address is left, or they have members."""
    addressed = set()
    for e in all_exprs(kernel.body):
        if isinstance(e, AddressOf):
            addressed |= variables_of(e.place)
    return {
        s.name: s
        for s in walk_stmts(kernel.body)
        if isinstance(s, Declare)
        and not isinstance(s.type, Pointer)
        and (s.name in addressed or is_aggregate(s.type))
    }


class _Words(Rewriter):
    """Reads keep their type: where the buffer's scalar is another one, its bits are taken."""

    def __init__(self, flattener: _Flattener) -> None:
        super().__init__(place=flattener._place, stmt=flattener._stmt)
        self._flattener = flattener

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression."""
        if not isinstance(e, Read):
            return super().expr(e)
        place = self.place(e.place)
        moved = e if place is e.place else replace(e, place=place)
        if place.type != e.type:
            return Bitcast(moved, e.type, span=e.span)
        return self._flattener.read(moved)
