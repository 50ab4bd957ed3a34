"""Round trip: each kernel is read, printed back as CUDA in place of its body, and run.

The program as printed has to end like the original and to leave the same bytes in memory after
every launch that was recorded. The text of the IR has to parse back to the same IR.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.backends.cuda.unit_text import Replaced, replace_bodies
from migrate.core.diagnostics import UserError
from migrate.core.edits import apply_edits
from migrate.core.options import Options
from migrate.emulation.cuda_program import (
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
)
from migrate.emulation.toolchain import CompileError, Compiler, find_compiler
from migrate.ir.parser import parse_module
from migrate.ir.printer import print_module
from migrate.ir.program import Program, SourceFile
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.own_check import classify_run
from migrate.pipeline.run import Listener, Progress, silent
from migrate.pipeline.stages import read, with_settings
from migrate.pipeline.suite import SuiteProgram
from migrate.verify.capture import load_capture


@dataclass(frozen=True, slots=True)
class _Launch:
    """What was recorded of a launch: kernel and shape, hashes of the memory before and after it."""

    what: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    def given_like(self, other: _Launch) -> bool:
        """The same kernel on the same memory."""
        return self.what == other.what and self.before == other.before


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One program. ``before`` and ``after`` are classes of runs (see :func:`classify_run`).

    ``kernels`` run as printed, ``left`` keep their body (with the reason), ``unread`` have no IR.
    ``launches`` and ``equal`` count recorded launches, and those that left the same memory;
    ``other_input`` are those that were given other memory in the two runs, so that nothing can be
    said of them: a program that draws its input anew in each run.
    """

    program: str
    text_equal: bool
    kernels: int
    left: tuple[tuple[str, str], ...]
    unread: int
    before: str
    after: str
    launches: int = 0
    equal: int = 0
    other_input: int = 0
    detail: str = ""

    @property
    def holds(self) -> bool:
        """The printed program does what the original does."""
        told = self.equal + self.other_input
        return self.text_equal and self.before == self.after and self.launches == told


def measure_round_trips(
    suite: tuple[SuiteProgram, ...], options: Options, listener: Listener = silent
) -> tuple[RoundTrip, ...]:
    """Every program of a suite, one after the other."""
    found: list[RoundTrip] = []
    for program in suite:
        source = program.source
        listener(Progress(source.name, "round trip"))
        with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
            mine = replace(options, program_args=program.args)
            try:
                found.append(round_trip(source, mine, Path(scratch)))
            except UserError:
                raise
            except Exception as error:  # a fault of ours costs one program
                cause = f"{type(error).__name__}: {error}"
                fault = RoundTrip(source.name, False, 0, (), 0, "error", "error", detail=cause)
                found.append(fault)
        listener(Progress(source.name, "done"))
    return tuple(found)


def round_trip(source: InputProgram, options: Options, work: Path) -> RoundTrip:
    """Read, print, build and run one program, below ``work``.

    Raises :class:`migrate.core.diagnostics.UserError` CM0030 without a C++ compiler.
    """
    program = read(source, options)
    text_equal = all(parse_module(print_module(u.module)) == u.module for u in program.units)
    parts = _replaced(program)
    left = tuple(x for _, r in parts for x in r.left)
    kernels = sum(len(r.kernels) for _, r in parts)
    unread = sum(len(u.unread) for u in program.units)
    known = RoundTrip(source.name, text_equal, kernels, left, unread, "not-run", "not-run")
    if not source.has_main:
        return known
    options = with_settings(options, source)
    compiler = find_compiler(options.cxx)
    original = _sources(source, options, None)
    before = _run(original, options, compiler, work / "original")
    again = work / "printed"
    _write(source, parts, again)
    printed = _sources(source, options, again)
    after = _run(printed, options, compiler, work / "run")
    return _compared(known, before, after)


def _compared(known: RoundTrip, before: _Run, after: _Run) -> RoundTrip:
    pairs = list(zip(before.launches, after.launches, strict=False))
    return RoundTrip(
        known.program, known.text_equal, known.kernels, known.left, known.unread,
        before.verdict, after.verdict,
        max(len(before.launches), len(after.launches)), sum(a == b for a, b in pairs),
        sum(a.what == b.what and not a.given_like(b) for a, b in pairs),
        after.detail or before.detail,
    )  # fmt: skip


# --- the printed program


def _replaced(program: Program) -> list[tuple[SourceFile, Replaced]]:
    """Edits of every file that defines kernels. A header that several units share gets those of
    the first unit that includes it."""
    found: dict[str, tuple[SourceFile, Replaced]] = {}
    for i, unit in enumerate(program.units):
        for j, file in enumerate(unit.files):
            if str(file.path) not in found:
                replaced = replace_bodies(unit, file, f"as_read_{i}_{j}")
                if replaced.edits or replaced.left:
                    found[str(file.path)] = (file, replaced)
    return list(found.values())


def _write(source: InputProgram, parts: list[tuple[SourceFile, Replaced]], again: Path) -> None:
    """The program's tree with the kernels printed; what lies outside of its root stays there."""
    shutil.copytree(source.root, again, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    root = source.root.resolve()
    for file, replaced in parts:
        path = file.path.resolve()
        if path.is_relative_to(root):
            target = again / path.relative_to(root)
            target.write_bytes(apply_edits(file.text, replaced.edits).text)


def _sources(source: InputProgram, options: Options, again: Path | None) -> CudaSources:
    root = source.root.resolve()

    def moved(path: Path) -> Path:
        full = path.resolve()
        if again is None or not full.is_relative_to(root):
            return path
        return again / full.relative_to(root)

    files = tuple(moved(p) for p in (*source.sources, *source.host_sources))
    folders = tuple(dict.fromkeys(p.parent for p in files))
    return CudaSources(
        files,
        include_dirs=(*folders, *(moved(d) for d in options.include_dirs)),
        defines=options.defines,
        std=options.std,
    )


# --- runs


@dataclass(frozen=True, slots=True)
class _Run:
    verdict: str
    launches: tuple[_Launch, ...] = ()
    detail: str = ""


def _run(sources: CudaSources, options: Options, compiler: Compiler, work: Path) -> _Run:
    work.mkdir(parents=True, exist_ok=True)
    try:
        built = build_cuda_program(sources, work / "build", compiler, options.cache_dir)
    except CompileError as error:
        return _Run("no-build", detail=error.stderr[:2000])
    setup = RunSetup(options.program_args, options.limits)
    run = capture_program(built, work / "capture", setup)
    detail = run.result.stderr.strip()[-500:]
    verdict = classify_run(run.result)
    return _Run(verdict, _launches(run.directory), detail if verdict in ("fail", "error") else "")


def _launches(folder: Path) -> tuple[_Launch, ...]:
    return tuple(
        _Launch(
            (x.mangled, str(x.grid), str(x.block)),
            tuple(f"{b.size}:{b.before}" for b in x.buffers),
            tuple(f"{b.size}:{b.after}" for b in x.buffers),
        )
        for x in load_capture(folder).launches
    )
