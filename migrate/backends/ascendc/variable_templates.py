"""Variable templates: one plain ``__gm__`` variable an instance, which host code reaches as before.

The IR has one variable for each instance, with a name of its own. The migrated file has that
variable too, and in place of the template a template of references: ``mask<float>`` of host code
names ``mask_f32``. So device variables need nothing of the device compiler but what all of them do.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.backends.ascendc.file_text import DevicePart
from migrate.backends.ascendc.soft_double import NAME
from migrate.backends.clike_dialect import TypeSpelling
from migrate.core.cpp_text import Token, closing, tokens
from migrate.ir.kernel import GlobalVar
from migrate.ir.program import Definition, DefinitionKind, Program, SourceUnit
from migrate.ir.types import Array, Type

_SPACES = frozenset({"__constant__", "__device__"})
_STORAGE = frozenset({"static", "inline", "const"})


def with_variable_templates(program: Program) -> Program:
    """The program with a definition for each variable template; its symbols are the instances."""
    return replace(program, units=tuple(_with_variable_templates(u) for u in program.units))


def _with_variable_templates(unit: SourceUnit) -> SourceUnit:
    texts = {str(f.path): f.text for f in unit.files}
    found: dict[tuple[str, int], Definition] = {}
    for g in unit.module.globals:
        head = _head(texts.get(g.span.file, b""), g.span.start, g.span.end)
        if head is None:
            continue
        parameter, name = head[0].text, head[1].text
        key = (g.span.file, g.span.start)
        symbols = (*found[key].symbols, g.name) if key in found else (g.name,)
        found[key] = Definition(
            DefinitionKind.VARIABLE, name, name, g.span, symbols, template_params=(parameter,)
        )
    if not found:
        return unit
    return replace(unit, definitions=(*unit.definitions, *found.values()))


def template_part(
    source: bytes, d: Definition, variables: tuple[GlobalVar, ...], soft_double: bool
) -> DevicePart:
    """The variables of a template's instances, and the template that host code names them by."""
    head = _head(source, d.span.start, d.span.end)
    assert head is not None, "a variable template was read before"
    parameter, name = head
    rows: list[str] = []
    names: list[str] = []
    spelling = TypeSpelling()
    for g in {g.name: g for g in variables if g.name in d.symbols}.values():
        written = spelling.type(_element(g.type))
        there = NAME if soft_double and written == "double" else written
        words = {parameter.text: there, name.text: g.name}
        rows.append(f"{_declaration(source, d, words).rstrip(';')};")
        names.append(f"template <>\ninline constexpr auto& {name.text}<{written}> = {g.name};")
    primary = f"template <typename {parameter.text}>\ninline constexpr char {name.text} = 0;"
    note = f"// Host code names the instances of {name.text} as before."
    text = "\n".join((*rows, note, primary, *names))
    if source[d.span.end : d.span.end + 1] == b";":
        text = text.removesuffix(";")
    return DevicePart(d.span.start, d.span.end, text)


def _declaration(source: bytes, d: Definition, words: dict[str, str]) -> str:
    """The template's own declaration behind its head, with words replaced."""
    found = tokens(source, d.span.start, d.span.end)
    begin = next(t.start for t, before in zip(found[1:], found, strict=False) if before.text == ">")
    out, at, placed = "", begin, False
    for t in found:
        if t.start < begin or t.kind != "word":
            continue
        text = words.get(t.text)
        if t.text in _SPACES:
            text = "" if placed else "__gm__"
            placed = True
        if text is None:
            continue
        out += source[at : t.start].decode("latin-1") + text
        at = t.end
        if not text:
            while source[at : at + 1] in (b" ", b"\t"):
                at += 1
    return out + source[at : d.span.end].decode("latin-1")


def _element(t: Type) -> Type:
    while isinstance(t, Array):
        t = t.element
    return t


def _head(source: bytes, start: int, end: int) -> tuple[Token, Token] | None:
    """The parameter's and the variable's name in ``template <class T> T v[4]``.

    Nothing for a variable that is no template, or whose type is not its only parameter.
    """
    found = tokens(source, start, end)
    if [t.text for t in found[:2]] != ["template", "<"] or len(found) < 5:
        return None
    if found[2].text not in ("typename", "class") or found[4].text != ">":
        return None
    parameter, rest = found[3], _plain(found[5:])
    if len(rest) < 2 or rest[0].text != parameter.text or rest[1].kind != "word":
        return None
    return parameter, rest[1]


def _plain(found: tuple[Token, ...]) -> tuple[Token, ...]:
    """Tokens without qualifiers, attributes and storage words."""
    out: list[Token] = []
    i = 0
    while i < len(found):
        word = found[i].text
        if word in ("__align__", "alignas") and i + 1 < len(found):
            end = closing(found, i + 1)
            i = len(found) if end is None else end + 1
            continue
        if word not in _SPACES and word not in _STORAGE:
            out.append(found[i])
        i += 1
    return tuple(out)
