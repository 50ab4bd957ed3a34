"""Instances of templates that need what stands further down, and files that are parts of others."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

import pytest

from migrate.core.artifact import Artifact, GeneratedFile
from migrate.core.targets import Target
from migrate.verify.ascend_program import compiled_with
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

FUNCTOR_BELOW = """#include <cuda_runtime.h>
#include <cstdio>

template <typename F>
__device__ float twice(F& f, float v) { return f(f(v, 1.0f), 2.0f); }

template <typename F, typename... Args>
__global__ void apply(int n, volatile float* x, F f, Args... args) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = twice(f, x[i]) + f.pick(args...);
}

template <typename F, typename... Args>
void start(int n, float* x, F f, Args... args) { apply<<<2, 32>>>(n, x, f, args...); }

struct Scale {
  float by;
  __device__ float operator()(float v, float add) { return v * by + add; }
  __device__ float pick(float a, int b) { return a * b; }
};

int main() {
  float h[40], *d;
  for (int i = 0; i < 40; ++i) h[i] = i;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  start(40, d, Scale{3.0f}, 0.5f, 8);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < 40; ++i) bad += h[i] != (i * 3.0f + 1) * 3 + 2 + 4;
  std::printf("%s\\n", bad == 0 ? "PASS" : "FAIL");
  return bad != 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("chip", [Target.ASCEND_950, Target.ASCEND_910B])
def test_an_instance_stands_behind_the_functor_that_it_is_given(
    convert: Convert, tmp_path: Path, chip: Target
) -> None:
    artifact = convert(FUNCTOR_BELOW, chip)
    assert not artifact.refused, artifact.refused[0].diagnostics
    text = artifact.files[0].content.decode()
    assert text.index("struct Scale {") < text.index("void launch_apply<Scale, float, int>(")
    kernel = artifact.kernels[0]
    lines = text.split("\n")[kernel.first_line - 1 : kernel.last_line]
    assert "\n".join(lines).strip() == kernel.text.strip()
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout.startswith("PASS"), done.result.stdout + done.result.stderr


def test_an_instance_that_needs_nothing_below_stays_where_it_is(convert: Convert) -> None:
    above = FUNCTOR_BELOW.split("struct Scale {")
    struct, rest = above[1].split("};", 1)
    head, kernels = above[0].split("template", 1)
    source = f"{head}struct Scale {{{struct}}};\ntemplate{kernels}{rest}"
    text = convert(source, Target.ASCEND_950).files[0].content.decode()
    assert text.index("void launch_apply<Scale, float, int>(") < text.index("void start(")


def _file(name: str, text: str) -> GeneratedFile:
    return GeneratedFile(PurePosixPath(name), text.encode())


def test_a_file_is_compiled_with_the_one_that_includes_it() -> None:
    files = (
        _file("a.asc", '#include "x.h"\n'),
        _file("b.asc", '#include "y.h"\n#include "part.asc"\n'),
        _file("x.h", ""),
        _file("y.h", '# include "sub/z.h"\n'),
        _file("sub/z.h", ""),
        _file("part.asc", ""),
    )
    artifact = Artifact("ascend950", files, ())
    for path, main in {
        "a.asc": "a.asc", "x.h": "a.asc", "sub/z.h": "b.asc", "part.asc": "b.asc",
        "nobody.h": "a.asc",
    }.items():  # fmt: skip
        assert compiled_with(artifact, PurePosixPath(path)) == PurePosixPath(main)
