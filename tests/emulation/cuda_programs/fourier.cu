// cuFFT against the definition of the transform.
#include <cuda_runtime.h>
#include <cufft.h>

#include <complex>
#include <vector>

#include "expect.h"

typedef std::complex<double> Z;

static double sample(int i) { return ((i * 37 + 11) % 23) / 23.0 - 0.4; }

static std::vector<Z> naive(const std::vector<Z> &in, const std::vector<int> &sizes, int sign) {
  std::vector<Z> data = in;
  int inner = 1;
  for (int axis = (int)sizes.size() - 1; axis >= 0; --axis) {
    int n = sizes[axis], outer = (int)data.size() / (n * inner);
    std::vector<Z> next(data.size());
    for (int o = 0; o < outer; ++o)
      for (int i = 0; i < inner; ++i)
        for (int k = 0; k < n; ++k) {
          Z sum = 0;
          for (int j = 0; j < n; ++j) sum += data[(o * n + j) * inner + i] * std::polar(1.0, sign * 6.283185307179586 * ((long long)j * k % n) / n);
          next[(o * n + k) * inner + i] = sum;
        }
    data = next;
    inner *= n;
  }
  return data;
}
static double worst(const std::vector<Z> &a, const std::vector<Z> &b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::abs(a[i] - b[i]));
  return most;
}
template <class T> T *memory(size_t n) {
  T *p;
  cudaMallocManaged(&p, n * sizeof(T));
  return p;
}

static void lengths() {
  for (int n : {1, 2, 7, 8, 12, 30, 64, 97, 100, 134, 211}) {
    std::vector<Z> in(n), out(n);
    auto *x = memory<cufftDoubleComplex>(n);
    auto *f = memory<cufftComplex>(n);
    for (int i = 0; i < n; ++i) {
      in[i] = Z(sample(i), sample(3 * i + 1));
      x[i] = {in[i].real(), in[i].imag()};
      f[i] = {(float)in[i].real(), (float)in[i].imag()};
    }
    cufftHandle plan;
    for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      cufftPlan1d(&plan, n, CUFFT_Z2Z, 1);
      auto *y = memory<cufftDoubleComplex>(n);
      cufftExecZ2Z(plan, x, y, sign);
      for (int i = 0; i < n; ++i) out[i] = Z(y[i].x, y[i].y);
      expect::near("z2z", worst(out, naive(in, {n}, sign)), 0, 1e-11);
      cufftDestroy(plan);
    }
    cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    cufftExecC2C(plan, f, f, CUFFT_FORWARD);
    for (int i = 0; i < n; ++i) out[i] = Z(f[i].x, f[i].y);
    expect::near("c2c in place", worst(out, naive(in, {n}, -1)), 0, 1e-5);
    cufftDestroy(plan);
  }
}

static void real_ones() {
  const int nx = 3, ny = 4, nz = 5, half = nz / 2 + 1;
  std::vector<Z> in(nx * ny * nz);
  auto *x = memory<double>(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = x[i] = sample((int)i);
  auto *y = memory<cufftDoubleComplex>(nx * ny * half);
  auto *back = memory<double>(in.size());
  cufftHandle plan;
  cufftPlan3d(&plan, nx, ny, nz, CUFFT_D2Z);
  cufftExecD2Z(plan, x, y);
  std::vector<Z> wanted = naive(in, {nx, ny, nz}, -1), got, kept;
  for (int i = 0; i < nx * ny; ++i)
    for (int k = 0; k < half; ++k) got.push_back(Z(y[i * half + k].x, y[i * half + k].y)), kept.push_back(wanted[i * nz + k]);
  expect::near("d2z", worst(got, kept), 0, 1e-12);
  cufftHandle inverse;
  cufftPlan3d(&inverse, nx, ny, nz, CUFFT_Z2D);
  cufftExecZ2D(inverse, y, back);
  double most = 0;
  for (size_t i = 0; i < in.size(); ++i) most = std::fmax(most, std::fabs(back[i] - x[i] * (double)in.size()));
  expect::near("z2d", most, 0, 1e-11);

  // In place the rows of the real side are padded.
  const int rows = 3, n = 6;
  auto *padded = memory<float>(rows * 8);
  std::vector<Z> plane(rows * n);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < n; ++k) plane[i * n + k] = padded[i * 8 + k] = (float)sample(i * n + k);
  cufftPlan2d(&plan, rows, n, CUFFT_R2C);
  cufftExecR2C(plan, padded, (cufftComplex *)padded);
  wanted = naive(plane, {rows, n}, -1);
  got.clear(), kept.clear();
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < 4; ++k) got.push_back(Z(padded[i * 8 + 2 * k], padded[i * 8 + 2 * k + 1])), kept.push_back(wanted[i * n + k]);
  expect::near("r2c in place", worst(got, kept), 0, 1e-5);
}

static void strided() {
  // Four columns of a 6 x 4 matrix.
  int n = 6, embed = 6;
  auto *x = memory<cufftComplex>(24);
  std::vector<std::vector<Z>> columns(4);
  for (int i = 0; i < 24; ++i) {
    x[i] = {(float)sample(i), 0};
    columns[i % 4].push_back(x[i].x);
  }
  cufftHandle plan;
  cufftPlanMany(&plan, 1, &n, &embed, 4, 1, &embed, 4, 1, CUFFT_C2C, 4);
  cufftExecC2C(plan, x, x, CUFFT_FORWARD);
  for (int c = 0; c < 4; ++c) {
    std::vector<Z> got;
    for (int i = 0; i < 6; ++i) got.push_back(Z(x[i * 4 + c].x, x[i * 4 + c].y));
    expect::near("strided", worst(got, naive(columns[c], {6}, -1)), 0, 1e-5);
  }
  expect::equal("another kind than the plan's", (int)cufftExecR2C(plan, (float *)x, x), (int)CUFFT_INVALID_VALUE);
  expect::equal("no size", (int)cufftPlan1d(&plan, 0, CUFFT_C2C, 1), (int)CUFFT_INVALID_SIZE);
  expect::equal("no plan", (int)cufftDestroy(9999), (int)CUFFT_INVALID_PLAN);
}

int main() {
  lengths();
  real_ones();
  strided();
  return expect::report();
}
