// PTX that reads memory or meets other threads: addresses, loads, atomics, warp operations,
// barriers, special registers.
#pragma once

#include "atomics.h"
#include "loads.h"
#include "ptx_arithmetic.h"
#include "shared_window.h"
#include "warp.h"

namespace cuda_emu {
namespace ptx {

// Ends the program: an instruction without a meaning here must not be skipped.
[[noreturn]] inline void refuse(const char *instruction) {
  std::fflush(stdout);
  std::fprintf(stderr, "cuda_emu: CM5020: inline PTX '%s' cannot run here; block (%u,%u,%u), thread (%u,%u,%u)\n",
               instruction, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  std::fflush(nullptr);
  std::_Exit(3);
}

inline void *at(Bits address) { return reinterpret_cast<void *>(address); }
inline void *at_shared(Bits address) { return from_shared_window(address); }

template <class T>
Bits load(const void *from) {
  T value;
  std::memcpy(static_cast<void *>(&value), from, sizeof(T));
  return put<T>(value);
}
// What another thread may write: one access, and a spinning thread gives way.
template <class T>
Bits load_volatile(const void *from) {
  count_atomic();
  if constexpr (sizeof(T) <= 8 && std::is_integral_v<T>)
    return put<T>(__atomic_load_n(static_cast<const T *>(from), __ATOMIC_SEQ_CST));
  else return load<T>(from);
}
template <class T>
void store(void *to, Bits value) {
  std::memcpy(to, &value, sizeof(T));
}
template <class T>
void store_volatile(void *to, Bits value) {
  if constexpr (sizeof(T) <= 8 && std::is_integral_v<T>)
    __atomic_store_n(static_cast<T *>(to), get<T>(value), __ATOMIC_SEQ_CST);
  else store<T>(to, value);
}

enum class Atom : std::uint8_t { add, minimum, maximum, bit_and, bit_or, bit_xor, exch, inc, dec };

template <class T>
T atom_value(Atom how, T old, T value) {
  Bits a = put<T>(old), b = put<T>(value);
  if (how == Atom::exch) return value;
  if constexpr (std::is_integral_v<T>) {
    switch (how) {
      case Atom::add: return get<T>(add<T>(a, b));
      case Atom::minimum: return value < old ? value : old;
      case Atom::maximum: return value > old ? value : old;
      case Atom::bit_and: return get<T>(a & b);
      case Atom::bit_or: return get<T>(a | b);
      case Atom::bit_xor: return get<T>(a ^ b);
      case Atom::inc: return old >= value ? T(0) : static_cast<T>(old + 1);
      case Atom::dec: return old == 0 || old > value ? value : static_cast<T>(old - 1);
      default: break;
    }
  } else {
    Mode mode;
    switch (how) {
      case Atom::add: return get<T>(fadd<T>(a, b, mode));
      case Atom::minimum: return get<T>(fminimum<T>(a, b, false, mode));
      case Atom::maximum: return get<T>(fmaximum<T>(a, b, false, mode));
      default: break;
    }
  }
  refuse("atom of this operation and type");
}
template <class T>
Bits atom(Atom how, void *address, Bits value) {
  T operand = get<T>(value);
  return put<T>(atomic_update(static_cast<T *>(address),
                              [&](T old) { return atom_value(how, old, operand); }));
}
template <class T>
Bits atom_cas(void *address, Bits expected, Bits value) {
  T wanted = get<T>(expected), next = get<T>(value);
  return put<T>(atomic_update(static_cast<T *>(address),
                              [&](T old) { return old == wanted ? next : old; }));
}
// cp.async copies at once; bytes past the source size are zeros.
inline void copy_async(void *to, const void *from, std::size_t bytes, std::size_t source) {
  source = source < bytes ? source : bytes;
  std::memcpy(to, from, source);
  std::memset(static_cast<char *>(to) + source, 0, bytes - source);
}

inline unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned lane() { return linear_thread() % 32; }

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

// PTX ISA, shfl.sync: `c` packs the clamp (bits 0-4) and the segment mask (bits 8-12).
inline Bits shfl(Shuffle how, Bits value, Bits b, Bits c, Bits mask, bool lenient, Bits *in_range) {
  int me = static_cast<int>(lane()), by = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31);
  int segment = static_cast<int>(c >> 8 & 31);
  int last = (me & segment) | (clamp & ~segment), first = me & segment, from = me;
  bool good = false;
  switch (how) {
    case Shuffle::up: from = me - by; good = from >= last; break;
    case Shuffle::down: from = me + by; good = from <= last; break;
    case Shuffle::bfly: from = me ^ by; good = from <= last; break;
    case Shuffle::idx: from = first | (by & ~segment); good = from <= last; break;
  }
  if (!good) from = me;
  if (in_range) *in_range = good;
  return warp_operation(WarpKind::shfl_idx, static_cast<std::uint32_t>(mask), lenient,
                        static_cast<std::uint32_t>(value), static_cast<unsigned>(from), 32);
}
inline Bits vote_all(Bits p, Bits mask) { return static_cast<Bits>(__all_sync(static_cast<unsigned>(mask), p != 0)); }
inline Bits vote_any(Bits p, Bits mask) { return static_cast<Bits>(__any_sync(static_cast<unsigned>(mask), p != 0)); }
inline Bits vote_ballot(Bits p, Bits mask) { return __ballot_sync(static_cast<unsigned>(mask), p != 0); }
inline Bits vote_uni(Bits p, Bits mask) {
  Bits all = vote_all(p, mask), any = vote_any(p, mask);
  return all || !any;
}
template <class T> Bits match_any(Bits a, Bits mask) { return __match_any_sync(static_cast<unsigned>(mask), get<T>(a)); }
template <class T> Bits match_all(Bits a, Bits mask, Bits *same) {
  int all = 0;
  Bits lanes = __match_all_sync(static_cast<unsigned>(mask), get<T>(a), &all);
  if (same) *same = all != 0;
  return lanes;
}
inline Bits redux(WarpKind kind, Bits a, Bits mask) {
  return reduce(kind, static_cast<std::uint32_t>(mask), static_cast<std::uint32_t>(a));
}

// Numbers below 16 are PTX's. Without a count the whole block takes part.
inline void bar(Bits number, bool counted, Bits count, bool waits) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  if (number > 15 || (counted && (count == 0 || count % 32 != 0 || count > threads)))
    refuse("a barrier with this number or count");
  if (number == 0 && waits && (!counted || count == threads)) block_barrier(0);
  else part_barrier(static_cast<unsigned>(number), counted ? static_cast<unsigned>(count) : threads, waits);
}
inline std::uint64_t global_block() {
  return blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
}
inline Bits clock_value() { return static_cast<Bits>(clock64()); }
inline Bits dynamic_shared_size() { return current_block().dynamic_bytes; }

}  // namespace ptx
}  // namespace cuda_emu
