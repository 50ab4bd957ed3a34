"""The device side of one file: kernels, beside functions, structs and device variables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from migrate.analysis.reach import reached_functions
from migrate.backends.ascendc.clashes import (
    without_clashes,
)
from migrate.backends.ascendc.device_definitions import DeviceDefinitions
from migrate.backends.ascendc.emitters import emit_for
from migrate.backends.ascendc.file_text import DevicePart, PlacedPiece
from migrate.backends.ascendc.kernel_text import KernelRefusal, KernelText
from migrate.backends.ascendc.launcher_heads import LauncherHeads, stub
from migrate.backends.ascendc.launchers import (
    LauncherStyle,
    closures,
    entry_name,
    launcher_definition,
    named_closures,
    renamed,
)
from migrate.backends.ascendc.part_records import BuiltParts, KernelLine, KernelSource
from migrate.core.artifact import EmittedKernel, RefusedKernel, SourceLine
from migrate.core.codes import target as codes
from migrate.core.cpp_text import tokens
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.program import Definition, DefinitionKind


@dataclass(slots=True)
class DeviceParts(DeviceDefinitions):
    """Builds the device side of one file."""

    emitted: list[EmittedKernel] = field(default_factory=list)
    refused: list[RefusedKernel] = field(default_factory=list)
    kernels_here: list[KernelLine] = field(default_factory=list)

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

    def kernel_behind(
        self, d: Definition, group: tuple[Definition, ...], above: int
    ) -> tuple[str, tuple[PlacedPiece, ...]]:
        """See :meth:`DeviceDefinitions.kernel_behind`."""
        here = [k for k in self.kernels if self.is_moved(k.lifted.source.symbol, group)]
        here = [k for k in here if k.lifted.source.symbol in d.symbols]
        text, made = self._instances_text(d, here, self._heads(d), "")
        pieces = tuple(
            PlacedPiece(p.symbol, p.first + above, p.last + above, tuple(
                replace(line, line=line.line + above) for line in p.lines
            ))
            for p in made
        )  # fmt: skip
        return text, pieces

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
