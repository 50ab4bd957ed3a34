// Atomic operations of generated code. The last argument, a memory order, is not needed: blocks run
// on OS threads with sequentially consistent operations.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common.h"

namespace tilelang_emu {

template <std::size_t Bytes> struct Bits;
template <> struct Bits<2> { using type = std::uint16_t; };
template <> struct Bits<4> { using type = std::uint32_t; };
template <> struct Bits<8> { using type = std::uint64_t; };

// Replaces *place by change(*place) in one step; gives the value before.
template <class T, class Change>
T exchange(T *place, Change change) {
  using Word = typename Bits<sizeof(T)>::type;
  auto *word = reinterpret_cast<Word *>(place);
  Word seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (true) {
    T before;
    std::memcpy(&before, &seen, sizeof(T));
    T after = change(before);
    Word wanted;
    std::memcpy(&wanted, &after, sizeof(T));
    if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      return before;
    }
  }
}

// TileLang's own header does not compile for these operations on 64-bit integers.
template <class T>
constexpr bool has_value_form = !(std::is_integral_v<T> && sizeof(T) == 8);

// Integers wrap, also signed ones.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

}  // namespace tilelang_emu

template <class T, class V>
void AtomicAdd(T *place, V value, int = 0) {
  T operand = T(value);
  tilelang_emu::exchange(place, [&](T old) { return tilelang_emu::sum(old, operand); });
}
template <class T, class V>
T AtomicAddRet(T *place, V value, int = 0) {
  static_assert(tilelang_emu::has_value_form<T>, "no such form");
  T operand = T(value);
  return tilelang_emu::exchange(place, [&](T old) { return tilelang_emu::sum(old, operand); });
}
template <class T, class V>
T AtomicMaxRet(T *place, V value, int = 0) {
  static_assert(tilelang_emu::has_value_form<T>, "no such form");
  T operand = T(value);
  return tilelang_emu::exchange(place, [&](T old) { return operand > old ? operand : old; });
}
template <class T, class V>
void AtomicMax(T *place, V value, int = 0) {
  AtomicMaxRet(place, value);
}
template <class T, class V>
T AtomicMinRet(T *place, V value, int = 0) {
  static_assert(tilelang_emu::has_value_form<T>, "no such form");
  T operand = T(value);
  return tilelang_emu::exchange(place, [&](T old) { return operand < old ? operand : old; });
}
template <class T, class V>
void AtomicMin(T *place, V value, int = 0) {
  AtomicMinRet(place, value);
}
template <class T, class V>
void AtomicOr(T *place, V value, int = 0) {
  static_assert(std::is_integral_v<T>, "bits of an integer");
  T operand = T(value);
  tilelang_emu::exchange(place, [&](T old) { return T(old | operand); });
}
