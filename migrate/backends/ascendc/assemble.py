"""A whole program for Ascend: every file of it, with kernels, launch functions and host code.

Kernels come from the emitter of the chip; this module decides where text stands, how things are
named, and what becomes of kernels that are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import migrate
from migrate.analysis.doubles import narrow_doubles
from migrate.backends.ascendc import soft_double
from migrate.backends.ascendc.api_lint import lint_api
from migrate.backends.ascendc.api_lint_vector import lint_vector_api
from migrate.backends.ascendc.api_table import load_api_table, load_vector_table
from migrate.backends.ascendc.device_parts import DeviceParts
from migrate.backends.ascendc.file_text import FilePlan, FileResult, FileWriter, target_path
from migrate.backends.ascendc.host_algorithms import host_uses, shipped_headers
from migrate.backends.ascendc.host_extremes import cuda_extremes
from migrate.backends.ascendc.host_libraries import all_declared
from migrate.backends.ascendc.host_scan import (
    FoundInclude,
    include_lines,
    launching_functions,
    main_body,
    outside,
    stretches,
)
from migrate.backends.ascendc.host_stubs import Stand, stands
from migrate.backends.ascendc.names import Names
from migrate.backends.ascendc.part_records import KernelSource
from migrate.backends.ascendc.simt_single import in_single, module_in_single, weaker
from migrate.backends.ascendc.source_layout import SourceLayout
from migrate.backends.ascendc.structs import mirror_names, with_struct_definitions
from migrate.backends.ascendc.variable_templates import with_variable_templates
from migrate.core.artifact import (
    Artifact,
    EmittedKernel,
    GeneratedFile,
    RefusedKernel,
    SourceLine,
)
from migrate.core.codes import target as codes
from migrate.core.cpp_text import Token, tokens
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.options import DoublePolicy, Options
from migrate.core.span import Span
from migrate.core.targets import Target, target_facts
from migrate.ir.kernel import Module
from migrate.ir.lifted import Lifted
from migrate.ir.program import DefinitionKind, Program, SourceFile, SourceUnit
from migrate.rules.catalogue import Catalogue, load_catalogue
from migrate.rules.model import Form, RuleKind

LiftedUnits = Mapping[str, tuple[Lifted, ...]]
"""The lifted kernels of each unit, by the unit's relative path (POSIX)."""


_BLOCKING_STREAMS = (b"cudaStreamCreate(", b"cudaStreamCreateWithPriority(")
"""Calls that make streams which CUDA orders with the default stream."""


def emit_ascend(
    program: Program,
    lifted: LiftedUnits,
    target: Target,
    options: Options,
    catalogue: Catalogue | None = None,
) -> Artifact:
    """The migrated program. Every file of the program is in the artifact, headers once."""
    rules = load_catalogue(options.rules_dirs) if catalogue is None else catalogue
    if target is Target.ASCEND_950 and options.double is DoublePolicy.FP32:
        program, lifted = _in_single(program, lifted, rules)
    program = with_variable_templates(with_struct_definitions(program))
    soft = options.double is DoublePolicy.SOFT
    return _Assembly(program, lifted, target, rules, soft).emit()


def _in_single(
    program: Program, lifted: LiftedUnits, rules: Catalogue
) -> tuple[Program, LiftedUnits]:
    """The program with kernels in single precision where they can be (``--double fp32``)."""
    units: list[SourceUnit] = []
    found: dict[str, tuple[Lifted, ...]] = {}
    for unit in program.units:
        module = module_in_single(unit.module, rules)
        key = unit.main.relative.as_posix()
        found[key] = tuple(_kernel_in_single(k, module, rules) for k in lifted.get(key, ()))
        units.append(replace(unit, module=module))
    return replace(program, units=tuple(units)), found


def _kernel_in_single(lifted: Lifted, module: Module, rules: Catalogue) -> Lifted:
    body = lifted.body
    if body is None:
        return lifted
    narrowed = replace(body, body=narrow_doubles(body.body))
    single = in_single(narrowed, module, rules)
    if single is None:
        return lifted
    changed = single != narrowed or module != lifted.module
    notes = (*lifted.diagnostics, weaker(body)) if changed else lifted.diagnostics
    return replace(lifted, body=single, module=module, diagnostics=notes)


@dataclass(slots=True)
class _Assembly:
    program: Program
    lifted: LiftedUnits
    target: Target
    catalogue: Catalogue
    soft_double: bool
    sink: Sink = field(default_factory=Sink)
    texts: tuple[bytes, ...] = field(init=False)
    launching: frozenset[str] = field(init=False)
    has_main: bool = field(init=False)
    declared: frozenset[str] = field(init=False)
    stands: Mapping[str, Stand] = field(init=False)
    library_uses: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        files = (f for u in self.program.units for f in u.files)
        self.texts = tuple(dict.fromkeys(f.text for f in files))
        self.launching = launching_functions(self.texts)
        self.has_main = any(
            main_body(stretches(u.main.text)[0].tokens) is not None for u in self.program.units
        )

        self.declared = all_declared(tokens(t) for t in self.texts)
        host = self._host_parts()
        self.stands = self._stands(host)
        self.library_uses = host_uses(t for found in host for t in found)

    def _mentions(self, *words: bytes) -> bool:
        return any(w in t for t in self.texts for w in words)

    def _host_parts(self) -> list[tuple[Token, ...]]:
        """The host code of all files, each text once, in stretches."""
        parts: dict[bytes, list[tuple[Token, ...]]] = {}
        for unit in self.program.units:
            for file in unit.files:
                if file.text not in parts:
                    ranges = SourceLayout(file, self.program.units).device_ranges
                    found = stretches(file.text)
                    parts[file.text] = [outside(s.tokens, ranges) for s in found]
        return [t for group in parts.values() for t in group]

    def _stands(self, host: list[tuple[Token, ...]]) -> Mapping[str, Stand]:
        """Names of CUDA in host code that no rule spells for the chip."""
        types = {n.name for u in self.program.units for n in u.names if n.kind == "type"}
        covered = frozenset(
            name
            for rule in self.catalogue.of_kind(RuleKind.HOST_NAME)
            for name in rule.names
            if rule.spelling(self.target.value, Form.NAME) is not None
        )
        return stands(host, self.declared, covered, frozenset(types))

    def emit(self) -> Artifact:
        files: list[GeneratedFile] = []
        emitted: list[EmittedKernel] = []
        refused: dict[str, RefusedKernel] = {}
        line_map: list[tuple[PurePosixPath, tuple[SourceLine, ...]]] = []
        done: set[str] = set()
        shipped: dict[PurePosixPath, GeneratedFile] = {}
        for unit in self.program.units:
            for file in unit.files:
                key = str(file.path)
                if key in done:
                    continue
                done.add(key)
                users = tuple(
                    u for u in self.program.units if any(str(f.path) == key for f in u.files)
                )
                parts = self._device_parts(file, users)
                result = self._file(file, users, parts)
                path = self._path(file)
                files.append(GeneratedFile(path, result.content, origin=key, edits=result.edits))
                shipped.update(soft_double.header_files(path.parent, result.content))
                shipped.update(shipped_headers(path.parent, result.content))
                line_map.append((path, result.line_map))
                emitted += self._emitted(parts, result, path)
                refused.update((r.mangled or r.symbol, r) for r in parts.refused)
        for unit in self.program.units:
            for unread in unit.unread:
                refused.setdefault(
                    unread.name,
                    RefusedKernel(unread.name, unread.name, "", unread.span, (unread.diagnostic,)),
                )
        written = (*files, *shipped.values())
        self._lint(written)
        return Artifact(
            target=self.target.value,
            files=written,
            kernels=tuple(emitted),
            refused=tuple(refused.values()),
            line_map=tuple(line_map),
            diagnostics=self.sink.diagnostics,
            variables=tuple(sorted(Names.of(self.program.units).variables.items())),
        )

    def _lint(self, files: tuple[GeneratedFile, ...]) -> None:
        """Report names in the emitted code that the vendor's compiler would not know (CM4009)."""
        texts = {f.path: f.content for f in files}
        if self.target is Target.ASCEND_950:
            faults = lint_api(texts, load_api_table())
        else:
            vector, plain = load_vector_table()
            faults = (*lint_vector_api(texts, vector), *lint_api(texts, plain))
        for fault in faults:
            at = Span(str(fault.file), 0, 0, fault.line, 1, fault.line)
            cause = f"{fault.name}: {fault.cause}"
            self.sink.report(
                Diagnostic(
                    codes.UNKNOWN_NAME, Outcome.UNPROVEN, cause, at, target=self.target.value
                )
            )

    def _path(self, file: SourceFile) -> PurePosixPath:
        own = PurePosixPath(file.relative.as_posix())
        path = target_path(own, file.is_header)
        others = (f for u in self.program.units for f in u.files if f.path != file.path)
        names = [PurePosixPath(f.relative.as_posix()) for f in others if not f.is_header]
        if own.suffix != ".cu" and own != path and path in [target_path(n, False) for n in names]:
            return own.with_name(f"{own.name}{path.suffix}")  # a.cu beside a.cpp
        return path

    def _device_parts(self, file: SourceFile, users: tuple[SourceUnit, ...]) -> DeviceParts:
        sources: dict[str, KernelSource] = {}
        for unit in users:
            for item in self.lifted.get(unit.main.relative.as_posix(), ()):
                sources.setdefault(item.source.symbol, KernelSource(unit, item))
        return DeviceParts(
            file=file,
            units=users,
            program=self.program.units,
            kernels=tuple(sources.values()),
            names=Names.of(users),
            target=self.target,
            catalogue=self.catalogue,
            sink=self.sink,
            mirrors=mirror_names(users, self.soft_double),
            soft_double=self.soft_double,
        )

    def _file(
        self, file: SourceFile, users: tuple[SourceUnit, ...], parts: DeviceParts
    ) -> FileResult:
        built = parts.build()
        key = str(file.path)
        includes = include_lines(file.text)
        api = frozenset(c.name for u in self.program.units for c in u.calls)
        plan = FilePlan(
            file=file,
            shown=key,
            parts=built.parts,
            device_ranges=parts.ranges,
            includes=includes,
            renamed=self._renamed(includes),
            device_includes=built.includes,
            device_prelude=built.prelude,
            header=self._header(file, parts),
            api_names=api,
            own_functions=self.launching,
            is_program=not file.is_header,
            own_files=frozenset(f.path.name for u in self.program.units for f in u.files),
            kernel_names=frozenset(
                d.name.rpartition("::")[2]
                for u in self.program.units
                for d in u.definitions
                if d.kind is DefinitionKind.KERNEL
            ),
            extremes=cuda_extremes(self.texts),
            declared=self.declared,
            stands=self.stands,
            library_uses=self.library_uses,
            managed=self.target is Target.ASCEND_950 and self._mentions(b"cudaMallocManaged("),
            guards_helpers=len(self.texts) > 1,
            mixes_streams=self._mentions(*_BLOCKING_STREAMS),
            opens_session=not self.has_main and self.program.units[0].main == file,
        )
        return FileWriter(plan, self.catalogue, self.target, self.sink).write()

    def _renamed(self, includes: tuple[FoundInclude, ...]) -> Mapping[int, str]:
        """Local includes of ``.cu`` files of the program get the new suffix."""
        own = {f.path.name for u in self.program.units for f in u.files}
        return {
            i.start: f"{i.name[:-3]}.asc"
            for i in includes
            if i.name.endswith(".cu") and PurePosixPath(i.name).name in own
        }

    def _header(self, file: SourceFile, parts: DeviceParts) -> str:
        """The comment at the top: what was made from what, and each kernel's rung."""
        if not parts.kernels_here:
            return ""
        title = target_facts(self.target).title
        lines = [
            f"// Made by cudamigrate {migrate.__version__} from {file.path.name} for {title}.",
        ]
        for kernel in parts.kernels_here:
            lines.append(f"//   {kernel.shown}: {kernel.outcome}")
            lines += [f"//     {d.code.id}: {d.cause}" for d in kernel.diagnostics]
        return "\n".join(lines) + "\n\n"

    def _emitted(
        self, parts: DeviceParts, result: FileResult, path: PurePosixPath
    ) -> list[EmittedKernel]:
        out = []
        for kernel in parts.emitted:
            first, last = result.kernels.get(kernel.symbol, (1, 1))
            out.append(replace(kernel, file=path, first_line=first, last_line=last))
        return out
