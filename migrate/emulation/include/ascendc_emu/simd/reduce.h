// Reductions: over a whole range, per repeat, per block of 32 bytes, and of neighbouring pairs.
#pragma once

#include "cast.h"

namespace AscendC {

enum class ReduceType : uint8_t { SUM = 0, MAX, MIN };

namespace emu {

template <class T, ReduceType op>
T combine(T a, T b)
{
    if constexpr (op == ReduceType::SUM) return add(a, b);
    else if constexpr (op == ReduceType::MAX) return larger(a, b);
    else return smaller(a, b);
}

/// What lanes that do not take part contribute.
template <class T, ReduceType op>
T neutral()
{
    if constexpr (op == ReduceType::SUM) return T(0);
    else if constexpr (std::is_integral_v<T>) return op == ReduceType::MAX ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    else if constexpr (std::is_same_v<T, half>) return op == ReduceType::MAX ? half(-65504.0f) : half(65504.0f);
    else return op == ReduceType::MAX ? T(-INFINITY) : T(INFINITY);
}

/// Sum of the values in a binary tree, as one repeat of the hardware does it.
template <class T, ReduceType op>
T tree(T* v, uint32_t n)
{
    if (n == 0) return neutral<T, op>();
    uint32_t width = 1;
    while (width < n) width *= 2;
    for (uint32_t i = n; i < width; ++i) v[i] = neutral<T, op>();
    for (; width > 1; width /= 2) {
        for (uint32_t i = 0; i < width / 2; ++i) v[i] = combine<T, op>(v[2 * i], v[2 * i + 1]);
    }
    return v[0];
}

/// The position of an extreme value as bits in a slot of type T (uint16 for half, uint32 for float).
template <class T>
T index_bits(uint64_t index)
{
    T slot;
    memcpy(&slot, &index, sizeof slot);
    return slot;
}

/// True if b replaces the best value so far; the first of equal values stays, a NaN wins.
template <class T, ReduceType op>
bool better(T best, T b)
{
    if constexpr (!std::is_integral_v<T>) {
        if (best != best) return false;
        if (b != b) return true;
    }
    return op == ReduceType::MAX ? b > best : b < best;
}

/// Elements of work space that ReduceMax and ReduceMin need.
inline uint64_t reduce_work(uint64_t repeats, size_t size, bool index)
{
    const uint64_t block = 32 / size;
    const uint64_t rep = 256 / size;
    const auto ceil = [](uint64_t a, uint64_t b) { return (a + b - 1) / b; };
    const uint64_t first = ceil(repeats * 2, block) * block;
    if (!index) return first;
    const uint64_t out2 = ceil(repeats * 2, rep) * 2;
    const uint64_t end2 = ceil(out2, block) * block;
    if (out2 <= 2) return first + end2;
    const uint64_t out3 = ceil(out2, rep) * 2;
    return first + end2 + ceil(out3, block) * block;
}

template <class T, ReduceType op>
void extreme(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, int64_t count, bool index, const char* api, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "ReduceMax/ReduceMin", kFloats, (kFloats | I16 | U16 | I32 | U32 | I64 | U64));
    Core& c = ascendc_emu::core(loc);
    const uint64_t n = checked_count(count, api, loc);
    if (n == 0) return;
    src.check_aligned(api, "the source", loc);
    const uint64_t per_repeat = 256 / sizeof(T);
    const uint64_t repeats = n < per_repeat ? 1 : n / per_repeat;
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    src.read(c, 0, n * sizeof(T), kSlotV, seq, loc);
    if (work.address() != src.address()) {
        const uint64_t bytes = reduce_work(repeats, sizeof(T), index) * sizeof(T);
        if (work.address() + bytes > work.limit()) {
            ascendc_emu::violation("reduce-workspace", loc, "%s needs %llu bytes of work space", api, static_cast<unsigned long long>(bytes));
        }
        work.write(c, 0, bytes, kSlotV, seq, loc);
    }
    const T* x = data(c, src);
    T best = x[0];
    uint64_t at = 0;
    for (uint64_t i = 1; i < n; ++i) {
        if (better<T, op>(best, x[i])) {
            best = x[i];
            at = i;
        }
    }
    dst.write(c, 0, (index ? 2 : 1) * sizeof(T), kSlotV, seq, loc);
    T* d = data(c, dst);
    d[0] = best;
    if (index) d[1] = index_bits<T>(at);
}

} // namespace emu

/// Largest of `count` elements in dst[0]; with calIndex its position as raw bits in dst[1].
template <class T>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = false, Loc loc = Loc::here())
{
    emu::extreme<T, ReduceType::MAX>(dst, src, sharedTmpBuffer, count, calIndex, "ReduceMax", loc);
}
template <class T>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = false, Loc loc = Loc::here())
{
    emu::extreme<T, ReduceType::MIN>(dst, src, sharedTmpBuffer, count, calIndex, "ReduceMin", loc);
}

/// Sum of `count` elements in dst[0]: a tree inside each repeat, the repeats one after the other.
template <class T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const int32_t count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "ReduceSum", emu::kFloats, (emu::kFloats | emu::I32 | emu::U32 | emu::I64 | emu::U64));
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint64_t n = emu::checked_count(count, "ReduceSum", loc);
    if (n == 0) return;
    src.check_aligned("ReduceSum", "the source", loc);
    sharedTmpBuffer.check(0, 0, "use", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const T* x = reinterpret_cast<const T*>(src.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc));
    const uint64_t per_repeat = 256 / sizeof(T);
    T sum = T(0);
    T line[256 / sizeof(T)];
    for (uint64_t at = 0; at < n; at += per_repeat) {
        const uint32_t m = static_cast<uint32_t>(n - at < per_repeat ? n - at : per_repeat);
        memcpy(line, x + at, m * sizeof(T));
        const T part = emu::tree<T, ReduceType::SUM>(line, m);
        sum = at == 0 ? part : emu::add(sum, part);
    }
    memcpy(dst.write(c, 0, sizeof(T), ascendc_emu::kSlotV, seq, loc), &sum, sizeof sum);
    c.reduce_sum = static_cast<double>(sum);
}
/// Result of the last ReduceSum over a count, read by the scalar unit.
template <class T>
T GetReduceRepeatSumSpr(Loc loc = Loc::here())
{
    return static_cast<T>(ascendc_emu::core(loc).reduce_sum);
}
template <class T>
T GetAccVal(Loc loc = Loc::here())
{
    return GetReduceRepeatSumSpr<T>(loc);
}

namespace emu {

/// Strided, masked form of the reductions over everything: `line(r)` repeats of the source, then one result.
template <class T, ReduceType op, class M>
void reduce_strided(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, M mask, int64_t repeat, int64_t src_repeat, bool index, const char* api, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "Reduce", kFloats, (kFloats | I16 | U16 | I32 | U32));
    Core& c = ascendc_emu::core(loc);
    if (repeat <= 0) return;
    src.check_aligned(api, "the source", loc);
    const Lanes m = lanes_of(c, mask, true, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const uint32_t reps = static_cast<uint32_t>(repeat);
    const Steps s{32 / sizeof(T), 1, static_cast<uint32_t>(src_repeat)};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, src, m, reps, lanes, s, seq, loc);
    const uint64_t block = 32 / sizeof(T);
    const uint64_t need = op == ReduceType::SUM ? (uint64_t{reps} + block - 1) / block * block : reduce_work(reps, sizeof(T), index);
    if (work.address() != src.address()) {
        if (work.address() + need * sizeof(T) > work.limit()) {
            ascendc_emu::violation("reduce-workspace", loc, "%s needs %llu bytes of work space", api, static_cast<unsigned long long>(need * sizeof(T)));
        }
        work.write(c, 0, need * sizeof(T), kSlotV, seq, loc);
    }
    const T* from = data(c, src);
    std::vector<T> parts;
    T best = neutral<T, op>();
    uint64_t at = 0;
    bool first = true;
    for (uint32_t r = 0; r < reps; ++r) {
        std::vector<T> line(2 * lanes);
        uint32_t n = 0;
        for (uint32_t l = 0; l < lanes; ++l) {
            if (!m.active(l)) continue;
            const T v = from[s.at(r, l)];
            line[n++] = v;
            if (op != ReduceType::SUM && (first || better<T, op>(best, v))) {
                best = v;
                at = uint64_t{r} * lanes + l;
                first = false;
            }
        }
        parts.push_back(tree<T, op>(line.data(), n));
    }
    if (op == ReduceType::SUM) {
        // The sums of the repeats are added in a tree as well.
        const uint32_t n = static_cast<uint32_t>(parts.size());
        parts.resize(2 * parts.size() + 2);
        best = tree<T, op>(parts.data(), n);
    }
    dst.write(c, 0, (index ? 2 : 1) * sizeof(T), kSlotV, seq, loc);
    data(c, dst)[0] = best;
    if (index) data(c, dst)[1] = index_bits<T>(at);
}

inline const uint64_t* as_mask(const uint64_t* mask) { return mask; }
template <class N, std::enable_if_t<std::is_integral_v<N>, int> = 0>
uint64_t as_mask(N mask)
{
    return static_cast<uint64_t>(mask);
}

} // namespace emu

template <class T, class M>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const M& mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, Loc loc = Loc::here())
{
    emu::reduce_strided<T, ReduceType::MAX>(dst, src, sharedTmpBuffer, emu::as_mask(mask), repeatTime, srcRepStride, calIndex, "ReduceMax", loc);
}
template <class T, class M>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const M& mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, Loc loc = Loc::here())
{
    emu::reduce_strided<T, ReduceType::MIN>(dst, src, sharedTmpBuffer, emu::as_mask(mask), repeatTime, srcRepStride, calIndex, "ReduceMin", loc);
}
template <class T, class M>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, const M& mask, const int32_t repeatTime, const int32_t srcRepStride, Loc loc = Loc::here())
{
    emu::reduce_strided<T, ReduceType::SUM>(dst, src, sharedTmpBuffer, emu::as_mask(mask), repeatTime, srcRepStride, false, "ReduceSum", loc);
}

namespace emu {

/// Collects the active lanes of one repeat; returns how many there are.
template <class T>
uint32_t gather_repeat(const T* from, const Lanes& m, const Steps& s, uint32_t rep, uint32_t lanes, T* line, uint32_t* where)
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < lanes; ++l) {
        const bool on = m.counter ? uint64_t{rep} * lanes + l < m.count : m.active(l);
        if (!on) continue;
        line[n] = from[s.at(rep, l)];
        where[n++] = l;
    }
    return n;
}

template <class T, ReduceType op, class M>
void whole(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, bool set, int64_t repeat, int64_t dst_stride, int64_t src_block, int64_t src_repeat, ReduceOrder order, bool with_index, const char* api, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "WholeReduce", kFloats, (kFloats | I16 | U16 | I32 | U32));
    check_repeat(static_cast<uint64_t>(repeat), api, loc);
    Core& c = ascendc_emu::core(loc);
    const uint32_t reps = static_cast<uint32_t>(repeat);
    src.check_aligned(api, "the source", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps s{32 / sizeof(T), static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, src, m, reps, lanes, s, seq, loc);
    const uint32_t width = with_index && (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE) ? 2 : 1;
    const T* from = data(c, src);
    T line[256];
    uint32_t where[256];
    for (uint32_t r = 0; r < reps; ++r) {
        const uint32_t n = gather_repeat(from, m, s, r, lanes, line, where);
        T value = neutral<T, op>();
        uint32_t at = 0;
        if (op == ReduceType::SUM) {
            value = tree<T, op>(line, n);
        } else if (n != 0) {
            value = line[0];
            at = where[0];
            for (uint32_t i = 1; i < n; ++i) {
                if (better<T, op>(value, line[i])) {
                    value = line[i];
                    at = where[i];
                }
            }
        }
        T* d = reinterpret_cast<T*>(dst.write(c, uint64_t{r} * static_cast<uint64_t>(dst_stride) * width * sizeof(T), width * sizeof(T), kSlotV, seq, loc));
        if (!with_index || order == ReduceOrder::ORDER_ONLY_VALUE) {
            d[0] = value;
        } else if (order == ReduceOrder::ORDER_ONLY_INDEX) {
            d[0] = index_bits<T>(at);
        } else {
            d[order == ReduceOrder::ORDER_VALUE_INDEX ? 0 : 1] = value;
            d[order == ReduceOrder::ORDER_VALUE_INDEX ? 1 : 0] = index_bits<T>(at);
        }
    }
}

/// One result per block of 32 bytes; each repeat gives 8 results.
template <class T, ReduceType op, class M>
void per_block(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, bool set, int64_t repeat, int64_t dst_stride, int64_t src_block, int64_t src_repeat, const char* api, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "BlockReduce", kFloats, kFloats);
    check_repeat(static_cast<uint64_t>(repeat), api, loc);
    Core& c = ascendc_emu::core(loc);
    const uint32_t reps = static_cast<uint32_t>(repeat);
    src.check_aligned(api, "the source", loc);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), api, loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const uint32_t per = 32 / sizeof(T);
    const Steps s{per, static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, src, m, reps, lanes, s, seq, loc);
    const T* from = data(c, src);
    for (uint32_t r = 0; r < reps; ++r) {
        T* d = reinterpret_cast<T*>(dst.write(c, uint64_t{r} * static_cast<uint64_t>(dst_stride) * 8 * sizeof(T), 8 * sizeof(T), kSlotV, seq, loc));
        for (uint32_t b = 0; b < 8; ++b) {
            T line[32];
            uint32_t n = 0;
            for (uint32_t i = 0; i < per; ++i) {
                const uint32_t l = b * per + i;
                const bool on = m.counter ? uint64_t{r} * lanes + l < m.count : m.active(l);
                if (on) line[n++] = from[s.at(r, l)];
            }
            d[b] = tree<T, op>(line, n);
        }
    }
}

} // namespace emu

// The mask is a number of elements or an array of bits; strides of the source in blocks of 32 bytes.
#define ASCENDC_EMU_WHOLE(Name, op, index)                                                                                          \
    template <class T, bool isSetMask = true, class M>                                                                              \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask, const int32_t repeatTime,                         \
              const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                                   \
              ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Loc loc = Loc::here())                                            \
    {                                                                                                                               \
        emu::whole<T, op>(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order,     \
                          index, #Name, loc);                                                                                       \
    }


ASCENDC_EMU_WHOLE(WholeReduceSum, ReduceType::SUM, false)
ASCENDC_EMU_WHOLE(RepeatReduceSum, ReduceType::SUM, false)
ASCENDC_EMU_WHOLE(WholeReduceMax, ReduceType::MAX, true)
ASCENDC_EMU_WHOLE(WholeReduceMin, ReduceType::MIN, true)
#undef ASCENDC_EMU_WHOLE

/// The newer name of WholeReduce*.
template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Loc loc = Loc::here())
{
    static_assert(std::is_same_v<T, U>, "ascendc_emu: ReduceRepeat with one element type only");
    emu::whole<T, reduceType>(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order, reduceType != ReduceType::SUM, "ReduceRepeat", loc);
}

#define ASCENDC_EMU_BLOCK(Name, op)                                                                                                 \
    template <class T, bool isSetMask = true, class M>                                                                              \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const M& mask,                         \
              const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Loc loc = Loc::here())            \
    {                                                                                                                               \
        emu::per_block<T, op>(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,        \
                              #Name, loc);                                                                                          \
    }
ASCENDC_EMU_BLOCK(BlockReduceSum, ReduceType::SUM)
ASCENDC_EMU_BLOCK(BlockReduceMax, ReduceType::MAX)
ASCENDC_EMU_BLOCK(BlockReduceMin, ReduceType::MIN)
#undef ASCENDC_EMU_BLOCK

/// The newer name of BlockReduce*; here the mask comes before the repeats.
template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Loc loc = Loc::here())
{
    static_assert(std::is_same_v<T, U>, "ascendc_emu: ReduceDataBlock with one element type only");
    emu::per_block<T, reduceType>(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, "ReduceDataBlock", loc);
}

namespace emu {

/// Sums of neighbouring pairs: each repeat gives half a repeat of results.
template <class T, class M>
void pairs(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, bool set, int64_t repeat, int64_t dst_stride, int64_t src_block, int64_t src_repeat, Loc loc)
{
    ASCENDC_EMU_DTYPE(T, "PairReduceSum", kFloats, kFloats);
    check_repeat(static_cast<uint64_t>(repeat), "PairReduceSum", loc);
    Core& c = ascendc_emu::core(loc);
    const uint32_t reps = static_cast<uint32_t>(repeat);
    const Lanes m = lanes_of(c, mask, set, sizeof(T), "PairReduceSum", loc);
    const uint32_t lanes = lanes_per_repeat(sizeof(T));
    const Steps s{32 / sizeof(T), static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_repeat)};
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    read_lanes(c, src, m, reps, lanes, s, seq, loc);
    const T* from = data(c, src);
    for (uint32_t r = 0; r < reps; ++r) {
        T* d = reinterpret_cast<T*>(dst.write(c, uint64_t{r} * static_cast<uint64_t>(dst_stride) * 128, 128, kSlotV, seq, loc));
        for (uint32_t l = 0; l < lanes; l += 2) {
            const auto lane = [&](uint32_t k) {
                const bool on = m.counter ? uint64_t{r} * lanes + k < m.count : m.active(k);
                return on ? from[s.at(r, k)] : T(0);
            };
            d[l / 2] = add(lane(l), lane(l + 1));
        }
    }
}

} // namespace emu

template <class T, bool isSetMask = true, class M>
void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const M& mask, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Loc loc = Loc::here())
{
    emu::pairs(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, loc);
}
template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask, const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, Loc loc = Loc::here())
{
    static_assert(reduceType == ReduceType::SUM && std::is_same_v<T, U>, "ascendc_emu: ReducePairElem sums pairs of one element type");
    emu::pairs(dst, src, emu::as_mask(mask), isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, loc);
}

} // namespace AscendC
