"""What the build files of a tree share: sources and their new names, names, targets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

SOURCE_PATH = re.compile(r"[\w./${}@+*?\[\]%~-]*\.(?:cu|cpp|cc|cxx)(?![\w.])")
"""Something that reads like the path of a source file, wildcards and variables included."""
_VARIABLE = re.compile(r"\$[{(][\w.]+[})]")


@dataclass(frozen=True, slots=True)
class Renamed:
    """Converted sources whose names changed: old place to new place, both below the root."""

    places: Mapping[PurePosixPath, PurePosixPath]

    def find(self, text: str, folder: PurePosixPath) -> PurePosixPath | None:
        """The new place of a source that a build file in ``folder`` names.

        A path that starts with a variable is found by its end, where only one file fits.
        """
        plain = _VARIABLE.sub("", text).lstrip("/")
        named = PurePosixPath(plain)
        literal = plain == text
        for base in (folder, PurePosixPath()):
            place = _normal(base / named)
            if place in self.places and (base == folder or not literal):
                return self.places[place]
        if literal:
            return None
        tail = named.parts
        fits = [old for old in self.places if old.parts[-len(tail) :] == tail] if tail else []
        return self.places[fits[0]] if len(fits) == 1 else None

    def renames_suffix(self, suffix: str, folder: PurePosixPath) -> bool:
        """Whether any source with this suffix in the folder has another name now."""
        return any(o.suffix == suffix and o.parent == folder for o in self.places)


def _normal(path: PurePosixPath) -> PurePosixPath:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)


@dataclass(frozen=True, slots=True)
class Chip:
    """What the compiler is told of the chip: ``--npu-arch`` and, for SIMT code, one flag more."""

    npu_arch: str
    simt: bool

    @property
    def extra(self) -> str:
        """Flags beside ``--npu-arch``."""
        return "--enable-simt" if self.simt else ""
