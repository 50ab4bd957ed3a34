"""Statements, with structure kept: loops, branches, switches, early returns."""

from __future__ import annotations

from dataclasses import replace

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.jumps import Unstructured, jump_to, label_here, open_jumps, structured
from migrate.frontend.loops import header_semicolons
from migrate.frontend.read_assembly import AssemblyReader
from migrate.frontend.read_values import coerce_bool
from migrate.frontend.refusal import Refused
from migrate.ir.expr import (
    Const,
    Expr,
)
from migrate.ir.simt import (
    Break,
    Continue,
    If,
    Return,
    Stmt,
)
from migrate.ir.types import BOOL, VOID, Type, Void

TRUE = Const(True, BOOL)


class StatementReader(AssemblyReader):
    """Reads a function body."""

    result: Type = VOID
    returns_reference: bool = False

    def body(self, c: Cursor) -> tuple[Stmt, ...]:
        """A function's compound statement."""
        found = self.block(c)
        jumps = open_jumps(found)
        if jumps:
            raise Refused(reading.GOTO, f"goto {jumps[0]} jumps into a block", c)
        return found

    def block(self, c: Cursor) -> tuple[Stmt, ...]:
        """A sub-statement as a list of its own."""
        target: list[Stmt] = []
        with self.into(target):
            self._sequence(c.children if c.form is Form.COMPOUND else (c,))
        return tuple(target)

    def _sequence(self, statements: tuple[Cursor, ...]) -> None:
        """Statements in order; jumps to the labels among them become structured."""
        target: list[Stmt] = []
        labels: list[Cursor] = []
        with self.into(target):
            for s in statements:
                node = s
                while node.form is Form.LABEL:
                    labels.append(node)
                    self.emit(label_here(node.name))
                    node = node.children[-1]
                self.statement(node)
        if labels:
            try:
                target = list(structured(tuple(target), self.fresh))
            except Unstructured as fault:
                raise Refused(reading.GOTO, str(fault), labels[0]) from None
        self.out.extend(target)

    def _goto(self, c: Cursor) -> None:
        label = next((x.name for x in c.children if x.raw_kind == "label_ref"), None)
        if label is None:
            raise Refused(reading.GOTO, "goto to a computed label", c)
        self.emit(replace(jump_to(label), span=self.span))

    def statement_value(self, c: Cursor) -> Expr:
        """See :meth:`ValueReader.statement_value`."""
        inner = c.expressions[0].children
        if not inner:
            raise Refused(reading.UNREADABLE_EXPRESSION, "statement expression without value", c)
        for s in inner[:-1]:
            if s.form is Form.LABEL:
                raise Refused(reading.GOTO, "label in a statement expression", s)
            self.statement(s)
        value = self.value(inner[-1])
        # the value outlives the block, and what it reads could change before it is used
        return value if isinstance(value, Const) else self.temporary(value)

    def statement(self, c: Cursor) -> None:
        """Read one statement; the comment above it goes to the first thing that it emits."""
        mark = len(self.out)
        outer, self.span = self.span, self.span_of(c)
        self._statement(c)
        self.span = outer
        if len(self.out) > mark and c.form is not Form.COMPOUND:
            extent = c.extent
            note = self.unit.sources.get(extent.file).note(extent.start) if extent.file else ""
            if note and not self.out[mark].note:
                self.out[mark] = replace(self.out[mark], note=note)

    def _statement(self, c: Cursor) -> None:
        match c.form:
            case Form.COMPOUND:
                self._sequence(c.children)
            case Form.DECL_STMT:
                for declared in c.children:
                    self.declaration(declared)
            case Form.IF:
                self._if(c)
            case Form.FOR:
                self.for_loop(c, -1)
            case Form.WHILE:
                self.while_loop(c)
            case Form.DO:
                self.do_loop(c)
            case Form.SWITCH:
                self.switch(c)
            case Form.BREAK:
                self.emit(Break(span=self.span))
            case Form.CONTINUE:
                self.emit(Continue(span=self.span))
            case Form.RETURN:
                self._return(c)
            case Form.EMPTY:
                pass
            case Form.OTHER_STMT:
                self._attributed(c)
            case Form.RANGE_FOR:
                self.range_loop(c)
            case Form.GOTO:
                self._goto(c)
            case Form.LABEL:
                self._sequence((c,))
            case Form.ASM:
                self.assembly(c)
            case Form.TRY:
                raise Refused(reading.EXCEPTION, "try block", c)
            case Form.CASE | Form.DEFAULT:
                raise Refused(reading.UNREADABLE_STATEMENT, "case label inside a block", c)
            case Form.OTHER | Form.INVALID:
                raise Refused(reading.UNREADABLE_STATEMENT, c.raw_kind, c)
            case _:
                self.effect(c)

    # --- control flow

    def _if(self, c: Cursor) -> None:
        parts = list(c.children)
        while parts and parts[0].form in (Form.DECL_STMT, Form.VAR):
            first = parts.pop(0)
            if first.form is Form.VAR:
                self.declaration(first)
            else:
                self.statement(first)
        semicolons = header_semicolons(self.unit.sources.get(c.extent.file).data, c.start, b"if")
        if semicolons and len(parts) == len(c.children):
            self.statement(parts.pop(0))  # `if (x = 1; x > y)`
        if len(parts) not in (2, 3) or parts[0].type.name != "BOOL":
            raise Refused(reading.UNREADABLE_STATEMENT, "if statement", c)
        cond = coerce_bool(self.value(parts[0]))
        if isinstance(cond, Const):
            chosen = parts[1] if cond.value else (parts[2] if len(parts) == 3 else None)
            if chosen is not None:
                self._statement(chosen)
            return
        then = self.block(parts[1])
        other = self.block(parts[2]) if len(parts) == 3 else ()
        if then or other:
            self.emit(If(cond, then, other, span=self.span))

    def _return(self, c: Cursor) -> None:
        inner = c.expressions
        if not inner:
            self.emit(Return(span=self.span))
            return
        if isinstance(self.result, Void):
            self.effect(inner[0])
            self.emit(Return(span=self.span))
            return
        if self.returns_reference:
            place = self.try_place(inner[0])
            if place is None:
                raise Refused(reading.UNREADABLE_STATEMENT, "reference to a temporary", c)
            self.emit(Return(self.address(place), span=self.span))
            return
        value = self.convert(self.value_or_list(inner[0], self.result), self.result, c)
        self.emit(Return(value, span=self.span))

    def _attributed(self, c: Cursor) -> None:
        inner = [x for x in c.children if x.form is not Form.ATTRIBUTE]
        if not inner:
            raise Refused(reading.UNREADABLE_STATEMENT, c.raw_kind, c)
        target = inner[-1]
        if target.form is Form.FOR:
            self.for_loop(target, self.unroll_of(c, target))
        else:
            self._statement(target)
