// Barriers, fences, votes, shuffles and reductions of a warp.
#pragma once

#include <atomic>

#include "block.h"

namespace ascendc_emu {
namespace simt {

template <class T>
uint64_t to_word(T value)
{
    static_assert(sizeof(T) <= 8);
    uint64_t w = 0;
    memcpy(&w, &value, sizeof(T));
    return w;
}
template <class T>
T from_word(uint64_t w)
{
    T value;
    memcpy(&value, &w, sizeof(T));
    return value;
}

/// Runs a call of a warp function; `R` computes the results of the group.
template <class R>
WarpCall run_call(uint64_t value, int64_t argument, int32_t width, Loc loc)
{
    WarpCall call;
    call.resolve = &R::resolve;
    call.site = loc;
    call.value = value;
    call.argument = argument;
    call.width = width;
    block(loc).warp_call(call);
    return call;
}

struct Vote {
    static void resolve(WarpCall::Lanes lanes)
    {
        uint32_t set = 0;
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] != nullptr && lanes[l]->value != 0) set |= 1u << l;
        }
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] != nullptr) lanes[l]->result = set;
        }
    }
};

enum class Move { Index, Up, Down, Xor };

/// Value of another lane. A lane that does not take part gives poison, as its value is undefined on the device.
template <Move move>
struct Shuffle {
    static void resolve(WarpCall::Lanes lanes)
    {
        for (int32_t l = 0; l < static_cast<int32_t>(kWarp); ++l) {
            if (lanes[l] == nullptr) continue;
            WarpCall& c = *lanes[l];
            const int32_t segment = l & ~(c.width - 1);
            const int32_t end = segment + c.width;
            const int32_t n = static_cast<int32_t>(c.argument);
            int32_t from = l;
            if (move == Move::Index) from = segment + (n & (c.width - 1));
            if (move == Move::Up && n <= l - segment) from = l - n;
            if (move == Move::Down && n < end - l) from = l + n;
            if (move == Move::Xor && (l ^ n) < end) from = l ^ n;
            if (from < 0 || from >= static_cast<int32_t>(kWarp) || lanes[from] == nullptr) {
                c.result = uint64_t{kPoison} << 32 | kPoison;
            } else {
                c.result = lanes[from]->value;
            }
        }
    }
};

enum class Reduction { Add, Max, Min };

template <class T, Reduction op>
struct Reduce {
    static void resolve(WarpCall::Lanes lanes)
    {
        bool first = true;
        T sum{};
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] == nullptr) continue;
            const T v = from_word<T>(lanes[l]->value);
            if (first) {
                sum = v;
            } else if (op == Reduction::Add) {
                sum = static_cast<T>(sum + v);
            } else if (op == Reduction::Max) {
                sum = v > sum ? v : sum;
            } else {
                sum = v < sum ? v : sum;
            }
            first = false;
        }
        for (uint32_t l = 0; l < kWarp; ++l) {
            if (lanes[l] != nullptr) lanes[l]->result = to_word(sum);
        }
    }
};

inline void check_width(int32_t width, Loc loc)
{
    if (width <= 0 || width > 32 || (width & (width - 1)) != 0) violation("shfl-width", loc, "width %d of a shuffle is no power of two up to 32", width);
}

template <Move move, class T>
T shuffle(T value, int64_t argument, int32_t width, Loc loc)
{
    check_width(width, loc);
    return from_word<T>(run_call<Shuffle<move>>(to_word(value), argument, width, loc).result);
}

} // namespace simt
} // namespace ascendc_emu

inline void asc_syncthreads(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { ascendc_emu::simt::block(loc).barrier(loc); }
inline void asc_threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void asc_threadfence_block() { std::atomic_thread_fence(std::memory_order_seq_cst); }

inline uint32_t asc_ballot(int32_t predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    return static_cast<uint32_t>(ascendc_emu::simt::run_call<ascendc_emu::simt::Vote>(predicate != 0, 0, 32, loc).result);
}
inline int32_t asc_all(int32_t predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    const auto call = ascendc_emu::simt::run_call<ascendc_emu::simt::Vote>(predicate != 0, 0, 32, loc);
    return call.result == call.mask;
}
inline int32_t asc_any(int32_t predicate, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    return ascendc_emu::simt::run_call<ascendc_emu::simt::Vote>(predicate != 0, 0, 32, loc).result != 0;
}
inline uint32_t asc_activemask(ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    return ascendc_emu::simt::run_call<ascendc_emu::simt::Vote>(1, 0, 32, loc).mask;
}

#define ASCENDC_EMU_SHUFFLES(T)                                                                                                     \
    inline T asc_shfl(T var, int32_t src_lane, int32_t width = warpSize, ascendc_emu::Loc loc = ascendc_emu::Loc::here())             \
    {                                                                                                                               \
        return ascendc_emu::simt::shuffle<ascendc_emu::simt::Move::Index>(var, src_lane, width, loc);                               \
    }                                                                                                                               \
    inline T asc_shfl_up(T var, uint32_t delta, int32_t width = warpSize, ascendc_emu::Loc loc = ascendc_emu::Loc::here())            \
    {                                                                                                                               \
        return ascendc_emu::simt::shuffle<ascendc_emu::simt::Move::Up>(var, delta, width, loc);                                     \
    }                                                                                                                               \
    inline T asc_shfl_down(T var, uint32_t delta, int32_t width = warpSize, ascendc_emu::Loc loc = ascendc_emu::Loc::here())          \
    {                                                                                                                               \
        return ascendc_emu::simt::shuffle<ascendc_emu::simt::Move::Down>(var, delta, width, loc);                                   \
    }                                                                                                                               \
    inline T asc_shfl_xor(T var, int32_t lane_mask, int32_t width = warpSize, ascendc_emu::Loc loc = ascendc_emu::Loc::here())        \
    {                                                                                                                               \
        return ascendc_emu::simt::shuffle<ascendc_emu::simt::Move::Xor>(var, lane_mask, width, loc);                                \
    }
ASCENDC_EMU_SHUFFLES(int32_t)
ASCENDC_EMU_SHUFFLES(uint32_t)
ASCENDC_EMU_SHUFFLES(float)
ASCENDC_EMU_SHUFFLES(int64_t)
ASCENDC_EMU_SHUFFLES(uint64_t)
ASCENDC_EMU_SHUFFLES(half)
ASCENDC_EMU_SHUFFLES(half2)
ASCENDC_EMU_SHUFFLES(bfloat16_t)
ASCENDC_EMU_SHUFFLES(bfloat16x2_t)
#undef ASCENDC_EMU_SHUFFLES

#define ASCENDC_EMU_REDUCTIONS(T)                                                                                                   \
    inline T asc_reduce_add(T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())                                                 \
    {                                                                                                                               \
        using namespace ascendc_emu::simt;                                                                                          \
        return from_word<T>(run_call<Reduce<T, Reduction::Add>>(to_word(val), 0, 32, loc).result);                                  \
    }                                                                                                                               \
    inline T asc_reduce_max(T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())                                                 \
    {                                                                                                                               \
        using namespace ascendc_emu::simt;                                                                                          \
        return from_word<T>(run_call<Reduce<T, Reduction::Max>>(to_word(val), 0, 32, loc).result);                                  \
    }                                                                                                                               \
    inline T asc_reduce_min(T val, ascendc_emu::Loc loc = ascendc_emu::Loc::here())                                                 \
    {                                                                                                                               \
        using namespace ascendc_emu::simt;                                                                                          \
        return from_word<T>(run_call<Reduce<T, Reduction::Min>>(to_word(val), 0, 32, loc).result);                                  \
    }
ASCENDC_EMU_REDUCTIONS(int32_t)
ASCENDC_EMU_REDUCTIONS(uint32_t)
ASCENDC_EMU_REDUCTIONS(float)
ASCENDC_EMU_REDUCTIONS(half)
#undef ASCENDC_EMU_REDUCTIONS

inline int32_t laneid(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { return static_cast<int32_t>(ascendc_emu::simt::block(loc).lane()); }
inline int32_t lanemask_eq() { return static_cast<int32_t>(1u << laneid()); }
inline int32_t lanemask_lt() { return static_cast<int32_t>((1u << laneid()) - 1); }
inline int32_t lanemask_le() { return lanemask_lt() | lanemask_eq(); }
inline int32_t lanemask_gt() { return ~lanemask_le(); }
inline int32_t lanemask_ge() { return ~lanemask_lt(); }
