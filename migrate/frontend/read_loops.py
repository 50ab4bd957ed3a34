"""Loops, in the shapes that the source gives them."""

from __future__ import annotations

import re
from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.convert import invert
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.jumps import TRUE, leaves_loop
from migrate.frontend.loops import for_parts
from migrate.frontend.read_declarations import DeclarationReader
from migrate.frontend.read_values import coerce_bool
from migrate.frontend.reader import strip
from migrate.frontend.refusal import Refused
from migrate.ir.expr import ArrElem, Binary, BinaryOp, Const, Expr, Place, PtrElem, Read, VarPlace
from migrate.ir.simt import Assign, Break, Declare, DoWhile, For, If, Stmt, While
from migrate.ir.types import BOOL, I32, Array


class LoopReader(DeclarationReader):
    """Reads ``for``, ``while``, ``do`` and loops over arrays."""

    @abstractmethod
    def block(self, c: Cursor) -> tuple[Stmt, ...]:
        """A sub-statement as a list of its own."""

    def for_loop(self, c: Cursor, unroll: int) -> None:
        """C's ``for``; ``unroll`` is that of :class:`migrate.ir.simt.For`."""
        extent = c.extent
        parts = for_parts(c, self.unit.sources.get(extent.file))
        init: list[Stmt] = []
        with self.into(init):
            if parts.init is not None:
                self.statement(parts.init)
        emitted: tuple[Stmt, ...] = ()
        cond: Expr = TRUE
        if parts.cond is not None:
            emitted, cond = self._test(parts.declared, parts.cond)
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

    def _test(self, declared: Cursor | None, test: Cursor) -> tuple[tuple[Stmt, ...], Expr]:
        """A loop's condition, with the variable that it declares, if any."""

        def run() -> Expr:
            if declared is not None:
                self.declaration(declared)
            return coerce_bool(self.value(test))

        return self.captured(run)

    def while_loop(self, c: Cursor) -> None:
        """``while``; a condition with effects is tested at the head of an endless loop."""
        parts = list(c.children)
        declared = parts.pop(0) if parts[0].form is Form.VAR else None
        if len(parts) != 2:
            raise Refused(reading.LOOP_HEADER, "while statement", c)
        emitted, cond = self._test(declared, parts[0])
        body = self.block(parts[1])
        if emitted:
            body = (*emitted, If(invert(cond), (Break(),), span=self.span), *body)
            cond = TRUE
        self.emit(While(cond, body, span=self.span))

    def do_loop(self, c: Cursor) -> None:
        """``do``; the macro idiom ``do { ... } while (0)`` is no loop."""
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

    def range_loop(self, c: Cursor) -> None:
        """``for (auto v : array)``: libclang shows the variable, the range and the body."""
        parts = c.children
        if len(parts) != 3 or parts[0].form is not Form.VAR:
            raise Refused(reading.RANGE_FOR, "loop over a range with an initialiser", c)
        variable, array, body_cursor = parts
        if strip(array).type.form is not TypeForm.ARRAY:
            raise Refused(reading.RANGE_FOR, f"loop over {array.type.spelling}", c)
        whole = self.place(array)
        if not isinstance(whole.type, Array):
            raise Refused(reading.RANGE_FOR, f"loop over {array.type.spelling}", c)
        name = self.fresh("i")
        counter = VarPlace(name, I32)
        element: Place
        if self.is_fixed(whole):
            element = ArrElem(whole, Read(counter))
        else:
            first = self.temporary(self.decay(whole), "range")
            element = PtrElem(first, Read(counter))
        for node in variable.walk():
            target = node.referenced if node.form is Form.REF else None
            if target is not None and target.name.startswith("__begin"):
                self.elements[target] = element
        body: list[Stmt] = []
        with self.into(body):
            self.declaration(variable)
            body += self.block(body_cursor)
        start = Declare(name, I32, Const(0, I32), span=self.span)
        cond = Binary(BinaryOp.LT, Read(counter), Const(whole.type.length, I32))
        step = Assign(counter, Binary(BinaryOp.ADD, Read(counter), Const(1, I32)))
        self.emit(For((start,), cond, (step,), tuple(body), span=self.span))

    def unroll_of(self, c: Cursor, loop: Cursor) -> int:
        """The count of the ``#pragma unroll`` above a loop."""
        source = self.unit.sources.get(c.extent.file)
        text = source.text(max(0, c.start - 16), loop.start)
        found = re.search(r"(no)?unroll\s*\(?\s*(\w*)", text)
        if found is None:
            return -1
        if found.group(1):
            return 1
        digits = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", found.group(2))
        return int(digits.group(1), 0) if digits else 0
