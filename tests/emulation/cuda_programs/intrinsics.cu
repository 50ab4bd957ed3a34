// Intrinsics beyond arithmetic.cu: SIMD words, DPX, pairs of halves, norms, conversions that saturate.
#include <cuda_runtime.h>

#include "expect.h"

__global__ void spin(clock_t *waited) {
  clock_t start = clock();
  while (clock() - start < 1000000) {
  }
  *waited = clock() - start;
}

constexpr int values = 6;

// Every way in which the rewriter marks a conversion; T is the type of the values.
template <class T>
__global__ void to_integers(const T *in, unsigned *u, int *s, long long *wide) {
  int i = threadIdx.x, declared = in[i], assigned;
  assigned = in[i];
  s[i] = declared == (int)in[i] && assigned == int(in[i]) ? assigned : 12345;
  u[i] = static_cast<unsigned>(in[i]);
  wide[i] = in[i];
}
__host__ __device__ unsigned on_both_sides(float x) { return (unsigned)x; }

template <class T>
void conversions(const char *name) {
  const T given[values] = {T(UINT_MAX), T(-7.75), T(1e30), T(-1e30), T(NAN), T(2.5)};
  constexpr bool is_double = sizeof(T) == 8;  // NaN: 0, or the top bit alone with 64 bits (PTX ISA)
  const unsigned u[values] = {UINT_MAX, 0, UINT_MAX, 0, is_double ? 1u << 31 : 0, 2};
  const int s[values] = {INT_MAX, -7, INT_MAX, INT_MIN, is_double ? INT_MIN : 0, 2};
  const long long wide[values] = {(long long)T(UINT_MAX), -7, LLONG_MAX, LLONG_MIN, LLONG_MIN, 2};
  T *in;
  unsigned *to_u;
  int *to_s;
  long long *to_wide;
  cudaMallocManaged(&in, sizeof(given));
  cudaMallocManaged(&to_u, sizeof(u));
  cudaMallocManaged(&to_s, sizeof(s));
  cudaMallocManaged(&to_wide, sizeof(wide));
  memcpy(in, given, sizeof(given));
  to_integers<<<1, values>>>(in, to_u, to_s, to_wide);
  expect::that(name, cudaDeviceSynchronize() == cudaSuccess);
  expect::that(name, !memcmp(to_u, u, sizeof(u)) && !memcmp(to_s, s, sizeof(s)));
  expect::that(name, !memcmp(to_wide, wide, sizeof(wide)));
}

int main() {
  conversions<float>("floats to integers saturate");
  conversions<double>("doubles to integers saturate");
  volatile float large = 4294967296.0f;
  expect::equal("on the host the compiler's own conversion", on_both_sides(large), (unsigned)large);
  clock_t *waited, before = clock();
  cudaMallocManaged(&waited, sizeof(clock_t));
  spin<<<1, 1>>>(waited);
  expect::that("a kernel's clock counts device clocks", *waited >= 1000000);
  expect::that("the host's clock counts processor time", clock() - before < 900000);
  expect::equal("cmpges4", __vcmpges4(0x7F80FF01u, 0x00000000u), 0xFF0000FFu);
  expect::equal("cmpgeu4", __vcmpgeu4(0x7F80FF01u, 0x80808080u), 0x00FFFF00u);
  expect::equal("cmpgts2", __vcmpgts2(0xFFFF0002u, 0xFFFE0002u), 0xFFFF0000u);
  expect::equal("setltu4", __vsetltu4(0x01020304u, 0x02020202u), 0x01000000u);
  expect::equal("addus4", __vaddus4(0xF0010203u, 0x20010101u), 0xFF020304u);
  expect::equal("subus2", __vsubus2(0x00010005u, 0x00020003u), 0x00000002u);
  expect::equal("avgu4", __vavgu4(0x00FF0103u, 0x01FF0203u), 0x01FF0203u);
  expect::equal("haddu4", __vhaddu4(0x00FF0103u, 0x01FF0203u), 0x00FF0103u);
  expect::equal("abs4", __vabs4(0x80FF017Fu), 0x8001017Fu);
  expect::equal("absss4", __vabsss4(0x80FF017Fu), 0x7F01017Fu);
  expect::equal("neg2", __vneg2(0x0001FFFFu), 0xFFFF0001u);
  expect::equal("sadu4", __vsadu4(0x01020304u, 0x04030201u), 8u);
  expect::equal("absdiffs4", __vabsdiffs4(0x7F000000u, 0x80000000u), 0xFF000000u);
  bool first = false;
  expect::equal("vibmax", __vibmax_s32(-1, 3, &first), 3);
  expect::that("vibmax first", !first);
  expect::equal("viaddmax", __viaddmax_s32(-5, 3, -9), -2);
  expect::equal("relu", __viaddmax_s32_relu(-5, 3, -9), 0);
  expect::equal("vimin3", __vimin3_u32(7u, 5u, 6u), 5u);

  double v[] = {3e200, 4e200};
  expect::near("norm does not overflow", norm(2, v), 5e200, 1e-15);
  expect::near("rnorm4d", rnorm4d(1, 1, 1, 1), 0.5, 1e-15);
  __half2 a(__half(1.0f), __half(2.0f)), b(__half(1.0f), __half(3.0f));
  expect::equal("mask", __heq2_mask(a, b), 0xFFFFu);
  __half2 c = __hcmadd(a, b, a);  // (1 + 2i)(1 + 3i) + (1 + 2i)
  expect::that("complex", static_cast<float>(c.x) == -4 && static_cast<float>(c.y) == 7);
  __half big(60000.0f), nan(NAN);
  expect::equal("half to short", __half2short_rz(big), 32767);
  expect::equal("half to int", __half2int_rn(__half(2.5f)), 2);
  expect::equal("half cast", static_cast<unsigned char>(__half(-3.0f)), 0);
  expect::equal("half NaN", static_cast<int>(nan), 0);
  expect::equal("double NaN", __double2int_rn(NAN), INT_MIN);
  expect::equal("float NaN", __float2int_rn(NAN), 0);
  expect::equal("bf16 to uint", __bfloat162uint_rz(__nv_bfloat16(-1.0f)), 0u);
  expect::equal("int to half up", static_cast<float>(__int2half_ru(2049)), 2050.0f);
  expect::equal("int to half down", static_cast<float>(__int2half_rd(2051)), 2050.0f);
  expect::equal("long to bf16", static_cast<float>(__ll2bfloat16_rn((1ll << 40) + 1)), 1099511627776.0f);
  return expect::report();
}
