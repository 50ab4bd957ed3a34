"""What a kernel loads and stores, and which of its accesses may meet.

Rules:

* Two pointers derived from different parameters may name the same memory, unless one of them is
  ``__restrict__`` or lies in constant memory.
* A thread sees its own stores. A load that may follow a store of its own thread to the same memory
  is *fresh*: it must wait for that store.
* What another thread stores meanwhile need not be seen: kernels here have no barriers, so CUDA
  leaves such a race undefined. That is why all lanes may load before any of them stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Cast,
    Expr,
    FieldPlace,
    Place,
    PtrAdd,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Module, Param
from migrate.ir.simt import Assign, Atomic, CallStmt, DoWhile, For, Stmt, While
from migrate.ir.types import I64, Pointer, Space
from migrate.ir.walk import (
    place_exprs,
    root,
    stmt_exprs,
    stmt_places,
    sub_bodies,
    walk_expr,
    walk_stmts,
)


@dataclass(frozen=True, slots=True)
class Address:
    """``base[index]``: ``base`` is a pointer that is no sum, ``index`` counts its elements."""

    base: Expr
    index: Expr


def split_pointer(pointer: Expr, index: Expr) -> Address:
    """Moves what is added to a pointer into the index, as 64-bit sums where there are several."""
    from migrate.ir.expr import Binary, BinaryOp, Const

    match pointer:
        case PtrAdd(inner, offset):
            zero = isinstance(index, Const) and index.value == 0
            total = offset if zero else Binary(BinaryOp.ADD, _as_i64(offset), _as_i64(index))
            return split_pointer(inner, total)
        case AddressOf(PtrElem(inner, offset)):
            return split_pointer(PtrAdd(inner, offset), index)
        case Cast(operand, Pointer() as to) if (
            isinstance(operand.type, Pointer) and operand.type.pointee == to.pointee
        ):
            return split_pointer(operand, index)
        case _:
            return Address(pointer, index)


def _as_i64(e: Expr) -> Expr:
    return e if e.type == I64 else Cast(e, I64)


class Memory:
    """Roots of pointers, and which of them may alias."""

    def __init__(self, params: tuple[Param, ...], module: Module, defs: Mapping[str, Expr]) -> None:
        self._pointers = {p.name: p.type for p in params if isinstance(p.type, Pointer)}
        self._globals = {g.name: g.space for g in module.globals}
        self._defs = defs

    def root(self, pointer: Expr) -> str | None:
        """The parameter or global that a pointer comes from; ``None`` when it is not known."""
        match pointer:
            case Read(VarPlace(name)):
                if name in self._pointers or name in self._globals:
                    return name
                if name in self._defs:
                    return self.root(self._defs[name])
                return None
            case PtrAdd(inner) | Cast(inner):
                return self.root(inner)
            case AddressOf(place):
                return self.place_root(place)
            case _:
                return None

    def place_root(self, place: Place) -> str | None:
        """The root of a place in memory, or a global's name."""
        match root(place):
            case PtrElem(pointer):
                return self.root(pointer)
            case VarPlace(name):
                return name if name in self._globals else None
            case ArrElem() | FieldPlace():
                return None

    def in_memory(self, place: Place) -> bool:
        """True when a place is global memory that kernels can write."""
        match root(place):
            case PtrElem():
                return True
            case VarPlace(name):
                return self._globals.get(name) is Space.GLOBAL
            case ArrElem() | FieldPlace():
                return False

    def may_alias(self, a: str | None, b: str | None) -> bool:
        """True when a store through ``a`` may change what ``b`` loads."""
        if a is None or b is None or a == b:
            return True
        for name in (a, b):
            kind = self._pointers.get(name)
            if kind is None and name in self._globals:
                return False  # a global is reached by its own name; its address is not a parameter
            if kind is not None and (kind.restrict or kind.space is Space.CONSTANT):
                return False
        return True

    def meets(self, a: str | None, stored: Iterable[str | None]) -> bool:
        """True when one of the stores may change what ``a`` loads."""
        return any(self.may_alias(s, a) for s in stored)

    def loads(self, e: Expr) -> Iterator[str | None]:
        """Roots of the loads in an expression."""
        for x in walk_expr(e):
            if isinstance(x, Read) and self.in_memory(x.place):
                yield self.place_root(x.place)

    def has_loads(self, e: Expr) -> bool:
        """True when an expression reads memory that could fault or change."""
        return next(iter(self.loads(e)), _NONE) is not _NONE

    def stores(self, stmts: tuple[Stmt, ...]) -> frozenset[str | None]:
        """Roots of all stores in statements."""
        return frozenset(
            self.place_root(p)
            for s in walk_stmts(stmts)
            for p in stmt_places(s)
            if self.in_memory(p)
        )

    def fresh_loads(self, stmts: tuple[Stmt, ...], stored: set[str | None]) -> bool:
        """True when a load in ``stmts`` may follow a store of the same thread to its memory.

        ``stored`` are the roots stored so far; those of ``stmts`` are added.
        """
        found = False
        for s in stmts:
            if isinstance(s, For | While | DoWhile):
                stored |= self.stores((s,))  # a later round loads after an earlier one's stores
            exprs = [*stmt_exprs(s), *(e for p in stmt_places(s) for e in place_exprs(p))]
            found |= any(self.meets(r, stored) for e in exprs for r in self.loads(e))
            if isinstance(s, Atomic):
                found = True
            if isinstance(s, Assign | Atomic):
                stored |= {self.place_root(p) for p in stmt_places(s) if self.in_memory(p)}
            if isinstance(s, CallStmt):
                stored.add(None)
            branches = []
            for body in sub_bodies(s):
                inside = set(stored)
                found |= self.fresh_loads(body, inside)
                branches.append(inside)
            for inside in branches:
                stored |= inside
        return found


_NONE = object()
