// Prefix sums of a tile in shared memory, by their meaning: element i becomes the sum of elements 0
// to i (with `reverse` of i to the last). All threads of the block call them.
#pragma once

#include "common.h"

namespace tl {

template <int threads, bool reverse = false>
struct CumSum1D {
  static_assert(threads >= 32 && threads <= 1024 && (threads & (threads - 1)) == 0,
                "TileLang takes powers of two from a warp on");

  template <typename T, int segment = 32>
  __device__ static void run(const T* from, T* to, int count) {
    if (threadIdx.x != 0) return;
    T total = T(0);
    for (int k = 0; k < count; ++k) {
      const int at = reverse ? count - 1 - k : k;
      total = total + from[at];
      to[at] = total;
    }
  }
};

}  // namespace tl
