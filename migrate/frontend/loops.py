"""The four parts of a ``for`` statement, some of which are not written.

libclang lists only the parts that exist, so with fewer than four the text tells which they are:
the two semicolons of the header divide it.
"""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.refusal import Refused
from migrate.frontend.source import SourceText


@dataclass(frozen=True, slots=True)
class ForParts:
    """The parts of a ``for``; ``None`` where nothing is written."""

    init: Cursor | None
    cond: Cursor | None
    step: Cursor | None
    body: Cursor
    declared: Cursor | None = None


def for_parts(c: Cursor, source: SourceText) -> ForParts:
    """Sort a ``for`` statement's children; refuses with CM1118 when the text does not tell."""
    parts = c.children
    body = parts[-1]
    head = tuple(p for p in parts[:-1] if p.form is not Form.VAR)
    declared = next((p for p in parts[:-1] if p.form is Form.VAR), None)
    if len(head) == 3:
        return ForParts(head[0], head[1], head[2], body, declared)
    if len(head) > 3:
        raise Refused(reading.LOOP_HEADER, "for header is not readable", c)
    semicolons = header_semicolons(source.data, c.start)
    if len(semicolons) != 2:
        if declared is not None:
            raise Refused(reading.LOOP_HEADER, "for header comes from a macro", c)
        return _by_shape(c, head, body)
    first, second = semicolons
    found: list[Cursor | None] = [None, None, None]
    for part in head:
        at = part.start
        slot = 0 if at < first else (1 if at < second else 2)
        if part.form is Form.DECL_STMT:
            slot = 0
        if found[slot] is not None:
            raise Refused(reading.LOOP_HEADER, "for header is not readable", c)
        found[slot] = part
    return ForParts(found[0], found[1], found[2], body, declared)


def _by_shape(c: Cursor, head: tuple[Cursor, ...], body: Cursor) -> ForParts:
    """From a macro: decide by what the parts are."""
    init = cond = step = None
    for part in head:
        if part.form is Form.DECL_STMT and init is None:
            init = part
        elif part.type.form is TypeForm.SCALAR and part.type.name == "BOOL" and cond is None:
            cond = part
        else:
            raise Refused(reading.LOOP_HEADER, "for header comes from a macro", c)
    return ForParts(init, cond, step, body)


def header_semicolons(data: bytes, start: int, keyword: bytes = b"for") -> tuple[int, ...]:
    """Offsets of the semicolons in the header of the ``for`` or ``if`` at ``start``.

    Empty when the text at ``start`` is no such statement: then it comes out of a macro.
    """
    if data[start : start + len(keyword)] != keyword:
        return ()
    at = data.find(b"(", start)
    depth = 0
    found: list[int] = []
    while 0 <= at < len(data):
        ch = data[at : at + 1]
        if data[at : at + 2] == b"//":
            at = data.find(b"\n", at)
            continue
        if data[at : at + 2] == b"/*":
            at = data.find(b"*/", at) + 2
            continue
        if ch in b"\"'":
            at = _skip_quoted(data, at)
            continue
        if ch in b"([{":
            depth += 1
        elif ch in b")]}":
            depth -= 1
            if depth == 0:
                break
        elif ch == b";" and depth == 1:
            found.append(at)
        at += 1
    return tuple(found)


def _skip_quoted(data: bytes, at: int) -> int:
    quote = data[at : at + 1]
    at += 1
    while at < len(data) and data[at : at + 1] != quote:
        at += 2 if data[at : at + 1] == b"\\" else 1
    return at + 1
