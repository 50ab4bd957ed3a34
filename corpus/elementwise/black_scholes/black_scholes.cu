// Prices European options with the Black-Scholes formula, calls and puts at once.
//
// The market data come as a structure of arrays: neighbouring threads read neighbouring addresses.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

// Reports a failed runtime call with its place in this file, then gives up.
static void require(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "black_scholes.cu:%d: %s\n", line, cudaGetErrorString(status));
  std::exit(EXIT_FAILURE);
}
#define REQUIRE(status) require(status, __LINE__)

// Distribution function of the standard normal distribution, through the error function.
__device__ inline float normal_cdf(float x) {
  const float inv_sqrt2 = 0.70710678f;
  return 0.5f * (1.0f + erff(x * inv_sqrt2));
}

// rate is the riskless interest per year, sigma the volatility per square root of a year.
__global__ void price_options(const float* __restrict__ spots, const float* __restrict__ strikes,
                              const float* __restrict__ maturities, float* __restrict__ calls,
                              float* __restrict__ puts, float rate, float sigma, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;

  const float spot = spots[i];
  const float maturity = maturities[i];
  const float discounted = strikes[i] * expf(-rate * maturity);
  const float deviation = sigma * sqrtf(maturity);

  const float d_plus = logf(spot / discounted) / deviation + 0.5f * deviation;
  const float d_minus = d_plus - deviation;
  const float call = spot * normal_cdf(d_plus) - discounted * normal_cdf(d_minus);

  calls[i] = call;
  // Put-call parity saves two evaluations of the distribution.
  puts[i] = call - spot + discounted;
}

// The same formula in double, with erfc for its accuracy in the tails.
static double call_reference(double spot, double strike, double maturity, double rate,
                             double sigma) {
  const double deviation = sigma * std::sqrt(maturity);
  const double discounted = strike * std::exp(-rate * maturity);
  const double d_plus = std::log(spot / discounted) / deviation + 0.5 * deviation;
  const double d_minus = d_plus - deviation;
  return 0.5 * spot * std::erfc(-d_plus * M_SQRT1_2) -
         0.5 * discounted * std::erfc(-d_minus * M_SQRT1_2);
}

int main() {
  const int count = 7777;
  const float rate = 0.035f, sigma = 0.22f;
  const size_t bytes = count * sizeof(float);

  // A lattice of market states: from deep out of the money to deep in the money, from one month to
  // four years.
  std::vector<float> spots(count), strikes(count), maturities(count);
  for (int i = 0; i < count; ++i) {
    spots[i] = 20.0f + 0.5f * static_cast<float>(i % 101);
    strikes[i] = 25.0f + 0.75f * static_cast<float>(i % 71);
    maturities[i] = static_cast<float>(1 + i % 48) / 12.0f;
  }

  float *d_spots, *d_strikes, *d_maturities, *d_calls, *d_puts;
  REQUIRE(cudaMalloc((void**)&d_spots, bytes));
  REQUIRE(cudaMalloc((void**)&d_strikes, bytes));
  REQUIRE(cudaMalloc((void**)&d_maturities, bytes));
  REQUIRE(cudaMalloc((void**)&d_calls, bytes));
  REQUIRE(cudaMalloc((void**)&d_puts, bytes));
  REQUIRE(cudaMemcpy(d_spots, spots.data(), bytes, cudaMemcpyHostToDevice));
  REQUIRE(cudaMemcpy(d_strikes, strikes.data(), bytes, cudaMemcpyHostToDevice));
  REQUIRE(cudaMemcpy(d_maturities, maturities.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t begin, end;
  REQUIRE(cudaEventCreate(&begin));
  REQUIRE(cudaEventCreate(&end));
  REQUIRE(cudaEventRecord(begin));
  price_options<<<(count + 127) / 128, 128>>>(d_spots, d_strikes, d_maturities, d_calls, d_puts,
                                              rate, sigma, count);
  REQUIRE(cudaGetLastError());
  REQUIRE(cudaEventRecord(end));
  REQUIRE(cudaEventSynchronize(end));
  float milliseconds = 0.0f;
  REQUIRE(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("%d options in %.3f ms\n", count, milliseconds);

  std::vector<float> calls(count), puts(count);
  REQUIRE(cudaMemcpy(calls.data(), d_calls, bytes, cudaMemcpyDeviceToHost));
  REQUIRE(cudaMemcpy(puts.data(), d_puts, bytes, cudaMemcpyDeviceToHost));

  // Prices are differences of amounts of up to 80, so the bound is absolute: about ten units in the
  // last place of the larger amount.
  const double tolerance = 5e-5;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const double call = call_reference(spots[i], strikes[i], maturities[i], rate, sigma);
    const double put = call - spots[i] + strikes[i] * std::exp(-(double)rate * maturities[i]);
    if (!(std::fabs(calls[i] - call) <= tolerance && std::fabs(puts[i] - put) <= tolerance)) {
      if (wrong++ < 3) {
        std::printf("option %d: %g %g, expected %g %g\n", i, calls[i], puts[i], call, put);
      }
    }
  }

  REQUIRE(cudaEventDestroy(begin));
  REQUIRE(cudaEventDestroy(end));
  REQUIRE(cudaFree(d_spots));
  REQUIRE(cudaFree(d_strikes));
  REQUIRE(cudaFree(d_maturities));
  REQUIRE(cudaFree(d_calls));
  REQUIRE(cudaFree(d_puts));

  std::printf("%d options priced wrongly\n", wrong);
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
