"""Where the definitions of one source file lie: outermost ones, and structs in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from migrate.core.cpp_text import tokens
from migrate.ir.program import Definition, DefinitionKind, SourceFile, SourceUnit


@dataclass(frozen=True)
class SourceLayout:
    """The definitions of a file that device code was made from, over all units that include it."""

    file: SourceFile
    units: tuple[SourceUnit, ...]

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Definitions in this file, those inside another one of the same name left out."""
        key = str(self.file.path)
        merged: dict[tuple[int, int], Definition] = {}
        for unit in self.units:
            for d in unit.definitions:
                if d.span.file != key or d.kind is DefinitionKind.STRUCT:
                    continue
                known = merged.get((d.span.start, d.span.end))
                if known is None:
                    merged[d.span.start, d.span.end] = d
                else:
                    both = tuple(dict.fromkeys((*known.symbols, *d.symbols)))
                    merged[d.span.start, d.span.end] = replace(known, symbols=both)
        items = sorted(merged.values(), key=lambda d: (d.span.start, -d.span.end))
        out: list[Definition] = []
        for d in items:
            if not out or d.span.start >= out[-1].span.end:
                out.append(d)
        return tuple(out)

    @cached_property
    def device_ranges(self) -> tuple[tuple[int, int], ...]:
        """Byte ranges that are no host code."""
        return tuple(
            (d.span.start, d.span.end)
            for d in self.definitions
            if not (d.host_too and d.kind is DefinitionKind.FUNCTION)
        )

    @cached_property
    def structs(self) -> tuple[Definition, ...]:
        """Struct definitions of this file, outermost only."""
        key = str(self.file.path)
        found = {
            (d.span.start, d.span.end): d
            for u in self.units
            for d in u.definitions
            if d.span.file == key and d.kind is DefinitionKind.STRUCT
        }
        out: list[Definition] = []
        for _, d in sorted(found.items(), key=lambda x: (x[0][0], -x[0][1])):
            if not out or d.span.start >= out[-1].span.end:
                out.append(d)
        return tuple(out)

    def struct_around(self, d: Definition) -> Definition | None:
        """The outermost struct in whose braces a definition stands."""
        for s in self.structs:
            if s.span.start <= d.span.start and d.span.end <= s.span.end:
                return s
        return None

    def struct_groups(self) -> tuple[tuple[Definition, ...], ...]:
        """Structs with no kernel or device function of their own between them.

        Their mirrors and methods stand behind the last one, where all of them are complete.
        """
        groups: list[list[Definition]] = []
        free = [
            d.span.start
            for d in self.definitions
            if d.kind is not DefinitionKind.VARIABLE and self.struct_around(d) is None
        ]
        last = 0
        for struct in self.structs:
            apart = any(last <= at < struct.span.start for at in free)
            if apart or not groups:
                groups.append([])
            groups[-1].append(struct)
            last = struct.span.end
        return tuple(tuple(g) for g in groups)

    def owner(self, name: str) -> Definition | None:
        """The outermost struct around the definition that a struct of the IR was made from.

        Several definitions can fit (a template and its specialisations); the longest name decides.
        """
        key = str(self.file.path)
        found = [
            d
            for u in self.units
            for d in u.definitions
            if d.kind is DefinitionKind.STRUCT and d.span.file == key and name in d.symbols
        ]
        best = max(found, key=lambda d: (len(d.name), d.span.start), default=None)
        return None if best is None else self.struct_around(best)

    def statement_end(self, at: int) -> int:
        """Behind the semicolon that ends a declaration."""
        source = self.file.text
        written = source[:at].rstrip()
        if written.endswith(b";"):
            return at
        found = tokens(source, at, min(at + 400, len(source)))
        if not written.endswith(b"}"):  # a macro wrote the struct, most often with its semicolon
            found = found[:1]
        semicolon = next((t for t in found if t.text == ";"), None)
        return at if semicolon is None else semicolon.end
