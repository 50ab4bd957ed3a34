"""Migrated programs on the CPU runtime: whole runs with a negative control, and replays."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.artifact import Artifact, EmittedKernel
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.verify.ascend_program import MigratedRun, run_migrated
from migrate.verify.ascend_replay import replay_ascend
from migrate.verify.capture import Argument, Buffer, Capture, Launch
from tests.backends.conftest import Convert

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]
CORPUS = Path(__file__).parents[2] / "corpus"


def written(artifact: Artifact, out: Path) -> Path:
    for file in artifact.files:
        place = out / Path(*file.path.parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return out


def run(artifact: Artifact, folder: Path, *, skip: bool = False) -> MigratedRun:
    out = written(artifact, folder / "out")
    options = Options(Target(artifact.target), cache_dir=folder / "cache")
    return run_migrated(out, artifact, (), options, folder / "work", skip_kernels=skip)


@pytest.mark.parametrize("program", ["elementwise/saxpy", "elementwise/pitched_add"])
def test_a_corpus_program_passes_its_own_check(
    convert: Convert, tmp_path: Path, program: str
) -> None:
    artifact = convert(CORPUS / program / f"{Path(program).name}.cu")
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.exit == 0, done.result.stdout + done.result.stderr
    assert "PASS" in done.result.stdout
    control = run(artifact, tmp_path, skip=True)
    assert control.result is not None
    assert control.result.exit != 0


GRIDS = """#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void flat(unsigned int* out) {
  if (blockIdx.x == 70000) return;
  out[blockIdx.x] = blockIdx.x + gridDim.x;
}

__global__ void cube(int* out) {
  for (int k = 0; k < 4; ++k) {
    if (threadIdx.x == 2) return;  // inside a loop: the body becomes a function
  }
  unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  atomicAdd(&out[block], (int)threadIdx.x + 1);
}

int main() {
  const unsigned int n = 100001;
  unsigned int* d;
  cudaMalloc(&d, n * sizeof(int));
  cudaMemset(d, 0, n * sizeof(int));
  flat<<<n, 1>>>(d);
  std::vector<unsigned int> h(n);
  cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (unsigned int i = 0; i < n; ++i) bad += h[i] != (i == 70000 ? 0 : i + n);
  dim3 grid(61, 43, 31);
  const int blocks = 61 * 43 * 31;
  cudaMemset(d, 0, n * sizeof(int));
  cube<<<grid, 4>>>((int*)d);
  cudaMemcpy(h.data(), d, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < blocks; ++i) bad += h[i] != 1 + 2 + 4;
  flat<<<0, 1>>>(d);
  cudaGetLastError();
  cudaFree(d);
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


def test_grids_over_the_limit_and_empty_ones(convert: Convert, tmp_path: Path) -> None:
    done = run(convert(GRIDS), tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


SCALE = """#include <cuda_runtime.h>
__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
int main() { scale<<<2, 8>>>(nullptr, 2.0f, 0); }
"""


def captured(folder: Path) -> Capture:
    """One launch over 13 floats of a buffer of 16."""
    import struct

    before = struct.pack("<16f", *range(16))
    blobs = folder / "capture" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "before.bin").write_bytes(before)
    launch = Launch(
        seq=0,
        kernel="scale",
        mangled="_Z5scalePffi",
        pretty="",
        grid=(2, 1, 1),
        block=(8, 1, 1),
        shared_bytes=0,
        args=(
            Argument("x", "pointer", alloc=7, offset=0, elem="f32", elem_size=4),
            Argument("a", "f32", struct.pack("<f", 3.0)),
            Argument("n", "i32", struct.pack("<i", 13)),
        ),
        buffers=(Buffer(7, 64, "before", "before"),),
        globals=(),
        skipped=None,
    )
    return Capture(folder / "capture", (launch,))


def replayed(convert: Convert, folder: Path, old: bytes = b"", new: bytes = b""):  # type: ignore[no-untyped-def]
    from migrate.frontend.program import FrontendOptions, read_program

    artifact = convert(SCALE)
    if old:
        file = artifact.files[0]
        assert old in file.content
        artifact = replace(artifact, files=(replace(file, content=file.content.replace(old, new)),))
    out = written(artifact, folder / "out")
    (kernel,) = artifact.kernels
    unit = read_program((folder / "unit.cu",), FrontendOptions(cache_dir=folder / "c")).units[0]
    capture = captured(folder)
    options = Options(Target.ASCEND_950, cache_dir=folder / "cache")
    emitted: EmittedKernel = kernel
    jobs = ((emitted, unit.module.kernels[0], unit.module, capture.launches),)
    return replay_ascend(out, artifact, jobs, capture, options, folder / "work")["scale"]


def test_a_replay_gives_the_buffers_back(convert: Convert, tmp_path: Path) -> None:
    import struct

    result = replayed(convert, tmp_path)
    assert result.compiled, result.log
    (launch,) = result.launches
    assert launch.problem == ""
    values = struct.unpack("<16f", launch.buffers[7])
    assert values == tuple(3.0 * i if i < 13 else float(i) for i in range(16))


def test_a_write_outside_a_buffer_is_a_problem(convert: Convert, tmp_path: Path) -> None:
    result = replayed(convert, tmp_path, b"if (i < n) {", b"if (i >= 0) { x[i + 8] = a;")
    (launch,) = result.launches
    assert "outside allocation 7" in launch.problem


def test_code_that_does_not_compile_says_so(convert: Convert, tmp_path: Path) -> None:
    result = replayed(convert, tmp_path, b"x[i] *= a", b"x[i] *= missing")
    assert not result.compiled
    assert "missing" in result.log
