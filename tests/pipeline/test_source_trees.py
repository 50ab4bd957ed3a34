"""Trees, file lists and compilation databases become programs; bad files cost only themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from migrate.core.cuda_text import holds_cuda
from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.compile_commands import find_database, load_database
from migrate.pipeline.extraction import Reading, extract
from migrate.pipeline.inputs import Inputs, find_inputs
from migrate.pipeline.stages import read

KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = VALUE; }\n"


def lay(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _options(cache: Path) -> Options:
    return Options(Target.TILELANG, cache_dir=cache, jobs=1)


def _kernels(inputs: Inputs, cache: Path) -> list[str]:
    units = [u for p in inputs.programs for u in read(p, _options(cache)).units]
    return sorted(k.name for u in units for k in u.module.kernels)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prelude")


def test_include_folders_are_found(tmp_path: Path, cache: Path) -> None:
    lay(
        tmp_path,
        src__deep__a_dot_cu='#include "lib/value.h"\n#include "other.cuh"\n' + KERNEL,
        include__lib__value_dot_h="#pragma once\n#define VALUE 1\n",
        third__party__other_dot_cuh='#include "lib/value.h"\n__device__ int two();\n',
    )
    inputs = find_inputs((tmp_path,))
    (program,) = inputs.programs
    assert program.settings_of(program.sources[0]).late_dirs == (
        tmp_path / "include",
        tmp_path / "third" / "party",
    )
    assert _kernels(inputs, cache) == ["k"]
    (unit,) = read(program, _options(cache)).units
    assert [d.code.id for d in unit.diagnostics] == []


def test_a_guessed_folder_never_hides_a_header(tmp_path: Path, cache: Path) -> None:
    lay(
        tmp_path,
        a_dot_cu='#include "value.h"\n#include "far.h"\n#include <math.h>\n'
        "static_assert(VALUE == 1 && FAR == 3);\n" + KERNEL.replace("VALUE", "sqrtf(2.f)"),
        value_dot_h="#define VALUE 1\n",
        other__value_dot_h="#define VALUE 2\n",
        other__far_dot_h="#define FAR 3\n",
        other__math_dot_h="#error not this one\n",
    )
    (unit,) = read(find_inputs((tmp_path,)).programs[0], _options(cache)).units
    assert [d.one_line() for d in unit.diagnostics] == []


def test_database(tmp_path: Path, cache: Path) -> None:
    lay(
        tmp_path,
        src__a_dot_cu="#if VALUE == 7 && __CUDA_ARCH__ == 900\n" + KERNEL + "#endif\n",
        src__b_dot_cu=KERNEL.replace("k(", "unused("),
        src__c_dot_cpp="int f() { return 0; }\n",
    )
    build = tmp_path / "build"
    build.mkdir()
    rows = [
        {"directory": str(build), "file": "../src/a.cu",
         "command": "nvcc -DVALUE=7 -arch=sm_90 --odd-flag -use_fast_math -c ../src/a.cu -o a.o"},
        {"directory": str(build), "file": "../src/c.cpp", "arguments": ["g++", "-c", "../src/c.cpp"]},
    ]  # fmt: skip
    (build / "compile_commands.json").write_text(json.dumps(rows))
    path = find_database(build)
    assert path is not None
    database = load_database(path)
    assert [d.code.id for d in database.diagnostics] == ["CM0050", "CM0052"]
    assert "--odd-flag" in database.diagnostics[0].cause
    for paths in ((), (tmp_path / "src",)):
        inputs = find_inputs(paths, database)
        assert [s.name for p in inputs.programs for s in p.sources] == ["a.cu"]
        assert _kernels(inputs, cache) == ["k"]
        assert inputs.diagnostics == database.diagnostics


@pytest.mark.parametrize(
    "text", ["{", "{}", '[{"file": "a.cu"}]', '[{"file": "a.cu", "arguments": 3}]', "[7]"]
)
def test_bad_databases_have_a_code(tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        load_database(path)
    assert error.value.diagnostic.code.id == "CM0051"


def test_bad_files_in_a_tree_cost_only_themselves(tmp_path: Path, cache: Path) -> None:
    lay(tmp_path, good_dot_cu=KERNEL.replace("VALUE", "1"), empty_dot_cu="")
    (tmp_path / "binary.cu").write_bytes(b"\x7fELF\0\0")
    inputs = find_inputs((tmp_path,))
    assert _kernels(inputs, cache) == ["k"]
    assert [(d.code.id, Path(d.span.file).name) for d in inputs.diagnostics] == [
        ("CM0053", "binary.cu"),
        ("CM0053", "empty.cu"),
    ]
    assert "CM0003" in inputs.diagnostics[0].cause
    assert sorted(str(p) for _, p in inputs.copies) == ["binary.cu", "empty.cu", "good.cu"]


def test_which_files_are_sources(tmp_path: Path) -> None:
    lay(
        tmp_path,
        a_dot_cu='#include "used.cuh"\n',
        used_dot_cuh="__global__ void used() {}\n",
        alone_dot_cuh="__global__ void alone() {}\n",
        api_dot_cpp="void f() { cudaDeviceSynchronize(); }\n",
        plain_dot_cpp="// cudaMalloc(p, 4) and __global__ in words only\nint g() { return 1; }\n",
        build__made_dot_cu="__global__ void made() {}\n",
        out__old_dot_cu="__global__ void old() {}\n",
        out__cudamigrate_dot_json="{}",
        new__n_dot_cu="__global__ void n() {}\n",
    )
    inputs = find_inputs((tmp_path,), out=tmp_path / "new")
    (program,) = inputs.programs
    assert sorted(p.name for p in program.sources) == ["a.cu", "alone.cuh", "api.cpp"]
    assert [p.name for p in program.host_sources] == ["plain.cpp"]
    names = sorted(p.as_posix() for _, p in inputs.copies)
    assert names == ["a.cu", "alone.cuh", "api.cpp", "plain.cpp", "used.cuh"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"void f() { k<<<1, 2>>>(); }", True),
        (b"void f() { k <<< 1, 2 >>> (); }", True),
        (b"#include <cuda_runtime.h>\n", True),
        (b"void f() { cudaFree(p); }", True),
        (b"void f() { my_cudaFree(p); /* cudaFree(p) */ }", False),
        (b'const char* s = "cudaFree(p) __global__";', False),
        (b"int y = x << 3;", False),
    ],
)
def test_text_with_cuda(text: bytes, expected: bool) -> None:
    assert holds_cuda(text) is expected


def test_an_included_cuda_file_is_read_where_it_is_included(tmp_path: Path, cache: Path) -> None:
    lay(
        tmp_path,
        main_dot_cu='#define VALUE 1\n#include "kernels.cu"\nint main() { return 0; }\n',
        kernels_dot_cu=KERNEL,
    )
    found = extract(find_inputs((tmp_path,)).programs, _options(cache))
    assert [(k.name, k.reading) for k in found.kernels] == [("k", Reading.EXTRACTED)]
    assert [Path(f.file).name for f in found.files] == ["main.cu"]


def test_extraction_counts_definitions(tmp_path: Path, cache: Path) -> None:
    lay(
        tmp_path,
        one_dot_cu='#include "k.cuh"\nvoid f(float* p) { k<<<1, 1>>>(p); k<<<1, 1>>>((int*)p); }\n',
        two_dot_cu='#include "k.cuh"\n__global__ void bad(float* p) { nothing(p); }\n',
        k_dot_cuh="#pragma once\ntemplate <class T> __global__ void k(T* p) { p[0] = 1; }\n",
    )
    found = extract(find_inputs((tmp_path,)).programs, _options(cache))
    assert {(k.name, k.reading, k.codes) for k in found.kernels} == {
        ("k", Reading.EXTRACTED, ()),
        ("bad", Reading.REFUSED, ("CM1004",)),
    }
    assert [f.launches for f in found.files] == [2, 0]
