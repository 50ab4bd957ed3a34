// What all vector instructions share: masks, repeats and strides, and the checks of their operands.
#pragma once

#include <cmath>
#include <initializer_list>

#include "data_copy.h"

namespace AscendC {

namespace emu {

// Element types as bits, for the tables of what an instruction takes on which chip.
constexpr uint32_t I8 = 1, U8 = 2, I16 = 4, U16 = 8, I32 = 16, U32 = 32, I64 = 64, U64 = 128, F16 = 256, BF16 = 512, F32 = 1024;
constexpr uint32_t kFloats = F16 | F32;
constexpr uint32_t kAllInts = I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64;
constexpr uint32_t kAll = kAllInts | F16 | BF16 | F32;

template <class T>
constexpr uint32_t type_bit()
{
    if constexpr (std::is_same_v<T, half>) return F16;
    else if constexpr (std::is_same_v<T, bfloat16_t>) return BF16;
    else if constexpr (std::is_same_v<T, float>) return F32;
    else if constexpr (std::is_integral_v<T>) {
        constexpr uint32_t s = sizeof(T) == 1 ? I8 : sizeof(T) == 2 ? I16 : sizeof(T) == 4 ? I32 : I64;
        return std::is_signed_v<T> ? s : s << 1;
    } else return 0;
}

/// True if the chip's instruction takes elements of type T.
template <class T>
constexpr bool allowed(uint32_t on_910b, uint32_t on_950)
{
    return ((ascendc_emu::kIs910B ? on_910b : on_950) & type_bit<T>()) != 0;
}

#define ASCENDC_EMU_DTYPE(T, api, on_910b, on_950) \
    static_assert(AscendC::emu::allowed<T>(on_910b, on_950), "dtype-unsupported: " api " does not take this element type on this chip")

using ascendc_emu::Core;
using ascendc_emu::kSlotV;

/// Which lanes of each repeat an instruction works on.
struct Lanes {
    uint64_t low = 0;
    uint64_t high = 0;
    bool counter = false; // the mask is a count of elements over all repeats
    uint64_t count = 0;

    bool active(uint32_t lane) const { return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1) != 0; }
};

constexpr uint32_t lanes_per_repeat(size_t element) { return static_cast<uint32_t>(256 / element); }

inline Lanes first_lanes(uint64_t n)
{
    Lanes m;
    m.low = n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
    m.high = n <= 64 ? 0 : n >= 128 ? ~uint64_t{0} : (uint64_t{1} << (n - 64)) - 1;
    return m;
}

inline Lanes register_lanes(const Core& c)
{
    Lanes m;
    m.low = c.mask_low;
    m.high = c.mask_high;
    m.counter = c.counter_mode;
    m.count = c.mask_low;
    return m;
}

/// Mask given as a number of leading elements of each repeat.
inline Lanes lanes_of(Core& c, uint64_t mask, bool set, size_t element, const char* api, Loc loc)
{
    if (!set) return register_lanes(c);
    if (c.counter_mode) {
        Lanes m;
        m.counter = true;
        m.count = mask;
        return m;
    }
    const uint64_t most = element <= 2 ? 128 : lanes_per_repeat(element);
    if (mask == 0 || mask > most) {
        ascendc_emu::violation("mask-limit", loc, "%s: mask %llu is outside 1 to %llu for elements of %zu bytes", api, static_cast<unsigned long long>(mask), static_cast<unsigned long long>(most), element);
    }
    return first_lanes(mask);
}
/// Mask given bit by bit.
inline Lanes lanes_of(Core& c, const uint64_t* mask, bool set, size_t element, const char* api, Loc loc)
{
    if (!set) return register_lanes(c);
    Lanes m;
    m.low = mask[0];
    m.high = mask[1];
    if (element >= 4 && (mask[1] != 0 || (element == 8 && mask[0] >> 32 != 0))) {
        ascendc_emu::violation("mask-limit", loc, "%s: mask bits beyond the %u elements of a repeat", api, lanes_per_repeat(element));
    }
    if (m.low == 0 && m.high == 0) ascendc_emu::violation("mask-limit", loc, "%s: the mask is empty", api);
    return m;
}

inline void check_repeat(uint64_t repeat, const char* api, Loc loc)
{
    if (repeat > 255) ascendc_emu::violation("repeat-limit", loc, "%s: %llu repeats, at most 255 fit the instruction", api, static_cast<unsigned long long>(repeat));
}

/// Place of one operand: elements per block, strides in blocks of 32 bytes.
struct Steps {
    uint32_t per_block;
    uint32_t block;
    uint32_t repeat;
    uint64_t at(uint32_t rep, uint32_t lane) const
    {
        return uint64_t{rep} * repeat * per_block + uint64_t{lane / per_block} * block * per_block + lane % per_block;
    }
};

/// Calls f(repeat, lane) for all active lanes, in order.
template <class F>
void each_lane(const Lanes& m, uint32_t repeat, uint32_t lanes, F f)
{
    if (m.counter) {
        for (uint64_t i = 0; i < m.count; ++i) f(static_cast<uint32_t>(i / lanes), static_cast<uint32_t>(i % lanes));
        return;
    }
    for (uint32_t r = 0; r < repeat; ++r) {
        for (uint32_t l = 0; l < lanes; ++l) {
            if (m.active(l)) f(r, l);
        }
    }
}

/// Range and order checks of one operand of a masked, strided instruction.
template <class T, class Act>
void each_run(const Lanes& m, uint32_t repeat, uint32_t lanes, const Steps& s, Act act)
{
    // Runs of neighbouring elements are checked together.
    uint64_t first = 0;
    uint64_t next = 0;
    bool open = false;
    each_lane(m, repeat, lanes, [&](uint32_t r, uint32_t l) {
        const uint64_t e = s.at(r, l);
        if (open && e == next) {
            ++next;
            return;
        }
        if (open) act(first * sizeof(T), (next - first) * sizeof(T));
        first = e;
        next = e + 1;
        open = true;
    });
    if (open) act(first * sizeof(T), (next - first) * sizeof(T));
}

template <class T>
void read_lanes(Core& c, const LocalTensor<T>& t, const Lanes& m, uint32_t repeat, uint32_t lanes, const Steps& s, uint32_t seq, Loc loc)
{
    each_run<T>(m, repeat, lanes, s, [&](uint64_t at, uint64_t n) { t.read(c, at, n, kSlotV, seq, loc); });
}
template <class T>
void write_lanes(Core& c, const LocalTensor<T>& t, const Lanes& m, uint32_t repeat, uint32_t lanes, const Steps& s, uint32_t seq, Loc loc)
{
    each_run<T>(m, repeat, lanes, s, [&](uint64_t at, uint64_t n) { t.write(c, at, n, kSlotV, seq, loc); });
}

/// Operands of a contiguous instruction may be the same range or disjoint, nothing between.
template <class A, class B>
void check_overlap(const LocalTensor<A>& dst, uint64_t dst_bytes, const LocalTensor<B>& src, uint64_t src_bytes, const char* api, Loc loc)
{
    const uint64_t d = dst.address();
    const uint64_t s = src.address();
    if (d != s && d < s + src_bytes && s < d + dst_bytes) {
        ascendc_emu::violation("operand-overlap", loc, "%s: destination and source overlap in part (UB bytes %llu and %llu)", api, static_cast<unsigned long long>(d), static_cast<unsigned long long>(s));
    }
}

template <class T>
T* data(Core& c, const LocalTensor<T>& t)
{
    return reinterpret_cast<T*>(c.ub.get() + t.address());
}

/// Number of elements of a count form; negative or over-long counts break a rule where the operands are checked.
inline uint64_t checked_count(int64_t count, const char* api, Loc loc)
{
    if (count < 0) ascendc_emu::violation("count-limit", loc, "%s: count %lld is negative", api, static_cast<long long>(count));
    return static_cast<uint64_t>(count);
}

/// dst[i] = f(src[i]) for i < count.
template <class D, class S, class F>
void map1(const LocalTensor<D>& dst, const LocalTensor<S>& src, int64_t count, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    const uint64_t n = checked_count(count, api, loc);
    if (n == 0) return;
    dst.check_aligned(api, "the destination", loc);
    src.check_aligned(api, "the source", loc);
    if constexpr (sizeof(D) == sizeof(S)) check_overlap(dst, n * sizeof(D), src, n * sizeof(S), api, loc);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    src.read(c, 0, n * sizeof(S), kSlotV, seq, loc);
    dst.write(c, 0, n * sizeof(D), kSlotV, seq, loc);
    const S* s = data(c, src);
    D* d = data(c, dst);
    for (uint64_t i = 0; i < n; ++i) d[i] = f(s[i]);
}

/// dst[i] = f(a[i], b[i]) for i < count.
template <class D, class S, class F>
void map2(const LocalTensor<D>& dst, const LocalTensor<S>& a, const LocalTensor<S>& b, int64_t count, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    const uint64_t n = checked_count(count, api, loc);
    if (n == 0) return;
    dst.check_aligned(api, "the destination", loc);
    a.check_aligned(api, "the first source", loc);
    b.check_aligned(api, "the second source", loc);
    check_overlap(dst, n * sizeof(D), a, n * sizeof(S), api, loc);
    check_overlap(dst, n * sizeof(D), b, n * sizeof(S), api, loc);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    a.read(c, 0, n * sizeof(S), kSlotV, seq, loc);
    b.read(c, 0, n * sizeof(S), kSlotV, seq, loc);
    dst.write(c, 0, n * sizeof(D), kSlotV, seq, loc);
    const S* x = data(c, a);
    const S* y = data(c, b);
    D* d = data(c, dst);
    for (uint64_t i = 0; i < n; ++i) d[i] = f(x[i], y[i]);
}

/// The masked, strided form of map1; `f` also sees the old destination.
template <class T, class M, class F>
void map1_repeat(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, bool set, uint64_t repeat, const UnaryRepeatParams& p, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    check_repeat(repeat, api, loc);
    if (repeat == 0 && !c.counter_mode) return;
    dst.check_aligned(api, "the destination", loc);
    src.check_aligned(api, "the source", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps d{32 / sizeof(T), p.dstBlkStride, p.dstRepStride};
    const Steps s{32 / sizeof(T), p.srcBlkStride, p.srcRepStride};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, src, m, static_cast<uint32_t>(repeat), lanes, s, seq, loc);
    write_lanes(c, dst, m, static_cast<uint32_t>(repeat), lanes, d, seq, loc);
    const T* from = data(c, src);
    T* to = data(c, dst);
    each_lane(m, static_cast<uint32_t>(repeat), lanes, [&](uint32_t r, uint32_t l) { to[d.at(r, l)] = f(from[s.at(r, l)], to[d.at(r, l)]); });
}

/// The masked, strided form of map2; `f` also sees the old destination.
template <class D, class T, class M, class F>
void map2_repeat(const LocalTensor<D>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, M mask, bool set, uint64_t repeat, const BinaryRepeatParams& p, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    check_repeat(repeat, api, loc);
    if (repeat == 0 && !c.counter_mode) return;
    dst.check_aligned(api, "the destination", loc);
    a.check_aligned(api, "the first source", loc);
    b.check_aligned(api, "the second source", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps d{32 / sizeof(D), p.dstBlkStride, p.dstRepStride};
    const Steps x{32 / sizeof(T), p.src0BlkStride, p.src0RepStride};
    const Steps y{32 / sizeof(T), p.src1BlkStride, p.src1RepStride};
    const uint32_t reps = static_cast<uint32_t>(repeat);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, a, m, reps, lanes, x, seq, loc);
    read_lanes(c, b, m, reps, lanes, y, seq, loc);
    write_lanes(c, dst, m, reps, lanes, d, seq, loc);
    const T* from0 = data(c, a);
    const T* from1 = data(c, b);
    D* to = data(c, dst);
    each_lane(m, reps, lanes, [&](uint32_t r, uint32_t l) { to[d.at(r, l)] = f(from0[x.at(r, l)], from1[y.at(r, l)], to[d.at(r, l)]); });
}

} // namespace emu

/// Mask mode and mask register, for instructions called with isSetMask = false.
inline void SetMaskCount(Loc loc = Loc::here()) { ascendc_emu::core(loc).counter_mode = true; }
inline void SetMaskNorm(Loc loc = Loc::here()) { ascendc_emu::core(loc).counter_mode = false; }
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t high, uint64_t low, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    c.mask_high = high;
    c.mask_low = low;
}
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t length, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    if (mode == MaskMode::COUNTER) {
        c.mask_low = static_cast<uint64_t>(length);
        c.mask_high = 0;
    } else {
        const emu::Lanes m = emu::first_lanes(static_cast<uint64_t>(length));
        c.mask_low = m.low;
        c.mask_high = m.high;
    }
}
inline void ResetMask(Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    c.mask_low = c.mask_high = ~uint64_t{0};
}

} // namespace AscendC
