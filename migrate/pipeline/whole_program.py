"""Whole migrated programs: run, their own check read, and their output compared.

A check can be told from what a program prints, or from its silence: a program that prints nothing
of the kind, and complains when its kernels are skipped, passes by saying nothing. What a program
without any check prints is compared with what the original printed; that is a finding of its own
and never a check that passed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.emulation.run import RunResult
from migrate.pipeline.lighter import Lighter
from migrate.pipeline.oracle import Oracle
from migrate.pipeline.own_check import Words, classify_run, passes, with_silence
from migrate.verify.ascend_program import MigratedRun
from migrate.verify.evidence import ProgramEvidence
from migrate.verify.judge import first_error
from migrate.verify.outputs import Printed, judge_output

Program = Callable[[bool], MigratedRun]
"""The migrated program: run with its kernels, or (true) without them."""
_MOST_SMALLER = 3


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
    lighter: Callable[[Lighter], Program | None] | None = None,
) -> ProgramEvidence:
    """Run a migrated program with its kernels and without.

    ``program`` is None where the target has none, ``refused`` what a run prints that came upon a
    kernel or launch which was not migrated; that run is an ``error``. ``lighter`` makes the
    program with less to do, for one that is not done in time with the given arguments, and for one
    whose original was not done itself or had not enough memory; it gives None for what it cannot
    make.
    """
    base = ProgramEvidence(oracle.original, "not-run", "not-run", oracle.detail, oracle.diagnostics)
    if program is None:
        return base
    wanted = _Wanted(oracle.original, oracle.printed, "")
    if oracle.instead is not None:
        wanted = _Wanted("pass", None, " ".join(oracle.instead))
    run = None
    if wanted.said == "error" and lighter is not None:
        # The original says nothing to compare with, and what it could not do is not waited for.
        less = _done_in_time(oracle, lighter)
        if less is not None:
            wanted, program, run = less
    if run is None:
        run = program(False)
        late = run.result is not None and run.result.timed_out
        less = _done_in_time(oracle, lighter) if late and lighter is not None else None
        if less is not None:
            wanted, program, run = less
    return _judged(base, words, wanted, program, run, refused)


def _done_in_time(
    oracle: Oracle, lighter: Callable[[Lighter], Program | None]
) -> tuple[_Wanted, Program, MigratedRun] | None:
    """The first program with less to do that is done in time, else the last; None without any.

    A program that ends badly is taken as it is: a failure is never passed over for a success.
    """
    found = None
    for less in _choices(oracle):
        program = lighter(less)
        if program is None:
            continue
        run = program(False)
        wanted = _Wanted(less.check.said, less.check.printed, less.described)
        found = (wanted, program, run)
        if run.result is None or not run.result.timed_out:
            break
    return found


def _choices(oracle: Oracle) -> Iterator[Lighter]:
    less = oracle.lighter()
    if less is not None:
        yield less
    yield from islice(oracle.smaller(), _MOST_SMALLER)


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
