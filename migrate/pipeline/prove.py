"""Proves a conversion: replays every captured launch on the generated code and judges it.

The migrated program is run as a whole as well: with its kernels, when its own check must pass, and
without them, when it must fail.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.artifact import Artifact, EmittedKernel
from migrate.core.codes import verification
from migrate.core.content_store import digest
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.options import DoublePolicy, Options
from migrate.core.targets import Target
from migrate.ir.kernel import Kernel, Module
from migrate.ir.program import SourceUnit
from migrate.ir.types import Kind
from migrate.pipeline.host_numbers import changed_alike
from migrate.pipeline.lighter import Lighter
from migrate.pipeline.oracle import Oracle, run_setup
from migrate.pipeline.smaller_program import SmallerProgram
from migrate.pipeline.stages import Conversion
from migrate.pipeline.whole_program import Program, whole_program
from migrate.verify.ascend_program import run_migrated
from migrate.verify.ascend_replay import replay_ascend
from migrate.verify.capture import Launch
from migrate.verify.compare import default_tolerance
from migrate.verify.evidence import KernelEvidence, ProgramEvidence, Verdict
from migrate.verify.judge import Replayed, Tolerances, first_error, judge
from migrate.verify.tilelang_program import (
    REFUSED_LAUNCH,
    BridgedProgram,
    LaunchShape,
    launch_shapes,
)
from migrate.verify.tilelang_replay import (
    replay_tilelang,
    replayed_libraries,
    tilelang_installed,
)

KernelKey = tuple[str, str]
"""(main file of the unit, kernel symbol)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Evidence for every kernel of a program, and its whole-program runs."""

    kernels: dict[KernelKey, KernelEvidence]
    runs: ProgramEvidence
    shapes: tuple[LaunchShape, ...] = ()
    """The shapes of the original's launches, by generated function."""


@dataclass(frozen=True, slots=True)
class KernelTask:
    """One emitted kernel with its unit and all its launches."""

    unit: SourceUnit
    kernel: Kernel
    emitted: EmittedKernel
    launches: tuple[Launch, ...]

    @property
    def key(self) -> KernelKey:
        """How evidence is looked up."""
        return (str(self.unit.main.path), self.kernel.symbol)


def prove(
    conversion: Conversion,
    oracle: Oracle,
    out: Path,
    options: Options,
    work: Path,
    tolerances: dict[str, Tolerances] | None = None,
) -> Proof:
    """Compile and replay what stands in ``out`` (the written output tree).

    ``tolerances`` by kernel name replace the defaults of some types (a corpus case gives its
    reason). ``work`` is a scratch directory.
    """
    tasks = kernel_tasks(conversion, oracle)
    if not options.run:
        evidence = {t.key: KernelEvidence(t.kernel.symbol, Verdict.EMITTED) for t in tasks}
        return Proof(evidence, ProgramEvidence())
    jobs = tuple(job_of(t) for t in tasks)
    replayed = replay(conversion.artifact, oracle, out, options, work / "replay", jobs)
    kernels: dict[KernelKey, KernelEvidence] = {}
    for task in tasks:
        found = replayed.get(task.emitted.symbol)
        if found is None:
            kernels[task.key] = KernelEvidence(task.kernel.symbol, Verdict.EMITTED)
        elif oracle.capture is None:
            kernels[task.key] = _compiled_only(task, found)
        else:
            kernels[task.key] = judge(
                task.kernel,
                task.unit.module,
                task.launches,
                found,
                oracle.capture,
                tolerances=_tolerances(options, (tolerances or {}).get(task.kernel.name)),
            )
    runs = ProgramEvidence(oracle.original, "not-run", "not-run", oracle.detail, oracle.diagnostics)
    if conversion.source.has_main:

        def program(less: Lighter) -> Program | None:
            how = replace(options, program_args=less.args)
            if less.smaller is not None:
                return _smaller_program(conversion, less.smaller, out, how, work)
            return _program(conversion, oracle, out, how, work)

        args = options.program_args if oracle.instead is None else oracle.instead
        first = _program(conversion, oracle, out, replace(options, program_args=args), work)
        runs = whole_program(conversion.source.verdict, oracle, first, REFUSED_LAUNCH, program)
    return Proof(kernels, runs, launch_shapes([(t.emitted, t.launches) for t in tasks]))


def _tolerances(options: Options, given: Tolerances | None) -> Tolerances | None:
    """With ``--double fp32`` a double can only be as good as a float; CM4001 says so per kernel."""
    if options.double is not DoublePolicy.FP32 or options.target is Target.TILELANG:
        return given
    return {Kind.F64: default_tolerance(Kind.F32), **(given or {})}


def kernel_tasks(conversion: Conversion, oracle: Oracle) -> tuple[KernelTask, ...]:
    """Every emitted kernel of a conversion."""
    emitted = {(k.symbol, k.mangled): k for k in conversion.artifact.kernels}
    tasks: list[KernelTask] = []
    for unit, kernel in conversion.program.kernels:
        found = emitted.get((kernel.symbol, kernel.mangled))
        if found is not None:
            launches = () if oracle.capture is None else oracle.capture.of_kernel(kernel.mangled)
            tasks.append(KernelTask(unit, kernel, found, launches))
    return tuple(tasks)


Job = tuple[EmittedKernel, Kernel, Module, tuple[Launch, ...]]
"""An emitted kernel, its IR with its module, and the launches to replay."""


def job_of(task: KernelTask) -> Job:
    """The replay job of a kernel: its launches that were recorded with their buffers."""
    launches = tuple(x for x in task.launches if x.skipped is None)
    return (task.emitted, task.kernel, task.unit.module, launches)


def replay(
    artifact: Artifact,
    oracle: Oracle,
    out: Path,
    options: Options,
    work: Path,
    jobs: tuple[Job, ...],
) -> dict[str, Replayed]:
    """Replay results by kernel symbol."""
    if not jobs:
        return {}
    if options.target is Target.TILELANG:
        return replay_tilelang(out, jobs, oracle.capture, options, work)
    return replay_ascend(out, artifact, jobs, oracle.capture, options, work)


def _compiled_only(task: KernelTask, replayed: Replayed) -> KernelEvidence:
    """A program without a ``main``, or one that could not be run: only compilation is known."""
    if replayed.compiled:
        cause = "the original program was not run"
        found = Diagnostic(
            verification.NOT_LAUNCHED,
            Outcome.UNPROVEN,
            cause,
            task.kernel.span,
            kernel=task.kernel.symbol,
        )
        return KernelEvidence(task.kernel.symbol, Verdict.COMPILED, diagnostics=(found,))
    found = Diagnostic(
        verification.GENERATED_DOES_NOT_COMPILE,
        Outcome.UNPROVEN,
        first_error(replayed.log),
        task.kernel.span,
        kernel=task.kernel.symbol,
    )
    return KernelEvidence(
        task.kernel.symbol, Verdict.EMITTED, diagnostics=(found,), compile_log=replayed.log
    )


def _program(
    conversion: Conversion, oracle: Oracle, out: Path, options: Options, work: Path
) -> Program | None:
    """The whole migrated program; none where the target has none."""
    hosts = conversion.source.host_sources
    if options.target is not Target.TILELANG:
        artifact = conversion.artifact
        return lambda skip: run_migrated(
            out, artifact, hosts, options, work / "program", skip_kernels=skip
        )
    if oracle.capture is None or not tilelang_installed():
        return None
    bridged = bridged_program(conversion, oracle, out, options, work / "program")
    bridged.libraries = replayed_libraries(work / "replay")
    return lambda skip: bridged.run(skip_kernels=skip)


def _smaller_program(
    conversion: Conversion, smaller: SmallerProgram, out: Path, options: Options, work: Path
) -> Program | None:
    """The whole migrated program with the smaller numbers of an original.

    None where the target has no whole programs or only such as were compiled for the launches of
    the original, and where the numbers are not found in the migrated text.
    """
    if options.target is Target.TILELANG:
        return None
    original = smaller.path.read_bytes().decode("latin-1")
    for file in conversion.artifact.files:
        if file.path.suffix != ".asc" or file.path.stem != smaller.path.stem:
            continue
        migrated = (out / Path(*file.path.parts)).read_bytes().decode("latin-1")
        text = changed_alike(original, migrated, smaller.change)
        if text is None:
            continue
        edited = {file.path: text.encode("latin-1")}
        place = work / f"smaller-{digest(text.encode('latin-1'))}"
        hosts = conversion.source.host_sources
        artifact = conversion.artifact
        return lambda skip: run_migrated(
            out, artifact, hosts, options, place, skip_kernels=skip, edited=edited
        )
    return None


def bridged_program(
    conversion: Conversion, oracle: Oracle, out: Path, options: Options, work: Path
) -> BridgedProgram:
    """The C++ program that calls TileLang kernels, compiled for the launches of the original."""
    return BridgedProgram(
        out,
        conversion.artifact,
        tuple((t.emitted, t.launches) for t in kernel_tasks(conversion, oracle)),
        conversion.program.units,
        conversion.source.host_sources,
        options,
        run_setup(conversion.source, options),
        work,
    )
