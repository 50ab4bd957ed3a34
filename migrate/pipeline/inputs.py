"""Turns the paths of a command line into programs: groups of files that link together.

Every bad input is a diagnostic with a code: missing, empty, binary, unreadable, no CUDA.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Code, Diagnostic, Outcome, UserError

CUDA_SUFFIXES = frozenset({".cu"})
HOST_SUFFIXES = frozenset({".cpp", ".cc", ".cxx", ".c"})
_SKIPPED_DIRS = frozenset({".git", "build", "node_modules", "__pycache__"})
_MAIN = re.compile(rb"\bmain\s*\(")


@dataclass(frozen=True, slots=True)
class InputProgram:
    """Files that are converted and linked together.

    ``root`` is the directory to which relative output paths refer, ``sources`` the CUDA files,
    ``host_sources`` plain C++ files of the same directory that the program links.
    """

    name: str
    root: Path
    sources: tuple[Path, ...]
    host_sources: tuple[Path, ...] = ()
    has_main: bool = True


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
    without one belong to all of them.
    """
    programs: list[InputProgram] = []
    files = tuple(p for p in paths if not p.is_dir())
    for path in files:
        read_source(path)
    if files:
        programs += _group(files, _common_root(files), ())
    directories = tuple(p for p in paths if p.is_dir())
    # Several inputs keep their own folders in the output, or files of one name would meet.
    shared = None if len(paths) < 2 or not directories else _shared_root(paths)
    for directory in directories:
        found = _in_tree(directory)
        programs += found if shared is None else [replace(p, root=shared) for p in found]
    if not programs:
        names = ", ".join(str(p) for p in paths)
        raise _stop(usage.NO_CUDA_INPUT, f"no .cu file in {names}")
    return tuple(programs)


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


def _in_tree(root: Path) -> list[InputProgram]:
    found: dict[Path, list[Path]] = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts[:-1]
        if path.suffix in CUDA_SUFFIXES and path.is_file() and not _SKIPPED_DIRS & set(inside):
            found.setdefault(path.parent, []).append(path)
    programs: list[InputProgram] = []
    for directory, sources in found.items():
        for source in sources:
            read_source(source)
        host = sorted(p for p in directory.iterdir() if p.suffix in HOST_SUFFIXES and p.is_file())
        programs += _group(tuple(sources), root, tuple(host))
    return programs


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
