"""The tap for a device, with the CPU runtime in a device's place: both record the same."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from migrate.core.codes import usage
from migrate.core.diagnostics import UserError
from migrate.core.options import Limits
from migrate.emulation import gpu_device
from migrate.emulation.cuda_program import (
    CudaSources,
    RunSetup,
    build_cuda_program,
    capture_program,
)
from migrate.emulation.gpu_device import Gpu
from migrate.emulation.gpu_program import nvcc_command, tap_dir
from migrate.emulation.source_tree import rewrite_tree
from migrate.emulation.tap_rewrite import tap
from migrate.emulation.toolchain import find_compiler
from migrate.verify.capture import Buffer, Capture, Launch, load_capture
from migrate.verify.two_captures import compare_captures
from tests.emulation.cuda_builds import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class _Both:
    """The captures of one run: the runtime's own, and the tap's."""

    runtime: Path
    tap: Path

    def lines(self, folder: Path) -> list[dict[str, object]]:
        text = (folder / "launches.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module", params=["captured", "unwritten"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> _Both:
    source = PROGRAMS / f"{request.param}.cu"
    work = tmp_path_factory.mktemp("tap")
    tree = rewrite_tree((source,), (), work / "tap", tap)
    assert not any(f.problems for f in tree.files)
    sources = CudaSources(tree.sources, tree.include_dirs, flags=(f"-I{tap_dir()}",))
    built = build_cuda_program(sources, work / "cpu", find_compiler(), ROOT / "build" / "cache")
    setup = RunSetup(
        limits=Limits(seconds=20),
        environment=(("CUDAMIGRATE_TAP_DIR", str(work / "device")),),
        writable=(work,),
    )
    done = capture_program(built, work / "own", setup)
    assert done.result.ok, done.result.stderr
    return _Both(work / "own", work / "device")


def test_the_tap_records_what_the_runtime_records(both: _Both) -> None:
    own, tapped = both.lines(both.runtime), both.lines(both.tap)
    assert own
    assert tapped == own
    first, second = (
        json.loads((folder / "summary.json").read_text()) for folder in (both.runtime, both.tap)
    )
    assert first == second
    assert first["status"] == "ok"


def test_contents_are_those_of_the_memory(both: _Both) -> None:
    own, tapped = load_capture(both.runtime), load_capture(both.tap)
    pairs = compare_captures(own, tapped, {})
    recorded = [p for p in pairs if not p.problem]
    assert recorded
    assert all(not p.found and p.same for p in recorded if p.kernel != "host_memory")


def _launch(content: str, alloc: int, before: str = "old") -> Launch:
    return Launch(
        0, "k", "k", "", (1, 1, 1), (1, 1, 1), 0,
        args=(),
        buffers=(Buffer(alloc, 4, before, content),),
        globals=(), skipped=None,
    )  # fmt: skip


def _capture(folder: Path, launch: Launch) -> Capture:
    blobs = folder / "blobs"
    blobs.mkdir(parents=True)
    for name, content in (("old", b"\0\0\0\0"), ("new", b"\0\0\1\0"), ("other", b"\0\0\2\0")):
        (blobs / f"{name}.bin").write_bytes(content)
    return Capture(folder, (launch,))


def test_what_differs_between_two_captures_is_named(both: _Both, tmp_path: Path) -> None:
    own, tapped = load_capture(both.runtime), load_capture(both.tap)
    changed = next(
        x
        for x in tapped.launches
        if x.skipped is None and x.args[0].kind == "pointer" and x.buffers[0].size > 4
    )
    spoiled = tmp_path / "spoiled"
    shutil.copytree(both.tap, spoiled)
    digest = changed.buffers[0].after
    content = bytearray(tapped.blob(digest))
    content[0] ^= 1
    for path in (spoiled / "blobs").glob(f"{digest}*"):
        path.unlink()
    (spoiled / "blobs" / f"{digest}.bin").write_bytes(bytes(content))
    pairs = {p.seq: p for p in compare_captures(own, load_capture(spoiled), {})}
    assert any("differ" in line for line in pairs[changed.seq].found)
    fewer = Capture(tapped.directory, tapped.launches[1:])
    assert compare_captures(own, fewer, {})[0].problem == "made by the first run alone"


def test_a_buffer_without_partner_is_no_agreement(tmp_path: Path) -> None:
    first = _capture(tmp_path / "a", _launch("new", 3))
    second = _capture(tmp_path / "b", _launch("new", 3))
    (pair,) = compare_captures(first, second, {})
    assert pair.found == ("allocation 3 has no partner",)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_compiles_the_tap(tmp_path: Path) -> None:
    source = PROGRAMS / "captured.cu"
    tree = rewrite_tree((source,), (), tmp_path / "tap", tap)
    gpu = Gpu("nvcc", "", "", "sm_80")
    command = nvcc_command(gpu, CudaSources((source,)), tree)
    run = subprocess.run(
        [*command, "-c", "-o", str(tmp_path / "captured.o")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]


def test_launches_that_name_no_kernel_are_made_and_not_recorded() -> None:
    source = "__global__ void k(int* p);\nvoid f(void (*g)(int*), int* p) { g<<<1, 1>>>(p); }\n"
    text = tap(source).text
    assert "::cuda_tap::uncaptured(), g<<<1, 1>>>(p)" in text
    assert "void cuda_tap_of_k(int * p); __global__ void k(int* p);" in text


def test_lines_keep_their_numbers() -> None:
    source = "__global__ void k(int* p,\n  int n) {}\nint x;\nint y = __LINE__;\n"
    assert tap(source).text.splitlines()[:2] == ['#include "cuda_tap.h"', "#line 1"]
    assert tap(source).text.splitlines()[2:][3] == "int y = __LINE__;"
    assert tap("int x;\n").text == "int x;\n"


@pytest.mark.parametrize(
    ("nvcc", "device", "missing"),
    [
        (None, ("H", "sm_90"), "nvcc not found"),
        ("nvcc", None, "a CUDA device not found"),
        (None, None, "nvcc and a CUDA device not found"),
    ],
)
def test_a_missing_gpu_is_a_diagnostic(
    monkeypatch: pytest.MonkeyPatch,
    nvcc: str | None,
    device: tuple[str, str] | None,
    missing: str,
) -> None:
    monkeypatch.setattr(gpu_device, "find_nvcc", lambda: nvcc)
    monkeypatch.setattr(gpu_device, "find_device", lambda: device)
    with pytest.raises(UserError) as stopped:
        gpu_device.find_gpu.__wrapped__()
    assert stopped.value.diagnostic.code is usage.NO_GPU
    assert stopped.value.diagnostic.cause == missing


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("NVIDIA H200, 9.0", ("NVIDIA H200", "sm_90")),
        ("A, B, 8.6", ("A, B", "sm_86")),
        ("No devices were found", None),
        (None, None),
    ],
)
def test_what_the_driver_lists(
    monkeypatch: pytest.MonkeyPatch, line: str | None, found: tuple[str, str] | None
) -> None:
    monkeypatch.setattr(gpu_device, "first_line", lambda command: line)
    assert gpu_device.find_device() == found
