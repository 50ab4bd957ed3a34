"""How a project of the vendor's examples is laid out: cases, executables, arguments.

Read from files that say so: the build file's cache variables, CMake's file API (version 1 of its
codemodel; https://cmake.org/cmake/help/latest/manual/cmake-file-api.7.html), and the commands in
the project's README.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BUILD_FILE = "CMakeLists.txt"
_WANTS_ASC = re.compile(r"\bfind_package\s*\(\s*ASC\b")
_SCENARIO = re.compile(
    r'^\s*set\s*\(\s*(?P<name>SCENARIO_NUM)\s+"?(?P<default>\d+)"?\s+CACHE\s+STRING\s+'
    r'"(?P<text>[^"]*)"',
    re.MULTILINE,
)
_RANGE = re.compile(r"\((\d+)-(\d+)\)")
_LISTED = re.compile(r"[:,]\s*(\d+)(?:\s*=|\s+\w)")
_QUERY = Path(".cmake", "api", "v1", "query", "codemodel-v2")
_REPLY = Path(".cmake", "api", "v1", "reply")


@dataclass(frozen=True, slots=True)
class Case:
    """A compile-time case: ``label`` as shown, ``definitions`` for the command line of CMake."""

    label: str
    definitions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Executable:
    """An executable target: ``artifact`` relative to the build folder, its main ``source``."""

    name: str
    source: str
    artifact: str


def find_projects(root: Path) -> tuple[Path, ...]:
    """Folders at or below ``root`` whose build file asks for ASC; nothing below such a folder."""
    if _is_project(root):
        return (root,)
    folders = sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith("."))
    return tuple(project for folder in folders for project in find_projects(folder))


def _is_project(folder: Path) -> bool:
    file = folder / _BUILD_FILE
    return file.is_file() and _WANTS_ASC.search(_text(file)) is not None


def cases_of(project: Path, *, every_case: bool) -> tuple[Case, ...]:
    """The cases that the build file's SCENARIO_NUM can name, or the default alone."""
    found = _SCENARIO.search(_text(project / _BUILD_FILE))
    if found is None or not every_case:
        return (Case("", ()),)
    text = found["text"]
    span = _RANGE.search(text)
    if span is not None:
        values = list(range(int(span[1]), int(span[2]) + 1))
    else:
        values = sorted({int(m) for m in _LISTED.findall(text)})
    values = values or [int(found["default"])]
    return tuple(Case(f"case {v}", (f"-D{found['name']}={v}",)) for v in values)


def ask_for_targets(build: Path) -> None:
    """Asks CMake, before it configures ``build``, to write down its targets."""
    query = build / _QUERY
    query.parent.mkdir(parents=True, exist_ok=True)
    query.touch()


def executables_of(build: Path) -> tuple[Executable, ...]:
    """The executable targets that CMake wrote down, by name."""
    found: dict[str, Executable] = {}
    for path in sorted((build / _REPLY).glob("target-*.json")):
        target = json.loads(path.read_text(encoding="utf-8"))
        if target["type"] != "EXECUTABLE":
            continue
        sources = [str(s["path"]) for s in target["sources"] if "compileGroupIndex" in s]
        device = [s for s in sources if s.endswith(".asc")]
        name = str(target["name"])
        main = Path((device or sources)[0]).name
        found[name] = Executable(name, main, str(target["artifacts"][0]["path"]))
    return tuple(found[name] for name in sorted(found))


def arguments_in_readme(project: Path, program: str) -> tuple[tuple[str, ...], ...]:
    """Argument lists that the project's README gives the program; one empty list without any."""
    readme = project / "README.md"
    text = _text(readme) if readme.is_file() else ""
    call = re.compile(
        rf"^\s*\./{re.escape(program)}(?P<rest>(?:[ \t]+[\w.=/-]+)*)\s*(?:#.*)?$", re.M
    )
    lists = dict.fromkeys(tuple(shlex.split(m["rest"])) for m in call.finditer(text))
    return tuple(lists) or ((),)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
