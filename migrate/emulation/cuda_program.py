"""A CUDA program on the CPU: rewritten, built, run, captured."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from migrate.core.options import Limits
from migrate.core.resources import cuda_library_dir, include_dir
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.source_rewrite import RewrittenSource, rewrite
from migrate.emulation.source_tree import Rewrite, RewrittenTree, rewrite_tree
from migrate.emulation.toolchain import (
    BuildOptions,
    CompileError,
    Compiler,
    build_program,
    compile_object,
)

# Wrapping integers and unconstrained aliasing are what device compilers give; contraction is off
# so that the numbers do not depend on the machine.
# CUDA_EMU_SEPARATE leaves the runtime's large functions to one object that every program shares.
CUDA_FLAGS = ("-O2", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-DCUDA_EMU_SEPARATE")
OPENMP = "-fopenmp"
_CAPTURE_VARIABLE = {False: "CUDAMIGRATE_CAPTURE_DIR", True: "CUDAMIGRATE_TAP_DIR"}
HOST_SUFFIXES = (".cpp", ".cc", ".cxx")
# Flags for a second build that finds what C++ leaves undefined and a device does in its own way:
# oversized shifts, conversions out of range, division by zero. Findings name the original line.
UNDEFINED_CHECKS = ("-fsanitize=shift,float-cast-overflow,integer-divide-by-zero",)


def undefined_behaviour(stderr: str) -> tuple[str, ...]:
    """The distinct findings in the error text of a run that was built with the checks."""
    found = (line.strip() for line in stderr.splitlines() if ": runtime error: " in line)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class BuiltProgram:
    """An executable and the rewritten sources that it was made from.

    ``on_device`` says that it holds the tap (``gpu_program.py``) in place of the CPU runtime.
    """

    path: Path
    tree: RewrittenTree
    on_device: bool = False


@dataclass(frozen=True, slots=True)
class CaptureRun:
    """A captured run: the directory (``launches.jsonl``, ``blobs/``, ``summary.json``), the run
    and the recorder's own status, ``ok`` when the program ended in an orderly way."""

    directory: Path
    result: RunResult
    status: str


@dataclass(frozen=True, slots=True)
class CudaSources:
    """What to build: the program's sources and how its own build would compile them.

    ``fissioned`` is C++ of its kernels as loops over threads; left out when it does not compile.
    """

    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    std: str = "c++17"
    fissioned: str = ""


@dataclass(frozen=True, slots=True)
class RunSetup:
    """How to run a program: arguments, limits, added environment, working directory
    (an empty scratch directory when None), and what it may write to besides. ``files`` are copied
    there first: a name below the directory, and the file."""

    args: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    environment: tuple[tuple[str, str], ...] = ()
    folder: Path | None = None
    writable: tuple[Path, ...] = ()
    files: tuple[tuple[str, Path], ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureCaps:
    """How much a capture stores: bytes of contents, launches of each kernel instantiation."""

    max_bytes: int = 512 << 20
    max_launches: int = 3


def cuda_build_options(program: CudaSources, cache_dir: Path | None) -> BuildOptions:
    """Options that compile rewritten CUDA sources, and ordinary C++ ones beside them."""
    headers = include_dir() / "cuda_emu"
    old = ("c++98", "c++03", "c++11", "c++14")  # the runtime's headers need C++17
    return BuildOptions(
        flags=(*CUDA_FLAGS, *program.flags),
        include_dirs=(*program.include_dirs, headers, cuda_library_dir()),
        defines=program.defines,
        std="c++17" if program.std in old else program.std,
        prelude=headers / "cuda_runtime.h",
        runtime=headers / "runtime.cpp",
        cache_dir=cache_dir,
    )


def build_cuda_program(
    program: CudaSources,
    work: Path,
    compiler: Compiler,
    cache_dir: Path | None = None,
    change: Callable[[BuildOptions], BuildOptions] = lambda options: options,
) -> BuiltProgram:
    """Rewrites the sources into ``work/src`` and builds ``work/program``.

    ``change`` has the last word on how. Raises ``CompileError`` (its text names the original files
    and lines) and ``OSError``.
    """
    try:
        return _build(program, work, compiler, cache_dir, change, rewrite)
    except CompileError:
        # Conversions are marked by words alone; a program that is fine without them builds so.
        return _build(program, work, compiler, cache_dir, change, _unconverted)


def _unconverted(
    source: str, kernel_words: frozenset[str], other_kernels: frozenset[str]
) -> RewrittenSource:
    return rewrite(source, kernel_words, other_kernels, conversions=False)


def _build(
    program: CudaSources,
    work: Path,
    compiler: Compiler,
    cache_dir: Path | None,
    change: Callable[[BuildOptions], BuildOptions],
    how: Rewrite,
) -> BuiltProgram:
    tree = rewrite_tree(program.sources, program.include_dirs, work / "src", how)
    options = cuda_build_options(replace(program, include_dirs=tree.include_dirs), cache_dir)
    options = change(_with_openmp(options, tree, compiler))
    loops = _compile_fissioned(program.fissioned, work, compiler, options)
    # nvcc leaves a C++ file to the host compiler, which knows nothing of CUDA until it is included.
    host = {f.path for f in tree.files if f.plain and f.path.suffix in HOST_SUFFIXES}
    bare = tuple(s for s in tree.sources if s in host)
    path = build_program(compiler, tree.sources, work / "program", options, loops, bare)
    return BuiltProgram(path, tree)


def _with_openmp(options: BuildOptions, tree: RewrittenTree, compiler: Compiler) -> BuildOptions:
    """OpenMP for a program that uses it; its own build would ask for it in a makefile.

    The runtime is compiled without it, as for every other program.
    """
    if compiler.family != "gcc" or not any(f.openmp for f in tree.files):
        return options
    units, libraries = (*options.unit_flags, OPENMP), (*options.libraries, OPENMP)
    return replace(options, unit_flags=units, libraries=libraries)


def _compile_fissioned(
    text: str, work: Path, compiler: Compiler, options: BuildOptions
) -> tuple[Path, ...]:
    """The object with the kernels as loops; none without any, or when g++ rejects them."""
    if not text:
        return ()
    source = work / "fissioned.cpp"
    source.write_text(text, encoding="utf-8")
    try:
        fast = replace(options, flags=(*options.flags, "-O3"), defines=())
        return (compile_object(compiler, source, work / "fissioned.o", fast),)
    except CompileError:
        return ()


def run_program(built: BuiltProgram, setup: RunSetup | None = None) -> RunResult:
    """Runs the program in a sandbox; see ``run_command``."""
    how = _for_device(setup or RunSetup()) if built.on_device else setup or RunSetup()
    command = [str(built.path.absolute()), *how.args]
    return run_command(
        command,
        how.limits,
        dict(how.environment),
        how.folder,
        writable=how.writable,
        files=how.files,
    )


def _for_device(setup: RunSetup) -> RunSetup:
    """A driver maps all memory of its devices, and writes to their files."""
    limits = replace(setup.limits, reserved_bytes=max(setup.limits.reserved_bytes, 1 << 46))
    return replace(setup, limits=limits, writable=(*setup.writable, Path("/dev")))


def capture_program(
    built: BuiltProgram,
    directory: Path,
    setup: RunSetup | None = None,
    caps: CaptureCaps | None = None,
) -> CaptureRun:
    """Runs the program with its launches recorded in ``directory``; compresses the contents."""
    directory.mkdir(parents=True, exist_ok=True)
    how, cap = setup or RunSetup(), caps or CaptureCaps()
    variables = (
        *how.environment,
        (_CAPTURE_VARIABLE[built.on_device], str(directory.absolute())),
        ("CUDAMIGRATE_FISSION_REPORT", str(directory.absolute() / "fission.jsonl")),
        ("CUDAMIGRATE_CAPTURE_MAX_BYTES", str(cap.max_bytes)),
        ("CUDAMIGRATE_CAPTURE_MAX_LAUNCHES", str(cap.max_launches)),
    )
    places = (*how.writable, directory)
    result = run_program(built, replace(how, environment=variables, writable=places))
    pack_blobs(directory)
    return CaptureRun(directory, result, _status(directory))


def _status(directory: Path) -> str:
    try:
        summary = json.loads((directory / "summary.json").read_text())
        return str(summary["status"])
    except FileNotFoundError:
        return "no-launches"
    except (OSError, ValueError, KeyError, TypeError):
        return "unreadable"


def pack_blobs(directory: Path) -> None:
    """Compresses ``blobs/*.bin`` to ``.bin.z`` where that saves a tenth or more."""
    for path in sorted((directory / "blobs").glob("*.bin")):
        raw = path.read_bytes()
        packed = zlib.compress(raw, 1)
        if len(packed) * 10 <= len(raw) * 9:
            path.with_suffix(".bin.z").write_bytes(packed)
            path.unlink()
