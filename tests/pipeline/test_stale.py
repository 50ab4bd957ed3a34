"""Launches that find their result in memory are captured again; kernels that read it are left."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.parser import parse_module
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import Oracle, run_oracle
from migrate.pipeline.stages import read
from migrate.pipeline.stale import write_only

ROOT = Path(__file__).resolve().parents[2]
HEAD = (
    '(n: i32, x: ptr<global const, f32>, y: ptr<global, f32>) mangled "_Z1k" qualified "k" bounds 0'
)
INDEX = "var i: i32 = cast<i32>(threadIdx.x)"


@pytest.mark.parametrize(
    ("body", "outputs"),
    [
        ("y[i] = x[i]", ("y",)),
        ("y[i] = (y[i] + x[i])", ()),  # reads what it writes
        ("if (y[i] < x[i]) { y[i] = x[i] }", ()),  # reads it in a condition
        ("atomic _ = add device y[i](1.0:f32)", ()),  # an atomic reads
        ("var p: ptr<global, f32> = padd(y, i)\np[0:i32] = x[i]", ("y",)),  # through a pointer
        ("if (x[i] > 0.0:f32) { y[i] = x[i] }", ("y",)),  # writes a part of it
    ],
)
def test_write_only(body: str, outputs: tuple[str, ...]) -> None:
    module = parse_module(f'module "m"\nkernel k "k" {HEAD} {{\n{INDEX}\n{body}\n}}\n')
    assert write_only(module.kernels[0], module) == outputs


TWICE = """
#include <cstdio>
__global__ void one(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
__global__ void two(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i] + x[i]; }
__global__ void keep(float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = y[i]; }
int main() {
  float h[40], *x, *y;
  for (int i = 0; i < 40; ++i) h[i] = i;
  cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  one<<<1, 64>>>(x, y, 37);
  two<<<1, 64>>>(x, y, 37);
  keep<<<1, 64>>>(y, 37);
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s\\n", h[36] == 72 ? "PASS" : "FAIL");
  return h[36] != 72;
}
"""


def test_blind_launches_are_captured_again(tmp_path: Path) -> None:
    source = tmp_path / "twice.cu"
    source.write_text(TWICE)
    (program,) = find_programs((source,))
    options = Options(Target.TILELANG, cache_dir=ROOT / "build" / "cache")
    plain = run_oracle(program, options, tmp_path / "plain")
    better = run_oracle(program, options, tmp_path / "better", read(program, options))
    assert plain.original == better.original == "pass"

    def written(kernel: str, oracle: Oracle) -> list[bool]:
        capture = oracle.capture
        assert capture is not None
        return [
            any(b.before != b.after for b in x.buffers)
            for x in capture.launches
            if x.kernel == kernel
        ]

    assert written("two", plain) == [False]
    assert written("two", better) == [True]
    assert written("one", better) == [True]
    assert written("keep", better) == [False]
    capture = better.capture
    assert capture is not None
    (launch,) = [x for x in capture.launches if x.kernel == "two"]
    (y,) = [b for b in launch.buffers if b.before != b.after]
    before, after = capture.blob(y.before), capture.blob(y.after)
    assert before[37 * 4 :] == after[37 * 4 :]  # what the kernel does not write stays as it was
    assert before[: 37 * 4] != after[: 37 * 4]
