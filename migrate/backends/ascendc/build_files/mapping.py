"""What ``rules/build_files/`` says: flags, libraries and names of CUDA and of Ascend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import cast

import yaml

from migrate.core.diagnostics import Outcome
from migrate.core.resources import data_dir


class Value(Enum):
    """How a flag takes its value."""

    NONE = "none"
    JOINED = "joined"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class FlagRule:
    """One flag of nvcc; the fields are described at the top of ``flags.yaml``."""

    names: tuple[str, ...]
    value: Value
    to: str
    when: str = ""
    note: str = ""
    outcome: Outcome = Outcome.EXACT
    arch: bool = False
    nvcc_only: bool = False

    def fits(self, value: str) -> bool:
        """Whether the rule holds for this value."""
        return not self.when or re.fullmatch(self.when, value) is not None

    def fill(self, value: str) -> str:
        """What stands for the flag."""
        bare = value.strip("\"'")
        return self.to.replace("$words", " ".join(bare.split(","))).replace("$v", bare)


@dataclass(frozen=True, slots=True)
class LibraryRule:
    """What is linked instead of a library of CUDA; none at all for an empty ``to``."""

    names: tuple[str, ...]
    to: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class BuildMapping:
    """All of ``rules/build_files/``. Tables that are no more than names stay tables."""

    flags: Mapping[str, tuple[FlagRule, ...]]
    libraries: Mapping[str, LibraryRule]
    cmake: Mapping[str, Mapping[str, str]]
    cmake_lists: Mapping[str, frozenset[str]]
    make: Mapping[str, str]
    make_lists: Mapping[str, frozenset[str]]


@lru_cache(maxsize=1)
def load_mapping() -> BuildMapping:
    """Read the tables. Raises ``KeyError`` or ``ValueError`` for a table of another form."""
    flags: dict[str, list[FlagRule]] = {}
    for row in _rows("flags"):
        rule = FlagRule(
            names=tuple(cast("list[str]", row["names"])),
            value=Value(str(row["value"])),
            to=str(row.get("to", "")),
            when=str(row.get("when", "")),
            note=str(row.get("note", "")),
            outcome=Outcome[str(row.get("outcome", "exact")).upper()],
            arch=bool(row.get("arch")),
            nvcc_only=bool(row.get("nvcc")),
        )
        for name in rule.names:
            flags.setdefault(name, []).append(rule)
    libraries = {
        name: LibraryRule(
            tuple(cast("list[str]", row["names"])),
            tuple(cast("list[str]", row["to"])),
            str(row.get("note", "")),
        )
        for row in _rows("libraries")
        for name in cast("list[str]", row["names"])
    }
    cmake, cmake_lists = _tables("cmake")
    make, make_lists = _tables("make")
    return BuildMapping(
        flags={name: tuple(rules) for name, rules in flags.items()},
        libraries=libraries,
        cmake={k: v for k, v in cmake.items() if isinstance(v, dict)},
        cmake_lists=cmake_lists,
        make={k: v for k, v in make.items() if isinstance(v, str)},
        make_lists=make_lists,
    )


def _read(name: str) -> object:
    path = data_dir("rules") / "build_files" / f"{name}.yaml"
    return cast("object", yaml.safe_load(path.read_text(encoding="utf-8")))


def _rows(name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", _read(name))


def _tables(
    name: str,
) -> tuple[dict[str, dict[str, str] | str], dict[str, frozenset[str]]]:
    data = cast("dict[str, dict[str, str] | str | list[str]]", _read(name))
    lists = {k: frozenset(v) for k, v in data.items() if isinstance(v, list)}
    return {k: v for k, v in data.items() if not isinstance(v, list)}, lists
