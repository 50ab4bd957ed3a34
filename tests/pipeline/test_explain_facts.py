"""``cudamigrate explain SOURCE --facts KERNEL``."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from migrate.cli.app import app
from migrate.core.diagnostics import UserError

CUDA = """
__global__ void neighbours(const float* x, float* y, int n) {
  __shared__ float s[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = s[(threadIdx.x + 1) % 64];
}
template <typename T>
__global__ void scale(T* x, T by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
void host(float* f, double* d, int n) {
  neighbours<<<n / 64 + 1, 64>>>(f, f, n);
  scale<<<n / 64 + 1, 64>>>(f, 2.0f, n);
  scale<<<n / 64 + 1, 64>>>(d, 2.0, n);
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "two.cu"
    path.write_text(CUDA)
    return path


def _facts(source: Path, kernel: str) -> str:
    done = CliRunner().invoke(
        app, ["explain", str(source), "--facts", kernel], env={"COLUMNS": "160"}
    )
    assert done.exit_code == 0, done.output
    return done.output


def test_a_block_kernel(source: Path) -> None:
    text = _facts(source, "neighbours")
    assert "launch: x split, y unused, z unused" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "5 write s 0 threadIdx.x" in lines
    assert "5 read x 64*blockIdx.x threadIdx.x" in lines
    assert "i thread" in lines
    assert "barrier, line 6:" in lines
    assert "write s[threadIdx.x] (line 5) before read s[((threadIdx.x + 1) % 64)] (line 7)" in lines


def test_each_instance(source: Path) -> None:
    text = _facts(source, "scale")
    assert text.count("rung: tile") == 2
    assert text.count("launch: x flat") == 2


def test_an_unknown_kernel(source: Path) -> None:
    done = CliRunner().invoke(app, ["explain", str(source), "--facts", "scael"])
    assert isinstance(done.exception, UserError)
    assert done.exception.diagnostic.code.id == "CM0014"
    assert "neighbours, scale" in done.exception.diagnostic.cause
