"""Finds a host C++ compiler and builds programs with it, each object once for its content."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from migrate.core.codes.usage import NO_CXX_COMPILER
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Suggestion, Trust, UserError
from migrate.core.span import NO_SPAN, Span

_CANDIDATES = ("g++", "clang++", "c++")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler that works; ``family`` is ``gcc`` or ``clang``, ``version`` its own line."""

    program: str
    family: str
    version: str


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to compile and link.

    ``prelude`` is a header included before every C++ source; with gcc it is precompiled and kept in
    ``cache_dir``. ``runtime`` is a source added to every program, compiled without the prelude.
    ``unit_flags`` are for compiling the program's own units, not the runtime, and not for linking.
    ``seconds`` limits one compiler run. No cache when ``cache_dir`` is None.
    """

    flags: tuple[str, ...] = ("-O2", "-ffp-contract=off")
    unit_flags: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    prelude: Path | None = None
    runtime: Path | None = None
    libraries: tuple[str, ...] = ("-lm",)
    cache_dir: Path | None = None
    seconds: float = 300.0


class CompileError(Exception):
    """A source that did not compile, or objects that did not link.

    ``stderr`` is the compiler's text; ``source`` the file (the output for a failed link).
    """

    def __init__(self, source: Path, stderr: str, command: tuple[str, ...]) -> None:
        self.source = source
        self.stderr = stderr
        self.command = command
        super().__init__(f"{source.name}: {self.first_error}")

    @property
    def first_error(self) -> str:
        """The first line of the compiler's text that reports an error."""
        lines = self.stderr.splitlines()
        wanted = ("error:", "undefined reference", "timed out")
        return next((line for line in lines if any(w in line for w in wanted)), self.stderr[:200])

    def diagnostic(self, code: Code, span: Span = NO_SPAN) -> Diagnostic:
        """The finding to report, under the code that fits what was being compiled."""
        return Diagnostic(code, Outcome.STOPPED, self.first_error.strip() or "no message", span)


def _version(program: str) -> str | None:
    try:
        run = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.splitlines()[0] if run.returncode == 0 and run.stdout else None


@lru_cache(maxsize=8)
def find_compiler(cxx: str | None = None) -> Compiler:
    """The compiler named by ``cxx``, else the first of g++, clang++ and c++ that runs.

    Raises ``UserError`` (CM0030) when there is none.
    """
    names = (cxx,) if cxx else _CANDIDATES
    for name in names:
        program = shutil.which(name)
        version = _version(program) if program else None
        if program and version:
            family = "clang" if "clang" in version.lower() else "gcc"
            return Compiler(program, family, version)
    raise UserError(
        Diagnostic(
            NO_CXX_COMPILER,
            Outcome.STOPPED,
            f"tried {', '.join(names)}",
            suggestion=Suggestion("install g++ or clang++, or set CXX", Trust.SHOW),
        )
    )


def _run(command: Sequence[str], source: Path, seconds: float, folder: Path | None = None) -> str:
    try:
        run = subprocess.run(
            list(command), capture_output=True, timeout=seconds, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired:
        raise CompileError(source, "the compiler timed out", tuple(command)) from None
    if run.returncode != 0:
        raise CompileError(source, run.stderr.decode("utf-8", "replace"), tuple(command))
    return run.stdout.decode("latin-1")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def _base_flags(options: BuildOptions, language: str) -> list[str]:
    std = [] if language == "c" else [f"-std={options.std}"]
    return [*std, "-w", "-pthread", *options.flags, *options.unit_flags]


def _search_flags(options: BuildOptions) -> list[str]:
    flags = [f"-D{define}" for define in options.defines]
    for directory in options.include_dirs:
        flags += ["-I", str(directory)]
    return flags


def _keep(made: Path, kept: Path) -> None:
    """Puts a finished file into the cache; two processes may do it at once."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as out:
        temporary = Path(out.name)
    shutil.copyfile(made, temporary)
    os.replace(temporary, kept)


@lru_cache(maxsize=32)
def _precompiled(
    compiler: Compiler, prelude: Path, flags: tuple[str, ...], cache_dir: Path, stamp: str
) -> Path:
    """A header that stands for ``prelude`` and has its precompiled form beside it (gcc only)."""
    folder = cache_dir / "pch" / _digest(compiler.version, str(prelude), *flags, stamp)
    header = folder / "prelude.h"
    compiled = folder / "prelude.h.gch"
    if compiled.is_file():
        return header
    folder.mkdir(parents=True, exist_ok=True)
    header.write_text(f'#include "{prelude}"\n')
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / "prelude.h.gch"
        command = [compiler.program, "-x", "c++-header", *flags, str(header), "-o", str(made)]
        _run(command, prelude, 300.0)
        os.replace(made, compiled)
    return header


def _stamp(prelude: Path) -> str:
    """Changes when any file beside or below the prelude does."""
    parts: list[str] = []
    for path in sorted(prelude.parent.rglob("*.h")):
        stat = path.stat()
        parts.append(f"{path}:{stat.st_size}:{stat.st_mtime_ns}")
    return _digest(*parts)


def _forced_include(compiler: Compiler, options: BuildOptions) -> list[str]:
    prelude = options.prelude
    if prelude is None:
        return []
    if compiler.family != "gcc" or options.cache_dir is None:
        return ["-include", str(prelude)]
    flags = tuple(_base_flags(options, "c++"))
    try:
        header = _precompiled(compiler, prelude, flags, options.cache_dir, _stamp(prelude))
    except OSError:
        return ["-include", str(prelude)]  # a cache that cannot be written only costs time
    return ["-include", str(header)]


def compile_object(compiler: Compiler, source: Path, output: Path, options: BuildOptions) -> Path:
    """Compiles one source to ``output``; ``.c`` as C, everything else as C++.

    The cache key is the preprocessed text, so it covers every header and no path. Raises
    ``CompileError``.
    """
    language = "c" if source.suffix == ".c" else "c++"
    base = [compiler.program, "-x", language, *_base_flags(options, language)]
    search = _search_flags(options)
    forced = ["-include", str(options.prelude)] if options.prelude and language != "c" else []
    output.parent.mkdir(parents=True, exist_ok=True)
    kept: Path | None = None
    if options.cache_dir is not None:
        text = _run([*base, *search, *forced, "-E", "-P", str(source)], source, options.seconds)
        key = _digest(compiler.version, *base[1:], text)
        kept = options.cache_dir / "objects" / f"{key}.o"
        if kept.is_file():
            shutil.copyfile(kept, output)
            return output
    if language != "c":
        forced = _forced_include(compiler, options)
    command = [*base, *search, *forced, "-c", str(source), "-o", str(output)]
    _run(command, source, options.seconds)
    if kept is not None:
        # The object is there either way; without the cache only the next build is slower.
        with contextlib.suppress(OSError):
            _keep(output, kept)
    return output


def build_program(
    compiler: Compiler,
    sources: Sequence[Path],
    output: Path,
    options: BuildOptions,
    compiled: Sequence[Path] = (),
    without_prelude: Sequence[Path] = (),
) -> Path:
    """Compiles the sources and links them, with what is ``compiled`` already, to ``output``.

    Raises ``CompileError``.
    """
    plain = replace(options, prelude=None)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-build-") as scratch:
        objects: list[Path] = []
        if options.runtime is not None:
            # First: of an inline function that the runtime has as well, the linker keeps the
            # runtime's, which is without the instrumentation that unit_flags may ask for.
            bare = replace(options, prelude=None, defines=(), runtime=None, unit_flags=())
            made = Path(scratch) / "runtime.o"
            objects.append(compile_object(compiler, options.runtime, made, bare))
        objects += (
            compile_object(
                compiler,
                source,
                Path(scratch) / f"{number}.o",
                plain if source in without_prelude else options,
            )
            for number, source in enumerate(sources)
        )
        objects += compiled
        command = [compiler.program, "-pthread", *options.flags, *map(str, objects)]
        _run([*command, "-o", str(output), *options.libraries], output, options.seconds)
    return output
