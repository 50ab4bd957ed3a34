"""Local pointers become an index into the one buffer that they point into.

    var row: ptr<global, f32> = padd(q, (t * d))      var row_offset: i32 = (t * d)
    row[j] = 0                                        padd(q, row_offset)[j] = 0

    p = padd(p, 1:i32)                                p_offset = (p_offset + 1:i64)

The set of buffers that a pointer can hold is computed over all its definitions: a definition from
another pointer brings that one's set. The pass goes on when the set has exactly one buffer, which
is a proof that each access through the pointer lies in it; otherwise CM3011 names both buffers.

A pointer that is defined once keeps its offset's own type. One that walks has an i64 offset, as
the address arithmetic that it stands for has 64 bits; it is counted in elements of its own type
from the buffer's first, or from where the pointer starts when that is between two of them.
Comparisons and differences of two pointers that count from one place become those of their
offsets. A pointer that is always null (an optional argument that a call leaves out) compares as
such, and the branch that would access it goes away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.analysis.constants import const
from migrate.analysis.layout import field_offset, type_bytes
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Sink
from migrate.core.span import Span
from migrate.ir.expr import (
    COMPARISONS,
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Cast,
    Const,
    Expr,
    FieldPlace,
    NullPtr,
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Assign, Declare, If, Stmt
from migrate.ir.types import BOOL, I64, Pointer, Type
from migrate.ir.walk import Rewriter, assigned_names, place_exprs, root, walk_expr
from migrate.lifting.fold import add, as_type, fold_expr
from migrate.lifting.naming import Names, names_of
from migrate.lifting.pointer_sources import PointerSources, base_key, same_start, starts_buffer
from migrate.lifting.refusal import refuse

_HOLD_FOR_EQUALS = frozenset({BinaryOp.EQ, BinaryOp.LE, BinaryOp.GE})


@dataclass(frozen=True, slots=True)
class _Target:
    """A pointer value: ``base`` is a parameter or the address of an array, ``offset`` in elements
    of ``base``'s pointee; ``None`` is 0."""

    base: Expr
    offset: Expr | None


def resolve_pointers(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    return _Resolver(kernel, module).run()


class _Resolver:
    def __init__(self, kernel: Kernel, module: Module) -> None:
        self._kernel = kernel
        self._module = module
        self._names: Names = names_of(kernel, module)
        self._sources = PointerSources(kernel)
        self._single: dict[str, Expr] = {}
        self._walking: dict[str, tuple[Expr, VarPlace]] = {}
        self._starts: set[str] = set()
        """Variables that hold an index for good; each has one definition."""

    def run(self) -> Kernel:
        walks = assigned_names(self._kernel.body)
        for name in list(self._sources.definitions):
            if name in walks:
                self._start_walk(name)
        rewriter = Rewriter(expr=self._expr, place=self._place, stmt=self._stmt)
        body = rewriter.body(self._kernel.body)
        starts = tuple(
            Declare(self._walking[p.name][1].name, I64, const(0, I64), span=p.span)
            for p in self._kernel.params
            if p.name in self._walking
        )
        if starts:
            body = (*starts, *body)
        return self._kernel if body is self._kernel.body else replace(self._kernel, body=body)

    def _only_base(self, name: str, span: Span) -> Expr:
        found = self._sources.bases(Read(VarPlace(name, self._sources.types[name])))
        keys = {base_key(b) for b in found}
        if len(keys) != 1 or not _is_fixed(found[0]):
            listed = ", ".join(sorted(k.lstrip("&") for k in keys)) or "none"
            raise refuse(
                codes.AMBIGUOUS_POINTER,
                f"{name} can point into: {listed}",
                span,
                "branch on the condition and access each buffer by its own name",
            )
        return found[0]

    def _start_walk(self, name: str) -> None:
        base = self._only_base(name, self._kernel.span)
        offset = VarPlace(self._names.fresh(f"{name}_offset"), I64)
        kind = self._sources.types[name]
        if isinstance(base, AddressOf):
            base = _first_element(base)
        if base.type != kind and not _same_pointee(base.type, kind):
            base = Cast(base, kind)
        self._walking[name] = (base, offset)

    # --- rewriting

    def _target(self, e: Expr) -> _Target:
        """A rewritten pointer expression as base and offset."""
        match e:
            case PtrAdd(pointer, offset):
                inner = self._target(pointer)
                total = offset if inner.offset is None else add(inner.offset, offset)
                return _Target(inner.base, total)
            case AddressOf(PtrElem(pointer, index)):
                return self._target(PtrAdd(pointer, index))
            case AddressOf(FieldPlace() | ArrElem() as place, kind) if isinstance(
                root(place), PtrElem
            ):
                return self._member(place, kind, e)
            case AddressOf(ArrElem(base, index), kind) if not _is_zero(index):
                first = AddressOf(ArrElem(base, const(0, I64)), kind, span=e.span)
                return _Target(first, index)
            case Cast(operand, Pointer() as kind) | Bitcast(operand, Pointer() as kind):
                inner = self._target(operand)
                return self._recast(inner, operand, kind, e)
            case Select(cond, then, other):
                a, b = self._target(then), self._target(other)
                if same_start(a.base, b.base) and a.base.type == b.base.type:
                    zero = const(0, I64)
                    left = as_type(a.offset or zero, I64)
                    right = as_type(b.offset or zero, I64)
                    return _Target(a.base, Select(cond, left, right, span=e.span))
                return _Target(e, None)
            case _:
                return _Target(e, None)

    def _member(self, place: Place, kind: Pointer, e: Expr) -> _Target:
        """The address of a member, counted in elements of the member's type."""
        size = type_bytes(kind.pointee, self._module) or 0
        steps: list[Expr] = []
        while not isinstance(place, PtrElem):
            match place:
                case FieldPlace(base, field):
                    index: Expr = const(1, I64)
                    stride = field_offset(base.type, field, self._module)
                case ArrElem(base, index):
                    stride = type_bytes(place.type, self._module) or 0
                case VarPlace():
                    return _Target(e, None)
            if not size or stride % size:
                return _Target(e, None)
            if stride:
                steps.append(_times(index, const(stride // size, I64)))
            place = base
        pointer = PtrAdd(place.pointer, place.index, span=e.span)
        whole = pointer.type
        stride = type_bytes(whole.pointee, self._module) or 0 if isinstance(whole, Pointer) else 0
        if not stride or stride % size:
            return _Target(e, None)
        found = self._recast(self._target(pointer), pointer, kind, e)
        for step in steps:
            moved = fold_expr(step) or step
            found = replace(
                found, offset=moved if found.offset is None else add(found.offset, moved)
            )
        return found

    def _recast(self, inner: _Target, operand: Expr, kind: Pointer, e: Expr) -> _Target:
        """A cast moves to the base when the offset can be counted in the new elements."""
        source = operand.type
        if not isinstance(source, Pointer):
            return _Target(e, None)
        if _same_pointee(source, kind):
            return inner
        base = Cast(inner.base, kind, span=e.span)
        if inner.offset is None:
            return _Target(base, None)
        old = type_bytes(source.pointee, self._module)
        new = type_bytes(kind.pointee, self._module)
        if old is None or new is None or old % new:
            return _Target(Cast(PtrAdd(inner.base, inner.offset), kind, span=e.span), None)
        ratio = const(old // new, I64)
        scaled = fold_expr(_times(inner.offset, ratio)) or _times(inner.offset, ratio)
        return _Target(base, scaled)

    def _expr(self, e: Expr) -> Expr | None:
        match e:
            case Read(VarPlace(name)) if name in self._walking:
                base, offset = self._walking[name]
                return PtrAdd(base, Read(offset), span=e.span)
            case Read(VarPlace(name)) if name in self._single:
                return self._single[name]
            case Select(Const(value), then, other):
                return then if value else other
            case PtrAdd(pointer, offset) if isinstance(pointer, PtrAdd):
                return PtrAdd(pointer.pointer, add(pointer.offset, offset), span=e.span)
            case PtrAdd(pointer, Const(0)):
                return pointer
            case PtrDiff(lhs, rhs):
                a, b = self._target(lhs), self._target(rhs)
                if same_start(a.base, b.base):
                    return _difference(a, b)
                return None
            case Unary(UnaryOp.NOT, Const()) | Binary(BinaryOp.LAND | BinaryOp.LOR, Const()):
                return fold_expr(e)
            case Binary(op, lhs, rhs) if op in COMPARISONS and isinstance(lhs.type, Pointer):
                if isinstance(lhs, NullPtr) or isinstance(rhs, NullPtr):
                    return self._null_test(e)
                a, b = self._target(lhs), self._target(rhs)
                if same_start(a.base, b.base):
                    zero = const(0, I64)
                    left, right = as_type(a.offset or zero, I64), as_type(b.offset or zero, I64)
                    return replace(e, lhs=left, rhs=right)
                return None
            case _:
                return None

    def _null_test(self, e: Binary) -> Expr:
        """A pointer into a buffer is null exactly when the buffer's parameter is."""
        if isinstance(e.lhs, NullPtr) and isinstance(e.rhs, NullPtr):
            return Const(e.op in _HOLD_FOR_EQUALS, BOOL, span=e.span)
        if isinstance(e.lhs, NullPtr):
            return replace(e, rhs=self._target(e.rhs).base)
        return replace(e, lhs=self._target(e.lhs).base)

    def _place(self, p: Place) -> Place | None:
        match p:
            case PtrElem(AddressOf(place), Const(0)):
                return place
            case PtrElem(AddressOf(ArrElem(base, first)), index):
                return ArrElem(base, add(first, index), span=p.span)
            case PtrElem(pointer, index):
                target = self._target(pointer)
                if isinstance(target.base, AddressOf) and isinstance(target.base.place, ArrElem):
                    first = target.base.place.index
                    total = index if target.offset is None else add(target.offset, index)
                    return ArrElem(target.base.place.base, add(first, total), span=p.span)
                return None
            case _:
                return None

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name, Pointer(), init) if name in self._walking:
                return self._first_step(s, name, init)
            case Declare(name, Pointer() as kind, init):
                if init is None:
                    return ()
                return self._once(s, name, kind, init)
            case Assign(place, value) if isinstance(value.type, Pointer):
                return self._move(s, place, value)
            case If(Const(value), then, other):
                return then if value else other  # names are unique in a kernel
            case _:
                return None

    def _move(self, s: Assign, place: Place, value: Expr) -> tuple[Stmt, ...]:
        """An assignment of a walking pointer. Reading it gave base and offset already."""
        if isinstance(place, VarPlace) and place.name in self._walking:
            base, offset = self._walking[place.name]
            moved = self._offset(value, s.span, base)
            return (Assign(offset, moved, span=s.span, note=s.note),)
        raise refuse(codes.AMBIGUOUS_POINTER, "a pointer is stored in memory", s.span)

    def _first_step(self, s: Declare, name: str, init: Expr | None) -> tuple[Stmt, ...]:
        """The declaration of a walking pointer.

        One that starts between two elements of its type, as in ``(uint3 *)(words + 16 * i)``, walks
        from where it starts: that place is evaluated here and never again, as every other
        definition moves the pointer from where it is.
        """
        base, offset = self._walking[name]
        before: list[Stmt] = []
        value = None
        if init is not None:
            target = self._target(init)
            own = not starts_buffer(target.base) and self._moves_itself(name)
            if own and _same_pointee(target.base.type, self._sources.types[name]):
                base = self._held(target.base, f"{name}_start", before)
                self._walking[name] = (base, offset)
                value = as_type(target.offset or const(0, I64), I64)
            else:
                value = self._offset(init, s.span, base)
        return (*before, replace(s, name=offset.name, type=I64, init=value))

    def _moves_itself(self, name: str) -> bool:
        """Whether all definitions but the declaration add to the pointer's own value."""
        if name in {p.name for p in self._kernel.params}:
            return False
        for value in self._sources.definitions[name][1:]:
            inner = value
            while isinstance(inner, PtrAdd):
                inner = inner.pointer
            if not isinstance(inner, Read) or inner.place != VarPlace(name, inner.type):
                return False
        return True

    def _offset(self, value: Expr, span: Span, base: Expr) -> Expr:
        """Where a walking pointer gets to, counted from its ``base``."""
        target = self._target(value)
        if target.base != base and not starts_buffer(target.base):
            raise refuse(codes.AMBIGUOUS_POINTER, "a pointer moves by less than one element", span)
        return const(0, I64) if target.offset is None else as_type(target.offset, I64)

    def _once(self, s: Declare, name: str, kind: Pointer, init: Expr) -> tuple[Stmt, ...]:
        """A pointer with one definition: its offset is evaluated where it was declared."""
        target = self._target(init)
        keys = {base_key(b) for b in self._sources.bases(init)}
        if len(keys) > 1:
            listed = ", ".join(sorted(k.lstrip("&") for k in keys))
            raise refuse(
                codes.AMBIGUOUS_POINTER,
                f"{name} can point into: {listed}",
                s.span,
                "branch on the condition and access each buffer by its own name",
            )
        base, offset = target.base, target.offset
        if not _same_pointee(base.type, kind):
            raise refuse(
                codes.AMBIGUOUS_POINTER, f"{name} does not start at an element of its type", s.span
            )
        before: list[Stmt] = []
        base = self._held(base, f"{name}_start", before)
        if offset is None or isinstance(offset, Const):
            self._single[name] = base if offset is None else PtrAdd(base, offset)
            return tuple(before)
        variable = VarPlace(self._names.fresh(f"{name}_offset"), offset.type)
        self._single[name] = PtrAdd(base, Read(variable), span=s.span)
        before.append(Declare(variable.name, variable.type, offset, span=s.span, note=s.note))
        return tuple(before)

    def _held(self, base: Expr, wanted: str, before: list[Stmt]) -> Expr:
        """A base with its inner offsets evaluated now."""
        match base:
            case Cast(operand):
                inner = self._held(operand, wanted, before)
                return base if inner is operand else replace(base, operand=inner)
            case PtrAdd(pointer, offset):
                held = self._now(offset, wanted, before)
                return replace(base, pointer=self._held(pointer, wanted, before), offset=held)
            case AddressOf(place):
                moved = self._held_place(place, wanted, before)
                return base if moved is place else replace(base, place=moved)
            case _:
                return base

    def _held_place(self, p: Place, wanted: str, before: list[Stmt]) -> Place:
        """A place with its indices evaluated now."""
        match p:
            case VarPlace():
                return p
            case FieldPlace(base):
                inner = self._held_place(base, wanted, before)
                return p if inner is base else replace(p, base=inner)
            case ArrElem(base, index):
                inner = self._held_place(base, wanted, before)
                return replace(p, base=inner, index=self._now(index, wanted, before))
            case PtrElem(pointer, index):
                held = self._held(pointer, wanted, before)
                return replace(p, pointer=held, index=self._now(index, wanted, before))

    def _now(self, index: Expr, wanted: str, before: list[Stmt]) -> Expr:
        if isinstance(index, Const):
            return index
        if isinstance(index, Read) and isinstance(index.place, VarPlace):
            if index.place.name in self._starts:
                return index
        variable = VarPlace(self._names.fresh(wanted), index.type)
        self._starts.add(variable.name)
        before.append(Declare(variable.name, variable.type, index, span=index.span))
        return Read(variable, span=index.span)


def _is_fixed(base: Expr) -> bool:
    """Whether a base is the same wherever it is evaluated; an element's own index is an offset."""
    match base:
        case AddressOf(ArrElem(place)) | AddressOf(place):
            inside = (x for index in place_exprs(place) for x in walk_expr(index))
            return not any(isinstance(x, Read) for x in inside)
        case _:
            return True


def _first_element(base: AddressOf) -> AddressOf:
    """The address of an array's first element, whichever element the definition named."""
    if isinstance(base.place, ArrElem) and not _is_zero(base.place.index):
        return replace(base, place=replace(base.place, index=const(0, I64)))
    return base


def _is_zero(e: Expr) -> bool:
    return isinstance(e, Const) and e.value == 0


def _same_pointee(a: Type, b: Type) -> bool:
    return isinstance(a, Pointer) and isinstance(b, Pointer) and a.pointee == b.pointee


def _times(a: Expr, b: Const) -> Binary:
    return Binary(BinaryOp.MUL, as_type(a, I64), b)


def _difference(a: _Target, b: _Target) -> Expr:
    zero = const(0, I64)
    left, right = as_type(a.offset or zero, I64), as_type(b.offset or zero, I64)
    e = Binary(BinaryOp.SUB, left, right)
    return fold_expr(e) or e
