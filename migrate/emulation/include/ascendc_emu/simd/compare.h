// Comparisons that write bit masks, and selection by a bit mask.
#pragma once

#include "arithmetic.h"

namespace AscendC {

namespace emu {

template <class T>
bool compare(T a, T b, CMPMODE mode)
{
    switch (mode) {
        case CMPMODE::LT: return a < b;
        case CMPMODE::GT: return a > b;
        case CMPMODE::EQ: return a == b;
        case CMPMODE::LE: return a <= b;
        case CMPMODE::GE: return a >= b;
        case CMPMODE::NE: return a != b;
    }
    return false;
}

template <class T>
void check_compare(CMPMODE mode, const char* api, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "Compare", (kFloats | I32), kAll);
    if (ascendc_emu::kIs910B && std::is_same_v<T, int32_t> && mode != CMPMODE::EQ) {
        ascendc_emu::violation("dtype-unsupported", loc, "%s: int32 is compared for equality only on this chip", api);
    }
}

inline void set_bit(uint8_t* bits, uint64_t index, bool value)
{
    const uint8_t bit = static_cast<uint8_t>(1u << (index & 7));
    bits[index >> 3] = static_cast<uint8_t>(value ? bits[index >> 3] | bit : bits[index >> 3] & ~bit);
}
inline bool get_bit(const uint8_t* bits, uint64_t index) { return (bits[index >> 3] >> (index & 7) & 1) != 0; }

/// Count form: `other(i)` is the second operand. The compared range has to be a multiple of 256 bytes.
template <class T, class U, class Other>
void compare_count(const LocalTensor<U>& dst, const LocalTensor<T>& a, CMPMODE mode, uint64_t count, const char* api, Loc loc, Core& c, uint32_t seq, Other other)
{
    if (count * sizeof(T) % 256 != 0) {
        ascendc_emu::violation("compare-count", loc, "%s of %llu elements, which take %llu bytes: no multiple of 256", api, static_cast<unsigned long long>(count), static_cast<unsigned long long>(count * sizeof(T)));
    }
    dst.check_aligned(api, "the destination", loc);
    a.check_aligned(api, "the source", loc);
    a.read(c, 0, count * sizeof(T), kSlotV, seq, loc);
    dst.write(c, 0, (count + 7) / 8, kSlotV, seq, loc);
    const T* x = data(c, a);
    uint8_t* bits = c.ub.get() + dst.address();
    for (uint64_t i = 0; i < count; ++i) set_bit(bits, i, compare(x[i], other(i), mode));
}

/// Repeat form: each repeat writes the next 256/sizeof(T) bits; masked-off bits keep their value.
template <class T, class U, class M, class Other>
void compare_repeat(const LocalTensor<U>& dst, const LocalTensor<T>& a, CMPMODE mode, M mask, bool set, uint64_t repeat, const Steps& x, const char* api, Loc loc, Core& c, uint32_t seq, Other other)
{
    check_repeat(repeat, api, loc);
    dst.check_aligned(api, "the destination", loc);
    a.check_aligned(api, "the source", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const uint32_t reps = static_cast<uint32_t>(repeat);
    if (reps == 0) return;
    read_lanes(c, a, m, reps, lanes, x, seq, loc);
    dst.write(c, 0, uint64_t{reps} * lanes / 8, kSlotV, seq, loc);
    const T* from = data(c, a);
    uint8_t* bits = c.ub.get() + dst.address();
    each_lane(m, reps, lanes, [&](uint32_t r, uint32_t l) { set_bit(bits, uint64_t{r} * lanes + l, compare(from[x.at(r, l)], other(r, l), mode)); });
}

} // namespace emu

template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count, Loc loc = Loc::here())
{
    emu::check_compare<T>(cmpMode, "Compare", loc);
    if (count == 0) return;
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    src1.check_aligned("Compare", "the second source", loc);
    src1.read(c, 0, uint64_t{count} * sizeof(T), ascendc_emu::kSlotV, seq, loc);
    const T* y = emu::data(c, src1);
    emu::compare_count(dst, src0, cmpMode, count, "Compare", loc, c, seq, [y](uint64_t i) { return y[i]; });
}
template <class T, class U, bool isSetMask = true, class M>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const M& mask, uint64_t repeatTime, const BinaryRepeatParams& p, Loc loc = Loc::here())
{
    emu::check_compare<T>(cmpMode, "Compare", loc);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const emu::Steps x{32 / sizeof(T), p.src0BlkStride, p.src0RepStride};
    const emu::Steps y{32 / sizeof(T), p.src1BlkStride, p.src1RepStride};
    emu::read_lanes(c, src1, emu::lanes_of(c, mask, isSetMask, sizeof(T), "Compare", loc), static_cast<uint32_t>(repeatTime & 255), emu::lanes_per_repeat(sizeof(T)), y, seq, loc);
    const T* from = emu::data(c, src1);
    emu::compare_repeat(dst, src0, cmpMode, mask, isSetMask, repeatTime, x, "Compare", loc, c, seq, [&](uint32_t r, uint32_t l) { return from[y.at(r, l)]; });
}
/// One repeat; the result goes to the compare register (GetCmpMask, Select mode 0).
template <class T, bool isSetMask = true, class M>
void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const M& mask, const BinaryRepeatParams& p, Loc loc = Loc::here())
{
    emu::check_compare<T>(cmpMode, "Compare", loc);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const emu::Steps x{32 / sizeof(T), p.src0BlkStride, p.src0RepStride};
    const emu::Steps y{32 / sizeof(T), p.src1BlkStride, p.src1RepStride};
    const emu::Lanes m = emu::lanes_of(c, mask, isSetMask, sizeof(T), "Compare", loc);
    const uint32_t lanes = emu::lanes_per_repeat(sizeof(T));
    emu::read_lanes(c, src0, m, 1, lanes, x, seq, loc);
    emu::read_lanes(c, src1, m, 1, lanes, y, seq, loc);
    const T* a = emu::data(c, src0);
    const T* b = emu::data(c, src1);
    emu::each_lane(m, 1, lanes, [&](uint32_t r, uint32_t l) { emu::set_bit(c.compare_mask, l, emu::compare(a[x.at(r, l)], b[y.at(r, l)], cmpMode)); });
}
template <class T>
void GetCmpMask(const LocalTensor<T>& dst, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    memcpy(dst.write(c, 0, 16, ascendc_emu::kSlotV, seq, loc), c.compare_mask, 16);
}
template <class T>
void SetCmpMask(const LocalTensor<T>& src, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    memcpy(c.compare_mask, src.read(c, 0, 16, ascendc_emu::kSlotV, seq, loc), 16);
}

#define ASCENDC_EMU_COMPARE_SCALAR(Name)                                                                                            \
    template <class T, class U>                                                                                                     \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const std::enable_if_t<true, T> src1Scalar, CMPMODE cmpMode,    \
              uint32_t count, Loc loc = Loc::here())                                                                                \
    {                                                                                                                               \
        emu::check_compare<T>(cmpMode, #Name, loc);                                                                                 \
        if (count == 0) return;                                                                                                     \
        ascendc_emu::Core& c = ascendc_emu::core(loc);                                                                              \
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);                                                             \
        emu::compare_count(dst, src0, cmpMode, count, #Name, loc, c, seq, [src1Scalar](uint64_t) { return src1Scalar; });           \
    }                                                                                                                               \
    template <class T, class U, bool isSetMask = true, class M>                                                                     \
    void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const std::enable_if_t<true, T> src1Scalar, CMPMODE cmpMode,    \
              const M& mask, uint64_t repeatTime, const UnaryRepeatParams& p, Loc loc = Loc::here())                                \
    {                                                                                                                               \
        emu::check_compare<T>(cmpMode, #Name, loc);                                                                                 \
        ascendc_emu::Core& c = ascendc_emu::core(loc);                                                                              \
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);                                                             \
        const emu::Steps x{32 / sizeof(T), p.srcBlkStride, p.srcRepStride};                                                         \
        emu::compare_repeat(dst, src0, cmpMode, mask, isSetMask, repeatTime, x, #Name, loc, c, seq,                                 \
                            [src1Scalar](uint32_t, uint32_t) { return src1Scalar; });                                               \
    }
ASCENDC_EMU_COMPARE_SCALAR(CompareScalar)
ASCENDC_EMU_COMPARE_SCALAR(Compares)
#undef ASCENDC_EMU_COMPARE_SCALAR

namespace emu {

/// Bit of the selection mask for a lane: mode 0 uses the same bits in each repeat, the others go on through the mask.
inline uint64_t select_bit(SELMODE mode, uint64_t repeat, uint32_t lane, uint32_t lanes)
{
    return mode == SELMODE::VSEL_CMPMASK_SPR ? lane : repeat * lanes + lane;
}

template <class T, class U, class Other>
void select_count(const LocalTensor<T>& dst, const LocalTensor<U>& mask, const LocalTensor<T>& a, SELMODE mode, uint64_t count, Loc loc, Core& c, uint32_t seq, Other other)
{
    ASCENDC_EMU_DTYPE(T, "Select", kFloats, kAll);
    static_assert(std::is_integral_v<U>, "Select: the mask is a tensor of unsigned integers");
    dst.check_aligned("Select", "the destination", loc);
    mask.check_aligned("Select", "the mask", loc);
    a.check_aligned("Select", "the first source", loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const uint64_t bits = mode == SELMODE::VSEL_CMPMASK_SPR ? (count < lanes ? count : lanes) : count;
    mask.read(c, 0, (bits + 7) / 8, kSlotV, seq, loc);
    a.read(c, 0, count * sizeof(T), kSlotV, seq, loc);
    dst.write(c, 0, count * sizeof(T), kSlotV, seq, loc);
    const uint8_t* chosen = c.ub.get() + mask.address();
    const T* x = data(c, a);
    T* d = data(c, dst);
    for (uint64_t i = 0; i < count; ++i) {
        d[i] = get_bit(chosen, select_bit(mode, i / lanes, static_cast<uint32_t>(i % lanes), lanes)) ? x[i] : other(i);
    }
}

template <class T, class U, class M, class Other>
void select_repeat(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& a, SELMODE mode, const M& mask, bool set, uint64_t repeat, const BinaryRepeatParams& p, Loc loc, Core& c, uint32_t seq, Other other)
{
    ASCENDC_EMU_DTYPE(T, "Select", kFloats, kAll);
    check_repeat(repeat, "Select", loc);
    dst.check_aligned("Select", "the destination", loc);
    selMask.check_aligned("Select", "the mask", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), "Select", loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const uint32_t reps = static_cast<uint32_t>(repeat);
    if (reps == 0) return;
    const Steps d{32 / sizeof(T), p.dstBlkStride, p.dstRepStride};
    const Steps x{32 / sizeof(T), p.src0BlkStride, p.src0RepStride};
    selMask.read(c, 0, (mode == SELMODE::VSEL_CMPMASK_SPR ? 1 : uint64_t{reps}) * lanes / 8, kSlotV, seq, loc);
    read_lanes(c, a, m, reps, lanes, x, seq, loc);
    write_lanes(c, dst, m, reps, lanes, d, seq, loc);
    const uint8_t* chosen = c.ub.get() + selMask.address();
    const T* from = data(c, a);
    T* to = data(c, dst);
    each_lane(m, reps, lanes, [&](uint32_t r, uint32_t l) { to[d.at(r, l)] = get_bit(chosen, select_bit(mode, r, l, lanes)) ? from[x.at(r, l)] : other(r, l); });
}

} // namespace emu

template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, Loc loc = Loc::here())
{
    if (count == 0) return;
    if (selMode == SELMODE::VSEL_TENSOR_SCALAR_MODE) ascendc_emu::violation("select-mode", loc, "Select of two tensors with VSEL_TENSOR_SCALAR_MODE");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    src1.check_aligned("Select", "the second source", loc);
    src1.read(c, 0, uint64_t{count} * sizeof(T), ascendc_emu::kSlotV, seq, loc);
    const T* y = emu::data(c, src1);
    emu::select_count(dst, selMask, src0, selMode, count, loc, c, seq, [y](uint64_t i) { return y[i]; });
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const std::enable_if_t<true, T> src1, SELMODE selMode, uint32_t count, Loc loc = Loc::here())
{
    if (count == 0) return;
    if (selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE) ascendc_emu::violation("select-mode", loc, "Select of a tensor and a scalar needs VSEL_TENSOR_SCALAR_MODE");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::select_count(dst, selMask, src0, selMode, count, loc, c, seq, [src1](uint64_t) { return src1; });
}
template <class T, class U, bool isSetMask = true, class M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode, const M& mask, uint64_t repeatTime, const BinaryRepeatParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const emu::Steps y{32 / sizeof(T), p.src1BlkStride, p.src1RepStride};
    emu::read_lanes(c, src1, emu::lanes_of(c, mask, isSetMask, sizeof(T), "Select", loc), static_cast<uint32_t>(repeatTime & 255), emu::lanes_per_repeat(sizeof(T)), y, seq, loc);
    const T* from = emu::data(c, src1);
    emu::select_repeat(dst, selMask, src0, selMode, mask, isSetMask, repeatTime, p, loc, c, seq, [&](uint32_t r, uint32_t l) { return from[y.at(r, l)]; });
}
template <class T, class U, bool isSetMask = true, class M>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const std::enable_if_t<true, T> src1, SELMODE selMode, const M& mask, uint64_t repeatTime, const BinaryRepeatParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::select_repeat(dst, selMask, src0, selMode, mask, isSetMask, repeatTime, p, loc, c, seq, [src1](uint32_t, uint32_t) { return src1; });
}
/// Selection by the compare register, the same 256/sizeof(T) bits in each repeat.
template <class T, SELMODE selMode>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint8_t repeatTime, const BinaryRepeatParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    emu::map2_repeat(dst, src0, src1, uint64_t{emu::lanes_per_repeat(sizeof(T))}, true, repeatTime, p, "Select", loc, [&c, lane = uint32_t{0}](T a, T b, T) mutable {
        const T chosen = emu::get_bit(c.compare_mask, lane) ? a : b;
        lane = (lane + 1) % emu::lanes_per_repeat(sizeof(T));
        return chosen;
    });
}

} // namespace AscendC
