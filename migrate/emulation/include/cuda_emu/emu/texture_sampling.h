// Texture fetches as the CUDA C++ programming guide describes them ("Texture Fetching"): address
// modes, point and linear filtering with weights of 8 fractional bits, reads as normalised floats.
#pragma once

#include <cmath>

#include "arrays.h"

enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

namespace cuda_emu {

// One level of a texture: where its elements are.
struct TextureLevel {
  const char *data = nullptr;
  cudaChannelFormatDesc desc{};
  size_t pitch = 0;
  int width = 0, height = 1, depth = 1;
};
struct Texture {
  std::vector<TextureLevel> levels;
  cudaTextureDesc how{};
};

inline TextureLevel level_of(const cudaArray &array) {
  return TextureLevel{array.data, array.desc, array.pitch(), static_cast<int>(array.extent.width),
                      static_cast<int>(array.rows()), static_cast<int>(array.slices())};
}

struct Texel { float f[4] = {0, 0, 0, 0}; };

inline int channel_bits(const cudaChannelFormatDesc &d, int channel) {
  const int bits[] = {d.x, d.y, d.z, d.w};
  return bits[channel];
}
inline const char *element_at(const TextureLevel &t, int x, int y, int z) {
  return t.data + static_cast<size_t>(x) * element_bytes(t.desc) +
         (static_cast<size_t>(z) * static_cast<size_t>(t.height) + static_cast<size_t>(y)) * t.pitch;
}

// One channel as it is stored: an integer of its kind or the bits of a float.
inline std::int64_t stored_channel(const char *at, const cudaChannelFormatDesc &d, int channel) {
  int bits = channel_bits(d, channel);
  if (!bits) return 0;
  at += channel * (bits / 8);  // all channels that exist have the same size
  std::uint64_t raw = 0;
  std::memcpy(&raw, at, static_cast<size_t>(bits / 8));
  if (d.f == cudaChannelFormatKindSigned) return static_cast<std::int64_t>(raw << (64 - bits)) >> (64 - bits);
  return static_cast<std::int64_t>(raw);
}
inline float as_float(std::int64_t raw, int bits) {
  if (bits == 16) return half_bits_to_float(static_cast<std::uint16_t>(raw));
  return bits_float(static_cast<std::uint32_t>(raw));
}
// A channel as filtering sees it: floats as they are, integers in [0, 1] or [-1, 1].
inline float channel_value(const char *at, const cudaChannelFormatDesc &d, int channel) {
  int bits = channel_bits(d, channel);
  if (!bits) return 0.0f;
  std::int64_t raw = stored_channel(at, d, channel);
  if (d.f == cudaChannelFormatKindFloat) return as_float(raw, bits);
  if (d.f == cudaChannelFormatKindUnsigned)
    return static_cast<float>(static_cast<double>(raw) / static_cast<double>((1ull << bits) - 1));
  double v = static_cast<double>(raw) / static_cast<double>((1ull << (bits - 1)) - 1);
  return static_cast<float>(v < -1.0 ? -1.0 : v);
}

// The index that an address mode gives; -1 is outside, where the border colour is. Coordinates that
// are not normalised cannot wrap or mirror: they are clamped.
inline int addressed(int i, int n, cudaTextureAddressMode mode, bool normalized) {
  if (i >= 0 && i < n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (mode == cudaAddressModeWrap && normalized) return ((i % n) + n) % n;
  if (mode == cudaAddressModeMirror && normalized) {
    int period = ((i % (2 * n)) + 2 * n) % (2 * n);
    return period < n ? period : 2 * n - 1 - period;
  }
  return i < 0 ? 0 : n - 1;
}
// floor() of what may be no number or out of range of an int.
inline int cell(float x) {
  float f = std::floor(x);
  if (!(f > -1e9f)) return -1000000000;
  return f > 1e9f ? 1000000000 : static_cast<int>(f);
}

struct Place { int x, y, z; };

inline bool place_of(const Texture &t, const TextureLevel &l, Place *p, int dims) {
  bool n = t.how.normalizedCoords != 0;
  p->x = addressed(p->x, l.width, t.how.addressMode[0], n);
  if (dims > 1) p->y = addressed(p->y, l.height, t.how.addressMode[1], n);
  if (dims > 2) p->z = addressed(p->z, l.depth, t.how.addressMode[2], n);
  return p->x >= 0 && p->y >= 0 && p->z >= 0;
}

inline Texel texel(const Texture &t, const TextureLevel &l, Place p, int dims) {
  Texel out;
  bool inside = place_of(t, l, &p, dims);
  const char *at = inside ? element_at(l, p.x, p.y, p.z) : nullptr;
  for (int c = 0; c < 4; ++c)
    out.f[c] = inside ? channel_value(at, l.desc, c) : channel_bits(l.desc, c) ? t.how.borderColor[c] : 0;
  return out;
}

// Weights have 8 bits of fraction; 1.0 is exact.
inline float weight(float x, int *index) {
  float shifted = x - 0.5f;
  *index = cell(shifted);
  return std::nearbyint((shifted - std::floor(shifted)) * 256.0f) / 256.0f;
}

// Linear filtering in `dims` dimensions; z is a layer where dims is 2.
inline Texel filtered(const Texture &t, const TextureLevel &l, float x, float y, float z, int layer,
                      int dims) {
  int i = 0, j = 0, k = layer;
  float a = weight(x, &i), b = dims > 1 ? weight(y, &j) : 0.0f, c = dims > 2 ? weight(z, &k) : 0.0f;
  Texel out;
  for (int corner = 0; corner < 1 << dims; ++corner) {
    int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
    float share = (dx ? a : 1 - a) * (dims > 1 ? (dy ? b : 1 - b) : 1.0f) *
                  (dims > 2 ? (dz ? c : 1 - c) : 1.0f);
    if (share == 0.0f) continue;
    Texel one = texel(t, l, Place{i + dx, j + dy, k + dz}, dims);
    for (int channel = 0; channel < 4; ++channel) out.f[channel] += share * one.f[channel];
  }
  return out;
}

// The components that T has, from a filtered or normalised texel.
template <class T>
T from_texel(const Texel &texel) {
  typedef typename Channels<T>::type S;
  S parts[Channels<T>::count];
  for (int c = 0; c < Channels<T>::count; ++c) parts[c] = static_cast<S>(texel.f[c]);
  T out;
  std::memcpy(static_cast<void *>(&out), parts, sizeof parts);
  return out;
}
// The components as they are stored.
template <class T>
T from_element(const char *at, const cudaChannelFormatDesc &d) {
  typedef typename Channels<T>::type S;
  S parts[Channels<T>::count];
  for (int c = 0; c < Channels<T>::count; ++c) {
    std::int64_t raw = stored_channel(at, d, c);
    if (d.f == cudaChannelFormatKindFloat && channel_bits(d, c) <= 32)
      parts[c] = static_cast<S>(as_float(raw, channel_bits(d, c) ? channel_bits(d, c) : 32));
    else parts[c] = static_cast<S>(raw);
  }
  T out;
  std::memcpy(static_cast<void *>(&out), parts, sizeof parts);
  return out;
}

template <class T>
T fetch_level(const Texture &t, const TextureLevel &l, float x, float y, float z, int layer, int dims) {
  bool linear = t.how.filterMode == cudaFilterModeLinear;
  if (t.how.normalizedCoords) {
    x *= static_cast<float>(l.width);
    y *= static_cast<float>(l.height);
    if (dims > 2) z *= static_cast<float>(l.depth);
  }
  layer = layer < 0 ? 0 : layer >= l.depth ? l.depth - 1 : layer;
  if (linear) return from_texel<T>(filtered(t, l, x, y, z, layer, dims));
  Place p{cell(x), dims > 1 ? cell(y) : 0, dims > 2 ? cell(z) : layer};
  if (t.how.readMode == cudaReadModeNormalizedFloat) return from_texel<T>(texel(t, l, p, dims));
  if (!place_of(t, l, &p, dims)) return from_texel<T>(texel(t, l, Place{-1, -1, -1}, 3));
  return from_element<T>(element_at(l, p.x, p.y, p.z), l.desc);
}

// A mipmapped texture takes the nearest level, or mixes two.
template <class T>
T fetch(const Texture &t, float x, float y, float z, int layer, int dims, float lod = 0.0f) {
  float last = static_cast<float>(t.levels.size() - 1);
  float level = lod + t.how.mipmapLevelBias;
  if (last > 0 && t.how.maxMipmapLevelClamp > t.how.minMipmapLevelClamp)
    level = std::fmin(std::fmax(level, t.how.minMipmapLevelClamp), t.how.maxMipmapLevelClamp);
  level = std::fmin(std::fmax(level, 0.0f), last);
  if constexpr (std::is_same_v<typename Channels<T>::type, float>)
    if (t.how.mipmapFilterMode == cudaFilterModeLinear && level != std::floor(level)) {
      auto below = static_cast<size_t>(level);
      float share = std::nearbyint((level - std::floor(level)) * 256.0f) / 256.0f;
      T a = fetch_level<T>(t, t.levels[below], x, y, z, layer, dims);
      T b = fetch_level<T>(t, t.levels[below + 1], x, y, z, layer, dims), out;
      constexpr int n = Channels<T>::count;
      float fa[n], fb[n];
      std::memcpy(fa, &a, sizeof fa);
      std::memcpy(fb, &b, sizeof fb);
      for (int c = 0; c < n; ++c) fa[c] = (1 - share) * fa[c] + share * fb[c];
      std::memcpy(&out, fa, sizeof fa);
      return out;
    }
  return fetch_level<T>(t, t.levels[static_cast<size_t>(level + 0.5f)], x, y, z, layer, dims);
}

// tex1Dfetch: an element of linear memory; outside there are zeros.
template <class T>
T fetch_linear(const Texture &t, int x) {
  const TextureLevel &l = t.levels[0];
  if (x < 0 || x >= l.width) return from_texel<T>(Texel{});
  const char *at = element_at(l, x, 0, 0);
  if (t.how.readMode == cudaReadModeElementType) return from_element<T>(at, l.desc);
  return from_texel<T>(texel(t, l, Place{x, 0, 0}, 1));
}

}  // namespace cuda_emu
