"""The oracle: the original program on the CPU or a GPU, its launches captured, its own check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from typing_extensions import assert_never

from migrate.core.codes import verification
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import Options, OracleKind
from migrate.emulation.cuda_program import CaptureCaps, CudaSources, RunSetup
from migrate.emulation.gpu_device import Gpu, find_gpu, gpu_or_none
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import CompileError, find_compiler
from migrate.ir.program import Program
from migrate.pipeline.fission import fission_program, fission_states
from migrate.pipeline.generated import move_blobs, with_generated
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.lighter import Lighter, find_lighter, find_smaller
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.other_arguments import OtherRun, Search, smaller_runs, unreached
from migrate.pipeline.own_check import Checked, Words, classify_run, passes, with_silence
from migrate.pipeline.stale import blind_outputs, with_second_run
from migrate.verify.capture import Capture, load_capture
from migrate.verify.outputs import Printed
from migrate.verify.pointer_layouts import layouts_text


def _no_lighter() -> Lighter | None:
    return None


def _no_smaller() -> Iterator[Lighter]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Oracle:
    """What the original program did.

    ``capture`` is ``None`` when nothing could be run; ``original`` and ``control`` are the
    classes of the plain run and of the run with its kernels skipped. ``ways`` says of kernels (by
    mangled name) that have a form as loops (``fission.py``) whether it was ``proven`` and took over
    from some launch on, was ``unproven`` for want of launches, or ``differs``. ``printed`` is there
    where the program has no check that passes. ``instead`` are arguments with which the original
    passes, when it ends in an error with the given ones. ``lighter``
    looks for arguments with less to do, once, when it is called, and ``smaller`` for programs that
    have less to do.
    """

    capture: Capture | None
    original: str
    control: str
    detail: str
    diagnostics: tuple[Diagnostic, ...] = ()
    ways: tuple[tuple[str, str], ...] = ()
    printed: Printed | None = None
    instead: tuple[str, ...] | None = None
    lighter: Callable[[], Lighter | None] = field(default=_no_lighter, compare=False)
    smaller: Callable[[], Iterator[Lighter]] = field(default=_no_smaller, compare=False)


SKIP_KERNELS = ("CUDAMIGRATE_SKIP_KERNELS", "1")
"""The environment of a negative control: launches are accepted and do nothing."""

NO_ORACLE = Oracle(None, "not-run", "not-run", "")
"""With ``--no-run``, or for a program without ``main``."""


def run_oracle(
    program: InputProgram, options: Options, work: Path, ir: Program | None = None
) -> Oracle:
    """Build the original, run it with capture, and once more with its kernels skipped.

    With the program's IR, launches that change nothing are captured again (``stale.py``), and
    kernels that need no stacks run as loops between captured launches where time runs out.

    Raises :class:`migrate.core.diagnostics.UserError` CM0030 without a C++ compiler. All else that
    goes wrong is a diagnostic of the result.
    """
    if not options.run or not program.has_main:
        return NO_ORACLE
    original = original_program(program, options, work, ir)
    try:
        found = _observe(program, original, run_setup(program, options), ir)
    except CompileError as error:
        cause = error.diagnostic(verification.ORIGINAL_DOES_NOT_COMPILE)
        found = Oracle(None, "error", "not-run", error.stderr[-2000:], (cause,))
    return replace(found, diagnostics=(*found.diagnostics, *map(_damage, original.damage)))


def original_program(
    program: InputProgram, options: Options, work: Path, ir: Program | None = None
) -> OriginalProgram:
    """The original, to be built below ``work`` when a run of it is needed.

    Raises :class:`migrate.core.diagnostics.UserError` CM0030 without a C++ compiler, CM0032 without
    the GPU that was asked for.
    """
    work.mkdir(parents=True, exist_ok=True)
    folders = tuple(dict.fromkeys(p.parent for p in program.sources))
    sources = CudaSources(
        (*program.sources, *program.host_sources),
        include_dirs=(*folders, *options.include_dirs),
        defines=options.defines,
        std=options.std,
    )
    gpu = gpu_of(options.oracle)
    loops = fission_program(ir).text if ir is not None and options.fission and not gpu else ""
    layouts = layouts_text(ir) if ir is not None else ""
    compiler = find_compiler(options.cxx)
    return OriginalProgram(sources, work, compiler, options, loops, layouts, gpu)


def gpu_of(kind: OracleKind) -> Gpu | None:
    """The device that is the oracle. Raises ``UserError`` CM0032 when it must be one and is not."""
    match kind:
        case OracleKind.CPU:
            return None
        case OracleKind.AUTO:
            return gpu_or_none()
        case OracleKind.GPU:
            return find_gpu()
        case _:
            assert_never(kind)


def run_setup(program: InputProgram, options: Options) -> RunSetup:
    """How an original is run: the command's arguments and limits, the program's own files."""
    return RunSetup(options.program_args, options.limits, files=program.files)


def _damage(detail: str) -> Diagnostic:
    cause = f"it was made again: {detail}"
    return Diagnostic(verification.STORED_RUN_DAMAGED, Outcome.EXACT, cause)


def _observe(
    program: InputProgram, original: OriginalProgram, setup: RunSetup, ir: Program | None
) -> Oracle:
    directory = original.work / "capture"
    result = original.capture(directory, setup, CaptureCaps())
    diagnostics: list[Diagnostic] = []
    ended = result.diagnostic()
    if ended is not None:
        diagnostics.append(ended)
    check = _own_check(program, original, setup, result)
    if check.control == "pass" == check.said:
        cause = f"{program.name} reports success although no kernel ran"
        diagnostics.append(Diagnostic(verification.CONTROL_PASSED, Outcome.WEAKER, cause))
    bad = check.said in ("fail", "error")
    tail = result.stderr.strip().splitlines()[-3:] if bad else []
    capture: Capture | None = None
    instead: tuple[str, ...] | None = None
    try:
        capture = load_capture(directory)
        # Further runs fork at a launch, which a process that uses a device cannot do.
        if ir is not None and original.gpu is None:
            capture, found = _further(program.verdict, check, original, setup, ir, capture)
            if check.said == "error" and found and not found[0].of:
                instead = found[0].setup.args
    except (OSError, ValueError, KeyError, TypeError) as error:
        diagnostics.append(
            Diagnostic(verification.NOT_REPLAYABLE, Outcome.UNPROVEN, f"capture: {error}")
        )
    ways = fission_states(directory)
    diagnostics += [_differs(mangled, ir) for mangled, state in ways if state == "differs"]
    text = "\n".join(tail)
    return Oracle(
        capture,
        check.said,
        check.control,
        text,
        tuple(diagnostics),
        ways,
        check.printed,
        instead,
        cache(partial(_lighter, program, original, setup, check)),
        partial(_smaller, program, original, setup, check),
    )


def _lighter(
    program: InputProgram, original: OriginalProgram, setup: RunSetup, check: Checked
) -> Lighter | None:
    """Arguments with less to do for a program whose results are fine, or not known."""
    late = check.said == "error" and check.seconds >= setup.limits.seconds
    if check.said in ("fail", "error") and not late:
        return None
    again = partial(_own_check, program, original)
    try:
        return find_lighter(original, setup, check, again)
    except (CompileError, OSError):
        return None  # all of the proof would be lost to what is asked for in addition


def _smaller(
    program: InputProgram, original: OriginalProgram, setup: RunSetup, check: Checked
) -> Iterator[Lighter]:
    """Smaller programs for one whose check passes, or that was not done: its time or its memory
    were not enough. A device makes no difference to what is small, and is not asked."""
    if original.gpu is not None or not (passes(check.said) or check.said == "error"):
        return
    folder = original.options.cache_dir / "smaller"
    try:
        again = partial(_own_check, program)
        yield from find_smaller(original, setup, folder, check, again)
    except OSError:
        return


def _own_check(
    program: InputProgram, original: OriginalProgram, setup: RunSetup, result: RunResult
) -> Checked:
    said = classify_run(result, program.verdict)
    if said == "error":
        return Checked(said, "not-run", None, result.seconds)
    skipped = original.run(replace(setup, environment=(SKIP_KERNELS,)))
    control = "error" if skipped.timed_out else classify_run(skipped, program.verdict)
    said = with_silence(said, control)
    if said == "pass":
        return Checked(said, control, None, result.seconds)
    second = original.run(setup).stdout
    printed = Printed(result.stdout, second, skipped.stdout, result.exit)
    return Checked(said, control, printed, result.seconds)


def _further(
    words: Words,
    first: Checked,
    original: OriginalProgram,
    setup: RunSetup,
    ir: Program,
    capture: Capture,
) -> tuple[Capture, tuple[OtherRun, ...]]:
    """The capture with launches of further runs: of this run again, and with other arguments."""
    fuzz = original.options.fuzz > 0
    missing = unreached(ir, capture)
    found: tuple[OtherRun, ...] = ()
    if fuzz and missing:
        there = original.below(original.work / "others")
        search = Search(there, setup, words, missing, first.said, first.seconds)
        found = search.runs()
        late = first.said == "error" and first.seconds >= setup.limits.seconds
        if search.wanted and (late or _too_large(capture, search.wanted)):
            found += smaller_runs(search, original.options.cache_dir / "smaller")
        missing = search.wanted
    # Of a program that ended badly all that was captured is kept, and nothing is tried on it.
    if first.said != "error":
        capture = _again(original, setup, ir, capture, first.seconds, missing)
    reached = {x.mangled for run in found for x in run.capture.launches}
    for run in found:
        missing = unreached(ir, capture) - reached
        more = _again(run.original, run.setup, ir, run.capture, run.seconds, missing)
        joined = run.joined(more)
        for launch in joined:
            move_blobs(launch, more, capture)
        capture = replace(capture, launches=(*capture.launches, *joined))
    return capture, found


def _too_large(capture: Capture, kernels: frozenset[str]) -> bool:
    return any(x.skipped == "cap-bytes" and x.mangled in kernels for x in capture.launches)


def _again(
    original: OriginalProgram,
    setup: RunSetup,
    ir: Program,
    capture: Capture,
    seconds: float,
    others: frozenset[str],
) -> Capture:
    """A run's capture with its blind launches captured again, orders tried, launches generated."""
    setup = _poisoning(setup, blind_outputs(ir, capture))
    capture = _without_blind(original, setup, capture)
    if original.options.fuzz:
        capture = with_generated(capture, ir, original, setup, seconds=seconds, others=others)
    return capture


def _differs(mangled: str, ir: Program | None) -> Diagnostic:
    kernels = () if ir is None else ir.kernels
    symbol = next((k.symbol for _, k in kernels if k.mangled == mangled), mangled)
    cause = f"{symbol} leaves other memory when it runs as loops over its threads"
    return Diagnostic(verification.FISSION_DIFFERS, Outcome.EXACT, cause, kernel=symbol)


def _poisoning(setup: RunSetup, outputs: tuple[str, ...]) -> RunSetup:
    """The setup under which blind outputs look unwritten; the same when there are none."""
    poison = ("CUDAMIGRATE_POISON_OUTPUTS", ",".join(outputs))
    return replace(setup, environment=(*setup.environment, poison)) if outputs else setup


def _without_blind(original: OriginalProgram, setup: RunSetup, capture: Capture) -> Capture:
    if not setup.environment:
        return capture
    again = original.work / "again"
    original.capture(again, setup, CaptureCaps())
    return with_second_run(capture, load_capture(again))
