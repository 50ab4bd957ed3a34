"""Counting of host API calls: what is a call of CUDA, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from migrate.cli.app import app
from migrate.core.targets import Target
from migrate.pipeline.api_coverage import api_coverage
from migrate.rules.catalogue import load_catalogue

SOURCE = """#include <cuda_runtime.h>
// cudaMalloc(&p, 4) in a comment
#define FREE(p) cudaFree(p)
static int cudaMine(int n) { return n; }
int main() {
  float* p; cudnnHandle_t h; CUdeviceptr d = CUdeviceptr(0);
  cudaMalloc(&p, 4); cudaMalloc(&p, 8);
  cudaGraphCreate(&g, 0);
  cudnnCreate(&h);
  cublasUnheardOf(h);
  return cudaMine(1) + accumulate(2);
}
"""


def test_call_sites_by_library(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SOURCE)
    (tmp_path / "notes.txt").write_text("cudaMalloc(&p, 4);")
    found = api_coverage((tmp_path,), Target.ASCEND_950, load_catalogue())
    rows = {r.library: (r.migrated, r.stubbed, r.unknown) for r in found.rows}
    assert rows == {"runtime": (3, 1, 0), "cuDNN": (0, 0, 1), "cuBLAS": (0, 0, 1)}
    runtime = found.rows[0]
    assert (runtime.sites, runtime.names, runtime.names_migrated) == (4, 3, 2)
    assert found.files == 1
    assert [n for n, _ in found.missing] == ["cublasUnheardOf", "cudaGraphCreate", "cudnnCreate"]


def test_the_command_stores_figures_and_writes_the_page(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.cu").write_text(SOURCE)
    page = tmp_path / "host-api.md"
    ran = CliRunner().invoke(app, ["api-coverage", str(tree), "--write", str(page), "--title", "T"])
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "host-api" / "T-ascend950.json").is_file()
    text = page.read_text()
    assert "## T, ascend950" in text
    assert "| runtime | 4 | 3 (75.0 %) | 1 | 0 | 3 | 2 |" in text
