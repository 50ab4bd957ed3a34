"""From program runs to the one report, and from there to the output tree."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

from migrate import __version__
from migrate.core.artifact import GeneratedFile
from migrate.core.codes import usage
from migrate.core.compile_settings import settings_data
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import Options
from migrate.core.targets import Target, target_facts
from migrate.pipeline.inputs import Inputs
from migrate.pipeline.run import ProgramRun
from migrate.pipeline.shared_files import ProgramFiles, shared_tree
from migrate.pipeline.toolchain import tool_versions
from migrate.verify.tilelang_program import SHAPES, shapes_text

MANIFEST = PurePosixPath("cudamigrate.json")
"""What ``verify`` needs to prove an output tree again."""


def now() -> str:
    """The time of a run, UTC, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def tree_files(runs: tuple[ProgramRun, ...]) -> tuple[GeneratedFile, ...]:
    """All generated files, each path once (see :mod:`migrate.pipeline.shared_files`)."""
    return shared_tree(_files(runs)).files


def shared_differences(runs: tuple[ProgramRun, ...]) -> tuple[Diagnostic, ...]:
    """CM0054 for each file that comes out differently for a program than for one before it."""
    found: list[Diagnostic] = []
    for m in shared_tree(_files(runs)).moved:
        cause = f"{m.path} is the version of {m.owner}; that of {m.program} is {m.place}"
        found.append(Diagnostic(usage.SHARED_FILE_DIFFERS, Outcome.WEAKER, cause))
    return tuple(found)


def _files(runs: tuple[ProgramRun, ...]) -> tuple[ProgramFiles, ...]:
    return tuple((r.conversion.source.name, r.conversion.artifact.files) for r in runs)


def tree_copies(
    runs: tuple[ProgramRun, ...], inputs: Inputs, others: tuple[GeneratedFile, ...] = ()
) -> tuple[tuple[PurePosixPath, Path], ...]:
    """Files of the input trees that no conversion made anything of, and where they go.

    ``others`` are generated files that belong to no program, such as build files.
    """
    files = (*(f for r in runs for f in r.conversion.artifact.files), *others)
    made = {Path(f.origin).resolve() for f in files if f.origin is not None}
    taken = {f.path for f in files}
    return tuple(
        (PurePosixPath(place.as_posix()), path)
        for path, place in inputs.copies
        if path.resolve() not in made and PurePosixPath(place.as_posix()) not in taken
    )


def manifest(runs: tuple[ProgramRun, ...], options: Options) -> GeneratedFile:
    """The record of how a tree was made: target, options and sources."""
    data = {
        "version": __version__,
        "target": options.target.value,
        "double": options.double.value,
        "include_dirs": [str(p) for p in options.include_dirs],
        "defines": list(options.defines),
        "std": options.std,
        "args": list(options.program_args),
        "rules": [str(p) for p in options.rules_dirs],
        "programs": [
            {
                "name": r.conversion.source.name,
                "root": str(r.conversion.source.root),
                "sources": [str(p) for p in r.conversion.source.sources],
                "host_sources": [str(p) for p in r.conversion.source.host_sources],
                "has_main": r.conversion.source.has_main,
                "settings": {
                    str(path): settings_data(s) for path, s in r.conversion.source.settings
                },
            }
            for r in runs
        ],
    }
    text = json.dumps(data, indent=2) + "\n"
    return GeneratedFile(MANIFEST, text.encode())


def shape_files(runs: tuple[ProgramRun, ...], options: Options) -> tuple[GeneratedFile, ...]:
    """For TileLang the shapes that the programs launch their kernels with, for those who compile
    them; nothing where no host program calls any."""
    bridged = any(f.path.name.endswith("_kernels.json") for f in tree_files(runs))
    if options.target is not Target.TILELANG or not bridged:
        return ()
    text = shapes_text(s for r in runs for s in r.proof.shapes)
    return (GeneratedFile(PurePosixPath(SHAPES), text.encode()),)


def header(options: Options) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """(target id, target title, tool versions) for a report."""
    facts = target_facts(options.target)
    return options.target.value, facts.title, tool_versions(options)
