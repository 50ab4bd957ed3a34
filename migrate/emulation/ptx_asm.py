"""``asm`` statements as C++ blocks: operands in, translated instructions, operands out.

What cannot be translated ends the program where it would run (code CM5020), so that code which is
never reached does no harm.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from migrate.emulation.cuda_tokens import CLOSING, OPENING, Token, TokenKind
from migrate.emulation.ptx_emit import COMPUTING
from migrate.emulation.ptx_emit_threads import TOUCHING
from migrate.emulation.ptx_values import NAMESPACE, Names
from migrate.ir.ptx_text import (
    Declaration,
    Instruction,
    Label,
    PtxError,
    Statement,
    decode_literal,
    parse,
)

ASM_WORDS = frozenset({"asm", "__asm__", "__asm"})
ASM_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile"})
_CONSTRAINTS = frozenset("hrlfdn")
_PTX_ONLY = frozenset({"trap", "exit", "ret", "brkpt"})
_EMITTERS = {**COMPUTING, **TOUCHING}


@dataclass(frozen=True, slots=True)
class AsmOperand:
    """One operand of an asm statement: ``"=r"(expression)`` with its position and name."""

    constraint: str
    expression: str
    output: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class AsmBlock:
    """The C++ of an asm statement; ``refused`` names what could not be translated, if anything."""

    text: str
    refused: str = ""


def _sections(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parts between colons: template, outputs, inputs, clobbers."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        if depth == 0 and token.text in (":", "::"):
            sections += [[] for _ in token.text]
        else:
            sections[-1].append(token)
    return sections


def _template(tokens: Sequence[Token], macros: Mapping[str, str]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.kind is TokenKind.STRING:
            parts.append(decode_literal(token.text))
        elif token.text in macros:
            parts.append(macros[token.text])
        else:
            raise PtxError(f"a template made with {token.text}")
    return "".join(parts)


def _operands(tokens: Sequence[Token], source: str, output: bool) -> list[AsmOperand]:
    found: list[AsmOperand] = []
    at = 0
    while at < len(tokens):
        name = ""
        if tokens[at].text == "[" and at + 2 < len(tokens):
            name = tokens[at + 1].text
            at += 3
        if tokens[at].kind is not TokenKind.STRING or at + 1 >= len(tokens):
            raise PtxError(f"an asm operand that starts with {tokens[at].text}")
        constraint = decode_literal(tokens[at].text)
        depth = 0
        for end in range(at + 1, len(tokens)):
            depth += (tokens[end].text in OPENING) - (tokens[end].text in CLOSING)
            if depth == 0:
                break
        inner = source[tokens[at + 1].end : tokens[end].start]
        found.append(
            AsmOperand(constraint, " ".join(inner.replace("\\\n", " ").split()), output, name)
        )
        at = end + 2  # the comma too
    return found


def _spelled(name: str) -> str:
    return "cuda_emu_reg_" + re.sub(r"\W", "_", name)


def _names(operands: Sequence[AsmOperand], statements: Sequence[Statement]) -> Names:
    places: dict[str, str] = {}
    for number, operand in enumerate(operands):
        places[f"%{number}"] = f"cuda_emu_op{number}"
        if operand.name:
            places[f"%[{operand.name}]"] = f"cuda_emu_op{number}"
    registers = {
        name: _spelled(name)
        for statement in statements
        if isinstance(statement, Declaration)
        for name in statement.names
    }
    return Names(places, registers)


def _one(statement: Instruction, names: Names, labels: Mapping[str, str]) -> str:
    opcode = statement.parts[0]
    if opcode == "bra":
        label = labels.get(statement.operands[0].text)
        if label is None:
            raise PtxError(f"a branch to {statement.operands[0].text}")
        text = f"goto {label};"
    elif opcode in _EMITTERS:
        text = _EMITTERS[opcode](statement, names)
    else:
        raise PtxError("the instruction")
    if not statement.guard:
        return text
    found = names.registers.get(statement.guard) or names.operands.get(statement.guard)
    if found is None:
        raise PtxError(f"the guard {statement.guard}")
    return f"if ({found} {'==' if statement.guard_negated else '!='} 0) {{ {text} }}"


def _body(statements: Sequence[Statement], names: Names) -> str:
    labels = {s.name: f"cuda_emu_at_{_spelled(s.name)}" for s in statements if isinstance(s, Label)}
    # Labels of the block alone: a macro may put it several times into one function.
    lines = [f"__label__ {', '.join(labels.values())};"] if labels else []
    for statement in statements:
        match statement:
            case Label():
                lines.append(f"{labels[statement.name]}:;")
            case Instruction():
                try:
                    lines.append(_one(statement, names, labels))
                except (PtxError, IndexError, KeyError) as problem:
                    raise PtxError(f"{statement.opcode} ({problem})") from None
            case Declaration():
                pass
    return " ".join(lines)


def _constraint(operand: AsmOperand) -> str:
    letter = operand.constraint.lstrip("=+&")
    if letter not in _CONSTRAINTS:
        raise PtxError(f'the constraint "{operand.constraint}"')
    return letter


def _translate(template: str, operands: Sequence[AsmOperand]) -> str:
    statements = parse(template)
    names = _names(operands, statements)
    guarded = any(
        isinstance(s, Instruction) and (s.guard or s.parts[0] == "bra") for s in statements
    )
    before: list[str] = []
    after: list[str] = []
    for number, operand in enumerate(operands):
        letter = _constraint(operand)
        variable = f"cuda_emu_op{number}"
        if operand.output:
            before.append(f"auto &cuda_emu_out{number} = ({operand.expression});")
            read = "+" in operand.constraint or guarded
            start = f"{NAMESPACE}::operand<'{letter}'>(cuda_emu_out{number})" if read else "0"
            before.append(f"std::uint64_t {variable} = {start};")
            after.append(f"{NAMESPACE}::assign(cuda_emu_out{number}, {variable});")
        else:
            spelled = f"{NAMESPACE}::operand<'{letter}'>({operand.expression})"
            before.append(f"std::uint64_t {variable} = {spelled}; static_cast<void>({variable});")
    before += [
        f"std::uint64_t {register} = 0; static_cast<void>({register});"
        for register in dict.fromkeys(names.registers.values())
    ]
    # The block of the labels must not hold the declarations: a jump would cross them.
    return " ".join([*before, "{", _body(statements, names), "}", *after])


def _is_host(template: str, operands: Sequence[AsmOperand]) -> bool:
    """Assembly for the host: other constraints, or instructions without a type."""
    if any(operand.constraint.lstrip("=+&") not in _CONSTRAINTS for operand in operands):
        return True
    words = re.findall(r"[A-Za-z_][\w.]*", template)
    return bool(words) and words[0] not in _PTX_ONLY and not any("." in word for word in words)


def translate_asm(
    inner: Sequence[Token], source: str, macros: Mapping[str, str]
) -> AsmBlock | None:
    """C++ for an asm statement whose tokens between the parentheses are ``inner``.

    ``macros`` are macros that stand for one string. None for assembly of the host, which stays.
    """
    sections = _sections(inner)
    shown = " ".join(t.text.strip('"') for t in sections[0] if t.kind is TokenKind.STRING)
    try:
        template = _template(sections[0], macros)
        shown = " ".join(template.split())
        outputs = _operands(sections[1], source, True) if len(sections) > 1 else []
        inputs = _operands(sections[2], source, False) if len(sections) > 2 else []
        if _is_host(template, [*outputs, *inputs]):
            return None
        if not template.strip():
            return AsmBlock("do { } while (0)")
        return AsmBlock(f"do {{ {_translate(template, [*outputs, *inputs])} }} while (0)")
    except PtxError as problem:
        what = f"{problem}: {shown[:80]}"
        return AsmBlock(f"{NAMESPACE}::refuse({json.dumps(what)})", what)
