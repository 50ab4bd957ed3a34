"""Copies a program's own files, rewritten, into a scratch directory with the same layout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.core.hybrid_text import Platform, blanked
from migrate.emulation.cuda_tokens import lex
from migrate.emulation.source_rewrite import (
    RewriteProblem,
    RewrittenSource,
    kernel_macros,
    kernel_names,
    rewrite,
)

_OPENMP = re.compile(r"^[ \t]*#[ \t]*(?:pragma[ \t]+omp\b|include[ \t]*<omp\.h>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """One file of the program: where it came from, where its C++ is, what was not handled.

    ``plain`` tells that it holds nothing of CUDA, ``openmp`` that it uses OpenMP.
    """

    original: Path
    path: Path
    problems: tuple[RewriteProblem, ...]
    plain: bool = False
    openmp: bool = False


@dataclass(frozen=True, slots=True)
class RewrittenTree:
    """``sources`` in the order given, without those that another one includes; ``include_dirs`` as
    they are in the copy, originals last."""

    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    files: tuple[RewrittenFile, ...]


def _read(path: Path) -> str:
    # One byte, one character: offsets and bytes outside ASCII survive unchanged.
    return blanked(path.read_bytes(), Platform.CUDA).decode("latin-1")


def _resolve(name: str, quoted: bool, folder: Path, include_dirs: Sequence[Path]) -> Path | None:
    for directory in (folder, *include_dirs) if quoted else tuple(include_dirs):
        candidate = Path(os.path.normpath(directory / name))
        if candidate.is_file():
            return candidate
    return None


def local_files(sources: Sequence[Path], include_dirs: Sequence[Path]) -> tuple[Path, ...]:
    """The sources and every file that they include from their own or the given directories."""
    pending = [Path(os.path.normpath(path.absolute())) for path in sources]
    folders = [Path(os.path.normpath(path.absolute())) for path in include_dirs]
    seen: dict[Path, None] = {}
    while pending:
        path = pending.pop(0)
        if path in seen:
            continue
        seen[path] = None
        for include in lex(_read(path)).includes:
            found = _resolve(include.name, include.quoted, path.parent, folders)
            if found is not None and found not in seen:
                pending.append(found)
    return tuple(seen)


Rewrite = Callable[[str, frozenset[str], frozenset[str]], RewrittenSource]
"""Rewrites one source, given words for ``__global__`` and kernels of all files."""


def rewrite_tree(
    sources: Sequence[Path],
    include_dirs: Sequence[Path],
    destination: Path,
    change: Rewrite = rewrite,
) -> RewrittenTree:
    """Writes the closure of ``sources``, rewritten by ``change``, below ``destination``.

    Each copy starts with a ``#line`` directive, so that compilers name the original file and line.
    Raises ``OSError`` when a source cannot be read or the destination cannot be written.
    """
    files = local_files(sources, include_dirs)
    folders = [Path(os.path.normpath(path.absolute())) for path in include_dirs]
    root = Path(os.path.commonpath([str(path.parent) for path in files]))
    texts = {path: _read(path) for path in files}
    streams = {path: lex(text) for path, text in texts.items()}
    words = frozenset[str]().union({"__global__"}, *map(kernel_macros, streams.values()))
    kernels = frozenset[str]().union(*(kernel_names(s, words) for s in streams.values()))
    written: dict[Path, RewrittenFile] = {}
    for path in files:
        copy = destination / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        result = change(texts[path], words, kernels)
        name = str(path).replace("\\", "\\\\").replace('"', '\\"')
        copy.write_bytes(f'#line 1 "{name}"\n{result.text}'.encode("latin-1", "replace"))
        plain = result.text == texts[path]
        openmp = _OPENMP.search(texts[path]) is not None
        written[path] = RewrittenFile(path, copy, result.problems, plain, openmp)
    mapped = [destination / f.relative_to(root) for f in folders if f.is_relative_to(root)]
    included = {
        _resolve(include.name, include.quoted, path.parent, folders)
        for path, stream in streams.items()
        for include in stream.includes
    }
    asked = [Path(os.path.normpath(path.absolute())) for path in sources]
    # What another source includes is a part of that one and no unit of its own.
    units = [path for path in asked if path not in included] or asked
    return RewrittenTree(
        tuple(written[path].path for path in units),
        (*(d for d in mapped if d.is_dir()), *folders, root),
        tuple(written.values()),
    )
