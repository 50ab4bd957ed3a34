// cuRAND on the device and on the host: published vectors, skipping ahead, order, distributions.
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

#include <vector>

#include "expect.h"

__global__ void draw(unsigned long long seed, unsigned *xorwow, unsigned *philox, float *uniform) {
  int i = threadIdx.x;
  curandState a;
  curand_init(seed, i, 3, &a);
  xorwow[i] = curand(&a);
  uniform[i] = curand_uniform(&a);
  curandStatePhilox4_32_10_t b;
  curand_init(seed, i, 5, &b);
  philox[i] = curand(&b);
}

static void philox() {
  // Known answers of the Random123 library for philox4x32-10.
  uint4 v = curand_Philox4x32_10(uint4{0, 0, 0, 0}, uint2{0, 0});
  expect::that("zeros", v.x == 0x6627E8D5u && v.y == 0xE169C58Du && v.z == 0xBC57AC4Cu && v.w == 0x9B00DBD8u);
  v = curand_Philox4x32_10(uint4{~0u, ~0u, ~0u, ~0u}, uint2{~0u, ~0u});
  expect::that("ones", v.x == 0x408F276Du && v.y == 0x41C83B0Eu && v.z == 0xA20BC7C6u && v.w == 0x6D5451FDu);
  v = curand_Philox4x32_10(uint4{0x243F6A88u, 0x85A308D3u, 0x13198A2Eu, 0x03707344u}, uint2{0xA4093822u, 0x299F31D0u});
  expect::that("pi", v.x == 0xD16CFE09u && v.y == 0x94FDCCEBu && v.z == 0x5001E420u && v.w == 0x24126EA1u);
  curandStatePhilox4_32_10_t s, t;
  curand_init(7, 3, 0, &s);
  for (int i = 0; i < 11; ++i) curand(&s);
  curand_init(7, 3, 11, &t);
  expect::equal("philox offset", curand(&s), curand(&t));
  uint4 four = curand4(&t);
  bool same = true;
  for (unsigned word : {four.x, four.y, four.z, four.w}) same = same && word == curand(&s);
  expect::that("four at once", same);
  curand_init(1, 0, ~0ull, &s);
  expect::equal("counter carries", s.ctr.y, 0x3FFFFFFFu);
}

static void xorwow() {
  // Marsaglia's generator from his own seeds.
  curandState s = {};
  s.d = 6615241;
  const unsigned seeds[] = {123456789, 362436069, 521288629, 88675123, 5783321};
  for (int i = 0; i < 5; ++i) s.v[i] = seeds[i];
  for (unsigned wanted : {246875399u, 3690007200u, 1264581005u, 3906711041u}) expect::equal("xorwow", curand(&s), wanted);
  curandState t;
  curand_init(1234, 0, 0, &s);
  curand_init(1234, 0, 1000, &t);
  for (int i = 0; i < 1000; ++i) curand(&s);
  expect::equal("xorwow offset", curand(&s), curand(&t));
  curand_init(1234, 1, 0, &s);
  curand_init(1234, 0, 0, &t);
  for (int i = 0; i < 16; ++i) skipahead(1ull << 63, &t);  // 2^67 steps
  expect::equal("subsequence", curand(&s), curand(&t));
  curand_init(1234, 5, 0, &s);
  curand_init(1234, 2, 0, &t);
  skipahead_sequence(3, &t);
  expect::equal("subsequences add", curand(&s), curand(&t));
}

static void mrg32k3a() {
  // The first value from all seeds 12345, as L'Ecuyer gives it.
  curandStateMRG32k3a s, t;
  curand_init(0, 0, 0, &s);
  expect::near("mrg32k3a", curand_uniform_double(&s), 0.12701112204657714, 1e-15);
  expect::near("mrg32k3a next", curand_uniform_double(&s), 0.3185275653967945, 1e-15);
  curand_init(9, 0, 0, &s);
  curand_init(9, 0, 777, &t);
  for (int i = 0; i < 777; ++i) curand(&s);
  expect::equal("mrg32k3a offset", curand(&s), curand(&t));
}

static void moments(const char *name, const std::vector<double> &v, double mean, double variance) {
  double sum = 0, squares = 0;
  for (double x : v) sum += x, squares += x * x;
  double m = sum / v.size(), s = squares / v.size() - m * m;
  double error = 6 * std::sqrt(variance / v.size());
  expect::near(name, m, mean, error);
  expect::near(name, s / variance, 1.0, 0.05);
}

template <class T, class Fill>
static std::vector<double> filled(curandRngType_t type, Fill fill) {
  curandGenerator_t g;
  curandCreateGenerator(&g, type);
  curandSetPseudoRandomGeneratorSeed(g, 42);
  T *memory;
  const size_t n = 40000;
  cudaMallocManaged(&memory, n * sizeof(T));
  fill(g, memory, n);
  std::vector<double> out(memory, memory + n);
  cudaFree(memory);
  curandDestroyGenerator(g);
  return out;
}

static void host() {
  std::vector<double> v = filled<unsigned>(CURAND_RNG_PSEUDO_DEFAULT, [](curandGenerator_t g, unsigned *p, size_t n) { curandGenerate(g, p, n); });
  curandState s;
  curand_init(42, 0, 0, &s);
  expect::equal("host 0", v[0], curand(&s));
  expect::equal("host 4096", v[4096], curand(&s));
  curand_init(42, 17, 0, &s);
  expect::equal("host 17", v[17], curand(&s));
  v = filled<unsigned>(CURAND_RNG_PSEUDO_MT19937, [](curandGenerator_t g, unsigned *p, size_t n) {
    curandSetPseudoRandomGeneratorSeed(g, 5489);
    curandGenerate(g, p, n);
  });
  expect::equal("mt19937", v[9999], 4123659995.0);  // ISO C++, [rand.predef]
  for (curandRngType_t type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A}) {
    v = filled<float>(type, [](curandGenerator_t g, float *p, size_t n) { curandGenerateUniform(g, p, n); });
    moments("uniform", v, 0.5, 1 / 12.0);
    bool inside = true;
    for (double x : v) inside = inside && x > 0 && x <= 1;
    expect::that("in (0, 1]", inside);
    v = filled<float>(type, [](curandGenerator_t g, float *p, size_t n) { curandGenerateNormal(g, p, n, 1.0f, 2.0f); });
    moments("normal", v, 1, 4);
    v = filled<double>(type, [](curandGenerator_t g, double *p, size_t n) { curandGenerateNormalDouble(g, p, n, 0, 1); });
    moments("normal double", v, 0, 1);
    v = filled<unsigned>(type, [](curandGenerator_t g, unsigned *p, size_t n) { curandGeneratePoisson(g, p, n, 7); });
    moments("poisson", v, 7, 7);
    v = filled<unsigned>(type, [](curandGenerator_t g, unsigned *p, size_t n) { curandGeneratePoisson(g, p, n, 500); });
    moments("poisson large", v, 500, 500);
  }
  curandGenerator_t g;
  expect::equal("quasi", static_cast<int>(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32)), static_cast<int>(CURAND_STATUS_TYPE_ERROR));
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  float odd[3];
  expect::equal("odd", static_cast<int>(curandGenerateNormal(g, odd, 3, 0, 1)), static_cast<int>(CURAND_STATUS_LENGTH_NOT_MULTIPLE));
}

int main() {
  philox();
  xorwow();
  mrg32k3a();
  host();
  unsigned *a, *b;
  float *f;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&b, 256);
  cudaMallocManaged(&f, 256);
  draw<<<1, 64>>>(99, a, b, f);
  curandState s;
  curand_init(99, 63, 0, &s);
  for (int i = 0; i < 3; ++i) curand(&s);
  expect::equal("kernel xorwow", a[63], curand(&s));
  expect::equal("kernel uniform", f[63], curand(&s) * 2.3283064e-10f + 2.3283064e-10f / 2);
  return expect::report();
}
