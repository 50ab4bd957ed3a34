// Operations among the lanes of a block that runs region by region (fission.h).
//
// `lanes` are the threads of the block; `mask` names those that take part (null: all). Operands are
// functions of the lane. Results are those of the same operation in warp_impl.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "poison.h"
#include "warp.h"
#include "warp_rules.h"

namespace cuda_emu {

inline bool takes_part(const bool *mask, unsigned lane) { return !mask || mask[lane]; }

inline bool any_lane(const bool *mask, unsigned lanes) {
  return std::memchr(mask, 1, lanes) != nullptr;
}

template <class Act>
void each_warp(unsigned lanes, Act act) {
  for (unsigned first = 0; first < lanes; first += 32)
    act(first, lanes - first < 32 ? lanes - first : 32u);
}

template <class Test>
std::uint32_t lanes_that(unsigned count, Test test) {
  std::uint32_t bits = 0;
  for (unsigned lane = 0; lane < count; ++lane)
    bits |= static_cast<std::uint32_t>(static_cast<bool>(test(lane))) << lane;
  return bits;
}

template <class T>
T poison_value() {
  unsigned char bytes[(sizeof(T) + 7) / 8 * 8];
  poison(bytes, sizeof bytes);
  T value;
  std::memcpy(static_cast<void *>(&value), bytes, sizeof(T));
  return value;
}

template <WarpKind kind, class T, class Value, class Parameter, class Width>
void exchange_shuffle(unsigned lanes, const bool *mask, T *result, Value value, Parameter parameter,
                      Width width) {
  each_warp(lanes, [&](unsigned first, unsigned count) {
    T given[32];
    for (unsigned lane = 0; lane < count; ++lane) given[lane] = value(first + lane);
    for (unsigned lane = 0; lane < count; ++lane) {
      if (!takes_part(mask, first + lane)) continue;
      int source = shuffle_source(kind, static_cast<int>(lane),
                                  static_cast<int>(parameter(first + lane)),
                                  static_cast<int>(width(first + lane)));
      bool there = source >= 0 && source < static_cast<int>(count) &&
                   takes_part(mask, first + static_cast<unsigned>(source));
      result[first + lane] = there ? given[source] : poison_value<T>();
    }
  });
}

// Gives every lane that takes part `act(bits of the members that take part, lane, first lane)`.
template <class T, class Members, class Act>
void exchange_members(unsigned lanes, const bool *mask, T *result, Members members, Act act) {
  each_warp(lanes, [&](unsigned first, unsigned count) {
    std::uint32_t here = lanes_that(count, [&](unsigned l) { return takes_part(mask, first + l); });
    T found[32];
    for (unsigned lane = 0; lane < count; ++lane)
      if (here >> lane & 1)
        found[lane] = static_cast<T>(
            act(here & static_cast<std::uint32_t>(members(first + lane)), lane, first, count));
    for (unsigned lane = 0; lane < count; ++lane)
      if (here >> lane & 1) result[first + lane] = found[lane];
  });
}

template <WarpKind kind, class T, class Members, class Predicate>
void exchange_vote(unsigned lanes, const bool *mask, T *result, Members members,
                   Predicate predicate) {
  exchange_members(lanes, mask, result, members,
                   [&](std::uint32_t here, unsigned, unsigned first, unsigned count) {
                     std::uint32_t yes =
                         here & lanes_that(count, [&](unsigned l) { return predicate(first + l); });
                     return kind == WarpKind::active   ? here
                            : kind == WarpKind::ballot ? yes
                            : kind == WarpKind::any    ? static_cast<std::uint32_t>(yes != 0)
                                                       : static_cast<std::uint32_t>(yes == here);
                   });
}

template <class T, class Members, class Value>
void exchange_match(unsigned lanes, const bool *mask, T *result, Members members, Value value) {
  exchange_members(lanes, mask, result, members,
                   [&](std::uint32_t here, unsigned lane, unsigned first, unsigned count) {
                     std::uint64_t own = match_bits(value(first + lane));
                     return here & lanes_that(count, [&](unsigned l) {
                              return match_bits(value(first + l)) == own;
                            });
                   });
}

template <WarpKind kind, class T, class Members, class Value>
void exchange_reduce(unsigned lanes, const bool *mask, T *result, Members members, Value value) {
  exchange_members(lanes, mask, result, members,
                   [&](std::uint32_t here, unsigned, unsigned first, unsigned) {
                     auto of = [&](int lane) {
                       return static_cast<std::uint32_t>(value(first + static_cast<unsigned>(lane)));
                     };
                     std::uint32_t total = of(__builtin_ctz(here));
                     for (here &= here - 1; here; here &= here - 1)
                       total = static_cast<std::uint32_t>(fold(kind, total, of(__builtin_ctz(here))));
                     return total;
                   });
}

struct BlockVote {
  int count = 0, all = 1, any = 0;
};

template <class Predicate>
BlockVote block_vote(unsigned lanes, const bool *mask, Predicate predicate) {
  BlockVote vote;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!takes_part(mask, lane)) continue;
    int yes = predicate(lane) ? 1 : 0;
    vote.count += yes;
    vote.all &= yes;
    vote.any |= yes;
  }
  return vote;
}

template <class T>
void give_lanes(unsigned lanes, const bool *mask, T *result, T value) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (takes_part(mask, lane)) result[lane] = value;
}

}  // namespace cuda_emu
