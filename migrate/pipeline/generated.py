"""Generated launches: the original's kernels on further input, and in other orders of threads.

One more run of the original answers both questions for all kernels. Each captured launch is run
again in the same order (it must give the same bits), in two others, and with other contents of
memory that nobody wrote; each generated launch is run twice, in two orders and with other memory
around its buffers and where nobody wrote, and dropped when the two disagree
in more than the order of float atomic additions explains, when it writes outside of a buffer,
crashes or takes too long. What is left joins the captured launches.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.analysis.value_uses import ValueUses, value_uses
from migrate.core.diagnostics import Sink
from migrate.emulation.cuda_program import RunSetup
from migrate.ir.kernel import Kernel, Module
from migrate.ir.program import Program
from migrate.lifting.lift import normalise
from migrate.lifting.refusal import Refused
from migrate.pipeline.original import OriginalProgram
from migrate.verify.capture import Capture, Launch
from migrate.verify.compare import Section
from migrate.verify.generate import MOST_BYTES, Subject, origin, plan
from migrate.verify.order import agree, observe_order
from migrate.verify.sections import buffer_sections
from migrate.verify.variants import (
    REVERSE,
    SCATTERED,
    Variant,
    VariantRun,
    read_run,
    renumbered,
    write_job,
)

FIRST_GENERATED = 1_000_000
"""Numbers of generated launches start here; a program makes fewer launches of its own."""
_LEAST_SECONDS = 5.0
_TIMES_THE_RUN = 4.0
_SECONDS_A_VARIANT = 0.3


@dataclass(frozen=True, slots=True)
class _Plan:
    """The variants of one captured or generated launch; the first is the one in the usual order."""

    subject: Subject
    base: Launch
    runs: tuple[Variant, ...]
    generated: bool


def uses_of(kernel: Kernel, module: Module) -> ValueUses | None:
    """The uses of a kernel's values; None when it has no normal form."""
    try:
        return value_uses(normalise(kernel, module, Sink()))
    except Refused:
        return None


def with_generated(
    capture: Capture,
    program: Program,
    original: OriginalProgram,
    setup: RunSetup,
    *,
    seconds: float,
    others: frozenset[str] | None = None,
) -> Capture:
    """The capture with order facts at its launches, and ``fuzz`` more launches a kernel.

    ``seconds`` is how long the captured run took: this one may take a few times as long, and some
    time for each launch. ``others`` are the kernels (by mangled name) that may run on launches of
    another instance; without it all that the capture has no launch of.
    """
    count, seed = original.options.fuzz, original.options.seed
    plans = [p for s in _subjects(program, capture) for p in _plans(s, capture, count, seed)]
    if count:
        plans += _plans_of_others(program, capture, count, seed, others)
    if not plans:
        return capture
    runs = sum(len(p.runs) for p in plans)
    asked = _LEAST_SECONDS + _TIMES_THE_RUN * seconds + _SECONDS_A_VARIANT * runs
    limit = min(setup.limits.seconds, asked)
    out = _run(plans, original, setup, limit)
    return _joined(capture, plans, out, seed)


def run_candidates(
    capture: Capture,
    subject: Subject,
    variants: tuple[Variant, ...],
    original: OriginalProgram,
    setup: RunSetup,
) -> tuple[Launch, ...]:
    """Launches that the original answers in the same way twice; contents go into ``capture``."""
    plans = [_Plan(subject, v.base, _twice(v), generated=True) for v in variants]
    out = _run(plans, original, setup, setup.limits.seconds)
    joined = _joined(replace(capture, launches=()), plans, out, original.options.seed)
    return joined.launches


def _twice(v: Variant) -> tuple[Variant, Variant]:
    """In the usual order, and in another with other memory around the buffers and unwritten."""
    again = replace(v, name=f"{v.name}_reverse", order=REVERSE, guard=1, fresh=True)
    return (replace(v, sums=True), again)


def _run(plans: list[_Plan], original: OriginalProgram, setup: RunSetup, seconds: float) -> Path:
    """Run the original for all variants, within ``seconds``; where their records lie."""
    job = write_job(tuple(v for p in plans for v in p.runs), original.work / "variants")
    out = original.work / "varied"
    out.mkdir(parents=True, exist_ok=True)
    alarm = ("CUDAMIGRATE_VARIANT_SECONDS", str(max(1, round(seconds / 4))))
    limits = replace(setup.limits, seconds=seconds)
    how = replace(setup, limits=limits, environment=(*setup.environment, alarm))
    original.variants(job, out, how)
    return out


def _subjects(program: Program, capture: Capture) -> list[Subject]:
    found: dict[str, Subject] = {}
    for unit, kernel in program.kernels:
        launched = any(x.skipped is None for x in capture.of_kernel(kernel.mangled))
        if launched and kernel.mangled not in found:
            uses = uses_of(kernel, unit.module)
            found[kernel.mangled] = Subject(kernel, unit.module, uses)
    return list(found.values())


def _plans(subject: Subject, capture: Capture, count: int, seed: int) -> list[_Plan]:
    launches = tuple(x for x in capture.of_kernel(subject.kernel.mangled) if x.skipped is None)
    out: list[_Plan] = []
    for x in launches:
        forward = Variant(f"s{x.seq}", x, sums=True)
        others = (
            Variant(f"s{x.seq}_reverse", x, REVERSE, guard=1),
            Variant(f"s{x.seq}_scattered", x, SCATTERED, guard=1),
            Variant(f"s{x.seq}_fresh", x, fresh=True),
        )
        out.append(_Plan(subject, x, (forward, *others), generated=False))
    for v in plan(subject, launches, capture, count, seed):
        out.append(_Plan(subject, v.base, _twice(v), generated=True))
    return out


def _plans_of_others(
    program: Program, capture: Capture, count: int, seed: int, among: frozenset[str] | None
) -> list[_Plan]:
    """Launches of instances that the run never launches, on what another instance was given.

    Legal as input, whatever the kernel makes of it: both sides get the same arguments, and as for
    every generated launch the original has to answer twice alike without leaving its buffers.
    """
    out: list[_Plan] = []
    seen: set[str] = set()
    for unit, kernel in program.kernels:
        if kernel.mangled in seen or not kernel.template_args or capture.of_kernel(kernel.mangled):
            continue
        if among is not None and kernel.mangled not in among:
            continue
        seen.add(kernel.mangled)
        others = _launches_of_others(program, capture, kernel)
        subject = Subject(kernel, unit.module, uses_of(kernel, unit.module))
        as_they_are = tuple(Variant(f"o{len(seen)}_{x.seq}", x) for x in others[:count])
        varied = plan(subject, others, capture, count, seed)
        for v in (*as_they_are, *(replace(v, name=f"o{len(seen)}_{v.name}") for v in varied)):
            runs = _twice(replace(v, instead=True))
            out.append(_Plan(subject, v.base, runs, generated=True))
    return out


def _launches_of_others(program: Program, capture: Capture, kernel: Kernel) -> tuple[Launch, ...]:
    """Launches of the other instances of a template whose parameters have the same types."""
    wanted = [p.type for p in kernel.params]
    found = {
        x.seq: replace(x, kernel=kernel.name, mangled=kernel.mangled)
        for _, other in program.kernels
        if other.name == kernel.name and [p.type for p in other.params] == wanted
        for x in capture.of_kernel(other.mangled)
        if x.skipped is None and sum(b.size for b in x.buffers) <= MOST_BYTES
    }
    return tuple(found[seq] for seq in sorted(found))


def _joined(capture: Capture, plans: list[_Plan], out: Path, seed: int) -> Capture:
    varied = Capture(out, ())
    launches = {x.seq: x for x in capture.launches}
    further: list[Launch] = []
    for p in plans:
        runs = tuple(read_run(v, out) for v in p.runs)
        if p.generated:
            made = _generated(p, runs, varied, seed, FIRST_GENERATED + len(further))
            if made is not None:
                further.append(made)
                move_blobs(made, varied, capture)
            continue
        sections = _Sections(p.subject, p.base)
        blobs = _Blobs(varied, capture)
        order = observe_order(runs[0], runs[1:-1], p.base, sections, blobs, fresh=runs[-1])
        launches[p.base.seq] = replace(p.base, order=order)
    kept = tuple(launches[x.seq] for x in capture.launches)
    return replace(capture, launches=(*kept, *further))


def _generated(
    p: _Plan, runs: tuple[VariantRun, ...], varied: Capture, seed: int, seq: int
) -> Launch | None:
    first = runs[0].launch
    if first is None:
        return None
    order = agree(runs[0], runs[1], _Sections(p.subject, first), varied.blob)
    if order is None:
        return None
    return replace(renumbered(first, seq, origin(p.runs[0], seed)), order=order)


@dataclass(frozen=True, slots=True)
class _Sections:
    subject: Subject
    launch: Launch

    def __call__(self, alloc: int) -> tuple[Section, ...]:
        buffer = next(b for b in self.launch.buffers if b.alloc == alloc)
        return buffer_sections(buffer, self.launch, self.subject.kernel, self.subject.module)


@dataclass(frozen=True, slots=True)
class _Blobs:
    first: Capture
    second: Capture

    def __call__(self, digest: str) -> bytes:
        try:
            return self.first.blob(digest)
        except FileNotFoundError:
            return self.second.blob(digest)


def move_blobs(launch: Launch, source: Capture, target: Capture) -> None:
    """Puts what a launch refers to beside the other contents of a capture."""
    digests = {h for b in launch.buffers for h in (b.before, b.after)}
    digests |= {h for g in launch.globals for h in (g.before, g.after)}
    for digest in sorted(digests):
        try:
            target.files_of(digest)
        except FileNotFoundError:
            for path in source.files_of(digest):
                place = target.directory / "blobs" / path.name
                place.parent.mkdir(exist_ok=True)
                if not place.exists():
                    os.link(path, place)
