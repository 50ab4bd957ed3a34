"""Folders that make a tree's ``#include`` lines resolve, when no build says which they are.

They are searched after every other folder (``-idirafter``), so a guess can add a header and can
never take the place of one that is found already.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from migrate.frontend.toolchain import STUBS

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\r\n]+)[>"]', re.MULTILINE)
_USUAL = ("", "include", "inc", "src", "common", "Common")
_LEVELS = 5
SKIPPED_DIRS = frozenset({".git", ".svn", "build", "node_modules", "__pycache__"})
"""Folders whose content is made by tools or is no part of the program."""


def included_names(text: bytes) -> tuple[tuple[str, bool], ...]:
    """(name, quoted) of every include line of a text, comments not looked at."""
    return tuple(
        (m.group(2).decode("utf-8", errors="replace"), m.group(1) == b'"')
        for m in _INCLUDE.finditer(text)
    )


@dataclass(slots=True)
class IncludeRoots:
    """Finds search folders for programs. ``tree`` is the folder that was given as an input."""

    tree: Path | None = None
    _index: dict[str, list[Path]] | None = None
    _texts: dict[Path, tuple[tuple[str, bool], ...]] = field(default_factory=dict)

    def find(self, sources: Iterable[Path], given: tuple[Path, ...]) -> tuple[Path, ...]:
        """The folders that the sources and what they include need beside ``given``."""
        found: dict[Path, None] = {}
        pending = list(sources)
        seen: set[Path] = set()
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            for name, quoted in self._includes(path):
                folders = (*((path.parent,) if quoted else ()), *given, *found)
                target = _in(folders, name)
                if target is None and not (STUBS / name).is_file():
                    root = self._root_for(path, name)
                    if root is not None:
                        found[root] = None
                        target = root / name
                if target is not None:
                    pending.append(target)
        return tuple(found)

    def _includes(self, path: Path) -> tuple[tuple[str, bool], ...]:
        if path not in self._texts:
            try:
                self._texts[path] = included_names(path.read_bytes())
            except OSError:
                self._texts[path] = ()
        return self._texts[path]

    def _root_for(self, path: Path, name: str) -> Path | None:
        for folder in _above(path.parent, self.tree):
            for usual in _USUAL:
                if (folder / usual / name).is_file():
                    return folder / usual if usual else folder
        return self._nearest(path, name)

    def _nearest(self, path: Path, name: str) -> Path | None:
        """Of the tree's files that end in ``name`` the one with most folders of ``path``."""
        tail = Path(os.path.normpath(name))
        if self.tree is None or ".." in tail.parts or tail.is_absolute() or not tail.suffix:
            return None
        hits = [
            f for f in self._files().get(tail.name, ()) if f.parts[-len(tail.parts) :] == tail.parts
        ]
        if not hits:
            return None
        best = max(sorted(hits), key=lambda f: _shared(f, path))
        return Path(*best.parts[: -len(tail.parts)])

    def _files(self) -> dict[str, list[Path]]:
        if self._index is None:
            self._index = {}
            for path in walk(self.tree) if self.tree is not None else ():
                self._index.setdefault(path.name, []).append(path)
        return self._index


def _shared(first: Path, second: Path) -> int:
    return len(Path(os.path.commonpath((first.absolute(), second.absolute()))).parts)


def _in(folders: Iterable[Path], name: str) -> Path | None:
    for folder in folders:
        if (folder / name).is_file():
            return Path(os.path.normpath(folder / name))
    return None


def _above(folder: Path, tree: Path | None) -> Iterator[Path]:
    """The folder and those above it: up to the input, a repository's top, or a few levels."""
    at = folder
    for _ in range(_LEVELS):
        yield at
        if at == tree or (at / ".git").exists() or at.absolute() == at.absolute().parent:
            return
        at = at.parent if at.name else at.absolute().parent


def walk(root: Path, skipped: frozenset[Path] = frozenset()) -> Iterator[Path]:
    """The files below a folder, sorted; made folders and output trees of ours are left out."""
    for name, folders, files in os.walk(root):
        here = Path(name)
        folders[:] = sorted(
            f
            for f in folders
            if f not in SKIPPED_DIRS
            and (here / f).resolve() not in skipped
            and not (here / f / "cudamigrate.json").is_file()
        )
        for file in sorted(files):
            path = here / file
            if path.is_file():
                yield path
