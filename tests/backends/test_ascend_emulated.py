"""Migrated programs on the CPU runtime: whole runs with a negative control, and replays."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.artifact import EmittedKernel
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.verify.ascend_replay import replay_ascend
from migrate.verify.capture import Argument, Buffer, Capture, Launch
from migrate.verify.judge import Replayed
from tests.backends.ascend_runs import CACHE, run, written
from tests.backends.conftest import Convert

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]
CORPUS = Path(__file__).parents[2] / "corpus"


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


def replayed(convert: Convert, folder: Path, *edits: bytes) -> Replayed:
    """The replay of the generated file, in which each first of two ``edits`` becomes the second."""
    from migrate.frontend.program import FrontendOptions, read_program

    artifact = convert(SCALE)
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        file = artifact.files[0]
        assert old in file.content
        artifact = replace(artifact, files=(replace(file, content=file.content.replace(old, new)),))
    out = written(artifact, folder / "out")
    (kernel,) = artifact.kernels
    unit = read_program((folder / "unit.cu",), FrontendOptions(cache_dir=CACHE)).units[0]
    capture = captured(folder)
    options = Options(Target.ASCEND_950, cache_dir=CACHE)
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


def test_host_code_may_call_what_another_file_defines(convert: Convert, tmp_path: Path) -> None:
    elsewhere = b"void elsewhere(float);\nvoid report() { elsewhere(1.0f); }\nint main"
    result = replayed(convert, tmp_path, b"int main", elsewhere)
    assert result.compiled, result.log
    assert [x.problem for x in result.launches] == [""]


def test_a_write_outside_a_buffer_is_a_problem(convert: Convert, tmp_path: Path) -> None:
    result = replayed(convert, tmp_path, b"if (i < n) {", b"if (i >= 0) { x[i + 8] = a;")
    (launch,) = result.launches
    assert "outside allocation 7" in launch.problem


@pytest.mark.parametrize("said", ["CM4011: blocks of 8 threads", "another reason"])
def test_a_launch_that_the_launch_function_refuses_is_not_run(
    convert: Convert, tmp_path: Path, said: str
) -> None:
    ends = (
        f'#include <cstdio>\n#include <cstdlib>\n#define END fputs("{said}\\n", stderr), abort()\n'
    )
    head = b"void launch_scale("
    text = ends.encode() + head
    result = replayed(convert, tmp_path, head, text, b"if (grid.x == 0", b"END; if (grid.x == 0")
    (launch,) = result.launches
    refused = said.startswith("CM")
    assert launch.not_run == (said if refused else "")
    assert launch.problem == ("" if refused else f"SIGABRT: {said}")


def test_code_that_does_not_compile_says_so(convert: Convert, tmp_path: Path) -> None:
    result = replayed(convert, tmp_path, b"x[i] *= a", b"x[i] *= missing")
    assert not result.compiled
    assert "missing" in result.log


def test_a_variable_that_was_not_captured_proves_nothing(convert: Convert, tmp_path: Path) -> None:
    from migrate.frontend.program import FrontendOptions, read_program

    source = SCALE.replace("__global__", "__device__ float factor;\n__global__", 1)
    artifact = convert(source.replace("*= a", "*= factor"))
    out = written(artifact, tmp_path / "out")
    unit = read_program((tmp_path / "unit.cu",), FrontendOptions(cache_dir=CACHE)).units[0]
    capture = captured(tmp_path)
    options = Options(Target.ASCEND_950, cache_dir=CACHE)
    job = (artifact.kernels[0], unit.module.kernels[0], unit.module, capture.launches)
    result = replay_ascend(out, artifact, (job,), capture, options, tmp_path / "work")["scale"]
    assert result.compiled, result.log
    assert result.launches[0].not_run == "device variable factor was not captured"


def test_a_kernel_that_does_not_compile_leaves_the_others(convert: Convert, tmp_path: Path) -> None:
    from migrate.frontend.program import FrontendOptions, read_program

    source = SCALE.replace(
        "int main()",
        "template <typename T> __global__ void other(T* x) { x[threadIdx.x] = 1; }\n"
        "__global__ void last(int* x) { x[threadIdx.x] = 2; }\n"
        "int main()",
    ).replace("0); }", "0); other<<<1, 1>>>((int*)nullptr); last<<<1, 1>>>(nullptr); }")
    artifact = convert(source)
    file = artifact.files[0]
    broken = file.content.replace(b"x[threadIdx.x] = 1;", b"x[threadIdx.x] = absent;")
    assert broken != file.content
    artifact = replace(artifact, files=(replace(file, content=broken),))
    out = written(artifact, tmp_path / "out")
    unit = read_program((tmp_path / "unit.cu",), FrontendOptions(cache_dir=CACHE)).units[0]
    capture = captured(tmp_path)
    options = Options(Target.ASCEND_950, cache_dir=CACHE)
    kernels = {k.symbol: k for k in unit.module.kernels}
    jobs = tuple(
        (k, kernels[k.symbol], unit.module, capture.launches if k.symbol == "scale" else ())
        for k in artifact.kernels
    )
    found = replay_ascend(out, artifact, jobs, capture, options, tmp_path / "work")
    assert {s: r.compiled for s, r in found.items()} == {
        "scale": True,
        "other_int": False,
        "last": True,
    }
    assert "absent" in found["other_int"].log
    (launch,) = found["scale"].launches
    assert launch.problem == ""


PLACES = """#include <cuda_runtime.h>
#include <cstdio>

enum class Mode { kAdd = 2, kMax = 5 };

#define FUNCTOR(NAME, OP) struct NAME##Functor { \\
    __device__ void operator()(int* at, int v) { *at = OP; } };
FUNCTOR(Sum, *at + v)

static inline __device__ void store(int* at, int v) { SumFunctor()(at, v); }

template <typename T, Mode M>
struct Writer {
  static __device__ void write(T* at, T v) {
    if (M == Mode::kAdd) store(at, v);
    else *at = v > *at ? v : *at;
  }
};

template <typename T, Mode M>
__global__ void apply(T* x, T v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) Writer<T, M>::write(&x[i], v);
}

__global__ void twice(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

#define RUN(kernel, n) kernel<<<1, 32>>>(d, n)

int main() {
  int h[20];
  for (int i = 0; i < 20; ++i) h[i] = i;
  int* d;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  apply<int, Mode::kAdd><<<1, 32>>>(d, 3, 20);
  apply<int, Mode::kMax><<<1, 32>>>(d, 10, 20);
  RUN(twice, 20);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 20; ++i) bad += h[i] != 2 * (i + 3 > 10 ? i + 3 : 10);
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
def test_enumerators_macro_structs_and_static_methods(
    convert: Convert, tmp_path: Path, chip: Target
) -> None:
    artifact = convert(PLACES, chip)
    assert not artifact.refused
    text = artifact.files[0].content.decode()
    assert "RUN(twice, 20);" in text
    assert "launch_apply<int, (Mode)2>(" in text
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


VARIABLES = """#include <cuda_runtime.h>
#include <cstdio>

__device__ int total;
__device__ int counts[4];
__device__ int table[2][3];

__global__ void count(int n, const int4* x, float4* y, unsigned size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&total, i);
  atomicAdd(&counts[i % 4], x[i].y);
  atomicMax(&table[i % 2][i % 3], i);
  int4 pack = x[i];
  float4 out;
  for (unsigned k = 0; k < size; ++k) {
    reinterpret_cast<float*>(&out)[k] = reinterpret_cast<const int*>(&pack)[k] * 2.0f;
  }
  y[i] = out;
}

int main() {
  const int n = 48;
  int4 h[n];
  float4 r[n];
  for (int i = 0; i < n; ++i) h[i] = make_int4(i, i + 1, i + 2, i + 3);
  int4* x;
  float4* y;
  cudaMalloc(&x, sizeof(h));
  cudaMalloc(&y, sizeof(r));
  cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
  count<<<2, 32>>>(n, x, y, 4);
  cudaMemcpy(r, y, sizeof(r), cudaMemcpyDeviceToHost);
  int sum, four[4], six[2][3], bad = 0;
  cudaMemcpyFromSymbol(&sum, total, sizeof(sum));
  cudaMemcpyFromSymbol(four, counts, sizeof(four));
  cudaMemcpyFromSymbol(six, table, sizeof(six));
  for (int i = 0; i < n; ++i) bad += r[i].x != 2.0f * i || r[i].w != 2.0f * (i + 3);
  bad += sum != 48 * 47 / 2;
  for (int k = 0; k < 4; ++k) bad += four[k] != 12 * k + 12 + 4 * 66;
  for (int i = 42; i < n; ++i) bad += six[i % 2][i % 3] != i;
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


def test_addresses_of_device_variables_and_packs(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(VARIABLES, Target.ASCEND_910B)
    assert not artifact.refused
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


TEMPLATES = """#include <cuda_runtime.h>
#include <cstdio>
#include <type_traits>

template <typename T>
__constant__ T mask[3];

template <typename T>
__device__ T offset;

template <typename T>
__global__ void weigh(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * mask<T>[i % 3] + offset<T>;
}

// Its alignment has a member of a type without a name.
__global__ void copy(char* to, const char* from, int n) {
  typedef std::aligned_storage<16, 16>::type Pack;
  int i = threadIdx.x;
  if (i < n) ((Pack*)to)[i] = ((const Pack*)from)[i];
}

template <typename T>
int check() {
  T h[40], weights[3] = {2, 3, 5}, one = 1;
  for (int i = 0; i < 40; ++i) h[i] = i;
  T *d, *e;
  cudaMalloc(&d, sizeof(h));
  cudaMalloc(&e, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(mask<T>, weights, sizeof(weights));
  cudaMemcpyToSymbol(offset<T>, &one, sizeof(one));
  weigh<<<2, 32>>>(d, 40);
  copy<<<1, 32>>>((char*)e, (const char*)d, sizeof(h) / 16);
  cudaMemcpy(h, e, sizeof(h), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 40; ++i) bad += h[i] != (T)(i * weights[i % 3] + 1);
  return bad;
}

int main() {
  int bad = check<float>() + check<short>();
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
def test_variable_templates_and_storage_of_the_library(
    convert: Convert, tmp_path: Path, chip: Target
) -> None:
    artifact = convert(TEMPLATES, chip)
    assert not artifact.refused
    text = artifact.files[0].content.decode()
    assert "__gm__ float mask_f32[3];\n__gm__ int16_t mask_i16[3];" in text
    assert "template <>\ninline constexpr auto& mask<int16_t> = mask_i16;" in text
    assert "aclrtMemcpyToSymbol(&(mask<T>)," in text
    assert "mask_i16[" in text
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr
