"""Measures the CUDA runtime for the CPU: originals built, run, captured and replayed, no target.

A program counts as passed only with a sign that its kernels did something: a captured launch that
changed memory, or a check that fails when kernels are skipped. A program's own check alone may be
blind to that.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.analysis.reach import reads_clock
from migrate.core.codes import verification
from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.emulation.cuda_program import CaptureCaps
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import CompileError
from migrate.ir.program import Program
from migrate.pipeline.generated import with_generated
from migrate.pipeline.oracle import SKIP_KERNELS, original_program, run_setup
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.own_check import classify_run, with_silence
from migrate.pipeline.read_ahead import read_ahead
from migrate.pipeline.run import Listener, Progress, silent
from migrate.pipeline.stages import read, with_settings
from migrate.pipeline.suite import SuiteProgram
from migrate.verify.capture import Capture, Launch, load_capture

# Runs that take this long may be replayed for a few times as long; shorter ones no less.
_LEAST_REPLAY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class OriginalScore:
    """What one program did.

    ``check`` is the class of its run (``pass``, ``fail``, ``no-check``, ``error``, or
    ``not-compiled``), ``control`` that of a run without kernels. It is ``silent`` for a check that
    says nothing when all is well, and complains when kernels are skipped. ``worked`` and
    ``control_worked`` tell whether a captured launch of those runs changed memory. Seconds are wall
    time; the capture runs on one core. ``replayed`` launches ran again on their captured input:
    ``exact`` with the same bits in the same order; ``sums`` moved in another order by no more than
    float atomics may, ``ordered`` by more. ``cause`` is one line about what went wrong.
    """

    program: str
    group: str
    check: str
    control: str = "not-run"
    worked: bool = False
    control_worked: bool = False
    plain_seconds: float = 0.0
    captured_seconds: float = 0.0
    launches: int = 0
    captured: int = 0
    stored_bytes: int = 0
    cap_bytes: int = 0
    replayed: int = 0
    exact: int = 0
    sums: int = 0
    ordered: int = 0
    cause: str = ""

    @property
    def passed(self) -> bool:
        """Its own check passes, and its kernels are known to have run."""
        return self.own_check_passes and (self.worked or self.control != "pass")

    @property
    def own_check_passes(self) -> bool:
        """It says so, or it says nothing where it would have complained."""
        return self.check in ("pass", "silent")

    @property
    def replays_exactly(self) -> bool:
        """All launches that were captured ran again with the same bits."""
        return 0 < self.captured == self.replayed == self.exact

    @property
    def control_passed(self) -> bool:
        """The run without kernels would count as passed: never, or the measure is worthless."""
        return self.control == "pass" and self.control_worked


def measure_originals(
    suite: tuple[SuiteProgram, ...], options: Options, listener: Listener = silent
) -> tuple[OriginalScore, ...]:
    """Build, run, capture and replay every program of a suite."""
    read_ahead(tuple(p.source for p in suite), options)
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:

        def one(item: tuple[int, SuiteProgram]) -> OriginalScore:
            number, program = item
            work = Path(scratch) / str(number)
            try:
                return measure_original(program, options, work, listener)
            except UserError:
                raise
            except Exception as error:  # a fault of ours costs one program
                cause = f"{type(error).__name__}: {error}"
                return OriginalScore(program.source.name, program.group, "error", cause=cause)
            finally:
                shutil.rmtree(work, ignore_errors=True)
                listener(Progress(program.source.name, "done"))

        with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
            return tuple(pool.map(one, enumerate(suite)))


def measure_original(
    program: SuiteProgram, options: Options, work: Path, listener: Listener = silent
) -> OriginalScore:
    """Build, run, capture and replay one program."""
    source = program.source
    listener(Progress(source.name, "read"))
    mine = replace(options, program_args=program.args)
    ir = read(source, mine)
    listener(Progress(source.name, "run original"))
    original = original_program(source, with_settings(mine, source), work, ir)
    try:
        return _observe(program, original, ir)
    except CompileError as error:
        found = error.diagnostic(verification.ORIGINAL_DOES_NOT_COMPILE)
        name, group = source.name, program.group
        return OriginalScore(name, group, "not-compiled", cause=found.one_line())


def _observe(program: SuiteProgram, original: OriginalProgram, ir: Program) -> OriginalScore:
    options, caps = original.options, CaptureCaps()
    verdict = program.source.verdict
    setup = run_setup(program.source, options)
    captured = original.capture(original.work / "capture", setup, caps)
    plain = original.run(setup)
    skipping = replace(setup, environment=(SKIP_KERNELS,))
    control = original.capture(original.work / "control", skipping, caps)
    capture = _capture(original.work / "capture")
    check = _worse(classify_run(plain, verdict), classify_run(captured, verdict))
    without = classify_run(control, verdict)
    score = OriginalScore(
        program.source.name,
        program.group,
        with_silence(check, without),
        without,
        changed_memory(capture),
        changed_memory(_capture(original.work / "control")),
        plain.seconds,
        captured.seconds,
        launches=0 if capture is None else len(capture.launches),
        captured=len(_kept(capture)),
        stored_bytes=_stored(original.work / "capture"),
        cap_bytes=caps.max_bytes,
        cause=_cause(plain) or _cause(captured),
    )
    if capture is None or captured.timed_out:
        return score
    patience = max(captured.seconds, _LEAST_REPLAY_SECONDS)
    again = with_generated(capture, ir, original, setup, seconds=patience)
    return _replayed(score, _kept(again), _timed(ir))


def _worse(plain: str, captured: str) -> str:
    """One class for both runs: recording must not change what a program finds."""
    return plain if plain != "pass" else captured


def _cause(result: RunResult) -> str:
    found = result.diagnostic()
    return "" if found is None else found.one_line()


def _capture(directory: Path) -> Capture | None:
    try:
        return load_capture(directory)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _kept(capture: Capture | None) -> tuple[Launch, ...]:
    launches = () if capture is None else capture.launches
    return tuple(x for x in launches if x.skipped is None)


def changed_memory(capture: Capture | None) -> bool:
    """Whether a captured launch left other bytes than it found."""
    kept = _kept(capture)
    buffers = any(b.before != b.after for x in kept for b in x.buffers)
    return buffers or any(g.before != g.after for x in kept for g in x.globals)


def _stored(directory: Path) -> int:
    """Bytes of contents that the recorder stored, before they are compressed."""
    try:
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        return int(summary["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _timed(ir: Program) -> frozenset[str]:
    """Kernels that read a clock, which no second run finds as it was."""
    return frozenset(k.mangled for unit, k in ir.kernels if reads_clock(k, unit.module))


def _replayed(
    score: OriginalScore, launches: tuple[Launch, ...], timed: frozenset[str]
) -> OriginalScore:
    orders = [x.order for x in launches if x.order is not None and x.mangled not in timed]
    return replace(
        score,
        replayed=len(orders),
        exact=sum(o.repeatable for o in orders),
        sums=sum(o.ordered and o.explained for o in orders),
        ordered=sum(o.ordered and not o.explained for o in orders),
    )
