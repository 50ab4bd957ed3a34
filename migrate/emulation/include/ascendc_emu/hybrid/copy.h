// The C API's copies between GM and UB, flags, mutexes and barriers, on the same tracks as the SIMD API's.
#pragma once

#include "vf_call.h"

enum class asc_load_l2_cache_mode : uint8_t {
    NORMAL_FIRST_VICTIM = 0, NORMAL_LAST_VICTIM = 1, NORMAL_PERSISTENT = 2, NOTALLOC_KEEP = 4, NOTALLOC_CLEAN = 5, NOTALLOC_DROP = 6,
};
enum class asc_store_l2_cache_mode : uint8_t {
    NORMAL_FIRST_VICTIM = 0, NORMAL_LAST_VICTIM = 1, NORMAL_PERSISTENT = 2, NOTALLOC_CLEAN = 4,
};
enum class mem_dsb_t : uint8_t { DSB_ALL = 0, DSB_DDR = 1, DSB_UB = 2, DSB_SEQ = 3 };
enum ascMutexExecuteMode { ASC_LOCK_BLOCK = 0, ASC_LOCK_NON_BLOCK = 1 };

namespace ascendc_emu {
namespace hybrid {

/// Byte of UB that `p` points to; the range has to lie in UB, and to begin at a multiple of 32.
inline uint32_t ub_place(Core& c, const void* p, uint64_t bytes, const char* what, Loc loc)
{
    const uint8_t* at = static_cast<const uint8_t*>(p);
    const uint8_t* ub = c.ub.get();
    if (at < ub || at >= ub + kUbBytes || bytes > static_cast<uint64_t>(ub + kUbBytes - at)) {
        violation("ub-out-of-bounds", loc, "%s of %llu bytes at an address that is not in UB", what, static_cast<unsigned long long>(bytes));
    }
    const uint32_t place = static_cast<uint32_t>(at - ub);
    if (place % 32 != 0) violation("ub-alignment", loc, "%s at byte %u of UB, which is no multiple of 32", what, place);
    return place;
}

inline void check_bursts(uint32_t bursts, uint32_t length, uint64_t ub_stride, const char* what, Loc loc)
{
    if (bursts < 1 || bursts > 4095 || length < 1 || length > 2097151) {
        violation("datacopypad-params", loc, "%s with %u bursts of %u bytes (1 to 4095 of 1 to 2097151)", what, bursts, length);
    }
    if (bursts > 1 && ub_stride != length && ub_stride % 32 != 0) {
        violation("datacopypad-params", loc, "%s: a stride in UB of %llu bytes, neither the length nor a multiple of 32", what, static_cast<unsigned long long>(ub_stride));
    }
}

template <class T>
void copy_in(T* to, const T* from, uint32_t bursts, uint32_t length, uint64_t gm_stride, uint64_t ub_stride, Loc loc)
{
    static_assert(sizeof(T) <= 4, "dtype-unsupported: asc_copy_gm2ub_align takes elements of 8 to 32 bits");
    constexpr const char* what = "asc_copy_gm2ub_align";
    Core& c = core(loc);
    check_bursts(bursts, length, ub_stride, what, loc);
    const uint32_t seq = c.tracker.issue(kSlotMte2, loc);
    const uint32_t place = ub_place(c, to, (bursts - 1) * ub_stride + length, what, loc);
    for (uint32_t b = 0; b < bursts; ++b) {
        const uint8_t* row = reinterpret_cast<const uint8_t*>(from) + b * gm_stride;
        const uint32_t at = place + static_cast<uint32_t>(b * ub_stride);
        c.check_gm(row, length, what, loc);
        c.gm.read(row, length, kSlotMte2, seq, c.tracker, loc);
        c.tracker.write(at, length, kSlotMte2, seq, loc);
        memcpy(c.ub.get() + at, row, length);
    }
}

template <class T>
void copy_out(T* to, const T* from, uint32_t bursts, uint32_t length, uint64_t gm_stride, uint64_t ub_stride, Loc loc)
{
    static_assert(sizeof(T) <= 4, "dtype-unsupported: asc_copy_ub2gm_align takes elements of 8 to 32 bits");
    constexpr const char* what = "asc_copy_ub2gm_align";
    Core& c = core(loc);
    check_bursts(bursts, length, ub_stride, what, loc);
    const uint32_t seq = c.tracker.issue(kSlotMte3, loc);
    const uint32_t place = ub_place(c, from, (bursts - 1) * ub_stride + length, what, loc);
    for (uint32_t b = 0; b < bursts; ++b) {
        uint8_t* row = reinterpret_cast<uint8_t*>(to) + b * gm_stride;
        const uint32_t at = place + static_cast<uint32_t>(b * ub_stride);
        c.check_gm(row, length, what, loc);
        c.gm.write(row, length, kSlotMte3, seq, c.tracker, loc);
        c.tracker.read(at, length, kSlotMte3, seq, loc);
        AscendC::emu::store_gm(c, row, c.ub.get() + at, length, sizeof(T), loc);
    }
}

inline void need_whole_blocks(uint32_t size, const char* what, Loc loc)
{
    if (size % 32 != 0) violation("datacopy-length", loc, "%s of %u bytes, which is no multiple of 32", what, size);
}

/// The flag that lies between two pipes.
inline Flag& flag_between(pipe_t from, pipe_t to, int64_t id, Loc loc)
{
    for (uint32_t e = 0; e < static_cast<uint32_t>(AscendC::HardEvent::MAX); ++e) {
        const auto pipes = AscendC::event_pipes(static_cast<AscendC::HardEvent>(e));
        if (pipes.from == slot_of(from) && pipes.to == slot_of(to)) return AscendC::emu::flag(static_cast<AscendC::HardEvent>(e), id, loc);
    }
    violation("flag-id", loc, "there is no flag from %s to %s", slot_name(slot_of(from)), slot_name(slot_of(to)));
}

inline uint8_t mutex_id(uint8_t id, Loc loc)
{
    if (id > 31) violation("flag-id", loc, "mutex %u is outside 0 to 31", id);
    return id;
}

} // namespace hybrid
} // namespace ascendc_emu

template <class T>
void asc_copy_gm2ub_align(
    __ubuf__ T* dst, __gm__ T* src, uint16_t n_burst, uint32_t len_burst, uint8_t left_padding_num, uint8_t right_padding_num,
    bool enable_constant_pad, asc_load_l2_cache_mode mode, uint64_t src_stride, uint32_t dst_stride,
    ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    (void)enable_constant_pad;
    (void)mode;
    if (left_padding_num != 0 || right_padding_num != 0) {
        ascendc_emu::violation("datacopypad-params", loc, "asc_copy_gm2ub_align with padding is not emulated");
    }
    ascendc_emu::hybrid::copy_in(dst, src, n_burst, len_burst, src_stride, dst_stride, loc);
}
template <class T>
void asc_copy_gm2ub_align(__ubuf__ T* dst, __gm__ T* src, uint32_t size, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::hybrid::need_whole_blocks(size, "asc_copy_gm2ub_align", loc);
    ascendc_emu::hybrid::copy_in(dst, src, 1, size, 0, 0, loc);
}
template <class T>
void asc_copy_ub2gm_align(
    __gm__ T* dst, __ubuf__ T* src, uint16_t n_burst, uint32_t len_burst, asc_store_l2_cache_mode mode, uint64_t dst_stride,
    uint32_t src_stride, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    (void)mode;
    ascendc_emu::hybrid::copy_out(dst, src, n_burst, len_burst, dst_stride, src_stride, loc);
}
template <class T>
void asc_copy_ub2gm_align(__gm__ T* dst, __ubuf__ T* src, uint32_t size, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::hybrid::need_whole_blocks(size, "asc_copy_ub2gm_align", loc);
    ascendc_emu::hybrid::copy_out(dst, src, 1, size, 0, 0, loc);
}

/// Tells `tpipe` that everything issued to `pipe` so far is done.
inline void asc_sync_notify(pipe_t pipe, pipe_t tpipe, int id, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    if (pipe == PIPE_V) c.finish_work();
    ascendc_emu::Flag& f = ascendc_emu::hybrid::flag_between(pipe, tpipe, id, loc);
    if (f.set) ascendc_emu::violation("flag-double-set", loc, "asc_sync_notify of event id %d, which is still set since line %d", id, f.where.line);
    f.set = true;
    f.where = loc;
    f.knowledge = c.tracker.snapshot(ascendc_emu::slot_of(pipe));
}
inline void asc_sync_wait(pipe_t pipe, pipe_t tpipe, int id, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::Flag& f = ascendc_emu::hybrid::flag_between(pipe, tpipe, id, loc);
    if (!f.set) ascendc_emu::violation("flag-wait-unset", loc, "asc_sync_wait for event id %d, which nobody has set (deadlock)", id);
    f.set = false;
    ascendc_emu::core(loc).tracker.learn(ascendc_emu::slot_of(tpipe), f.knowledge);
}
/// Lets a pipe wait until all that was unlocked before with the same mutex is done.
inline void asc_lock(pipe_t pipe, uint8_t mutex_id, ascMutexExecuteMode mode = ASC_LOCK_BLOCK, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint8_t m = ascendc_emu::hybrid::mutex_id(mutex_id, loc);
    if (c.mutex_held[m]) ascendc_emu::violation("flag-double-set", loc, "asc_lock of mutex %u, which is locked already", m);
    c.mutex_held[m] = true;
    if (mode == ASC_LOCK_BLOCK) c.tracker.learn(ascendc_emu::slot_of(pipe), c.mutex_knowledge[m]);
}
inline void asc_unlock(pipe_t pipe, uint8_t mutex_id, ascMutexExecuteMode mode = ASC_LOCK_BLOCK, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    (void)mode;
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint8_t m = ascendc_emu::hybrid::mutex_id(mutex_id, loc);
    if (!c.mutex_held[m]) ascendc_emu::violation("flag-wait-unset", loc, "asc_unlock of mutex %u, which is not locked", m);
    if (pipe == PIPE_V) c.finish_work();
    c.mutex_held[m] = false;
    const ascendc_emu::Knowledge now = c.tracker.snapshot(ascendc_emu::slot_of(pipe));
    for (uint32_t p = 0; p < ascendc_emu::kSlots; ++p) c.mutex_knowledge[m][p] = std::max(c.mutex_knowledge[m][p], now[p]);
}
/// Waits for one pipe; only PIPE_ALL orders the pipes against each other.
inline void asc_sync_pipe(pipe_t pipe, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    if (pipe == PIPE_S) ascendc_emu::violation("flag-id", loc, "asc_sync_pipe does not take PIPE_S");
    if (pipe == PIPE_V || pipe == PIPE_ALL) c.finish_work();
    if (pipe == PIPE_ALL) c.barrier_all();
}
/// Orders the scalar unit's own accesses, which happen in order here.
inline void asc_sync_data_barrier(mem_dsb_t, ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { ascendc_emu::core(loc); }
inline void asc_init(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { ascendc_emu::core(loc); }
inline int64_t asc_get_block_idx(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { return AscendC::GetBlockIdx(loc); }
inline int64_t asc_get_block_num(ascendc_emu::Loc loc = ascendc_emu::Loc::here()) { return AscendC::GetBlockNum(loc); }
inline int64_t asc_clz(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
inline int64_t asc_popc(uint64_t value) { return __builtin_popcountll(value); }
/// Functions of the compiler's own on the scalar unit.
inline int64_t clz(uint64_t value) { return asc_clz(value); }
inline int64_t bcnt1(uint64_t value) { return asc_popc(value); }
