"""Small records that pass between the device side of a file and its assembly."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.backends.ascendc.file_text import DevicePart
from migrate.core.diagnostics import Diagnostic
from migrate.ir.lifted import Lifted
from migrate.ir.program import SourceUnit


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A lifted kernel with the unit that it was read in."""

    unit: SourceUnit
    lifted: Lifted


@dataclass(frozen=True, slots=True)
class KernelLine:
    """One kernel in the header comment."""

    shown: str
    outcome: str
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class BuiltParts:
    """Everything that the device side adds to a file."""

    parts: tuple[DevicePart, ...]
    includes: tuple[str, ...]
    prelude: tuple[str, ...]
