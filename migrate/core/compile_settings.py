"""How one source file is compiled in its own build: what decides which text the parser sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class CompileSettings:
    """Search paths, macros, language and device of a file; the meaning is that of nvcc's flags.

    ``late_dirs`` are searched after every other folder: those are found by a look at the tree and
    must never take the place of what the build names. ``defines`` are ``NAME`` or ``NAME=VALUE``.
    ``std`` and ``arch`` (``__CUDA_ARCH__``, 800 for sm_80) are empty and 0 when nothing is said.
    """

    include_dirs: tuple[Path, ...] = ()
    system_dirs: tuple[Path, ...] = ()
    late_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    forced_includes: tuple[Path, ...] = ()
    std: str = ""
    arch: int = 0

    @property
    def all_dirs(self) -> tuple[Path, ...]:
        """Every search path, in the order of the search."""
        return tuple(dict.fromkeys((*self.include_dirs, *self.system_dirs, *self.late_dirs)))

    def under(self, outer: CompileSettings) -> CompileSettings:
        """These settings with those of the command line in front, which win where one can."""
        return CompileSettings(
            include_dirs=_joined(outer.include_dirs, self.include_dirs),
            system_dirs=_joined(outer.system_dirs, self.system_dirs),
            late_dirs=_joined(outer.late_dirs, self.late_dirs),
            defines=_joined(self.defines, outer.defines),
            undefines=_joined(self.undefines, outer.undefines),
            forced_includes=_joined(self.forced_includes, outer.forced_includes),
            std=outer.std or self.std,
            arch=outer.arch or self.arch,
        )


NO_SETTINGS = CompileSettings()
"""Nothing is said."""


_FOLDERS = ("include_dirs", "system_dirs", "late_dirs", "forced_includes")


def settings_data(settings: CompileSettings) -> dict[str, list[str] | str | int]:
    """Settings as JSON data; what is not said is left out."""
    data: dict[str, list[str] | str | int] = {
        name: [str(p) for p in getattr(settings, name)] for name in _FOLDERS
    }
    data["defines"], data["undefines"] = list(settings.defines), list(settings.undefines)
    data["std"], data["arch"] = settings.std, settings.arch
    return {name: value for name, value in data.items() if value}


def settings_from(data: Mapping[str, object]) -> CompileSettings:
    """What :func:`settings_data` wrote. Raises ``TypeError`` or ``ValueError`` for another form."""

    def texts(name: str) -> tuple[str, ...]:
        value = data.get(name, [])
        if not isinstance(value, list):
            raise TypeError(f"{name} is no list")
        return tuple(str(v) for v in value)

    def paths(name: str) -> tuple[Path, ...]:
        return tuple(Path(p) for p in texts(name))

    return CompileSettings(
        include_dirs=paths("include_dirs"),
        system_dirs=paths("system_dirs"),
        late_dirs=paths("late_dirs"),
        forced_includes=paths("forced_includes"),
        defines=texts("defines"),
        undefines=texts("undefines"),
        std=str(data.get("std", "")),
        arch=int(str(data.get("arch", 0))),
    )


def _joined(first: tuple[_T, ...], second: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
