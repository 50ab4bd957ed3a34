"""Reduces a kernel's failing launch to a small one, and keeps it as a capture of its own."""

from __future__ import annotations

import shutil
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.core.options import Options
from migrate.pipeline.generated import FIRST_GENERATED, run_candidates, uses_of
from migrate.pipeline.oracle import original_program, run_setup
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.prove import KernelTask, replay
from migrate.pipeline.run import Prepared, ProgramRun
from migrate.verify.capture import Capture, Launch, dump_launches
from migrate.verify.evidence import KernelEvidence
from migrate.verify.generate import Subject
from migrate.verify.judge import judge_launch
from migrate.verify.shrink import (
    as_variant,
    changed_buffers,
    filled_bytes,
    smaller,
    weight,
    zeroed,
)
from migrate.verify.variants import Variant

_MOST_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest failing launch that was found; ``first`` is the one that it began with."""

    symbol: str
    first: Launch
    last: Launch
    rounds: int


@dataclass(frozen=True, slots=True)
class Failing:
    """A kernel that is ``different``, with everything needed to run it again."""

    prepared: Prepared
    run: ProgramRun
    task: KernelTask
    evidence: KernelEvidence
    tree: Path
    options: Options
    work: Path


def shrink(failing: Failing) -> Shrunk | None:
    """Try smaller launches until none fails any more; None when there is nothing to begin with.

    First fewer blocks and smaller sizes, then less that is not zero in the buffers. Each round is
    one run of the original, on all candidates, and one replay of those that the original answers in
    the same way twice.
    """
    capture = failing.prepared.oracle.capture
    bad = next((x for x in failing.evidence.launches if not x.equal and not x.not_run), None)
    if capture is None or bad is None:
        return None
    first = next(x for x in capture.launches if x.seq == bad.seq)
    seq = first.base if first.base >= 0 else first.seq
    base = next(x for x in capture.launches if x.seq == seq)
    uses = uses_of(failing.task.kernel, failing.task.unit.module)
    sizes = () if uses is None else uses.sizes
    subject = Subject(failing.task.kernel, failing.task.unit.module, uses)
    prepared = failing.prepared
    built = failing.work / "original"
    original = original_program(prepared.source, failing.options, built, prepared.program)
    search = _Search(failing, capture, subject, base, original)
    last = search.smaller(first, sizes)
    last = search.emptier(last)
    return Shrunk(failing.task.kernel.symbol, first, last, search.rounds)


@dataclass(slots=True)
class _Search:
    """Rounds of candidates; ``rounds`` counts them. ``original`` is built in the first one."""

    failing: Failing
    capture: Capture
    subject: Subject
    base: Launch
    original: OriginalProgram
    rounds: int = 0

    def smaller(self, first: Launch, sizes: tuple[str, ...]) -> Launch:
        """The smallest launch that fails on the same data."""
        last = first
        contents = tuple((a, self.capture.blob(h)) for a, h in changed_buffers(first, self.base))
        for _ in range(_MOST_ROUNDS):
            tried = smaller(last, self.base, sizes, f"r{self.rounds}")
            still = self.still_fail(tuple(replace(v, contents=contents) for v in tried))
            still = [x for x in still if weight(x, sizes) < weight(last, sizes)]
            if not still:
                break
            last = min(still, key=lambda x: weight(x, sizes))
        return last

    def emptier(self, last: Launch) -> Launch:
        """The same launch with zeros in all that its failure does not need."""
        for _ in range(_MOST_ROUNDS):
            contents = tuple(
                (b.alloc, self.capture.blob(b.before)) for b in last.buffers if not b.pointers
            )
            same = as_variant(last, self.base, "")
            tried = tuple(
                replace(same, name=f"z{self.rounds}_{number}", contents=c)
                for number, c in enumerate(zeroed(contents))
            )
            still = [x for x in self.still_fail(tried) if self.filled(x) < self.filled(last)]
            if not still:
                break
            last = min(still, key=self.filled)
        return last

    def filled(self, launch: Launch) -> int:
        """Bytes before the launch that are not zero."""
        return sum(filled_bytes(self.capture.blob(b.before)) for b in launch.buffers)

    def still_fail(self, tried: tuple[Variant, ...]) -> list[Launch]:
        """One round: those of the candidates that the original takes and that fail."""
        if not tried:
            return []
        failing = self.failing
        work = failing.work / f"round{self.rounds}"
        setup = run_setup(failing.prepared.source, failing.options)
        original = self.original.below(work)
        made = run_candidates(self.capture, self.subject, tried, original, setup)
        number = FIRST_GENERATED * (self.rounds + 2)
        made = tuple(replace(x, seq=number + i) for i, x in enumerate(made))
        found = _fail(failing, self.capture, made, work)
        shutil.rmtree(work, ignore_errors=True)
        self.rounds += 1
        return found


def _fail(
    failing: Failing, capture: Capture, launches: tuple[Launch, ...], work: Path
) -> list[Launch]:
    """Those launches on which the migrated kernel gives something else."""
    task = failing.task
    jobs = ((task.emitted, task.kernel, task.unit.module, launches),)
    artifact = failing.run.conversion.artifact
    oracle = failing.prepared.oracle
    found = replay(artifact, oracle, failing.tree, failing.options, work / "replay", jobs)
    replayed = found.get(task.emitted.symbol)
    if replayed is None or not replayed.compiled:
        return []
    by_seq = {x.seq: x for x in replayed.launches}
    rows = (
        (x, judge_launch(task.kernel, task.unit.module, x, by_seq[x.seq], capture))
        for x in launches
        if x.seq in by_seq
    )
    return [x for x, row in rows if not row.equal and not row.not_run]


def write_capture(capture: Capture, launch: Launch, directory: Path) -> None:
    """Write one launch as a capture directory (``docs/capture.md``), contents compressed."""
    blobs = directory / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    digests = {h for b in launch.buffers for h in (b.before, b.after)}
    digests |= {h for g in launch.globals for h in (g.before, g.after)}
    for digest in sorted(digests):
        (blobs / f"{digest}.bin.z").write_bytes(zlib.compress(capture.blob(digest), 9))
    (directory / "launches.jsonl").write_text(dump_launches((launch,)), encoding="utf-8")
