"""C++ host programs whose launches call compiled TileLang kernels."""

from __future__ import annotations

import shutil
import subprocess
from copy import copy
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.oracle import run_oracle
from migrate.pipeline.prove import bridged_program
from migrate.pipeline.stages import Conversion, convert
from migrate.rules.catalogue import load_catalogue
from migrate.verify.tilelang_program import (
    REFUSED_LAUNCH,
    BridgedProgram,
    LaunchShape,
    build_libraries,
    launch_shapes,
    shapes_text,
)

PROGRAM = Path(__file__).with_name("bridge_program.cu")


def converted(path: Path, options: Options) -> Conversion:
    """The program of one file for TileLang."""
    (source,) = find_programs((path,))
    return convert(source, options, load_catalogue())


def host_text(tmp_path: Path, source: str) -> str:
    """What becomes of a source with launches."""
    path = tmp_path / "k.cu"
    path.write_text(source, encoding="utf-8")
    files = {f.path: f for f in converted(path, Options(Target.TILELANG)).artifact.files}
    return files[PurePosixPath("k.cu")].content.decode()


@pytest.fixture(scope="module")
def bridged(tmp_path_factory: pytest.TempPathFactory) -> BridgedProgram:
    """The program with launches in all forms, converted and laid out."""
    work = tmp_path_factory.mktemp("bridge")
    options = Options(Target.TILELANG, fuzz=0)
    found = converted(PROGRAM, options)
    oracle = run_oracle(found.source, options, work / "oracle", found.program)
    assert oracle.original == "pass"
    for file in found.artifact.files:
        place = work / "tree" / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return bridged_program(found, oracle, work / "tree", options, work / "program")


def with_arguments(program: BridgedProgram, *args: str) -> BridgedProgram:
    """The same program, as far as it is built, run with other arguments."""
    again = copy(program)
    again.setup = replace(program.setup, args=args)
    return again


def test_the_program_passes_with_kernels_and_fails_without(bridged: BridgedProgram) -> None:
    with_kernels = bridged.run(skip_kernels=False).result
    without = bridged.run(skip_kernels=True).result
    assert with_kernels is not None and without is not None
    assert (with_kernels.exit, with_kernels.stdout.strip()) == (0, "PASS")
    assert (without.exit, without.stdout.strip()) == (1, "FAIL")


def test_a_launch_by_address_is_replaced_too(bridged: BridgedProgram) -> None:
    result = with_arguments(bridged, "64", "again").run(skip_kernels=False).result
    assert result is not None
    assert (result.exit, result.stdout.strip(), result.stderr) == (0, "PASS", "")


def test_another_block_is_refused_in_words_and_by_an_error_code(bridged: BridgedProgram) -> None:
    result = with_arguments(bridged, "96").run(skip_kernels=False).result
    assert result is not None
    assert result.stdout.strip() == "a launch was refused"
    assert result.exit == 2
    assert f"turn<<<(4, 1, 1), (96, 1, 1), 384>>> {REFUSED_LAUNCH}" in result.stderr
    assert "--shape bridge_program:turn:96,1,1:384" in result.stderr


def test_shapes_are_those_of_the_original(bridged: BridgedProgram) -> None:
    assert launch_shapes(bridged.kernels) == (
        LaunchShape("bridge_program", "scale_float_3", (128, 1, 1), 0),
        LaunchShape("bridge_program", "turn", (64, 1, 1), 256),
    )


def test_shapes_as_text() -> None:
    shape = LaunchShape("a/b", "k", (8, 4, 1), 16)
    row = '  {"module": "a/b", "kernel": "k", "block": [8, 4, 1], "shared": 16}'
    assert shapes_text((shape, shape)) == f"[\n{row}\n]\n"
    assert shapes_text(()) == "[]\n"


KERNELS = """\
template <class T> __global__ void fill(T *x, T v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = v;
}
"""


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("fill<<<1, 2>>>(x, 1.0f, 2);", "cudamigrate::launch(fill<float>, 1, 2)(x, 1.0f, 2);"),
        (
            "fill<float> /* a */ <<< dim3(1, 1), 2, 0, s >>> (x, 1.0f, 2);",
            "cudamigrate::launch(fill<float> /* a */ ,  dim3(1, 1), 2, 0, s ) (x, 1.0f, 2);",
        ),
        ("int y = 1 << 3 >> 1;", "int y = 1 << 3 >> 1;"),
        ('const char *t = "fill<<<1, 2>>>(x)";', 'const char *t = "fill<<<1, 2>>>(x)";'),
        ("// fill<<<1, 2>>>(x, 1.0f, 2);", "// fill<<<1, 2>>>(x, 1.0f, 2);"),
    ],
)
def test_launches_as_they_are_written(tmp_path: Path, launch: str, expected: str) -> None:
    body = f"void f(float *x, cudaStream_t s) {{\n  {launch}\n  fill<int><<<1, 2>>>(0, 1, 2);\n}}\n"
    assert f"  {expected}\n" in host_text(tmp_path, KERNELS + body)


def test_all_but_launches_stays_byte_for_byte(tmp_path: Path) -> None:
    body = "int main() {\n  fill<float><<<1, 2>>>(nullptr, 1.0f, 0);\n}\n"
    lines = host_text(tmp_path, KERNELS + body).splitlines()
    assert lines[0] == '#include "k_kernels.h"'
    assert lines[1:6] == [*KERNELS.splitlines(), "int main() {"]
    assert lines[7] == "}"


def test_launches_of_device_code_stay(tmp_path: Path) -> None:
    parent = "__global__ void parent(float *x) { fill<float><<<1, 1>>>(x, 1.0f, 1); }\n"
    text = host_text(tmp_path, KERNELS + parent + "void f() { parent<<<1, 1>>>(nullptr); }\n")
    assert parent in text
    assert "void f() { cudamigrate::launch(parent, 1, 1)(nullptr); }" in text


def test_a_kernel_is_told_from_a_host_function_of_its_name(tmp_path: Path) -> None:
    plain = "__global__ void one(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
    host = "void one(float *x, int n, int block) {\n  one<<<1, block>>>(x, n);\n}\n"
    text = host_text(tmp_path, plain + host)
    cast = "(void (*)(float *x, int n))"
    assert f"  cudamigrate::launch({cast}one, 1, block)(x, n);\n" in text
    assert f"cudamigrate::address({cast}&one)" in text


def test_a_refused_kernel_has_no_row_in_the_table(tmp_path: Path) -> None:
    spin = "__global__ void spin(volatile int *x) { while (*x == 0); *x = clock(); }\n"
    launches = "void f() { spin<<<1, 1>>>(nullptr); fill<<<1, 1>>>((int *)nullptr, 1, 1); }\n"
    table = host_text(tmp_path, KERNELS + spin + launches).split("// What stands for")[1]
    assert "fill<int>" in table
    assert "spin" not in table


def test_kernels_are_lowered_for_tilelangs_ascend_target(
    tmp_path: Path, bridged: BridgedProgram
) -> None:
    shapes = tmp_path / "shapes.json"
    shapes.write_text(shapes_text(launch_shapes(bridged.kernels)), encoding="utf-8")
    out = tmp_path / "asc"
    made = build_libraries(bridged.tree, out, "ascend", shapes, bridged.options, tmp_path)
    assert made.ok, made.stderr
    names = {f.relative_to(out).with_suffix(".so").as_posix() for f in out.rglob("*.asc")}
    assert names == set(bridged.wanted_libraries())
    flat = (out / "bridge_program" / "scale_float_3.asc").read_text(encoding="utf-8")
    block = (out / "bridge_program" / "turn-64-64-256.asc").read_text(encoding="utf-8")
    assert "asc_vf_call<scale_float_3_kernel_simt_vf_0>(cce::dim3(256)" in flat
    assert "__ubuf__ float* lanes" in block
    stored, barrier = block.index("lanes[("), block.index("asc_syncthreads();")
    assert stored < barrier < block.index("* weights[")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_takes_the_host_program(tmp_path: Path, bridged: BridgedProgram) -> None:
    command = ["nvcc", "-std=c++17", "-c", str(bridged.tree / PROGRAM.name)]
    command += ["-o", str(tmp_path / "p.o")]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stderr
