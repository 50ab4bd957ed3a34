// What warp operations give, without who waits for whom: shared by the two ways to run a kernel.
#pragma once

#include <cstdint>

#include "block.h"

namespace cuda_emu {

// The lane of the warp whose value a shuffle takes; below 0 or above 31 there is none.
inline int shuffle_source(WarpKind kind, int self, int delta, int width) {
  int base = self & ~(width - 1), at = self & (width - 1);
  switch (kind) {
    case WarpKind::shfl_idx: return base + (delta & (width - 1));
    case WarpKind::shfl_up: return at - delta < 0 ? self : self - delta;
    case WarpKind::shfl_down: return at + delta >= width ? self : self + delta;
    default: return (self ^ delta) >= base + width ? self : self ^ delta;
  }
}

inline std::uint64_t fold(WarpKind kind, std::uint32_t a, std::uint32_t b) {
  auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
  switch (kind) {
    case WarpKind::add: return static_cast<std::uint32_t>(a + b);
    case WarpKind::min_u: return a < b ? a : b;
    case WarpKind::max_u: return a > b ? a : b;
    case WarpKind::min_s: return sa < sb ? a : b;
    case WarpKind::max_s: return sa > sb ? a : b;
    case WarpKind::and_: return a & b;
    case WarpKind::or_: return a | b;
    default: return a ^ b;
  }
}

}  // namespace cuda_emu
