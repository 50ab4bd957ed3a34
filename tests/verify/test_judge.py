"""From captures to verdicts: what counts as equal, and each way in which a replay can go wrong."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from migrate.ir.parser import parse_module
from migrate.verify.capture import Capture, load_capture
from migrate.verify.evidence import Verdict
from migrate.verify.judge import Replayed, ReplayedLaunch, judge
from migrate.verify.sections import buffer_sections

MODULE = parse_module(
    """module "k.cu"

struct P size 16 align 8 {
  a: f32 @ 0
  out: ptr<global, f32> @ 8
}

kernel k "k" (n: i32, x: ptr<global const, f32>, y: ptr<global, f32>) mangled "_Z1k" qualified "k" bounds 0 {
  y[0:i32] = x[0:i32]
}

kernel s "s" (p: P) mangled "_Z1s" qualified "s" bounds 0 {
  p.out[0:i32] = p.a
}
"""
)
KERNEL = MODULE.kernels[0]
X = np.array([1, 2, 3, 4], dtype=np.float32).tobytes()
ZERO = bytes(16)


def _capture(folder: Path, launches: list[dict[str, object]], blobs: list[bytes]) -> Capture:
    (folder / "blobs").mkdir()
    for b in blobs:
        (folder / "blobs" / f"{_hash(b)}.bin").write_bytes(b)
    text = "".join(json.dumps(x) + "\n" for x in launches)
    (folder / "launches.jsonl").write_text(text)
    return load_capture(folder)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _launch(seq: int = 0, after: bytes = X, skipped: str | None = None) -> dict[str, object]:
    buffers = [
        {"alloc": 1, "size": 16, "before": _hash(X), "after": _hash(X)},
        {"alloc": 2, "size": 16, "before": _hash(ZERO), "after": _hash(after)},
    ]
    return {
        "seq": seq, "kernel": "k", "mangled": "_Z1k", "pretty": "", "grid": [1, 1, 1],
        "block": [4, 1, 1], "shared_bytes": 0, "stream": 0, "globals": [], "skipped": skipped,
        "args": [
            {"name": "n", "kind": "i32", "bytes": "04000000"},
            {"name": "x", "kind": "pointer", "elem": "f32", "elem_size": 4, "alloc": 1, "offset": 0},
            {"name": "y", "kind": "pointer", "elem": "f32", "elem_size": 4, "alloc": 2, "offset": 0},
        ],
        "buffers": [] if skipped else buffers,
    }  # fmt: skip


def _judge(tmp_path: Path, launch: dict[str, object], replayed: Replayed) -> Verdict:
    capture = _capture(tmp_path, [launch], [X, ZERO])
    return judge(KERNEL, MODULE, capture.launches, replayed, capture).verdict


def _replayed(x: bytes | None = X, y: bytes | None = X, problem: str = "") -> Replayed:
    buffers = {k: v for k, v in ((1, x), (2, y)) if v is not None}
    return Replayed(True, (ReplayedLaunch(0, buffers, {}, problem),))


NEAR = np.nextafter(np.frombuffer(X, np.float32), np.float32(9)).tobytes()


@pytest.mark.parametrize(
    ("replayed", "verdict"),
    [
        (_replayed(), Verdict.EQUAL_CAPTURED),
        (_replayed(y=NEAR), Verdict.EQUAL_CAPTURED),
        (_replayed(y=ZERO), Verdict.DIFFERENT),  # the kernel did nothing
        (_replayed(x=NEAR), Verdict.DIFFERENT),  # wrote an input, by one ulp
        (_replayed(y=None), Verdict.DIFFERENT),  # a buffer is missing
        (_replayed(y=X[:12]), Verdict.DIFFERENT),  # a buffer is short
        (_replayed(problem="guard bytes"), Verdict.DIFFERENT),
        (Replayed(False, (), "x.asc:3: error: no"), Verdict.EMITTED),
        (Replayed(True, (ReplayedLaunch(0, not_run="host pointer"),)), Verdict.COMPILED),
        (Replayed(True, ()), Verdict.COMPILED),
    ],
)
def test_verdicts(tmp_path: Path, replayed: Replayed, verdict: Verdict) -> None:
    assert _judge(tmp_path, _launch(), replayed) is verdict


def test_a_kernel_that_changes_nothing_proves_nothing(tmp_path: Path) -> None:
    found = _judge(tmp_path, _launch(after=ZERO), _replayed(y=ZERO))
    assert found is Verdict.COMPILED


def test_a_skipped_launch_is_no_evidence(tmp_path: Path) -> None:
    launch = _launch(skipped="cap-bytes")
    assert _judge(tmp_path, launch, Replayed(True, ())) is Verdict.COMPILED


def test_a_cut_last_line_is_left_out(tmp_path: Path) -> None:
    capture = _capture(tmp_path, [_launch(0), _launch(1)], [X, ZERO])
    path = capture.directory / "launches.jsonl"
    path.write_text(path.read_text()[:-40])
    assert [x.seq for x in load_capture(capture.directory).launches] == [0]


def test_a_broken_line_inside_is_not_passed_over(tmp_path: Path) -> None:
    capture = _capture(tmp_path, [_launch(0), _launch(1)], [X, ZERO])
    path = capture.directory / "launches.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join((lines[0][:50], lines[1])))
    with pytest.raises(json.JSONDecodeError):
        load_capture(capture.directory)


def test_pointers_with_two_types_leave_a_buffer_untyped(tmp_path: Path) -> None:
    capture = _capture(tmp_path, [_launch()], [X, ZERO])
    (launch,) = capture.launches
    (section,) = buffer_sections(launch.buffers[1], launch, KERNEL, MODULE)
    assert (section.count, section.stride) == (4, 4)
    text = (
        'kernel t "t" (n: i32, x: ptr<global, f32>, y: ptr<global, i32>) '
        'mangled "_Z1t" qualified "t" bounds 0 {\n}\n'
    )
    other = parse_module(f'module "m"\n{text}').kernels[0]
    both = _launch()
    args = both["args"]
    assert isinstance(args, list)
    args[1]["alloc"] = 2
    folder = tmp_path / "two"
    folder.mkdir()
    (mixed,) = _capture(folder, [both], [X, ZERO]).launches
    assert buffer_sections(mixed.buffers[1], mixed, other, MODULE) == ()


@pytest.mark.parametrize("space", ["device", "managed"])
def test_variables_that_a_kernel_changed_are_compared(tmp_path: Path, space: str) -> None:
    launch = _launch()
    launch["globals"] = [
        {"name": "v", "space": space, "size": 16, "before": _hash(ZERO), "after": _hash(X)}
    ]
    capture = _capture(tmp_path, [launch], [X, ZERO])

    def verdict(content: bytes) -> Verdict:
        replayed = ReplayedLaunch(0, {1: X, 2: X}, {"v": content})
        return judge(KERNEL, MODULE, capture.launches, Replayed(True, (replayed,)), capture).verdict

    assert verdict(X) is Verdict.EQUAL_CAPTURED
    assert verdict(ZERO) is Verdict.DIFFERENT
    (found,) = capture.launches
    assert not found.ambiguous
    assert replace(found, globals=(*found.globals, *found.globals)).ambiguous == "v"


def test_launches_of_another_instance_stand_for_those_that_the_program_never_made(
    tmp_path: Path,
) -> None:
    capture = _capture(tmp_path, [_launch()], [X, ZERO])
    (captured,) = capture.launches
    generated = replace(captured, seq=7, source="generated", base=0)
    done = Replayed(True, (ReplayedLaunch(7, {1: X, 2: X}),))
    found = judge(KERNEL, MODULE, (generated,), done, capture)
    assert found.verdict is Verdict.EQUAL
    assert [d.code.id for d in found.diagnostics] == ["CM5016"]
    wrong = Replayed(True, (ReplayedLaunch(7, {1: X, 2: ZERO}),))
    assert judge(KERNEL, MODULE, (generated,), wrong, capture).verdict is Verdict.DIFFERENT
    # A kernel that was launched and could not be replayed is not proven by generated launches.
    not_run = ReplayedLaunch(0, not_run="no buffer")
    both = Replayed(True, (not_run, *done.launches))
    again = judge(KERNEL, MODULE, (captured, generated), both, capture)
    assert again.verdict is Verdict.COMPILED


def test_a_nan_that_was_there_before_may_be_written_with_other_bits(tmp_path: Path) -> None:
    nan = np.array([1, 0, 0, 0], np.float32)
    nan[2] = np.float32("nan")
    before = nan.tobytes()
    launch = _launch(after=before)
    launch["buffers"] = [
        {"alloc": 1, "size": 16, "before": _hash(X), "after": _hash(X)},
        {"alloc": 2, "size": 16, "before": _hash(before), "after": _hash(before)},
    ]
    capture = _capture(tmp_path, [launch], [X, before])
    (found,) = capture.launches
    nan.view(np.uint32)[2] ^= np.uint32(1 << 31)
    other = nan.tobytes()

    def equal(x: bytes, y: bytes) -> bool:
        done = Replayed(True, (ReplayedLaunch(0, {1: x, 2: y}),))
        return judge(KERNEL, MODULE, (found,), done, capture).verdict is not Verdict.DIFFERENT

    assert equal(X, other)
    nan[1] = -0.0
    assert not equal(X, nan.tobytes())  # a zero of the other sign is another value in memory
    constant = replace(
        found, args=tuple(replace(a, const=True) if a.name == "y" else a for a in found.args)
    )
    done = Replayed(True, (ReplayedLaunch(0, {1: X, 2: other}),))
    assert judge(KERNEL, MODULE, (constant,), done, capture).verdict is Verdict.DIFFERENT
