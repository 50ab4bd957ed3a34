"""When a loop that lanes share out may run over its numbers instead, in any order.

    for (var k = t; k < 128; k += blockDim.x)        region k < 128 {
      line.[k] = x[base + k]                           line.[k] = x[base + k]
                                                     }

Each number below 128 is some lane's, once. Lanes have no order, but the rounds of one lane have:
they may be taken in any order, and by other threads, if no round can tell. So the body must not ask
which lane it is nor keep anything, and

* an element that a round stores to is no other round's: the index is a number of the box times a
  constant, plus what is the same for all rounds, and all accesses to that memory have that index;
* device memory is written without reading any other of it: two pointers can be the same memory;
* atomic operations are of integers, without a result: those of any order give the same. What they
  are done to is not read besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from migrate.analysis.affine import Polynomial, polynomial
from migrate.ir.expr import ArrElem, Builtin, Expr, IndexVar, Place, PtrElem, Read, VarPlace
from migrate.ir.lanes import LaneKernel
from migrate.ir.simt import Assign, Atomic, Declare, For, If, Stmt, While
from migrate.ir.types import Scalar
from migrate.ir.walk import (
    all_exprs,
    assigned_names,
    declared_names,
    place_exprs,
    stmt_places,
    var_names,
    walk_stmts,
)
from migrate.lifting.idioms.rows import block_names

_BLOCK = ("blockIdx.", "blockDim.", "gridDim.")


def independent(body: tuple[Stmt, ...], box: Mapping[str, int], program: LaneKernel) -> bool:
    """Whether a body may run for the points of a box in any order. ``box`` says for each name how
    many numbers it runs through."""
    lanes = {b.name for b in program.buffers}
    if (assigned_names(body) - declared_names(body)) - _arrays(program):
        return False
    for e in all_exprs(body):
        if isinstance(e, IndexVar) and e.builtin is Builtin.THREAD:
            return False
        if var_names(e) & lanes:
            return False
    return all(map(_simple, walk_stmts(body))) and _apart(body, box, program)


def _arrays(program: LaneKernel) -> frozenset[str]:
    return frozenset(a.name for a in program.arrays)


def _simple(s: Stmt) -> bool:
    match s:
        case Atomic(_, place, _, result):
            kind = place.type
            return result is None and isinstance(kind, Scalar) and not kind.is_float
        case Declare() | Assign() | If() | For() | While():
            return True
        case _:
            return False


def _apart(body: tuple[Stmt, ...], box: Mapping[str, int], program: LaneKernel) -> bool:
    """Whether each element that is stored to belongs to one point."""
    fixed, same = _fixed(body), block_names(program).names
    arrays = _arrays(program)
    stored: dict[str, Polynomial | None] = {}
    for s in walk_stmts(body):
        for p in stmt_places(s):
            name = memory_of(p, arrays)
            if isinstance(s, Atomic) or not name:
                continue
            index = _index(p, fixed)
            if index is None or not _one_to_one(index, box, same):
                return False
            if stored.setdefault(name, index) != index:
                return False
    counted = _counted(body, arrays)
    device = {n for n in {*stored, *counted} if n not in arrays}
    if counted & stored.keys():
        return False
    for p in _reads(body):
        name = memory_of(p, arrays)
        if name in counted:
            return False
        if name in stored and _index(p, fixed) != stored[name]:
            return False
        if name and device and name not in arrays | device:
            return False
    return len(device) <= 1


def _counted(body: tuple[Stmt, ...], arrays: frozenset[str]) -> frozenset[str]:
    """The memory of atomic operations."""
    places = (s.place for s in walk_stmts(body) if isinstance(s, Atomic))
    return frozenset(memory_of(p, arrays) for p in places)


def _reads(body: tuple[Stmt, ...]) -> Iterator[Place]:
    for e in all_exprs(body):
        if isinstance(e, Read):
            yield e.place


def memory_of(p: Place, arrays: frozenset[str]) -> str:
    """The shared array or pointer through which a place is reached; a star for what cannot be
    named, nothing for a variable."""
    match p:
        case VarPlace(name) | ArrElem(VarPlace(name)):
            return name if name in arrays else ""
        case PtrElem(Read(VarPlace(name))):
            return name
        case PtrElem():
            return "*"
        case _:
            return "*" if any(True for _ in place_exprs(p)) else ""


def _fixed(body: tuple[Stmt, ...]) -> Mapping[str, Expr]:
    """Locals of the body that are set once, with their values."""
    changed = assigned_names(body)
    return {
        s.name: s.init
        for s in walk_stmts(body)
        if isinstance(s, Declare) and s.init is not None and s.name not in changed
    }


def _index(p: Place, fixed: Mapping[str, Expr]) -> Polynomial | None:
    match p:
        case ArrElem(VarPlace(), index) | PtrElem(_, index):
            return polynomial(index, fixed)
        case _:
            return None


def _one_to_one(index: Polynomial, box: Mapping[str, int], same: frozenset[str]) -> bool:
    """Whether different points have different indices: ``same`` are the names on which all points
    agree."""
    factors: list[tuple[int, int]] = []
    for monomial, factor in index.terms:
        if len(monomial) == 1 and monomial[0] in box:
            factors.append((abs(factor), box[monomial[0]]))
        elif not all(atom in same or atom.startswith(_BLOCK) for atom in monomial):
            return False
    if len(factors) < len(box):
        return False
    reach = 0
    for factor, count in sorted(factors):
        if factor <= reach:
            return False
        reach += factor * (count - 1)
    return True
