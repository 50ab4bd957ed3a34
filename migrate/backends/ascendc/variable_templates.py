"""Variable templates: device code names their instances as host code does, ``mask<float>``.

The IR has one variable for each instance, with a name of its own; what the instances come from is
at their place in the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from migrate.backends.ascendc.clashes import renamed_in
from migrate.backends.clike_dialect import TypeSpelling
from migrate.core.cpp_text import Token, closing, tokens
from migrate.ir.kernel import GlobalVar, Module
from migrate.ir.lifted import Lifted
from migrate.ir.program import Definition, DefinitionKind, Program, SourceUnit
from migrate.ir.types import Array

LiftedUnits = Mapping[str, tuple[Lifted, ...]]


def with_variable_templates(program: Program, lifted: LiftedUnits) -> tuple[Program, LiftedUnits]:
    """The program with a definition for each variable template and its instances named by it."""
    units: list[SourceUnit] = []
    found = dict(lifted)
    for unit in program.units:
        texts = {str(f.path): f.text for f in unit.files}
        names: dict[str, str] = {}
        places: dict[tuple[str, int], Definition] = {}
        for g in unit.module.globals:
            instance = _instance(texts.get(g.span.file, b""), g)
            if instance is None:
                continue
            template, names[g.name] = instance
            key = (g.span.file, g.span.start)
            kind = DefinitionKind.VARIABLE
            places[key] = Definition(kind, template, template, g.span, (g.name,))
        if names:
            module = _renamed(unit.module, names)
            definitions = (*unit.definitions, *places.values())
            path = unit.main.relative.as_posix()
            found[path] = tuple(
                replace(
                    k,
                    body=renamed_in(k.body, names),
                    tile=renamed_in(k.tile, names),
                    lanes=renamed_in(k.lanes, names),
                    module=_renamed(k.module, names),
                )
                for k in lifted.get(path, ())
            )
            unit = replace(unit, module=module, definitions=definitions)  # noqa: PLW2901
        units.append(unit)
    return replace(program, units=tuple(units)), found


def _renamed(module: Module, names: Mapping[str, str]) -> Module:
    made = renamed_in(module, names)
    variables = tuple(replace(g, name=names.get(g.name, g.name)) for g in made.globals)
    return replace(made, globals=variables)


def _instance(source: bytes, g: GlobalVar) -> tuple[str, str] | None:
    """The template's name and the instance's template-id, for ``template <class T> T v[4]``.

    Nothing for a variable that is no template, or whose type is not its only parameter.
    """
    found = tokens(source, g.span.start, g.span.end)
    if [t.text for t in found[:2]] != ["template", "<"] or len(found) < 5:
        return None
    if found[2].text not in ("typename", "class") or found[4].text != ">":
        return None
    parameter, rest = found[3].text, _plain(found[5:])
    if len(rest) < 2 or rest[0].text != parameter or rest[1].kind != "word":
        return None
    element = g.type
    while isinstance(element, Array):
        element = element.element
    return rest[1].text, f"{rest[1].text}<{TypeSpelling().type(element)}>"


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
        if word not in ("__constant__", "__device__", "static", "inline", "const"):
            out.append(found[i])
        i += 1
    return tuple(out)
