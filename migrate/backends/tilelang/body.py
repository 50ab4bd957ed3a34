"""Statements as TileLang Python."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import assert_never

from migrate.backends.tilelang.atomics import foreign_atomic, native_atomic, operands_of
from migrate.backends.tilelang.case_chains import cases_apart
from migrate.backends.tilelang.dtypes import STORAGE, value_type
from migrate.backends.tilelang.effects import effect_prelude, foreign_function
from migrate.backends.tilelang.expression_facts import scalar
from migrate.backends.tilelang.spell import Speller
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.artifact import SourceLine
from migrate.core.codes import lifting as lifting_codes
from migrate.core.codes import target as codes
from migrate.core.span import NO_SPAN, Span
from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expr,
    Place,
    PtrElem,
    Read,
    Unary,
    VarPlace,
)
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    Break,
    CallStmt,
    Collective,
    Continue,
    Declare,
    DoWhile,
    Effect,
    Fence,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import I32, Array, Kind
from migrate.ir.walk import (
    assigned_names,
    sub_bodies,
    var_names,
    walk_expr,
    walk_stmts,
)

INDENT = "    "
_DEEPEST = 19
"""Python takes 20 nested blocks; TileLang makes one of each ``if`` and ``elif``."""
_IN_PLACE = {BinaryOp.ADD: "+=", BinaryOp.SUB: "-=", BinaryOp.MUL: "*="}
_NATIVE = frozenset({Kind.I32, Kind.F32, Kind.I64, Kind.F64, Kind.F16})


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """``for (int v = first; v < stop; v += step)`` whose bounds do not change in the loop."""

    name: str
    first: Expr
    stop: Expr
    inclusive: bool
    step: int


def counted_loop(s: For, written: frozenset[str]) -> CountedLoop | None:
    """The loop as a range, when C's ``for`` is one. ``written``: buffers the kernel writes."""
    if len(s.init) != 1 or len(s.step) != 1:
        return None
    start, cond, move = s.init[0], s.cond, s.step[0]
    if not isinstance(start, Declare) or start.init is None or start.type != I32:
        return None
    if not isinstance(cond, Binary) or cond.op not in (BinaryOp.LT, BinaryOp.LE):
        return None
    name, variable = start.name, Read(VarPlace(start.name, I32))
    if cond.lhs != variable or not isinstance(move, Assign) or move.place != variable.place:
        return None
    match move.value:
        case Binary(BinaryOp.ADD, lhs, Const(step)) if lhs == variable and int(step) > 0:
            pass
        case _:
            return None
    stop = cond.rhs
    changed = assigned_names(s.body)
    if name in changed or var_names(stop) & changed:
        return None
    if any(_reads_written(e, written) for e in walk_expr(stop)):
        return None
    return CountedLoop(name, start.init, stop, cond.op is BinaryOp.LE, int(step))


def _reads_written(e: Expr, written: frozenset[str]) -> bool:
    match e:
        case Read(PtrElem(Read(VarPlace(name)))):
            return name in written
        case Read(ArrElem()):
            return True
        case _:
            return False


class BodyWriter:
    """Writes the lines of one kernel body."""

    def __init__(self, spell: Speller, mutable: frozenset[str], written: frozenset[str]) -> None:
        """``mutable``: variables that are assigned after their declaration."""
        self._spell = spell
        self._mutable = mutable
        self._written = written
        self._steps: list[tuple[Stmt, ...]] = []
        self._alternatives = 0
        self.lines: list[str] = []
        self.map: list[SourceLine] = []

    def line(self, depth: int, text: str, span: Span = NO_SPAN) -> None:
        """Add one line; the span goes to the source map."""
        self.lines.append(f"{INDENT * depth}{text}" if text else "")
        if span != NO_SPAN:
            self.map.append(SourceLine(len(self.lines), span))

    def body(self, stmts: tuple[Stmt, ...], depth: int) -> None:
        """Write a statement list."""
        if depth + self._alternatives > _DEEPEST:
            raise Unspellable(
                codes.NESTED_TOO_DEEP,
                f"more than {_DEEPEST} blocks lie in each other",
                stmts[0].span if stmts else NO_SPAN,
            )
        if not stmts:
            self.line(depth, "pass")
        for s in stmts:
            for note in s.note.splitlines():
                self.line(depth, f"# {note.strip()}" if note.strip() else "#")
            self._stmt(s, depth)

    def _stmt(self, s: Stmt, depth: int) -> None:
        match s:
            case Declare():
                self._declare(s, depth)
            case Assign():
                self._assign(s, depth)
            case If():
                self._if(s, depth, "if")
            case For():
                self._for(s, depth)
            case While(cond, body):
                self._while(cond, body, (), depth, s.span)
            case Break():
                self.line(depth, "break", s.span)
            case Continue():
                if self._steps[-1]:
                    self.body(self._steps[-1], depth)
                self.line(depth, "continue", s.span)
            case Atomic():
                self._atomic(s, depth)
            case Fence() | Effect("assert"):
                self._effect(s, depth)
            case Effect(name):
                raise Unspellable(lifting_codes.DEVICE_OUTPUT, f"{name} is called", s.span)
            case DoWhile() | Switch() | Return() | CallStmt() | Barrier() | Collective() | Asm():
                raise Unspellable(
                    lifting_codes.CALL_IN_STATEMENT, f"{type(s).__name__} is left", s.span
                )
            case _:
                assert_never(s)

    # --- variables

    def _declare(self, s: Declare, depth: int) -> None:
        name = self._spell.names.of(s.name)
        if isinstance(s.type, Array):
            dtype = value_type(scalar(s.type.element))
            self.line(depth, f'{name} = T.alloc_local(({s.type.length},), "{dtype}")', s.span)
            if s.init is not None:
                raise Unspellable(lifting_codes.UNSPLIT_VALUE, "an array is copied", s.span)
            return
        dtype = value_type(scalar(s.type))
        if s.init is None:
            self.line(depth, f'{name} = T.alloc_var("{dtype}")', s.span)
        elif s.name in self._mutable:
            value = self._spell.typed(s.init)
            self.line(depth, f'{name} = T.alloc_var("{dtype}", init={value})', s.span)
        else:
            self.line(depth, f"{name} = {self._spell.typed(s.init)}", s.span)

    def _assign(self, s: Assign, depth: int) -> None:
        target = self._spell.place(s.place)
        if isinstance(s.place, PtrElem):
            kind = scalar(s.place.type)
            if kind.kind not in _NATIVE:
                self.line(depth, f"{target} = {self._spell.stored(s.value)}", s.span)
                return
        short = self._in_place(s)
        if short is not None:
            self.line(depth, f"{target} {short}", s.span)
        else:
            self.line(depth, f"{target} = {self._spell.assigned(s.value)}", s.span)

    def _in_place(self, s: Assign) -> str | None:
        """``+= b`` for ``a = a + b``, where the operator needs no special spelling."""
        value = s.value
        if not isinstance(value, Binary) or value.op not in _IN_PLACE:
            return None
        if value.lhs != Read(s.place) or scalar(value.type).kind not in _NATIVE:
            return None
        whole = self._spell.text(value)
        head = f"{self._spell.place(s.place)} {value.op.value} "
        if not whole.startswith(head):
            return None
        rest = whole.removeprefix(head)
        if value.op is not BinaryOp.ADD or not isinstance(value.rhs, Unary):
            return f"{_IN_PLACE[value.op]} {_bare(rest)}"
        return None

    # --- control

    def _if(self, s: If, depth: int, word: str) -> None:
        if word == "if":
            cases = cases_apart(s)
            for case in cases:
                self.line(depth, f"if {self._spell.text(case.cond)}:", case.span)
                self.body(case.then, depth + 1)
            if cases:
                return
        self.line(depth, f"{word} {self._spell.text(s.cond)}:", s.span)
        self.body(s.then, depth + 1)
        if len(s.other) == 1 and isinstance(s.other[0], If) and not s.other[0].note:
            self._alternatives += 1
            self._if(s.other[0], depth, "elif")
            self._alternatives -= 1
        elif s.other:
            self.line(depth, "else:")
            self.body(s.other, depth + 1)

    def _for(self, s: For, depth: int) -> None:
        loop = self.counted(s)
        if loop is None:
            if s.init:
                self.body(s.init, depth)
            self._while(s.cond, s.body, s.step, depth, s.span)
            return
        self.range_line(loop, depth, s.span)
        self._steps.append(())
        self.body(s.body, depth + 1)
        self._steps.pop()

    def counted(self, s: For) -> CountedLoop | None:
        """The loop as a range that TileLang can take.

        It compares the bounds of a range that it meets twice by their text, and finds a number made
        of floats different from itself (measured on 0.1.15): such a loop stays a ``while``. So does
        one that holds another loop when its bounds are the lane's own, or it goes over every so
        many numbers from a value on: its bounds are met for the lane by two names there.
        """
        loop = counted_loop(s, self._written)
        if loop is None:
            return None
        strided = loop.step != 1 and not isinstance(loop.first, Const)
        of_lane = self._spell.from_lane(loop.first) or self._spell.from_lane(loop.stop)
        if (strided or of_lane) and any(isinstance(x, For | While) for x in walk_stmts(s.body)):
            return None
        floats = self._spell.from_floats(loop.first) or self._spell.from_floats(loop.stop)
        return None if floats else loop

    def range_line(self, loop: CountedLoop, depth: int, span: Span) -> None:
        """The head of a counted loop."""
        stop = loop.stop
        if loop.inclusive:
            stop = Binary(BinaryOp.ADD, stop, Const(1, I32))
        first, last = self._spell.bound(loop.first), self._spell.bound(stop)
        bounds = last if first == "0" else f"{first}, {last}"
        if loop.step != 1:
            bounds = f"{first}, {last}, {loop.step}"
        self.line(depth, f"for {self._spell.names.of(loop.name)} in T.serial({bounds}):", span)

    def _while(
        self, cond: Expr, body: tuple[Stmt, ...], step: tuple[Stmt, ...], depth: int, span: Span
    ) -> None:
        if isinstance(cond, Const):
            # TileLang refuses a loop whose test is a constant.
            test = self._spell.names.fresh("running")
            self.line(depth, f'{test} = T.alloc_var("bool", init={self._spell.typed(cond)})', span)
        else:
            test = self._spell.text(cond)
        self.line(depth, f"while {test}:", span)
        self._steps.append(step)
        self.body((*body, *step), depth + 1)
        self._steps.pop()

    def _effect(self, s: Fence | Effect, depth: int) -> None:
        """A call of a C function: a fence, or an assertion of a truth."""
        self._spell.helper(effect_prelude(s))
        truths = s.args if isinstance(s, Effect) else ()
        args = "".join(f", {self._spell.text(Cast(e, I32))}" for e in truths)
        self.line(depth, f'T.call_extern("int32", "{foreign_function(s)}"{args})', s.span)

    # --- atomics

    def _atomic(self, s: Atomic, depth: int) -> None:
        kind = scalar(s.place.type)
        foreign = foreign_atomic(s)
        in_buffer = isinstance(s.place, PtrElem)
        spell = self._spell.stored if in_buffer else self._spell.typed
        place, values = self._spell.place(s.place), ", ".join(map(spell, operands_of(s)))
        held = STORAGE[kind.kind] if in_buffer else value_type(kind)
        if foreign is not None:
            self._spell.helper(foreign.prelude)
            where = f"T.address_of({place})"
            call = f'T.call_extern("{held}", "{foreign.function}", {where}, {values})'
        else:
            old_too = "" if s.result is None else ", return_prev=True"
            call = f"{native_atomic(s.op)}({place}, {values}{old_too})"
        if s.result is None:
            self.line(depth, call, s.span)
            return
        old = self._spell.names.of(s.result)
        if held != value_type(kind):
            raw = self._spell.names.fresh(f"{old}_bits")
            self.line(depth, f'{raw} = T.alloc_var("{held}")', s.span)
            self.line(depth, f"{raw} = {call}")
            self.line(depth, f'{old} = T.cast({raw}, "{value_type(kind)}")')
            return
        self.line(depth, f'{old} = T.alloc_var("{value_type(kind)}")', s.span)
        self.line(depth, f"{old} = {call}")


def _bare(text: str) -> str:
    """Without the parentheses around the whole."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for at, c in enumerate(text):
        depth += c == "("
        depth -= c == ")"
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]


def written_buffers(body: tuple[Stmt, ...]) -> frozenset[str]:
    """The buffers that a normal-form body writes."""
    found: set[str] = set()

    def visit(stmts: tuple[Stmt, ...]) -> None:
        for s in stmts:
            places: tuple[Place, ...] = (s.place,) if isinstance(s, Assign | Atomic) else ()
            for p in places:
                if isinstance(p, PtrElem) and isinstance(p.pointer, Read):
                    if isinstance(p.pointer.place, VarPlace):
                        found.add(p.pointer.place.name)
            for b in sub_bodies(s):
                visit(b)

    visit(body)
    return frozenset(found)
