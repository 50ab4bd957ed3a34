"""``volatile`` memory: which uses are plain accesses, and which speak to other threads.

The IR has no volatile accesses. A volatile read is held in a variable of its own, so that it
happens once and in order; that is all there is to it in a program that uses barriers. Two uses need
more:

* Code for threads in lock-step: volatile memory is written and read again with no barrier between,
  or shared memory is read in one place and written in another; the lanes of a warp are taken to do
  each together.
* Waiting: one place is read again and again in a loop until another thread writes it.

A function with such a use keeps its volatile accesses as operations of their own
(:mod:`migrate.ir.volatile_access`). It is refused with CM1301 where a function that it calls was
read with plain accesses, because only both together would be right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor
from migrate.frontend.refusal import Refused
from migrate.ir.expr import AddressOf, Call, Expr, Invoke, Place, PtrElem, Read, VarPlace
from migrate.ir.simt import (
    Assign,
    Atomic,
    Barrier,
    CallStmt,
    Collective,
    Declare,
    DoWhile,
    Effect,
    For,
    If,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import Pointer, Scalar, Space
from migrate.ir.volatile_access import VOLATILE_LOAD, VOLATILE_STORE
from migrate.ir.walk import Rewriter, root, stmt_exprs, sub_bodies, var_names, walk_expr, walk_stmts


@dataclass(slots=True)
class VolatileUse:
    """The volatile accesses of one function: variables that hold what was read, places that are
    written."""

    reads: set[str] = field(default_factory=set)
    writes: set[Place] = field(default_factory=set)
    spaces: dict[str, Space] = field(default_factory=dict)
    kept: bool = False

    def summary(self, callees: Iterable[VolatileSummary]) -> VolatileSummary:
        """What a caller has to know."""
        reads = frozenset(self.spaces.values())
        writes = frozenset(_space(p) for p in self.writes)
        for c in callees:
            reads, writes = reads | c.reads, writes | c.writes
        return VolatileSummary(reads, writes, self.kept)


@dataclass(frozen=True, slots=True)
class VolatileSummary:
    """Spaces that a function reads and writes as volatile memory; ``kept`` says that its accesses
    are operations of their own."""

    reads: frozenset[Space] = frozenset()
    writes: frozenset[Space] = frozenset()
    kept: bool = False


Summaries = dict[str, VolatileSummary]
NOTHING = VolatileSummary()
_MAYBE_SHARED = frozenset({Space.SHARED, Space.GENERIC})


def called(body: tuple[Stmt, ...]) -> tuple[str, ...]:
    """Functions that a body calls."""
    found: list[str] = []
    for s in walk_stmts(body):
        found += _calls(s)
    return tuple(dict.fromkeys(found))


def _calls(s: Stmt) -> list[str]:
    found = [s.function] if isinstance(s, CallStmt) else []
    for e in stmt_exprs(s):
        found += [x.function for x in walk_expr(e) if isinstance(x, Invoke)]
    return found


def settled(
    body: tuple[Stmt, ...], use: VolatileUse, known: Summaries, at: Cursor
) -> tuple[Stmt, ...]:
    """The body with plain accesses where those do, otherwise with its volatile ones kept.

    Raises ``Refused`` where a function that it calls would have to keep its own too.
    """
    try:
        check_volatile(body, use, known, at)
    except Refused:
        own = [known[f] for f in called(body) if f in known]
        if any((x.reads or x.writes) and not x.kept for x in own):
            raise
        use.kept = True
        return Rewriter(stmt=lambda s: _kept(s, use, at)).body(body)
    return body


def _kept(s: Stmt, use: VolatileUse, at: Cursor) -> tuple[Stmt, ...] | None:
    match s:
        case Declare(name, kind, init) if name in use.reads:
            if not isinstance(init, Read) or not isinstance(kind, Scalar):
                raise Refused(reading.VOLATILE_MEMORY, f"volatile memory of type {kind}", at)
            load = Call(VOLATILE_LOAD, (_address(init.place),), kind, span=s.span)
            return (replace(s, init=load),)
        case Assign(place, value) if place in use.writes:
            if not isinstance(place.type, Scalar):
                raise Refused(reading.VOLATILE_MEMORY, f"volatile memory of type {place.type}", at)
            return (Effect(VOLATILE_STORE, (_address(place), value), span=s.span),)
    return None


def _address(place: Place) -> AddressOf:
    return AddressOf(place, Pointer(place.type, _space(place)))


def check_volatile(body: tuple[Stmt, ...], use: VolatileUse, known: Summaries, at: Cursor) -> None:
    """Raise ``Refused`` where plain accesses would not do what volatile ones are there for."""
    own = [known[f] for f in called(body) if f in known]
    if not use.reads and not any(x.reads for x in own):
        return
    _Order(use, known, at).body(body, _Since())
    for s in walk_stmts(body):
        if isinstance(s, For | While | DoWhile):
            _check_waiting(s, use, known, at)


@dataclass(frozen=True, slots=True)
class _Since:
    """What happened since the last barrier: spaces written, shared places read."""

    written: frozenset[Space] = frozenset()
    read: frozenset[Place | Space] = frozenset()

    def __or__(self, other: _Since) -> _Since:
        return _Since(self.written | other.written, self.read | other.read)


@dataclass(frozen=True, slots=True)
class _Order:
    """Follows a body in order, loops twice."""

    use: VolatileUse
    known: Summaries
    at: Cursor

    def body(self, stmts: tuple[Stmt, ...], since: _Since) -> _Since:
        for s in stmts:
            since = self._stmt(s, since)
        return since

    def _stmt(self, s: Stmt, since: _Since) -> _Since:
        for f in _calls(s):
            summary = self.known.get(f, NOTHING)
            # the order inside of the callee was looked at when it was read
            read = self._reads(summary.reads, since, None).read
            since = _Since(self._writes(summary.writes, since, None).written, read)
        match s:
            case Barrier():
                return _Since()
            case Declare(name, init=Read(place)) if name in self.use.reads:
                return self._reads(frozenset({self.use.spaces[name]}), since, place)
            case Declare(name) if name in self.use.reads:
                return self._reads(frozenset({self.use.spaces[name]}), since, None)
            case Assign(place) if place in self.use.writes:
                return self._writes(frozenset({_space(place)}), since, place)
            case If(_, then, other):
                return self.body(then, since) | self.body(other, since)
            case Switch(_, cases):
                for c in cases:
                    since |= self.body(c.body, since)
                return since
            case For(init, _, step, body):
                since = self.body(init, since)
                for _ in range(2):
                    since |= self.body(step, self.body(body, since))
                return since
            case While(_, body) | DoWhile(body):
                for _ in range(2):
                    since |= self.body(body, since)
                return since
        return since

    def _reads(self, spaces: frozenset[Space], since: _Since, place: Place | None) -> _Since:
        anywhere = Space.GENERIC in spaces or Space.GENERIC in since.written
        if spaces and since.written and (anywhere or spaces & since.written):
            cause = "volatile memory is written and read again without a barrier between"
            raise Refused(reading.VOLATILE_MEMORY, cause, self.at)
        shared = spaces & _MAYBE_SHARED
        if not shared:
            return since
        seen: frozenset[Place | Space] = frozenset({place}) if place is not None else shared
        return _Since(since.written, since.read | seen)

    def _writes(self, spaces: frozenset[Space], since: _Since, place: Place | None) -> _Since:
        if spaces & _MAYBE_SHARED and since.read - {place}:
            cause = "volatile shared memory is read and written elsewhere without a barrier between"
            raise Refused(reading.VOLATILE_MEMORY, cause, self.at)
        return _Since(since.written | spaces, since.read)


def _check_waiting(
    loop: For | While | DoWhile, use: VolatileUse, known: Summaries, at: Cursor
) -> None:
    inner = tuple(x for b in sub_bodies(loop) for x in b)
    if any(isinstance(s, Barrier) for s in walk_stmts(inner)):
        return
    varying = _varying(inner)
    for s in walk_stmts(inner):
        fixed = False
        if isinstance(s, Declare) and s.name in use.reads and s.init is not None:
            fixed = not (var_names(s.init) & varying)
        elif any(known.get(f, NOTHING).reads for f in _calls(s)):
            fixed = True
        if fixed:
            raise Refused(
                reading.VOLATILE_MEMORY, "a loop reads the same volatile memory again and again", at
            )


def _varying(body: tuple[Stmt, ...]) -> frozenset[str]:
    """Variables that differ from round to round."""
    found: set[str] = set()
    for s in walk_stmts(body):
        match s:
            case Assign(place):
                base = root(place)
                if isinstance(base, VarPlace):
                    found.add(base.name)
            case Atomic(result=result) | CallStmt(result=result) if result is not None:
                found.add(result)
            case Collective(result=result):
                found.add(result)
    while True:
        more = {
            s.name
            for s in walk_stmts(body)
            if isinstance(s, Declare) and s.init is not None and s.name not in found
            and (var_names(s.init) & found)
        }  # fmt: skip
        if not more:
            return frozenset(found)
        found |= more


def _space(place: Place) -> Space:
    base = root(place)
    if isinstance(base, PtrElem) and isinstance(base.pointer.type, Pointer):
        return base.pointer.type.space
    return Space.SHARED


def held_space(value: Expr, spaces: dict[str, Space]) -> Space:
    """The space of the memory that a read expression reads."""
    if isinstance(value, Read):
        base = root(value.place)
        if isinstance(base, VarPlace):
            return spaces.get(base.name, Space.LOCAL)
        return _space(value.place)
    return Space.GENERIC
