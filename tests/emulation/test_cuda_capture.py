"""What a capture records, launch by launch."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import TypedDict

import numpy as np
import pytest

from migrate.core.options import Limits
from migrate.emulation.cuda_program import CaptureCaps, CaptureRun, RunSetup, capture_program
from tests.emulation.cuda_builds import CudaBuilds


class _Launch(TypedDict):
    seq: int
    kernel: str
    mangled: str
    pretty: str
    grid: list[int]
    block: list[int]
    shared_bytes: int
    stream: int
    args: list[dict[str, object]]
    buffers: list[dict[str, object]]
    globals: list[dict[str, object]]
    skipped: str | None


@pytest.fixture(scope="module")
def run(cuda: CudaBuilds, tmp_path_factory: pytest.TempPathFactory) -> CaptureRun:
    place = tmp_path_factory.mktemp("capture")
    done = capture_program(cuda("captured"), place, RunSetup(limits=Limits(seconds=20)))
    assert done.result.ok, done.result.stderr
    assert done.status == "ok"
    return done


def _launches(run: CaptureRun) -> list[_Launch]:
    lines = (run.directory / "launches.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def _named(run: CaptureRun, kernel: str) -> list[_Launch]:
    return [launch for launch in _launches(run) if launch["kernel"] == kernel]


def _blob(run: CaptureRun, digest: object) -> bytes:
    packed = run.directory / "blobs" / f"{digest}.bin.z"
    if packed.is_file():
        return zlib.decompress(packed.read_bytes())
    return (run.directory / "blobs" / f"{digest}.bin").read_bytes()


def test_launches_are_numbered_in_order(run: CaptureRun) -> None:
    assert [launch["seq"] for launch in _launches(run)] == list(range(32))
    summary = json.loads((run.directory / "summary.json").read_text())
    assert summary["launches"] == 32
    assert summary["per_kernel"]["axpy"] == {"launches": 1, "captured": 1}
    assert summary["per_kernel"]["many"]["launches"] == 23
    assert summary["captured"] == sum(v["captured"] for v in summary["per_kernel"].values())


def test_scalars_have_their_declared_types(run: CaptureRun) -> None:
    (launch,) = _named(run, "scalars")
    expected = [
        ("b", "bool", b"\x01"),
        ("c", "i8", b"\xfe"),
        ("s", "u16", struct.pack("<H", 3)),
        ("u", "u64", struct.pack("<Q", 1 << 40)),
        ("d", "f64", struct.pack("<d", 0.5)),
        ("h", "f16", struct.pack("<e", 1.5)),
        ("g", "bf16", struct.pack("<f", -2.0)[2:]),
        ("m", "u8", b"\x03"),
    ]
    got = [(a["name"], a["kind"], bytes.fromhex(str(a["bytes"]))) for a in launch["args"][:8]]
    assert got == expected
    vector = launch["args"][8]
    assert (vector["name"], vector["kind"], vector["size"]) == ("v", "struct", 16)
    assert bytes.fromhex(str(vector["bytes"])) == struct.pack("<4f", 1, 2, 3, 4)


def test_pointers_are_allocation_and_offset(run: CaptureRun) -> None:
    (launch,) = _named(run, "axpy")
    a, x, y, n = launch["args"]
    assert (a["kind"], n["bytes"]) == ("f32", struct.pack("<i", 900).hex())
    assert (x["elem"], x["elem_size"], x["const"], x["alloc"], x["offset"]) == (
        "f32",
        4,
        True,
        0,
        0,
    )
    assert (y["const"], y["alloc"], y["offset"]) == (False, 1, 400)
    assert launch["grid"] == [4, 1, 1]
    assert launch["block"] == [256, 1, 1]


def test_buffers_before_and_after_replay_in_numpy(run: CaptureRun) -> None:
    (launch,) = _named(run, "axpy")
    read, written = launch["buffers"]
    assert read["before"] == read["after"]
    x = np.frombuffer(_blob(run, read["before"]), np.float32)
    before = np.frombuffer(_blob(run, written["before"]), np.float32)
    after = np.frombuffer(_blob(run, written["after"]), np.float32)
    expected = before.copy()
    expected[100:] = 2 * x[:900] + 3 * before[100:]
    assert np.array_equal(after, expected)
    assert not np.array_equal(after, before)


def test_device_variables_are_captured(run: CaptureRun) -> None:
    (launch,) = _named(run, "axpy")
    by_name = {str(v["name"]): v for v in launch["globals"]}
    assert set(by_name) == {"scale", "launches_seen", "hidden"}
    assert by_name["scale"]["space"] == "constant"
    assert _blob(run, by_name["scale"]["before"]) == struct.pack("<2f", 2, 4)
    assert _blob(run, by_name["launches_seen"]["before"]) == struct.pack("<i", 0)
    assert _blob(run, by_name["launches_seen"]["after"]) == struct.pack("<i", 1)


def test_pointers_inside_structs_and_buffers_are_followed(run: CaptureRun) -> None:
    (launch,) = _named(run, "view")
    assert launch["args"][0]["pointers"] == [
        {"at": 8, "alloc": 0, "offset": 8},
        {"at": 16, "alloc": 2, "offset": 0},
    ]
    assert {b["alloc"] for b in launch["buffers"]} == {0, 2}
    (indirect,) = _named(run, "table")
    assert indirect["args"][0]["elem"] == "pointer"
    by_alloc = {b["alloc"]: b for b in indirect["buffers"]}
    assert set(by_alloc) == {0, 1, 3}
    assert by_alloc[3]["pointers"] == [
        {"at": 0, "alloc": 0, "offset": 0},
        {"at": 8, "alloc": 1, "offset": 40},
    ]


def test_buffers_behind_device_variables_are_captured(run: CaptureRun) -> None:
    (launch,) = _named(run, "through_variable")
    by_name = {str(v["name"]): v for v in launch["globals"]}
    assert by_name["hidden"]["pointers"] == [{"at": 0, "alloc": 0, "offset": 12}]
    (buffer,) = launch["buffers"]
    assert buffer["alloc"] == 0
    after = np.frombuffer(_blob(run, buffer["after"]), np.float32)
    assert after[7] == 8.0
    assert buffer["before"] != buffer["after"]


def test_null_and_host_pointers(run: CaptureRun) -> None:
    (launch,) = _named(run, "particles")
    assert launch["args"][0]["elem"] == "struct"
    assert launch["args"][0]["elem_size"] == 16
    assert launch["args"][1]["alloc"] == -1
    (host,) = _named(run, "host_memory")
    assert host["args"][0]["alloc"] == -2
    assert host["skipped"] == "unreplayable"
    assert host["buffers"] == []


def test_packs_and_unnamed_parameters_are_recorded(run: CaptureRun) -> None:
    (launch,) = _named(run, "pack")
    assert [(a["name"], a["kind"]) for a in launch["args"][1:]] == [
        ("rest0", "i32"),
        ("rest1", "f32"),
    ]
    (plain,) = _named(run, "plain")
    assert plain["args"][1]["bytes"] == struct.pack("<i", 4).hex()
    assert plain["mangled"] == "plain"


def test_mangled_names_are_those_of_the_abi(run: CaptureRun) -> None:
    demangle = shutil.which("c++filt")
    if demangle is None:
        pytest.skip("no c++filt")
    seen = {launch["kernel"]: launch["mangled"] for launch in _launches(run)}
    names = [name for name in seen.values() if name.startswith("_Z")]
    text = subprocess.run(
        [demangle, *names], capture_output=True, text=True, check=True, timeout=20
    ).stdout
    assert set(text.splitlines()) == {
        "void shapes::axpy<float, 3>(float, float const*, float*, int)",
        "scalars(bool, signed char, unsigned short, unsigned long long, double, __half, "
        "__nv_bfloat16, Mode, float4, float*)",
        "view(View, int)",
        "table(float**, int)",
        "particles(Particle*, Particle const*)",
        "host_memory(int const*, int*)",
        "many(int*, int)",
        "void pack<int, float>(int*, int, float)",
        "through_variable(int)",
    }


def test_repeated_launches_leave_room_for_new_shapes(run: CaptureRun) -> None:
    taken = [launch for launch in _named(run, "many") if launch["skipped"] is None]
    assert len(taken) == 3
    assert taken[0]["block"] == [1, 1, 1]
    assert taken[1]["block"] == [1, 1, 1]
    assert taken[2]["block"] == [2, 1, 1]
    skipped = {launch["skipped"] for launch in _named(run, "many")}
    assert skipped == {None, "cap-launches"}


def test_the_byte_cap_stops_storing_and_keeps_counting(cuda: CudaBuilds, tmp_path: Path) -> None:
    caps = CaptureCaps(max_bytes=9000, max_launches=3)
    done = capture_program(cuda("captured"), tmp_path, caps=caps)
    assert done.result.ok
    launches = _launches(done)
    assert len(launches) == 32
    assert "cap-bytes" in {launch["skipped"] for launch in launches}
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert 0 < summary["bytes"] <= 9000


def test_two_captures_are_the_same(cuda: CudaBuilds, run: CaptureRun, tmp_path: Path) -> None:
    again = capture_program(cuda("captured"), tmp_path)
    first, second = _launches(run), _launches(again)
    for one, other in zip(first, second, strict=True):
        for launch in (one, other):  # addresses differ from run to run
            launch["args"] = [a for a in launch["args"] if a["kind"] != "struct"]
            launch["buffers"] = [b for b in launch["buffers"] if "pointers" not in b]
            launch["globals"] = [g for g in launch["globals"] if "pointers" not in g]
        assert one == other


def test_skipped_kernels_fail_the_programs_own_check(cuda: CudaBuilds) -> None:
    normal = cuda.run_once("captured")
    skipped = cuda.run("captured", CUDAMIGRATE_SKIP_KERNELS="1")
    assert normal.exit == 0
    assert skipped.exit == 1


def test_a_program_that_dies_leaves_an_incomplete_capture(cuda: CudaBuilds, tmp_path: Path) -> None:
    done = capture_program(cuda("faults"), tmp_path, RunSetup(("wild",), Limits(seconds=20)))
    assert done.result.signal == "SIGSEGV"
    assert done.status == "incomplete"
