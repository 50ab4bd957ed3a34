"""Generated launches: what is varied, what is dropped, and what other orders show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.generated import FIRST_GENERATED
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import run_oracle
from migrate.pipeline.stages import read
from migrate.verify.capture import Capture, Launch

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/emulation/cuda_programs/variants.cu"


def _capture(work: Path, source: Path, seed: int = 1) -> Capture:
    (program,) = find_programs((source,))
    options = Options(
        Target.TILELANG, cache_dir=ROOT / "build" / "cache", reuse_runs=False, fuzz=3, seed=seed
    )
    found = run_oracle(program, options, work, read(program, options))
    assert found.original == "pass"
    assert found.capture is not None
    assert not found.diagnostics
    return found.capture


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return _capture(tmp_path_factory.mktemp("generated"), SOURCE)


def _generated(capture: Capture, kernel: str) -> list[Launch]:
    return [x for x in capture.launches if x.kernel == kernel and x.source == "generated"]


def _captured(capture: Capture, kernel: str) -> Launch:
    (found,) = [x for x in capture.launches if x.kernel == kernel and x.source == "captured"]
    return found


def _floats(capture: Capture, digest: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.frombuffer(capture.blob(digest), np.float32)


def test_generated_launches_are_runs_of_the_original(capture: Capture) -> None:
    launches = _generated(capture, "scale")
    assert len(launches) == 3
    first = _captured(capture, "scale")
    for x in launches:
        assert x.seq >= FIRST_GENERATED
        n = int.from_bytes(x.args[0].data, "little")
        src, out = (_floats(capture, h) for h in (x.buffers[0].before, x.buffers[1].after))
        assert not np.array_equal(src, _floats(capture, first.buffers[0].before))
        reached = min(n, x.grid[0] * x.block[0])
        assert np.array_equal(out[:reached], np.float32(2) * src[:reached])
        untouched = _floats(capture, x.buffers[1].before)[reached:]
        assert np.array_equal(out[reached:], untouched)
    assert [int.from_bytes(x.args[0].data, "little") for x in launches] == [300, 299, 300]
    assert [x.grid[0] for x in launches] == [2, 2, 1]


def test_data_stays_in_its_range(capture: Capture) -> None:
    first = _floats(capture, _captured(capture, "scale").buffers[0].before)
    for x in _generated(capture, "scale"):
        data = _floats(capture, x.buffers[0].before)
        assert float(data.min()) >= float(first.min())
        assert float(data.max()) <= float(first.max())


def test_what_lies_behind_a_smaller_size_is_the_largest(capture: Capture) -> None:
    (smaller,) = [
        x for x in _generated(capture, "scale") if int.from_bytes(x.args[0].data, "little") == 299
    ]
    data = _floats(capture, smaller.buffers[0].before)
    assert data.size == 300
    assert np.flatnonzero(data == data.max()).tolist() == [299]


@pytest.mark.parametrize(
    ("kernel", "ordered", "explained"),
    [
        ("scale", False, True),
        ("sum", True, True),  # float atomics alone
        ("last_one", True, False),  # the last thread wins
        ("warp_total", False, True),
    ],
)
def test_orders_show_what_cuda_leaves_open(
    capture: Capture, kernel: str, ordered: bool, explained: bool
) -> None:
    order = _captured(capture, kernel).order
    assert order is not None
    assert order.repeatable
    assert (order.ordered, order.explained) == (ordered, explained)


def test_launches_that_prove_nothing_are_dropped(capture: Capture) -> None:
    assert not _generated(capture, "last_one")  # depends on the order
    sizes = [int.from_bytes(x.args[0].data, "little") for x in _generated(capture, "endless")]
    assert 299 not in sizes  # never ends
    sizes = [int.from_bytes(x.args[0].data, "little") for x in _generated(capture, "outside")]
    assert sizes == [2, 2]  # writes past its buffer when the size is odd


def test_the_same_seed_gives_the_same_launches(capture: Capture, tmp_path: Path) -> None:
    again = _capture(tmp_path / "again", SOURCE)
    other = _capture(tmp_path / "other", SOURCE, seed=2)
    hashes = [
        [b.before for x in _generated(c, "scale") for b in x.buffers]
        for c in (capture, again, other)
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_an_instance_that_is_never_launched_runs_on_the_launches_of_another(
    tmp_path: Path,
) -> None:
    capture = _capture(tmp_path, ROOT / "tests/emulation/cuda_programs/instances.cu")
    made: dict[str, list[Launch]] = {}
    for x in capture.launches:
        made.setdefault(x.mangled, []).append(x)
    one, two, outside, integers = (
        "_Z5shiftILi1EfEviPKT0_PS0_",
        "_Z5shiftILi2EfEviPKT0_PS0_",
        "_Z5shiftILi9EfEviPKT0_PS0_",
        "_Z5shiftILi2EiEviPKT0_PS0_",
    )
    assert [x.source for x in made[one]] == ["captured"] + 3 * ["generated"]
    # The captured launch as it is, and three more on other data and sizes.
    assert [x.source for x in made[two]] == 4 * ["generated"]
    assert outside not in made
    assert integers not in made
    for x in made[two]:
        assert "of another instance" in x.origin
        n = int.from_bytes(x.args[0].data, "little")
        src, out = (_floats(capture, h) for h in (x.buffers[0].before, x.buffers[1].after))
        reached = min(n, x.grid[0] * 256)
        assert np.array_equal(out[:reached], src[:reached] + np.float32(2))


def test_an_instance_for_blocks_of_another_size_is_not_run_on_a_launch(tmp_path: Path) -> None:
    capture = _capture(tmp_path, ROOT / "tests/emulation/cuda_programs/block_instances.cu")
    made = {(x.mangled, x.source) for x in capture.launches}
    names = {mangled for mangled, _ in made}
    assert {"_Z5totalILi64EEvPKfPf", "_Z6scaledILi1EEvPKfPf"} < names
    # The block fits, so the arguments say nothing against it.
    assert ("_Z6scaledILi2EEvPKfPf", "generated") in made
    assert not names & {"_Z5totalILi32EEvPKfPf", "_Z5totalILi128EEvPKfPf"}
