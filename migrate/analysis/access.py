"""Which buffers a kernel reads and writes, at which indices, and where threads can meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd

from migrate.analysis.affine import Polynomial, definitions, polynomial
from migrate.core.span import NO_SPAN, Span
from migrate.ir.expr import ArrElem, Expr, Place, PtrElem, Read, VarPlace
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Atomic, Stmt
from migrate.ir.types import Pointer
from migrate.ir.walk import place_exprs, stmt_exprs, stmt_places, walk_expr, walk_stmts


@dataclass(frozen=True, slots=True)
class Access:
    """One access of a buffer in a kernel in normal form. ``kind``: read, write or atomic."""

    buffer: str
    kind: str
    index: Polynomial
    span: Span


@dataclass(frozen=True, slots=True)
class Hazard:
    """A read that can meet another thread's write in the same launch."""

    buffer: str
    read: Span
    write: Span


@dataclass(frozen=True, slots=True)
class BufferAccess:
    """All accesses of a kernel, in the order of its text."""

    accesses: tuple[Access, ...]

    @property
    def read(self) -> frozenset[str]:
        """Buffers that are read (atomics read too)."""
        return frozenset(a.buffer for a in self.accesses if a.kind != "write")

    @property
    def written(self) -> frozenset[str]:
        """Buffers that are written: the kernel's outputs."""
        return frozenset(a.buffer for a in self.accesses if a.kind != "read")

    def hazards(self) -> tuple[Hazard, ...]:
        """Reads of a written buffer that can meet a write at another index, one a buffer.

        Where all indices of a buffer are one polynomial, a thread reads what it writes itself: two
        threads with the same index would write one element as well, in no order.
        """
        found: list[Hazard] = []
        for name in sorted(self.written & self.read):
            mine = [a for a in self.accesses if a.buffer == name]
            writes = [a for a in mine if a.kind != "read"]
            reads = [a for a in mine if a.kind == "read"]
            pairs = ((r, w) for w in writes for r in reads if can_meet(r.index, w.index))
            first = next(pairs, None)
            if first is not None:
                found.append(Hazard(name, first[0].span, first[1].span))
        return tuple(found)


def can_meet(a: Polynomial, b: Polynomial) -> bool:
    """Whether two different indices can name one element, in any two threads.

    Not when all their variable parts are multiples of one number and the rest is not: members of
    structs never meet (``2 * i`` and ``2 * j + 1``). Equal polynomials do not count.
    """
    if a == b:
        return False
    step = gcd(*(c for p in (a, b) for m, c in p.terms if m))
    distance = a.constant - b.constant
    return distance % step == 0 if step else distance == 0


def direct_accesses(s: Stmt, known: Mapping[str, Expr]) -> Iterator[Access]:
    """Accesses of buffers and arrays by one statement, without those of the bodies inside it.

    ``known`` gives variables their definitions (:func:`migrate.analysis.affine.definitions`).
    """
    for place, kind, span in _places(s):
        match place:
            case PtrElem(Read(VarPlace(name)), index) | ArrElem(VarPlace(name), index):
                yield Access(name, kind, polynomial(index, known), span)
            case _:
                pass


def buffer_access(kernel: Kernel) -> BufferAccess:
    """The accesses of a kernel in normal form through its pointer parameters."""
    buffers = {p.name for p in kernel.params if isinstance(p.type, Pointer)}
    known = definitions(kernel)
    out: list[Access] = []
    for s in walk_stmts(kernel.body):
        out += [a for a in direct_accesses(s, known) if a.buffer in buffers]
    return BufferAccess(tuple(out))


def _places(s: Stmt) -> Iterator[tuple[Place, str, Span]]:
    direct = (*stmt_exprs(s), *(e for p in stmt_places(s) for e in place_exprs(p)))
    for e in direct:
        for x in walk_expr(e):
            if isinstance(x, Read):
                yield x.place, "read", s.span if x.span is NO_SPAN else x.span
    for p in stmt_places(s):
        yield p, "atomic" if isinstance(s, Atomic) else "write", s.span


def outputs(kernel: Kernel) -> tuple[str, ...]:
    """Names of the pointer parameters that the kernel writes, in the order of the parameters."""
    written = buffer_access(kernel).written
    return tuple(p.name for p in kernel.params if p.name in written)
