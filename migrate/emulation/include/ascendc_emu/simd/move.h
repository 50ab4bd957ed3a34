// Filling, indices, gathering and moving of data inside UB.
#pragma once

#include "reduce.h"

namespace AscendC {

namespace emu {

/// Elements are all given the same way: dst[i] = f(i).
template <class T, class F>
void fill(const LocalTensor<T>& dst, int64_t count, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    const uint64_t n = checked_count(count, api, loc);
    if (n == 0) return;
    dst.check_aligned(api, "the destination", loc);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    dst.write(c, 0, n * sizeof(T), kSlotV, seq, loc);
    T* d = data(c, dst);
    for (uint64_t i = 0; i < n; ++i) d[i] = f(i);
}

template <class T, class M, class F>
void fill_repeat(const LocalTensor<T>& dst, const M& mask, bool set, uint64_t repeat, uint32_t block, uint32_t rep, const char* api, Loc loc, F f)
{
    Core& c = ascendc_emu::core(loc);
    check_repeat(repeat, api, loc);
    dst.check_aligned(api, "the destination", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps d{32 / sizeof(T), block, rep};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    write_lanes(c, dst, m, static_cast<uint32_t>(repeat), lanes, d, seq, loc);
    T* to = data(c, dst);
    each_lane(m, static_cast<uint32_t>(repeat), lanes, [&](uint32_t r, uint32_t l) { to[d.at(r, l)] = f(uint64_t{r} * lanes + l); });
}

constexpr uint32_t kDuplicate910B = I16 | U16 | I32 | U32 | F16 | BF16 | F32;
constexpr uint32_t kIndex910B = I16 | I32 | F16 | F32;
constexpr uint32_t kGather910B = I16 | U16 | F16 | BF16 | I32 | U32 | F32;

/// first + i * step in the arithmetic of T.
template <class T>
T progression(T first, T step, uint64_t i)
{
    if constexpr (std::is_integral_v<T>) {
        return add(first, mul(step, static_cast<T>(i)));
    } else {
        return static_cast<T>(static_cast<float>(first) + static_cast<float>(step) * static_cast<float>(i));
    }
}

} // namespace emu

template <class T>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Duplicate", emu::kDuplicate910B, emu::kAll);
    emu::fill(dst, count, "Duplicate", loc, [scalarValue](uint64_t) { return scalarValue; });
}
template <class T, bool isSetMask = true, class M>
void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const M& mask, const uint64_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Duplicate", emu::kDuplicate910B, emu::kAll);
    emu::fill_repeat(dst, mask, isSetMask, repeatTime, dstBlockStride, dstRepeatStride, "Duplicate", loc, [scalarValue](uint64_t) { return scalarValue; });
}

/// dst[i] = first + i.
template <class T>
void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "CreateVecIndex", emu::kIndex910B, (emu::kIndex910B | emu::I8 | emu::I64));
    emu::fill(dst, count, "CreateVecIndex", loc, [firstValue](uint64_t i) { return emu::progression(firstValue, T(1), i); });
}
template <class T, class M>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, const M& mask, uint64_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "CreateVecIndex", emu::kIndex910B, (emu::kIndex910B | emu::I8 | emu::I64));
    emu::fill_repeat(dst, mask, true, repeatTime, dstBlkStride, dstRepStride, "CreateVecIndex", loc, [firstValue](uint64_t i) { return emu::progression(firstValue, T(1), i); });
}
/// dst[i] = first + i * step.
template <class T>
void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "ArithProgression", emu::kIndex910B, (emu::kIndex910B | emu::I64));
    emu::fill(dst, count, "ArithProgression", loc, [=](uint64_t i) { return emu::progression(firstValue, diffValue, i); });
}
template <class T>
void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count, Loc loc = Loc::here())
{
    ArithProgression(dst, firstValue, diffValue, count, loc);
}

namespace emu {

/// One element of a gather: byte offsets from the start of the source, inside its buffer.
template <class T>
T gather_one(Core& c, const LocalTensor<T>& src, uint64_t offset, uint32_t seq, Loc loc)
{
    if (offset % sizeof(T) != 0) {
        ascendc_emu::violation("gather-offset", loc, "Gather: byte offset %llu is no multiple of the element size", static_cast<unsigned long long>(offset));
    }
    return load<T>(src.read(c, offset, sizeof(T), kSlotV, seq, loc));
}

} // namespace emu

/// dst[i] = element at byte srcBaseOffset + srcOffset[i] of src.
template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseOffset, const uint32_t count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Gather", emu::kGather910B, emu::kAll);
    if (count == 0) return;
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("Gather", "the destination", loc);
    src.check_aligned("Gather", "the source", loc);
    srcOffset.check_aligned("Gather", "the offsets", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    srcOffset.read(c, 0, uint64_t{count} * 4, ascendc_emu::kSlotV, seq, loc);
    dst.write(c, 0, uint64_t{count} * sizeof(T), ascendc_emu::kSlotV, seq, loc);
    const uint32_t* offset = emu::data(c, srcOffset);
    T* d = emu::data(c, dst);
    for (uint32_t i = 0; i < count; ++i) d[i] = emu::gather_one(c, src, uint64_t{srcBaseOffset} + offset[i], seq, loc);
}
template <class T, class M>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseOffset, const M& mask, const uint64_t repeatTime, const uint16_t dstRepStride, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Gather", emu::kGather910B, emu::kAll);
    emu::check_repeat(repeatTime, "Gather", loc);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const emu::Lanes m = emu::lanes_of(c, mask, true, sizeof(T), "Gather", loc);
    const uint32_t lanes = emu::lanes_per_repeat(sizeof(T));
    const uint32_t reps = static_cast<uint32_t>(repeatTime);
    const emu::Steps d{32 / sizeof(T), 1, dstRepStride};
    const emu::Steps o{8, 1, lanes / 8};
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::read_lanes(c, srcOffset, m, reps, lanes, o, seq, loc);
    emu::write_lanes(c, dst, m, reps, lanes, d, seq, loc);
    const uint32_t* offset = emu::data(c, srcOffset);
    T* to = emu::data(c, dst);
    emu::each_lane(m, reps, lanes, [&](uint32_t r, uint32_t l) { to[d.at(r, l)] = emu::gather_one(c, src, uint64_t{srcBaseOffset} + offset[o.at(r, l)], seq, loc); });
}
/// Moves whole blocks of 32 bytes: 8 per repeat, each at the byte offset that the offset tensor gives.
template <class T>
void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset, const uint64_t repeatTime, const GatherRepeatParams& p, Loc loc = Loc::here())
{
    emu::check_repeat(repeatTime, "Gatherb", loc);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("Gatherb", "the destination", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    for (uint64_t r = 0; r < repeatTime; ++r) {
        for (uint64_t b = 0; b < 8; ++b) {
            const uint32_t at = emu::load<uint32_t>(offset.read(c, (r * 8 + b) * 4, 4, ascendc_emu::kSlotV, seq, loc));
            if (at % 32 != 0) ascendc_emu::violation("gather-offset", loc, "Gatherb: byte offset %u is no multiple of 32", at);
            uint8_t block[32];
            memcpy(block, src.read(c, at, 32, ascendc_emu::kSlotV, seq, loc), 32);
            memcpy(dst.write(c, (r * p.dstRepStride + b * p.dstBlkStride) * 32, 32, ascendc_emu::kSlotV, seq, loc), block, 32);
        }
    }
}

namespace emu {

/// Shared part of GatherMask: `keep(repeat, lane)` says which elements stay; they are packed at the start of dst.
template <class T, class Keep>
void gather_mask(const LocalTensor<T>& dst, const LocalTensor<T>& src, bool counter, uint32_t mask, const GatherMaskParams& p, uint64_t& kept, Core& c, uint32_t seq, Loc loc, Keep keep)
{
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps s{32 / sizeof(T), p.src0BlockStride, p.src0RepeatStride};
    const uint32_t each = counter ? mask : lanes;
    std::vector<T> out;
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        for (uint32_t l = 0; l < each; ++l) {
            const T v = load<T>(src.read(c, s.at(r, l) * sizeof(T), sizeof(T), kSlotV, seq, loc));
            if (keep(r, l)) out.push_back(v);
        }
    }
    kept = out.size();
    c.gather_count = static_cast<int64_t>(kept);
    if (!out.empty()) memcpy(dst.write(c, 0, out.size() * sizeof(T), kSlotV, seq, loc), out.data(), out.size() * sizeof(T));
}

} // namespace emu

/// Keeps elements by a built-in pattern: 1 even, 2 odd, 3 to 6 one of four, 7 all.
template <class T, uint8_t mode = 0>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "GatherMask", emu::kGather910B, (emu::kGather910B | emu::I8 | emu::U8));
    if (src1Pattern < 1 || src1Pattern > 7) ascendc_emu::violation("gathermask-pattern", loc, "GatherMask: pattern %u is outside 1 to 7", src1Pattern);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("GatherMask", "the destination", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::gather_mask(dst, src0, reduceMode, mask, p, rsvdCnt, c, seq, loc, [src1Pattern](uint32_t, uint32_t l) {
        if (src1Pattern == 7) return true;
        return src1Pattern <= 2 ? l % 2 == src1Pattern - 1u : l % 4 == src1Pattern - 3u;
    });
}
/// Keeps the elements whose bit is set in src1Pattern.
template <class T, class U, uint8_t mode = 0>
void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern, const bool reduceMode, const uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "GatherMask", emu::kGather910B, (emu::kGather910B | emu::I8 | emu::U8));
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("GatherMask", "the destination", loc);
    src1Pattern.check_aligned("GatherMask", "the pattern", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::gather_mask(dst, src0, reduceMode, mask, p, rsvdCnt, c, seq, loc, [&](uint32_t r, uint32_t l) {
        const uint64_t byte = uint64_t{r} * p.src1RepeatStride * 32 + l / 8;
        return (*src1Pattern.read(c, byte, 1, ascendc_emu::kSlotV, seq, loc) >> (l % 8) & 1) != 0;
    });
}
inline int64_t GetGatherMaskRemainCount(Loc loc = Loc::here()) { return ascendc_emu::core(loc).gather_count; }

/// Each repeat takes 8 elements and fills one block of 32 bytes with each of them.
template <class T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint64_t repeatTime, const BrcbRepeatParams& p, Loc loc = Loc::here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || !ascendc_emu::kIs910B, "dtype-unsupported: Brcb takes elements of 16 and 32 bits");
    emu::check_repeat(repeatTime, "Brcb", loc);
    if (repeatTime == 0) return;
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("Brcb", "the destination", loc);
    src0.check_aligned("Brcb", "the source", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    std::vector<T> in(repeatTime * 8);
    memcpy(in.data(), src0.read(c, 0, in.size() * sizeof(T), ascendc_emu::kSlotV, seq, loc), in.size() * sizeof(T));
    for (uint64_t r = 0; r < repeatTime; ++r) {
        for (uint64_t b = 0; b < 8; ++b) {
            T* to = reinterpret_cast<T*>(dst.write(c, (r * p.dstRepStride + b * p.dstBlkStride) * 32, 32, ascendc_emu::kSlotV, seq, loc));
            for (size_t i = 0; i < 32 / sizeof(T); ++i) to[i] = in[r * 8 + b];
        }
    }
}

/// UB to UB with mask and strides.
template <class T, bool isSetMask = true, class M>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const uint64_t repeatTime, const CopyRepeatParams& p, Loc loc = Loc::here())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "dtype-unsupported: Copy takes elements of 16 and 32 bits");
    const UnaryRepeatParams u(p.dstStride, p.srcStride, static_cast<uint8_t>(p.dstRepeatSize), static_cast<uint8_t>(p.srcRepeatSize));
    if (p.dstRepeatSize > 255 || p.srcRepeatSize > 255) ascendc_emu::violation("repeat-limit", loc, "Copy: repeat stride above 255 blocks");
    emu::map1_repeat(dst, src, mask, isSetMask, repeatTime, u, "Copy", loc, [](T a, T) { return a; });
}

#if __NPU_ARCH__ == 3510
/// Pairs of elements: (a0, b0, a1, b1, ...) over two destinations, and the reverse.
template <class T>
void Interleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t count, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint64_t n = emu::checked_count(count, "Interleave", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const T* a = reinterpret_cast<const T*>(src0.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc));
    const T* b = reinterpret_cast<const T*>(src1.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc));
    std::vector<T> all(2 * n);
    for (uint64_t i = 0; i < n; ++i) {
        all[2 * i] = a[i];
        all[2 * i + 1] = b[i];
    }
    memcpy(dst0.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc), all.data(), n * sizeof(T));
    memcpy(dst1.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc), all.data() + n, n * sizeof(T));
}
template <class T>
void DeInterleave(const LocalTensor<T>& dst0, const LocalTensor<T>& dst1, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t count, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint64_t n = emu::checked_count(count, "DeInterleave", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    std::vector<T> all(2 * n);
    memcpy(all.data(), src0.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc), n * sizeof(T));
    memcpy(all.data() + n, src1.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc), n * sizeof(T));
    T* even = reinterpret_cast<T*>(dst0.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc));
    T* odd = reinterpret_cast<T*>(dst1.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc));
    for (uint64_t i = 0; i < n; ++i) {
        even[i] = all[2 * i];
        odd[i] = all[2 * i + 1];
    }
}
#endif

/// Transposes 16 x 16 elements of 16 bits.
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, Loc loc = Loc::here())
{
    static_assert(sizeof(T) == 2, "dtype-unsupported: Transpose takes 16 x 16 elements of 16 bits");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("Transpose", "the destination", loc);
    src.check_aligned("Transpose", "the source", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    T in[256];
    memcpy(in, src.read(c, 0, 512, ascendc_emu::kSlotV, seq, loc), 512);
    T* to = reinterpret_cast<T*>(dst.write(c, 0, 512, ascendc_emu::kSlotV, seq, loc));
    for (int i = 0; i < 16; ++i) {
        for (int j = 0; j < 16; ++j) to[j * 16 + i] = in[i * 16 + j];
    }
}

/// Fills GM from UB-less code, as the utility of the vendor does.
template <class T>
void InitGlobalMemory(GlobalTensor<T>& gm, const uint64_t size, const T value, Loc loc = Loc::here())
{
    T* p = gm.range(0, size, "InitGlobalMemory", loc);
    for (uint64_t i = 0; i < size; ++i) p[i] = value;
}
template <class T>
void InitOutput(GlobalTensor<T> gm, uint32_t size, T value = T(0), Loc loc = Loc::here())
{
    InitGlobalMemory(gm, size, value, loc);
}
template <class T>
void Fill(GlobalTensor<T>& gm, const uint64_t size, const T value, Loc loc = Loc::here())
{
    InitGlobalMemory(gm, size, value, loc);
}

} // namespace AscendC
