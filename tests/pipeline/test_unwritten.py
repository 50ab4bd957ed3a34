"""Launches whose original result hangs on memory that nobody wrote are known, and not judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.codes import verification
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import run_oracle
from migrate.pipeline.stages import read
from migrate.verify.capture import Capture, Launch, LaunchOrder
from migrate.verify.evidence import KernelEvidence, Verdict
from migrate.verify.judge import Replayed, ReplayedLaunch, judge

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/emulation/cuda_programs/unwritten.cu"
OPTIONS = Options(Target.TILELANG, cache_dir=ROOT / "build" / "cache", reuse_runs=False, fuzz=3)
(PROGRAM,) = find_programs((SOURCE,))
READ = read(PROGRAM, OPTIONS)


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    found = run_oracle(PROGRAM, OPTIONS, tmp_path_factory.mktemp("unwritten"), READ)
    assert found.original == "pass"
    assert found.capture is not None
    return found.capture


def _of(capture: Capture, kernel: str, source: str) -> list[Launch]:
    return [x for x in capture.launches if x.kernel == kernel and x.source == source]


@pytest.mark.parametrize(
    ("kernel", "unwritten"),
    [
        ("tail", True),
        ("never_filled", True),
        ("reversed", False),
        ("half_filled", False),
        ("looks_fresh", False),
    ],
)
def test_other_fresh_memory_shows_what_depends_on_it(
    capture: Capture, kernel: str, unwritten: bool
) -> None:
    (launch,) = _of(capture, kernel, "captured")
    assert launch.order is not None
    assert (launch.order.repeatable, launch.order.ordered) == (True, False)
    assert launch.order.unwritten is unwritten


def test_generated_launches_of_that_kind_are_dropped(capture: Capture) -> None:
    # One block fewer leaves `tail` no thread beyond its size.
    assert {x.grid for x in _of(capture, "tail", "generated")} <= {(1, 1, 1)}
    assert not _of(capture, "never_filled", "generated")
    assert len(_of(capture, "reversed", "generated")) == 3
    assert len(_of(capture, "looks_fresh", "generated")) == 3


def _judge(capture: Capture, name: str, launch: Launch, spoiled: bool) -> KernelEvidence:
    unit, kernel = next((u, k) for u, k in READ.kernels if k.name == name)
    contents = {b.alloc: capture.blob(b.after) for b in launch.buffers}
    if spoiled:
        written = next(b for b in launch.buffers if b.before != b.after)
        contents[written.alloc] = bytes(written.size)
    done = Replayed(True, (ReplayedLaunch(launch.seq, contents),))
    return judge(kernel, unit.module, (launch,), done, capture)


def test_a_difference_there_is_no_verdict(capture: Capture) -> None:
    (launch,) = _of(capture, "tail", "captured")
    found = _judge(capture, "tail", launch, spoiled=True)
    assert found.verdict is Verdict.COMPILED
    assert found.diagnostics[0].code is verification.READS_UNWRITTEN
    assert "memory that nobody wrote" in found.launches[0].problem
    assert _judge(capture, "tail", launch, spoiled=False).verdict is Verdict.EQUAL_CAPTURED


def test_a_difference_elsewhere_still_counts(capture: Capture) -> None:
    (launch,) = _of(capture, "reversed", "captured")
    assert _judge(capture, "reversed", launch, spoiled=True).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(
    ("order", "verdict"),
    [
        (LaunchOrder(True, True, explained=False), Verdict.COMPILED),  # a race
        (LaunchOrder(False, False), Verdict.COMPILED),  # a clock
        (LaunchOrder(True, True, explained=True), Verdict.DIFFERENT),  # float atomics have a bound
        (LaunchOrder(True, False), Verdict.DIFFERENT),
        (None, Verdict.DIFFERENT),
    ],
)
def test_an_original_without_one_result_is_never_different(
    capture: Capture, order: LaunchOrder | None, verdict: Verdict
) -> None:
    (launch,) = _of(capture, "reversed", "captured")
    found = _judge(capture, "reversed", replace(launch, order=order), spoiled=True)
    assert found.verdict is verdict
