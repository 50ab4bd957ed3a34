// Atomic updates of doubles in global memory: compare-and-swap of their bits (float64.h).
#pragma once

#include "float64.h"
#include "simt_api/asc_simt.h"

namespace float64 {

/// Stores what `change` makes of the old value; gives the old value.
template <typename Change>
__aicore__ inline Float64 atomic_update(Float64* at, Change change)
{
    uint64_t* const bits = &at->bits;
    uint64_t seen = *bits;
    uint64_t expected;
    do {
        expected = seen;
        seen = asc_atomic_cas(bits, expected, change(literal(expected)).bits);
    } while (seen != expected);
    return literal(expected);
}

struct Adding {
    Float64 value;
    __aicore__ Float64 operator()(Float64 old) const { return old + value; }
};
struct Lowering {
    Float64 value;
    __aicore__ Float64 operator()(Float64 old) const { return value < old ? value : old; }
};
struct Raising {
    Float64 value;
    __aicore__ Float64 operator()(Float64 old) const { return old < value ? value : old; }
};

__aicore__ inline Float64 atomic_add(Float64* at, Float64 value) { return atomic_update(at, Adding{value}); }
__aicore__ inline Float64 atomic_min(Float64* at, Float64 value) { return atomic_update(at, Lowering{value}); }
__aicore__ inline Float64 atomic_max(Float64* at, Float64 value) { return atomic_update(at, Raising{value}); }
__aicore__ inline Float64 atomic_exch(Float64* at, Float64 value)
{
    return literal(asc_atomic_exch(&at->bits, value.bits));
}

} // namespace float64
