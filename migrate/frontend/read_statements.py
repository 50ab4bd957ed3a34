"""Statements, with structure kept: loops, branches, switches, early returns."""

from __future__ import annotations

import re
from dataclasses import replace

from migrate.core.codes import reading
from migrate.frontend.convert import invert
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.loops import for_parts, header_semicolons
from migrate.frontend.read_declarations import DeclarationReader
from migrate.frontend.read_values import coerce_bool
from migrate.frontend.refusal import Refused
from migrate.ir.expr import (
    Const,
    Expr,
    Read,
    VarPlace,
)
from migrate.ir.simt import (
    Assign,
    Break,
    Case,
    Continue,
    Declare,
    DoWhile,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import BOOL, VOID, Type, Void

TRUE = Const(True, BOOL)


class StatementReader(DeclarationReader):
    """Reads a function body."""

    result: Type = VOID
    returns_reference: bool = False

    def body(self, c: Cursor) -> tuple[Stmt, ...]:
        """A function's compound statement."""
        target: list[Stmt] = []
        with self.into(target):
            for child in c.children:
                self.statement(child)
        return tuple(target)

    def block(self, c: Cursor) -> tuple[Stmt, ...]:
        """A sub-statement as a list of its own."""
        target: list[Stmt] = []
        with self.into(target):
            if c.form is Form.COMPOUND:
                for child in c.children:
                    self.statement(child)
            else:
                self.statement(c)
        return tuple(target)

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
                for child in c.children:
                    self.statement(child)
            case Form.DECL_STMT:
                for declared in c.children:
                    self.declaration(declared)
            case Form.IF:
                self._if(c)
            case Form.FOR:
                self._for(c, -1)
            case Form.WHILE:
                self._while(c)
            case Form.DO:
                self._do(c)
            case Form.SWITCH:
                self._switch(c)
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
                raise Refused(reading.RANGE_FOR, "loop over a range", c)
            case Form.GOTO | Form.LABEL:
                raise Refused(reading.GOTO, "goto or label", c)
            case Form.ASM:
                raise Refused(reading.INLINE_ASSEMBLY, self._assembly(c), c)
            case Form.TRY:
                raise Refused(reading.EXCEPTION, "try block", c)
            case Form.CASE | Form.DEFAULT:
                raise Refused(reading.UNREADABLE_STATEMENT, "case label inside a block", c)
            case Form.OTHER | Form.INVALID:
                raise Refused(reading.UNREADABLE_STATEMENT, c.raw_kind, c)
            case _:
                self.effect(c)

    def _assembly(self, c: Cursor) -> str:
        extent = c.extent
        text = self.unit.sources.get(extent.file).text(extent.start, extent.end)
        found = re.search(r'"\s*([^"]*)"', text)
        return f"instruction {found.group(1).strip().split(' ')[0] if found else 'unknown'}"

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

    def _for(self, c: Cursor, unroll: int) -> None:
        extent = c.extent
        parts = for_parts(c, self.unit.sources.get(extent.file))
        init: list[Stmt] = []
        with self.into(init):
            if parts.init is not None:
                self.statement(parts.init)
        emitted: tuple[Stmt, ...] = ()
        cond: Expr = TRUE
        if parts.cond is not None:
            test = parts.cond
            emitted, cond = self.captured(lambda: coerce_bool(self.value(test)))
        body = self.block(parts.body)
        step: list[Stmt] = []
        with self.into(step):
            if parts.step is not None:
                self.effect(parts.step)
        if emitted:
            body = (*emitted, If(invert(cond), (Break(),), span=self.span), *body)
            cond = TRUE
        loop = For(tuple(init), cond, tuple(step), body, unroll, span=self.span)
        self.emit(loop)

    def _while(self, c: Cursor) -> None:
        parts = c.children
        if len(parts) != 2:
            raise Refused(reading.LOOP_HEADER, "while with a declaration", c)
        emitted, cond = self.captured(lambda: coerce_bool(self.value(parts[0])))
        body = self.block(parts[1])
        if emitted:
            body = (*emitted, If(invert(cond), (Break(),), span=self.span), *body)
            cond = TRUE
        self.emit(While(cond, body, span=self.span))

    def _do(self, c: Cursor) -> None:
        body_cursor, test = c.children
        body = self.block(body_cursor)
        emitted, cond = self.captured(lambda: coerce_bool(self.value(test)))
        if not emitted:
            if cond == Const(False, BOOL) and not leaves_loop(body):
                self.out.extend(body)  # the macro idiom `do { ... } while (0)`
            else:
                self.emit(DoWhile(body, cond, span=self.span))
            return
        # the test has effects and `continue` must run it: it moves to the head of the next round
        name = self.fresh("again")
        flag = VarPlace(name, BOOL)
        self.emit(Declare(name, BOOL, Const(False, BOOL), span=self.span))
        check = (*emitted, If(invert(cond), (Break(),), span=self.span))
        head = (If(Read(flag), check, span=self.span), Assign(flag, TRUE, span=self.span))
        # the test's temporaries live inside the branch, so it must not leak out of it
        self.emit(While(TRUE, (*head, *body), span=self.span))

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
            self._for(target, self._unroll(c, target))
        else:
            self._statement(target)

    def _unroll(self, c: Cursor, loop: Cursor) -> int:
        source = self.unit.sources.get(c.extent.file)
        text = source.text(max(0, c.start - 16), loop.start)
        found = re.search(r"(no)?unroll\s*\(?\s*(\w*)", text)
        if found is None:
            return -1
        if found.group(1):
            return 1
        digits = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", found.group(2))
        return int(digits.group(1), 0) if digits else 0

    # --- switch

    def _switch(self, c: Cursor) -> None:
        parts = c.children
        if len(parts) != 2 or parts[1].form is not Form.COMPOUND:
            raise Refused(reading.UNREADABLE_STATEMENT, "switch statement", c)
        value = self.index_value(parts[0])
        labels: list[tuple[int, tuple[int, ...], bool]] = []
        statements: list[Cursor] = []
        for child in parts[1].children:
            values, is_default, rest = self._labels(child)
            if values or is_default:
                labels.append((len(statements), values, is_default))
            if rest is not None:
                statements.append(rest)
        cases: list[Case] = []
        for at, values, is_default in labels:
            body = self._arm(statements[at:])
            if values and not is_default:
                cases.append(Case(values, body))
            else:
                cases.append(Case((), body))
        self.emit(Switch(value, tuple(cases), span=self.span))

    def _labels(self, c: Cursor) -> tuple[tuple[int, ...], bool, Cursor | None]:
        values: list[int] = []
        is_default = False
        node: Cursor = c
        while node.form in (Form.CASE, Form.DEFAULT):
            inner = node.expressions
            if node.form is Form.CASE:
                if len(inner) != 2:
                    raise Refused(reading.UNREADABLE_STATEMENT, "case range", c)
                found = inner[0].evaluate()
                if found is None or found.integer is None:
                    raise Refused(reading.UNREADABLE_STATEMENT, "case value is not known", c)
                values.append(found.integer)
                node = inner[1]
            else:
                is_default = True
                if not inner:
                    return tuple(values), True, None
                node = inner[0]
        return tuple(values), is_default, node

    def _arm(self, statements: list[Cursor]) -> tuple[Stmt, ...]:
        """An arm with what it falls into, up to the break that ends it."""
        target: list[Stmt] = []
        with self.into(target):
            for s in statements:
                self.statement(s)
                last = target[-1] if target else None
                if isinstance(last, Break):
                    target.pop()
                    break
                if isinstance(last, Return | Continue):
                    break
        return tuple(target)


def leaves_loop(body: tuple[Stmt, ...], *, in_switch: bool = False) -> bool:
    """Whether a loop body holds a ``break`` or ``continue`` of that loop."""
    for s in body:
        match s:
            case Break() if not in_switch:
                return True
            case Continue():
                return True
            case If(_, then, other):
                if leaves_loop(then, in_switch=in_switch) or leaves_loop(
                    other, in_switch=in_switch
                ):
                    return True
            case Switch(_, cases):
                if any(leaves_loop(case.body, in_switch=True) for case in cases):
                    return True
    return False
