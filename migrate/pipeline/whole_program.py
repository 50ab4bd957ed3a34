"""Whole migrated programs: run, their own check read, and their output compared.

A check can be told from what a program prints, or from its silence: a program that prints nothing
of the kind, and complains when its kernels are skipped, passes by saying nothing. What a program
without any check prints is compared with what the original printed; that is a finding of its own
and never a check that passed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.pipeline.oracle import Oracle
from migrate.pipeline.own_check import Words, classify_run, passes, with_silence
from migrate.verify.ascend_program import MigratedRun
from migrate.verify.evidence import ProgramEvidence
from migrate.verify.judge import first_error
from migrate.verify.outputs import judge_output

Program = Callable[[bool], MigratedRun]
"""The migrated program: run with its kernels, or (true) without them."""


def whole_program(
    words: Words, oracle: Oracle, program: Program | None, refused: str = ""
) -> ProgramEvidence:
    """Run a migrated program with its kernels and without.

    ``program`` is None where the target has none, ``refused`` what a run prints that came upon a
    kernel or launch which was not migrated; that run is an ``error``.
    """
    base = ProgramEvidence(oracle.original, "not-run", "not-run", oracle.detail, oracle.diagnostics)
    if program is None:
        return base
    if oracle.instead is not None:
        base = replace(base, arguments=" ".join(oracle.instead))
    run = program(False)
    if run.result is None:
        found = Diagnostic(
            verification.MIGRATED_DOES_NOT_BUILD, Outcome.WEAKER, first_error(run.log)
        )
        return replace(
            base, migrated="error", detail=run.log[-2000:], diagnostics=(*base.diagnostics, found)
        )
    said = classify_run(run.result, words)
    if refused and refused in run.result.stderr:
        said = "error"
    control = "not-run"
    if passes(said) or (said == "no-check" and oracle.original == "silent"):
        without = program(True).result
        control = "error" if without is None else classify_run(without, words)
        said = with_silence(said, control)
    seen = replace(base, migrated=said, control=control)
    seen = _with_output(seen, oracle, run)
    return _explained(seen, oracle, run)


def _with_output(seen: ProgramEvidence, oracle: Oracle, run: MigratedRun) -> ProgramEvidence:
    if oracle.printed is None or run.result is None or seen.migrated == "error":
        return seen
    return replace(seen, output=judge_output(oracle.printed, run.result.stdout, run.result.exit))


def _explained(seen: ProgramEvidence, oracle: Oracle, run: MigratedRun) -> ProgramEvidence:
    """With diagnostics where the check fails, or passes without kernels."""
    assert run.result is not None
    wanted = passes(oracle.original) or oracle.instead is not None
    if wanted and not passes(seen.migrated):
        tail = (run.result.stdout + run.result.stderr).strip().splitlines()[-5:]
        found = Diagnostic(
            verification.MIGRATED_CHECK_FAILED,
            Outcome.WEAKER,
            f"the original passes, the migrated program ends with {seen.migrated}: "
            + (tail[-1] if tail else f"exit status {run.result.exit}"),
        )
        return replace(seen, detail="\n".join(tail), diagnostics=(*seen.diagnostics, found))
    if seen.control == "pass":
        cause = "the migrated program reports success although no kernel ran"
        found = Diagnostic(verification.CONTROL_PASSED, Outcome.WEAKER, cause)
        return replace(seen, diagnostics=(*seen.diagnostics, found))
    return seen
