"""Prints SIMT IR statements and functions as C++ and records which line came from which source.

The dialect (`clike_dialect.Dialect`) spells what is not plain C++. Comments of the source
(`Stmt.note`) stand above their statements; ``x = x + y`` is printed as ``x += y``; a loop whose
step does not fit a ``for`` head gets an equivalent form in which ``continue`` still runs the step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import assert_never

from migrate.backends.clike_dialect import Dialect, Prec, Spelled
from migrate.backends.clike_expr import ExprPrinter
from migrate.backends.clike_types import base_type, plain, promoted, usual_type
from migrate.core.artifact import SourceLine
from migrate.core.span import NO_SPAN, Span
from migrate.ir.expr import SHIFTS, Binary, BinaryOp, Cast, Const, Expr, Place, PtrAdd, Read
from migrate.ir.kernel import Param
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    Break,
    CallStmt,
    Case,
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
from migrate.ir.types import BOOL, Pointer, Scalar, Space, Type
from migrate.ir.walk import declared_names, sub_bodies, walk_stmts

INDENT = "    "
LINE_LENGTH = 100
"""Heads of functions are broken to stay below it."""
_COMPOUND = frozenset(
    {
        BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.REM, BinaryOp.SHL,
        BinaryOp.SHR, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR,
    }
)  # fmt: skip


@dataclass(slots=True)
class Writer:
    """Collects lines; ``depth`` is the indentation in steps of four blanks."""

    depth: int = 0
    lines: list[str] = field(default_factory=list)
    origins: list[SourceLine] = field(default_factory=list)

    def line(self, text: str, span: Span = NO_SPAN) -> None:
        """Add a line at the present depth; an empty one stays empty."""
        self.lines.append(INDENT * self.depth + text if text else "")
        if span != NO_SPAN:
            self.origins.append(SourceLine(len(self.lines), span))

    def comment(self, text: str) -> None:
        """Add ``//`` lines; nothing for an empty text."""
        for row in text.strip("\n").split("\n") if text.strip() else ():
            self.line(f"// {row.rstrip()}".rstrip())

    def text(self) -> str:
        """All lines, each ended by a newline."""
        return "".join(f"{x}\n" for x in self.lines)


def signature(start: str, params: tuple[str, ...]) -> str:
    """``start(params)`` on one line, or with the parameters on lines of their own."""
    one = f"{start}({', '.join(params)})"
    if len(one) <= LINE_LENGTH or not params:
        return one
    rows, row = [f"{start}("], ""
    for i, p in enumerate(params):
        piece = p if i == len(params) - 1 else f"{p}, "
        if row and len(INDENT) + len(row) + len(piece.rstrip()) > LINE_LENGTH - 1:
            rows.append(INDENT + row.rstrip())
            row = ""
        row += piece
    return "\n".join([*rows, f"{INDENT}{row})"])


def continues_here(stmts: tuple[Stmt, ...]) -> bool:
    """True when a ``continue`` in these statements belongs to the loop around them."""
    for s in stmts:
        if isinstance(s, Continue):
            return True
        if isinstance(s, For | While | DoWhile):
            continue
        if any(continues_here(body) for body in sub_bodies(s)):
            return True
    return False


class CPrinter:
    """Prints bodies in one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.exprs = ExprPrinter(dialect)
        self._taken: frozenset[str] = frozenset()

    # --- functions --------------------------------------------------------------------------

    def params(self, params: tuple[Param, ...]) -> tuple[str, ...]:
        """Each parameter's declaration."""
        return tuple(self.dialect.declare(p.type, p.name) for p in params)

    def function(
        self, w: Writer, head: str, params: tuple[Param, ...], body: tuple[Stmt, ...], span: Span
    ) -> None:
        """A whole definition; ``head`` is everything before the body, of one or more lines."""
        self.head(w, head, span)
        w.line("{")
        w.depth += 1
        self.body(w, body, frozenset(p.name for p in params))
        w.depth -= 1
        w.line("}")

    def head(self, w: Writer, head: str, span: Span) -> None:
        """The lines of a definition's head."""
        for row in head.split("\n"):
            w.line(row, span)

    def body(self, w: Writer, body: tuple[Stmt, ...], taken: frozenset[str] = frozenset()) -> None:
        """Statements of a whole function; ``taken`` are further names in scope."""
        self._taken = taken | declared_names(body)
        self.stmts(w, body)

    def fresh(self, name: str) -> str:
        """``name``, or ``name2``... when the function uses it already."""
        trial, n = name, 2
        while trial in self._taken:
            trial, n = f"{name}{n}", n + 1
        self._taken |= {trial}
        return trial

    # --- statements -------------------------------------------------------------------------

    def stmts(self, w: Writer, stmts: tuple[Stmt, ...]) -> None:
        """A statement list at the writer's depth."""
        for s in stmts:
            w.comment(s.note)
            self._stmt(w, s)

    def _block(self, w: Writer, stmts: tuple[Stmt, ...]) -> None:
        w.depth += 1
        self.stmts(w, stmts)
        w.depth -= 1

    def _stmt(self, w: Writer, s: Stmt) -> None:
        match s:
            case If():
                self._if(w, s)
            case For():
                self._for(w, s)
            case While(cond, body):
                w.line(f"while ({self.exprs.condition(cond).text}) {{", s.span)
                self._block(w, body)
                w.line("}")
            case DoWhile(body, cond):
                w.line("do {", s.span)
                self._block(w, body)
                w.line(f"}} while ({self.exprs.condition(cond).text});")
            case Switch(value, cases):
                w.line(f"switch ({self.exprs.exact(value).text}) {{", s.span)
                for c in cases:
                    self._case(w, c)
                w.line("}")
            case _:
                for text in self.simple(s):
                    w.line(text, s.span)

    def _if(self, w: Writer, s: If) -> None:
        head = f"if ({self.exprs.condition(s.cond).text}) {{"
        w.line(head, s.span)
        self._block(w, s.then)
        other = s.other
        while len(other) == 1 and isinstance(other[0], If) and not other[0].note:
            chained = other[0]
            head = f"}} else if ({self.exprs.condition(chained.cond).text}) {{"
            w.line(head, chained.span)
            self._block(w, chained.then)
            other = chained.other
        if other:
            w.line("} else {")
            self._block(w, other)
        w.line("}")

    def _case(self, w: Writer, c: Case) -> None:
        braces = any(isinstance(s, Declare | CallStmt | Atomic | Collective) for s in c.body)
        heads = [f"case {v}:" for v in c.values] or ["default:"]
        if braces:
            heads[-1] += " {"
        w.depth += 1
        for head in heads:
            w.line(head, c.span)
        self._block(w, c.body)
        if not c.body or not isinstance(c.body[-1], Break | Continue | Return):
            w.line(f"{INDENT}break;")
        if braces:
            w.line("}")
        w.depth -= 1

    # --- loops ------------------------------------------------------------------------------

    def _for(self, w: Writer, s: For) -> None:
        if s.unroll >= 0:
            pragma = self.dialect.unroll(s.unroll)
            if pragma is not None:
                w.line(pragma)
        init, step = self._for_init(s.init), self._for_step(s.step)
        if init is None:
            w.line("{")
            w.depth += 1
            self.stmts(w, s.init)
        self._loop(w, s, init or "", step)
        if init is None:
            w.depth -= 1
            w.line("}")

    def _loop(self, w: Writer, s: For, init: str, step: str | None) -> None:
        endless = s.cond == Const(True, BOOL)
        cond = "" if endless else " " + self.exprs.condition(s.cond).text
        if step is not None:
            tail = f" {step}" if step else ""
            w.line(f"for ({init};{cond};{tail}) {{", s.span)
            self._block(w, s.body)
            w.line("}")
            return
        if not continues_here(s.body):
            w.line(f"for ({init};{cond};) {{", s.span)
            self._block(w, s.body)
            self._block(w, s.step)
            w.line("}")
            return
        # `continue` must reach the step, so the step moves to the head of the next round.
        first = self.fresh("first")
        if init:
            w.line("{")
            w.depth += 1
            w.line(f"{init};")
        w.line(f"for (bool {first} = true;; {first} = false) {{", s.span)
        w.depth += 1
        w.line(f"if (!{first}) {{")
        self._block(w, s.step)
        w.line("}")
        if not endless:
            w.line(f"if (!({self.exprs.condition(s.cond).text})) {{")
            w.line(f"{INDENT}break;")
            w.line("}")
        w.depth -= 1
        self._block(w, s.body)
        w.line("}")
        if init:
            w.depth -= 1
            w.line("}")

    def _for_init(self, init: tuple[Stmt, ...]) -> str | None:
        """The first part of a ``for`` head, or nothing when it needs statements of its own."""
        if all(isinstance(x, Assign) for x in init):
            return ", ".join(self.assignment(x) for x in init if isinstance(x, Assign))
        declares = [x for x in init if isinstance(x, Declare)]
        if len(declares) != len(init):
            return None
        shared = {base_type(d.type) for d in declares}
        is_pointer = any(isinstance(d.type, Pointer) for d in declares)
        if len(shared) != 1 or (is_pointer and len(declares) > 1):
            return None
        if any(d.space is not Space.LOCAL for d in declares):
            return None
        first, *rest = declares
        parts = [self._declaration(first)]
        for d in rest:
            parts.append(d.name if d.init is None else f"{d.name} = {self.exprs.convert(d.init)}")
        return ", ".join(parts)

    def _for_step(self, step: tuple[Stmt, ...]) -> str | None:
        if not all(isinstance(x, Assign) for x in step):
            return None
        return ", ".join(self.assignment(x) for x in step if isinstance(x, Assign))

    # --- simple statements ------------------------------------------------------------------

    def simple(self, s: Stmt) -> tuple[str, ...]:
        """A statement that has no inner statements, as lines."""
        d, x = self.dialect, self.exprs
        match s:
            case Declare():
                return (f"{self._declaration(s)};",)
            case Assign():
                return (f"{self.assignment(s)};",)
            case Break():
                return ("break;",)
            case Continue():
                return ("continue;",)
            case Return(value):
                return (d.return_text(None if value is None else x.convert(value)),)
            case CallStmt(function, args, result, type_):
                call = x.invocation(function, args)
                return (self._bind(result, type_, Spelled(call, Prec.POSTFIX, type_)),)
            case Atomic(_, place, operands, result):
                address = x.address(place, Pointer(place.type, Space.GENERIC))
                call = d.atomic(s, address, tuple(x.exact(o) for o in operands))
                return (self._bind(result, place.type, Spelled(call, Prec.POSTFIX, place.type)),)
            case Barrier():
                return d.barrier(s)
            case Fence():
                return d.fence(s)
            case Collective(_, args, result, type_):
                found = d.collective(s, tuple(x.exact(a) for a in args))
                return (self._bind(result, type_, found),)
            case Effect(_, args):
                return d.effect(s, tuple(x.exact(a) for a in args))
            case Asm():
                return d.asm(s)
            case If() | For() | While() | DoWhile() | Switch():
                raise TypeError("a compound statement is not simple")
            case _:
                assert_never(s)

    def _bind(self, result: str | None, type_: Type, value: Spelled) -> str:
        if result is None:
            return f"{value.text};"
        return f"{self.dialect.declare(type_, result)} = {value.at(Prec.ASSIGN)};"

    def _declaration(self, s: Declare) -> str:
        head = self.dialect.declare(s.type, s.name, s.space)
        return head if s.init is None else f"{head} = {self.exprs.convert(s.init)}"

    def assignment(self, s: Assign) -> str:
        """``x = y``, ``x += y`` or ``++x``, without the semicolon."""
        compound = self._compound(s.place, s.value)
        if compound is not None:
            return compound
        return f"{self.exprs.place(s.place).text} = {self.exprs.convert(s.value)}"

    def _compound(self, place: Place, value: Expr) -> str | None:
        """The short form when ``value`` is the old content combined with something.

        For a place narrower than the operation (``char c; c += 1``, ``float f; f *= 2.0``) C++ does
        what the IR says: both sides to the common type, the operation, conversion back.
        """
        if isinstance(value, PtrAdd) and value.pointer == Read(place):
            text = self.exprs.place(place).text
            if isinstance(value.offset, Const) and value.offset.value == 1:
                return f"++{text}"
            return f"{text} += {self.exprs.index(value.offset)}"
        if isinstance(value, Cast) and isinstance(value.operand, Binary):
            value = value.operand
        if not isinstance(value, Binary) or value.op not in _COMPOUND:
            return None
        old = value.lhs
        while isinstance(old, Cast):
            old = old.operand
        if old != Read(place):
            return None
        stored, operation = plain(place.type), plain(value.lhs.type)
        if stored is None or operation is None:
            return None
        if not self.dialect.converts(operation, stored):
            return None
        if not self._same_operation(value, stored, operation):
            return None
        text = self.exprs.place(place).text
        if value.rhs == Const(1, operation) and stored.is_integer:
            if value.op in (BinaryOp.ADD, BinaryOp.SUB):
                sign = "++" if value.op is BinaryOp.ADD else "--"
                return f"{sign}{text}"
        return f"{text} {value.op.value}= {self._compound_side(value, stored, operation)}"

    def _same_operation(self, value: Binary, stored: Scalar, operation: Scalar) -> bool:
        """True when the casts around the old value are C++'s own for a compound assignment."""
        old: Expr = value.lhs
        if isinstance(old, Cast) and isinstance(old.operand, Cast):
            return False
        if value.op in SHIFTS:
            return promoted(stored) == operation
        side = self.exprs.exact(value.rhs)
        return stored == operation or usual_type(stored, side.type) == operation

    def _compound_side(self, value: Binary, stored: Scalar, operation: Scalar) -> str:
        if value.op in SHIFTS:
            return self.exprs.index(value.rhs)
        short = self.exprs.converted(value.rhs)
        if usual_type(stored, short.type) == operation:
            return short.at(Prec.ASSIGN)
        return self.exprs.exact(value.rhs).at(Prec.ASSIGN)


def has_statement(body: tuple[Stmt, ...], kinds: tuple[type[Stmt], ...]) -> bool:
    """True when a statement of one of the kinds stands anywhere in the body."""
    return any(isinstance(s, kinds) for s in walk_stmts(body))
