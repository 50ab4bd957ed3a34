"""Instances of templates that must stand further down than their template.

A header's kernel template can be launched with a functor that the including file defines. In C++
the instance comes to life where all of that is known; its migrated form is plain code, so it stands
behind the last struct that it needs. Legal because nothing between the two places can use it: a
call of the launch function depends on the same struct.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from migrate.analysis.reach import reached_functions
from migrate.backends.ascendc.host_scan import include_lines
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.program import Definition, DefinitionKind, SourceUnit
from migrate.ir.types import Array, Pointer, Struct, Type


@dataclass(frozen=True, slots=True)
class Place:
    """Where a definition begins: the file's path, and the byte in it."""

    file: str
    start: int


def late_instances(units: tuple[SourceUnit, ...]) -> Mapping[str, Place]:
    """By symbol, the struct behind which an instance of a kernel or device function must stand."""
    found: dict[str, Place] = {}
    for unit in units:
        sees = _includes(unit)
        structs = {
            s: Place(d.span.file, d.span.start)
            for d in unit.definitions
            if d.kind is DefinitionKind.STRUCT
            for s in d.symbols
        }
        templates = {
            s: d for d in unit.definitions if d.template_params and not d.prototype
            for s in d.symbols
        }  # fmt: skip
        items: tuple[Kernel | Function, ...] = (*unit.module.kernels, *unit.module.functions)
        for item in items:
            d = templates.get(item.symbol)
            if d is None or d.kind is DefinitionKind.STRUCT or _in_struct(d, unit):
                continue
            here = Place(d.span.file, d.span.start)
            needed = [structs[n] for n in _struct_names(item, unit.module) if n in structs]
            late = [p for p in needed if _comes_later(p, here, sees)]
            if late:
                last = late[0]
                for p in late[1:]:
                    last = p if _comes_later(p, last, sees) else last
                found[item.symbol] = last
    return found


def _in_struct(d: Definition, unit: SourceUnit) -> bool:
    return any(
        s.kind is DefinitionKind.STRUCT
        and s.span.file == d.span.file
        and s.span.start <= d.span.start
        and d.span.end <= s.span.end
        for s in unit.definitions
    )


def _struct_names(item: Kernel | Function, module: Module) -> frozenset[str]:
    """Structs that an instance and the device functions below it are given."""
    params = [p for f in (item, *reached_functions(item.body, module)) for p in f.params]
    return frozenset(n for p in params for n in _named(p.type))


def _named(t: Type) -> tuple[str, ...]:
    while isinstance(t, Pointer | Array):
        t = t.pointee if isinstance(t, Pointer) else t.element
    return (t.name,) if isinstance(t, Struct) else ()


def _comes_later(p: Place, here: Place, sees: Mapping[str, frozenset[str]]) -> bool:
    if p.file == here.file:
        return p.start > here.start
    return here.file in sees.get(p.file, frozenset())


def _includes(unit: SourceUnit) -> Mapping[str, frozenset[str]]:
    """Which of its own files each file of a unit includes, directly and through others."""
    by_name = {f.path.name: str(f.path) for f in unit.files}
    direct = {
        str(f.path): {
            by_name[name]
            for i in include_lines(f.text)
            if (name := i.name.rpartition("/")[2]) in by_name
        }
        for f in unit.files
    }
    found: dict[str, frozenset[str]] = {}
    for file in direct:
        seen: set[str] = set()
        todo = [file]
        while todo:
            new = direct[todo.pop()] - seen
            seen |= new
            todo += new
        found[file] = frozenset(seen)
    return found
