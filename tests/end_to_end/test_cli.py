"""The command as a user meets it: good runs, and every bad input with its code and exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAXPY = ROOT / "corpus" / "elementwise" / "saxpy"

ENDLESS = """
#include <cstdio>
__global__ void spin(volatile int* flag) { while (*flag == 0) { } }
int main() {
  int* d; cudaMalloc(&d, 4); cudaMemset(d, 0, 4);
  spin<<<1, 1>>>(d); cudaDeviceSynchronize(); printf("PASS\\n"); return 0;
}
"""
CRASHING = """
#include <cstdio>
__global__ void wild(int* p, int n) { p[(size_t)threadIdx.x * 1000000007ull + n] = 1; }
int main() {
  int* d; cudaMalloc(&d, 4);
  wild<<<1, 32>>>(d, 123456789); cudaDeviceSynchronize(); printf("PASS\\n"); return 0;
}
"""
BROKEN = """
__global__ void half_written(float* x, int n) {
  int i = threadIdx.x
  if (i < n x[i] = 1;
}
int main() { return 0; }
"""


def cudamigrate(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "CUDAMIGRATE_CACHE_DIR": str(ROOT / "build" / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "migrate", *args],
        capture_output=True,
        text=True,
        timeout=600,
        env={**variables, **(env or {})},
        check=False,
    )


def _report(out: Path) -> dict[str, object]:
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_convert_verify_report_gate(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = cudamigrate("convert", str(SAXPY), "--to", "ascend", "-o", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    # Equal on the launch that the program makes and on those generated from it.
    assert re.search(r"saxpy +saxpy +tile +equal +1/1 \+3", done.stdout), done.stdout
    assert "original pass, migrated pass, kernels skipped fail" in done.stdout
    assert (out / "saxpy.asc").is_file()
    assert (out / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert cudamigrate("gate", str(out), "--min-equal", "1").returncode == 0
    again = cudamigrate("convert", str(SAXPY), "--to", "ascend", "-o", str(out))
    assert again.returncode == 2
    assert "CM0006" in again.stderr
    text = (out / "saxpy.asc").read_text(encoding="utf-8")
    assert "Muls(" in text
    (out / "saxpy.asc").write_text(text.replace("Muls(", "Adds(", 1), encoding="utf-8")
    broken = cudamigrate("verify", str(out))
    assert broken.returncode == 1, broken.stdout
    assert "different" in broken.stdout
    gate = cudamigrate("gate", str(out))
    assert gate.returncode == 1
    assert "CM0040" in gate.stderr
    for form in ("html", "json", "sarif", "junit", "terminal"):
        assert cudamigrate("report", str(out), "--format", form).returncode == 0


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "CM0002"), (b"\x7fELF\0\1", "CM0003"), (None, "CM0001")]
)
def test_bad_files(tmp_path: Path, content: bytes | None, code: str) -> None:
    source = tmp_path / "k.cu"
    if content is not None:
        source.write_bytes(content)
    done = cudamigrate("convert", str(source), "--to", "ascend", "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert code in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--to", "fpga"), "CM0004"),
        (("--to", "ascend", "--chip", "ascend1"), "CM0005"),
        (("--to", "tilelang", "--chip", "ascend950"), "CM0005"),
    ],
)
def test_unknown_targets(tmp_path: Path, args: tuple[str, ...], code: str) -> None:
    done = cudamigrate("convert", str(SAXPY), *args, "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert code in done.stderr


def test_unwritable_output(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x")
    done = cudamigrate("convert", str(SAXPY), "--to", "ascend", "-o", str(blocker / "out"))
    assert done.returncode == 2
    assert "CM0007" in done.stderr


def test_no_compiler(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = cudamigrate(
        "convert", str(SAXPY), "--to", "ascend", "-o", str(out), env={"CXX": "no-such-compiler"}
    )
    assert done.returncode == 3
    assert "CM0030" in done.stderr
    assert not out.exists()


def test_no_run_converts_without_running(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = cudamigrate("convert", str(SAXPY), "--to", "ascend", "-o", str(out), "--no-run")
    assert done.returncode == 0, done.stderr
    assert "emitted" in done.stdout
    assert (out / "saxpy.asc").is_file()


def test_syntax_error_costs_the_kernel_and_says_so(tmp_path: Path) -> None:
    source = tmp_path / "broken.cu"
    source.write_text(BROKEN)
    out = tmp_path / "out"
    done = cudamigrate("convert", str(source), "--to", "ascend", "-o", str(out), "--no-run")
    assert "Traceback" not in done.stderr
    text = (out / "report.json").read_text(encoding="utf-8")
    assert "CM1001" in text
    assert "half_written" in text
    assert "refused" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "code"), [(ENDLESS, "CM5003"), (CRASHING, "CM5004")], ids=["endless", "crashing"]
)
def test_kernels_that_hang_or_crash(tmp_path: Path, source: str, code: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(source)
    out = tmp_path / "out"
    done = cudamigrate("convert", str(path), "--to", "ascend", "-o", str(out), "--timeout", "5")
    assert "Traceback" not in done.stderr
    assert code in (out / "report.json").read_text(encoding="utf-8")
    programs = _report(out)["programs"]
    assert isinstance(programs, list)
    assert all(
        k["verdict"] not in ("equal", "equal-captured") for p in programs for k in p["kernels"]
    )


def test_explain() -> None:
    assert "CM4001" in cudamigrate("explain", "cm4001").stdout
    unknown = cudamigrate("explain", "CM9876")
    assert unknown.returncode == 2
    assert "CM0009" in unknown.stderr


def test_bad_report(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("{}")
    done = cudamigrate("gate", str(tmp_path))
    assert done.returncode == 2
    assert "CM0010" in done.stderr
