// Counts of samples by bin.
#pragma once

#include <algorithm>
#include "../detail/device.cuh"

namespace cub {

struct DeviceHistogram {
  // `levels` borders make `levels - 1` bins of equal width over [lower, upper).
  template <class In, class Counter, class Level, class Size>
  static cudaError_t HistogramEven(void *storage, std::size_t &bytes, In samples,
                                   Counter *histogram, int levels, Level lower, Level upper,
                                   Size n, cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (int b = 0; b + 1 < levels; ++b) histogram[b] = 0;
    for (Size i = 0; i < n; ++i) count(samples[i], histogram, levels, lower, upper);
    return cudaSuccess;
  }
  template <class In, class Counter, class Level, class Size>
  static cudaError_t HistogramRange(void *storage, std::size_t &bytes, In samples,
                                    Counter *histogram, int levels, const Level *borders, Size n,
                                    cudaStream_t = 0, bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (int b = 0; b + 1 < levels; ++b) histogram[b] = 0;
    for (Size i = 0; i < n; ++i) {
      const Level sample = static_cast<Level>(samples[i]);
      const Level *at = std::upper_bound(borders, borders + levels, sample);
      if (at != borders && at != borders + levels) ++histogram[at - borders - 1];
    }
    return cudaSuccess;
  }
  // Pixels of `Channels` values, of which the first `Active` are counted.
  template <int Channels, int Active, class In, class Counter, class Level, class Size>
  static cudaError_t MultiHistogramEven(void *storage, std::size_t &bytes, In samples,
                                        Counter **histogram, const int *levels, const Level *lower,
                                        const Level *upper, Size pixels, cudaStream_t = 0,
                                        bool = false) {
    if (!detail::has_storage(storage, bytes)) return cudaSuccess;
    for (int c = 0; c < Active; ++c) {
      for (int b = 0; b + 1 < levels[c]; ++b) histogram[c][b] = 0;
      for (Size i = 0; i < pixels; ++i)
        count(samples[i * Channels + c], histogram[c], levels[c], lower[c], upper[c]);
    }
    return cudaSuccess;
  }

 private:
  template <class Sample, class Counter, class Level>
  static void count(Sample sample, Counter *histogram, int levels, Level lower, Level upper) {
    const Level value = static_cast<Level>(sample);
    if (value < lower || !(value < upper)) return;
    const int bins = levels - 1;
    int bin;
    if (std::is_integral<Level>::value) {
      const long long width = static_cast<long long>(upper) - static_cast<long long>(lower);
      bin = static_cast<int>((static_cast<long long>(value) - static_cast<long long>(lower)) *
                             bins / width);
    } else {
      const Level scale = static_cast<Level>(bins) / (upper - lower);
      bin = static_cast<int>((value - lower) * scale);
    }
    ++histogram[bin < bins ? bin : bins - 1];
  }
};

}  // namespace cub
