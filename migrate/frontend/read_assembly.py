"""``asm`` statements: their PTX is kept as text, with the operands as places and values.

Grammar: GCC's extended assembly with the constraints of "Inline PTX Assembly in CUDA".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor
from migrate.frontend.read_switches import SwitchReader
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.ir.ptx_text import PtxError, decode_literal, hard_instruction, parse
from migrate.ir.simt import Asm
from migrate.ir.types import Pointer, Scalar

_WORDS = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile"})
_OPENING, _CLOSING = "([{", ")]}"
_CONSTRAINT = re.compile(r"[=+]?&?[hrlfdn]")
_NAMED = re.compile(r"%\[(\w+)\]")


@dataclass(frozen=True, slots=True)
class _Written:
    """An ``asm`` statement without its operands' expressions."""

    template: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]


class AssemblyReader(SwitchReader):
    """Reads inline PTX."""

    def assembly(self, c: Cursor) -> None:
        """Emit an ``asm`` statement. Raises ``Refused`` with CM1107."""
        try:
            written = _written(c.tokens)
            hard = hard_instruction(parse(written.template))
        except PtxError as problem:
            raise Refused(reading.INLINE_ASSEMBLY, str(problem), c) from None
        if hard is not None:
            raise Refused(reading.INLINE_ASSEMBLY, f"instruction {hard}", c)
        operands = c.expressions
        count = len(written.outputs)
        if len(operands) != count + len(written.inputs):
            raise Refused(reading.INLINE_ASSEMBLY, "operands that cannot be told apart", c)
        if not written.template.strip():
            return  # a barrier for the compiler only
        inputs = tuple(self.values(operands[count:]))
        try:
            outputs = tuple(self.place(o) for o in operands[:count])
        except NotAPlace:
            raise Refused(reading.INLINE_ASSEMBLY, "an output that is no place", c) from None
        for kind in (*(p.type for p in outputs), *(e.type for e in inputs)):
            if not isinstance(kind, Scalar | Pointer):
                raise Refused(reading.INLINE_ASSEMBLY, f"an operand of type {kind}", c)
        kinds = (*written.outputs, *written.inputs)
        self.emit(Asm(written.template, outputs, inputs, kinds, span=self.span_of(c)))


def _written(tokens: tuple[str, ...]) -> _Written:
    """The template, operands by number, and the constraints. Raises ``PtxError``."""
    at = 1
    while at < len(tokens) and tokens[at] in _QUALIFIERS:
        at += 1
    if not tokens or tokens[0] not in _WORDS or tokens[at : at + 1] != ("(",):
        raise PtxError("assembly that a macro puts together")
    sections = _sections(tokens[at + 1 :])
    template = "".join(_literal(t) for t in sections[0])
    operands = [_constraints(s) for s in (*sections[1:3], (), ())[:2]]
    names = [name for section in operands for name, _ in section]
    kinds = [tuple(kind for _, kind in section) for section in operands]

    def numbered(found: re.Match[str]) -> str:
        if found[1] not in names:
            raise PtxError(f"the operand {found[0]}")
        return f"%{names.index(found[1])}"

    return _Written(_NAMED.sub(numbered, template), kinds[0], kinds[1])


def _sections(tokens: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The parts between the colons, up to the closing parenthesis."""
    sections: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        if depth == 0 and token == ")":
            return [tuple(s) for s in sections]
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0 and token in (":", "::"):
            sections += [[] for _ in token]
        else:
            sections[-1].append(token)
    raise PtxError("assembly that a macro puts together")


def _literal(token: str) -> str:
    if not token.endswith('"'):
        raise PtxError(f"a template made with {token}")
    return decode_literal(token)


def _constraints(section: tuple[str, ...]) -> list[tuple[str, str]]:
    """Name (may be empty) and constraint of each operand."""
    found: list[tuple[str, str]] = []
    name = ""
    depth = 0
    for at, token in enumerate(section):
        if depth == 0 and token == "[":
            name = section[at + 1]
        elif depth == 0 and token.endswith('"'):
            constraint = decode_literal(token)
            if not _CONSTRAINT.fullmatch(constraint):
                raise PtxError(f'the constraint "{constraint}"')
            found.append((name, constraint))
            name = ""
        depth += (token in _OPENING) - (token in _CLOSING)
    return found
