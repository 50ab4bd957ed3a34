"""Device variables in namespaces, and kernel templates that are given lambdas, on Ascend 950."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from migrate.core.options import DoublePolicy
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

SCOPES = """#include <cuda_runtime.h>
#include <cstdio>
template <int N, class F> __global__ void apply(int n, F f) {
  for (int i = threadIdx.x; i < n * N; i += blockDim.x) f(i);
}
template <int N, class F> void all(int n, F f) { apply<N, F><<<1, 32>>>(n, f); }
namespace ns { __device__ int total; }
__global__ void add(int v) { atomicAdd(&ns::total, v); }
namespace ns { __global__ void more(int v) { atomicAdd(&total, v); } }
int main() {
  int *d, h[100], k = 3, t = 0;
  cudaMalloc(&d, sizeof h);
  auto fill = [=] __device__(int i) { d[i] = i * k; };
  all<2>(50, fill);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 100; ++i) bad += h[i] != i * k;
  cudaMemcpyToSymbol(ns::total, &t, sizeof t);
  add<<<1, 32>>>(2);
  ns::more<<<1, 32>>>(1);
  cudaMemcpyFromSymbol(&t, ns::total, sizeof t);
  bad += t != 96;
  std::printf("%s %d\\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_variables_in_namespaces_and_a_lambda(convert: Convert, tmp_path: Path) -> None:
    artifact = convert(SCOPES)
    assert not artifact.refused, artifact.refused[0].diagnostics
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


def test_what_a_caller_names(convert: Convert) -> None:
    artifact = convert(SCOPES)
    assert artifact.variables == (("total", "ns::total"),)
    entries = {k.name: k.entry for k in artifact.kernels}
    assert entries["apply"] == "launch_apply<2, lambda_13_device>"


SEVERAL = """#include <cuda_runtime.h>
template <class F> __global__ void apply(F f) { f(threadIdx.x); }
int main() {
  int* d = nullptr;
  apply<<<1, 32>>>([=] __device__(int i) { d[i] = i; });
  apply<<<1, 32>>>([=] __device__(int i) { d[i] = -i; });
}
"""


def test_several_lambdas_of_one_template_are_refused(convert: Convert) -> None:
    artifact = convert(SEVERAL)
    assert [d.code.id for r in artifact.refused for d in r.diagnostics] == ["CM4002"] * 2
    (file,) = artifact.files
    assert file.content.count(b"void launch_apply(") == 1


MACROS = """#include <cuda_runtime.h>
#ifdef __linux__
#include <cstdio>
#endif
#ifdef SINGLE
#define T float
#else
#define T double
#endif
__global__ void half(T* x) { x[threadIdx.x] *= 0.5; }
int main() { half<<<1, 32>>>(nullptr); }
"""


def test_macros_of_the_source_stand_behind_what_is_added(convert: Convert) -> None:
    artifact = convert(MACROS, double=DoublePolicy.SOFT)
    text = next(f.content for f in artifact.files if f.path.suffix == ".asc").decode()
    assert text.index("<cstdio>") < text.index("struct AclSession") < text.index("#define T float")
