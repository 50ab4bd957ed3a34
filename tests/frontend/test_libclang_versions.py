"""Both supported versions of libclang read the same program to the same IR.

The version installed here is tested by all other tests. Another one is tested when
``CUDAMIGRATE_OTHER_PYTHON`` names an interpreter that has it, with this project's dependencies.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from migrate.frontend.toolchain import toolchain
from migrate.ir.printer import print_module
from tests.frontend.conftest import Read

OTHER = os.environ.get("CUDAMIGRATE_OTHER_PYTHON", "")

PROGRAM = """
#include <cuda_fp16.h>
struct P { float x; float y; __device__ float dot(const P& o) const { return x * o.x + y * o.y; } };
struct Q : P { int n[2]; __device__ Q() : P{1, 2}, n{3, 4} {} };
template <typename T, int N> __device__ T pick(const T* a, int i) {
  if constexpr (N > 2) return a[i & (N - 1)]; else return a[i];
}
template <typename T, int N> __global__ void __launch_bounds__(N) k(T* a, P p, half* h, int n) {
  __shared__ T s[N];
  // first
  int i = threadIdx.x;
  for (int j = 0; j < n; j += 2) { if (j == 4) continue; s[i] += pick<T, N>(a, j++); }
  switch (n) { case 1: a[0] = p.dot(p); case 2: break; default: a[1] = sizeof(T); }
  h[i] = h[i] * __float2half(2.0f); __syncthreads();
  a[i] = i < n ? max(s[i], a[i]) : T(-1);
  while (atomicCAS((int*)a, 0, 1) != 0) n--;
}
int main() { k<float, 64><<<1, 64>>>(0, P(), 0, 3); k<double, 2><<<1, 2, 8>>>(0, P(), 0, 1); }
"""

SCRIPT = """
import sys
from pathlib import Path
from migrate.frontend.program import FrontendOptions, read_unit
from migrate.ir.printer import print_module
path = Path(sys.argv[1])
unit = read_unit(path, path.parent, FrontendOptions(cache_dir=Path(sys.argv[2])))
assert not unit.unread, [u.diagnostic.one_line() for u in unit.unread]
sys.stdout.write(print_module(unit.module))
"""


def test_the_version_is_known() -> None:
    assert toolchain("g++").clang_version.startswith("clang version ")


@pytest.mark.skipif(not OTHER, reason="CUDAMIGRATE_OTHER_PYTHON names no other interpreter")
def test_the_other_version_reads_the_same_ir(read: Read, tmp_path: Path) -> None:
    unit = read(PROGRAM, name="program.cu")
    assert not unit.unread
    run = subprocess.run(
        [OTHER, "-c", SCRIPT, str(tmp_path / "program.cu"), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout == print_module(unit.module)
