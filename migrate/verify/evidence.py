"""Verdicts and the evidence behind them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from migrate.core.diagnostics import Diagnostic
from migrate.verify.compare import Difference


class Verdict(Enum):
    """What is known about a migrated kernel, best first.

    * ``device-equal``: equal on a real device;
    * ``equal``: equal on captured launches and on further generated ones;
    * ``equal-captured``: equal on every captured launch;
    * ``compiled``: the generated code compiles; nothing was compared;
    * ``emitted``: code was written; nothing was compiled;
    * ``refused``: no code, with a diagnostic that says why;
    * ``different``: numbers differ. Never shown as good.
    """

    DEVICE_EQUAL = "device-equal"
    EQUAL = "equal"
    EQUAL_CAPTURED = "equal-captured"
    COMPILED = "compiled"
    EMITTED = "emitted"
    REFUSED = "refused"
    DIFFERENT = "different"

    @property
    def is_equal(self) -> bool:
        """Numbers were compared and agree."""
        return self in (Verdict.DEVICE_EQUAL, Verdict.EQUAL, Verdict.EQUAL_CAPTURED)


EQUAL_NAMES = frozenset(v.value for v in Verdict if v.is_equal)
"""The equal verdicts as reports spell them; a text that is no verdict is not among them."""


@dataclass(frozen=True, slots=True)
class BufferEvidence:
    """One compared buffer. ``name`` is the parameter (or global) that points to it."""

    name: str
    elements: str
    size: int
    written: bool
    difference: Difference


@dataclass(frozen=True, slots=True)
class LaunchEvidence:
    """One replayed launch. ``source`` is ``captured`` or ``generated``.

    ``problem`` is set when the replay did not end well (a crash, a rule of the target broken, a
    write outside of a buffer); then the launch counts as different unless ``not_run``.
    """

    seq: int
    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    buffers: tuple[BufferEvidence, ...]
    problem: str = ""
    not_run: bool = False

    @property
    def equal(self) -> bool:
        """Replayed, and every buffer is equal."""
        return not self.problem and all(b.difference.equal for b in self.buffers)


@dataclass(frozen=True, slots=True)
class KernelEvidence:
    """Everything known about one kernel."""

    symbol: str
    verdict: Verdict
    launches: tuple[LaunchEvidence, ...] = ()
    total_launches: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    compile_log: str = ""

    @property
    def compared(self) -> int:
        """Captured launches whose numbers were compared."""
        return sum(1 for x in self.launches if not x.not_run and x.source == "captured")

    @property
    def generated(self) -> int:
        """Generated launches whose numbers were compared."""
        return sum(1 for x in self.launches if not x.not_run and x.source == "generated")


@dataclass(frozen=True, slots=True)
class ProgramEvidence:
    """Whole-program runs: the original, the migrated program, and the migrated one with its
    kernels skipped (which must fail, or the program's own check proves nothing).

    Each is ``pass``, ``silent`` (says nothing, and complains without its kernels), ``fail``,
    ``no-check`` (exit 0 without a verdict of its own), ``not-run``, or ``error``; ``detail`` holds
    the last lines of output where it helps. ``output`` compares what the original and the migrated
    program print (``verify/outputs.py``), where there is no check that passes; empty when it was
    not compared. ``arguments`` are those of the migrated program's runs where they are not the
    given ones: the original passes with them and ends in an error with the given ones, or the
    migrated program was not done in time.
    """

    original: str = "not-run"
    migrated: str = "not-run"
    control: str = "not-run"
    detail: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    output: str = ""
    arguments: str = ""
