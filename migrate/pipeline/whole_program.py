"""Whole migrated programs: run, their own check read, and their output compared.

A check can be told from what a program prints, or from its silence: a program that prints nothing
of the kind, and complains when its kernels are skipped, passes by saying nothing. What a program
without any check prints is compared with what the original printed; that is a finding of its own
and never a check that passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.emulation.run import RunResult
from migrate.pipeline.oracle import Oracle
from migrate.pipeline.own_check import Words, classify_run, passes, with_silence
from migrate.verify.ascend_program import MigratedRun
from migrate.verify.evidence import ProgramEvidence
from migrate.verify.judge import first_error
from migrate.verify.outputs import Printed, judge_output

Program = Callable[[bool], MigratedRun]
"""The migrated program: run with its kernels, or (true) without them."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the original said with the arguments that the migrated program is run with."""

    said: str
    printed: Printed | None
    arguments: str


def whole_program(
    words: Words,
    oracle: Oracle,
    program: Program | None,
    refused: str = "",
    lighter: Callable[[tuple[str, ...]], Program | None] | None = None,
) -> ProgramEvidence:
    """Run a migrated program with its kernels and without.

    ``program`` is None where the target has none, ``refused`` what a run prints that came upon a
    kernel or launch which was not migrated; that run is an ``error``. ``lighter`` makes the
    program with other arguments, for one that is not done in time with the given ones.
    """
    base = ProgramEvidence(oracle.original, "not-run", "not-run", oracle.detail, oracle.diagnostics)
    if program is None:
        return base
    wanted = _Wanted(oracle.original, oracle.printed, "")
    if oracle.instead is not None:
        wanted = _Wanted("pass", None, " ".join(oracle.instead))
    run = program(False)
    late = run.result is not None and run.result.timed_out
    less = oracle.lighter() if late and lighter is not None else None
    again = lighter(less.args) if lighter is not None and less is not None else None
    if less is not None and again is not None:
        wanted = _Wanted(less.check.said, less.check.printed, " ".join(less.args))
        program, run = again, again(False)
    return _judged(base, words, wanted, program, run, refused)


def _judged(
    base: ProgramEvidence,
    words: Words,
    wanted: _Wanted,
    program: Program,
    run: MigratedRun,
    refused: str,
) -> ProgramEvidence:
    base = replace(base, arguments=wanted.arguments)
    if run.result is None:
        cause = first_error(run.log)
        found = Diagnostic(verification.MIGRATED_DOES_NOT_BUILD, Outcome.WEAKER, cause)
        diagnostics = (*base.diagnostics, found)
        return replace(base, migrated="error", detail=run.log[-2000:], diagnostics=diagnostics)
    said = classify_run(run.result, words)
    if refused and refused in run.result.stderr:
        said = "error"
    control = "not-run"
    if passes(said) or (said == "no-check" and wanted.said == "silent"):
        without = program(True).result
        control = "error" if without is None else classify_run(without, words)
        said = with_silence(said, control)
    seen = replace(base, migrated=said, control=control)
    if wanted.printed is not None and said != "error":
        output = judge_output(wanted.printed, run.result.stdout, run.result.exit)
        seen = replace(seen, output=output)
    return _explained(seen, wanted, run.result)


def _explained(seen: ProgramEvidence, wanted: _Wanted, result: RunResult) -> ProgramEvidence:
    """With diagnostics where the check fails, or passes without kernels."""
    if passes(wanted.said) and not passes(seen.migrated):
        tail = (result.stdout + result.stderr).strip().splitlines()[-5:]
        found = Diagnostic(
            verification.MIGRATED_CHECK_FAILED,
            Outcome.WEAKER,
            f"the original passes, the migrated program ends with {seen.migrated}: "
            + (tail[-1] if tail else f"exit status {result.exit}"),
        )
        return replace(seen, detail="\n".join(tail), diagnostics=(*seen.diagnostics, found))
    if seen.control == "pass":
        cause = "the migrated program reports success although no kernel ran"
        found = Diagnostic(verification.CONTROL_PASSED, Outcome.WEAKER, cause)
        return replace(seen, diagnostics=(*seen.diagnostics, found))
    return seen
