"""Rules of SIMT launches and of the host runtime: broken ones are caught, near misses pass."""

from __future__ import annotations

import re

import pytest

from tests.emulation.ascendc_builds import PROGRAMS, VIOLATION, program, run, syntax_errors

SOURCE = "rules_950"

BROKEN = {
    "bad_grid": "launch-grid",
    "bad_grid_zero": "launch-grid",
    "bad_block": "launch-block",
    "bad_bounds": "launch-bounds",
    "bad_default_bound": "launch-bounds",
    "bad_launch_stream": "launch-stream",
    "bad_gm_write": "gm-out-of-bounds",
    "bad_gm_write_far": "gm-out-of-bounds",
    "bad_barrier_missing": "barrier-missing-thread",
    "bad_barrier_divergence": "barrier-divergence",
    "bad_shared": "ub-capacity",
    "bad_shared_static": "ub-out-of-bounds",
    "bad_shared_dynamic": "ub-out-of-bounds",
    "bad_dynamic": "ub-capacity",
    "bad_atomic_64_in_ub": "atomic-type",
    "bad_width": "shfl-width",
    "bad_missing_sync": "host-missing-sync",
    "bad_kind": "host-memcpy-kind",
    "bad_copy_range": "gm-out-of-bounds",
    "bad_double_free": "gm-invalid-free",
    "bad_free_host": "gm-invalid-free",
}

TEXT = (PROGRAMS / f"{SOURCE}.asc").read_text(encoding="utf-8")
NEAR_MISSES = sorted(set(re.findall(r'is\("(ok_\w+)"\)', TEXT)))


def test_every_case_is_expected() -> None:
    """No broken case of the program is left without an expectation."""
    assert set(BROKEN) == set(re.findall(r'is\("(bad_\w+)"\)', TEXT))


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_broken_rule_is_reported(case: str) -> None:
    """One line on stderr names the rule, and the line where the source marks one."""
    done = run(program(SOURCE, 3510), case)
    lines = done.stderr.splitlines()
    assert done.returncode == VIOLATION, done.stderr
    assert len(lines) == 1
    assert lines[0].startswith(f"ascendc_emu: {BROKEN[case]}: ")
    for number, line in enumerate(TEXT.splitlines(), 1):
        if "// BREAKS" in line and case in line.split("// BREAKS")[1].split():
            assert lines[0].endswith(f"at {SOURCE}.asc:{number}]")


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_near_miss_passes(case: str) -> None:
    """Just inside the limit nothing is reported; error codes are the vendor's."""
    done = run(program(SOURCE, 3510), case)
    assert (done.returncode, done.stderr) == (0, "")


def test_device_info_follows_the_environment() -> None:
    """The number of cores can be set; allocated bytes are counted."""
    assert run(program(SOURCE, 3510), "ok_info").stdout.split()[:2] == ["64", str(4096 * 4 + 8)]
    fewer = run(program(SOURCE, 3510), "ok_info", ASCENDC_EMU_CORES="20")
    assert fewer.stdout.split()[0] == "20"


def test_skipped_kernels_do_nothing() -> None:
    """With CUDAMIGRATE_SKIP_KERNELS=1 a check of the result has to fail."""
    assert run(program(SOURCE, 3510), "skip").returncode == 0
    assert run(program(SOURCE, 3510), "skip", CUDAMIGRATE_SKIP_KERNELS="1").returncode == 7


DEVICE = '#include "simt_api/asc_simt.h"\n__global__ void k(float* x, int n) {{ {} }}\n'


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = expf(2.0 * x[0]);",
        "x[0] = sin(x[0]);",
        "x[0] = fabs(x[0]);",
        "x[0] = max(x[0], 1.0f);",
        "double d = x[0]; x[0] = d;",
    ],
)
def test_double_does_not_compile_in_device_code(body: str) -> None:
    """Functions take float; names that only exist for double are refused."""
    errors = syntax_errors(DEVICE.format(body), 3510)
    assert "dtype-unsupported" in errors or "dtype_unsupported_double" in errors


def test_float_compiles_in_device_code_and_double_on_the_host() -> None:
    """The host part of the same file keeps its libm."""
    body = "x[0] = expf(2.0f * x[0]) + fabsf(x[1]) + fmaxf(x[2], 1.0f) + max(n, 3);"
    host = "#include <cmath>\ndouble h(double v) { return sin(v) + std::fabs(v) + exp(v); }\n"
    assert syntax_errors(DEVICE.format(body) + host, 3510) == ""
