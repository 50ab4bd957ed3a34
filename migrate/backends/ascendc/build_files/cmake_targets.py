"""Targets of a CMake project: which of them hold Ascend C and need its linker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.cmake_text import CMakeText, Command
from migrate.backends.ascendc.build_files.world import SOURCE_PATH, Renamed

ADD = {
    "add_executable": "executable", "add_library": "library",
    "cuda_add_executable": "executable", "cuda_add_library": "library",
}  # fmt: skip
_NAMING = frozenset({"option", "set", "function", "macro", "project", "add_custom_target",
                     "cmake_dependent_option", "file"})  # fmt: skip
_RESERVED = re.compile(r"(?:CMAKE_)?CUDA\w*", re.IGNORECASE)
_READ = re.compile(r"\$\{(\w+)\}")


@dataclass(slots=True)
class Targets:
    """Facts over all CMake files of a tree.

    ``own`` are names that the project gives: targets, options, variables, functions.
    """

    renamed: Renamed
    own: set[str] = field(default_factory=set)
    device: set[str] = field(default_factory=set)
    links: dict[str, set[str]] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)

    def needs_linker(self, target: str) -> bool:
        """True for a program or shared library that holds device code or links some."""
        return target not in self.static and self._reaches(target, set())

    def _reaches(self, target: str, seen: set[str]) -> bool:
        if target in seen:
            return False
        seen.add(target)
        return target in self.device or any(
            self._reaches(t, seen) for t in self.links.get(target, ())
        )


def find_targets(files: Mapping[PurePosixPath, CMakeText], renamed: Renamed) -> Targets:
    """Look over all files once."""
    found = Targets(renamed)
    for _ in range(2):  # a variable may be read in a file before the one that sets it
        for path, text in files.items():
            for command in text.commands:
                _look(found, command, path.parent)
    return found


def _look(found: Targets, command: Command, folder: PurePosixPath) -> None:
    words, name = command.words(), command.lower
    if not words:
        return
    first = words[1] if name == "file" and len(words) > 1 else words[0]
    if name == "list" and len(words) > 1:
        first = words[1]
    if (name in ADD or name in _NAMING) and (name in ADD or not _RESERVED.fullmatch(first)):
        found.own |= {first, f"lib{first}"}
    if name in ("set", "list", "file") and _holds_device(found, words, folder):
        found.lists.add(first)
    if name in (*ADD, "target_sources"):
        found.links.setdefault(first, set())
        if _holds_device(found, words[1:], folder):
            found.device.add(first)
        if "STATIC" in words or "OBJECT" in words or "INTERFACE" in words:
            found.static.add(first)
    elif name == "target_link_libraries":
        found.links.setdefault(first, set()).update(words[1:])
    elif name in ("project", "enable_language") and "CUDA" in words:
        found.languages.add("CUDA")


def _holds_device(found: Targets, words: tuple[str, ...], folder: PurePosixPath) -> bool:
    for word in words:
        if any(v in found.lists for v in _READ.findall(word)):
            return True
        for hit in SOURCE_PATH.finditer(word):
            if hit.group().endswith(".cu") or found.renamed.find(hit.group(), folder):
                return True
    return False
