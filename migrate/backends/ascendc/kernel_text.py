"""What an Ascend C kernel emitter hands to file assembly, for both chips."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.artifact import SourceLine
from migrate.core.diagnostics import Diagnostic

LAUNCH_NAMES = ("grid", "block", "dynUbBytes", "stream")
"""Names of a launch function's own parameters; kernel parameters never have them."""


@dataclass(frozen=True, slots=True)
class KernelText:
    """One kernel instantiation as C++ text.

    ``definition`` is the device code that stands where the CUDA kernel stood. ``launcher`` is the
    body of the launch function, one statement a line without indentation: it may use ``grid`` and
    ``block`` (``dim3``), ``dynUbBytes`` (``size_t``), ``stream`` (``aclrtStream``) and the kernel's
    parameters by their IR names; file assembly writes the head with the original parameter types
    and returns before it when the grid is empty. ``includes`` are header names without marks
    (``simt_api/asc_simt.h``). ``prelude`` are definitions that the kernel needs in front of it; an
    equal text is written once a file. ``lines`` are relative to ``definition`` (its first line
    is 1).
    """

    definition: str
    launcher: str
    includes: tuple[str, ...] = ()
    prelude: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelRefusal:
    """The emitter cannot write the kernel; at least one diagnostic says why."""

    diagnostics: tuple[Diagnostic, ...]


EmitResult = KernelText | KernelRefusal
