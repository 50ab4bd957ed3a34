"""Build files of converted trees: read from the inputs, migrated, and given a way to the CPU.

Beside a migrated build file stands ``cpu-build/``: with it the tree builds on a machine without the
vendor's compiler, against the runtime for the CPU (docs/build-files.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from migrate.backends.ascendc.build_files.tree import BuildFile, is_build_file, migrate_build_files
from migrate.backends.ascendc.build_files.world import Chip
from migrate.core.artifact import GeneratedFile
from migrate.core.diagnostics import Diagnostic
from migrate.core.resources import data_dir
from migrate.core.targets import Target, target_facts
from migrate.pipeline.inputs import Inputs

CPU_BUILD = PurePosixPath("cpu-build")
"""Where the files lie that build a migrated tree for the CPU."""
_EMPTY_ARCHIVE = b"!<arch>\n"
_LIBRARIES = ("ascendcl", "acl_rtc", "hccl", "nnopbase", "opapi")


@dataclass(frozen=True, slots=True)
class TreeBuild:
    """Files to write into the output tree, and findings that belong to no program."""

    files: tuple[GeneratedFile, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def build_files(inputs: Inputs, made: tuple[GeneratedFile, ...], target: Target) -> TreeBuild:
    """The build files of the input trees for a target; nothing for TileLang, which needs none.

    ``made`` are the converted sources, which say what is called what now.
    """
    if target is Target.TILELANG:
        return TreeBuild()
    places = {path.resolve(): PurePosixPath(place) for path, place in inputs.copies}
    renamed = {
        places[Path(f.origin).resolve()]: f.path
        for f in made
        if f.origin is not None and Path(f.origin).resolve() in places
    }
    found = tuple(
        BuildFile(PurePosixPath(place), str(path), _read(path))
        for path, place in inputs.copies
        if is_build_file(PurePosixPath(place))
    )
    facts = target_facts(target)
    chip = Chip(facts.npu_arch, simt=target is Target.ASCEND_950)
    changed = {old: new for old, new in renamed.items() if old.name != new.name}
    result = migrate_build_files(found, changed, chip)
    extra: list[GeneratedFile] = []
    if result.files:
        extra += cpu_build()
    for path in result.python:
        extra.append(_extension(path.parent, chip))
    return TreeBuild((*result.files, *extra), result.diagnostics)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def cpu_build() -> list[GeneratedFile]:
    """The compiler for the CPU under the vendor's name, and what CMake and make need to find it."""
    folder = data_dir("templates") / "cpu-build"
    files = [
        GeneratedFile(CPU_BUILD / path.name, path.read_bytes()) for path in sorted(folder.iterdir())
    ]
    files += [
        GeneratedFile(CPU_BUILD / "lib64" / f"lib{name}.a", _EMPTY_ARCHIVE) for name in _LIBRARIES
    ]
    return files


def _extension(folder: PurePosixPath, chip: Chip) -> GeneratedFile:
    path = data_dir("templates") / "build-files" / "ascend_extension.py"
    flags = f"--npu-arch={chip.npu_arch} {chip.extra}".strip()
    text = path.read_text(encoding="utf-8").replace("@FLAGS@", flags)
    return GeneratedFile(folder / path.name, text.encode())
