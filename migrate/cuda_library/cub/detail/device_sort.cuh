// Stable sorts by some bits of the keys.
#pragma once

#include <algorithm>
#include <numeric>
#include "device.cuh"
#include "radix_key.cuh"

namespace cub {

namespace detail {

// The bits [begin, end) of a key as a number of the same order.
template <class Key>
unsigned long long key_bits(const Key &key, int begin, int end) {
  const unsigned long long bits = static_cast<unsigned long long>(radix_key(key)) >> begin;
  return end - begin < 64 ? bits & ((1ull << (end - begin)) - 1ull) : bits;
}

// Sorts the elements [first, last) of both ranges; `Value` is NullType where there are no values.
template <class Key, class Value>
void sort_range(const Key *keys, Key *keys_out, const Value *values, Value *values_out,
                std::size_t first, std::size_t last, bool descending, int begin, int end) {
  std::vector<std::size_t> order(last - first);
  std::iota(order.begin(), order.end(), first);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const unsigned long long x = key_bits(keys[a], begin, end), y = key_bits(keys[b], begin, end);
    return descending ? y < x : x < y;
  });
  const std::vector<Key> held(keys + first, keys + last);
  std::vector<Value> carried;
  if (values) carried.assign(values + first, values + last);
  for (std::size_t i = 0; i < order.size(); ++i) {
    keys_out[first + i] = held[order[i] - first];
    if (values) values_out[first + i] = carried[order[i] - first];
  }
}

}  // namespace detail

}  // namespace cub
