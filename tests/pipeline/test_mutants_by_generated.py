"""Seeded faults that a program's own launches do not reach and generated launches do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.mutation import MutantResult, run_mutants
from migrate.pipeline.suite import load_suite
from migrate.rules.catalogue import load_catalogue

# n fills the grid, so that the program itself does not tell < from <=.
SQUARE = r"""#include <cuda_runtime.h>
#include <cstdio>
__global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
int main() {
  const int n = 256;
  float host[n], *x, *y;
  for (float& v : host) v = 2.0f;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof host);
  square<<<2, 128>>>(x, y, n);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (float v : host) bad += v != 4.0f;
  std::printf("%s\n", bad == 0 ? "PASS" : "FAIL");
  return bad != 0;
}
"""


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> tuple[MutantResult, ...]:
    suite = tmp_path_factory.mktemp("suite")
    case = suite / "square"
    case.mkdir()
    (case / "main.cu").write_text(SQUARE)
    (case / "case.yaml").write_text("description: squares\norigin: own\nkernels: []\n")
    cache = Path(__file__).resolve().parents[2] / "build" / "cache"
    options = Options(Target.TILELANG, cache_dir=cache, reuse_runs=False, fuzz=3)
    programs = load_suite(suite, None, "{program}", frozenset())
    return run_mutants(programs, options, load_catalogue(), count=8, seed=1)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_generated_launches_find_what_captured_ones_leave_alone(
    faults: tuple[MutantResult, ...],
) -> None:
    found = {(r.mutant.operator, r.captured) for r in faults if r.by_generated}
    assert ("comparison off by one", "inert") in found  # < became <=


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_what_captured_launches_find_is_not_laid_to_generated_ones(
    faults: tuple[MutantResult, ...],
) -> None:
    dropped = [r for r in faults if r.mutant.operator == "dropped statement"]
    assert dropped
    assert all(r.captured == r.caught == "numbers" and not r.by_generated for r in dropped)
