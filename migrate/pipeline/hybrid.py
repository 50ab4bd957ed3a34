"""``--keep-cuda``: output trees that build for CUDA and for Ascend, file by file.

A converted source keeps its name and holds both sides behind guards (docs/hybrid.md); beside
``x.cu`` stands an ``x.asc`` of five lines that builds it for Ascend. Proofs are those of the
migrated side alone; the sides of a written file are compared with what was proven.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from migrate.backends.ascendc.build_files.tree import guard_build_file
from migrate.backends.ascendc.hybrid import DISPATCH, merge
from migrate.core.artifact import GeneratedFile
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.hybrid_text import HEADER, Platform, side, stub_target, stub_text
from migrate.core.span import span_of
from migrate.pipeline.build_files import TreeBuild


def hybrid_files(files: Iterable[GeneratedFile]) -> TreeBuild:
    """Converted files with both sides, and the dispatch header they include.

    A file that cannot be guarded stays two files, the original under its name, with CM6006.
    """
    out: list[GeneratedFile] = []
    found: list[Diagnostic] = []
    taken: set[PurePosixPath] = set()
    for file in files:
        if file.origin is None:
            out.append(file)
            continue
        source = Path(file.origin)
        original = source.read_bytes()
        place = file.path.with_name(source.name) if file.path.suffix == ".asc" else file.path
        up = "../" * (len(place.parts) - 1)
        text = None if place in taken else merge(
            original, file.content, file.edits, f"{up}{HEADER}"
        )  # fmt: skip
        if text is None:
            kept = _apart(file, place, original, found)
            out += [f for f in kept if f is file or place not in taken]
        elif file.content == original:
            out.append(file)
        else:
            out.append(GeneratedFile(place, text, origin=file.origin))
            if place != file.path:
                out.append(GeneratedFile(file.path, stub_text(place.name)))
        taken.add(place)
    out.append(GeneratedFile(PurePosixPath(HEADER), DISPATCH.encode()))
    return TreeBuild(tuple(out), tuple(found))


def _apart(
    file: GeneratedFile, place: PurePosixPath, original: bytes, found: list[Diagnostic]
) -> list[GeneratedFile]:
    span = span_of(str(file.origin), original, 0, 0)
    kept = place != file.path
    cause = f"{place} and {file.path} stay two files" if kept else f"{place} is the migrated file"
    found.append(Diagnostic(codes.NOT_GUARDED, Outcome.WEAKER, cause, span))
    return [GeneratedFile(place, original, origin=file.origin), file] if kept else [file]


def hybrid_build(tree: TreeBuild) -> TreeBuild:
    """Build files that ask ``USE_ASCEND`` which build they are."""
    out: list[GeneratedFile] = []
    for file in tree.files:
        if file.origin is None:
            out.append(file)
        else:
            out.append(guard_build_file(file, Path(file.origin).read_bytes()))
    return TreeBuild(tuple(out), tree.diagnostics)


def ascend_text(out: Path, place: PurePosixPath) -> bytes | None:
    """A file of an output tree as Ascend sees it, guarded or not; none when it is not there."""
    path = out / place
    if not path.is_file():
        return None
    text = path.read_bytes()
    name = stub_target(text)
    if name is not None and (path.parent / name).is_file():
        text = (path.parent / name).read_bytes()
    return side(text, Platform.ASCEND)
