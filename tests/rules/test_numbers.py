"""Spellings give CUDA's numbers: both Ascend chips against CUDA's functions, on edges and at random.

CUDA's side is the example text itself on the CPU runtime for CUDA; Ascend's is the spelling on the CPU
runtime for Ascend C.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numbers_cxx import (
    ASCEND_HALVES,
    CUDA_HALVES,
    Array,
    Case,
    Inputs,
    as_float,
    cases,
    emulator_flags,
    make_inputs,
    prelude_text,
    run_program,
    ulps,
)

from migrate.rules.catalogue import load_catalogue
from migrate.rules.model import Form, RuleKind, Spelling

CUDA_HEADERS = "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>"
SIMD_HEADERS = '#include "kernel_operator.h"'
SIMT_HEADERS = """
#include "kernel_operator.h"
#include "simt_api/asc_simt.h"
#include "simt_api/asc_fp16.h"
#include "simt_api/asc_bf16.h"
using ascendc_emu::simt::dm::max;
using ascendc_emu::simt::dm::min;
"""
SAME_NAME_ONLY = frozenset(
    {
        "bessel",
        "cospi",
        "erfcinv",
        "erfcx",
        "erfinv",
        "norm",
        "normcdf",
        "normcdfinv",
        "rnorm",
        "sinpi",
        "tanpi",
    }
)
"""Special functions that a chip has under CUDA's name: there is no spelling of ours to prove."""
SCALAR, SIMT, TILELANG = "ascend910b", "ascend950", "tilelang"

CATALOGUE = load_catalogue()
CASES = [c for c in cases(CATALOGUE.of_kind(RuleKind.INTRINSIC)) if c.signature.params]
"""What has no parameters (the clock) has no numbers to compare."""
_FORM = {SCALAR: Form.SCALAR, SIMT: Form.EXPR, TILELANG: Form.EXPR}


def spelling_of(case: Case, target: str) -> Spelling | None:
    """The spelling that is run."""
    return case.rule.spelling(target, _FORM[target], case.params)


def spelled(target: str) -> list[Case]:
    """The cases that a target has a spelling for, in the form that is run."""
    found = [c for c in CASES if spelling_of(c, target) is not None]
    if target == SIMT:
        found = [c for c in found if c.rule.produces.op not in SAME_NAME_ONLY]
    if target == TILELANG:
        # The compiler's C target has no bfloat16.
        found = [c for c in found if "bf16" not in (*c.signature.params, c.signature.result)]
    return found


@dataclass(frozen=True)
class Numbers:
    """Values of each case by name, of CUDA and of one target."""

    inputs: Inputs
    cuda: dict[str, Array]
    got: dict[str, Array]
    missing: dict[str, str]


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return make_inputs()


@pytest.fixture(scope="module")
def cuda(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    work = tmp_path_factory.mktemp("cuda")
    items = [(c, c.cuda) for c in CASES]
    done = run_program(items, inputs, CUDA_HEADERS, CUDA_HALVES, emulator_flags("cuda_emu"), work)
    return done.values


def _ascend(
    target: str, arch: str, headers: str, inputs: Inputs, work: Path
) -> tuple[dict[str, Array], dict[str, str]]:
    items, helpers = [], []
    for case in spelled(target):
        spelling = spelling_of(case, target)
        assert spelling is not None
        items.append((case, spelling.fill(["x", "y", "z", "w"])))
        helpers += spelling.prelude
    flags = [*emulator_flags("ascendc_emu"), f"-D__NPU_ARCH__={arch}"]
    done = run_program(
        items, inputs, f"{headers}\n{prelude_text(helpers)}", ASCEND_HALVES, flags, work
    )
    return done.values, done.missing


@pytest.fixture(scope="module")
def scalar(
    inputs: Inputs, cuda: dict[str, Array], tmp_path_factory: pytest.TempPathFactory
) -> Numbers:
    got = _ascend(SCALAR, "2201", SIMD_HEADERS, inputs, tmp_path_factory.mktemp("scalar"))
    return Numbers(inputs, cuda, *got)


@pytest.fixture(scope="module")
def simt(
    inputs: Inputs, cuda: dict[str, Array], tmp_path_factory: pytest.TempPathFactory
) -> Numbers:
    got = _ascend(SIMT, "3510", SIMT_HEADERS, inputs, tmp_path_factory.mktemp("simt"))
    return Numbers(inputs, cuda, *got)


def domain(case: Case, inputs: Inputs, target: str) -> np.ndarray:
    """Where the comparison counts: where CUDA's function is defined and the spelling's limits hold."""
    columns = [as_float(inputs[p][k % 3], p) for k, p in enumerate(case.signature.params)]
    keep = np.ones(len(columns[0]), dtype=bool)
    result = case.signature.result
    if (
        case.rule.produces.op == "convert"
        and result[0] in "iu"
        and case.signature.params[0] in ("f16", "bf16", "f32", "f64")
    ):
        # Out of range is left to test_conversions_saturate.
        bits, low = int(result[1:]), 0.0
        high = 2.0 ** (bits - (result[0] == "i"))
        if result[0] == "i":
            low = -high
        with np.errstate(invalid="ignore"):
            keep &= np.isfinite(columns[0]) & (columns[0] > low - 0.5) & (columns[0] < high - 0.5)
            keep &= (columns[0] >= 0) | (result[0] == "i")
    if case.rule.id == "intrinsics.__fdividef":
        keep &= ~(np.abs(columns[1]) > 2.0**126)
    return keep


def check(case: Case, numbers: Numbers, target: str) -> None:
    assert case.name not in numbers.missing, numbers.missing[case.name]
    if case.name not in numbers.cuda:
        pytest.skip("the CPU runtime for CUDA lacks this function")
    spelling = spelling_of(case, target)
    assert spelling is not None
    keep = domain(case, numbers.inputs, target)
    got, want = numbers.got[case.name][keep], numbers.cuda[case.name][keep]
    kind = case.signature.result
    arguments = [
        as_float(numbers.inputs[p][k % 3], p)[keep] for k, p in enumerate(case.signature.params)
    ]
    if kind in ("f16", "bf16", "f32", "f64"):
        distance = ulps(got, want, kind)
        own = case.rule.numerics.ulp or 0.0
        allowed = 0.0 if spelling.exact and own == 0 else (spelling.ulp or 2.0) + own + 1.0
        if case.rule.id == "intrinsics.__hfma_bf16":
            allowed = max(allowed, 1.0)  # the CPU runtimes round the sum once and twice
        worst = int(distance.argmax())
        assert distance[worst] <= allowed, (
            f"{spelling.template}: {distance[worst]} ulp at {[float(a[worst]) for a in arguments]}: "
            f"{as_float(got, kind)[worst]!r}, CUDA {as_float(want, kind)[worst]!r}"
        )
    else:
        wrong = np.nonzero(got != want)[0]
        assert len(wrong) == 0, (
            f"{spelling.template}: {len(wrong)} differ, first at {[float(a[wrong[0]]) for a in arguments]}: "
            f"{got[wrong[0]]}, CUDA {want[wrong[0]]}"
        )


@pytest.mark.parametrize("case", spelled(SCALAR), ids=lambda c: c.name)
def test_scalar_unit(case: Case, scalar: Numbers) -> None:
    check(case, scalar, SCALAR)


@pytest.mark.parametrize("case", spelled(SIMT), ids=lambda c: c.name)
def test_simt(case: Case, simt: Numbers) -> None:
    check(case, simt, SIMT)


def test_nearly_all_functions_are_proved() -> None:
    """The share of spellings whose numbers are compared, so that it cannot shrink unseen."""
    assert len(spelled(SCALAR)) >= 280
    assert len(spelled(SIMT)) >= 320
    assert len(spelled(TILELANG)) >= 360


@pytest.mark.parametrize("source", ["f32", "f16"])
@pytest.mark.parametrize("result", ["i32", "u32", "i64", "u64"])
def test_conversions_saturate(source: str, result: str, scalar: Numbers) -> None:
    """Out of range the scalar unit gives the nearest limit, and for NaN what PTX cvt gives."""
    short = {"i32": "int", "u32": "uint", "i64": "ll", "u64": "ull"}[result]
    word = {"f32": "float", "f16": "half"}[source]
    name = f"__{word}2{short}_rz"
    case = next(c for c in CASES if c.signature.name == name and c.signature.params == (source,))
    x = as_float(scalar.inputs[source][0], source)
    info = np.iinfo({"i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64"}[result])
    nan_value = {"i32": 0, "u32": 0, "i64": info.min, "u64": 1 << 63}[result]
    for value, got in zip(x, scalar.got[case.name], strict=True):
        if np.isnan(value):
            expected = nan_value
        elif value >= float(info.max):
            expected = info.max
        elif value <= float(info.min):
            expected = info.min
        else:
            continue
        assert int(got) == expected, f"{name}({value})"
