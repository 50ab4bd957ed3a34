"""What the values in a kernel's buffers are used for: facts that say which other values are safe.

A value that only enters arithmetic can be any value. One that names an element must stay one of
those that the program would give, and one that steers a loop must stay what and where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from migrate.ir.expr import (
    COMPARISONS,
    SHIFTS,
    ArrElem,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Expr,
    Invoke,
    Place,
    PtrAdd,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.kernel import Kernel
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    CallStmt,
    Collective,
    Declare,
    DoWhile,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import Scalar
from migrate.ir.walk import (
    children,
    place_exprs,
    root,
    stmt_exprs,
    stmt_places,
    var_names,
    walk_expr,
    walk_stmts,
)


class Use(IntEnum):
    """The strictest use of a value, in rising order.

    ``DATA`` enters arithmetic only; ``BRANCH`` decides a branch; ``INDEX`` names an element, a lane
    or a shift, or divides; ``LOOP`` steers a loop, or goes where this analysis does not follow.
    """

    DATA = 0
    BRANCH = 1
    INDEX = 2
    LOOP = 3


@dataclass(frozen=True, slots=True)
class ValueUses:
    """``uses`` by variable name (parameters, globals and locals); ``sizes`` are the integer
    parameters that bound an index: compared with something in a branch or a loop."""

    uses: dict[str, Use]
    sizes: tuple[str, ...]

    def of(self, name: str) -> Use:
        """How the values in a buffer are used; ``DATA`` when nothing uses them."""
        return self.uses.get(name, Use.DATA)


def value_uses(kernel: Kernel) -> ValueUses:
    """The uses of all values of a kernel in normal form.

    Flow is followed through variables and buffers alike, in any order of statements: what is stored
    to a buffer and used from there counts as a use of the stored value.
    """
    uses: dict[str, Use] = {}
    flows: dict[str, set[str]] = {}
    for s in walk_stmts(kernel.body):
        for name, use in _direct(s):
            uses[name] = max(use, uses.get(name, Use.DATA))
        for source, target in _flows(s):
            flows.setdefault(target, set()).add(source)
    pending = list(uses)
    while pending:
        name = pending.pop()
        for source in flows.get(name, ()):
            if uses[name] > uses.get(source, Use.DATA):
                uses[source] = uses[name]
                pending.append(source)
    return ValueUses(uses, _sizes(kernel))


def _flows(s: Stmt) -> Iterator[tuple[str, str]]:
    """(variable read, variable written) pairs of one statement."""
    read = frozenset[str]().union(*(var_names(e) for e in stmt_exprs(s)))
    targets = [n for p in stmt_places(s) if (n := stored_in(p))]
    match s:
        case Declare(name=name):
            targets.append(name)
        case CallStmt(result=str(result)) | Collective(result=result):
            targets.append(result)
        case Atomic(place=place, result=str(result)):
            yield from ((n, result) for n in read | {stored_in(place)})
        case _:
            pass
    yield from ((r, t) for t in targets for r in read)


def stored_in(p: Place) -> str:
    """The variable or pointer through which a place is reached; empty when there is no one."""
    match root(p):
        case VarPlace(name):
            return name
        case PtrElem(pointer):
            names = sorted(var_names(_base(pointer)))
            return names[0] if len(names) == 1 else ""
        case _:
            return ""


def _base(pointer: Expr) -> Expr:
    while isinstance(pointer, PtrAdd):
        pointer = pointer.pointer
    return pointer


def _direct(s: Stmt) -> Iterator[tuple[str, Use]]:
    """Uses that one statement makes of the variables that it names."""
    match s:
        case For(cond=cond) | While(cond) | DoWhile(cond=cond):
            yield from _all(cond, Use.LOOP)
        case If(cond) | Switch(cond):
            yield from _all(cond, Use.BRANCH)
        case CallStmt(_, args) | Asm(inputs=args):
            yield from (x for a in args for x in _all(a, Use.LOOP))
        case Collective(_, args):
            yield from (x for a in args[1:2] for x in _all(a, Use.BRANCH))
            yield from (x for a in (*args[:1], *args[2:]) for x in _all(a, Use.INDEX))
        case _:
            pass
    for p in stmt_places(s):
        yield from _of_place(p)
        for e in place_exprs(p):
            yield from _inside(e)
    for e in stmt_exprs(s):
        yield from _inside(e)


def _all(e: Expr, use: Use) -> Iterator[tuple[str, Use]]:
    yield from ((name, use) for name in var_names(e))


def _inside(e: Expr) -> Iterator[tuple[str, Use]]:
    for x in walk_expr(e):
        match x:
            case Read(place):
                yield from _of_place(place)
            case PtrAdd(_, offset):
                yield from _all(offset, Use.INDEX)
            case Binary(op, _, rhs) if op in SHIFTS or op in (BinaryOp.DIV, BinaryOp.REM):
                if isinstance(rhs.type, Scalar) and rhs.type.is_integer:
                    yield from _all(rhs, Use.INDEX)
            case Select(cond):
                yield from _all(cond, Use.BRANCH)
            case Invoke(_, args):
                yield from (y for a in args for y in _all(a, Use.LOOP))
            case Call(name, args) if "tex" in name or "surf" in name:
                yield from (y for a in args for y in _all(a, Use.INDEX))
            case _:
                pass


def _of_place(p: Place) -> Iterator[tuple[str, Use]]:
    match p:
        case PtrElem(_, index):
            yield from _all(index, Use.INDEX)
        case ArrElem(base, index):
            yield from _all(index, Use.INDEX)
            yield from _of_place(base)
        case VarPlace():
            pass
        case _:
            yield from _of_place(p.base)


def _sizes(kernel: Kernel) -> tuple[str, ...]:
    integers = {p.name for p in kernel.params if isinstance(p.type, Scalar) and p.type.is_integer}
    found: dict[str, None] = {}
    for s in walk_stmts(kernel.body):
        match s:
            case If(cond) | For(cond=cond) | While(cond) | DoWhile(cond=cond):
                pass
            case Assign(_, Select(cond)) | Declare(init=Select(cond)):
                pass
            case _:
                continue
        for name in _bounds(cond):
            if name in integers:
                found[name] = None
    return tuple(p.name for p in kernel.params if p.name in found)


def _bounds(e: Expr) -> Iterator[str]:
    """Variables that are one whole side of an ordering comparison below ``e``."""
    if isinstance(e, Binary) and e.op in COMPARISONS - {BinaryOp.EQ, BinaryOp.NE}:
        for side in (e.lhs, e.rhs):
            match _value(side):
                case Read(VarPlace(name)):
                    yield name
                case _:
                    pass
    for c in children(e):
        yield from _bounds(c)


def _value(e: Expr) -> Expr:
    while isinstance(e, Cast):
        e = e.operand
    return e
