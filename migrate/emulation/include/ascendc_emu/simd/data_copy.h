// Copies between GM and UB: DataCopy, DataCopyPad, Copy, and the atomic modes of the way out.
#pragma once

#include <atomic>

#include "tpipe.h"

namespace AscendC {

namespace emu {

template <class T>
T load(const uint8_t* p)
{
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// Adds, or takes the larger or smaller, in place; other cores may do the same at the same time.
template <class T, class Word>
void atomic_element(uint8_t* to, const uint8_t* from, ascendc_emu::AtomicMode mode)
{
    Word* word = reinterpret_cast<Word*>(to);
    const T operand = load<T>(from);
    Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (;;) {
        T old;
        memcpy(&old, &seen, sizeof old);
        T fresh;
        if (mode == ascendc_emu::AtomicMode::Add) {
            fresh = static_cast<T>(old + operand);
        } else if (mode == ascendc_emu::AtomicMode::Max) {
            fresh = old > operand ? old : operand;
        } else {
            fresh = old < operand ? old : operand;
        }
        Word wanted;
        memcpy(&wanted, &fresh, sizeof wanted);
        if (__atomic_compare_exchange_n(word, &seen, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}

/// Writes bytes to GM as the atomic mode of the core says.
inline void store_gm(ascendc_emu::Core& c, uint8_t* to, const uint8_t* from, uint64_t bytes, uint64_t element, Loc loc)
{
    using ascendc_emu::AtomicType;
    if (c.atomic == ascendc_emu::AtomicMode::None) {
        memcpy(to, from, bytes);
        return;
    }
    const uint64_t size = c.atomic_type == AtomicType::F32 || c.atomic_type == AtomicType::I32 ? 4 : c.atomic_type == AtomicType::I8 ? 1 : 2;
    if (size != element || bytes % size != 0 || reinterpret_cast<uintptr_t>(to) % size != 0) {
        ascendc_emu::violation("atomic-type", loc, "a copy of elements of %llu bytes while SetAtomic* is on for elements of %llu bytes",
                               static_cast<unsigned long long>(element), static_cast<unsigned long long>(size));
    }
    for (uint64_t i = 0; i < bytes; i += size) {
        switch (c.atomic_type) {
            case AtomicType::F32: atomic_element<float, uint32_t>(to + i, from + i, c.atomic); break;
            case AtomicType::I32: atomic_element<int32_t, uint32_t>(to + i, from + i, c.atomic); break;
            case AtomicType::I16: atomic_element<int16_t, uint16_t>(to + i, from + i, c.atomic); break;
            case AtomicType::I8: atomic_element<int8_t, uint8_t>(to + i, from + i, c.atomic); break;
            case AtomicType::F16: atomic_element<half, uint16_t>(to + i, from + i, c.atomic); break;
            case AtomicType::BF16: atomic_element<bfloat16_t, uint16_t>(to + i, from + i, c.atomic); break;
            case AtomicType::None: break;
        }
    }
}

template <class T>
constexpr ascendc_emu::AtomicType atomic_type()
{
    using ascendc_emu::AtomicType;
    if constexpr (std::is_same_v<T, float>) return AtomicType::F32;
    if constexpr (std::is_same_v<T, half>) return AtomicType::F16;
    if constexpr (std::is_same_v<T, bfloat16_t>) return AtomicType::BF16;
    if constexpr (std::is_same_v<T, int32_t>) return AtomicType::I32;
    if constexpr (std::is_same_v<T, int16_t>) return AtomicType::I16;
    if constexpr (std::is_same_v<T, int8_t>) return AtomicType::I8;
    return AtomicType::None;
}

template <class T>
void set_atomic(ascendc_emu::AtomicMode mode, Loc loc)
{
    static_assert(atomic_type<T>() != ascendc_emu::AtomicType::None, "dtype-unsupported: SetAtomic* takes int8, int16, int32, half, bfloat16 and float");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    c.atomic = mode;
    c.atomic_type = atomic_type<T>();
}

/// What is copied out of UB must have been written: anything else is poison that reaches the result. Copies in whole
/// blocks may carry some unwritten bytes along, but no block of 32 bytes that nobody wrote.
template <class T>
void need_written(ascendc_emu::Core& c, const LocalTensor<T>& t, uint64_t byte, uint64_t length, bool whole_blocks, Loc loc)
{
    const uint32_t at = t.address() + static_cast<uint32_t>(byte);
    const uint32_t end = at + static_cast<uint32_t>(length);
    const uint32_t first = whole_blocks ? c.tracker.first_unwritten_block(at, end) : c.tracker.first_unwritten(at, end - at);
    if (first < end) {
        ascendc_emu::violation("ub-uninitialised", loc, "byte %u of UB goes to GM and was never written", first);
    }
}

} // namespace emu

template <class T>
void SetAtomicAdd(Loc loc = Loc::here())
{
    emu::set_atomic<T>(ascendc_emu::AtomicMode::Add, loc);
}
template <class T>
void SetAtomicMax(Loc loc = Loc::here())
{
    emu::set_atomic<T>(ascendc_emu::AtomicMode::Max, loc);
}
template <class T>
void SetAtomicMin(Loc loc = Loc::here())
{
    emu::set_atomic<T>(ascendc_emu::AtomicMode::Min, loc);
}
inline void SetAtomicNone(Loc loc = Loc::here()) { ascendc_emu::core(loc).atomic = ascendc_emu::AtomicMode::None; }
template <class T>
void DisableDmaAtomic(Loc loc = Loc::here())
{
    SetAtomicNone(loc);
}
inline void DisableDmaAtomic(Loc loc = Loc::here()) { SetAtomicNone(loc); }

/// GM to UB: blockCount rows of blockLen*32 bytes; the gaps are between the end of a row and the start of the next.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("DataCopy", "the destination", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotMte2, loc);
    const uint64_t row = uint64_t{p.blockLen} * 32;
    for (uint64_t r = 0; r < p.blockCount && row != 0; ++r) {
        const uint8_t* from = src.bytes(r * (row + uint64_t{p.srcGap} * 32), row, "DataCopy source", loc);
        c.gm.read(from, row, ascendc_emu::kSlotMte2, seq, c.tracker, loc);
        memcpy(dst.write(c, r * (row + uint64_t{p.dstGap} * 32), row, ascendc_emu::kSlotMte2, seq, loc), from, row);
    }
}

/// UB to GM.
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    src.check_aligned("DataCopy", "the source", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotMte3, loc);
    const uint64_t row = uint64_t{p.blockLen} * 32;
    for (uint64_t r = 0; r < p.blockCount && row != 0; ++r) {
        const uint64_t at = r * (row + uint64_t{p.srcGap} * 32);
        const uint8_t* from = src.read(c, at, row, ascendc_emu::kSlotMte3, seq, loc);
        emu::need_written(c, src, at, row, true, loc);
        uint8_t* to = dst.bytes(r * (row + uint64_t{p.dstGap} * 32), row, "DataCopy destination", loc);
        c.gm.write(to, row, ascendc_emu::kSlotMte3, seq, c.tracker, loc);
        emu::store_gm(c, to, from, row, sizeof(T), loc);
    }
}

/// UB to UB, on the vector pipe.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    src.check_aligned("DataCopy", "the source", loc);
    dst.check_aligned("DataCopy", "the destination", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    const uint64_t row = uint64_t{p.blockLen} * 32;
    for (uint64_t r = 0; r < p.blockCount && row != 0; ++r) {
        const uint8_t* from = src.read(c, r * (row + uint64_t{p.srcGap} * 32), row, ascendc_emu::kSlotV, seq, loc);
        memmove(dst.write(c, r * (row + uint64_t{p.dstGap} * 32), row, ascendc_emu::kSlotV, seq, loc), from, row);
    }
}

namespace emu {

/// Length of a copy by element count; it has to be a multiple of 32 bytes.
template <class T>
DataCopyParams contiguous(uint32_t count, Loc loc)
{
    const uint64_t bytes = uint64_t{count} * sizeof(T);
    if (bytes % 32 != 0) {
        ascendc_emu::violation("datacopy-length", loc, "DataCopy of %llu bytes, which is no multiple of 32 (DataCopyPad copies tails)", static_cast<unsigned long long>(bytes));
    }
    if (bytes / 32 > 0xFFFF) ascendc_emu::violation("datacopy-length", loc, "DataCopy of %llu bytes is longer than one copy can be", static_cast<unsigned long long>(bytes));
    return DataCopyParams(1, static_cast<uint16_t>(bytes / 32), 0, 0);
}

} // namespace emu

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, uint32_t count, Loc loc = Loc::here())
{
    DataCopy(dst, src, emu::contiguous<T>(count, loc), loc);
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, Loc loc = Loc::here())
{
    DataCopy(dst, src, emu::contiguous<T>(count, loc), loc);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, Loc loc = Loc::here())
{
    DataCopy(dst, src, emu::contiguous<T>(count, loc), loc);
}

namespace emu {

template <class T>
void copy_pad_in(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p, bool pad, uint32_t left, uint32_t right,
                 T value, Loc loc)
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("DataCopyPad", "the destination", loc);
    if (p.blockCount == 0 || p.blockLen == 0) return;
    if (p.blockCount > 4095) ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: blockCount %u exceeds 4095", p.blockCount);
    if (p.blockLen > 2097151) ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: blockLen %u exceeds 2097151 bytes", p.blockLen);
    if (p.blockLen % sizeof(T) != 0) ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: blockLen %u is no multiple of the element size", p.blockLen);
    if (left * sizeof(T) > 32 || right * sizeof(T) > 32) {
        ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: padding of %u and %u elements is more than 32 bytes", left, right);
    }
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotMte2, loc);
    const uint64_t data = p.blockLen;
    const uint64_t before = left * sizeof(T);
    const uint64_t filled = before + data + right * sizeof(T);
    const uint64_t row = (filled + 31) / 32 * 32;
    for (int64_t r = 0; r < p.blockCount && data != 0; ++r) {
        const int64_t step_in = static_cast<int64_t>(data) + static_cast<int64_t>(p.srcStride);
        const int64_t step_out = static_cast<int64_t>(row) + static_cast<int64_t>(p.dstStride) * 32;
        const uint8_t* from = src.bytes(static_cast<uint64_t>(r * step_in), data, "DataCopyPad source", loc);
        c.gm.read(from, data, ascendc_emu::kSlotMte2, seq, c.tracker, loc);
        uint8_t* to = dst.write(c, static_cast<uint64_t>(r * step_out), row, ascendc_emu::kSlotMte2, seq, loc);
        // Without isPad the rest of the last 32 bytes is undefined.
        ascendc_emu::poison(to, row);
        // With neither left nor right padding the vendor documents no use of paddingValue for the remainder.
        if (pad && (left != 0 || right != 0)) {
            for (uint64_t i = 0; i + sizeof(T) <= row; i += sizeof(T)) {
                // Explicit padding fills the given elements; the remainder of the block takes the value too.
                if (i < before || i >= before + data) memcpy(to + i, &value, sizeof(T));
            }
        }
        memcpy(to + before, from, data);
    }
}

} // namespace emu

/// GM to UB for lengths in bytes: each row starts at a multiple of 32 bytes of UB and is padded up to one.
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p, const DataCopyPadExtParams<T>& pad, Loc loc = Loc::here())
{
    emu::copy_pad_in(dst, src, p, pad.isPad, pad.leftPadding, pad.rightPadding, pad.paddingValue, loc);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, const DataCopyPadParams& pad, Loc loc = Loc::here())
{
    T value;
    memcpy(&value, &pad.paddingValue, sizeof(T) < 8 ? sizeof(T) : 8);
    const DataCopyExtParams e(p.blockCount, p.blockLen, p.srcGap, p.dstGap, 0);
    emu::copy_pad_in(dst, src, e, pad.isPad, pad.leftPadding, pad.rightPadding, value, loc);
}
/// UB to GM for lengths in bytes: srcStride counts 32-byte blocks of UB, dstStride bytes of GM.
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& p, Loc loc = Loc::here())
{
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    src.check_aligned("DataCopyPad", "the source", loc);
    if (p.blockCount == 0 || p.blockLen == 0) return;
    if (p.blockCount > 4095) ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: blockCount %u exceeds 4095", p.blockCount);
    if (p.blockLen > 2097151) ascendc_emu::violation("datacopypad-params", loc, "DataCopyPad: blockLen %u exceeds 2097151 bytes", p.blockLen);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotMte3, loc);
    const uint64_t data = p.blockLen;
    const int64_t step_in = static_cast<int64_t>((data + 31) / 32 * 32) + static_cast<int64_t>(p.srcStride) * 32;
    const int64_t step_out = static_cast<int64_t>(data) + static_cast<int64_t>(p.dstStride);
    for (int64_t r = 0; r < p.blockCount && data != 0; ++r) {
        const uint8_t* from = src.read(c, static_cast<uint64_t>(r * step_in), data, ascendc_emu::kSlotMte3, seq, loc);
        emu::need_written(c, src, static_cast<uint64_t>(r * step_in), data, false, loc);
        uint8_t* to = dst.bytes(static_cast<uint64_t>(r * step_out), data, "DataCopyPad destination", loc);
        c.gm.write(to, data, ascendc_emu::kSlotMte3, seq, c.tracker, loc);
        emu::store_gm(c, to, from, data, sizeof(T), loc);
    }
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p, Loc loc = Loc::here())
{
    DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcGap, p.dstGap, 0), loc);
}
/// Value of the padding for DataCopyPad calls whose parameters do not carry one.
template <class T, TPosition pos = TPosition::MAX>
void SetPadValue(T value, Loc loc = Loc::here())
{
    uint64_t word = 0;
    memcpy(&word, &value, sizeof(T));
    ascendc_emu::core(loc).pad_value = word;
}

} // namespace AscendC
