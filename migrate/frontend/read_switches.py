"""Switches, with what falls through written out."""

from __future__ import annotations

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.read_loops import LoopReader
from migrate.frontend.refusal import Refused
from migrate.ir.simt import Break, Case, Continue, Return, Stmt, Switch


class SwitchReader(LoopReader):
    """Reads ``switch``."""

    def switch(self, c: Cursor) -> None:
        """A switch whose labels stand in its own block; arms get what they fall into."""
        parts = list(c.children)
        while len(parts) > 2 and parts[0].form in (Form.DECL_STMT, Form.VAR):
            first = parts.pop(0)
            if first.form is Form.VAR:
                self.declaration(first)
            else:
                self.statement(first)
        if len(parts) != 2:
            raise Refused(reading.UNREADABLE_STATEMENT, "switch statement", c)
        value = self.index_value(parts[0])
        labels: list[tuple[int, tuple[int, ...], bool]] = []
        statements: list[Cursor] = []
        arms = parts[1].children if parts[1].form is Form.COMPOUND else (parts[1],)
        for child in arms:
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
