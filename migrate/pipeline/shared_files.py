"""Files that several programs of a tree make: one where they agree, else one version each.

The first program's version keeps its place. Another program's version stands beside it under the
program's name, and that program's ``#include`` lines name it: a file with such a line is another
version too, if a program before has the file without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from migrate.core.artifact import AppliedEdit, GeneratedFile
from migrate.core.span import span_of

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)

ProgramFiles = tuple[str, tuple[GeneratedFile, ...]]
"""A program's name, and the files that its conversion made."""

Tree = Callable[[PurePosixPath], "bytes | None"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A program's version of a file that has its place from a program before."""

    path: PurePosixPath
    owner: str
    program: str
    place: PurePosixPath


@dataclass(frozen=True, slots=True)
class SharedTree:
    """All files of a tree, each path once, and the versions that stand beside another."""

    files: tuple[GeneratedFile, ...]
    moved: tuple[Moved, ...]


def own_place(path: PurePosixPath, program: str) -> PurePosixPath:
    """Where a program's own version of a file stands."""
    return path.with_name(f"{path.stem}.{program.replace('/', '-')}{path.suffix}")


def own_text(
    path: PurePosixPath, program: str, others: Iterable[PurePosixPath], tree: Tree
) -> bytes | None:
    """A program's version of a file in a shared tree, with ``#include`` lines as in its own tree.

    ``others`` are the program's files; ``tree`` gives the content of a path, if it is there.
    """
    own = own_place(path, program)
    content = tree(own)
    content = tree(path) if content is None else content
    if content is None:
        return None
    back = {own_place(p, program): p for p in others if tree(own_place(p, program)) is not None}
    for start, end, text in reversed(_named(content, path, back)):
        content = content[:start] + text + content[end:]
    return content


def shared_tree(programs: Iterable[ProgramFiles]) -> SharedTree:
    """Put the programs' files into one tree, in the order of the programs."""
    made: dict[PurePosixPath, GeneratedFile] = {}
    owners: dict[PurePosixPath, str] = {}
    moved: list[Moved] = []
    for name, files in programs:
        mine, places = _versions(name, files, made)
        for path, place in places.items():
            moved.append(Moved(path, owners[path], name, place))
        for path, file in mine.items():
            place = places.get(path, path)
            owners.setdefault(place, name)
            made.setdefault(place, replace(file, path=place))
    return SharedTree(tuple(made.values()), tuple(moved))


def _versions(
    name: str, files: tuple[GeneratedFile, ...], made: dict[PurePosixPath, GeneratedFile]
) -> tuple[dict[PurePosixPath, GeneratedFile], dict[PurePosixPath, PurePosixPath]]:
    """A program's files with their includes as they have to be, and those that need a place."""
    places: dict[PurePosixPath, PurePosixPath] = {}
    while True:
        mine = {f.path: _including(f, places) for f in files}
        more = {
            path: own_place(path, name)
            for path, file in mine.items()
            if path in made and made[path].content != file.content and path not in places
        }
        if not more:
            return mine, places
        places |= more


def _including(file: GeneratedFile, places: dict[PurePosixPath, PurePosixPath]) -> GeneratedFile:
    """The file with its ``#include`` lines changed that name a file which has another place."""
    found = _named(file.content, file.path, places)
    if not found:
        return file
    content = file.content
    for start, end, text in reversed(found):
        content = content[:start] + text + content[end:]
    if file.origin is None or not file.edits:
        return replace(file, content=content)
    original = Path(file.origin).read_bytes()
    added = tuple(
        AppliedEdit(span_of(file.origin, original, start, end), len(text))
        for start, end, text in _named(original, file.path, places)
    )
    edits = tuple(sorted((*file.edits, *added), key=lambda e: e.span.start))
    return replace(file, content=content, edits=edits)


def _named(
    content: bytes, path: PurePosixPath, places: dict[PurePosixPath, PurePosixPath]
) -> list[tuple[int, int, bytes]]:
    """Which parts of a text name a file that has another place, and what they become."""
    found: list[tuple[int, int, bytes]] = []
    for line in _INCLUDE.finditer(content):
        written = PurePosixPath(line.group(1).decode("utf-8", errors="replace"))
        target = _target(written, path, places)
        if target is not None:
            text = written.with_name(places[target].name).as_posix().encode()
            found.append((line.start(1), line.end(1), text))
    return found


def _target(
    written: PurePosixPath, path: PurePosixPath, places: dict[PurePosixPath, PurePosixPath]
) -> PurePosixPath | None:
    """The file that an include means: beside the file, or below an include folder."""
    parts: list[str] = []
    for part in (*path.parent.parts, *written.parts):
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    beside = PurePosixPath(*parts)
    if beside in places:
        return beside
    tail = tuple(p for p in written.parts if p not in (".", ".."))
    ends = [p for p in places if p.parts[-len(tail) :] == tail]
    return ends[0] if len(ends) == 1 else None
