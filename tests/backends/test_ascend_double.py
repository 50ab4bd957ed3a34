"""Double precision on a chip without it: exact narrowing, refusal, and --double fp32."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from migrate.backends.ascendc.simt_single import HELPERS, LOAD, STORE
from migrate.core.diagnostics import Outcome
from migrate.core.options import DoublePolicy
from tests.backends.conftest import Convert

needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


def source_of(statement: str, params: str = "float* x, const float* y, int n") -> str:
    return (
        "#include <cuda_runtime.h>\n#include <math.h>\n"
        f"__global__ void k({params}) {{\n  int i = threadIdx.x;\n  {statement}\n}}\n"
        "int main() { return 0; }\nvoid go() { k<<<1, 1>>>(nullptr, nullptr, 0); }\n"
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x[i] = y[i] * 2.0;", "x[i] = y[i] * 2.0f;"),
        ("x[i] *= 0.5;", "x[i] *= 0.5f;"),
        ("x[i] = 1.0 / y[i];", "x[i] = 1.0f / y[i];"),
        ("x[i] = 1.0 - y[i];", "x[i] = 1.0f - y[i];"),
        ("x[i] = sqrt((double)y[i]);", "x[i] = sqrtf(y[i]);"),
        ("x[i] = (double)n;", "x[i] = n;"),
        ("if (y[i] > 0.25) x[i] = 0;", "if (y[i] > 0.25f) {"),
        ("x[i] = fabs((double)y[i]) > 1.0 ? 1.0 : y[i];", "fabsf(y[i]) > 1.0f ? 1.0f : y[i]"),
    ],
)
def test_innocuous_doubles_are_done_in_float(
    convert: Convert, statement: str, expected: str
) -> None:
    artifact = convert(source_of(statement))
    assert not artifact.refused, artifact.refused[0].diagnostics
    assert expected in artifact.files[0].content.decode()


@pytest.mark.parametrize(
    "statement",
    [
        "x[i] = y[i] * 0.1;",  # 0.1 is no float
        "x[i] = y[i] * 2.0 + 1.0;",  # two operations before the rounding
        "x[i] = exp((double)y[i]);",
        "x[i] = (double)(n * 3ll);",  # a long does not fit the mantissa
        "double s = 0; for (int k = 0; k < n; ++k) s += y[k]; x[i] = s;",
        "if (y[i] > 0.1) x[i] = 0;",
        "x[i] = 1e300 * y[i];",
    ],
)
def test_other_doubles_are_refused(convert: Convert, statement: str) -> None:
    artifact = convert(source_of(statement))
    assert [d.code.id for r in artifact.refused for d in r.diagnostics] == ["CM4001"]
    assert not artifact.kernels


def test_narrowing_is_bit_exact_on_hard_cases() -> None:
    """The claim behind the pass: one operation on floats, in double and rounded, is the float one."""
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2**32, size=(2, 400_000), dtype=np.uint32)
    # Near-midpoint and subnormal operands are where double rounding would show.
    bits[:, ::3] &= np.uint32(0x80FFFFFF)
    bits[1, ::5] = bits[0, ::5] ^ np.uint32(1)
    a, b = bits.view(np.float32)
    with np.errstate(all="ignore"):
        for op in (np.add, np.subtract, np.multiply, np.divide):
            once = op(a, b)
            twice = op(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
            assert np.array_equal(once, twice, equal_nan=True)
        roots = np.sqrt(a.astype(np.float64)).astype(np.float32)
        assert np.array_equal(np.sqrt(a), roots, equal_nan=True)


@needs_gxx
def test_bit_helpers_convert_as_the_hardware_does(tmp_path: Path) -> None:
    text = (
        "#include <cstdint>\n#include <cstring>\n#define __aicore__\n"
        "static float __uint_as_float(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }\n"
        "static uint32_t __float_as_uint(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }\n"
        f"{HELPERS[LOAD]}{HELPERS[STORE]}"
        'extern "C" void load(const uint64_t* in, float* out, int n)\n'
        f"{{ for (int i = 0; i < n; ++i) out[i] = {LOAD}(in[i]); }}\n"
        'extern "C" void store(const float* in, uint64_t* out, int n)\n'
        f"{{ for (int i = 0; i < n; ++i) out[i] = {STORE}(in[i]); }}\n"
    )
    (tmp_path / "h.cpp").write_text(text)
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "h.cpp", "-o", "h.so"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    library = ctypes.CDLL(str(tmp_path / "h.so"))
    rng = np.random.default_rng(3)
    doubles = rng.integers(0, 2**64, size=300_000, dtype=np.uint64)
    # Exponents around float's range, and midpoints between floats.
    near = rng.integers(1023 - 160, 1023 + 140, size=150_000, dtype=np.uint64) << np.uint64(52)
    doubles[:150_000] = near | (doubles[:150_000] & np.uint64(0x800FFFFFE0000000))
    doubles[:50_000] |= np.uint64(0x10000000)
    out = np.empty(doubles.size, np.float32)
    pointer = ctypes.c_void_p
    library.load(doubles.ctypes.data_as(pointer), out.ctypes.data_as(pointer), doubles.size)
    with np.errstate(all="ignore"):
        wanted = doubles.view(np.float64).astype(np.float32)
    assert np.array_equal(out, wanted, equal_nan=True)
    singles = rng.integers(0, 2**32, size=200_000, dtype=np.uint32).view(np.float32)
    back = np.empty(singles.size, np.uint64)
    library.store(singles.ctypes.data_as(pointer), back.ctypes.data_as(pointer), singles.size)
    with np.errstate(all="ignore"):
        assert np.array_equal(back.view(np.float64), singles.astype(np.float64), equal_nan=True)


def test_double_fp32_keeps_the_memory_layout_and_says_so(convert: Convert) -> None:
    source = source_of("x[i] = y[i] * 0.1 + x[i];", "double* x, const double* y, int n")
    artifact = convert(source, double=DoublePolicy.FP32)
    text = artifact.files[0].content.decode()
    assert (
        "x[i] = doubleFromSingle(singleFromDouble(y[i]) * 0.1f + singleFromDouble(x[i]));" in text
    )
    assert "uint64_t* x, const uint64_t* y" in text
    assert "double* x, const double* y" in text
    (kernel,) = artifact.kernels
    found = [d for d in kernel.diagnostics if d.code.id == "CM4001"]
    assert [d.outcome for d in found] == [Outcome.WEAKER]


@pytest.mark.parametrize(
    "before",
    ["struct S { double v; };", "__constant__ double table[4];"],
)
def test_double_fp32_refuses_what_cannot_keep_its_layout(convert: Convert, before: str) -> None:
    use = "s->v" if "struct" in before else "table[i & 3]"
    kernel = f"__global__ void k(double* x, const S* s) {{ int i = threadIdx.x; x[i] = {use}; }}"
    if "struct" not in before:
        before += "\nstruct S { int v; };"
    source = (
        f"#include <cuda_runtime.h>\n{before}\n{kernel}\n"
        "int main() { k<<<1, 1>>>(nullptr, nullptr); }\n"
    )
    artifact = convert(source, double=DoublePolicy.FP32)
    assert [d.code.id for r in artifact.refused for d in r.diagnostics] == ["CM4001"]
