"""Functions of CUDA's libraries in migrated files: written once, before what needs them."""

from __future__ import annotations

from pathlib import Path

from tests.backends.conftest import Convert

KERNEL = """{include}
struct {op} {{
  __device__ float operator()(const float& a, const float& b) const {{ return a > b ? a : b; }}
}};
__global__ void {name}(const float* a, float* out) {{
  typedef cub::BlockReduce<float, 64> Reduce;
  __shared__ Reduce::TempStorage temp;
  float v = Reduce(temp).Sum(a[threadIdx.x]);
  __syncthreads();
  v += Reduce(temp).Reduce(a[threadIdx.x], {op}());
  if (threadIdx.x == 0) out[0] = v;
}}
"""


def test_functions_stand_before_the_kernel_and_behind_the_operator(convert: Convert) -> None:
    text = KERNEL.format(include="#include <cub/cub.cuh>", op="Larger", name="k")
    (file,) = convert(text).files
    written = file.content.decode()
    sum_head = "float BlockReduce_float_64_Sum("
    assert written.count(sum_head) == 1
    assert written.index("float Larger_call(") < written.index("Larger_call(&op")
    assert written.index(sum_head) < written.index("__global__")
    assert "#ifndef CUDAMIGRATE_" not in written


def test_functions_that_a_header_brings_too_are_guarded(convert: Convert, tmp_path: Path) -> None:
    header = KERNEL.format(include="#include <cub/cub.cuh>", op="Larger", name="first")
    (tmp_path / "first.cuh").write_text(header)
    main = KERNEL.format(include='#include "first.cuh"', op="Other", name="second")
    files = {f.path.name: f.content.decode() for f in convert(main).files}
    assert len(files) == 2
    for text in files.values():
        assert text.count("#ifndef CUDAMIGRATE_BLOCKREDUCE_FLOAT_64_SUM\n") == 1
