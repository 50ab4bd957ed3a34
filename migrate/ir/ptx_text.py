"""Inline PTX as data: the statements of an ``asm`` template, and their operands.

Grammar: PTX ISA, "Syntax" and "Instructions", as far as inline assembly uses it. Template operands
(``%0``, ``%[name]``) stay as they are written; ``%%`` stands for one ``%``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class PtxError(Exception):
    """A template that cannot be read; the text says what was found."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A name, number or template operand; a ``{...}`` list; or a ``[...]`` address."""

    text: str
    items: tuple[Operand, ...] = ()
    kind: str = "plain"  # "plain", "vector" or "address"
    offset: str = ""  # what an address adds to its first item
    negated: bool = False  # `!p`


@dataclass(frozen=True, slots=True)
class Instruction:
    """``@guard opcode operands``: ``parts`` are the words of the opcode, split at dots."""

    parts: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: str = ""
    guard_negated: bool = False

    @property
    def opcode(self) -> str:
        """The opcode as it was written."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class Declaration:
    """``.reg .type names``."""

    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """A place to branch to."""

    name: str


Statement = Instruction | Declaration | Label

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GUARD = re.compile(r"@\s*(!?)\s*([%\w$\[\]]+)\s+")
_LABEL = re.compile(r"\s*([A-Za-z_$][\w$%]*)\s*:(?!:)")
_REGISTERS = re.compile(r"([%\w$]+)<(\d+)>$")
_ADDRESS = re.compile(r"(.+?)\s*([+-]\s*[\w$%]+)?$", re.DOTALL)


def decode_literal(literal: str) -> str:
    """The text of a C++ string literal, quotes included in the argument."""
    if literal.startswith('"'):
        body = literal[1:-1]
        escapes = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\r"}
        return re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[0]), body, flags=re.DOTALL)
    raw = re.fullmatch(r'R"([^()\\\s]{0,16})\((.*)\)\1"', literal, re.DOTALL)
    if raw is None:
        raise PtxError(f"a string of an unknown kind: {literal[:20]}")
    return raw[2]


def _split(text: str) -> list[str]:
    """Parts between the commas that stand outside brackets."""
    parts: list[str] = []
    depth = 0
    current = ""
    for character in text:
        if character in "[{(":
            depth += 1
        elif character in ")}]":
            depth -= 1
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if current.strip() or parts:
        parts.append(current.strip())
    return parts


def parse_operand(text: str) -> Operand:
    """One operand of an instruction. Raises ``PtxError``."""
    text = text.strip()
    if text.startswith("{") and text.endswith("}"):
        return Operand(text, tuple(parse_operand(part) for part in _split(text[1:-1])), "vector")
    if text.startswith("[") and text.endswith("]"):
        parts = _split(text[1:-1])
        if len(parts) != 1:
            raise PtxError(f"an address with coordinates: {text}")
        match = _ADDRESS.match(parts[0].strip())
        if match is None:
            raise PtxError(f"an address that cannot be read: {text}")
        offset = (match[2] or "").replace(" ", "")
        return Operand(text, (parse_operand(match[1]),), "address", offset)
    if text.startswith("!"):
        return Operand(text[1:].strip(), negated=True)
    if not re.fullmatch(r"[-+]?[%\w$.]+|%\[\w+\]", text):
        raise PtxError(f"an operand that cannot be read: {text}")
    return Operand(text)


def _declaration(text: str) -> Declaration:
    words = text.split(None, 1)
    rest = words[1].strip() if len(words) == 2 else ""
    match = re.match(r"((?:\.\w+\s+)+)(.*)$", rest, re.DOTALL)
    if words[0] != ".reg" or match is None:
        raise PtxError(f"a directive other than .reg: {text[:40]}")
    names: list[str] = []
    for name in _split(match[2]):
        many = _REGISTERS.match(name)
        names += [f"{many[1]}{i}" for i in range(int(many[2]))] if many else [name]
    return Declaration(match[1].split()[-1].lstrip("."), tuple(names))


def _instruction(text: str) -> Instruction:
    guard = _GUARD.match(text)
    rest = text[guard.end() :] if guard else text
    words = rest.split(None, 1)
    parts = tuple(words[0].split("."))
    if not re.fullmatch(r"[a-z][\w:]*", parts[0]):
        raise PtxError(f"an instruction that cannot be read: {text[:40]}")
    arguments = words[1] if len(words) == 2 else ""
    # `shfl.sync d|p, ...`: two destinations.
    operands = tuple(
        parse_operand(half) for part in _split(arguments) for half in part.split("|") if half
    )
    if guard:
        return Instruction(parts, operands, guard[2], guard[1] == "!")
    return Instruction(parts, operands)


def _pieces(text: str) -> list[str]:
    """Statements in order. Braces of blocks go: names are unique within a template."""
    pieces: list[str] = []
    current = ""
    depth = 0
    for character in text:
        if character == "{" and not current.strip():
            continue
        if character == "}" and depth == 0:
            if current.strip():
                raise PtxError(f"a statement without an end: {current.strip()[:40]}")
            continue
        depth += (character in "{[") - (character in "}]")
        if character == ";" and depth == 0:
            pieces.append(current.strip())
            current = ""
            continue
        current += character
        label = _LABEL.match(current)
        if label and character == ":" and depth == 0:
            pieces.append(f"{label[1]}:")
            current = ""
    if current.strip():
        pieces.append(current.strip())
    return [piece for piece in pieces if piece]


def parse(template: str) -> tuple[Statement, ...]:
    """The statements of a template, as the compiler would pass it on. Raises ``PtxError``."""
    text = _COMMENT.sub(" ", template).replace("%%", "%")
    statements: list[Statement] = []
    for piece in _pieces(text):
        if piece.endswith(":") and _LABEL.match(piece):
            statements.append(Label(piece[:-1].strip()))
        elif piece.startswith("."):
            statements.append(_declaration(piece))
        else:
            statements.append(_instruction(piece))
    return tuple(statements)


_VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset")
_SOFT = frozenset(
    {
        "abs", "activemask", "add", "addc", "and", "applypriority", "atom", "bar", "barrier",
        "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "clz", "cnot", "copysign", "cos",
        "cp", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a", "dp4a", "ex2", "fence",
        "fma", "fns", "isspacep", "ld", "ldu", "lg2", "lop3", "mad", "mad24", "madc", "match",
        "max", "membar", "min", "mov", "mul", "mul24", "nanosleep", "neg", "not", "or", "pmevent",
        "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem", "rsqrt", "sad",
        "selp", "set", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "st", "sub",
        "subc", "szext", "tanh", "testp", "trap", "vote", "xor", "vshl", "vshr", "vmad",
        "vavrg2", "vavrg4", *(name + width for name in _VIDEO for width in ("", "2", "4")),
    }
)  # fmt: skip
_HARD_WORDS = frozenset({"bulk", "mbarrier", "reduce", "cluster", "proxy", "async", "arrive"})


def hard_instruction(statements: tuple[Statement, ...]) -> str | None:
    """The first opcode that is more than arithmetic, memory and warp operations of one thread.

    Matrix, tensor, cluster and bulk instructions act on what the statement alone does not show
    (fragments, descriptors, barriers in memory), and jumps out of the text leave it.
    """
    for s in statements:
        if isinstance(s, Instruction):
            words = {part.split("::")[0] for part in s.parts[1:]}
            if s.parts[:2] == ("cp", "async"):
                words.discard("async")
            if s.parts[0] not in _SOFT or words & _HARD_WORDS:
                return s.opcode
    return None
