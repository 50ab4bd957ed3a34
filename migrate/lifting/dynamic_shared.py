"""All ``extern __shared__`` arrays of a kernel are one piece of memory.

    shared var a: array<f32, 0>            shared var a: array<f32, 0>
    shared var b: array<i32, 0>            cast<ptr<shared, i32>>(addr(a.[0]))[0] = 1
    b.[0] = 1

Legal because CUDA gives every dynamic shared array of a kernel the same address (CUDA C++
Programming Guide, ``__shared__``). Those of the functions that the kernel calls are its own after
inlining.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.core.diagnostics import Sink
from migrate.ir.expr import AddressOf, ArrElem, Cast, Const, Expr, Place, PtrElem, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import I32, Array, Pointer, Space
from migrate.ir.walk import Rewriter, walk_stmts


def one_dynamic_array(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    del module
    found = [
        s
        for s in walk_stmts(kernel.body)
        if isinstance(s, Declare)
        and s.space is Space.SHARED
        and isinstance(s.type, Array)
        and not s.type.length
    ]
    if len(found) < 2:
        return kernel
    first = found[0]
    others = {s.name for s in found[1:]}

    def place(p: Place) -> Place | None:
        match p:
            case ArrElem(VarPlace(name, Array(element, 0)), index) if name in others:
                return PtrElem(_start(first, Pointer(element, Space.SHARED)), index, span=p.span)
            case _:
                return None

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        return () if isinstance(s, Declare) and s.name in others else None

    body = Rewriter(place=place, stmt=stmt).body(kernel.body)
    head = () if any(s is first for s in body) else (first,)
    if head:
        body = tuple(s for s in body if not (isinstance(s, Declare) and s.name == first.name))
    return replace(kernel, body=(*head, *body))


def _start(array: Declare, kind: Pointer) -> Expr:
    """A pointer to the first byte of an array."""
    own = array.type
    assert isinstance(own, Array)
    zero = Const(0, I32)
    address = AddressOf(
        ArrElem(VarPlace(array.name, own), zero), Pointer(own.element, Space.SHARED)
    )
    return address if own.element == kind.pointee else Cast(address, kind)
