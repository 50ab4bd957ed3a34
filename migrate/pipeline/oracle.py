"""The oracle: the original program on the CPU, its launches captured, and its own check."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import Options
from migrate.emulation.cuda_program import (
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
    run_program,
)
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import CompileError, find_compiler
from migrate.ir.program import Program
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.stale import blind_outputs, with_second_run
from migrate.verify.capture import Capture, load_capture

_FAIL = re.compile(r"\bFAIL(ED|URE)?\b|\b[Ff]ailed\b")
_PASS = re.compile(r"\bPASS(ED)?\b")
_WEAK_FAIL = re.compile(
    r"(?<!\b0 )(?<!\bno )\b(mismatch(es|ed)?|incorrect|wrong|errors?)\b(?!\s*[:=]?\s*0\b)(?! rate)",
    re.IGNORECASE,
)
_WEAK_PASS = re.compile(
    r"\b(passed|success(ful|fully)?|correct|verified|ok|no errors|0 errors)\b", re.IGNORECASE
)


def classify_run(result: RunResult) -> str:
    """``pass``, ``fail``, ``no-check`` or ``error``, from exit status and what was printed.

    The words FAIL and PASS decide first; without them softer words do ("mismatch", "correct"). A
    status other than 0 is never ``pass``; it is ``error`` when the program ended by a signal, ran
    out of time, or with a status above 1 and no word of failure.
    """
    text = result.stdout + "\n" + result.stderr
    if result.timed_out or result.signal:
        return "error"
    failed = _FAIL.search(text) is not None
    passed = _PASS.search(text) is not None
    if result.exit != 0:
        return "fail" if failed or result.exit == 1 else "error"
    if failed:
        return "fail"
    if passed:
        return "pass"
    if _WEAK_FAIL.search(text):
        return "fail"
    return "pass" if _WEAK_PASS.search(text) else "no-check"


@dataclass(frozen=True, slots=True)
class Oracle:
    """What the original program did.

    ``capture`` is ``None`` when nothing could be run; ``original`` and ``control`` are the
    classes of the plain run and of the run with its kernels skipped.
    """

    capture: Capture | None
    original: str
    control: str
    detail: str
    diagnostics: tuple[Diagnostic, ...] = ()


NO_ORACLE = Oracle(None, "not-run", "not-run", "")
"""With ``--no-run``, or for a program without ``main``."""


def run_oracle(
    program: InputProgram, options: Options, work: Path, ir: Program | None = None
) -> Oracle:
    """Build the original, run it with capture, and once more with its kernels skipped.

    With the program's IR, launches that change nothing are captured again (``stale.py``).

    Raises :class:`migrate.core.diagnostics.UserError` CM0030 without a C++ compiler. All else that
    goes wrong is a diagnostic of the result.
    """
    if not options.run or not program.has_main:
        return NO_ORACLE
    compiler = find_compiler(options.cxx)
    work.mkdir(parents=True, exist_ok=True)
    folders = tuple(dict.fromkeys(p.parent for p in program.sources))
    try:
        sources = CudaSources(
            (*program.sources, *program.host_sources),
            include_dirs=(*folders, *options.include_dirs),
            defines=options.defines,
            std=options.std,
        )
        built = build_cuda_program(sources, work, compiler, options.cache_dir)
    except CompileError as error:
        found = error.diagnostic(verification.ORIGINAL_DOES_NOT_COMPILE)
        return Oracle(None, "error", "not-run", error.stderr[-2000:], (found,))
    setup = RunSetup(options.program_args, options.limits)
    run = capture_program(built, work / "capture", setup)
    original = classify_run(run.result)
    diagnostics: list[Diagnostic] = []
    ended = run.result.diagnostic()
    if ended is not None:
        diagnostics.append(ended)
    control = "not-run"
    if original == "pass":
        skip = (("CUDAMIGRATE_SKIP_KERNELS", "1"),)
        skipped = run_program(built, replace(setup, environment=skip))
        control = "error" if skipped.timed_out else classify_run(skipped)
        if control == "pass":
            diagnostics.append(
                Diagnostic(
                    verification.CONTROL_PASSED,
                    Outcome.WEAKER,
                    f"{program.name} reports success although no kernel ran",
                )
            )
    tail = run.result.stderr.strip().splitlines()[-3:] if original in ("fail", "error") else []
    capture: Capture | None = None
    try:
        capture = load_capture(run.directory)
        outputs = () if ir is None or original == "error" else blind_outputs(ir, capture)
        if outputs:
            poison = (("CUDAMIGRATE_POISON_OUTPUTS", ",".join(outputs)),)
            again = capture_program(built, work / "again", replace(setup, environment=poison))
            capture = with_second_run(capture, load_capture(again.directory))
    except (OSError, ValueError, KeyError, TypeError) as error:
        diagnostics.append(
            Diagnostic(verification.NOT_REPLAYABLE, Outcome.UNPROVEN, f"capture: {error}")
        )
    return Oracle(capture, original, control, "\n".join(tail), tuple(diagnostics))
