"""The state of reading one function body, and the rules for order of evaluation.

Readers are built in layers, each adding what it can read: places, values, operators, calls,
statements. A side effect inside an expression is *emitted*: a statement is appended to the list
that is being built, and the expression that comes back is free of effects. An operand that was
read before such a statement and that the statement disturbs is *pinned* into a temporary first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from migrate.core.codes import reading
from migrate.core.span import NO_SPAN, Span
from migrate.frontend.cursor import CType, Cursor, Form
from migrate.frontend.effects import address_taken, disturbed, writes_of
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.frontend.source import Sources
from migrate.frontend.types import TypeReader
from migrate.frontend.volatile import Summaries, VolatileUse, held_space
from migrate.ir.expr import AddressOf, Const, Expr, Place, PtrElem, Read, VarPlace
from migrate.ir.kernel import Function, Param
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import I32, Pointer, Space, Type


@dataclass(frozen=True, slots=True)
class Variable:
    """A name in scope: its place, and the space of its memory."""

    place: Place
    space: Space


Bound = tuple[tuple[int, Cursor], ...]
"""Functions that are known arguments of a call, by the position of their parameters."""


class UnitContext(Protocol):
    """What a function reader asks of the unit that it belongs to."""

    types: TypeReader
    sources: Sources
    volatile: Summaries

    def device_function(self, callee: Cursor, at: Cursor, bound: Bound = ()) -> Function:
        """The function's IR, read on demand; raises ``Refused``.

        Parameters that are bound to functions are left out of it.
        """

    def global_variable(self, declared: Cursor, at: Cursor) -> Variable:
        """A ``__device__``, ``__constant__`` or file-scope variable; raises ``Refused``."""

    def variable_template(self, declared: Cursor, use: Cursor) -> Variable:
        """An instantiation of a ``__constant__`` or ``__device__`` variable template."""

    def is_reserved(self, name: str) -> bool:
        """Whether a local must not take this name: a global has it."""


class Reader(ABC):
    """Names, temporaries and emission. ``out`` is the statement list being built."""

    def __init__(self, unit: UnitContext) -> None:
        self.unit = unit
        self.types = unit.types
        self.out: list[Stmt] = []
        self.prologue: list[Stmt] = []
        self.variables: dict[Cursor, Variable] = {}
        self.volatile = VolatileUse()
        self.functions: dict[Cursor, Cursor] = {}
        self.elements: dict[Cursor, Place] = {}
        self.spaces: dict[str, Space] = {}
        self.used: set[str] = set()
        self.reachable: set[str] = set()
        self.this: Expr | None = None
        self.span: Span = NO_SPAN

    # --- what the layers above provide

    @abstractmethod
    def value(self, c: Cursor) -> Expr:
        """The value of an expression; effects are emitted before."""

    @abstractmethod
    def place(self, c: Cursor) -> Place:
        """The place of an lvalue; raises ``NotAPlace`` for a value."""

    @abstractmethod
    def effect(self, c: Cursor) -> None:
        """Emit an expression's effects and drop its value."""

    @abstractmethod
    def statement(self, c: Cursor) -> None:
        """Read one statement."""

    # --- names

    def fresh(self, wanted: str) -> str:
        """A name that no other variable of the function has."""
        name = wanted
        count = 1
        while name in self.used or self.unit.is_reserved(name):
            name = f"{wanted}_{count}"
            count += 1
        self.used.add(name)
        return name

    def bind(self, declared: Cursor, name: str, kind: Type, space: Space) -> Place:
        """Make a declaration's name known."""
        place = VarPlace(name, kind)
        self.know(declared, Variable(place, space))
        return place

    def know(self, declared: Cursor, variable: Variable) -> None:
        """Make a variable known; memory writes reach it unless it is local."""
        self.variables[declared] = variable
        if isinstance(variable.place, VarPlace):
            self.spaces[variable.place.name] = variable.space
            if variable.space is not Space.LOCAL:
                self.reachable.add(variable.place.name)

    def add_param(self, declared: Cursor, kind: Type, wanted: str) -> Param:
        """A parameter; a reference becomes a pointer whose element is the variable."""
        name = self.fresh(wanted or "unused")
        if declared.type.is_reference:
            assert isinstance(kind, Pointer)
            whole = Read(VarPlace(name, kind))
            self.variables[declared] = Variable(PtrElem(whole, Const(0, I32)), kind.space)
        else:
            self.bind(declared, name, kind, Space.LOCAL)
        return Param(name, kind)

    def static_function(self, c: Cursor) -> Cursor | None:
        """The function that an expression always means; ``None`` when that is not known."""
        node = c
        while node.form in (Form.PAREN, Form.UNEXPOSED, Form.UNARY) and len(node.expressions) == 1:
            if node.form is Form.UNARY and node.operator not in ("&", "*"):
                return None
            node = node.expressions[0]
        target = node.referenced if node.form is Form.REF else None
        if target is None:
            return None
        if target.form in (Form.FUNCTION, Form.METHOD):
            return target if target.form is Form.FUNCTION or target.is_static_method else None
        return self.functions.get(target)

    # --- emission

    def emit(self, statement: Stmt) -> None:
        """Append a statement."""
        self.out.append(statement)

    @contextmanager
    def into(self, target: list[Stmt]) -> Iterator[None]:
        """Emit into another list for a while."""
        outer, self.out = self.out, target
        try:
            yield
        finally:
            self.out = outer

    def captured(self, run: Callable[[], Expr]) -> tuple[tuple[Stmt, ...], Expr]:
        """Run a reader and return what it emitted with what it returned."""
        target: list[Stmt] = []
        with self.into(target):
            result = run()
        return tuple(target), result

    def temporary(self, e: Expr, wanted: str = "t") -> Read:
        """Hold a value in a new local."""
        name = self.fresh(wanted)
        self.emit(Declare(name, e.type, e, span=self.span))
        return Read(VarPlace(name, e.type))

    def try_place(self, c: Cursor) -> Place | None:
        """The place of an expression, or ``None``; a failed try leaves no statement behind."""
        mark = len(self.out)
        try:
            return self.place(c)
        except NotAPlace:
            del self.out[mark:]
            return None

    def settled_place(self, c: Cursor) -> Place:
        """The place of an operand whose effects have been emitted already.

        Reading it again must emit nothing; otherwise an effect would happen twice.
        """
        mark = len(self.out)
        place = self.place(c)
        if len(self.out) != mark:
            raise Refused(
                reading.UNREADABLE_EXPRESSION, "result of an assignment with effects inside", c
            )
        return place

    def values(self, cursors: tuple[Cursor, ...]) -> list[Expr]:
        """Operands in order, earlier ones pinned where later ones disturb them."""
        found: list[Expr] = []
        for c in cursors:
            mark = len(self.out)
            e = self.value(c)
            self.pin(found, mark)
            found.append(e)
        return found

    def pin(self, earlier: list[Expr], mark: int) -> None:
        """Protect ``earlier`` values from the statements emitted since ``mark``."""
        if len(self.out) == mark:
            return
        writes = writes_of(tuple(self.out[mark:]))
        for e in earlier:
            self.reachable |= address_taken(e)
        for i, e in enumerate(earlier):
            if disturbed(e, writes, frozenset(self.reachable)):
                name = self.fresh("t")
                self.out.insert(mark, Declare(name, e.type, e, span=self.span))
                mark += 1
                earlier[i] = Read(VarPlace(name, e.type))

    # --- volatile memory

    def volatile_read(self, value: Expr) -> Expr:
        """Hold a value of volatile memory, so that it is read once and here."""
        space = held_space(value, self.spaces)
        if space is Space.LOCAL:
            return value
        held = self.temporary(value, "seen")
        assert isinstance(held.place, VarPlace)
        self.volatile.reads.add(held.place.name)
        self.volatile.spaces[held.place.name] = space
        return held

    def volatile_write(self, place: Place) -> None:
        """Note that volatile memory is written."""
        if self.space_of(place) is not Space.LOCAL:
            self.volatile.writes.add(place)

    # --- spans and types

    def span_of(self, c: Cursor) -> Span:
        """The source span of a cursor."""
        extent = c.extent
        if not extent.file:
            return NO_SPAN
        return self.unit.sources.get(extent.file).span(extent.start, extent.end)

    def type_of(self, t: CType, at: Cursor) -> Type:
        """The IR type; pointers of unknown space."""
        return self.types.read(t, at)

    def space_of(self, place: Place) -> Space:
        """The address space in which a place lies."""
        match place:
            case VarPlace(name):
                return self.spaces.get(name, Space.LOCAL)
            case PtrElem(pointer):
                kind = pointer.type
                return kind.space if isinstance(kind, Pointer) else Space.GENERIC
            case _:
                return self.space_of(place.base)

    def address(self, place: Place, *, const: bool = False) -> Expr:
        """``&place``; of ``p[0]`` it is ``p``."""
        if isinstance(place, PtrElem):
            if place.index == Const(0, I32):
                return place.pointer
        base: Place = place
        while not isinstance(base, VarPlace | PtrElem):
            base = base.base
        if isinstance(base, VarPlace):
            self.reachable.add(base.name)
        return AddressOf(place, Pointer(place.type, self.space_of(place), const=const))


def strip(c: Cursor) -> Cursor:
    """Look through parentheses and implicit nodes that keep the type."""
    while c.form in (Form.PAREN, Form.UNEXPOSED):
        inner = c.expressions
        if len(inner) != 1 or inner[0].type.spelling != c.type.spelling:
            return c
        c = inner[0]
    return c
