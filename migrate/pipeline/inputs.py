"""Turns the paths of a command line into programs: groups of files that link together.

Every bad input is a diagnostic with a code: missing, empty, binary, unreadable, no CUDA. A bad
file that was named ends the command; one in a tree is copied, reported, and costs no other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.compile_settings import CompileSettings
from migrate.core.cuda_text import holds_cuda
from migrate.core.diagnostics import Code, Diagnostic, Outcome, UserError
from migrate.core.span import span_of
from migrate.pipeline.compile_commands import Database
from migrate.pipeline.include_roots import IncludeRoots, included_names, walk
from migrate.pipeline.own_check import Words

CUDA_SUFFIXES = frozenset({".cu"})
HOST_SUFFIXES = frozenset({".cpp", ".cc", ".cxx", ".c"})
HEADER_SUFFIXES = frozenset({".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl"})
_MAIN = re.compile(rb"\bmain\s*\(")


@dataclass(frozen=True, slots=True)
class InputProgram:
    """Files that are converted and linked together.

    ``root`` is the directory to which relative output paths refer, ``sources`` the files with CUDA
    in them, ``host_sources`` plain C++ files of the same directory that the program links.
    ``settings`` are those of single files, from the build or from a look at the tree. ``files`` are
    copied to where the program runs: a name there, and the file. ``verdict`` is what decides about
    a run.
    """

    name: str
    root: Path
    sources: tuple[Path, ...]
    host_sources: tuple[Path, ...] = ()
    has_main: bool = True
    settings: tuple[tuple[Path, CompileSettings], ...] = ()
    files: tuple[tuple[str, Path], ...] = ()
    verdict: Words = Words.PRINTED

    def settings_of(self, path: Path) -> CompileSettings:
        """How one of the sources is compiled."""
        return next((s for p, s in self.settings if p == path), CompileSettings())

    @property
    def joint_settings(self) -> CompileSettings:
        """One set for all sources, for a build that has one: what is said first wins."""
        joint = CompileSettings()
        for _, settings in self.settings:
            joint = settings.under(joint)
        return joint


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that a command was given.

    ``copies`` are files of the given trees with their place below the output directory: what no
    program turns into something else is copied there. ``diagnostics`` belong to no program.
    """

    programs: tuple[InputProgram, ...]
    copies: tuple[tuple[Path, Path], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def _stop(code: Code, cause: str) -> UserError:
    return UserError(Diagnostic(code, Outcome.STOPPED, cause))


def read_source(path: Path) -> bytes:
    """The bytes of a source file. Raises :class:`UserError` CM0001, CM0002, CM0003 or CM0011."""
    if not path.exists():
        raise _stop(usage.MISSING_INPUT, f"{path} does not exist")
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _stop(usage.UNREADABLE_INPUT, f"{path}: {error.strerror}") from error
    if not text.strip():
        raise _stop(usage.EMPTY_INPUT, f"{path} holds {len(text)} bytes and no code")
    if b"\0" in text:
        raise _stop(usage.BINARY_INPUT, f"{path} has a zero byte at offset {text.index(bytes(1))}")
    return text


def find_programs(paths: tuple[Path, ...]) -> tuple[InputProgram, ...]:
    """The programs below files and directories.

    Several files given together are one program when at most one of them has a ``main``. In a
    directory tree each directory is looked at on its own: when at most one of its files has a
    ``main`` they form one program, otherwise each file with a ``main`` is a program and files
    without one belong to all of them. Raises :class:`UserError`: CM0008 where nothing is CUDA.
    """
    found = find_inputs(paths)
    if not found.programs:
        names = ", ".join(str(p) for p in paths)
        raise _stop(usage.NO_CUDA_INPUT, f"no .cu file in {names}")
    return found.programs


def find_inputs(
    paths: tuple[Path, ...], database: Database | None = None, out: Path | None = None
) -> Inputs:
    """The programs below files and directories, and the files that are copied beside them.

    With a compilation database only files that it names are programs, and each is parsed with the
    settings of its own command; without paths all its files are. ``out`` is not looked into.
    """
    if database is not None and not paths:
        paths = tuple(f.path for f in database.files if f.cuda)
    files = tuple(p for p in paths if not p.is_dir())
    for path in files:
        read_source(path)
    scan = _Scan(database, frozenset() if out is None else frozenset({out.resolve()}))
    if files:
        scan.group(files, _common_root(files), (), IncludeRoots())
    directories = tuple(p for p in paths if p.is_dir())
    # Several inputs keep their own folders in the output, or files of one name would meet.
    shared = None if len(paths) < 2 or not directories else _shared_root(paths)
    for directory in directories:
        scan.tree(directory, shared or directory)
    if not scan.programs and not scan.has_source:
        names = ", ".join(str(p) for p in paths)
        raise _stop(usage.NO_CUDA_INPUT, f"no .cu file in {names}")
    if not scan.programs:
        cause = "no file has a kernel, a launch or a CUDA call: the tree is copied as it is"
        scan.diagnostics.append(Diagnostic(usage.NO_CUDA_INPUT, Outcome.WEAKER, cause))
    known = () if database is None else database.diagnostics
    return Inputs(tuple(scan.programs), tuple(scan.copies.items()), (*known, *scan.diagnostics))


def _shared_root(paths: tuple[Path, ...]) -> Path:
    """The deepest folder above all inputs, spelled as they are (relative inputs stay relative)."""
    folders = {p if p.is_dir() else p.parent for p in paths}
    parents = {f.parent for f in folders}
    return parents.pop() if len(parents) == 1 else Path(*_shared_parts(folders))


def _common_root(files: tuple[Path, ...]) -> Path:
    parents = {f.parent for f in files}
    return parents.pop() if len(parents) == 1 else Path(*_shared_parts(parents))


def _shared_parts(paths: set[Path]) -> tuple[str, ...]:
    split = [p.resolve().parts for p in sorted(paths)]
    shared: list[str] = []
    for column in zip(*split, strict=False):
        if len(set(column)) != 1:
            break
        shared.append(column[0])
    return tuple(shared) or (".",)


class _Scan:
    """Collects programs, copies and findings over all inputs."""

    def __init__(self, database: Database | None, skipped: frozenset[Path]) -> None:
        self.programs: list[InputProgram] = []
        self.copies: dict[Path, Path] = {}
        self.diagnostics: list[Diagnostic] = []
        self.has_source = False
        self._skipped = skipped
        self._database = None
        if database is not None:
            self._database = {f.path.resolve(): f.settings for f in database.files}

    def tree(self, directory: Path, root: Path) -> None:
        """A directory: its CUDA files are programs, and every other file is a copy."""
        files = tuple(walk(directory, self._skipped))
        for path in files:
            self.copies[path] = path.relative_to(root)
        texts = self._readable(files)
        included = frozenset(
            Path(name).name for text in texts.values() for name, _ in included_names(text)
        )
        folders: dict[Path, list[Path]] = {}
        for path, text in texts.items():
            if self._is_source(path, text, included):
                folders.setdefault(path.parent, []).append(path)
        self.has_source |= bool(texts)
        roots = IncludeRoots(directory)
        for folder, sources in folders.items():
            host = tuple(
                p for p in texts
                if p.parent == folder and p.suffix in HOST_SUFFIXES and p not in sources
            )  # fmt: skip
            self.group(tuple(sources), root, host, roots)

    def _readable(self, files: tuple[Path, ...]) -> dict[Path, bytes]:
        """The C++ of a tree. A CUDA file that is empty, binary or locked is reported."""
        texts: dict[Path, bytes] = {}
        for path in files:
            if path.suffix not in CUDA_SUFFIXES | HOST_SUFFIXES | HEADER_SUFFIXES:
                continue
            try:
                texts[path] = read_source(path)
            except UserError as error:
                if path.suffix in CUDA_SUFFIXES:
                    inner = error.diagnostic
                    cause = f"{inner.code.id}: {inner.code.title}: {inner.cause}"
                    where = span_of(str(path), b"", 0, 0)
                    self.diagnostics.append(
                        Diagnostic(usage.FILE_NOT_CONVERTED, Outcome.WEAKER, cause, where)
                    )
        return texts

    def _is_source(self, path: Path, text: bytes, included: frozenset[str]) -> bool:
        if self._database is not None:
            return path.resolve() in self._database and (
                path.suffix in CUDA_SUFFIXES or holds_cuda(text)
            )
        if path.suffix in CUDA_SUFFIXES:
            return True
        if path.suffix in HOST_SUFFIXES:
            return path.name not in included and holds_cuda(text)
        # A header that nothing includes is read for itself, or its kernels would be lost.
        return path.name not in included and b"__global__" in text and holds_cuda(text)

    def group(
        self, sources: tuple[Path, ...], root: Path, host: tuple[Path, ...], roots: IncludeRoots
    ) -> None:
        """Files that stand together: one program, or one for each ``main``."""
        for program in _group(sources, root, host):
            settings: list[tuple[Path, CompileSettings]] = []
            for path in program.sources:
                own = CompileSettings()
                if self._database is not None:
                    own = self._database.get(path.resolve(), own)
                late = roots.find((path,), own.all_dirs)
                own = replace(own, late_dirs=(*own.late_dirs, *late))
                if own != CompileSettings():
                    settings.append((path, own))
            self.programs.append(replace(program, settings=tuple(settings)))


def _group(sources: tuple[Path, ...], root: Path, host: tuple[Path, ...]) -> list[InputProgram]:
    mains = [p for p in (*sources, *host) if _MAIN.search(p.read_bytes())]
    if len(mains) <= 1:
        name = (mains[0] if mains else sources[0]).stem
        if name == "main" and len(sources[0].parent.parts):
            name = sources[0].parent.resolve().name
        return [InputProgram(name, root, sources, host, bool(mains))]
    shared = tuple(p for p in sources if p not in mains)
    shared_host = tuple(p for p in host if p not in mains)
    return [
        InputProgram(
            m.stem,
            root,
            (m, *shared) if m in sources else shared,
            shared_host if m in sources else (m, *shared_host),
        )
        for m in mains
        if m in sources or shared
    ]
