"""The device side of one file: what replaces kernels, device functions and device variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from migrate.analysis.doubles import holds_double, narrow_doubles
from migrate.analysis.reach import called_functions, reached_functions
from migrate.backends.ascendc import simt, soft_double
from migrate.backends.ascendc.clashes import (
    without_clashes,
)
from migrate.backends.ascendc.emitters import emit_for
from migrate.backends.ascendc.file_text import DevicePart, PlacedPiece
from migrate.backends.ascendc.host_functions import host_only, removed
from migrate.backends.ascendc.kernel_text import KernelRefusal, KernelText
from migrate.backends.ascendc.late_instances import Place, late_instances
from migrate.backends.ascendc.launch_facts import is_integer, largest_block, may_launch
from migrate.backends.ascendc.launcher_heads import LauncherHeads, stub
from migrate.backends.ascendc.launchers import (
    LauncherStyle,
    closures,
    entry_name,
    launcher_definition,
    named_closures,
    renamed,
)
from migrate.backends.ascendc.library_functions import (
    files_that_need,
    guarded,
    homeless_functions,
)
from migrate.backends.ascendc.names import Names
from migrate.backends.ascendc.part_records import BuiltParts, KernelLine, KernelSource
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
from migrate.core.artifact import EmittedKernel, RefusedKernel, SourceLine
from migrate.core.codes import target as codes
from migrate.core.cpp_text import tokens
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.program import Definition, DefinitionKind, SourceFile, SourceUnit
from migrate.ir.simt import Stmt
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form


@dataclass(slots=True)
class DeviceParts:
    """Builds the device side of one file."""

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
    emitted: list[EmittedKernel] = field(default_factory=list)
    refused: list[RefusedKernel] = field(default_factory=list)
    kernels_here: list[KernelLine] = field(default_factory=list)
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

    # --- what is in the file ----------------------------------------------------------------

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Byte ranges that are no host code."""
        return self.layout.device_ranges

    # --- building ---------------------------------------------------------------------------

    def build(self) -> BuiltParts:
        """All device parts, in the order of the source."""
        parts: list[DevicePart] = self._forward_parts()
        for group in self.layout.struct_groups():
            parts += self._struct_parts(group)
        for d in self.layout.definitions:
            match d.kind:
                case DefinitionKind.KERNEL:
                    parts.append(self._kernel_part(d))
                case DefinitionKind.FUNCTION:
                    parts += self._function_parts(d)
                case DefinitionKind.VARIABLE:
                    parts += self._variable_parts(d)
                case DefinitionKind.STRUCT:
                    pass
        return BuiltParts(tuple(parts), tuple(self._includes), tuple(self._prelude))

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
            if not d.prototype and any(self._is_moved(s, group) for s in d.symbols)
        }
        return list(found.values())

    def _is_moved(self, symbol: str, group: tuple[Definition, ...]) -> bool:
        place = self._late.get(symbol)
        return place is not None and any(
            g.span.file == place.file and g.span.start <= place.start < g.span.end for g in group
        )

    def _behind(self, group: tuple[Definition, ...], texts: list[str]) -> list[DevicePart]:
        pieces: tuple[PlacedPiece, ...] = ()
        for d in self._moved(group):
            if d.kind is DefinitionKind.KERNEL:
                here = [k for k in self.kernels if self._is_moved(k.lifted.source.symbol, group)]
                here = [k for k in here if k.lifted.source.symbol in d.symbols]
                text, made = self._instances_text(d, here, self._heads(d), "")
                above = sum(t.count("\n") + 2 for t in texts) + 2
                pieces += tuple(
                    PlacedPiece(p.symbol, p.first + above, p.last + above, tuple(
                        replace(line, line=line.line + above) for line in p.lines
                    ))
                    for p in made
                )  # fmt: skip
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
            and self._is_moved(f.symbol, group) == (f.symbol in self._late)
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

    # --- kernels ----------------------------------------------------------------------------

    def _kernel_part(self, d: Definition) -> DevicePart:
        heads = self._heads(d)
        self._launch_types()
        found = [k for k in self.kernels if k.lifted.source.symbol in d.symbols]
        here = [k for k in found if k.lifted.source.symbol not in self._late]
        prefix = self._prefix(d)
        if d.prototype:
            return DevicePart(d.span.start, d.span.end, heads.prototype(d, prefix))
        unnamed = any(closures(k.lifted.source) for k in found)
        primary = heads.primary(d) if found and not unnamed else ""
        text, pieces = self._instances_text(d, here, heads, prefix, primary)
        if not found:
            text += self._unread(d, heads, prefix)
        return DevicePart(d.span.start, d.span.end, text.rstrip("\n"), tuple(pieces))

    def _heads(self, d: Definition) -> LauncherHeads:
        """Heads in the words of the file that a definition stands in."""
        text = next(
            (f.text for u in self.units for f in u.files if str(f.path) == d.span.file),
            self.file.text,
        )
        return LauncherHeads(text, LauncherStyle(self.catalogue, self.target))

    def _instances_text(
        self,
        d: Definition,
        here: list[KernelSource],
        heads: LauncherHeads,
        prefix: str,
        primary: str = "",
    ) -> tuple[str, list[PlacedPiece]]:
        """Kernels of one definition with their launch functions, behind the ``primary`` one."""
        text, pieces = (primary + "\n" if primary else ""), []
        unnamed = any(closures(k.lifted.source) for k in here)
        for k in here:
            made = self._kernel(k) if not unnamed or len(here) == 1 else _several(k)
            block, launcher, lines = self._texts(d, k, made, heads, prefix)
            text += self._lead(k, block)
            first = text.count("\n") + 1
            text += block
            last = text.count("\n")
            pieces.append(PlacedPiece(k.lifted.source.symbol, first, max(first, last), lines))
            text += ("\n" if block else "") + launcher + "\n"
        return text, pieces

    def _lead(self, k: KernelSource, block: str) -> str:
        """What a kernel's text needs in front of it that no definition of the source stands for."""
        library = ""
        if block and k.lifted.body is not None and self.target is Target.ASCEND_950:
            library = self._library_text(k.lifted.body.body, k.lifted.module)
        mirrors = self._late_mirrors(f"{library}\n{block}")
        return "".join(f"{part}\n\n" for part in (mirrors, library) if part)

    def _prefix(self, d: Definition) -> str:
        head = [t.text for t in tokens(self.file.text, d.span.start, d.span.end)][:8]
        if self.file.is_header:
            return "inline "
        return "static " if "static" in head else ""

    def _kernel(self, k: KernelSource) -> KernelText | KernelRefusal:
        lifted = without_clashes(k.lifted)
        if lifted.body is None or lifted.rung is Rung.REFUSED:
            return KernelRefusal(lifted.diagnostics)
        if self.target is Target.ASCEND_950:
            for f in reached_functions(lifted.body.body, lifted.module):
                made = self._function_text(f, lifted.module)
                if isinstance(made, Diagnostic):
                    at = replace(made, kernel=lifted.source.symbol, outcome=Outcome.REFUSED)
                    return KernelRefusal((at,))
        return emit_for(self.target, lifted, self._context(k.lifted.source, k.unit))

    def _texts(
        self,
        d: Definition,
        k: KernelSource,
        made: KernelText | KernelRefusal,
        heads: LauncherHeads,
        prefix: str,
    ) -> tuple[str, str, tuple[SourceLine, ...]]:
        kernel = k.lifted.source
        params, special = heads.params(d, kernel)
        name = f"launch_{d.name.rpartition('::')[2]}"
        written = heads.template_values(d, kernel)
        values = tuple(renamed(v, self.catalogue, self.target) for v in written)
        if values:
            name += f"<{', '.join(values)}>"
        start = "template <>\n" if special or kernel.template_args else ""
        # A specialisation is not implicitly inline, and takes no storage class.
        own = "inline " if self.file.is_header else ("" if start else prefix)
        head = start + heads.style.head(name, params, own)
        if closures(kernel):
            head = heads.any_closure(d)
        shown = kernel.symbol
        if isinstance(made, KernelRefusal):
            self.refused.append(
                RefusedKernel(
                    kernel.symbol, kernel.name, kernel.mangled, kernel.span, made.diagnostics
                )
            )
            self.kernels_here.append(KernelLine(shown, "refused", made.diagnostics))
            for item in made.diagnostics:
                self.sink.report(item)
            again = bool(closures(kernel)) and head in self._placed
            self._placed.add(head)
            return "", "" if again else stub(head, made.diagnostics[0], d.name), ()
        self._need(made.includes, made.prelude)
        self._vectors("".join((made.definition, *made.prelude, *params)))
        notes = tuple(dict.fromkeys((*k.lifted.diagnostics, *made.diagnostics)))
        for item in notes:
            self.sink.report(item)
        self.kernels_here.append(KernelLine(shown, k.lifted.rung.value, notes))
        entry = entry_name(kernel, named_closures(values, self.mirrors))
        self.emitted.append(
            EmittedKernel(
                symbol=kernel.symbol,
                name=kernel.name,
                mangled=kernel.mangled,
                rung=k.lifted.rung,
                entry=entry,
                file=PurePosixPath(self.file.relative.as_posix()),
                first_line=0,
                last_line=0,
                text=made.definition,
                origin=kernel.span,
                diagnostics=notes,
            )
        )
        lines = tuple(made.launcher.rstrip("\n").split("\n"))
        return made.definition, launcher_definition(head, lines), made.lines

    def _unread(self, d: Definition, heads: LauncherHeads, prefix: str) -> str:
        """A kernel without IR: a template that nothing launches, or one that was not read."""
        for unit in self.units:
            for unread in unit.unread:
                inside = d.span.start <= unread.span.start < d.span.end
                if unread.name.split("<")[0] == d.name or (
                    inside and unread.span.file == d.span.file
                ):
                    self.kernels_here.append(KernelLine(d.name, "refused", (unread.diagnostic,)))
                    return heads.unread_stub(d, prefix, unread.diagnostic)
        if d.template_params:
            return f"// {d.name}: no launch in this program instantiates it\n"
        return f"// {d.name} is not emitted: no kernel was read here\n"


def _several(k: KernelSource) -> KernelRefusal:
    """A kernel template that several lambdas (or others beside one) are given to."""
    kernel = k.lifted.source
    cause = f"{kernel.name} is instantiated several times, and the type of a lambda has no name"
    d = Diagnostic(
        codes.NO_INTRINSIC, Outcome.REFUSED, cause, kernel.span, kernel=kernel.symbol,
        target=Target.ASCEND_950.value,
    )  # fmt: skip
    return KernelRefusal((d,))
