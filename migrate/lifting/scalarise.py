"""Struct and vector variables become scalars, and so do by-value struct parameters.

    var v: float2 = p[i]               var v_x: f32 = p[i].x
    v.x = (v.x * g)                    var v_y: f32 = p[i].y
    q[i] = v                           v_x = (v_x * g)
                                       q[i].x = v_x
                                       q[i].y = v_y

    kernel k (p: Adam)                 kernel k (p_rate: f32, p_count: i32)

A variable of array type whose elements are structs becomes one array for each member. A whole
value that holds arrays is copied element by element. Memory places stay places with member names;
:mod:`migrate.lifting.flatten` gives them their index.

Legal because members of a variable have no addresses here (those were put in place when functions
were inlined; a variable that is read through another type is refused), and an assignment of a whole
value reads all its parts before it writes one: where a part of the right side reads the variable
itself, the parts are held in locals first, and so is an index of the target that a write of one
part could change (``p[p[i].next] = v``). A use of a whole variable that has no form in parts is
refused with CM3014.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from typing_extensions import assert_never

from migrate.analysis.constants import const
from migrate.analysis.layout import Leaf, UnionLayout, is_aggregate, leaves, members
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Sink
from migrate.core.span import Span
from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Bitcast,
    Call,
    Cast,
    Compose,
    Expr,
    Extract,
    FieldPlace,
    Place,
    PtrAdd,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import I32, Array, Scalar, Struct, Type, Vector
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    place_exprs,
    root,
    var_names,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.fold import add, scaled
from migrate.lifting.local_unions import unions_as_words
from migrate.lifting.naming import Names, names_of
from migrate.lifting.packed import packed_member
from migrate.lifting.refusal import refuse

Steps = tuple[str | int, ...]
"""The way from a value down to one of its scalars: member names and array indices."""

_MOST_COPIED = 128  # scalars of one whole value; a copy of more would be a page of assignments


def scalarise(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    return _Scalariser(unions_as_words(kernel, module), module).run()


class _Scalariser:
    def __init__(self, kernel: Kernel, module: Module) -> None:
        self._kernel = kernel
        self._module = module
        self._names: Names = names_of(kernel, module)
        self._split: dict[str, dict[tuple[str, ...], VarPlace]] = {}
        self._kept = _seen_as_bytes(kernel.body)
        self._rewriter = Rewriter(expr=self._expr, place=self._place, stmt=self._stmt)

    def run(self) -> Kernel:
        params: list[Param] = []
        for p in self._kernel.params:
            if is_aggregate(p.type):
                made = self._split_variable(p.name, p.type, p.span)
                params += [Param(v.name, v.type, span=p.span) for v in made.values()]
            else:
                params.append(p)
        for name, kind, span in _aggregates(self._kernel.body):
            if name not in self._kept:
                self._split_variable(name, kind, span)
        body = self._rewriter.body(self._kernel.body)
        if not self._split and body is self._kernel.body:
            return self._kernel
        self._refuse_whole(body)
        return replace(self._kernel, params=tuple(params), body=body)

    def _refuse_whole(self, body: tuple[Stmt, ...]) -> None:
        """Refuses a use of a variable that no longer exists: it was not one of its parts."""
        gone = {name for name, made in self._split.items() if () not in made}

        def seen(p: Place) -> Place | None:
            if isinstance(p, VarPlace) and p.name in gone:
                raise refuse(codes.UNSPLIT_VALUE, f"{p.name} is used as a whole", p.span)
            return None

        Rewriter(place=seen).body(body)

    def _split_variable(self, name: str, kind: Type, span: Span) -> dict[tuple[str, ...], VarPlace]:
        made: dict[tuple[str, ...], VarPlace] = {}
        for leaf in self._leaves(kind, span):
            wanted = "_".join((name, *leaf.path))
            new = name if not leaf.path else self._names.fresh(wanted)
            made[leaf.path] = VarPlace(new, leaf.type, span=span)
        self._split[name] = made
        return made

    def _leaves(self, kind: Type, span: Span) -> tuple[Leaf, ...]:
        try:
            return tuple(leaves(kind, self._module))
        except UnionLayout as union:
            raise refuse(codes.UNSPLIT_VALUE, f"{union} is a union", span) from union

    def _scalars(self, kind: Type, span: Span) -> tuple[Steps, ...]:
        """The ways to all scalars of a type, in layout order. Refuses unions and large values."""
        self._leaves(kind, span)
        found = tuple(islice(_ways(kind, self._module), _MOST_COPIED + 1))
        if len(found) > _MOST_COPIED:
            what = f"a {kind} of more than {_MOST_COPIED} scalars is copied as a whole"
            raise refuse(codes.UNSPLIT_VALUE, what, span)
        return found

    # --- places

    def _place(self, p: Place) -> Place | None:
        """A scalar member of a split variable becomes the variable (element) for that member."""
        base = root(p)
        if not isinstance(base, VarPlace) or base.name not in self._split:
            return None
        if isinstance(p.type, Array | Struct | Vector) or isinstance(p, VarPlace):
            return None
        path, index = self._path(p)
        if path not in self._split[base.name]:
            return None
        target = self._split[base.name][path]
        if index is None:
            return replace(target, span=p.span)
        return ArrElem(target, index, span=p.span)

    def _path(self, p: Place) -> tuple[tuple[str, ...], Expr | None]:
        """Member names from the variable to ``p`` and the flat index over all arrays between."""
        match p:
            case FieldPlace(base, field):
                path, index = self._path(base)
                return (*path, field), index
            case ArrElem(base, at):
                path, index = self._path(base)
                length = base.type.length if isinstance(base.type, Array) else 1
                return path, flat_index(index, length, at)
            case _:
                return (), None

    # --- values

    def _expr(self, e: Expr) -> Expr | None:
        if isinstance(e, Extract) and isinstance(e.type, Scalar):
            return self._part(e.value, (e.field,))
        if isinstance(e, AddressOf) and isinstance(e.place.type, Array | Struct | Vector):
            base = root(e.place)
            if isinstance(base, VarPlace) and base.name in self._split:
                what = f"the address of {base.name} is taken as a whole"
                raise refuse(codes.UNSPLIT_VALUE, what, e.span)
        return None

    def _part(self, value: Expr, path: Steps) -> Expr:
        """One scalar of an aggregate value."""
        match value:
            case Read(place):
                return Read(self._member(place, path), span=value.span)
            case Compose(parts, kind):
                for (name, _), part in zip(members(kind, self._module), parts, strict=True):
                    if name == path[0]:
                        return part if len(path) == 1 else self._part(part, path[1:])
                raise TypeError(f"{kind} has no member {path[0]}")
            case Select(cond, then, other):
                return Select(
                    cond, self._part(then, path), self._part(other, path), span=value.span
                )
            case Extract(inner, field):
                return self._part(inner, (field, *path))
            case Cast(inner, kind) if inner.type == kind:
                return self._part(inner, path)
            case Call() | Bitcast():
                packed = packed_member(value, path, lambda v: self._part(v, path))
                if packed is not None:
                    return packed
        raise refuse(
            codes.UNSPLIT_VALUE,
            f"a {value.type} comes from {_described(value)}",
            value.span,
        )

    def _member(self, place: Place, path: Steps) -> Place:
        for step in path:
            if isinstance(step, int):
                place = ArrElem(place, const(step, I32), span=place.span)
            else:
                kinds = dict(members(place.type, self._module))
                place = FieldPlace(place, step, kinds[step], span=place.span)
        return self._rewriter.place(place)

    # --- statements

    def _stmt(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name, kind, init) if name in self._split:
                return self._declare(s, name, kind, init)
            case Declare(name, kind, init) if name in self._kept and init is not None:
                place = VarPlace(name, kind, span=s.span)
                return replace(s, init=None), *self._assign(Assign(place, init), place, init)
            case Assign(place, value) if is_aggregate(place.type):
                return self._assign(s, place, value)
            case _:
                return None

    def _declare(self, s: Declare, name: str, kind: Type, init: Expr | None) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        note = s.note
        filled: list[Stmt] = []
        ways = () if init is None else self._scalars(kind, s.span)
        for path, variable in self._split[name].items():
            value: Expr | None = None
            if init is not None and isinstance(variable.type, Array):
                # an array has no initial value: its elements are assigned behind the declarations
                for way in ways:
                    if _names(way) == path:
                        target = self._member(VarPlace(name, kind, span=s.span), way)
                        filled.append(Assign(target, self._part(init, way), span=s.span))
            elif init is not None:
                value = self._part(init, path)
            out.append(
                Declare(variable.name, variable.type, value, s.space, span=s.span, note=note)
            )
            note = ""
        return (*out, *filled)

    def _assign(self, s: Assign, place: Place, value: Expr) -> tuple[Stmt, ...]:
        before: list[Stmt] = []
        place = self._steady(place, self._written(place), before)
        parts = [
            (self._member(place, way), self._part(value, way))
            for way in self._scalars(place.type, s.span)
        ]
        targets = [t for t, _ in parts]
        out: list[Stmt] = []
        values = [v for _, v in parts]
        if _reads_targets(values, targets):
            held: list[Expr] = []
            for v in values:
                hold = VarPlace(self._names.fresh("part"), v.type)
                out.append(Declare(hold.name, v.type, v, span=s.span))
                held.append(Read(hold))
            values = held
        out += [Assign(t, v, span=s.span) for t, v in zip(targets, values, strict=True)]
        out = [*before, *out]
        if s.note and out:
            out[0] = replace(out[0], note=s.note)
        return tuple(out)

    def _written(self, place: Place) -> frozenset[str]:
        """Names of variables that a write to a place can change."""
        base = root(place)
        named = {g.name for g in self._module.globals}
        if isinstance(base, VarPlace):
            named |= {base.name} | {v.name for v in self._split.get(base.name, {}).values()}
        return frozenset(named)

    def _steady(self, place: Place, written: frozenset[str], before: list[Stmt]) -> Place:
        """The place with each index that a write to it could change evaluated ``before``."""
        match place:
            case ArrElem(base, index):
                base = self._steady(base, written, before)
                return replace(place, base=base, index=self._hold(index, written, before))
            case FieldPlace(base):
                return replace(place, base=self._steady(base, written, before))
            case PtrElem(pointer, index):
                if isinstance(pointer, PtrAdd):
                    offset = self._hold(pointer.offset, written, before)
                    pointer = replace(pointer, offset=offset)
                index = self._hold(index, written, before)
                return replace(place, pointer=pointer, index=index)
            case VarPlace():
                return place
            case _:
                assert_never(place)

    def _hold(self, index: Expr, written: frozenset[str], before: list[Stmt]) -> Expr:
        if not any(_can_change(e, written) for e in walk_expr(index)):
            return index
        held = VarPlace(self._names.fresh("at"), index.type)
        before.append(Declare(held.name, held.type, index, span=index.span))
        return Read(held)


def flat_index(outer: Expr | None, length: int, at: Expr) -> Expr:
    """Row-major index of ``[outer][at]`` where the inner array has ``length`` elements."""
    return at if outer is None else add(scaled(outer, length), at)


def _ways(kind: Type, module: Module) -> Iterator[Steps]:
    match kind:
        case Array(element, length):
            for i in range(length):
                for rest in _ways(element, module):
                    yield (i, *rest)
        case Vector() | Struct():
            for name, member in members(kind, module):
                for rest in _ways(member, module):
                    yield (name, *rest)
        case _:
            yield ()


def _names(way: Steps) -> tuple[str, ...]:
    return tuple(step for step in way if isinstance(step, str))


def _aggregates(body: tuple[Stmt, ...]) -> Iterator[tuple[str, Type, Span]]:
    for s in walk_stmts(body):
        if isinstance(s, Declare) and is_aggregate(s.type):
            yield s.name, s.type, s.span


def _seen_as_bytes(body: tuple[Stmt, ...]) -> frozenset[str]:
    """Variables whose address is taken as a whole: they stay one piece of memory, which
    :mod:`migrate.lifting.flatten` makes an array of."""
    found: set[str] = set()
    for e in all_exprs(body):
        if isinstance(e, AddressOf) and isinstance(e.place.type, Struct | Vector):
            base = root(e.place)
            if isinstance(base, VarPlace):
                found.add(base.name)
    return frozenset(found)


def _reads_targets(values: list[Expr], targets: list[Place]) -> bool:
    """Whether a part that is written first could be read by a later part."""
    written: set[str] = set()
    for value, target in zip(values, targets, strict=True):
        if written & var_names(value):
            return True
        if "*" in written and any(_reads_memory(x) for x in walk_expr(value)):
            return True
        base = root(target)
        written.add(base.name if isinstance(base, VarPlace) else "*")
    return False


def _can_change(e: Expr, written: frozenset[str]) -> bool:
    """Whether a write can change a read: of memory, of an element, or of a variable by name."""
    if not isinstance(e, Read):
        return False
    return not isinstance(e.place, VarPlace) or e.place.name in written


def _reads_memory(e: Expr) -> bool:
    return isinstance(e, Read) and bool(place_exprs(root(e.place)))


def _described(value: Expr) -> str:
    return f"a call of {value.name}" if isinstance(value, Call) else type(value).__name__.lower()
