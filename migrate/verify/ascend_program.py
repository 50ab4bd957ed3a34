"""Builds and runs a migrated Ascend C program on the CPU runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from migrate.core.artifact import Artifact
from migrate.core.options import Options
from migrate.core.resources import include_dir
from migrate.core.targets import Target
from migrate.emulation.asc_rewrite import compile_flags, rewrite_asc
from migrate.emulation.double_unit import SOFTWARE_DOUBLE, by_double_unit
from migrate.emulation.run import RunResult, run_command
from migrate.emulation.toolchain import BuildOptions, CompileError, build_program, find_compiler

_ARCH = {Target.ASCEND_950.value: 3510, Target.ASCEND_910B.value: 2201}
_ENTRIES = {"simt_api/asc_simt.h": "precompiled_simt.h", "kernel_operator.h": "kernel_operator.h"}
"""Entry headers of the API, and the header of the runtime that stands for one with all it needs."""
_HEADERS = frozenset({".h", ".hpp", ".hh", ".hxx", ".cuh", ".inc", ".inl"})


@dataclass(frozen=True, slots=True)
class MigratedRun:
    """A run of the migrated program; without ``result`` it did not build and ``log`` says why."""

    result: RunResult | None
    log: str = ""


def stage_sources(
    out: Path,
    artifact: Artifact,
    work: Path,
    edited: Mapping[PurePosixPath, bytes] | None = None,
) -> tuple[Path, ...]:
    """Write the C++ form of every file of an output tree below ``work``; gives the ``.asc`` ones.

    ``edited`` has contents that stand for those of the tree. Raises ``ValueError`` for text that
    the rewriter does not understand.
    """
    instead = {} if edited is None else edited
    sources: list[Path] = []
    included = _included_sources(artifact)
    for file in artifact.files:
        new = instead.get(file.path)
        data = (out / Path(*file.path.parts)).read_bytes() if new is None else new
        place = work / Path(*file.path.parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.path.suffix == ".asc" or file.path.suffix in _HEADERS:
            text = rewrite_asc(data.decode("latin-1"), str(file.path))
            place.write_bytes(text.encode("latin-1"))
        else:
            place.write_bytes(data)
        if file.path.suffix == ".asc" and file.path.name not in included:
            sources.append(place)
    return tuple(sources)


_INCLUDE = re.compile(rb'#\s*include\s*"(?:[^"\n]*/)?([^"/\n]+)"')


def _included_sources(artifact: Artifact) -> frozenset[str]:
    """Names of ``.asc`` files that other files include; they are not compiled by themselves."""
    names = {n.decode() for f in artifact.files for n in _INCLUDE.findall(f.content)}
    return frozenset(n for n in names if n.endswith(".asc"))


def compiled_with(artifact: Artifact, path: PurePosixPath) -> PurePosixPath:
    """The ``.asc`` file in whose compilation a file of the artifact is seen; itself if it is one.

    Files are told apart by their names, as in the ``#include`` lines that this follows.
    """
    included = _included_sources(artifact)
    mains = [f.path for f in artifact.files if f.path.suffix == ".asc"]
    mains = [m for m in mains if m.name not in included] or mains
    if path in mains or not mains:
        return path
    names = {f.path.name: _INCLUDE.findall(f.content) for f in artifact.files}
    for main in mains:
        seen, todo = {main.name}, [main.name]
        while todo:
            found = {n.decode() for n in names.get(todo.pop(), ())} - seen
            seen |= found
            todo += sorted(found)
        if path.name in seen:
            return main
    return mains[0]


def build_options(artifact: Artifact, options: Options, staged: Path) -> BuildOptions:
    """Flags of the CPU runtime for the artifact's chip; includes resolve in the staged tree.

    Where every staged source includes one of the API's entry headers, that one is precompiled.
    """
    folders = {staged / Path(*f.path.parent.parts) for f in artifact.files}
    return BuildOptions(
        flags=compile_flags(_ARCH[artifact.target]),
        include_dirs=(*sorted(folders), *options.include_dirs),
        defines=options.defines,
        std=options.std,
        prelude=_common_entry(staged, Target(artifact.target)),
        cache_dir=options.cache_dir,
    )


def _common_entry(staged: Path, chip: Target) -> Path | None:
    """The chip's entry header that every source has; one without kernels names both chips'."""
    texts = [path.read_bytes() for path in staged.rglob("*.asc")]
    for entry, header in _ENTRIES.items():
        if chip is Target.ASCEND_910B and header != "kernel_operator.h":
            continue
        line = b'#include "%s"' % entry.encode()
        if texts and all(line in text for text in texts):
            return include_dir() / "ascendc_emu" / header
    return None


def run_migrated(
    out: Path,
    artifact: Artifact,
    host_sources: tuple[Path, ...],
    options: Options,
    work: Path,
    *,
    skip_kernels: bool,
    edited: Mapping[PurePosixPath, bytes] | None = None,
) -> MigratedRun:
    """Build the output tree (once) and run it; ``skip_kernels`` is the negative control.

    ``host_sources`` are plain C++ files of the program that are linked as they are; ``edited`` is
    that of :func:`stage_sources`.
    """
    program = work / "program"
    if not program.exists():
        try:
            work.mkdir(parents=True, exist_ok=True)
            staged = work / "src"
            sources = stage_sources(
                out, artifact, staged, {**_fast_doubles(out, artifact), **(edited or {})}
            )
            settings = build_options(artifact, options, staged)
            named = [_cpp(s) for s in sources]
            written = {PurePosixPath(f.path).name for f in artifact.files}
            others = [h for h in host_sources if h.name not in written]
            compiler = find_compiler(options.cxx)
            build_program(compiler, [*named, *others], program, settings, without_prelude=others)
        except CompileError as error:
            return MigratedRun(None, error.stderr)
        except ValueError as error:
            return MigratedRun(None, f"error: {error}")
    environment = {"CUDAMIGRATE_SKIP_KERNELS": "1"} if skip_kernels else {}
    command = [str(program.resolve()), *options.program_args]
    return MigratedRun(run_command(command, options.limits, environment))


def _fast_doubles(out: Path, artifact: Artifact) -> dict[PurePosixPath, bytes]:
    """Software double precision, computed with the same bits by the double unit."""
    return {
        file.path: by_double_unit((out / Path(*file.path.parts)).read_bytes())
        for file in artifact.files
        if file.path.name == SOFTWARE_DOUBLE
    }


def _cpp(source: Path) -> Path:
    """A C++ file that includes a staged ``.asc``, so that the compiler knows its language."""
    place = source.with_name(f"{source.name}.cpp")
    place.write_text(f'#include "{source.name}"\n', encoding="utf-8")
    return place
