// Applies a frequency response to a spectrum: a pointwise product of complex numbers.
//
// A complex number is a float2: x is the real part, y the imaginary part.

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// For use in main only: leaves it with a code of its own.
#define TRY(call)                                                           \
  do {                                                                      \
    if ((call) != cudaSuccess) {                                            \
      std::printf("line %d: %s failed\n", __LINE__, #call);                 \
      return 2;                                                             \
    }                                                                       \
  } while (0)

// (a + bi)(c + di) = (ac - bd) + (ad + bc)i
__device__ __forceinline__ float2 multiply(float2 p, float2 q) {
  return make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

// spectrum <- gain * spectrum * response. The gain undoes the length factor of an unnormalised
// transform. Each thread strides over the bins, so any grid will do.
__global__ void apply_response(float2* spectrum, const float2* response, float gain, int bins) {
  for (int bin = blockIdx.x * blockDim.x + threadIdx.x; bin < bins;
       bin += gridDim.x * blockDim.x) {
    float2 value = multiply(spectrum[bin], response[bin]);
    value.x *= gain;
    value.y *= gain;
    spectrum[bin] = value;
  }
}

int main() {
  const int bins = 9973;
  const float gain = 1.0f / 64.0f;
  std::vector<float2> spectrum(bins), response(bins), result(bins);
  for (int i = 0; i < bins; ++i) {
    spectrum[i].x = std::cos(0.01f * i);
    spectrum[i].y = 2.0f * std::sin(0.02f * i);
    response[i].x = 0.5f + 0.0001f * i;
    response[i].y = 1.0f - 0.0003f * i;
  }

  const size_t bytes = bins * sizeof(float2);
  float2 *d_spectrum = nullptr, *d_response = nullptr;
  TRY(cudaMalloc(&d_spectrum, bytes));
  TRY(cudaMalloc(&d_response, bytes));
  TRY(cudaMemcpy(d_spectrum, spectrum.data(), bytes, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(d_response, response.data(), bytes, cudaMemcpyHostToDevice));

  apply_response<<<20, 96>>>(d_spectrum, d_response, gain, bins);
  TRY(cudaGetLastError());
  TRY(cudaMemcpy(result.data(), d_spectrum, bytes, cudaMemcpyDeviceToHost));
  TRY(cudaFree(d_spectrum));
  TRY(cudaFree(d_response));

  // The error of either part is bounded by the magnitude of the product, not by the part itself:
  // the subtraction in the real part cancels for some inputs.
  bool ok = true;
  for (int i = 0; i < bins && ok; ++i) {
    const std::complex<double> s(spectrum[i].x, spectrum[i].y);
    const std::complex<double> r(response[i].x, response[i].y);
    const std::complex<double> expected = s * r * static_cast<double>(gain);
    const double bound = 1e-6 * std::abs(s) * std::abs(r) * gain + 1e-12;
    ok = std::fabs(result[i].x - expected.real()) <= bound &&
         std::fabs(result[i].y - expected.imag()) <= bound;
    if (!ok) {
      std::printf("bin %d: (%g, %g), expected (%g, %g)\n", i, result[i].x, result[i].y,
                  expected.real(), expected.imag());
    }
  }

  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
