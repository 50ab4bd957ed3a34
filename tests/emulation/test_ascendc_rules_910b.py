"""Every strict rule of the SIMD emulation: a kernel that breaks it is caught, a near miss passes."""

from __future__ import annotations

import re

import pytest

from tests.emulation.ascendc_builds import PROGRAMS, VIOLATION, program, run, syntax_errors

SOURCE = "rules_910b"

BROKEN = {
    "bad_length": "datacopy-length",
    "bad_gm_tensor": "gm-tensor-range",
    "bad_gm_allocation": "gm-out-of-bounds",
    "bad_scalar_gm": "gm-out-of-bounds",
    "bad_ub_alignment": "ub-alignment",
    "bad_ub_bounds": "ub-out-of-bounds",
    "bad_ub_address": "ub-out-of-bounds",
    "bad_ub_capacity": "ub-capacity",
    "bad_pad_params": "datacopypad-params",
    "bad_uninitialised": "ub-uninitialised",
    "bad_uninitialised_tail": "ub-uninitialised",
    "bad_in_to_vector": "pipe-hazard",
    "bad_vector_to_out": "pipe-hazard",
    "bad_out_then_vector": "pipe-hazard",
    "bad_vector_to_scalar": "pipe-hazard",
    "bad_scalar_beside_vector": "pipe-hazard",
    "bad_barrier_kind": "pipe-hazard",
    "bad_early_flag": "pipe-hazard",
    "bad_through_gm": "gm-hazard",
    "bad_queue_scalar": "pipe-hazard",
    "bad_flag_double": "flag-double-set",
    "bad_flag_wait": "flag-wait-unset",
    "bad_flag_unpaired": "flag-unpaired",
    "bad_flag_id": "flag-id",
    "bad_event_ids": "flag-id",
    "bad_queue_alloc": "queue-no-free-buffer",
    "bad_queue_deque": "queue-deque-empty",
    "bad_queue_free_twice": "queue-double-free",
    "bad_queue_enque_twice": "queue-enque-state",
    "bad_queue_not_empty": "queue-not-empty",
    "bad_queue_foreign": "queue-foreign-tensor",
    "bad_queue_free_queued": "queue-free-queued",
    "bad_queue_use_after_free": "queue-use-after-free",
    "bad_queue_uninitialised": "queue-uninitialised",
    "bad_mask_limit": "mask-limit",
    "bad_mask_zero": "mask-limit",
    "bad_repeat_limit": "repeat-limit",
    "bad_compare_count": "compare-count",
    "bad_compare_int": "dtype-unsupported",
    "bad_select_mode": "select-mode",
    "bad_cast_mode": "cast-mode",
    "bad_gather_offset": "gather-offset",
    "bad_gather_bounds": "ub-out-of-bounds",
    "bad_overlap": "operand-overlap",
    "bad_math_overlap": "operand-overlap",
    "bad_reduce_work": "reduce-workspace",
    "bad_atomic_type": "atomic-type",
    "bad_sync_all": "sync-all",
}

TEXT = (PROGRAMS / f"{SOURCE}.asc").read_text(encoding="utf-8").splitlines()
NEAR_MISSES = sorted({m for line in TEXT for m in re.findall(r"ENTRY\((ok_\w+)\)", line)})
LISTED = {m for line in TEXT for m in re.findall(r"ENTRY\((bad_\w+)\)", line)}


def marked_line(case: str) -> int | None:
    """Number of the line that says that it breaks the rule in this case."""
    for number, line in enumerate(TEXT, 1):
        if "// BREAKS" in line and case in line.split("// BREAKS")[1].split():
            return number
    return None


def test_every_case_is_expected() -> None:
    """No broken kernel of the program is left without an expectation."""
    assert set(BROKEN) == LISTED


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_broken_rule_is_reported_with_its_line(case: str) -> None:
    """One line on stderr names the rule, the kernel, the core and the line; the exit code is 86."""
    done = run(program(SOURCE, 2201), case)
    lines = done.stderr.splitlines()
    assert done.returncode == VIOLATION, done.stderr
    assert len(lines) == 1
    assert lines[0].startswith(f"ascendc_emu: {BROKEN[case]}: ")
    assert "[kernel rules, core " in lines[0] or case == "bad_sync_all"
    line = marked_line(case)
    if line is not None:
        assert lines[0].endswith(f"at {SOURCE}.asc:{line}]")


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_near_miss_passes(case: str) -> None:
    """The same code just inside the limit runs to its end and reports nothing."""
    done = run(program(SOURCE, 2201), case)
    assert (done.returncode, done.stderr) == (0, "")


KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void k(__gm__ uint8_t* x)
{
    LocalMemAllocator<Hardware::UB> ub;
    %s
}
"""

REJECTED = {
    "add of int8": "auto t = ub.Alloc<int8_t>(64); Add(t, t, t, 64);",
    "and of int32": "auto t = ub.Alloc<int32_t>(64); And(t, t, t, 64);",
    "div of int32": "auto t = ub.Alloc<int32_t>(64); Div(t, t, t, 64);",
    "bfloat16 arithmetic": "auto t = ub.Alloc<bfloat16_t>(64); Add(t, t, t, 64);",
    "cast int8 to float": (
        "auto a = ub.Alloc<int8_t>(64); auto b = ub.Alloc<float>(64);"
        "Cast(b, a, RoundMode::CAST_NONE, 64);"
    ),
    "select of int32": (
        "auto t = ub.Alloc<int32_t>(64); auto m = ub.Alloc<uint8_t>(32);"
        "Select(t, m, t, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);"
    ),
}


def test_types_the_chip_lacks_do_not_compile() -> None:
    """On the 910B each of these is an error; the 950 has all of these instructions."""
    for name, body in REJECTED.items():
        assert "dtype-unsupported" in syntax_errors(KERNEL % body, 2201), name
    good = "auto t = ub.Alloc<int16_t>(64); Add(t, t, t, 64); And(t, t, t, 64);"
    assert syntax_errors(KERNEL % good, 2201) == ""
    everything = " ".join(f"{{ {body} }}" for body in REJECTED.values())
    assert syntax_errors(KERNEL % everything, 3510) == ""


def test_scalar_of_another_type_does_not_compile() -> None:
    """As with the vendor, the scalar has the type of the elements."""
    wrong = KERNEL % "auto t = ub.Alloc<float>(64); Adds(t, t, 1.0, 64);"
    assert syntax_errors(wrong, 2201) != ""
