"""What replaces device functions, structs and device variables of one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from migrate.analysis.doubles import holds_double, narrow_doubles
from migrate.analysis.reach import called_functions, reached_functions
from migrate.backends.ascendc import simt, soft_double
from migrate.backends.ascendc.file_text import DevicePart, PlacedPiece
from migrate.backends.ascendc.host_functions import host_only, removed
from migrate.backends.ascendc.late_instances import Place, late_instances
from migrate.backends.ascendc.launch_facts import is_integer, largest_block, may_launch
from migrate.backends.ascendc.library_functions import (
    files_that_need,
    guarded,
    homeless_functions,
)
from migrate.backends.ascendc.names import Names
from migrate.backends.ascendc.part_records import KernelSource
from migrate.backends.ascendc.simt import (
    FunctionText,
    SimtContext,
)
from migrate.backends.ascendc.source_layout import SourceLayout
from migrate.backends.ascendc.structs import (
    homeless_mirrors,
    in_order,
    mirror_names,
    mirror_text,
)
from migrate.backends.ascendc.variable_templates import template_part
from migrate.backends.ascendc.variables import library_variables, variable_parts
from migrate.backends.ascendc.vector_types import helpers_for
from migrate.backends.clike_dialect import Unprintable
from migrate.core.diagnostics import Diagnostic, Sink
from migrate.core.targets import Target
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.program import Definition, DefinitionKind, SourceFile, SourceUnit
from migrate.ir.simt import Stmt
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form


@dataclass(slots=True)
class DeviceDefinitions(ABC):
    """Functions, structs and variables of one file for the device; a subclass adds the kernels."""

    file: SourceFile
    units: tuple[SourceUnit, ...]
    program: tuple[SourceUnit, ...]
    kernels: tuple[KernelSource, ...]
    names: Names
    target: Target
    catalogue: Catalogue
    sink: Sink
    mirrors: Mapping[str, str] = field(default_factory=dict)
    soft_double: bool = False
    _includes: list[str] = field(default_factory=list)
    _prelude: list[str] = field(default_factory=list)
    _functions: dict[str, FunctionText | Diagnostic] = field(default_factory=dict)
    _homeless: frozenset[str] = field(init=False)
    _needs: Mapping[str, frozenset[str]] = field(init=False)
    _late: Mapping[str, Place] = field(init=False)
    layout: SourceLayout = field(init=False)
    _placed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        mirrored = mirror_names(self.program, self.soft_double)
        self._homeless = homeless_functions(self.program, mirrored)
        self._needs = files_that_need(self.program, self._homeless)
        self._late = late_instances(self.program)
        self.layout = SourceLayout(self.file, self.units)

    @abstractmethod
    def kernel_behind(
        self, d: Definition, group: tuple[Definition, ...], above: int
    ) -> tuple[str, tuple[PlacedPiece, ...]]:
        """Instances of a kernel template that stand behind structs, ``above`` lines below."""

    # --- variables and what a text needs ----------------------------------------------------

    def _variable_parts(self, d: Definition) -> list[DevicePart]:
        if d.template_params:
            variables = tuple(g for u in self.units for g in u.module.globals)
            made = [template_part(self.file.text, d, variables, self.soft_double)]
        else:
            made = variable_parts(self.file.text, d, self.soft_double)
        if any(soft_double.NAME in p.text for p in made):
            self._need((soft_double.HEADER,), ())
        return made

    def _need(self, includes: tuple[str, ...], prelude: tuple[str, ...]) -> None:
        self._includes += [n for n in includes if n not in self._includes]
        self._prelude += [t for t in prelude if t not in self._prelude]

    def _vectors(self, text: str) -> None:
        early, _ = homeless_mirrors(self.units, self.mirrors, text, self.soft_double)
        self._need((), (*early.values(), *library_variables(self.units, text)))
        includes, helpers = helpers_for(self.target, text)
        # Types come first: other helpers are written in terms of them.
        new = [h.text for h in helpers if h.text not in self._prelude]
        self._prelude[:0] = new
        self._need(includes, ())

    def _launch_types(self) -> None:
        """Launch functions of a chip without ``dim3`` need the type that stands for it."""
        rule = self.catalogue.host("dim3")
        spelling = None if rule is None else rule.spelling(self.target.value, Form.NAME)
        if spelling is not None:
            self._need((), tuple(p.text for p in spelling.prelude))

    def _context(self, kernel: Kernel, unit: SourceUnit) -> SimtContext:
        launches = [s for u in self.program for s in u.launches]
        sites = [s for s in launches if may_launch(s, kernel)]
        flat = bool(sites) and all(is_integer(s.grid.type) for s in sites)
        return SimtContext(
            self.catalogue,
            self.names.printed,
            self.names.overloaded,
            flat_grid=flat,
            structs=self.mirrors,
            block_bound=largest_block(tuple(s.block.text for s in sites), self.program),
            soft_double=self.soft_double,
            variables=self.names.variables,
        )

    # --- functions --------------------------------------------------------------------------

    def _function_text(self, f: Function, module: Module) -> FunctionText | Diagnostic:
        known = self._functions.get(f.symbol)
        if known is not None:
            return known
        context = SimtContext(
            self.catalogue,
            self.names.printed,
            self.names.overloaded,
            structs=self.mirrors,
            soft_double=self.soft_double,
            variables=self.names.variables,
        )
        made: FunctionText | Diagnostic
        params = tuple((p.name, holds_double(p.type)) for p in f.params)
        params += (("", holds_double(f.result)),)
        fault = simt.double_fault(f.name, params, narrow_doubles(f.body), f.span)
        try:
            made = (
                fault
                if fault is not None and not self.soft_double
                else simt.emit_function(f, module, context)
            )
        except Unprintable as error:
            made = replace(error.diagnostic, target=self.target.value)
        self._functions[f.symbol] = made
        known_functions = {x.symbol: x for x in module.functions}
        for callee in sorted(called_functions(f.body)):
            if isinstance(made, Diagnostic) or callee not in known_functions:
                continue
            inner = self._function_text(known_functions[callee], module)
            if isinstance(inner, Diagnostic):
                # A function that calls one that is left out is left out as well.
                made = self._functions[f.symbol] = inner
        return made

    def _struct_parts(self, group: tuple[Definition, ...]) -> list[DevicePart]:
        """Behind structs: their plain mirrors, and the device functions made from their methods."""
        mirrored = {
            s.name: s
            for u in self.units
            for s in u.module.structs
            if s.name in self.mirrors and self.layout.owner(s.name) in group
        }
        texts = [
            mirror_text(item, self.mirrors, self.soft_double).rstrip("\n")
            for item in in_order(tuple(mirrored.values()))
        ]
        if self.target is not Target.ASCEND_950:  # device functions are part of the kernels there
            return self._behind(group, texts)
        # The other chip has methods inlined into its kernels and needs the data alone.
        methods = [
            d
            for d in self.layout.definitions
            if d.kind is DefinitionKind.FUNCTION
            and self.layout.struct_around(d) in group
            and self.target is Target.ASCEND_950
        ]
        inner = [self._function_block(d) for d in methods]
        names = tuple(f"{name}_" for name in mirrored)
        extra = self._unplaced(names) if self.target is Target.ASCEND_950 else []
        inner += [self._block_of(extra)]
        prototypes = [
            made.prototype
            for made in (*(m for d in methods for m in self._made(d)), *extra)
            if isinstance(made, FunctionText)
        ]
        if len(prototypes) > 1:
            texts.append("\n".join(prototypes))
        texts += [t for t in inner if t]
        texts += [t for t in (self._function_block(d, group) for d in self._moved(group)) if t]
        return self._behind(group, texts)

    def _moved(self, group: tuple[Definition, ...]) -> list[Definition]:
        """Templates, wherever they are, with instances that must stand behind these structs."""
        found = {
            (d.span.file, d.span.start): d
            for u in self.units
            for d in u.definitions
            if not d.prototype and any(self.is_moved(s, group) for s in d.symbols)
        }
        return list(found.values())

    def is_moved(self, symbol: str, group: tuple[Definition, ...]) -> bool:
        """Whether an instance must stand behind one of these structs."""
        place = self._late.get(symbol)
        return place is not None and any(
            g.span.file == place.file and g.span.start <= place.start < g.span.end for g in group
        )

    def _behind(self, group: tuple[Definition, ...], texts: list[str]) -> list[DevicePart]:
        pieces: tuple[PlacedPiece, ...] = ()
        for d in self._moved(group):
            if d.kind is DefinitionKind.KERNEL:
                above = sum(t.count("\n") + 2 for t in texts) + 2
                text, made = self.kernel_behind(d, group, above)
                pieces += made
                texts.append(text.rstrip("\n"))
        if not texts:
            return []
        if self.soft_double and any(soft_double.NAME in t for t in texts):
            self._need((soft_double.HEADER,), ())
        end = self.layout.statement_end(group[-1].span.end)
        following = self.file.text[end : end + 4].replace(b"\r", b"")
        tail = "" if following[:2] == b"\n\n" or not following.strip(b"\n") else "\n"
        return [DevicePart(end, end, "\n\n" + "\n\n".join(texts) + tail, pieces)]

    def _forward_parts(self) -> list[DevicePart]:
        """Prototypes of functions that are called further up than they are defined."""
        if self.target is not Target.ASCEND_950:
            return []
        places: dict[str, int] = {}
        for d in self.layout.definitions:
            if d.kind is DefinitionKind.FUNCTION and not d.prototype:
                around = self.layout.struct_around(d)
                at = d.span.start if around is None else around.span.end
                places.update({s: at for s in d.symbols if s not in self._late})
        if not places:
            return []
        late: dict[str, int] = {}
        for unit in self.units:
            for f in unit.module.functions:
                for callee in called_functions(f.body):
                    caller = places.get(f.symbol)
                    there = places.get(callee)
                    if caller is not None and there is not None and there > caller:
                        late[callee] = min(late.get(callee, caller), caller)
        declared = {d.name for d in self.layout.definitions if d.prototype}
        out: list[DevicePart] = []
        for unit in self.units:
            for f in unit.module.functions:
                made = self._function_text(f, unit.module) if f.symbol in late else None
                if isinstance(made, FunctionText) and f.name not in declared:
                    at = late.pop(f.symbol)
                    inside = next((s for s in self.layout.structs if s.span.end == at), None)
                    if inside is None:
                        out.append(DevicePart(at, at, f"{made.prototype}\n\n"))
        return out

    def _instances(
        self, d: Definition, group: tuple[Definition, ...] = ()
    ) -> dict[str, tuple[Function, Module]]:
        """A definition's instantiations by symbol; of a prototype's, those of its name.

        Those that stand behind structs further down are given with that ``group`` alone.
        """
        return {
            f.symbol: (f, unit.module)
            for unit in reversed(self.units)
            for f in unit.module.functions
            if (f.name == d.name and not d.symbols if d.prototype else f.symbol in d.symbols)
            and self.is_moved(f.symbol, group) == (f.symbol in self._late)
        }

    def _made(self, d: Definition) -> list[FunctionText | Diagnostic]:
        return [self._function_text(f, module) for f, module in self._instances(d).values()]

    def _late_mirrors(self, text: str) -> str:
        """Mirrors that a text needs which cannot stand at the top of the file."""
        _, late = homeless_mirrors(self.units, self.mirrors, text, self.soft_double)
        several = any(len(u.files) > 1 for u in self.units)
        parts: list[str] = []
        for name, mirror in late.items():
            if name not in self._placed:
                self._placed.add(name)
                body = mirror.rstrip("\n")
                parts.append(guarded(name, body) if several else body)
        return "\n\n".join(parts)

    def _library_text(self, body: tuple[Stmt, ...], module: Module) -> str:
        """Functions without a place that a body needs and nothing further up has written."""
        texts: list[str] = []
        for f in reached_functions(body, module):
            if f.symbol not in self._homeless or f.symbol in self._placed:
                continue
            self._placed.add(f.symbol)
            text = self._block_of([self._function_text(f, module)])
            several = len(self._needs.get(f.symbol, ())) > 1
            texts.append(guarded(f.symbol, text) if several else text)
        return "\n\n".join(t for t in texts if t)

    def _unplaced(self, prefixes: tuple[str, ...]) -> list[FunctionText | Diagnostic]:
        """Functions that no definition in the text stands for, such as members of a template.

        They belong to the struct whose name their symbol begins with.
        """
        placed = {s for u in self.units for d in u.definitions for s in d.symbols}
        found = {
            f.symbol: self._function_text(f, u.module)
            for u in self.units
            for f in u.module.functions
            if f.symbol not in placed
            and f.symbol.startswith(prefixes)
            and f.symbol not in self._homeless
        }
        return list(found.values())

    def _block_of(self, items: list[FunctionText | Diagnostic]) -> str:
        texts = []
        for made in items:
            if isinstance(made, FunctionText):
                self._need(made.includes, made.prelude)
                self._vectors(made.definition)
                texts.append(made.definition.rstrip("\n"))
        return "\n\n".join(texts)

    def _function_block(self, d: Definition, group: tuple[Definition, ...] = ()) -> str:
        """The generated text for a device function definition or prototype."""
        texts: list[str] = []
        for f, module in self._instances(d, group).values():
            made = self._function_text(f, module)
            library = "" if d.prototype else self._library_text(f.body, module)
            texts += [library] if library else []
            if isinstance(made, Diagnostic):
                if not d.prototype:
                    texts.append(f"// {made.code.id}: {d.name} is left out: {made.cause}")
                continue
            self._need(made.includes, made.prelude)
            self._vectors(made.definition)
            texts.append(made.prototype if d.prototype else made.definition.rstrip("\n"))
        text = ("\n" if d.prototype else "\n\n").join(texts)
        mirrors = self._late_mirrors(text)
        return f"{mirrors}\n\n{text}" if mirrors else text

    def _function_parts(self, d: Definition) -> list[DevicePart]:
        if self.target is not Target.ASCEND_950:
            # The other chip has everything inlined into its kernels.
            return host_only(self.file.text, d)
        around = self.layout.struct_around(d)
        if around is not None and around.span == d.span:  # one macro wrote both
            return [DevicePart(d.span.start, d.span.end, "")]
        if around is not None:
            # The device's form stands behind the struct.
            return host_only(self.file.text, d)
        text = self._function_block(d)
        if d.host_too:
            kept = host_only(self.file.text, d)
            if text:
                lead = "\n" if d.prototype else "\n\n"
                kept.append(DevicePart(d.span.end, d.span.end, f"{lead}{text}"))
            return kept
        if not text and d.prototype:
            return [removed(self.file.text, d)]
        unused = f"// {d.name}: no kernel of this program uses it"
        return [DevicePart(d.span.start, d.span.end, text or unused)]
