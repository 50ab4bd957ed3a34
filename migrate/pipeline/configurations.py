"""``--config``: programs read under several sets of macros, and merged into one output.

Each configuration is a program of its own: read, run, converted and proven with its macros. Then
the files that they make of one original are merged (:mod:`migrate.pipeline.merged_text`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from migrate.core.artifact import AppliedEdit, Artifact, EmittedKernel, GeneratedFile, SourceLine
from migrate.core.codes import reading, usage
from migrate.core.compile_settings import CompileSettings
from migrate.core.cpp_text import tokens
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.edits import Edit, apply_edits
from migrate.core.span import NO_SPAN, Span, span_of
from migrate.frontend.branches import branches_within
from migrate.ir.program import Program, SourceFile, SourceUnit
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.macro_choice import CannotMerge, Macro
from migrate.pipeline.merged_text import Merged, Place, Version, merge
from migrate.pipeline.run import ProgramRun

_OPTION = re.compile(r"([\w.+-]+)=(.*)")
_MACRO = re.compile(r"(?:-D\s*)?([A-Za-z_]\w*)(?:=(.*))?")
_SETS = re.compile(r"#\s*(?:define|undef)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Configuration:
    """A name, and the macros that a build of this configuration sets."""

    name: str
    macros: tuple[Macro, ...]


def parse_configurations(given: Iterable[str], common: Iterable[str]) -> tuple[Configuration, ...]:
    """``NAME=-DX,-DY=2`` of the command line; ``common`` are the macros of every configuration.

    Raises :class:`UserError` CM0013 for another form, and for macros that would be set twice.
    """
    shared = {c.split("=", 1)[0] for c in common}
    found: list[Configuration] = []
    for text in given:
        hit = _OPTION.fullmatch(text)
        if hit is None:
            raise _bad(f"{text}: a configuration is NAME=-DMACRO,-DMACRO=VALUE")
        macros: list[Macro] = []
        for part in (p.strip() for p in hit.group(2).split(",")):
            one = _MACRO.fullmatch(part)
            if part and one is None:
                raise _bad(f"{text}: {part} is no macro")
            if one is not None:
                macros.append(Macro(one.group(1), "1" if one.group(2) is None else one.group(2)))
        names = [m.name for m in macros]
        if twice := sorted({n for n in names if names.count(n) > 1 or n in shared}):
            raise _bad(f"{text}: {', '.join(twice)} is set twice")
        found.append(Configuration(hit.group(1), tuple(macros)))
    names = [c.name for c in found]
    if len(set(names)) < len(names):
        raise _bad("two configurations have one name")
    if len({frozenset(c.macros) for c in found}) < len(found):
        raise _bad("two configurations set the same macros")
    return tuple(found)


def _bad(cause: str) -> UserError:
    return UserError(Diagnostic(usage.BAD_CONFIGURATION, Outcome.STOPPED, cause))


def configured(
    programs: Sequence[InputProgram], configurations: Sequence[Configuration]
) -> tuple[InputProgram, ...]:
    """Each program once for every configuration, those of one program together."""
    return tuple(_under(p, c) for p in programs for c in configurations) or tuple(programs)


def _under(program: InputProgram, configuration: Configuration) -> InputProgram:
    names = {m.name for m in configuration.macros}
    own = tuple(m.name if m.value == "1" else f"{m.name}={m.value}" for m in configuration.macros)

    def settings(path: Path) -> CompileSettings:
        known = program.settings_of(path)
        kept = tuple(d for d in known.defines if d.split("=", 1)[0] not in names)
        return replace(known, defines=(*kept, *own))

    named = tuple((path, settings(path)) for path in program.sources)
    return replace(program, name=f"{program.name}-{configuration.name}", settings=named)


def merge_runs(
    runs: tuple[ProgramRun, ...], configurations: Sequence[Configuration]
) -> tuple[tuple[ProgramRun, ...], tuple[Diagnostic, ...]]:
    """The runs of :func:`configured` programs with merged files, and CM0055 where that fails.

    A program that cannot be merged keeps a version of its files for each configuration.
    """
    merged: list[ProgramRun] = []
    found: list[Diagnostic] = []
    count = len(configurations)
    if count == 0:
        return runs, ()
    for first in range(0, len(runs), count):
        group = _with_unread_by_all(runs[first : first + count])
        try:
            merged += _merged(group, configurations)
        except CannotMerge as fault:
            merged += group
            name = runs[first].conversion.source.name.removesuffix(f"-{configurations[0].name}")
            found.append(
                Diagnostic(
                    usage.NOT_MERGED, Outcome.WEAKER, f"{name}: {fault.cause}", _where(fault)
                )
            )
    return tuple(merged), tuple(found)


class _FileNotMerged(CannotMerge):
    """The fault of one file."""

    def __init__(self, cause: str, at: int, file: Path) -> None:
        super().__init__(cause, at)
        self.file = file


def _where(fault: CannotMerge) -> Span:
    if not isinstance(fault, _FileNotMerged):
        return NO_SPAN
    return span_of(str(fault.file), fault.file.read_bytes(), fault.at, fault.at)


def _merged(
    group: Sequence[ProgramRun], configurations: Sequence[Configuration]
) -> list[ProgramRun]:
    """A program's runs with the same files. Raises :class:`CannotMerge`."""
    artifacts = [r.conversion.artifact for r in group]
    unsafe = _set_in_sources(group, {m.name for c in configurations for m in c.macros})
    for path in sorted({f.path for a in artifacts for f in a.files}):
        versions = [next((f for f in a.files if f.path == path), None) for a in artifacts]
        made = [f for f in versions if f is not None]
        if len({f.content for f in made}) == 1:
            artifacts = [_with_file(a, made[0]) for a in artifacts]
        else:
            artifacts = _one_file(path, made, group, artifacts, configurations, unsafe)
    return [
        replace(run, conversion=replace(run.conversion, artifact=artifact))
        for run, artifact in zip(group, artifacts, strict=True)
    ]


def _with_file(artifact: Artifact, file: GeneratedFile) -> Artifact:
    others = tuple(f for f in artifact.files if f.path != file.path)
    if len(others) == len(artifact.files):
        return replace(artifact, files=(*others, file))
    return replace(
        artifact, files=tuple(file if f.path == file.path else f for f in artifact.files)
    )


def _one_file(
    path: PurePosixPath,
    made: Sequence[GeneratedFile],
    group: Sequence[ProgramRun],
    artifacts: Sequence[Artifact],
    configurations: Sequence[Configuration],
    unsafe: frozenset[str],
) -> list[Artifact]:
    origin = made[0].origin
    if origin is None or len(made) < len(group) or any(f.origin != origin for f in made):
        raise CannotMerge(f"{path} is made anew, so its versions cannot stand behind #if")
    original = Path(origin).read_bytes()
    versions = [
        Version(c.macros, _edits(original, file), _skipped(run.conversion.program, origin))
        for run, file, c in zip(group, made, configurations, strict=True)
    ]
    for file, version in zip(made, versions, strict=True):
        if apply_edits(original, version.edits).text != file.content:
            raise CannotMerge(f"{path} is no edited copy of {origin}")
    try:
        merged = merge(original, versions, unsafe)
    except CannotMerge as fault:
        raise _FileNotMerged(fault.cause, fault.at, Path(origin)) from fault
    edits = tuple(
        AppliedEdit(span_of(origin, original, start, end), n) for start, end, n in merged.edits
    )
    whole = GeneratedFile(path, merged.text, origin, edits)
    return [
        _moved(_with_file(artifact, whole), path, file.content, merged, i)
        for i, (artifact, file) in enumerate(zip(artifacts, made, strict=True))
    ]


def _edits(original: bytes, file: GeneratedFile) -> tuple[Edit, ...]:
    """The edits of a file with their texts, which stand in its content in the same order."""
    found: list[Edit] = []
    at = done = 0
    for edit in file.edits:
        done += edit.span.start - at
        text = file.content[done : done + edit.length]
        found.append(Edit(edit.span.start, edit.span.end, text))
        at, done = edit.span.end, done + edit.length
    return tuple(found)


def _skipped(program: Program, file: str) -> tuple[Place, ...]:
    """What no unit of a program reads of a file."""
    path = Path(file).resolve()
    units = [u for u in program.units if any(f.path.resolve() == path for f in u.files)]
    found: list[Place] | None = None
    for unit in units:
        own = [(s.start, s.end) for s in unit.skipped if Path(s.file).resolve() == path]
        found = own if found is None else _both(found, own)
    return tuple(found or ())


def _both(left: Sequence[Place], right: Sequence[Place]) -> list[Place]:
    meets = [(max(a, c), min(b, d)) for a, b in left for c, d in right]
    return sorted({(a, b) for a, b in meets if a < b})


def _set_in_sources(group: Sequence[ProgramRun], names: set[str]) -> frozenset[str]:
    """Macros that the text of some configuration defines or undefines itself."""
    found: set[str] = set()
    for run in group:
        program = run.conversion.program
        files = {f.path.resolve(): f for u in program.units for f in u.files}
        for path, file in files.items():
            left_out = _skipped(program, str(path))
            for token in tokens(file.text):
                hit = _SETS.match(token.text) if token.kind == "directive" else None
                if hit is None or hit.group(1) not in names:
                    continue
                if not any(a <= token.start < b for a, b in left_out):
                    found.add(hit.group(1))
    return frozenset(found)


def _moved(
    artifact: Artifact, path: PurePosixPath, content: bytes, merged: Merged, version: int
) -> Artifact:
    """The artifact with the lines of a file as they are in the merged text."""
    starts = [0, *(i + 1 for i, c in enumerate(content) if c == 10)]

    def line(number: int) -> int:
        offset = merged.moved(version, starts[min(number, len(starts)) - 1])
        return merged.text.count(b"\n", 0, offset) + 1

    def kernel(k: EmittedKernel) -> EmittedKernel:
        if k.file != path:
            return k
        return replace(k, first_line=line(k.first_line), last_line=line(k.last_line))

    lines = tuple(
        (p, tuple(SourceLine(line(x.line), x.span) for x in entries) if p == path else entries)
        for p, entries in artifact.line_map
    )
    return replace(artifact, kernels=tuple(map(kernel, artifact.kernels)), line_map=lines)


def _with_unread_by_all(group: Sequence[ProgramRun]) -> list[ProgramRun]:
    """The runs with branches listed as unread (CM1030) that no configuration reads, each once."""
    programs = [r.conversion.program for r in group]
    seen: set[Path] = set()
    result: list[ProgramRun] = []
    for run in group:
        units: list[SourceUnit] = []
        for unit in run.conversion.program.units:
            fresh = [f for f in unit.files if f.path.resolve() not in seen]
            seen |= {f.path.resolve() for f in fresh}
            units.append(_unread_by_all(unit, fresh, programs))
        program = replace(run.conversion.program, units=tuple(units))
        result.append(replace(run, conversion=replace(run.conversion, program=program)))
    return result


def _unread_by_all(
    unit: SourceUnit, fresh: Sequence[SourceFile], programs: Sequence[Program]
) -> SourceUnit:
    """A unit that lists, of the ``fresh`` files, only what no program reads."""
    left: dict[str, tuple[Place, ...]] = {}
    for file in fresh:
        places: list[Place] | None = None
        for program in programs:
            own = list(_skipped(program, str(file.path)))
            places = own if places is None else _both(places, own)
        left[str(file.path)] = tuple(places or ())
    unread = tuple(
        u for u in unit.unread
        if u.diagnostic.code is not reading.BRANCH_NOT_READ
        or any(a <= u.span.start and u.span.end <= b for a, b in left.get(u.span.file, ()))
    )  # fmt: skip
    branches = [
        b for f in fresh for b in branches_within(str(f.path), f.text, left[str(f.path)])
        if b.branch.never or not b.uses.kernels
    ]  # fmt: skip
    told = [u.diagnostic for u in unread if u.diagnostic.code is reading.BRANCH_NOT_READ]
    kept = [d for d in unit.diagnostics if d.code is not reading.BRANCH_NOT_READ]
    diagnostics = dict.fromkeys((*kept, *told, *(b.diagnostic for b in branches)))
    return replace(unit, unread=unread, diagnostics=tuple(diagnostics))
