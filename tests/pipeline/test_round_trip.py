"""Round trip: kernels that are read and printed back run like the original, and faults show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.diagnostics import UserError
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import InputProgram
from migrate.pipeline.round_trip import RoundTrip, measure_round_trips, round_trip
from migrate.pipeline.suite import SuiteProgram
from migrate.report.originals import merge_programs
from migrate.report.round_trip import (
    dump_round_trips,
    figures_line,
    load_round_trips,
    round_trip_lines,
)
from tests.frontend.conftest import needs_gxx

CORPUS = Path(__file__).parents[2] / "corpus"
PROGRAMS = ("hash_mix", "signed_divmod")


@pytest.fixture(scope="module")
def options() -> Options:
    cache = CORPUS.parent / "build" / "cache"
    return Options(target=Target.TILELANG, cache_dir=cache, reuse_runs=False)


@needs_gxx
@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_memory_after_every_launch(name: str, tmp_path: Path, options: Options) -> None:
    path = next(CORPUS.rglob(f"{name}.cu"))
    found = round_trip(InputProgram(name, path.parent, (path,)), options, tmp_path)
    assert found.holds
    assert found.text_equal
    assert (found.before, found.after) == ("pass", "pass")
    assert found.kernels > 0 and found.left == () and found.unread == 0
    assert found.launches == found.equal > 0


@needs_gxx
@pytest.mark.slow
def test_headers_templates_and_what_is_left(tmp_path: Path, options: Options) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "kernels.cuh").write_text(
        "#pragma once\n"
        "template <class T> __global__ void scale(T* x, T by) { x[threadIdx.x] *= by; }\n"
        "template <class F> __global__ void each(F f) { f(threadIdx.x); }\n"
    )
    main = folder / "main.cu"
    main.write_text(
        '#include <cstdio>\n#include "kernels.cuh"\n'
        "int main() {\n"
        "  float* x; int* y;\n"
        "  cudaMalloc(&x, 128); cudaMalloc(&y, 128);\n"
        "  cudaMemset(x, 0, 128); cudaMemset(y, 1, 128);\n"
        "  scale<<<1, 32>>>(x, 2.0f);\n"
        "  scale<<<1, 32>>>(y, 3);\n"
        "  each<<<1, 32>>>([=] __device__ (int i) { y[i] += i; });\n"
        "  each<<<1, 32>>>([=] __device__ (int i) { y[i] -= 2; });\n"
        "  int h[32]; cudaMemcpy(h, y, 128, cudaMemcpyDeviceToHost);\n"
        '  puts(h[5] == 16843009 * 3 + 3 ? "PASS" : "FAIL");\n'
        "}\n"
    )
    source = InputProgram("main", folder, (main,))
    found = round_trip(source, options, tmp_path / "work")
    assert (found.before, found.after) == ("pass", "pass")
    assert found.kernels == 2
    assert {symbol: "no spelling" in reason for symbol, reason in found.left} == {
        "each_lambda_9": True,
        "each_lambda_10": True,
    }
    assert found.launches == found.equal == 4


def test_a_difference_is_no_success() -> None:
    good = RoundTrip("p", True, 1, (), 0, "pass", "pass", 2, 2)
    assert good.holds
    assert not replace(good, equal=1).holds
    assert not replace(good, after="fail").holds
    assert not replace(good, text_equal=False).holds


@needs_gxx
@pytest.mark.slow
def test_random_numbers_and_warp_matrices(tmp_path: Path, options: Options) -> None:
    """CUDA's libraries of device functions are read like the user's functions."""
    path = Path(__file__).parent / "library_kernels.cu"
    found = round_trip(InputProgram("library_kernels", path.parent, (path,)), options, tmp_path)
    assert (found.before, found.after) == ("pass", "pass")
    assert found.kernels == 6 and found.left == () and found.unread == 0
    assert found.launches == found.equal == 6


@needs_gxx
@pytest.mark.slow
def test_a_run_that_is_killed_while_it_records(tmp_path: Path, options: Options) -> None:
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <cstdio>\n#include <cstdlib>\n"
        "__global__ void fill(int* p) { p[threadIdx.x] = 1; }\n"
        "int main() { int* p; cudaMalloc(&p, 128); fill<<<1, 32>>>(p); cudaDeviceSynchronize();\n"
        '  FILE* f = fopen((std::string(getenv("CUDAMIGRATE_CAPTURE_DIR")) + "/launches.jsonl").c_str(), "a");\n'
        '  fputs("{\\"seq\\": 1, \\"ker", f); fclose(f); puts("FAIL"); _Exit(1); }\n'
    )
    source = InputProgram("main", tmp_path, (main,))
    (found,) = measure_round_trips((SuiteProgram(source, "g"),), options)
    assert (found.before, found.after) == ("fail", "fail")
    assert found.detail == ""


@needs_gxx
@pytest.mark.slow
def test_a_program_that_draws_its_input_anew(tmp_path: Path, options: Options) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    main = folder / "main.cu"
    main.write_text(
        "#include <cstdio>\n#include <random>\n"
        "__global__ void twice(float* p) { p[threadIdx.x] *= 2; }\n"
        "int main() { float *p, h[32]; cudaMalloc(&p, 128); cudaMemset(p, 0, 128);\n"
        "  twice<<<1, 32>>>(p); std::random_device draw; for (float& x : h) x = draw();\n"
        "  cudaMemcpy(p, h, 128, cudaMemcpyHostToDevice); twice<<<1, 32>>>(p);\n"
        '  cudaDeviceSynchronize(); puts("PASS"); }\n'
    )
    found = round_trip(InputProgram("main", folder, (main,)), options, tmp_path / "work")
    assert (found.launches, found.equal, found.other_input) == (2, 1, 1)
    assert found.holds
    assert not replace(found, equal=0).holds


def test_stored_rows_on_the_page(tmp_path: Path) -> None:
    good = RoundTrip("good", True, 3, (("k", "a pack"),), 0, "pass", "pass", 5, 4, 1, "secret")
    rows = (good, RoundTrip("late", True, 1, (), 2, "error", "error", 4, 3))
    text = dump_round_trips(rows, "Suite", "today", "cudamigrate score", (("python", "3"),))
    assert "secret" not in text and "a pack" not in text
    folder = tmp_path / "round-trip"
    folder.mkdir()
    again = dump_round_trips(
        (replace(good, equal=3, other_input=2),), "Suite", "later", "again", ()
    )
    (folder / "suite.json").write_text(merge_programs(text, again))
    (stored,) = load_round_trips(folder)
    assert [(r.program, r.equal) for r in stored.rows] == [("good", 3), ("late", 3)]
    assert stored.left == (1, 0)
    page = round_trip_lines((stored,))
    assert "| good | 3 | 1 | 0 | pass | pass | 5 | 3 | 2 |" in page
    assert "Run again on later: good." in page
    assert figures_line(rows).startswith("2 programs; 1 pass before, 1 of them pass after, 1 with")
    (folder / "suite.json").write_text("{}")
    with pytest.raises(UserError):
        load_round_trips(folder)
