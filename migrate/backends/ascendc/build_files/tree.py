"""All build files of a tree: which there are, which reader knows them, and the result.

What is not understood keeps its bytes and is reported with its line; nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.cmake import CMakeFile
from migrate.backends.ascendc.build_files.cmake_targets import find_targets
from migrate.backends.ascendc.build_files.cmake_text import CMakeText, parse_cmake
from migrate.backends.ascendc.build_files.makefile import MakeFile, make_names
from migrate.backends.ascendc.build_files.mapping import BuildMapping, load_mapping
from migrate.backends.ascendc.build_files.python_setup import SetupFile
from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.backends.ascendc.build_files.world import Chip, Renamed
from migrate.core.artifact import GeneratedFile
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.span import span_of

_MAKE_NAMES = frozenset({"Makefile", "makefile", "GNUmakefile"})
_UNKNOWN = frozenset({"meson.build", "BUILD", "BUILD.bazel", "WORKSPACE", "SConstruct",
                      "configure.ac", "xmake.lua", "pyproject.toml"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class BuildFile:
    """A build file of the input tree: its place below the root, how the user names it, its text."""

    path: PurePosixPath
    shown: str
    source: bytes


@dataclass(frozen=True, slots=True)
class MigratedBuild:
    """Build files that changed, and what was found in all of them."""

    files: tuple[GeneratedFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    python: tuple[PurePosixPath, ...] = ()


def is_build_file(path: PurePosixPath) -> bool:
    """Whether a file of a tree says how it is built."""
    return _is_cmake(path) or _is_make(path) or path.name == "setup.py" or path.name in _UNKNOWN


def _is_cmake(path: PurePosixPath) -> bool:
    return path.name == "CMakeLists.txt" or path.suffix == ".cmake"


def _is_make(path: PurePosixPath) -> bool:
    return path.name in _MAKE_NAMES or path.suffix in (".mk", ".mak")


def migrate_build_files(
    files: tuple[BuildFile, ...],
    renamed: Mapping[PurePosixPath, PurePosixPath],
    chip: Chip,
    mapping: BuildMapping | None = None,
) -> MigratedBuild:
    """The build files of a tree for Ascend C; ``renamed`` are sources with other names now."""
    table = load_mapping() if mapping is None else mapping
    sink = Sink()
    names = Renamed(renamed)
    made = [
        *_cmake(tuple(f for f in files if _is_cmake(f.path)), names, chip, table, sink),
        *_make(tuple(f for f in files if _is_make(f.path)), names, chip, table, sink),
    ]
    python = [f for f in files if f.path.name == "setup.py"]
    scripts = [x for f in python if (x := _setup(f, names, chip, table, sink)) is not None]
    for file in files:
        if file.path.name in _UNKNOWN:
            Sheet(file.path, file.shown, file.source, sink).finish()
    made += scripts
    return MigratedBuild(tuple(made), sink.diagnostics, tuple(s.path for s in scripts))


def _unreadable(file: BuildFile, error: Exception, sink: Sink) -> None:
    span = span_of(file.shown, file.source, 0, 0)
    sink.report(Diagnostic(codes.UNREADABLE_BUILD_FILE, Outcome.WEAKER, str(error), span))


def _cmake(
    files: tuple[BuildFile, ...], renamed: Renamed, chip: Chip, table: BuildMapping, sink: Sink
) -> list[GeneratedFile]:
    parsed: dict[PurePosixPath, CMakeText] = {}
    for file in files:
        try:
            parsed[file.path] = parse_cmake(file.source.decode("latin-1"))
        except ValueError as error:
            _unreadable(file, error, sink)
    targets = find_targets(parsed, renamed)
    made: list[GeneratedFile] = []
    with_package: list[PurePosixPath] = []
    # A folder's file is read after those of the folders above it, which come before it in a build.
    for file in sorted(files, key=lambda f: (len(f.path.parts), f.path)):
        if file.path not in parsed:
            continue
        sheet = Sheet(file.path, file.shown, file.source, sink)
        above = any(file.path.parent.is_relative_to(p) for p in with_package)
        one = CMakeFile(sheet, parsed[file.path], file.path.parent, targets, table, chip, above)
        one.migrate()
        if one.has_package and not above:
            with_package.append(file.path.parent)
        result = sheet.finish(frozenset(targets.own))
        made += [result] if result is not None else []
    return made


def _make(
    files: tuple[BuildFile, ...], renamed: Renamed, chip: Chip, table: BuildMapping, sink: Sink
) -> list[GeneratedFile]:
    made: list[GeneratedFile] = []
    for file in files:
        # A makefile shares names with those of its folder and of the folders above it.
        near = [f for f in files if file.path.is_relative_to(f.path.parent)]
        own = make_names([f.source.decode("latin-1") for f in near], table)
        sheet = Sheet(file.path, file.shown, file.source, sink)
        MakeFile(sheet, file.path.parent, renamed, table, chip, own).migrate()
        result = sheet.finish(own.names)
        made += [result] if result is not None else []
    return made


def _setup(
    file: BuildFile, renamed: Renamed, chip: Chip, table: BuildMapping, sink: Sink
) -> GeneratedFile | None:
    sheet = Sheet(file.path, file.shown, file.source, sink)
    try:
        SetupFile(sheet, file.path.parent, renamed, table).migrate()
    except (SyntaxError, ValueError) as error:
        _unreadable(file, error, sink)
        return None
    return sheet.finish()


def guard_build_file(file: GeneratedFile, original: bytes) -> GeneratedFile:
    """A migrated build file and its original in one: ``USE_ASCEND`` says which is meant.

    ``setup.py`` stays the original; the migrated one is ``setup_ascend.py``.
    """
    new = file.content
    if file.path.name == "setup.py":
        return GeneratedFile(file.path.with_name("setup_ascend.py"), new)
    ended = [t if t.endswith(b"\n") else t + b"\n" for t in (new, original)]
    if _is_cmake(file.path):
        parts = (
            b"if(USE_ASCEND)\nadd_compile_definitions(USE_ASCEND)\n", ended[0],
            b"else()\n", ended[1], b"endif()\n",
        )  # fmt: skip
    else:
        parts = (
            b"ifdef USE_ASCEND\noverride CPPFLAGS += -DUSE_ASCEND\n", ended[0],
            b"else\n", ended[1], b"endif\n",
        )  # fmt: skip
    return GeneratedFile(file.path, b"".join(parts), origin=file.origin)
