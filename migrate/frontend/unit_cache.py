"""Units that were read before, by the content of everything that was read.

An entry holds while the main file, each header, every ``#include``'s answer, the options, libclang,
the system headers and this package's own code are what they were.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from migrate.core.compile_settings import CompileSettings
from migrate.ir.program import SourceFile, SourceUnit
from migrate.ir.store import NotStorable, dump, load

_ASKED = re.compile(
    rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\r\n]+)|__has_include\s*\(\s*([<"])([^>"\r\n]+)',
    re.MULTILINE,
)
_MOST_ENTRIES = 4000
_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class UnitKey:
    """What an entry is found by: the options' text, and the folders that includes are sought in."""

    options: str
    folders: tuple[Path, ...]


@lru_cache(maxsize=1)
def code_stamp() -> str:
    """A digest of this package's files by name, size and time: other code reads otherwise."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(_PACKAGE):
        folders[:] = sorted(f for f in folders if f not in ("__pycache__", "emulation"))
        for name in sorted(files):
            stat = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def unit_key(main: SourceFile, root: Path, settings: CompileSettings, parser: str) -> UnitKey:
    """The key of a unit; ``parser`` names libclang, its flags and the system headers."""
    parts = (str(Path.cwd()), str(main.path), str(root), repr(settings), parser, code_stamp())
    return UnitKey("\n".join(parts), settings.all_dirs)


def _entry_path(folder: Path, key: UnitKey) -> Path:
    return folder / "units" / f"{hashlib.sha256(key.options.encode()).hexdigest()[:32]}.json"


def _answers(file: SourceFile, folders: tuple[Path, ...]) -> list[list[str]]:
    """Each include of a file with the user's file that answers it, if one does."""
    found: dict[tuple[str, bool], str] = {}
    for m in _ASKED.finditer(file.text):
        quoted = (m.group(1) or m.group(3)) == b'"'
        name = (m.group(2) or m.group(4)).decode("utf-8", errors="replace")
        places = (*((file.path.parent,) if quoted else ()), *folders)
        hit = next((str(p / name) for p in places if (p / name).is_file()), "")
        found[(name, quoted)] = hit
    return [[name, str(quoted), hit] for (name, quoted), hit in found.items()]


def _state(file: SourceFile, folders: tuple[Path, ...]) -> list[object]:
    digest = hashlib.sha256(file.text).hexdigest()
    return [str(file.path), str(file.relative), file.is_header, digest, _answers(file, folders)]


def load_unit(folder: Path, key: UnitKey, main: SourceFile) -> SourceUnit | None:
    """The unit as it was read before, or ``None`` when anything of it changed."""
    try:
        states, body = json.loads(_entry_path(folder, key).read_text(encoding="utf-8"))
        headers = tuple(
            SourceFile(Path(s[0]), Path(s[1]), Path(s[0]).read_bytes(), bool(s[2]))
            for s in states[1:]
        )
        if [_state(f, key.folders) for f in (main, *headers)] != states:
            return None
        unit = load(body)
    except (OSError, ValueError, TypeError, IndexError, NotStorable):
        return None
    return replace(unit, main=main, headers=headers) if isinstance(unit, SourceUnit) else None


def store_unit(folder: Path, key: UnitKey, unit: SourceUnit) -> None:
    """Keep a unit. One with a fault of ours is not kept; a full or locked disk is no error."""
    if any(d.code.id.startswith("CM9") for d in unit.diagnostics):
        return
    states = [_state(f, key.folders) for f in unit.files]
    bare = replace(unit, main=replace(unit.main, text=b""), headers=())
    path = _entry_path(folder, key)
    try:
        text = json.dumps([states, dump(bare)])
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
        _prune(path.parent)
    except (OSError, NotStorable, RecursionError, UnicodeEncodeError):
        return


def _prune(folder: Path) -> None:
    entries = [e for e in os.scandir(folder) if e.name.endswith(".json")]
    if len(entries) > _MOST_ENTRIES:
        entries.sort(key=lambda e: e.stat().st_mtime)
        for entry in entries[: _MOST_ENTRIES // 10]:
            Path(entry.path).unlink(missing_ok=True)
