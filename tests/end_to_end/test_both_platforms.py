"""``--keep-cuda``: one file builds for CUDA and for Ascend, and passes its own check on both."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from tree_runs import ROOT, TREES, passes_only_with_kernels, run
from typer.testing import CliRunner

from migrate.cli.app import app
from migrate.core.hybrid_text import Platform, side

REDUCTION = ROOT / "corpus" / "block" / "tree_reduction" / "tree_reduction.cu"


def converted(source: Path, chip: str, out: Path, *more: str) -> Path:
    arguments = ["convert", str(source), "--to", chip, "-o", str(out), "--keep-cuda", *more]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return out


@pytest.mark.slow
def test_one_file_passes_on_both_platforms(tmp_path: Path) -> None:
    out = converted(REDUCTION, "ascend950", tmp_path / "out", "--no-run")
    assert side((out / REDUCTION.name).read_bytes(), Platform.CUDA) == REDUCTION.read_bytes()
    on_cuda = CliRunner().invoke(app, ["run", str(out / REDUCTION.name)])
    assert on_cuda.exit_code == 0, on_cuda.output
    assert "PASS" in on_cuda.output
    flags = ["--npu-arch=dav-3510", "--enable-simt"]
    command = [sys.executable, "-m", "migrate.emulation.bisheng", *flags]
    built = run([*command, "tree_reduction.asc", "-o", "a"], out)
    assert built.returncode == 0, built.stderr
    passes_only_with_kernels(["./a"], out)


def test_a_tree_keeps_its_cuda_side_byte_for_byte(tmp_path: Path) -> None:
    out = converted(TREES / "image_filters", "ascend950", tmp_path / "out", "--no-run")
    for name in ("src/blur.cu", "src/main.cu", "include/border.cuh"):
        text = (out / name).read_bytes()
        assert b"#if defined(USE_ASCEND)" in text
        assert side(text, Platform.CUDA) == (TREES / "image_filters" / name).read_bytes()
    build = (out / "CMakeLists.txt").read_text()
    assert build.startswith("if(USE_ASCEND)\n")
    assert (TREES / "image_filters" / "CMakeLists.txt").read_text() in build
    assert (out / "cuda_or_ascend.h").is_file()


def test_a_setup_stays_beside_that_of_ascend(tmp_path: Path) -> None:
    out = converted(TREES / "torch_gelu", "ascend910b", tmp_path / "out", "--no-run")
    original = (TREES / "torch_gelu" / "setup.py").read_bytes()
    assert (out / "setup.py").read_bytes() == original
    assert b"AscendExtension" in (out / "setup_ascend.py").read_bytes()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_makefile_builds_the_side_that_is_asked_for(tmp_path: Path) -> None:
    out = converted(TREES / "stream_sums", "ascend950", tmp_path / "out", "--no-run")
    ascend = run(["make", "-n", "USE_ASCEND=1"], out, MAKEFILES="cpu-build/ascend-cpu.mk").stdout
    assert "bisheng --npu-arch=dav-3510 --enable-simt" in ascend and "sums.asc" in ascend
    assert "nvcc" not in ascend and ".cu" not in ascend
    cuda = run(["make", "-n"], out).stdout
    assert cuda == run(["make", "-n"], TREES / "stream_sums").stdout
    assert "nvcc" in cuda and "sums.cu" in cuda


@pytest.mark.slow
def test_verify_proves_the_ascend_side_of_a_guarded_file(tmp_path: Path) -> None:
    source = ROOT / "corpus" / "elementwise" / "saxpy" / "saxpy.cu"
    out = converted(source, "ascend950", tmp_path / "out")

    def verdict() -> str:
        report = json.loads((out / "report.json").read_text())
        return str(report["programs"][0]["kernels"][0]["verdict"])

    assert verdict() == "equal"
    text = (out / "saxpy.cu").read_text()
    ascend, found, rest = text.partition("#else  // CUDA\n__global__")
    assert found and " + y[" in ascend
    (out / "saxpy.cu").write_text(ascend.replace(" + y[", " - y[") + found + rest)
    CliRunner().invoke(app, ["verify", str(out)])
    assert verdict() == "different"


def test_tilelang_holds_no_cuda(tmp_path: Path) -> None:
    arguments = [
        "convert",
        str(REDUCTION),
        "--to",
        "tilelang",
        "-o",
        str(tmp_path / "o"),
        "--keep-cuda",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    assert result.exception is not None
