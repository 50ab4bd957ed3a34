// Element-wise arithmetic: two operands, one operand, and operand with scalar.
#pragma once

#include "vector.h"

namespace AscendC {

namespace emu {

/// Type in which an operation on T is computed before it is rounded back to T.
template <class T>
using Wide = std::conditional_t<ascendc_emu::is_small_float<T>, float, T>;

/// Integer results wrap; small floats are rounded to nearest even.
template <class T, class F>
T apply2(T a, T b, F f)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<std::conditional_t<(sizeof(T) < 4), int32_t, T>>;
        return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
    } else {
        return static_cast<T>(f(static_cast<Wide<T>>(a), static_cast<Wide<T>>(b)));
    }
}

template <class T>
T add(T a, T b)
{
    return apply2(a, b, [](auto x, auto y) { return x + y; });
}
template <class T>
T sub(T a, T b)
{
    return apply2(a, b, [](auto x, auto y) { return x - y; });
}
template <class T>
T mul(T a, T b)
{
    return apply2(a, b, [](auto x, auto y) { return x * y; });
}
template <class T>
T divide(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return sub(T(0), a);
        }
        return static_cast<T>(a / b);
    } else {
        return static_cast<T>(static_cast<Wide<T>>(a) / static_cast<Wide<T>>(b));
    }
}
// A NaN operand gives a NaN.
template <class T>
T larger(T a, T b)
{
    if constexpr (!std::is_integral_v<T>) {
        if (a != a) return a;
        if (b != b) return b;
        const float x = static_cast<float>(a);
        const float y = static_cast<float>(b);
        if (x == 0.0f && y == 0.0f) return std::signbit(x) ? b : a;
    }
    return a > b ? a : b;
}
template <class T>
T smaller(T a, T b)
{
    if constexpr (!std::is_integral_v<T>) {
        if (a != a) return a;
        if (b != b) return b;
        const float x = static_cast<float>(a);
        const float y = static_cast<float>(b);
        if (x == 0.0f && y == 0.0f) return std::signbit(x) ? a : b;
    }
    return a < b ? a : b;
}
template <class T>
T relu(T a)
{
    return larger(a, T(0));
}

} // namespace emu

// The mask forms take the mask as a number of elements or bit by bit; `repeatTime` is wider here than the vendor's uint8_t,
// so that a count that would be cut off is seen.
#define ASCENDC_EMU_BINARY(Name, on_910b, on_950, ...)                                                                              \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count,               \
              Loc loc = Loc::here())                                                                                                \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map2(dst, src0, src1, count, #Name, loc, [](T a, T b) -> T { return __VA_ARGS__; });                                   \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,                      \
              const uint64_t repeatTime, const BinaryRepeatParams& repeatParams, Loc loc = Loc::here())                             \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map2_repeat(dst, src0, src1, mask, isSetMask, repeatTime, repeatParams, #Name, loc,                                    \
                         [](T a, T b, T) -> T { return __VA_ARGS__; });                                                             \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const uint64_t mask[],              \
              const uint64_t repeatTime, const BinaryRepeatParams& repeatParams, Loc loc = Loc::here())                             \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map2_repeat(dst, src0, src1, mask, isSetMask, repeatTime, repeatParams, #Name, loc,                                    \
                         [](T a, T b, T) -> T { return __VA_ARGS__; });                                                             \
    }

#define ASCENDC_EMU_TYPES_ADD (emu::I16 | emu::I32 | emu::F16 | emu::F32), emu::kAll
ASCENDC_EMU_BINARY(Add, (emu::I16 | emu::I32 | emu::F16 | emu::F32), emu::kAll, emu::add(a, b))
ASCENDC_EMU_BINARY(Sub, (emu::I16 | emu::I32 | emu::F16 | emu::F32), emu::kAll, emu::sub(a, b))
ASCENDC_EMU_BINARY(Mul, (emu::I16 | emu::I32 | emu::F16 | emu::F32), (emu::kAll & ~uint32_t(emu::I8 | emu::U8)), emu::mul(a, b))
ASCENDC_EMU_BINARY(Div, emu::kFloats, (emu::kFloats | (emu::kAllInts & ~uint32_t(emu::I8 | emu::U8))), emu::divide(a, b))
ASCENDC_EMU_BINARY(Max, (emu::I16 | emu::I32 | emu::F16 | emu::F32), emu::kAll, emu::larger(a, b))
ASCENDC_EMU_BINARY(Min, (emu::I16 | emu::I32 | emu::F16 | emu::F32), emu::kAll, emu::smaller(a, b))
ASCENDC_EMU_BINARY(And, (emu::I16 | emu::U16), emu::kAllInts, static_cast<T>(a & b))
ASCENDC_EMU_BINARY(Or, (emu::I16 | emu::U16), emu::kAllInts, static_cast<T>(a | b))
ASCENDC_EMU_BINARY(AddRelu, (emu::I16 | emu::F16 | emu::F32), (emu::I16 | emu::I64 | emu::U64 | emu::F16 | emu::F32), emu::relu(emu::add(a, b)))
ASCENDC_EMU_BINARY(SubRelu, (emu::I16 | emu::F16 | emu::F32), (emu::I16 | emu::I64 | emu::U64 | emu::F16 | emu::F32), emu::relu(emu::sub(a, b)))
#undef ASCENDC_EMU_TYPES_ADD
#undef ASCENDC_EMU_BINARY

#define ASCENDC_EMU_UNARY(Name, on_910b, on_950, ...)                                                                               \
    template <class T, auto config = 0>                                                                                             \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, Loc loc = Loc::here())                     \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1(dst, src, count, #Name, loc, [](T a) -> T { return __VA_ARGS__; });                                               \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint64_t repeatTime,                        \
              const UnaryRepeatParams& repeatParams, Loc loc = Loc::here())                                                         \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1_repeat(dst, src, mask, isSetMask, repeatTime, repeatParams, #Name, loc, [](T a, T) -> T { return __VA_ARGS__; }); \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint64_t repeatTime,                \
              const UnaryRepeatParams& repeatParams, Loc loc = Loc::here())                                                         \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1_repeat(dst, src, mask, isSetMask, repeatTime, repeatParams, #Name, loc, [](T a, T) -> T { return __VA_ARGS__; }); \
    }

namespace emu {

/// A float function on T, rounded back to T. The hardware is within about one unit in the last place of these.
template <class T, class F>
T through_float(T a, F f)
{
    return static_cast<T>(f(static_cast<float>(a)));
}
template <class T>
T absolute(T a)
{
    if constexpr (std::is_integral_v<T>) {
        return a < 0 ? static_cast<T>(sub(T(0), a)) : a;
    } else {
        return static_cast<T>(std::fabs(static_cast<float>(a)));
    }
}

} // namespace emu

ASCENDC_EMU_UNARY(Exp, emu::kFloats, emu::kFloats, emu::through_float(a, [](float x) { return std::exp(x); }))
ASCENDC_EMU_UNARY(Ln, emu::kFloats, emu::kFloats, emu::through_float(a, [](float x) { return std::log(x); }))
ASCENDC_EMU_UNARY(Sqrt, emu::kFloats, emu::kFloats, emu::through_float(a, [](float x) { return std::sqrt(x); }))
ASCENDC_EMU_UNARY(Rsqrt, emu::kFloats, emu::kFloats, emu::through_float(a, [](float x) { return 1.0f / std::sqrt(x); }))
ASCENDC_EMU_UNARY(Reciprocal, emu::kFloats, (emu::kFloats | emu::I64 | emu::U64), emu::through_float(a, [](float x) { return 1.0f / x; }))
ASCENDC_EMU_UNARY(Abs, (emu::I16 | emu::kFloats), (emu::I8 | emu::I16 | emu::I32 | emu::I64 | emu::kFloats), emu::absolute(a))
ASCENDC_EMU_UNARY(Relu, (emu::I32 | emu::kFloats), (emu::I32 | emu::I64 | emu::kFloats), emu::relu(a))
ASCENDC_EMU_UNARY(Not, (emu::I16 | emu::U16), emu::kAllInts, static_cast<T>(~a))
#if __NPU_ARCH__ == 3510
ASCENDC_EMU_UNARY(Neg, 0, (emu::I8 | emu::I16 | emu::I32 | emu::I64 | emu::kFloats), emu::sub(T(0), a))
#endif
#undef ASCENDC_EMU_UNARY

// Scalars are taken in the element type; the vendor's overloads reject other types, so they are not deduced here either.
#define ASCENDC_EMU_SCALAR(Name, on_910b, on_950, ...)                                                                              \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                    \
              const int32_t& count, Loc loc = Loc::here())                                                                          \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1(dst, src, count, #Name, loc, [b = scalarValue](T a) -> T { return __VA_ARGS__; });                                \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,     \
              const uint64_t repeatTime, const UnaryRepeatParams& repeatParams, Loc loc = Loc::here())                              \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1_repeat(dst, src, mask, isSetMask, repeatTime, repeatParams, #Name, loc,                                           \
                         [b = scalarValue](T a, T) -> T { return __VA_ARGS__; });                                                   \
    }                                                                                                                               \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                    \
              const uint64_t mask[], const uint64_t repeatTime, const UnaryRepeatParams& repeatParams, Loc loc = Loc::here())       \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::map1_repeat(dst, src, mask, isSetMask, repeatTime, repeatParams, #Name, loc,                                           \
                         [b = scalarValue](T a, T) -> T { return __VA_ARGS__; });                                                   \
    }

namespace emu {
constexpr uint32_t kScalar910B = I16 | I32 | F16 | F32;
constexpr uint32_t kScalar950 = I8 | U8 | I16 | I32 | I64 | U64 | F16 | BF16 | F32;
constexpr uint32_t kShift910B = I16 | U16 | I32 | U32;

template <class T>
T shift_left(T a, T b)
{
    using U = std::make_unsigned_t<T>;
    const uint64_t n = static_cast<uint64_t>(b);
    return n >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<U>(a) << n);
}
/// Logical for unsigned, arithmetic for signed elements.
template <class T>
T shift_right(T a, T b)
{
    const uint64_t n = static_cast<uint64_t>(b);
    if (n >= sizeof(T) * 8) return a < 0 ? static_cast<T>(-1) : T(0);
    return static_cast<T>(a >> n);
}
} // namespace emu

ASCENDC_EMU_SCALAR(Adds, emu::kScalar910B, emu::kScalar950, emu::add(a, b))
ASCENDC_EMU_SCALAR(Muls, emu::kScalar910B, emu::kScalar950, emu::mul(a, b))
ASCENDC_EMU_SCALAR(Maxs, emu::kScalar910B, emu::kScalar950, emu::larger(a, b))
ASCENDC_EMU_SCALAR(Mins, emu::kScalar910B, emu::kScalar950, emu::smaller(a, b))
ASCENDC_EMU_SCALAR(LeakyRelu, emu::kFloats, emu::kFloats, (static_cast<float>(a) >= 0 ? a : emu::mul(a, b)))
ASCENDC_EMU_SCALAR(ShiftLeft, emu::kShift910B, emu::kAllInts, emu::shift_left(a, b))
ASCENDC_EMU_SCALAR(ShiftRight, emu::kShift910B, emu::kAllInts, emu::shift_right(a, b))
#if __NPU_ARCH__ == 3510
ASCENDC_EMU_SCALAR(Subs, 0, emu::kScalar950, emu::sub(a, b))
ASCENDC_EMU_SCALAR(Divs, 0, (emu::kFloats | emu::I16 | emu::I32), emu::divide(a, b))
ASCENDC_EMU_SCALAR(Ands, 0, emu::kAllInts, static_cast<T>(a & b))
ASCENDC_EMU_SCALAR(Ors, 0, emu::kAllInts, static_cast<T>(a | b))
#endif
#undef ASCENDC_EMU_SCALAR

// --- instructions that also read the destination ---

/// dst += src * scalar. On T = float with U = half the product is taken in float.
template <class T, class U>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Axpy", emu::kFloats, (emu::kFloats | emu::BF16 | emu::I64 | emu::U64));
    ascendc_emu::Core& c = ascendc_emu::core(loc);
    const uint64_t n = emu::checked_count(count, "Axpy", loc);
    if (n == 0) return;
    dst.check_aligned("Axpy", "the destination", loc);
    src.check_aligned("Axpy", "the source", loc);
    const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);
    src.read(c, 0, n * sizeof(U), ascendc_emu::kSlotV, seq, loc);
    dst.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);
    dst.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);
    const U* s = emu::data(c, src);
    T* d = emu::data(c, dst);
    for (uint64_t i = 0; i < n; ++i) {
        d[i] = static_cast<T>(std::fma(static_cast<float>(s[i]), static_cast<float>(scalarValue), static_cast<float>(d[i])));
    }
}

#define ASCENDC_EMU_TERNARY(Name, on_910b, on_950, ...)                                                                             \
    template <class T, bool isSetMask = true>                                                                                       \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count,               \
              Loc loc = Loc::here())                                                                                                \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        ascendc_emu::Core& c = ascendc_emu::core(loc);                                                                              \
        const uint64_t n = emu::checked_count(count, #Name, loc);                                                                   \
        if (n == 0) return;                                                                                                         \
        dst.check_aligned(#Name, "the destination", loc);                                                                           \
        src0.check_aligned(#Name, "the first source", loc);                                                                         \
        src1.check_aligned(#Name, "the second source", loc);                                                                        \
        const uint32_t seq = c.tracker.issue(ascendc_emu::kSlotV, loc);                                                             \
        src0.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);                                                              \
        src1.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);                                                              \
        dst.read(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);                                                               \
        dst.write(c, 0, n * sizeof(T), ascendc_emu::kSlotV, seq, loc);                                                              \
        const T* x = emu::data(c, src0);                                                                                            \
        const T* y = emu::data(c, src1);                                                                                            \
        T* z = emu::data(c, dst);                                                                                                   \
        for (uint64_t i = 0; i < n; ++i) {                                                                                          \
            const float a = static_cast<float>(x[i]), b = static_cast<float>(y[i]), d = static_cast<float>(z[i]);                   \
            z[i] = static_cast<T>(__VA_ARGS__);                                                                                     \
        }                                                                                                                           \
    }
ASCENDC_EMU_TERNARY(MulAddDst, emu::kFloats, (emu::kFloats | emu::I64 | emu::U64), std::fma(a, b, d))
ASCENDC_EMU_TERNARY(FusedMulAdd, emu::kFloats, (emu::kFloats | emu::BF16 | emu::I64 | emu::U64), std::fma(a, d, b))
ASCENDC_EMU_TERNARY(FusedMulAddRelu, emu::kFloats, (emu::kFloats | emu::I64 | emu::U64), std::fmax(std::fma(a, d, b), 0.0f))
#undef ASCENDC_EMU_TERNARY

} // namespace AscendC
