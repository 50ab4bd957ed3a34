"""A pointer that can be in several buffers becomes a number that says which, and one pointer into
each.

    var from: ptr<global, f32> = a         var from_choice: i32 = 0:i32
    var to: ptr<global, f32> = b           var from_a: ptr<global, f32> = a
    to[i] = from[j]                        var from_b: ptr<global, f32> = b
    t = from; from = to; to = t            ...

    from[j]                                ((from_choice == 0:i32) ? from_a[j] : from_b[j])
    to[i] = v                              if (to_choice == 0:i32) { to_a[i] = v }
                                           else { to_b[i] = v }

Exactly one of the pointers is the original's value, the one that the number names; the others are
not accessed. Legal because a definition of the pointer sets the number and, where it can be in that
buffer, the buffer's pointer; what a definition reads is read before either changes. Pointers that
can be null as well, or can be in more than four buffers, are left as they are, and are refused by
the next pass.
"""

from __future__ import annotations

from dataclasses import replace

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
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Assign, Atomic, Declare, If, Stmt
from migrate.ir.types import I32, Pointer, Scalar
from migrate.ir.walk import Rewriter, all_exprs, walk_expr
from migrate.lifting.naming import Names, names_of
from migrate.lifting.pointer_sources import PointerSources, base_key
from migrate.lifting.refusal import refuse

_MOST = 4


def choose_buffers(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    sources = PointerSources(kernel)
    several: dict[str, dict[str, Expr]] = {}
    for name, kind in sources.types.items():
        whole = Read(VarPlace(name, kind))
        found = {base_key(b): b for b in sources.bases(whole)}
        named = not any(key.startswith("?") for key in found)
        if 1 < len(found) <= _MOST and named and not sources.can_be_null(whole):
            several[name] = found
    return _Chooser(kernel, module, sources, several).run() if several else kernel


class _Chooser:
    def __init__(
        self,
        kernel: Kernel,
        module: Module,
        sources: PointerSources,
        several: dict[str, dict[str, Expr]],
    ) -> None:
        self._kernel = kernel
        self._sources = sources
        self._several = several
        self._names: Names = names_of(kernel, module)
        self._numbers: dict[str, int] = {}
        self._choices: dict[str, VarPlace] = {}
        self._parts: dict[tuple[str, str], VarPlace] = {}
        for name, found in several.items():
            self._choices[name] = VarPlace(self._names.fresh(f"{name}_choice"), I32)
            for key in found:
                self._numbers.setdefault(key, len(self._numbers))
                wanted = f"{name}_{key.lstrip('&')}"
                part = VarPlace(self._names.fresh(wanted), sources.types[name])
                self._parts[(name, key)] = part

    def run(self) -> Kernel:
        body = Rewriter(expr=self._expr, stmt=self._stmt).body(self._kernel.body)
        for e in all_exprs(body):
            if isinstance(e, Read) and isinstance(e.place, VarPlace):
                if e.place.name in self._several:
                    raise self._refused(e.place.name, e.span)
        starts: list[Stmt] = []
        for p in self._kernel.params:
            if p.name in self._several:
                first = Const(self._numbers[p.name], I32)
                own = Read(VarPlace(p.name, p.type), span=p.span)
                starts.append(Declare(self._choices[p.name].name, I32, first, span=p.span))
                for key in self._several[p.name]:
                    part = self._parts[(p.name, key)]
                    init = own if key == p.name else None
                    starts.append(Declare(part.name, part.type, init, span=p.span))
        return replace(self._kernel, body=(*starts, *body))

    def _refused(self, name: str, span: Span) -> Exception:
        listed = ", ".join(sorted(k.lstrip("&") for k in self._several[name]))
        return refuse(
            codes.AMBIGUOUS_POINTER,
            f"{name} can point into: {listed}",
            span,
            "branch on the condition and access each buffer by its own name",
        )

    # --- pointer expressions

    def _keys(self, e: Expr) -> tuple[str, ...]:
        """The buffers of a pointer expression, when they are several that have numbers."""
        if not isinstance(e.type, Pointer):
            return ()
        keys = self._sources.keys(e)
        return keys if len(keys) > 1 and all(k in self._numbers for k in keys) else ()

    def _part(self, e: Expr, key: str) -> Expr | None:
        """The value of a pointer expression where it points into that buffer."""
        match e:
            case Read(VarPlace(name)) if name in self._several:
                part = self._parts.get((name, key))
                return None if part is None else Read(part, span=e.span)
            case PtrAdd(pointer):
                inner = self._part(pointer, key)
                return None if inner is None else replace(e, pointer=inner)
            case Cast(operand) | Bitcast(operand):
                inner = self._part(operand, key)
                return None if inner is None else replace(e, operand=inner)
            case AddressOf(PtrElem(pointer) as place):
                inner = self._part(pointer, key)
                return None if inner is None else replace(e, place=replace(place, pointer=inner))
            case Select(_, then, other):
                a, b = self._part(then, key), self._part(other, key)
                return replace(e, then=a, other=b) if a is not None and b is not None else a or b
            case _:
                return e if self._sources.keys(e) == (key,) else None

    def _choice(self, e: Expr) -> Expr:
        """The number of the buffer that a pointer expression points into."""
        match e:
            case Read(VarPlace(name)) if name in self._several:
                return Read(self._choices[name], span=e.span)
            case PtrAdd(inner) | Cast(inner) | Bitcast(inner) | AddressOf(PtrElem(inner)):
                return self._choice(inner)
            case Select(cond, then, other):
                a, b = self._choice(then), self._choice(other)
                return a if a == b else Select(cond, a, b, span=e.span)
            case _:
                (key,) = self._sources.keys(e)
                return Const(self._numbers[key], I32)

    def _is(self, e: Expr, key: str) -> Expr:
        return Binary(BinaryOp.EQ, self._choice(e), Const(self._numbers[key], I32), span=e.span)

    # --- accesses

    def _accessed(self, p: Place) -> Expr | None:
        """The pointer of several buffers through which a place is accessed."""
        match p:
            case PtrElem(pointer):
                return pointer if self._keys(pointer) else None
            case ArrElem(base) | FieldPlace(base):
                return self._accessed(base)
            case VarPlace():
                return None

    def _placed(self, p: Place, pointer: Expr) -> Place:
        match p:
            case PtrElem():
                return replace(p, pointer=pointer)
            case ArrElem(base) | FieldPlace(base):
                return replace(p, base=self._placed(base, pointer))
            case VarPlace():
                return p

    def _places(self, pointer: Expr, place: Place) -> list[tuple[str, Place]]:
        found = []
        for key in self._keys(pointer):
            part = self._part(pointer, key)
            if part is not None:
                found.append((key, self._placed(place, part)))
        return found

    def _expr(self, e: Expr) -> Expr | None:
        match e:
            case Read(place):
                pointer = self._accessed(place)
                if pointer is None:
                    return None
                reads: list[tuple[str, Expr]] = [
                    (key, replace(e, place=p)) for key, p in self._places(pointer, place)
                ]
                return self._selected(pointer, reads)
            case PtrDiff(lhs, rhs):
                return self._pairwise(e, lhs, rhs)
            case Binary(op, lhs, rhs) if op in COMPARISONS:
                found = self._pairwise(e, lhs, rhs)
                if found is None or op not in (BinaryOp.EQ, BinaryOp.NE):
                    return found
                a, b = self._choice(lhs), self._choice(rhs)
                same = Binary(op, a, b, span=e.span)
                join = BinaryOp.LAND if op is BinaryOp.EQ else BinaryOp.LOR
                return found if a == b else Binary(join, same, found, span=e.span)
            case _:
                return None

    def _pairwise(self, e: Binary | PtrDiff, lhs: Expr, rhs: Expr) -> Expr | None:
        """A comparison or difference of two pointers, which are in one buffer: CUDA defines no
        other one, but for equality."""
        if not self._keys(lhs) and not self._keys(rhs):
            return None
        both = [k for k in self._sources.keys(lhs) if k in self._sources.keys(rhs)]
        found: list[tuple[str, Expr]] = []
        for key in both:
            a, b = self._part(lhs, key), self._part(rhs, key)
            if a is not None and b is not None:
                found.append((key, replace(e, lhs=a, rhs=b)))
        return self._selected(lhs, found) if found else None

    def _selected(self, pointer: Expr, values: list[tuple[str, Expr]]) -> Expr:
        total = values[-1][1]
        for key, value in reversed(values[:-1]):
            total = Select(self._is(pointer, key), value, total, span=value.span)
        return total

    # --- statements

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name, _, init) if name in self._several:
                out, value = self._held(init)
                number = None if value is None else self._choice(value)
                out.append(replace(s, name=self._choices[name].name, type=I32, init=number))
                for key in self._several[name]:
                    part = self._parts[(name, key)]
                    first = None if value is None else self._part(value, key)
                    out.append(replace(s, name=part.name, type=part.type, init=first, note=""))
                return tuple(out)
            case Assign(VarPlace(name), value) if name in self._several:
                return self._move(s, name, value)
            case Assign(place) | Atomic(_, place):
                pointer = self._accessed(place)
                return None if pointer is None else self._write(s, pointer, place)
            case _:
                return None

    def _move(self, s: Assign, name: str, given: Expr) -> tuple[Stmt, ...]:
        out, value = self._held(given)
        assert value is not None
        for key in self._several[name]:
            part = self._part(value, key)
            place = self._parts[(name, key)]
            if part is not None and part != Read(place):
                out.append(Assign(place, part, span=s.span))
        number = self._choice(value)
        if number != Read(self._choices[name]):
            out.append(Assign(self._choices[name], number, span=s.span, note=s.note))
        return tuple(out)

    def _held(self, value: Expr | None) -> tuple[list[Stmt], Expr | None]:
        """What a definition reads from memory, read before the pointers change."""
        before: list[Stmt] = []
        return before, None if value is None else self._hold(value, before)

    def _hold(self, e: Expr, before: list[Stmt]) -> Expr:
        match e:
            case PtrAdd(pointer, offset):
                inner = self._hold(pointer, before)
                return replace(e, pointer=inner, offset=self._kept(offset, before))
            case Cast(operand) | Bitcast(operand):
                return replace(e, operand=self._hold(operand, before))
            case AddressOf(PtrElem(pointer, index) as place):
                inner = self._hold(pointer, before)
                moved = replace(place, pointer=inner, index=self._kept(index, before))
                return replace(e, place=moved)
            case Select(cond, then, other):
                test = self._kept(cond, before)
                a, b = self._hold(then, before), self._hold(other, before)
                return replace(e, cond=test, then=a, other=b)
            case _:
                return e

    def _kept(self, e: Expr, before: list[Stmt]) -> Expr:
        if not any(_is_own(x, self._choices, self._parts) for x in walk_expr(e)):
            return e
        assert isinstance(e.type, Scalar)
        held = VarPlace(self._names.fresh("held"), e.type)
        before.append(Declare(held.name, e.type, e, span=e.span))
        return Read(held, span=e.span)

    def _write(self, s: Assign | Atomic, pointer: Expr, place: Place) -> tuple[Stmt, ...]:
        """One statement for each buffer, behind the test of the number."""
        before: list[Stmt] = []
        result: VarPlace | None = None
        if isinstance(s, Atomic) and s.result is not None:
            result = VarPlace(s.result, place.type)
            before.append(Declare(s.result, place.type, span=s.span))
        branches: list[tuple[str, tuple[Stmt, ...]]] = []
        for key, target in self._places(pointer, place):
            own = self._known(replace(s, place=target, note=""), pointer, key)
            if result is None or not isinstance(own, Atomic):
                branches.append((key, (own,)))
                continue
            old = VarPlace(self._names.fresh(result.name), place.type)
            copied = Assign(result, Read(old), span=s.span)
            branches.append((key, (replace(own, result=old.name), copied)))
        total = branches[-1][1]
        for key, body in reversed(branches[:-1]):
            total = (If(self._is(pointer, key), body, total, span=s.span),)
        return (*before, *total)

    def _known(self, s: Assign | Atomic, pointer: Expr, key: str) -> Assign | Atomic:
        """A statement where the pointer's number is known."""
        choice, number = self._choice(pointer), self._numbers[key]

        def rule(e: Expr) -> Expr | None:
            match e:
                case Select(Binary(BinaryOp.EQ, tested, Const(value)), a, b) if tested == choice:
                    return a if value == number else b
                case _:
                    return None

        (found,) = Rewriter(expr=rule).body((s,))
        assert isinstance(found, Assign | Atomic)
        return found


def _is_own(e: Expr, choices: dict[str, VarPlace], parts: dict[tuple[str, str], VarPlace]) -> bool:
    """Whether an expression reads one of the pass's own variables."""
    if not isinstance(e, Read) or not isinstance(e.place, VarPlace):
        return False
    return e.place in choices.values() or e.place in parts.values()
