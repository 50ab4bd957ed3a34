"""Multi-file programs of the corpus are converted with their build files, and built by these.

No vendor's compiler is there: ``cpu-build/`` of the output tree stands for it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tree_runs import TREES, passes_only_with_kernels, run
from typer.testing import CliRunner

from migrate.cli.app import app


def converted(tree: Path, chip: str, out: Path) -> Path:
    arguments = ["convert", str(tree), "--to", chip, "-o", str(out), "--no-run"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_a_cmake_project_builds_and_passes(tmp_path: Path) -> None:
    out = converted(TREES / "image_filters", "ascend950", tmp_path / "out")
    configured = run(["cmake", "-S", ".", "-B", "b", f"-DASC_DIR={out / 'cpu-build'}"], out)
    assert configured.returncode == 0, configured.stdout + configured.stderr
    built = run(["cmake", "--build", "b"], out)
    assert built.returncode == 0, built.stdout + built.stderr
    passes_only_with_kernels(["b/src/filters_check"], out)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_a_shared_library_of_the_old_package_is_found_when_the_program_runs(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(s)\nfind_package(CUDA REQUIRED)\n"
        "cuda_add_library(k SHARED k.cu)\nadd_executable(a a.cpp)\n"
        "target_link_libraries(a k ${CUDA_LIBRARIES})\n"
    )
    (source / "k.h").write_text("#include <cuda_runtime.h>\nint five(int v);\n")
    (source / "k.cu").write_text(
        '#include "k.h"\n__global__ void add(int* x) { x[threadIdx.x] += 5; }\n'
        "int five(int v)\n{\n    int* d;\n    int h[4] = {v, v, v, v};\n    cudaMalloc(&d, 16);\n"
        "    cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice);\n    add<<<1, 4>>>(d);\n"
        "    cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);\n    cudaFree(d);\n    return h[3];\n}\n"
    )
    (source / "a.cpp").write_text('#include "k.h"\nint main() { return five(7) == 12 ? 0 : 1; }\n')
    out = converted(source, "ascend950", tmp_path / "out")
    configured = run(["cmake", "-S", ".", "-B", "b", f"-DASC_DIR={out / 'cpu-build'}"], out)
    assert configured.returncode == 0, configured.stdout + configured.stderr
    assert run(["cmake", "--build", "b"], out).returncode == 0
    assert run(["b/a"], out).returncode == 0
    assert run(["b/a"], out, CUDAMIGRATE_SKIP_KERNELS="1").returncode == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_makefile_project_builds_and_passes(tmp_path: Path) -> None:
    out = converted(TREES / "stream_sums", "ascend910b", tmp_path / "out")
    built = run(["make"], out, MAKEFILES="cpu-build/ascend-cpu.mk")
    assert built.returncode == 0, built.stdout + built.stderr
    passes_only_with_kernels(["./stream_sums"], out)


def test_an_extension_is_converted_with_its_setup(tmp_path: Path) -> None:
    out = converted(TREES / "torch_gelu", "ascend950", tmp_path / "out")
    setup = (out / "setup.py").read_text()
    assert '"csrc/gelu_kernel.asc"' in setup
    assert "CUDAExtension" not in setup
    assert "--npu-arch=dav-3510 --enable-simt" in (out / "ascend_extension.py").read_text()
    assert (out / "csrc" / "gelu_kernel.asc").is_file()
    assert (out / "csrc" / "gelu.cpp").read_bytes() == (
        TREES / "torch_gelu" / "csrc" / "gelu.cpp"
    ).read_bytes()


@pytest.mark.parametrize("name", ["image_filters", "stream_sums", "torch_gelu"])
def test_trees_convert_to_tilelang_without_build_files(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["convert", str(TREES / name), "--to", "tilelang", "-o", str(out), "--no-run"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert list(out.rglob("*.py"))
    assert not (out / "cpu-build").exists()
    for path in (*TREES.glob(f"{name}/**/CMakeLists.txt"), *TREES.glob(f"{name}/Makefile")):
        assert (out / path.relative_to(TREES / name)).read_bytes() == path.read_bytes()
