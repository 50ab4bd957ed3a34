"""Runs mutants of generated kernels through the same proof as the kernels themselves."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from migrate.core.artifact import Artifact
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.prove import Job, KernelTask, job_of, kernel_tasks, replay
from migrate.pipeline.run import Listener, Prepared, Progress, finish, prepare, silent
from migrate.pipeline.suite import SuiteProgram
from migrate.rules.catalogue import Catalogue
from migrate.verify.evidence import LaunchEvidence
from migrate.verify.judge import Replayed, judge
from migrate.verify.mutants import Mutant, mutants_of, sample


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What the proof said of one mutant.

    ``caught`` is ``numbers`` (values differ, a rule of the target is broken, a crash), ``compiler``
    (it does not compile), ``inert`` (every bit of every captured launch is as without the fault: it
    is no fault, or the program's inputs do not reach it) or empty: the checker missed it. ``cause``
    is the first finding. ``captured`` is what ``caught`` would be without generated launches.
    """

    program: str
    mutant: Mutant
    caught: str
    cause: str
    captured: str = ""

    @property
    def by_generated(self) -> bool:
        """Whether generated launches alone find the fault."""
        return self.caught == "numbers" != self.captured


@dataclass(frozen=True, slots=True)
class _Subject:
    """A program whose kernels can be mutated. ``tasks`` are those that are equal as they are."""

    program: SuiteProgram
    prepared: Prepared
    artifact: Artifact
    tasks: tuple[KernelTask, ...]
    work: Path

    @property
    def name(self) -> str:
        return self.program.source.name

    def content(self, path: PurePosixPath) -> bytes:
        return next(f.content for f in self.artifact.files if f.path == path)

    def mutants(self) -> tuple[Mutant, ...]:
        return tuple(
            m for t in self.tasks for m in mutants_of(self.content(t.emitted.file), t.emitted)
        )


def run_mutants(
    suite: tuple[SuiteProgram, ...],
    options: Options,
    catalogue: Catalogue,
    *,
    count: int,
    seed: int,
    listener: Listener = silent,
) -> tuple[MutantResult, ...]:
    """Seed ``count`` faults over the kernels of a suite and replay each.

    Only kernels that are equal without the fault take part.
    """
    results: list[MutantResult] = []
    with tempfile.TemporaryDirectory(prefix="cudamigrate-") as scratch:
        subjects = tuple(
            _subject(p, options, catalogue, Path(scratch) / str(i), listener)
            for i, p in enumerate(suite)
        )
        pools = tuple((s, s.mutants()) for s in subjects)
        chosen = {id(m) for m in sample(tuple(m for _, p in pools for m in p), count, seed)}
        for subject, pool in pools:
            mine = tuple(m for m in pool if id(m) in chosen)
            if mine:
                listener(Progress(subject.name, f"replay {len(mine)} mutants"))
                results += _check(subject, mine, options)
    return tuple(results)


def _subject(
    program: SuiteProgram, options: Options, catalogue: Catalogue, work: Path, listener: Listener
) -> _Subject:
    mine = replace(options, program_args=program.args)
    prepared = prepare(program.source, mine, work, listener)
    run = finish(prepared, mine, catalogue, work, tolerances=dict(program.tolerances))
    listener(Progress(program.source.name, "done"))
    equal = tuple(
        t
        for t in kernel_tasks(run.conversion, prepared.oracle)
        if run.proof.kernels[t.key].verdict.is_equal
    )
    return _Subject(program, prepared, run.conversion.artifact, equal, work)


def _check(subject: _Subject, mutants: tuple[Mutant, ...], options: Options) -> list[MutantResult]:
    mine = replace(options, program_args=subject.program.args)
    tasks = {t.kernel.symbol: t for t in subject.tasks}
    if options.target is Target.TILELANG:
        return _together(subject, mutants, mine, tasks)
    out: list[MutantResult] = []
    for number, m in enumerate(mutants):
        tree = subject.work / "mutants" / str(number)
        task = tasks[m.symbol]
        _lay(tree, subject.artifact, task.emitted.file, m.content)
        found = replay(
            subject.artifact,
            subject.prepared.oracle,
            tree,
            mine,
            tree / "replay",
            (job_of(task),),
        )
        out.append(_result(subject, m, task, found.get(m.symbol)))
    return out


def _together(
    subject: _Subject,
    mutants: tuple[Mutant, ...],
    options: Options,
    tasks: dict[str, KernelTask],
) -> list[MutantResult]:
    """All mutants of a program in one worker: each is a module of its own."""
    tree = subject.work / "mutants"
    jobs: list[Job] = []
    for number, m in enumerate(mutants):
        task = tasks[m.symbol]
        path = PurePosixPath(f"m{number}") / task.emitted.file
        place = tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(m.content)
        emitted, kernel, module, launches = job_of(task)
        renamed = replace(emitted, symbol=f"{m.symbol}__m{number}", file=path)
        jobs.append((renamed, kernel, module, launches))
    oracle = subject.prepared.oracle
    found = replay(subject.artifact, oracle, tree, options, tree / "replay", tuple(jobs))
    return [
        _result(subject, m, tasks[m.symbol], found.get(f"{m.symbol}__m{number}"))
        for number, m in enumerate(mutants)
    ]


def _lay(tree: Path, artifact: Artifact, mutated: PurePosixPath, content: bytes) -> None:
    for file in artifact.files:
        path = tree / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if file.path == mutated else file.content)


def _result(subject: _Subject, m: Mutant, task: KernelTask, found: Replayed | None) -> MutantResult:
    capture = subject.prepared.oracle.capture
    if found is None or capture is None:
        return MutantResult(subject.name, m, "", "the mutant was not replayed")
    if not found.compiled:
        return MutantResult(subject.name, m, "compiler", found.log.strip()[-200:], "compiler")
    evidence = judge(
        task.kernel,
        task.unit.module,
        task.launches,
        found,
        capture,
        tolerances=dict(subject.program.tolerances).get(task.kernel.name),
    )
    cause = evidence.diagnostics[0].cause if evidence.diagnostics else ""
    captured = tuple(x for x in evidence.launches if x.source == "captured")
    return MutantResult(subject.name, m, outcome(evidence.launches), cause, outcome(captured))


def outcome(launches: tuple[LaunchEvidence, ...]) -> str:
    """What replayed launches say of a fault, in the words of :class:`MutantResult`."""
    tried = [x for x in launches if not x.not_run]
    if not all(x.equal for x in tried):
        return "numbers"
    bits = all(b.difference.bit_equal for x in tried for b in x.buffers)
    return "inert" if bits else ""
