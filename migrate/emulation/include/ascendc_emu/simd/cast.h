// Conversion between element types, with the round modes that each chip's instruction has.
#pragma once

#include <limits>

#include "compare.h"

namespace AscendC {

namespace emu {

constexpr uint32_t kNone = 1, kRint = 2, kFloor = 4, kCeil = 8, kAway = 16, kTrunc = 32, kOdd = 64;
constexpr uint32_t kFive = kRint | kFloor | kCeil | kAway | kTrunc;

/// Legal round modes of a conversion on the 910B; 0 = there is no such instruction.
constexpr uint32_t cast_modes_910b(uint32_t to, uint32_t from)
{
    switch (from) {
        case I8:
        case U8: return to == F16 ? kNone : 0;
        case I16: return to == F16 ? kFive | kNone : to == F32 ? kNone : 0;
        case F16:
            return to == I8 || to == U8 ? kFive | kNone : to == I16 || to == I32 ? kFive : to == F32 ? kNone : 0;
        case BF16: return to == I32 ? kFive : to == F32 ? kNone : 0;
        case I32: return to == I16 || to == I64 ? kNone : to == F32 ? kFive | kNone : 0;
        case F32:
            return to == I16 || to == I32 || to == I64 || to == F32 || to == BF16 ? kFive : to == F16 ? kFive | kOdd | kNone : 0;
        case I64: return to == I32 ? kNone : to == F32 ? kFive : 0;
        default: return 0;
    }
}
/// On the 950 all pairs of integer and float types convert; what loses bits of a float needs a mode.
constexpr uint32_t cast_modes_950(uint32_t to, uint32_t from)
{
    if ((kAll & to) == 0 || (kAll & from) == 0) return 0;
    const uint32_t known = cast_modes_910b(to, from);
    return known != 0 ? known : kFive | kNone;
}
constexpr uint32_t cast_modes(uint32_t to, uint32_t from) { return ascendc_emu::kIs910B ? cast_modes_910b(to, from) : cast_modes_950(to, from); }

inline ascendc_emu::Round rounding(RoundMode m)
{
    using ascendc_emu::Round;
    switch (m) {
        case RoundMode::CAST_FLOOR: return Round::Floor;
        case RoundMode::CAST_CEIL: return Round::Ceil;
        case RoundMode::CAST_ROUND: return Round::Away;
        case RoundMode::CAST_TRUNC: return Round::Zero;
        case RoundMode::CAST_ODD: return Round::Odd;
        default: return Round::Nearest;
    }
}

/// Nearest integral value in the given mode.
inline double integral(double v, RoundMode m)
{
    switch (m) {
        case RoundMode::CAST_FLOOR: return std::floor(v);
        case RoundMode::CAST_CEIL: return std::ceil(v);
        case RoundMode::CAST_ROUND: return std::round(v);
        case RoundMode::CAST_TRUNC: return std::trunc(v);
        default: return std::nearbyint(v);
    }
}

/// Float to integer: out-of-range values go to the nearest end of the range, NaN to 0.
template <class D>
D saturate(double v)
{
    if (v != v) return D(0);
    constexpr double low = static_cast<double>(std::numeric_limits<D>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<D>::max());
    if (v <= low) return std::numeric_limits<D>::min();
    if (v >= high) return std::numeric_limits<D>::max();
    return static_cast<D>(v);
}

template <class D, class S>
D saturate_integer(S v)
{
    const __int128 wide = v;
    if (wide < static_cast<__int128>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
    if (wide > static_cast<__int128>(std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
    return static_cast<D>(v);
}

/// Integer to float in the given mode (float has 24 bits, so large integers are rounded).
template <class S>
float integer_to_float(S v, RoundMode m)
{
    const float nearest = static_cast<float>(v);
    const __int128 back = static_cast<__int128>(nearest);
    const __int128 exact = v;
    if (back == exact || m == RoundMode::CAST_NONE || m == RoundMode::CAST_RINT) return nearest;
    const float down = back > exact ? std::nextafter(nearest, -INFINITY) : nearest;
    const float up = back < exact ? std::nextafter(nearest, INFINITY) : nearest;
    switch (m) {
        case RoundMode::CAST_FLOOR: return down;
        case RoundMode::CAST_CEIL: return up;
        case RoundMode::CAST_TRUNC: return exact < 0 ? up : down;
        default: {
            const __int128 low = exact - static_cast<__int128>(down);
            const __int128 high = static_cast<__int128>(up) - exact;
            if (low != high) return low < high ? down : up;
            return exact < 0 ? down : up;
        }
    }
}

template <class D, class S>
D convert(S v, RoundMode m)
{
    if constexpr (std::is_integral_v<S>) {
        if constexpr (std::is_integral_v<D>) {
            return saturate_integer<D>(v);
        } else if constexpr (std::is_same_v<D, float>) {
            return integer_to_float(v, m);
        } else if constexpr (std::is_same_v<D, half>) {
            // Integers up to 24 bits are exact in float; wider ones are far beyond half's range.
            return half::raw(ascendc_emu::float_to_half_bits(integer_to_float(v, RoundMode::CAST_TRUNC), rounding(m)));
        } else {
            return bfloat16_t::raw(ascendc_emu::float_to_bf16_bits(integer_to_float(v, RoundMode::CAST_TRUNC), rounding(m)));
        }
    } else {
        const float f = static_cast<float>(v);
        if constexpr (std::is_integral_v<D>) {
            return saturate<D>(integral(f, m));
        } else if constexpr (std::is_same_v<D, float>) {
            return std::is_same_v<S, float> ? static_cast<float>(integral(f, m)) : f;
        } else if constexpr (std::is_same_v<D, half>) {
            return half::raw(ascendc_emu::float_to_half_bits(f, rounding(m)));
        } else {
            return bfloat16_t::raw(ascendc_emu::float_to_bf16_bits(f, rounding(m)));
        }
    }
}

template <class D, class S>
void check_cast(RoundMode m, Loc loc)
{
    static_assert(cast_modes(type_bit<D>(), type_bit<S>()) != 0, "dtype-unsupported: Cast has no instruction for this pair of types on this chip");
    if ((cast_modes(type_bit<D>(), type_bit<S>()) >> static_cast<uint32_t>(m) & 1) == 0) {
        ascendc_emu::violation("cast-mode", loc, "Cast: round mode %d is not legal for this pair of types", static_cast<int>(m));
    }
}

} // namespace emu

template <class T, class U>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count, Loc loc = Loc::here())
{
    emu::check_cast<T, U>(roundMode, loc);
    if (sizeof(T) > sizeof(U) && dst.address() == src.address() && count * sizeof(U) > 256) {
        ascendc_emu::violation("operand-overlap", loc, "Cast to a wider type in place overwrites elements before they are read");
    }
    // A narrowing conversion in place reads ahead of what it writes, element by element.
    emu::map1(dst, src, static_cast<int64_t>(count), "Cast", loc, [roundMode](U v) { return emu::convert<T>(v, roundMode); });
}
/// Per repeat 256 bytes of the wider type; each side steps its own blocks.
template <class T, class U, bool isSetMask = true, class M>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const M& mask, const uint64_t repeatTime, const UnaryRepeatParams& p, Loc loc = Loc::here())
{
    emu::check_cast<T, U>(roundMode, loc);
    emu::check_repeat(repeatTime, "Cast", loc);
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    dst.check_aligned("Cast", "the destination", loc);
    src.check_aligned("Cast", "the source", loc);
    constexpr size_t wide = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
    const emu::Lanes m = emu::lanes_of(c, mask, isSetMask, wide, "Cast", loc);
    const uint32_t lanes = emu::lanes_per_repeat(wide);
    const uint32_t reps = static_cast<uint32_t>(repeatTime);
    const emu::Steps d{32 / sizeof(T), p.dstBlkStride, p.dstRepStride};
    const emu::Steps s{32 / sizeof(U), p.srcBlkStride, p.srcRepStride};
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    emu::read_lanes(c, src, m, reps, lanes, s, seq, loc);
    emu::write_lanes(c, dst, m, reps, lanes, d, seq, loc);
    const U* from = emu::data(c, src);
    T* to = emu::data(c, dst);
    U line[256];
    uint32_t at = ~0u;
    emu::each_lane(m, reps, lanes, [&](uint32_t r, uint32_t l) {
        if (at != r) {
            // A repeat is read as a whole before it is written.
            for (uint32_t k = 0; k < lanes; ++k) {
                if (m.counter ? uint64_t{r} * lanes + k < m.count : m.active(k)) line[k] = from[s.at(r, k)];
            }
            at = r;
        }
        to[d.at(r, l)] = emu::convert<T>(line[l], roundMode);
    });
}

} // namespace AscendC
