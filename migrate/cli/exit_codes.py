"""Exit codes of every command (documented in docs/cli.md)."""

from __future__ import annotations

from enum import IntEnum

from migrate.core.codes import usage
from migrate.core.diagnostics import Code


class ExitCode(IntEnum):
    """What a caller of the command can rely on."""

    OK = 0
    BELOW_GATE = 1
    """A gate failed, or at least one kernel is ``different``."""
    BAD_INPUT = 2
    """Bad arguments, bad input files, unwritable output."""
    NO_TOOLCHAIN = 3
    """A compiler or an optional package that the command needs is missing."""
    INTERNAL = 4
    """A fault of cudamigrate itself (CM9xxx)."""


_TOOLCHAIN = frozenset({usage.NO_CXX_COMPILER, usage.NO_TILELANG, usage.NO_GPU})


def exit_code_of(code: Code) -> ExitCode:
    """The exit code for a command that stopped with a diagnostic."""
    if code in _TOOLCHAIN:
        return ExitCode.NO_TOOLCHAIN
    if code is usage.GATE_FAILED:
        return ExitCode.BELOW_GATE
    return ExitCode.BAD_INPUT
