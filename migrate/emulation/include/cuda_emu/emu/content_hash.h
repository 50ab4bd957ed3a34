// 128 bits of MurmurHash3 (x64 variant), as 32 hexadecimal digits: names a content.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace cuda_emu {

inline std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

inline std::uint64_t finish(std::uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdull;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}

inline std::string content_hash(const void *data, std::size_t bytes) {
  constexpr std::uint64_t c1 = 0x87c37b91114253d5ull, c2 = 0x4cf5ad432745937full;
  const auto *in = static_cast<const unsigned char *>(data);
  std::uint64_t h1 = 0, h2 = 0, k[2];
  std::size_t at = 0;
  for (; at + 16 <= bytes; at += 16) {
    std::memcpy(k, in + at, 16);
    h1 = (rotate(h1 ^ rotate(k[0] * c1, 31) * c2, 27) + h2) * 5 + 0x52dce729;
    h2 = (rotate(h2 ^ rotate(k[1] * c2, 33) * c1, 31) + h1) * 5 + 0x38495ab5;
  }
  k[0] = k[1] = 0;
  std::memcpy(k, in + at, bytes - at);
  h2 ^= rotate(k[1] * c2, 33) * c1;
  h1 ^= rotate(k[0] * c1, 31) * c2;
  h1 ^= bytes;
  h2 ^= bytes;
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  h2 += h1;
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(h1),
                static_cast<unsigned long long>(h2));
  return text;
}

}  // namespace cuda_emu
