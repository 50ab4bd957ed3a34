"""``run --check``: builds and runs a program with the checks, and states what they found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic
from migrate.core.options import Options
from migrate.core.resources import cuda_library_dir, include_dir
from migrate.emulation.checks import Check, build_checked, run_checked
from migrate.emulation.cuda_program import (
    BuiltProgram,
    CudaSources,
    RunSetup,
    build_cuda_program,
    run_program,
)
from migrate.emulation.gpu_program import build_gpu_program
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import CompileError, find_compiler
from migrate.pipeline.check_findings import SourceFiles, diagnostics_of
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.oracle import gpu_of


@dataclass(frozen=True, slots=True)
class ProgramCheck:
    """What came of one program; ``result`` is None when it was not built."""

    program: InputProgram
    result: RunResult | None
    diagnostics: tuple[Diagnostic, ...]


def _sources(program: InputProgram, options: Options) -> CudaSources:
    folders = tuple(dict.fromkeys(p.parent for p in program.sources))
    return CudaSources(
        (*program.sources, *program.host_sources),
        include_dirs=(*folders, *options.include_dirs),
        defines=options.defines,
        std=options.std,
    )


def source_files(built: BuiltProgram) -> SourceFiles:
    """What of the program's debug information is its own text."""
    here = Path.cwd()
    own = {
        str(f.original): f.original.relative_to(here)
        if f.original.is_relative_to(here)
        else f.original
        for f in built.tree.files
    }
    return SourceFiles(own, (include_dir(), cuda_library_dir()))


def check_program(
    program: InputProgram, options: Options, checks: frozenset[Check], work: Path, folder: Path
) -> ProgramCheck:
    """Builds the program in ``work`` and runs it in ``folder``, with ``checks`` if there are any.

    Raises ``UserError`` CM0030 without a compiler, CM0032 without the GPU that was asked for, and
    CM5241 with a compiler that cannot build checks.
    """
    compiler = find_compiler(options.cxx)
    sources = _sources(program, options)
    setup = RunSetup(options.program_args, options.limits, folder=folder)
    try:
        if not checks:
            gpu = gpu_of(options.oracle)
            built = (
                build_cuda_program(sources, work, compiler, options.cache_dir)
                if gpu is None
                else build_gpu_program(gpu, sources, work)
            )
            result = run_program(built, setup)
            ended = result.diagnostic()
            return ProgramCheck(program, result, () if ended is None else (ended,))
        built = build_checked(sources, work, compiler, options.cache_dir)
    except CompileError as error:
        found = error.diagnostic(verification.ORIGINAL_DOES_NOT_COMPILE)
        return ProgramCheck(program, None, (found,))
    run = run_checked(built, setup, checks)
    found_all = diagnostics_of(run.findings, source_files(built))
    ended = run.result.diagnostic()
    return ProgramCheck(program, run.result, found_all if ended is None else (*found_all, ended))
