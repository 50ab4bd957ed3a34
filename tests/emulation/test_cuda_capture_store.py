"""How a capture is stored: pieces once each, under the cap, with room left for later kernels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from migrate.core.options import Limits
from migrate.emulation.cuda_program import CaptureCaps, RunSetup, capture_program
from migrate.verify.capture import Capture, load_capture
from tests.emulation.cuda_builds import CudaBuilds

MIB = 1 << 20


def _capture(cuda: CudaBuilds, place: Path, caps: CaptureCaps) -> tuple[Capture, int]:
    done = capture_program(cuda("big_buffer"), place, RunSetup(limits=Limits(seconds=20)), caps)
    assert done.result.ok, done.result.stderr
    summary = json.loads((place / "summary.json").read_text())
    return load_capture(place), int(summary["bytes"])


def test_only_changed_pieces_are_stored_again(cuda: CudaBuilds, tmp_path: Path) -> None:
    capture, stored = _capture(cuda, tmp_path, CaptureCaps())
    assert [x.skipped for x in capture.launches] == [None] * 4
    assert 4 * MIB <= stored <= 6 * MIB  # one buffer, and a piece a launch: not five buffers
    (first, *_, last) = capture.launches
    before = np.frombuffer(capture.blob(first.buffers[0].before), np.float32)
    after = np.frombuffer(capture.blob(last.buffers[0].after), np.float32)
    expected = np.arange(1 << 20, dtype=np.float32) * np.float32(0.5)
    assert np.array_equal(before, expected)
    expected[[0, 300000, 600000]] += 1
    expected[1] = 5
    assert np.array_equal(after, expected)
    assert len(capture.files_of(first.buffers[0].before)) == 1 + 16
    for launch in capture.launches[1:]:
        fresh = set(capture.files_of(launch.buffers[0].after))
        assert len(fresh - set(capture.files_of(launch.buffers[0].before))) == 2  # list and piece


@pytest.mark.parametrize(
    ("mib", "skipped"),
    [
        (3, ["cap-bytes"] * 4),
        (14, [None, None, None, None]),
        (7, [None, "cap-bytes", "cap-bytes", None]),  # the second kernel gets its launch
    ],
)
def test_a_kernel_leaves_room_for_others(
    cuda: CudaBuilds, tmp_path: Path, mib: int, skipped: list[str | None]
) -> None:
    capture, stored = _capture(cuda, tmp_path, CaptureCaps(max_bytes=mib * MIB))
    assert [x.skipped for x in capture.launches] == skipped
    assert stored <= mib * MIB


def test_variables_are_captured_wherever_they_stand(cuda: CudaBuilds, tmp_path: Path) -> None:
    setup = RunSetup(limits=Limits(seconds=20))
    done = capture_program(cuda("variables"), tmp_path, setup)
    assert done.result.stdout == "10 13 5\n", done.result.stderr
    capture = load_capture(tmp_path)
    first, second = capture.launches
    spaces = {g.name: g.space for g in second.globals}
    assert spaces == {
        "weights": "constant",
        "counter": "device",
        "hidden": "device",
        "seen": "device",
        "shared_with_host": "managed",
        "mask_f32": "constant",
        "mask_f64": "constant",
    }
    assert "mask_f64" not in {g.name for g in first.globals}  # nobody has written it yet
    changed = {g.name for g in second.globals if g.before != g.after}
    assert changed == {"counter", "shared_with_host"}
    (mask,) = [g for g in second.globals if g.name == "mask_f64"]
    assert np.frombuffer(capture.blob(mask.before), np.float64).tolist() == [5, 6, 7]
