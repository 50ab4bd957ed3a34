// Atomic functions. All are sequentially consistent, which is stronger than CUDA's relaxed order.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bfloat16.h"
#include "block.h"
#include "half.h"
#include "sum_ledger.h"

namespace cuda_emu {

template <std::size_t N> struct WordOf;
template <> struct WordOf<2> { typedef std::uint16_t type; };
template <> struct WordOf<4> { typedef std::uint32_t type; };
template <> struct WordOf<8> { typedef std::uint64_t type; };

// Replaces *address by change(*address) and returns the old value, for any 2-, 4- or 8-byte type.
template <class T, class Change>
T atomic_update(T *address, Change change) {
  typedef typename WordOf<sizeof(T)>::type Word;
  count_atomic();
  Word *word = reinterpret_cast<Word *>(address);
  Word expected = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  for (;;) {
    T old;
    std::memcpy(static_cast<void *>(&old), &expected, sizeof(T));
    T wanted = change(old);
    Word desired;
    std::memcpy(&desired, static_cast<const void *>(&wanted), sizeof(T));
    if (__atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return old;
  }
}

template <class T>
T wrapping_add(T a, T b) {
  typedef std::make_unsigned_t<T> U;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}

}  // namespace cuda_emu

#define CUDA_EMU_ATOMIC(T, NAME, EXPRESSION)                                                 \
  inline T NAME(T *address, T value) {                                                             \
    return cuda_emu::atomic_update(address, [address, value](T old) -> T {                     \
      (void)address;                                                                               \
      return EXPRESSION;                                                                           \
    });           \
  }                                                                                                \
  inline T NAME##_block(T *address, T value) { return NAME(address, value); }                      \
  inline T NAME##_system(T *address, T value) { return NAME(address, value); }

#define CUDA_EMU_ATOMIC_ADD_INT(T)                                                                 \
  inline T atomicAdd(T *address, T value) {                                                        \
    cuda_emu::count_atomic();                                                                      \
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);                                   \
  }                                                                                                \
  inline T atomicAdd_block(T *address, T value) { return atomicAdd(address, value); }              \
  inline T atomicAdd_system(T *address, T value) { return atomicAdd(address, value); }

#define CUDA_EMU_ATOMIC_INTEGER(T)                                                                 \
  CUDA_EMU_ATOMIC(T, atomicMin, value < old ? value : old)                                         \
  CUDA_EMU_ATOMIC(T, atomicMax, value > old ? value : old)                                         \
  CUDA_EMU_ATOMIC(T, atomicAnd, static_cast<T>(old &value))                                        \
  CUDA_EMU_ATOMIC(T, atomicOr, static_cast<T>(old | value))                                        \
  CUDA_EMU_ATOMIC(T, atomicXor, static_cast<T>(old ^ value))

CUDA_EMU_ATOMIC_ADD_INT(int)
CUDA_EMU_ATOMIC_ADD_INT(unsigned int)
CUDA_EMU_ATOMIC_ADD_INT(unsigned long)
CUDA_EMU_ATOMIC_ADD_INT(unsigned long long)
CUDA_EMU_ATOMIC_INTEGER(int)
CUDA_EMU_ATOMIC_INTEGER(unsigned int)
CUDA_EMU_ATOMIC_INTEGER(long long)
CUDA_EMU_ATOMIC_INTEGER(unsigned long)
CUDA_EMU_ATOMIC_INTEGER(unsigned long long)
CUDA_EMU_ATOMIC(int, atomicSub, cuda_emu::wrapping_add(old, cuda_emu::wrapping_add(~value, 1)))
CUDA_EMU_ATOMIC(unsigned int, atomicSub, old - value)
CUDA_EMU_ATOMIC(unsigned int, atomicInc, old >= value ? 0u : old + 1u)
CUDA_EMU_ATOMIC(unsigned int, atomicDec, old == 0u || old > value ? value : old - 1u)
CUDA_EMU_ATOMIC(float, atomicAdd, cuda_emu::note_sum(address, old, value, old + value))
CUDA_EMU_ATOMIC(double, atomicAdd, cuda_emu::note_sum(address, old, value, old + value))
CUDA_EMU_ATOMIC(__half, atomicAdd, cuda_emu::note_sum(address, old, value, __hadd(old, value)))
CUDA_EMU_ATOMIC(__nv_bfloat16, atomicAdd, cuda_emu::note_sum(address, old, value, __hadd(old, value)))
CUDA_EMU_ATOMIC(int, atomicExch, (static_cast<void>(old), value))
CUDA_EMU_ATOMIC(unsigned int, atomicExch, (static_cast<void>(old), value))
CUDA_EMU_ATOMIC(unsigned long, atomicExch, (static_cast<void>(old), value))
CUDA_EMU_ATOMIC(unsigned long long, atomicExch, (static_cast<void>(old), value))
CUDA_EMU_ATOMIC(float, atomicExch, (static_cast<void>(old), value))
#undef CUDA_EMU_ATOMIC
#undef CUDA_EMU_ATOMIC_ADD_INT
#undef CUDA_EMU_ATOMIC_INTEGER

// Each half is atomic, not the pair: what CUDA promises.
inline __half2 atomicAdd(__half2 *address, __half2 value) {
  return __half2(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
  return __nv_bfloat162(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
inline float2 atomicAdd(float2 *address, float2 value) {
  return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4 *address, float4 value) {
  return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

#define CUDA_EMU_CAS(T)                                                                            \
  inline T atomicCAS(T *address, T compare, T value) {                                             \
    cuda_emu::count_atomic();                                                                      \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_SEQ_CST,                 \
                                __ATOMIC_SEQ_CST);                                                 \
    return compare;                                                                                \
  }                                                                                                \
  inline T atomicCAS_block(T *address, T compare, T value) {                                       \
    return atomicCAS(address, compare, value);                                                     \
  }                                                                                                \
  inline T atomicCAS_system(T *address, T compare, T value) {                                      \
    return atomicCAS(address, compare, value);                                                     \
  }
CUDA_EMU_CAS(int)
CUDA_EMU_CAS(unsigned int)
CUDA_EMU_CAS(unsigned long)
CUDA_EMU_CAS(unsigned long long)
CUDA_EMU_CAS(unsigned short)
#undef CUDA_EMU_CAS

// The newer generic atomics (CUDA 12.8); the order and scope arguments can only weaken.
enum { __NV_ATOMIC_RELAXED = 0, __NV_ATOMIC_CONSUME = 1, __NV_ATOMIC_ACQUIRE = 2,
       __NV_ATOMIC_RELEASE = 3, __NV_ATOMIC_ACQ_REL = 4, __NV_ATOMIC_SEQ_CST = 5 };
enum { __NV_THREAD_SCOPE_THREAD = 0, __NV_THREAD_SCOPE_BLOCK = 1, __NV_THREAD_SCOPE_CLUSTER = 2,
       __NV_THREAD_SCOPE_DEVICE = 3, __NV_THREAD_SCOPE_SYSTEM = 4 };
template <class T>
std::remove_cv_t<T> __nv_atomic_load_n(T *address, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  cuda_emu::count_atomic();
  return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}
template <class T, class V>
void __nv_atomic_store_n(T *address, V value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store_n(address, static_cast<T>(value), __ATOMIC_SEQ_CST);
}
template <class T, class V>
T __nv_atomic_fetch_add(T *address, V value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return cuda_emu::atomic_update(address, [value](T old) { return static_cast<T>(old + value); });
}
