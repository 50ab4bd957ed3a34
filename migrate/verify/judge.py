"""From replayed launches to a verdict.

A verdict of equality needs all of: the generated code compiled, at least one captured launch was
replayed (or, for an instance that the program never launches, one generated from another instance's
launches), every replayed launch agrees in every buffer, and at least one of them changed memory (or
a kernel that does nothing would pass as well). It is ``equal`` when further, generated launches
were among them and changed memory, and ``equal-captured`` otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.core.codes import verification
from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.span import NO_SPAN
from migrate.ir.kernel import Kernel, Module
from migrate.ir.types import Kind
from migrate.verify.capture import Capture, Launch, Slack
from migrate.verify.compare import (
    EXACT,
    SAME_VALUE,
    Difference,
    Section,
    Tolerance,
    compare_buffer,
)
from migrate.verify.evidence import BufferEvidence, KernelEvidence, LaunchEvidence, Verdict
from migrate.verify.sections import buffer_sections, global_sections


@dataclass(frozen=True, slots=True)
class ReplayedLaunch:
    """What a migrated kernel left behind for one captured launch.

    ``buffers`` holds the content of every captured allocation by number, ``globals`` that of device
    variables by name. ``problem`` says how the replay ended badly; ``not_run`` why it could not be
    tried at all (then nothing counts).
    """

    seq: int
    buffers: Mapping[int, bytes] = field(default_factory=dict)
    globals: Mapping[str, bytes] = field(default_factory=dict)
    problem: str = ""
    not_run: str = ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """All launches of one kernel; ``compiled`` false carries the compiler's words in ``log``."""

    compiled: bool
    launches: tuple[ReplayedLaunch, ...] = ()
    log: str = ""


Tolerances = Mapping[Kind, Tolerance]


def _buffer_name(launch: Launch, alloc: int) -> str:
    names = [a.name for a in launch.args if a.alloc == alloc]
    names += [a.name for a in launch.args if any(w.alloc == alloc for w in a.pointers)]
    return ", ".join(names) or f"allocation {alloc}"


def _is_written(launch: Launch, alloc: int) -> bool:
    """True for a buffer that an argument lets the kernel write."""
    return any(a.alloc == alloc and a.kind == "pointer" and not a.const for a in launch.args)


def _elements(sections: tuple[Section, ...]) -> str:
    kinds = dict.fromkeys(s.kind.value for s in sections)
    return " ".join(kinds) or "bytes"


def _missing(size: int) -> Difference:
    note = "the replay returned no such buffer"
    return Difference(False, False, size, size, 0.0, 0.0, 0, (), 0.0, (), note)


def judge_launch(
    kernel: Kernel,
    module: Module,
    launch: Launch,
    replayed: ReplayedLaunch,
    capture: Capture,
    *,
    tolerances: Tolerances | None = None,
) -> LaunchEvidence:
    """Compare every buffer of one launch."""
    if replayed.problem or replayed.not_run:
        problem = replayed.problem or replayed.not_run
        return LaunchEvidence(
            launch.seq,
            launch.source,
            launch.grid,
            launch.block,
            (),
            problem,
            bool(replayed.not_run),
        )
    rows: list[BufferEvidence] = []
    order = launch.order
    slack = dict(order.slack) if order is not None and order.ordered else {}
    for b in launch.buffers:
        sections = buffer_sections(b, launch, kernel, module)
        got = replayed.buffers.get(b.alloc)
        rows.append(
            BufferEvidence(
                _buffer_name(launch, b.alloc),
                _elements(sections),
                b.size,
                b.before != b.after,
                _compare(
                    capture.blob(b.after),
                    got,
                    sections,
                    b.before == b.after,
                    tolerances,
                    slack.get(b.alloc),
                    written=_is_written(launch, b.alloc),
                ),
            )
        )
    for g in launch.globals:
        if g.space == "constant":
            continue
        sections = global_sections(g, module)
        got = replayed.globals.get(g.name)
        if got is None and g.before == g.after:
            continue  # a variable that the kernel does not touch need not exist on the target
        rows.append(
            BufferEvidence(
                g.name,
                _elements(sections),
                g.size,
                g.before != g.after,
                _compare(capture.blob(g.after), got, sections, g.before == g.after, tolerances),
            )
        )
    return LaunchEvidence(launch.seq, launch.source, launch.grid, launch.block, tuple(rows))


def _compare(
    want: bytes,
    got: bytes | None,
    sections: tuple[Section, ...],
    unchanged: bool,
    tolerances: Tolerances | None,
    slack: Slack | None = None,
    *,
    written: bool = False,
) -> Difference:
    if got is None or len(got) != len(want):
        return _missing(len(want))
    if unchanged:
        # The original left every byte alone; so must the migrated kernel. Where it may have stored
        # what was there before, a NaN among it can have any sign and payload.
        exact = dict.fromkeys(Kind, SAME_VALUE if written else EXACT)
        return compare_buffer(want, got, sections, exact)
    return compare_buffer(want, got, sections, dict(tolerances or {}), slack)


def judge(
    kernel: Kernel,
    module: Module,
    launches: tuple[Launch, ...],
    replayed: Replayed,
    capture: Capture,
    *,
    tolerances: Tolerances | None = None,
) -> KernelEvidence:
    """The verdict on one kernel. ``launches`` are all launches of it, skipped ones included."""
    total = sum(1 for x in launches if x.source == "captured")
    if not replayed.compiled:
        found = _diagnostic(
            verification.GENERATED_DOES_NOT_COMPILE, kernel, first_error(replayed.log)
        )
        return KernelEvidence(
            kernel.symbol, Verdict.EMITTED, (), total, (found,), compile_log=replayed.log
        )
    by_seq = {x.seq: x for x in replayed.launches}
    rows = tuple(
        judge_launch(kernel, module, x, by_seq[x.seq], capture, tolerances=tolerances)
        for x in launches
        if x.seq in by_seq
    )
    rows = tuple(_excused(r, launches) for r in rows)
    tried = [r for r in rows if not r.not_run]
    notes = (*order_notes(kernel, launches), *_unwritten_notes(kernel, launches))
    if not tried or (total and not any(r.source == "captured" for r in tried)):
        return _not_compared(kernel, launches, rows, notes)
    notes = (*_other_arguments(kernel, launches), *notes)
    if not total:
        cause = f"{len(tried)} launches on the arguments of other instances were compared"
        notes = (_diagnostic(verification.OTHER_INSTANCE, kernel, cause), *notes)
    bad = next((r for r in tried if not r.equal), None)
    if bad is not None:
        launch = next(x for x in launches if x.seq == bad.seq)
        found = _diagnostic(verification.NUMBERS_DIFFER, kernel, _describe(bad, launch))
        return KernelEvidence(kernel.symbol, Verdict.DIFFERENT, rows, total, (found, *notes))
    if not any(b.written for r in tried for b in r.buffers):
        found = _diagnostic(
            verification.NOTHING_WRITTEN, kernel, f"{len(tried)} launches left memory as it was"
        )
        return KernelEvidence(kernel.symbol, Verdict.COMPILED, rows, total, (found,))
    further = any(b.written for r in tried if r.source == "generated" for b in r.buffers)
    verdict = Verdict.EQUAL if further else Verdict.EQUAL_CAPTURED
    return KernelEvidence(kernel.symbol, verdict, rows, total, notes)


def _excused(row: LaunchEvidence, launches: tuple[Launch, ...]) -> LaunchEvidence:
    """A launch that differs where the original itself has no one result counts as not compared.

    A replay that ends badly is no matter of numbers and stays what it is.
    """
    order = next(x.order for x in launches if x.seq == row.seq)
    if order is None or order.comparable or row.equal or row.problem:
        return row
    why = "depends on the order of its threads"
    if not order.repeatable:
        why = "differs from run to run"
    elif order.unwritten:
        why = "depends on memory that nobody wrote"
    reason = f"not compared: the original's result {why}"
    return LaunchEvidence(row.seq, row.source, row.grid, row.block, (), reason, not_run=True)


def order_notes(kernel: Kernel, launches: tuple[Launch, ...]) -> tuple[Diagnostic, ...]:
    """What other orders of the threads showed of the original, the worst launch of a kernel."""
    seen = [(x, x.order) for x in launches if x.order is not None]
    for launch, order in seen:
        if not order.repeatable:
            cause = f"launch {launch.seq} gives other bits when it is run again in the same order"
            return (_diagnostic(verification.ORDER_DEPENDENT, kernel, cause),)
    for launch, order in sorted(seen, key=lambda x: x[1].explained):
        if order.ordered:
            what = "float atomics alone" if order.explained else "more than float atomics"
            cause = f"launch {launch.seq} in other orders of its threads, {what}: {order.detail}"
            return (_diagnostic(verification.ORDER_DEPENDENT, kernel, cause),)
    return ()


def _unwritten_notes(kernel: Kernel, launches: tuple[Launch, ...]) -> tuple[Diagnostic, ...]:
    """The first launch whose result depends on memory that nobody wrote."""
    for launch in launches:
        if launch.order is not None and launch.order.unwritten:
            cause = f"launch {launch.seq} gives other bits when fresh memory holds something else"
            return (_diagnostic(verification.READS_UNWRITTEN, kernel, cause),)
    return ()


def _other_arguments(kernel: Kernel, launches: tuple[Launch, ...]) -> tuple[Diagnostic, ...]:
    """Where the run with the given arguments has no launch of a kernel that could be replayed."""
    recorded = [x for x in launches if x.source == "captured" and x.skipped is None]
    if not recorded or any(not x.origin for x in recorded):
        return ()
    return (_diagnostic(verification.OTHER_ARGUMENTS, kernel, recorded[0].origin),)


def _not_compared(
    kernel: Kernel,
    launches: tuple[Launch, ...],
    rows: tuple[LaunchEvidence, ...],
    notes: tuple[Diagnostic, ...],
) -> KernelEvidence:
    if not launches:
        code, cause = verification.NOT_LAUNCHED, "the program's run launched it 0 times"
    else:
        reasons = dict.fromkeys([r.problem for r in rows] + [x.skipped or "" for x in launches])
        code = verification.NOT_REPLAYABLE
        cause = "; ".join(r for r in reasons if r) or "no launch was recorded with its buffers"
    found = _diagnostic(code, kernel, cause)
    total = sum(1 for x in launches if x.source == "captured")
    return KernelEvidence(kernel.symbol, Verdict.COMPILED, rows, total, (*notes, found))


def _diagnostic(code: Code, kernel: Kernel, cause: str) -> Diagnostic:
    different = code is verification.NUMBERS_DIFFER
    weaker = code in (
        verification.ORDER_DEPENDENT,
        verification.OTHER_ARGUMENTS,
        verification.OTHER_INSTANCE,
        verification.READS_UNWRITTEN,
    )
    outcome = Outcome.DIFFERENT if different else Outcome.WEAKER if weaker else Outcome.UNPROVEN
    return Diagnostic(code, outcome, cause, kernel.span or NO_SPAN, kernel=kernel.symbol)


def first_error(log: str) -> str:
    """The line of a compiler's text that says what is wrong."""
    lines = [x.strip() for x in log.splitlines() if x.strip()]
    return next((x for x in lines if "error" in x.lower()), lines[-1] if lines else "no message")


def _describe(row: LaunchEvidence, launch: Launch) -> str:
    where = f"launch {row.seq} with grid {row.grid} and block {row.block}"
    if launch.source == "generated":
        where = f"generated {where}"
    if launch.origin:
        where = f"{where} ({launch.origin})"
    if row.problem:
        return f"{where}: {row.problem}"
    for b in row.buffers:
        d = b.difference
        if not d.equal:
            first = d.first[0] if d.first else None
            detail = (
                d.note
                if first is None
                else (f"at byte {first.offset} wanted {first.want}, got {first.got}")
            )
            return f"{where}: {b.name}: {d.wrong} of {d.elements} elements differ; {detail}"
    return where
