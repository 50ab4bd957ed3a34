"""Structs of device code: which the source's own definition serves, and which get a plain mirror.

A struct with constructors, methods, access rules, bases or template parameters is code for the
host compiler; the device functions made from its methods take a pointer to a mirror with the same
layout and nothing but data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from migrate.backends.ascendc.soft_double import NAME, structs_with_doubles, vector_name
from migrate.backends.clike_dialect import TypeSpelling
from migrate.core.cpp_text import closing, tokens
from migrate.core.span import span_of
from migrate.ir.kernel import StructDef
from migrate.ir.program import Definition, DefinitionKind, Program, SourceUnit
from migrate.ir.types import Array, Kind, Pointer, Scalar, Struct, Type, Vector

_ATTRIBUTES = frozenset({"alignas", "__align__", "__attribute__", "declspec"})
_CODE = frozenset({"private", "protected", "class", "operator", "virtual", "template", "using"})


def is_plain(text: bytes, d: Definition) -> bool:
    """True when a struct definition holds data and nothing else."""
    if d.template_head or d.template_params:
        return False
    found = tokens(text, d.span.start, d.span.end)
    for i, t in enumerate(found):
        if t.kind == "word" and t.text in _CODE:
            return False
        if t.text == "(" and (i == 0 or found[i - 1].text not in (*_ATTRIBUTES, "(")):
            return False
        if t.text == "{":
            head = found[:i]
            if any(x.text == ":" for x in head):
                return False
    return True


def with_struct_definitions(program: Program) -> Program:
    """The program with a definition for each struct that only has methods in device code.

    No value of such a struct exists there, so the front end lists its methods and not the struct.
    """
    return replace(program, units=tuple(_with_struct_definitions(u) for u in program.units))


def _with_struct_definitions(unit: SourceUnit) -> SourceUnit:
    texts = {str(f.path): f.text for f in unit.files}
    known = [d.span for d in unit.definitions if d.kind is DefinitionKind.STRUCT]
    found: dict[tuple[str, int], Definition] = {}
    for d in unit.definitions:
        file = d.span.file
        if d.kind is not DefinitionKind.FUNCTION or "::" not in d.qualified or file not in texts:
            continue
        if any(s.file == file and s.start <= d.span.start < s.end for s in known):
            continue
        around = _struct_text(texts[file], d.span.start)
        if around is not None:
            start, end, name = around
            span = span_of(file, texts[file], start, end)
            found[file, start] = Definition(DefinitionKind.STRUCT, name, name, span, (), None)
    if not found:
        return unit
    return replace(unit, definitions=(*unit.definitions, *found.values()))


def _struct_text(source: bytes, at: int) -> tuple[int, int, str] | None:
    """Range and name of the outermost struct whose braces are around a place."""
    found = [t for t in tokens(source) if t.kind != "directive"]
    begin = 0
    i = 0
    while i < len(found) and found[i].start <= at:
        text = found[i].text if found[i].kind == "mark" else ""
        if text in (";", "}"):
            begin = i + 1
        elif text == "{":
            end = closing(tuple(found), i)
            if end is None:
                return None
            name = _struct_name([t.text for t in found[begin:i]])
            if name and found[end].end > at:
                return found[begin].start, found[end].end, name
            # Namespaces are looked into, other blocks passed over.
            i, begin = (i, i + 1) if found[end].end > at else (end, end + 1)
        i += 1
    return None


def _struct_name(head: list[str]) -> str:
    """The struct that the words before a brace declare, or nothing."""
    while head[:2] == ["template", "<"]:
        depth = 0
        for k, word in enumerate(head[1:], 1):
            depth += (word == "<") - (word == ">")
            if depth == 0:
                head = head[k + 1 :]
                break
        else:
            return ""
    if not head or head[0] not in ("struct", "class"):
        return ""
    return next((w for w in head[1:] if w.isidentifier() and w not in _ATTRIBUTES), "")


def mirror_names(units: tuple[SourceUnit, ...], soft: bool = False) -> dict[str, str]:
    """IR struct names that need a mirror, with the mirror's name.

    With ``soft``, device code has no built-in double, so structs with one need a mirror too.
    """
    plain: set[str] = set()
    for unit in units:
        texts = {str(f.path): f.text for f in unit.files}
        for d in unit.definitions:
            if d.kind is DefinitionKind.STRUCT and d.span.file in texts:
                if is_plain(texts[d.span.file], d) and "::" not in d.qualified:
                    plain.add(d.name)
    structs = [s for u in units for s in u.module.structs]
    # Members without a name have one in the IR alone.
    unnamed = {s.name for s in structs if any(f.name.startswith("unnamed") for f in s.fields)}
    plain -= unnamed
    if soft:
        plain -= structs_with_doubles(tuple(structs))
    return {s.name: f"{s.name}_device" for s in structs if s.name not in plain}


class _Mirrored(TypeSpelling):
    def __init__(self, names: Mapping[str, str], soft: bool) -> None:
        self.names, self.soft = names, soft

    def scalar(self, kind: Scalar) -> str:
        return NAME if self.soft and kind.kind is Kind.F64 else super().scalar(kind)

    def type(self, t: Type) -> str:
        if isinstance(t, Struct):
            return self.names.get(t.name, t.name)
        if self.soft and isinstance(t, Vector) and t.element.kind is Kind.F64:
            return vector_name(t)
        return super().type(t)


def mirror_text(s: StructDef, names: Mapping[str, str], soft: bool = False) -> str:
    """A plain struct of the same layout; padding that the members do not explain is spelled out.

    With ``soft`` its doubles are those of :mod:`migrate.backends.ascendc.soft_double`.
    """
    spelling = _Mirrored(names, soft)
    rows: list[str] = []
    for f in s.fields:
        rows.append(f"    {spelling.declare(f.type, f.name)};")
    word = "union" if s.union else "struct"
    align = f"alignas({s.align}) " if s.align > 1 else ""
    body = "\n".join(rows) or "    char empty;"
    name = names.get(s.name, s.name)
    check = f'static_assert(sizeof({name}) == {s.size}, "layout of {s.name}");'
    return f"// The data of {s.name}.\n{word} {align}{name} {{\n{body}\n}};\n{check}\n"


def struct_uses(t: Type) -> tuple[str, ...]:
    """Struct names inside a type, those behind pointers left out."""
    match t:
        case Struct(name):
            return (name,)
        case Array(element):
            return struct_uses(element)
        case Pointer():
            return ()
        case _:
            return ()


def _pointed_to(t: Type) -> Type:
    """What is left of a type without its pointers and arrays."""
    while True:
        match t:
            case Pointer(pointee):
                t = pointee
            case Array(element):
                t = element
            case _:
                return t


def in_order(structs: tuple[StructDef, ...]) -> tuple[StructDef, ...]:
    """Structs after those that their members hold by value."""
    known = {s.name: s for s in structs}
    out: list[StructDef] = []

    def add(s: StructDef) -> None:
        if s in out:
            return
        for f in s.fields:
            for name in struct_uses(f.type):
                if name in known and name != s.name:
                    add(known[name])
        out.append(s)

    for s in structs:
        add(s)
    return tuple(out)


def homeless_mirrors(
    units: tuple[SourceUnit, ...], mirrors: Mapping[str, str], text: str, soft: bool = False
) -> tuple[dict[str, str], dict[str, str]]:
    """Mirrors that a text uses of structs whose definition the front end does not place.

    By the mirror's name: those that can stand anywhere, and those that are made of structs of the
    source's, behind whose mirrors they have to stand.
    """
    words = set(re.findall(r"\w+", text))
    placed = {
        name
        for u in units
        for d in u.definitions
        if d.kind is DefinitionKind.STRUCT
        for name in d.symbols
    }
    known = {
        s.name: s
        for u in units
        for s in u.module.structs
        if s.name in mirrors and s.name not in placed
    }
    wanted: dict[str, StructDef] = {}
    late: set[str] = set()
    todo = [s for s in known.values() if mirrors[s.name] in words]
    while todo:
        s = todo.pop()
        wanted[s.name] = s
        inner = {n for f in s.fields for n in struct_uses(f.type)}
        todo += [known[n] for n in inner if n in known and n not in wanted]
    ordered = in_order(tuple(s for name, s in known.items() if name in wanted))
    for s in ordered:
        mentioned = {n for f in s.fields for n in struct_uses(_pointed_to(f.type))}
        if mentioned & (placed | late):
            late.add(s.name)
    texts = {s.name: mirror_text(s, mirrors, soft) for s in ordered}
    return (
        {mirrors[n]: t for n, t in texts.items() if n not in late},
        {mirrors[n]: t for n, t in texts.items() if n in late},
    )
