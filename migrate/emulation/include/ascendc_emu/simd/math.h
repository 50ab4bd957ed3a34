// High-level mathematical functions, with and without a work buffer.
//
// Values are those of the host's libm in float, rounded to the element type. The hardware differs in the last places, so
// results of these functions are compared with a tolerance.
#pragma once

#include "move.h"

namespace AscendC {

namespace emu {

template <class T>
void use_work(const LocalTensor<uint8_t>& work, const char* api, Loc loc)
{
    Core& c = ascendc_emu::core(loc);
    const uint64_t bytes = work.GetSize();
    if (bytes == 0) ascendc_emu::violation("work-buffer", loc, "%s: the work buffer is empty", api);
    work.check_aligned(api, "the work buffer", loc);
    const uint32_t seq = c.tracker.issue(kSlotV, loc);
    // What is left in the work buffer is undefined.
    ascendc_emu::poison(work.write(c, 0, bytes, kSlotV, seq, loc), bytes);
}

template <class A, class B>
void check_disjoint(const LocalTensor<A>& a, uint64_t a_bytes, const LocalTensor<B>& b, uint64_t b_bytes, const char* api, Loc loc)
{
    if (a.address() < b.address() + b_bytes && b.address() < a.address() + a_bytes) {
        ascendc_emu::violation("operand-overlap", loc, "%s: the vendor allows no overlap of its operands (UB bytes %u and %u)", api, a.address(), b.address());
    }
}

inline float gelu(float x)
{
    // The vendor's form: x / (1 + exp(-1.59576912 (x + 0.044715 x^3))).
    return x / (1.0f + std::exp(-1.59576912f * (x + 0.044715f * x * x * x)));
}
inline float faster_gelu(float x)
{
    const float a = std::fabs(x);
    return x / (1.0f + std::exp(-1.702f * a)) * std::exp(0.851f * (x - a));
}
inline float sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; }
inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
/// Logarithmic derivative of the gamma function: recurrence to large arguments, then the asymptotic series.
inline float digamma(float value)
{
    double x = value;
    double sum = 0;
    if (x <= 0 && x == std::floor(x)) return NAN;
    if (x < 0) {
        sum = -M_PI / std::tan(M_PI * x);
        x = 1 - x;
    }
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    const double r = 1 / (x * x);
    return static_cast<float>(sum + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240))));
}

} // namespace emu

// Four forms: with and without work buffer, with and without count. `overlap` says whether dst may be src.
#define ASCENDC_EMU_MATH(Name, overlap, ...)                                                                                        \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount, Loc loc = Loc::here())                  \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, emu::kFloats, emu::kFloats);                                                                    \
        if (!overlap) emu::check_disjoint(dst, calCount * sizeof(T), src, calCount * sizeof(T), #Name, loc);                        \
        emu::map1(dst, src, static_cast<int64_t>(calCount), #Name, loc,                                                             \
                  [](T v) { return emu::through_float(v, [](float x) -> float { return __VA_ARGS__; }); });                         \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,                     \
              const uint32_t calCount, Loc loc = Loc::here())                                                                       \
    {                                                                                                                               \
        emu::check_disjoint(sharedTmpBuffer, sharedTmpBuffer.GetSize(), src, calCount * sizeof(T), #Name, loc);                     \
        emu::check_disjoint(sharedTmpBuffer, sharedTmpBuffer.GetSize(), dst, calCount * sizeof(T), #Name, loc);                     \
        Name<T, isReuseSource>(dst, src, calCount, loc);                                                                            \
        emu::use_work<T>(sharedTmpBuffer, #Name, loc);                                                                              \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,                     \
              Loc loc = Loc::here())                                                                                                \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src, sharedTmpBuffer, src.GetSize(), loc);                                                      \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, Loc loc = Loc::here())                                           \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src, src.GetSize(), loc);                                                                       \
    }
ASCENDC_EMU_MATH(Tanh, false, std::tanh(x))
ASCENDC_EMU_MATH(Sin, false, std::sin(x))
ASCENDC_EMU_MATH(Cos, false, std::cos(x))
ASCENDC_EMU_MATH(Tan, false, std::tan(x))
ASCENDC_EMU_MATH(Asin, false, std::asin(x))
ASCENDC_EMU_MATH(Acos, false, std::acos(x))
ASCENDC_EMU_MATH(Atan, false, std::atan(x))
ASCENDC_EMU_MATH(Sinh, false, std::sinh(x))
ASCENDC_EMU_MATH(Cosh, false, std::cosh(x))
ASCENDC_EMU_MATH(Asinh, false, std::asinh(x))
ASCENDC_EMU_MATH(Acosh, false, std::acosh(x))
ASCENDC_EMU_MATH(Atanh, false, std::atanh(x))
ASCENDC_EMU_MATH(Erf, false, std::erf(x))
ASCENDC_EMU_MATH(Erfc, false, std::erfc(x))
ASCENDC_EMU_MATH(Log, false, std::log(x))
ASCENDC_EMU_MATH(Log2, false, std::log2(x))
ASCENDC_EMU_MATH(Log10, false, std::log10(x))
ASCENDC_EMU_MATH(Floor, false, std::floor(x))
ASCENDC_EMU_MATH(Ceil, false, std::ceil(x))
ASCENDC_EMU_MATH(Trunc, true, std::trunc(x))
ASCENDC_EMU_MATH(Round, true, std::nearbyint(x))
ASCENDC_EMU_MATH(Frac, false, x - std::trunc(x))
ASCENDC_EMU_MATH(Sign, false, emu::sign(x))
ASCENDC_EMU_MATH(Lgamma, false, std::lgamma(x))
ASCENDC_EMU_MATH(Digamma, false, emu::digamma(x))
ASCENDC_EMU_MATH(Sigmoid, false, emu::sigmoid(x))
ASCENDC_EMU_MATH(Gelu, true, emu::gelu(x))
ASCENDC_EMU_MATH(FasterGelu, true, emu::faster_gelu(x))
ASCENDC_EMU_MATH(FasterGeluV2, true, emu::faster_gelu(x))
ASCENDC_EMU_MATH(Silu, false, x / (1.0f + std::exp(-x)))
#if __NPU_ARCH__ == 3510
ASCENDC_EMU_MATH(Rint, false, std::nearbyint(x))
#endif
#undef ASCENDC_EMU_MATH

/// exp with a work buffer; the template numbers choose the vendor's algorithm and do not change the result here.
template <class T, uint8_t taylorExpandLevel = 0, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, Loc loc = Loc::here())
{
    emu::check_disjoint(dst, calCount * sizeof(T), src, calCount * sizeof(T), "Exp", loc);
    Exp(dst, src, static_cast<int32_t>(calCount), loc);
    emu::use_work<T>(sharedTmpBuffer, "Exp", loc);
}

/// src * sigmoid(scalar * src).
template <class T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize, const T scalarValue, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Swish", emu::kFloats, emu::kFloats);
    emu::check_disjoint(dst, dataSize * sizeof(T), src, dataSize * sizeof(T), "Swish", loc);
    const float beta = static_cast<float>(scalarValue);
    emu::map1(dst, src, static_cast<int64_t>(dataSize), "Swish", loc, [beta](T v) { return emu::through_float(v, [beta](float x) { return x / (1.0f + std::exp(-beta * x)); }); });
}

#define ASCENDC_EMU_CLAMP(Name, ...)                                                                                                \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::enable_if_t<true, T> scalar, const uint32_t calCount, \
              Loc loc = Loc::here())                                                                                                \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, emu::kFloats, emu::kFloats);                                                                    \
        emu::check_disjoint(dst, calCount * sizeof(T), src, calCount * sizeof(T), #Name, loc);                                      \
        emu::map1(dst, src, static_cast<int64_t>(calCount), #Name, loc, [scalar](T v) -> T { return __VA_ARGS__; });                \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,                     \
              const std::enable_if_t<true, T> scalar, const uint32_t calCount, Loc loc = Loc::here())                               \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src, scalar, calCount, loc);                                                                    \
        emu::use_work<T>(sharedTmpBuffer, #Name, loc);                                                                              \
    }
ASCENDC_EMU_CLAMP(ClampMax, v > scalar ? scalar : v)
ASCENDC_EMU_CLAMP(ClampMin, v < scalar ? scalar : v)
#undef ASCENDC_EMU_CLAMP

namespace emu {

template <class T>
T power(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b % 2 == 0 ? T(1) : T(-1)) : T(0);
        T result = T(1);
        for (T n = b, base = a; n > 0; n = static_cast<T>(n / 2), base = mul(base, base)) {
            if (n % 2 == 1) result = mul(result, base);
        }
        return result;
    } else {
        return static_cast<T>(std::pow(static_cast<float>(a), static_cast<float>(b)));
    }
}
template <class T>
T modulo(T a, T b)
{
    return static_cast<T>(std::fmod(static_cast<float>(a), static_cast<float>(b)));
}
constexpr uint32_t kPower950 = kFloats | I8 | U8 | I16 | U16 | I32 | U32;

} // namespace emu

// Two tensors, four forms.
#define ASCENDC_EMU_MATH2(Name, on_910b, on_950, ...)                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const uint32_t calCount,            \
              Loc loc = Loc::here())                                                                                                \
    {                                                                                                                               \
        ASCENDC_EMU_DTYPE(T, #Name, on_910b, on_950);                                                                               \
        emu::check_disjoint(dst, calCount * sizeof(T), src0, calCount * sizeof(T), #Name, loc);                                     \
        emu::check_disjoint(dst, calCount * sizeof(T), src1, calCount * sizeof(T), #Name, loc);                                     \
        emu::map2(dst, src0, src1, static_cast<int64_t>(calCount), #Name, loc, [](T a, T b) -> T { return __VA_ARGS__; });          \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                                     \
              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, Loc loc = Loc::here())                          \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src0, src1, calCount, loc);                                                                     \
        emu::use_work<T>(sharedTmpBuffer, #Name, loc);                                                                              \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                                     \
              const LocalTensor<uint8_t>& sharedTmpBuffer, Loc loc = Loc::here())                                                   \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src0, src1, sharedTmpBuffer, src0.GetSize(), loc);                                              \
    }                                                                                                                               \
    template <class T, bool isReuseSource = false>                                                                                  \
    void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, Loc loc = Loc::here())              \
    {                                                                                                                               \
        Name<T, isReuseSource>(dst, src0, src1, src0.GetSize(), loc);                                                               \
    }
ASCENDC_EMU_MATH2(Power, (emu::kFloats | emu::I32), emu::kPower950, emu::power(a, b))
ASCENDC_EMU_MATH2(Fmod, emu::kFloats, emu::kFloats, emu::modulo(a, b))
ASCENDC_EMU_MATH2(Xor, (emu::I16 | emu::U16), (emu::I16 | emu::U16), static_cast<T>(a ^ b))
#undef ASCENDC_EMU_MATH2

/// Tensor to the power of a scalar, and scalar to the power of a tensor.
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1Scalar, const uint32_t calCount, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Power", (emu::kFloats | emu::I32), emu::kPower950);
    emu::check_disjoint(dst, calCount * sizeof(T), src0, calCount * sizeof(T), "Power", loc);
    emu::map1(dst, src0, static_cast<int64_t>(calCount), "Power", loc, [src1Scalar](T a) { return emu::power(a, src1Scalar); });
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1Scalar, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, Loc loc = Loc::here())
{
    Power<T, isReuseSource>(dst, src0, src1Scalar, calCount, loc);
    emu::use_work<T>(sharedTmpBuffer, "Power", loc);
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0Scalar, const LocalTensor<T>& src1, const uint32_t calCount, Loc loc = Loc::here())
{
    ASCENDC_EMU_DTYPE(T, "Power", (emu::kFloats | emu::I32), emu::kPower950);
    emu::check_disjoint(dst, calCount * sizeof(T), src1, calCount * sizeof(T), "Power", loc);
    emu::map1(dst, src1, static_cast<int64_t>(calCount), "Power", loc, [src0Scalar](T b) { return emu::power(src0Scalar, b); });
}
template <class T, bool isReuseSource = false>
void Power(const LocalTensor<T>& dst, const T& src0Scalar, const LocalTensor<T>& src1, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, Loc loc = Loc::here())
{
    Power<T, isReuseSource>(dst, src0Scalar, src1, calCount, loc);
    emu::use_work<T>(sharedTmpBuffer, "Power", loc);
}

} // namespace AscendC
