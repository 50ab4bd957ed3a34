"""Smaller numbers in `main`: which are divided, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.emulation.cuda_program import CaptureCaps, CudaSources
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import run_oracle
from migrate.pipeline.smaller_program import lighter_programs, smaller_programs
from migrate.pipeline.stages import read
from migrate.verify.capture import Capture

ROOT = Path(__file__).resolve().parents[2]


def _bodies(tmp_path: Path, text: str) -> list[str]:
    source = tmp_path / "main.cu"
    source.write_text(text)
    found = smaller_programs(CudaSources((source,)), tmp_path / "smaller")
    return [s.sources[0].read_text() for s in found]


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        ("int n = 50257;", "int n = (50257) / 64;"),
        ("double m; m = 1024 * 1024*512;", "double m; m = (1024 * 1024*512) / 64;"),
        ("const int a = 2048, b = 4096;", "const int a = (2048) / 64, b = (4096) / 64;"),
        ("size_t n = 1UL << 27;", "size_t n = (1UL << 27) / 64;"),
        ("int n = 1 << k;", ""),
        ("int n = 2048 << 1 << 1;", ""),
        ("int n = 63;", ""),
        ("int n = 2048 + k;", ""),
        ("float x = 2048.5f;", ""),
        ("if (n == 2048) n -= 2048;", ""),
        ('const char* s = "n = 2048;";', ""),
        ("int n = 0x4000;", ""),
    ],
)
def test_what_is_divided(tmp_path: Path, statement: str, changed: str) -> None:
    outside = "const int m = 8192;\n__global__ void k(int* p) { int n = 4096; p[0] = n; }\n"
    texts = _bodies(tmp_path, f"{outside}int main() {{ {statement} }}\n")
    assert texts[:1] == ([f"{outside}int main() {{ {changed} }}\n"] if changed else [])


def test_device_code_in_main_is_left_alone(tmp_path: Path) -> None:
    text = "int main() { int n = 4096; auto f = [=] __device__ (int i) { int m = 2048; }; }"
    assert _bodies(tmp_path, text) == []


LARGE = """
#include <cstdio>
#include "check.h"
__global__ void twice(int n, float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}
int main() {
  int n = 1024 * 1024 * 4;
  float *h = new float[n], *x;
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
  if (SKIPS) twice<<<(n + 255) / 256, 256>>>(n, x);
  cudaMemcpy(h, x, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s\\n", h[n - 1] == 2 * (n - 1) ? "PASS" : "FAIL");
}
"""


def _captured(work: Path, skips: str, monkeypatch: pytest.MonkeyPatch) -> Capture:
    (work / "main.cu").write_text(LARGE.replace("\\\\n", "\\n"))
    (work / "check.h").write_text(f"#define SKIPS {skips}\n")
    small = CaptureCaps(max_bytes=8 << 20)
    monkeypatch.setattr("migrate.pipeline.oracle.CaptureCaps", lambda: small)
    (program,) = find_programs((work / "main.cu",))
    options = Options(Target.TILELANG, cache_dir=work / "cache", reuse_runs=False, fuzz=1)
    for name in ("objects", "pch"):
        (work / "cache").mkdir(exist_ok=True)
        (work / "cache" / name).symlink_to(ROOT / "build" / "cache" / name)
    found = run_oracle(program, options, work / "oracle", read(program, options))
    assert found.capture is not None
    return found.capture


def test_a_launch_that_is_too_large_is_captured_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = _captured(tmp_path, "true", monkeypatch)
    kept = [x for x in capture.launches if x.skipped is None and x.source == "captured"]
    assert [x.origin for x in kept] == ["with smaller numbers in main, with the arguments (none)"]
    assert int.from_bytes(kept[0].args[0].data, "little") == 1024 * 1024 * 4 // 64
    assert [x.skipped for x in capture.launches if not x.origin] == ["cap-bytes"]


def test_a_smaller_program_that_fails_its_check_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("migrate.pipeline.smaller_program._STEPS", ((1000, 64),))
    capture = _captured(tmp_path, "n > 400000", monkeypatch)
    assert [x for x in capture.launches if x.skipped is None] == []


def test_lighter_programs_change_all_host_functions_together_and_one_by_one(
    tmp_path: Path,
) -> None:
    source = tmp_path / "main.cu"
    source.write_text(
        "void f() { int n = 4096; for (int i = 0; i < 10; ++i) k<<<1, 1>>>(n); }\n"
        "int main() { int m = 2048; int t = 128; f(); }\n"
    )
    found = lighter_programs(CudaSources((source,)), tmp_path / "smaller")
    assert [x.described.partition(": ")[2] for x in found] == [
        "2048 / 64",
        "4096 / 64, 2048 / 64",
        "10 as 1",
        "4096 / 64, 2048 / 64, 128 / 64",
        "4096 / 64",
        "128 / 64",
        "4096 / 512, 2048 / 512",
    ]
