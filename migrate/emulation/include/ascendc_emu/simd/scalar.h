// What kernels use on the scalar unit: printing, assertions, integer helpers, single conversions.
#pragma once

#include <cassert>
#include <cstdio>

#include "math.h"

namespace AscendC {

namespace emu {
template <class T>
auto printable(T value)
{
    if constexpr (ascendc_emu::is_small_float<T>) return static_cast<double>(static_cast<float>(value));
    else return value;
}
} // namespace emu

template <class... A>
void printf(const char* format, A... arguments)
{
    if constexpr (sizeof...(A) == 0) {
        ::fputs(format, stdout);
    } else {
        ::printf(format, emu::printable(arguments)...);
    }
}

template <class T>
void DumpTensor(const LocalTensor<T>& t, uint32_t desc, uint32_t size, Loc loc = Loc::here())
{
    ::printf("DumpTensor: desc=%u, UB byte %u, %u elements:", desc, t.address(), size);
    t.check(0, uint64_t{size} * sizeof(T), "DumpTensor", loc);
    const T* p = t.GetPhyAddr();
    for (uint32_t i = 0; i < size; ++i) ::printf(" %g", static_cast<double>(p[i]));
    ::printf("\n");
}
template <class T>
void DumpTensor(const GlobalTensor<T>& t, uint32_t desc, uint32_t size, Loc loc = Loc::here())
{
    ::printf("DumpTensor: desc=%u, GM, %u elements:", desc, size);
    const T* p = t.range(0, size, "DumpTensor", loc);
    for (uint32_t i = 0; i < size; ++i) ::printf(" %g", static_cast<double>(p[i]));
    ::printf("\n");
}

/// Reads one integer from GM past the data cache.
template <class T>
T ReadGmByPassDCache(__gm__ T* address, Loc loc = Loc::here())
{
    static_assert(std::is_integral_v<T>, "dtype-unsupported: ReadGmByPassDCache takes integers of 8 to 64 bits");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
    c.check_gm(address, sizeof(T), "ReadGmByPassDCache", loc);
    c.gm.read(address, sizeof(T), ascendc_emu::kSlotS, seq, c.tracker, loc);
    emu::poll(loc);
    return __atomic_load_n(address, __ATOMIC_RELAXED);
}
/// Writes one integer to GM past the data cache: nothing beside it is touched.
template <class T>
void WriteGmByPassDCache(__gm__ T* address, T value, Loc loc = Loc::here())
{
    static_assert(std::is_integral_v<T>, "dtype-unsupported: WriteGmByPassDCache takes integers of 8 to 64 bits");
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotS, loc);
    c.check_gm(address, sizeof(T), "WriteGmByPassDCache", loc);
    c.gm.write(address, sizeof(T), ascendc_emu::kSlotS, seq, c.tracker, loc);
    __atomic_store_n(address, value, __ATOMIC_RELAXED);
}
/// What DataSyncBarrier waits for.
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
template <MemDsbT kind>
void DataSyncBarrier()
{
}

/// Number of bits of the given value (0 or 1) in a word.
template <int countValue>
int64_t ScalarGetCountOfValue(uint64_t value)
{
    const int ones = __builtin_popcountll(value);
    return countValue == 1 ? ones : 64 - ones;
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
inline int64_t CountBitsCntSameAsSignBit(int64_t value) { return __builtin_clrsbll(value); }
template <int countValue>
int64_t ScalarGetSFFValue(uint64_t value)
{
    const uint64_t wanted = countValue == 1 ? value : ~value;
    return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
template <class S, class D, RoundMode roundMode>
D ScalarCast(S value)
{
    return emu::convert<D>(value, roundMode);
}
template <class S, class D, RoundMode roundMode>
D Cast(S value)
{
    return emu::convert<D>(value, roundMode);
}
inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

template <class T>
constexpr T DivCeil(T a, T b)
{
    return b == 0 ? T(0) : static_cast<T>((a + b - 1) / b);
}
template <class T, class U>
constexpr auto CeilDivision(T a, U b)
{
    return b == 0 ? decltype(a + b)(0) : (a + b - 1) / b;
}
template <class T, class U>
constexpr auto AlignUp(T a, U b)
{
    return CeilDivision(a, b) * b;
}

} // namespace AscendC

#define ASCENDC_ASSERT(condition, behavior)                                                                          \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            behavior;                                                                                                \
            ascendc_emu::violation("kernel-assert", ascendc_emu::Loc::here(), "assertion failed: %s", #condition);   \
        }                                                                                                            \
    } while (0)
#define ascendc_assert(condition, ...)                                                                               \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            ascendc_emu::violation("kernel-assert", ascendc_emu::Loc::here(), "assertion failed: %s", #condition);   \
        }                                                                                                            \
    } while (0)
#define KERNEL_LOG(level, ...) ((void)0)
#define PRINTF(...) AscendC::printf(__VA_ARGS__)
