"""Vector kernels of the 950 that start functions of threads and of vector registers."""

from __future__ import annotations

import pytest

from tests.emulation.ascendc_builds import VIOLATION, program, run, syntax_errors

_HEAD = (
    '#include "kernel_operator.h"\n#include "simt_api/asc_simt.h"\n#include "c_api/asc_simd.h"\n'
)


@pytest.mark.parametrize("kernel", ["reversed", "summed", "answered"])
def test_a_right_kernel_gives_the_right_numbers(kernel: str) -> None:
    done = run(program("hybrid_950", 3510), kernel)
    assert (done.returncode, done.stdout) == (0, "PASS\n"), done.stdout + done.stderr
    skipped = run(program("hybrid_950", 3510), kernel, CUDAMIGRATE_SKIP_KERNELS="1")
    assert skipped.returncode == 1 and skipped.stdout.startswith("FAIL")


@pytest.mark.parametrize(
    ("kernel", "wrong", "rule"),
    [
        ("reversed", "1", "launch-bounds"),
        ("reversed", "2", "flag-unpaired"),
        ("reversed", "3", "ub-alignment"),
        ("summed", "4", "flag-double-set"),
        ("summed", "5", "pipe-hazard"),
    ],
)
def test_a_wrong_one_is_named(kernel: str, wrong: str, rule: str) -> None:
    done = run(program("hybrid_950", 3510), kernel, wrong)
    assert done.returncode == VIOLATION, done.stdout + done.stderr
    assert done.stderr.startswith(f"ascendc_emu: {rule}: ")


def test_types_that_the_chip_lacks_do_not_compile() -> None:
    lines = (
        "__simt_vf__ inline void threads(__gm__ float* p) { *p = sinf(double(*p)); }",
        "__simd_vf__ inline void mixed(vector_bool m) {",
        "vector_float a; vector_int32_t b; vector_int8_t c; double d = 0;",
        "asc_add(a, a, b, m);",
        "asc_mul(c, c, c, m);",
        "asc_loadalign(a, &d);",
        "asc_add(c, c, c, m); }",
    )
    said = syntax_errors(_HEAD + "\n".join(lines), 3510)
    first = _HEAD.count("\n") + 1
    found = {n for n in range(len(lines)) if f"snippet.asc:{first + n}:" in said}
    assert found == {0, 3, 4, 5}, said
