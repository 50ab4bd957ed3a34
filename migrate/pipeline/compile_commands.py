"""``compile_commands.json``: which files a build compiles, and how.

The form is that of Clang's "JSON Compilation Database" page: a list of objects with ``directory``,
``file`` and either ``arguments`` or ``command``.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from migrate.core.codes import usage
from migrate.core.compile_settings import CompileSettings
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.span import span_of
from migrate.pipeline.nvcc_flags import read_command

NAME = "compile_commands.json"


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """One file of the build with its settings; ``cuda`` says that it is compiled as CUDA."""

    path: Path
    settings: CompileSettings
    cuda: bool


@dataclass(frozen=True, slots=True)
class Database:
    """What the file says; flags that are not known are diagnostics, one a flag."""

    path: Path
    files: tuple[CompiledFile, ...]
    diagnostics: tuple[Diagnostic, ...]


def _stop(cause: str) -> UserError:
    return UserError(Diagnostic(usage.BAD_COMPILE_COMMANDS, Outcome.STOPPED, cause))


def find_database(path: Path) -> Path | None:
    """The database that a path means: the file itself, or the one in a build folder."""
    if path.name == NAME and path.is_file():
        return path
    return path / NAME if (path / NAME).is_file() else None


def load_database(path: Path) -> Database:
    """Read a database. Raises :class:`UserError` CM0051 when it is not of its form.

    A file that is compiled twice keeps the settings of its first command.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(entries, list):
            raise ValueError("the top level is no list")
        rows = [_entry(cast("dict[str, object]", e), path) for e in entries]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _stop(f"{path}: {type(error).__name__} {error}") from error
    files = {f.path: f for f, _, _ in reversed(rows)}
    order = dict.fromkeys(f.path for f, _, _ in rows)
    unknown: dict[str, str] = {}
    numeric: dict[str, str] = {}
    for compiled, flags, numbers in rows:
        for flag in flags:
            unknown.setdefault(flag, compiled.path.name)
        for flag in numbers:
            numeric.setdefault(flag, compiled.path.name)
    where = span_of(str(path), b"", 0, 0)
    found = [
        Diagnostic(
            usage.FLAG_UNKNOWN, Outcome.EXACT, f"{flag} (first in the command of {name})", where
        )
        for flag, name in unknown.items()
    ]
    found += [
        Diagnostic(
            usage.FLAG_CHANGES_NUMBERS,
            Outcome.WEAKER,
            f"{flag} (first in the command of {name})",
            where,
        )
        for flag, name in numeric.items()
    ]
    return Database(path, tuple(files[p] for p in order), tuple(found))


def _entry(
    entry: dict[str, object], database: Path
) -> tuple[CompiledFile, tuple[str, ...], tuple[str, ...]]:
    folder = Path(str(entry.get("directory", ".")))
    if not folder.is_absolute():
        folder = database.parent / folder
    words = (
        [str(a) for a in cast("list[object]", entry["arguments"])]
        if "arguments" in entry
        else shlex.split(str(entry["command"]))
    )
    command = read_command(words[1:], folder)
    path = _tidy(folder / str(entry["file"]))
    cuda = path.suffix == ".cu" or command.language == "cu"
    return CompiledFile(path, command.settings, cuda), command.unknown, command.numeric


def _tidy(path: Path) -> Path:
    """Without ``..``, which would make one file look like two."""
    return path.resolve() if ".." in path.parts else path
