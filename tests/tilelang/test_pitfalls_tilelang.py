"""Reported failures of TileLang's compiler: the generated kernels stay clear of what triggers them.

Each test names the report that it stands for (repository and number). The inputs are our own. That
the numbers are right as well is shown by the corpus, whose programs hold the same constructs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.stages import convert
from migrate.rules.catalogue import load_catalogue

WARP_SUM = """
__global__ void sums(const float *x, float *y, int n) {
  __shared__ float parts[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32) for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}
"""
TREE_MAX = """
__global__ void largest(const int *x, int *y, int n) {
  __shared__ int best[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  best[threadIdx.x] = i < n ? x[i] : -2147483647 - 1;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + o]);
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = best[0];
}
"""


def kernels(tmp_path: Path, source: str) -> str:
    """The generated kernels of a source that is migrated as a whole."""
    path = tmp_path / "k.cu"
    path.write_text(source, encoding="utf-8")
    (program,) = find_programs((path,))
    made = convert(program, Options(Target.TILELANG), load_catalogue()).artifact
    assert not made.refused
    return "\n".join(k.text for k in made.kernels)


def lengths(text: str) -> dict[str, str]:
    """The tiles of a kernel with their lengths, as they are written."""
    found = re.findall(r"(\w+) = T\.alloc_(?:fragment|shared)\(\(([^)]*?),?\)", text)
    return dict(found)


@pytest.mark.parametrize("source", [WARP_SUM, TREE_MAX], ids=["shuffles", "tree"])
def test_reductions_run_over_a_power_of_two(tmp_path: Path, source: str) -> None:
    """tile-ai/tilelang#2542: a sum over 48 threads lost some of them, without a word."""
    text = kernels(tmp_path, source)
    reduced = re.findall(r"T\.reduce_\w+\((\w+), \w+\)", text)
    assert reduced
    padded = "width = 1 << (threads - 1).bit_length()" in text
    only_powers = "(launch.block[0] & (launch.block[0] - 1)) == 0" in text
    assert padded or only_powers
    assert {lengths(text)[name] for name in reduced} == {"width" if padded else "threads"}


def test_what_a_padded_reduction_adds_changes_nothing(tmp_path: Path) -> None:
    """tile-ai/tilelang#2542: the tile behind the last thread holds the neutral value."""
    text = kernels(tmp_path, WARP_SUM)
    (tile,) = re.findall(r"T\.reduce_sum\((\w+), \w+\)", text)
    filled, reduced = text.index(f"T.fill({tile}, 0)"), text.index(f"T.reduce_sum({tile}")
    assert filled < reduced
    assert "if tx < threads:" in text[filled:reduced]


@pytest.mark.parametrize("source", [WARP_SUM, TREE_MAX], ids=["shuffles", "tree"])
def test_reductions_span_all_threads_of_the_block(tmp_path: Path, source: str) -> None:
    """tile-ai/tilelang#2524: a reduction over fewer threads than the block has gave wrong sums."""
    text = kernels(tmp_path, source)
    (threads,) = re.findall(r"T\.Kernel\(\w+, threads=(\w+)\)", text)
    reduced = re.findall(r"T\.reduce_\w+\((\w+), \w+\)", text)
    assert {lengths(text)[name] for name in reduced} == {threads}


def test_atomics_on_pairs_are_single(tmp_path: Path) -> None:
    """tile-ai/tilelang#2478: wide atomics at an address that is not aligned for them."""
    text = kernels(
        tmp_path,
        """
        __global__ void add(float *y, const float *x, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) for (int k = 0; k < 4; ++k) atomicAdd(&y[i + k + 1], x[4 * i + k]);
        }""",
    )
    assert len(re.findall(r"T\.atomic_add\(", text)) == 1
    assert not re.search(r"atomic_addx[24]", text)


def test_symbolic_counts_are_no_sizes_of_loops_over_lanes(tmp_path: Path) -> None:
    """tile-ai/tilelang#215: an elementwise kernel over a symbolic number of elements crashed."""
    text = kernels(
        tmp_path,
        """
        __global__ void twice(float *x, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) x[i] *= 2;
        }""",
    )
    assert "def twice_kernel(target: str, tile: int = 256)" in text
    assert re.findall(r"T\.Parallel\(([^)]*)\)", text) == ["tile"]
    assert "if i < lanes and i < n:" in text


def test_selects_do_not_read_what_they_do_not_choose(tmp_path: Path) -> None:
    """tile-ai/tilelang#2682, #1549: selects in vectorised loops, scalars that are assigned there.

    Reads stay inside of ``T.if_then_else``, which is lazy; what is assigned again is an
    ``alloc_var`` of the lane."""
    text = kernels(
        tmp_path,
        """
        __global__ void shift(const float *x, float *y, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i >= n) return;
          float v = i > 0 ? x[i - 1] : 0.0f;
          if (v < 0) v = -v;
          y[i] = v;
        }""",
    )
    assert "T.if_then_else(i > 0, x[i - 1], T.float32(0.0))" in text
    assert 'v = T.alloc_var("float32", init=' in text
    body = text[text.index("T.Parallel") :]
    assert body.index("T.Parallel") < body.index("T.alloc_var")


@pytest.mark.parametrize(
    "value",
    [
        "__shfl_xor_sync(0xffffffffu, v, 1)",
        "__shfl_sync(0xffffffffu, v, 3)",
        "__popc(__ballot_sync(0xffffffffu, v > 2))",
        "__any_sync(0xffffffffu, v > 2)",
        "(int)__match_any_sync(0xffffffffu, v)",
    ],
    ids=["shfl_xor", "shfl", "ballot", "any", "match"],
)
def test_lanes_speak_through_shared_memory(tmp_path: Path, value: str) -> None:
    """tile-ai/tilelang#1014: shuffles, votes and match are missing or take other arguments."""
    text = kernels(
        tmp_path,
        f"""
        __global__ void talk(const int *x, int *y) {{
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          int v = x[i];
          y[i] = {value};
        }}""",
    )
    assert not re.search(r"T\.(shfl|ballot|any_sync|all_sync|match|warp_)", text)
    assert "T.alloc_shared((threads,)" in text
    assert "T.sync_threads()" in text
