// Atomic functions of SIMT device code: int32, uint32, float, and 64-bit integers in global memory.
#pragma once

#include "block.h"

namespace ascendc_emu {
namespace simt {

template <class T>
using Word = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;

inline void check_atomic(const void* p, size_t size, Loc loc)
{
    Block& b = block(loc);
    const uint8_t* ub = b.shared().base();
    const uint8_t* at = static_cast<const uint8_t*>(p);
    const bool in_ub = at >= ub && at < ub + b.shared().next;
    if (in_ub && size == 8) violation("atomic-type", loc, "64-bit atomics work in global memory only");
    if (reinterpret_cast<uintptr_t>(p) % size != 0) violation("atomic-alignment", loc, "an atomic on an address that is no multiple of %zu", size);
}

/// Replaces the value by f(value) atomically and returns the old one.
template <class T, class F>
T update(T* address, Loc loc, F f)
{
    check_atomic(address, sizeof(T), loc);
    Word<T>* word = reinterpret_cast<Word<T>*>(address);
    Word<T> seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    for (;;) {
        T old;
        memcpy(&old, &seen, sizeof old);
        const T fresh = f(old);
        Word<T> wanted;
        memcpy(&wanted, &fresh, sizeof wanted);
        if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
    }
}

/// A thread that keeps failing to get a lock has to let the holder run.
inline void after_attempt(bool changed, Loc loc)
{
    static thread_local uint32_t failures = 0;
    failures = changed ? 0 : failures + 1;
    if (failures > 16) {
        failures = 0;
        block(loc).yield();
    }
}

} // namespace simt
} // namespace ascendc_emu

#define ASCENDC_EMU_ATOMIC(name, T, ...)                                                                     \
    inline T name(T* address, T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())                        \
    {                                                                                                        \
        return ascendc_emu::simt::update(address, loc, [val](T old) -> T { return __VA_ARGS__; });           \
    }
#define ASCENDC_EMU_ATOMIC_SWAPS(T)                                                                         \
    inline T asc_atomic_exch(T* address, T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())             \
    {                                                                                                        \
        const T old = ascendc_emu::simt::update(address, loc, [val](T) -> T { return val; });                \
        ascendc_emu::simt::after_attempt(memcmp(&old, &val, sizeof old) != 0, loc);                          \
        return old;                                                                                          \
    }                                                                                                        \
    inline T asc_atomic_cas(T* address, T compare, T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())   \
    {                                                                                                        \
        const T old = ascendc_emu::simt::update(                                                             \
            address, loc, [compare, val](T seen) -> T { return memcmp(&seen, &compare, sizeof seen) == 0 ? val : seen; }); \
        ascendc_emu::simt::after_attempt(memcmp(&old, &compare, sizeof old) == 0, loc);                      \
        return old;                                                                                          \
    }
#define ASCENDC_EMU_ATOMIC_NUMBERS(T)                                                                        \
    ASCENDC_EMU_ATOMIC(asc_atomic_add, T, static_cast<T>(old + val))                                         \
    ASCENDC_EMU_ATOMIC(asc_atomic_sub, T, static_cast<T>(old - val))                                         \
    ASCENDC_EMU_ATOMIC(asc_atomic_max, T, (old > val ? old : val))                                           \
    ASCENDC_EMU_ATOMIC(asc_atomic_min, T, (old < val ? old : val))                                           \
    ASCENDC_EMU_ATOMIC_SWAPS(T)
#define ASCENDC_EMU_ATOMIC_BITS(T)                          \
    ASCENDC_EMU_ATOMIC(asc_atomic_and, T, old & val)        \
    ASCENDC_EMU_ATOMIC(asc_atomic_or, T, old | val)         \
    ASCENDC_EMU_ATOMIC(asc_atomic_xor, T, old ^ val)
ASCENDC_EMU_ATOMIC_NUMBERS(int32_t)
ASCENDC_EMU_ATOMIC_NUMBERS(uint32_t)
ASCENDC_EMU_ATOMIC_NUMBERS(float)
ASCENDC_EMU_ATOMIC_NUMBERS(int64_t)
ASCENDC_EMU_ATOMIC_NUMBERS(uint64_t)
ASCENDC_EMU_ATOMIC_BITS(int32_t)
ASCENDC_EMU_ATOMIC_BITS(uint32_t)
ASCENDC_EMU_ATOMIC_BITS(int64_t)
ASCENDC_EMU_ATOMIC_BITS(uint64_t)
ASCENDC_EMU_ATOMIC(asc_atomic_inc, uint32_t, (old >= val ? 0u : old + 1u))
ASCENDC_EMU_ATOMIC(asc_atomic_dec, uint32_t, (old == 0 || old > val ? val : old - 1u))
ASCENDC_EMU_ATOMIC(asc_atomic_inc, uint64_t, (old >= val ? uint64_t{0} : old + 1))
ASCENDC_EMU_ATOMIC(asc_atomic_dec, uint64_t, (old == 0 || old > val ? val : old - 1))
ASCENDC_EMU_ATOMIC(asc_atomic_add, half, half(static_cast<float>(old) + static_cast<float>(val)))
ASCENDC_EMU_ATOMIC(asc_atomic_max, half, (old > val ? old : val))
ASCENDC_EMU_ATOMIC(asc_atomic_min, half, (old < val ? old : val))
ASCENDC_EMU_ATOMIC(asc_atomic_add, bfloat16_t, bfloat16_t(static_cast<float>(old) + static_cast<float>(val)))
ASCENDC_EMU_ATOMIC(asc_atomic_max, bfloat16_t, (old > val ? old : val))
ASCENDC_EMU_ATOMIC(asc_atomic_min, bfloat16_t, (old < val ? old : val))
#define ASCENDC_EMU_ATOMIC_PAIR(name, T, H, first, second) ASCENDC_EMU_ATOMIC(name, T, T{H(first), H(second)})
#define ASCENDC_EMU_ATOMIC_PAIRS(T, H)                                                                       \
    ASCENDC_EMU_ATOMIC_PAIR(asc_atomic_add, T, H, old.x + val.x, old.y + val.y)                              \
    ASCENDC_EMU_ATOMIC_PAIR(asc_atomic_sub, T, H, old.x - val.x, old.y - val.y)                              \
    ASCENDC_EMU_ATOMIC_PAIR(asc_atomic_max, T, H, old.x > val.x ? old.x : val.x, old.y > val.y ? old.y : val.y) \
    ASCENDC_EMU_ATOMIC_PAIR(asc_atomic_min, T, H, old.x < val.x ? old.x : val.x, old.y < val.y ? old.y : val.y) \
    ASCENDC_EMU_ATOMIC_SWAPS(T)
ASCENDC_EMU_ATOMIC_PAIRS(half2, half)
ASCENDC_EMU_ATOMIC_PAIRS(bfloat16x2_t, bfloat16_t)
#undef ASCENDC_EMU_ATOMIC
#undef ASCENDC_EMU_ATOMIC_NUMBERS
#undef ASCENDC_EMU_ATOMIC_SWAPS
#undef ASCENDC_EMU_ATOMIC_PAIR
#undef ASCENDC_EMU_ATOMIC_PAIRS
#undef ASCENDC_EMU_ATOMIC_BITS
