"""``--double soft``: doubles by integer arithmetic have the bits of a double unit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from migrate.core.diagnostics import Outcome
from migrate.core.options import DoublePolicy
from migrate.core.resources import data_dir
from migrate.core.targets import Target
from tests.backends.ascend_runs import run
from tests.backends.conftest import Convert

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]
CHIPS = (Target.ASCEND_910B, Target.ASCEND_950)

ARITHMETIC = r"""
#define __aicore__
#include "float64_math.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
static double value(Float64 x) { double d; std::memcpy(&d, &x, 8); return d; }
static Float64 soft(double d) { Float64 x; std::memcpy(&x, &d, 8); return x; }
static std::mt19937_64 random_bits(1);
static double from_bits(uint64_t b) { double d; std::memcpy(&d, &b, 8); return d; }
static double hard() {  // all exponents, near 1, subnormals, few bits, whole numbers, special ones
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, 1.0, 1.7976931348623157e308};
  const uint64_t r = random_bits();
  switch (random_bits() % 6) {
    case 0: return from_bits(r);
    case 1: return from_bits((r & 0x800fffffffffffffull) | ((983 + r % 80) << 52));
    case 2: return from_bits(r & (0x800fffffffffffffull << (r % 50)));
    case 3: return from_bits(r & (0xfffull << 52 | (~0ull << (r % 52))));
    case 4: return (double)((int64_t)r >> (r % 64));
    default: return special[r % 8];
  }
}
static bool same(double a, double b) { return a != a ? b != b : std::memcmp(&a, &b, 8) == 0; }
static long bad = 0;
static void check(const char* what, double got, double want, double a, double b) {
  if (same(got, want)) return;
  if (bad++ < 10) std::printf("%s(%a, %a) gives %a, not %a\n", what, a, b, got, want);
}
static double ulps(double got, double want) {
  if ((got != got && want != want) || got == want) return 0;
  int e;
  std::frexp(want, &e);
  return std::fabs(got - want) / std::ldexp(1.0, e - 53 < -1074 ? -1074 : e - 53);
}
#define WITHIN(limit, name, argument)                                                       \
  for (int i = 0; i < 4000; ++i) {                                                          \
    const double u = (double)(random_bits() >> 11) * 0x1p-53, a = (argument);               \
    const double off = ulps(value(float64::name(soft(a))), std::name(a));                   \
    if (!(off <= limit) && bad++ < 10) std::printf(#name "(%a): %g units off\n", a, off);   \
  }
int main() {
  for (long i = 0; i < 300000; ++i) {
    double a = hard(), b = hard(), c = hard();
    if (i % 3 == 0) b = a * (1 + std::ldexp((double)(i % 5) - 2, -52));
    if (i % 5 == 0) c = -(a * b);
    const Float64 x = soft(a), y = soft(b), z = soft(c);
    check("+", value(x + y), a + b, a, b);
    check("-", value(x - y), a - b, a, b);
    check("*", value(x * y), a * b, a, b);
    check("/", value(x / y), a / b, a, b);
    check("sqrt", value(float64::sqrt(x)), std::sqrt(a), a, b);
    check("fma", value(float64::fma(x, y, z)), std::fma(a, b, c), a, b);
    check("float", (float)x, (float)a, a, b);
    check("from float", value(Float64((float)b)), (float)b, a, b);
    check("floor", value(float64::floor(x)), std::floor(a), a, b);
    check("rint", value(float64::rint(x)), std::rint(a), a, b);
    check("round", value(float64::round(x)), std::round(a), a, b);
    check("fmod", value(float64::fmod(soft(std::fmod(a, 1e6)), y)), std::fmod(std::fmod(a, 1e6), b), a, b);
    check("<", x < y, a < b, a, b);
    check("<=", x <= y, a <= b, a, b);
    check("==", x == y, a == b, a, b);
    check("!=", x != y, a != b, a, b);
    const int64_t k = (int64_t)random_bits() >> (i % 64);
    check("from int64", value(Float64((long long)k)), (double)k, a, b);
    check("from uint64", value(Float64((unsigned long long)k)), (double)(uint64_t)k, a, b);
    if (std::fabs(a) < 9e18) check("int64", (double)(int64_t)x, (double)(int64_t)a, a, b);
    if (std::fabs(a) < 2e9) check("int32", (int32_t)x, (int32_t)a, a, b);
  }
  WITHIN(2, exp, u * 1400 - 740)
  WITHIN(2, log, std::exp(u * 1400 - 700))
  WITHIN(2, log2, 0.5 + u)
  WITHIN(2, sin, std::exp(u * 200 - 30))
  WITHIN(2, cos, -std::exp(u * 200 - 30))
  WITHIN(3, tan, u * 100 - 50)
  WITHIN(5, atan, std::exp(u * 60 - 30))
  WITHIN(6, asin, u * 2 - 1)
  WITHIN(5, expm1, u * 4 - 2)
  WITHIN(5, tanh, u * 6 - 3)
  WITHIN(4, cbrt, std::exp(u * 400 - 200))
  for (int i = 0; i < 4000; ++i) {
    const double a = std::exp((double)(random_bits() % 1000) / 250.0 - 2), b = (double)(i - 2000) / 7;
    const double off = ulps(value(float64::pow(soft(a), soft(b))), std::pow(a, b));
    if (!(off <= 20) && bad++ < 10) std::printf("pow(%a, %a): %g units off\n", a, b, off);
  }
  std::printf("bad %ld\n", bad);
  return bad != 0;
}
"""


def test_every_operation_has_the_bits_of_the_hosts_double_unit(tmp_path: Path) -> None:
    (tmp_path / "check.cpp").write_text(ARITHMETIC)
    headers = data_dir("templates") / "ascendc"
    build = ["g++", "-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
    made = subprocess.run(
        [*build, f"-I{headers}", "check.cpp", "-o", "check"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    done = subprocess.run(
        [str(tmp_path / "check")], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "bad 0\n", done.stdout


# The host does what the kernel does, and wants the same bits.
PROGRAM = r"""#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

struct Pair { double a; float b; };
struct Sum {
  double s;
  __host__ __device__ void add(double v) { s += v; }
  __host__ __device__ double mean(int n) const { return s / n; }
};
__constant__ double coef[3] = {0.1, 0.25, -3.0};

template <typename T> __host__ __device__ T twice(T v) { return v + v; }

__host__ __device__ double one(const double* c, double x, Pair p, double a, int i) {
  double s = 0;
  for (int k = 0; k < 5; ++k) s += x * a;
  Sum sum;
  sum.s = 0.5;
  sum.add(s);
  sum.add(p.a * p.b);
  double r = (c[0] * x + c[1]) * x + c[2];
  r = sqrt(fabs(r)) + sum.mean(i + 1);
  if (r > 10 && !(s < 0)) r = fmin(r, 1e3); else r -= i;
  int q = (int)r;
  float f = r;
  f += s;
  q *= 1.5;
  r += q + f;
  r += i % 2 ? s : 1;
  return twice(r) + floor(r * 1e-3);
}

__global__ void k(double* y, const float* x, const Pair* p, double a, double2* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = one(coef, x[i], p[i], a, i);
  z[i] = make_double2(y[i], -a);
  z[i].x *= 2;
  long long bits = __double_as_longlong(y[i]);
  y[i] += (double)(bits & 7);
  atomicAdd(&y[n], 1.0 / (1 << (i % 8)));
}

int main() {
  const int n = 100;
  const double c[3] = {0.1, 0.25, -3.0};
  double* y;
  float* x;
  Pair* p;
  double2* z;
  cudaMalloc(&y, (n + 1) * sizeof(double));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&p, n * sizeof(Pair));
  cudaMalloc(&z, n * sizeof(double2));
  std::vector<float> hx(n);
  std::vector<Pair> hp(n);
  for (int i = 0; i < n; ++i) { hx[i] = i * 0.03f - 1; hp[i] = {i * 0.7, 0.1f * i}; }
  cudaMemset(y, 0, (n + 1) * sizeof(double));
  cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(p, hp.data(), n * sizeof(Pair), cudaMemcpyHostToDevice);
  k<<<2, 64>>>(y, x, p, 0.3, z, n);
  std::vector<double> hy(n + 1);
  std::vector<double2> hz(n);
  cudaMemcpy(hy.data(), y, (n + 1) * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(hz.data(), z, n * sizeof(double2), cudaMemcpyDeviceToHost);
  int bad = 0;
  double total = 0;
  for (int i = 0; i < n; ++i) {
    double want = one(c, hx[i], hp[i], 0.3, i);
    bad += hz[i].x != want * 2 || hz[i].y != -0.3;
    long long bits;
    std::memcpy(&bits, &want, 8);
    bad += hy[i] != want + (double)(bits & 7);
    total += 1.0 / (1 << (i % 8));
  }
  bad += hy[n] != total;
  std::printf("%s %d\n", bad == 0 ? "PASS" : "FAIL", bad);
  return bad != 0;
}
"""


@pytest.mark.parametrize("chip", CHIPS, ids=lambda c: c.value)
def test_a_program_in_double_gives_the_hosts_bits(
    convert: Convert, tmp_path: Path, chip: Target
) -> None:
    artifact = convert(PROGRAM, chip, DoublePolicy.SOFT)
    assert not artifact.refused, artifact.refused[0].diagnostics
    (kernel,) = artifact.kernels
    notes = [d for d in kernel.diagnostics if d.code.id == "CM4006"]
    assert [d.outcome for d in notes] == [Outcome.EXACT]
    done = run(artifact, tmp_path)
    assert done.result is not None, done.log
    assert done.result.stdout == "PASS 0\n", done.result.stdout + done.result.stderr
    skipped = run(artifact, tmp_path / "control", skip=True)
    assert skipped.result is not None
    assert skipped.result.stdout.startswith("FAIL")


SHUFFLE = """#include <cuda_runtime.h>
__global__ void k(double* y) {
  __shared__ double box[32];
  box[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  double v = box[31 - threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  y[threadIdx.x] = v;
}
int main() { k<<<1, 32>>>(nullptr); }
"""


def test_shared_memory_and_shuffles_move_the_bits(convert: Convert) -> None:
    artifact = convert(SHUFFLE, Target.ASCEND_950, DoublePolicy.SOFT)
    text = artifact.files[0].content.decode()
    assert "__ubuf__ Float64 box[32];" in text
    assert "float64::literal(asc_shfl_xor(v.bits, d, 32))" in text
    assert [f.path.name for f in artifact.files[1:]] == ["float64.h"]


@pytest.mark.parametrize(
    "statement",
    [
        "y[0] = erf(y[0]);",
        'printf("%f", y[0] * 0.1);',
        "*(__half*)y = __double2half(y[1]);",
        "__shared__ double s; s = 0; __syncthreads(); atomicAdd(&s, y[0]); y[0] = s;",
    ],
)
def test_what_has_no_soft_form_is_refused(convert: Convert, statement: str) -> None:
    source = (
        "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cstdio>\n"
        f"__global__ void k(double* y) {{ {statement} }}\n"
        "int main() { k<<<1, 1>>>(nullptr); }\n"
    )
    artifact = convert(source, Target.ASCEND_950, DoublePolicy.SOFT)
    found = [d.code.id for r in artifact.refused for d in r.diagnostics]
    assert found
    assert set(found) <= {"CM4001", "CM4002"}
