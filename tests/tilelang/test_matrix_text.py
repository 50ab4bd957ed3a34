"""Programs of tiles as TileLang text: where barriers stand, and what a launch is asked."""

from __future__ import annotations

from pathlib import Path

from migrate.backends.tilelang.emit import emit_tilelang
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.frontend.program import FrontendOptions, read_program
from migrate.lifting.lift import lift

SOURCE = """
__global__ void k(float* m, const float* q, float* r, int first, int n) {{
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  {loop} {{
    {load}
    __syncthreads();
    for (int d = 0; d < 16; ++d) sum += a[y][d] * b[d][x];
    __syncthreads();
  }}
  {store}
}}
"""
ROUNDS = "for (int s = 0; s < n; s += 16)"
LATER = "for (int s = first; s < n; s += 16)"
LOAD = "a[y][x] = m[(s + y) * 16 + x]; b[y][x] = q[(s + y) * 16 + x];"
TAKEN = "a[x][y] = m[(s + y) * 16 + x]; m[(s + y) * 16 + x] = 0.0f; b[y][x] = q[s + x];"
STORE = "r[y * 16 + x] = sum;"
SYNC = "T.sync_threads()"


def lines(folder: Path, loop: str = ROUNDS, load: str = LOAD, store: str = STORE) -> list[str]:
    """The lines of the module."""
    source = folder / "k.cu"
    source.write_text(SOURCE.format(loop=loop, load=load, store=store), "utf-8")
    unit = read_program((source,), FrontendOptions()).units[0]
    options = Options(Target.TILELANG)
    made = lift(unit.module.kernels[0], unit.module, Target.TILELANG, options)
    assert made.rung is Rung.TILE
    text = emit_tilelang(unit, (made,), options).files[0].content.decode()
    return [line.strip() for line in text.splitlines()]


def test_rounds_of_a_range_need_no_barrier_of_ours(tmp_path: Path) -> None:
    assert SYNC not in lines(tmp_path)


def test_rounds_of_a_while_end_with_a_barrier(tmp_path: Path) -> None:
    found = lines(tmp_path, loop=LATER)
    assert found.count(SYNC) == 1
    at = found.index(SYNC)
    assert "while s < n:" in found[:at] and found[at - 1] == "s += 16"


def test_an_element_that_another_thread_may_get_is_stored_to_behind_a_barrier(
    tmp_path: Path,
) -> None:
    """One thread reads and stores in CUDA; here the tile is transposed between."""
    found = lines(tmp_path, load=TAKEN)
    (at,) = [k for k, line in enumerate(found) if line.startswith("m[")]
    assert found[at - 2] == SYNC and found[at + 1] == SYNC


def test_what_is_read_next_to_the_store_needs_a_barrier_too(tmp_path: Path) -> None:
    """``sum`` takes ``q`` where it is stored: nothing synchronises behind that read."""
    found = lines(tmp_path, store="sum += q[x * 16 + y]; r[y * 16 + x] = sum;")
    at = next(k for k, line in enumerate(found) if line.startswith("r["))
    assert found[at - 2] == SYNC


def test_the_launch_has_to_have_the_block_of_the_proof(tmp_path: Path) -> None:
    found = lines(tmp_path)
    (test,) = [line for line in found if line.startswith("if not (launch.block")]
    for part in ("launch.block[0] == 16", "launch.block[1] == 16", "launch.block[2] == 1"):
        assert part in test
    assert found[found.index(test) + 1].startswith("raise ValueError(")
