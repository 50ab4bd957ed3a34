// Operators and intrinsics that half and bfloat16 share. Included once for each: no include guard.

inline CUDA_EMU_LOWP __hadd(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(static_cast<float>(a) + static_cast<float>(b));
}
inline CUDA_EMU_LOWP __hsub(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(static_cast<float>(a) - static_cast<float>(b));
}
inline CUDA_EMU_LOWP __hmul(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(static_cast<float>(a) * static_cast<float>(b));
}
inline CUDA_EMU_LOWP __hdiv(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(static_cast<float>(a) / static_cast<float>(b));
}
inline CUDA_EMU_LOWP __hadd_rn(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return __hadd(a, b); }
inline CUDA_EMU_LOWP __hsub_rn(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return __hsub(a, b); }
inline CUDA_EMU_LOWP __hmul_rn(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return __hmul(a, b); }
inline CUDA_EMU_LOWP __hfma(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b, CUDA_EMU_LOWP c) {
  return CUDA_EMU_LOWP_FMA(a, b, c);
}
inline CUDA_EMU_LOWP __hneg(CUDA_EMU_LOWP a) { return CUDA_EMU_LOWP(-static_cast<float>(a)); }
inline CUDA_EMU_LOWP __habs(CUDA_EMU_LOWP a) {
  return CUDA_EMU_LOWP(std::fabs(static_cast<float>(a)));
}
// A NaN operand gives the other one, except for the _nan forms.
inline CUDA_EMU_LOWP __hmin(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(std::fmin(static_cast<float>(a), static_cast<float>(b)));
}
inline CUDA_EMU_LOWP __hmax(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return CUDA_EMU_LOWP(std::fmax(static_cast<float>(a), static_cast<float>(b)));
}
inline bool __hisnan(CUDA_EMU_LOWP a) { return std::isnan(static_cast<float>(a)); }
inline int __hisinf(CUDA_EMU_LOWP a) {
  float f = static_cast<float>(a);
  return std::isinf(f) ? (f > 0 ? 1 : -1) : 0;
}
inline CUDA_EMU_LOWP __hmin_nan(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
inline CUDA_EMU_LOWP __hmax_nan(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {
  return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
inline CUDA_EMU_LOWP cuda_emu_clamp01(CUDA_EMU_LOWP a) {
  float f = static_cast<float>(a);
  return CUDA_EMU_LOWP(f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f);  // NaN becomes 0
}
inline CUDA_EMU_LOWP __hadd_sat(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return cuda_emu_clamp01(__hadd(a, b)); }
inline CUDA_EMU_LOWP __hsub_sat(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return cuda_emu_clamp01(__hsub(a, b)); }
inline CUDA_EMU_LOWP __hmul_sat(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return cuda_emu_clamp01(__hmul(a, b)); }
inline CUDA_EMU_LOWP __hfma_sat(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b, CUDA_EMU_LOWP c) {
  return cuda_emu_clamp01(__hfma(a, b, c));
}
inline CUDA_EMU_LOWP __hfma_relu(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b, CUDA_EMU_LOWP c) {
  return __hmax(__hfma(a, b, c), CUDA_EMU_LOWP(0.0f));
}

#define CUDA_EMU_COMPARE(name, op)                                                             \
  inline bool __h##name(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {                                    \
    return static_cast<float>(a) op static_cast<float>(b);                                     \
  }                                                                                            \
  inline bool __h##name##u(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {                                 \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                      \
  }                                                                                            \
  inline bool operator op(const CUDA_EMU_LOWP &a, const CUDA_EMU_LOWP &b) {                    \
    return __h##name(a, b);                                                                    \
  }                                                                                            \
  inline CUDA_EMU_LOWP2 __h##name##2(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                     \
    return CUDA_EMU_LOWP2(CUDA_EMU_LOWP(__h##name(a.x, b.x) ? 1.0f : 0.0f),                    \
                          CUDA_EMU_LOWP(__h##name(a.y, b.y) ? 1.0f : 0.0f));                   \
  }                                                                                            \
  inline bool __hb##name##2(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                              \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
  }
CUDA_EMU_COMPARE(eq, ==)
CUDA_EMU_COMPARE(lt, <)
CUDA_EMU_COMPARE(le, <=)
CUDA_EMU_COMPARE(gt, >)
CUDA_EMU_COMPARE(ge, >=)
#undef CUDA_EMU_COMPARE
inline bool __hne(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) {  // ordered: false for NaN
  return !__hisnan(a) && !__hisnan(b) && static_cast<float>(a) != static_cast<float>(b);
}
inline bool operator!=(const CUDA_EMU_LOWP &a, const CUDA_EMU_LOWP &b) {
  return static_cast<float>(a) != static_cast<float>(b);
}

#define CUDA_EMU_ARITHMETIC(op, name)                                                          \
  inline CUDA_EMU_LOWP operator op(const CUDA_EMU_LOWP &a, const CUDA_EMU_LOWP &b) {           \
    return name(a, b);                                                                         \
  }                                                                                            \
  inline CUDA_EMU_LOWP &operator op##=(CUDA_EMU_LOWP &a, const CUDA_EMU_LOWP &b) {             \
    return a = name(a, b);                                                                     \
  }                                                                                            \
  inline CUDA_EMU_LOWP2 operator op(const CUDA_EMU_LOWP2 &a, const CUDA_EMU_LOWP2 &b) {        \
    return CUDA_EMU_LOWP2(name(a.x, b.x), name(a.y, b.y));                                     \
  }                                                                                            \
  inline CUDA_EMU_LOWP2 &operator op##=(CUDA_EMU_LOWP2 &a, const CUDA_EMU_LOWP2 &b) {          \
    return a = CUDA_EMU_LOWP2(name(a.x, b.x), name(a.y, b.y));                                 \
  }
CUDA_EMU_ARITHMETIC(+, __hadd)
CUDA_EMU_ARITHMETIC(-, __hsub)
CUDA_EMU_ARITHMETIC(*, __hmul)
CUDA_EMU_ARITHMETIC(/, __hdiv)
#undef CUDA_EMU_ARITHMETIC
inline CUDA_EMU_LOWP operator-(const CUDA_EMU_LOWP &a) { return __hneg(a); }
inline CUDA_EMU_LOWP operator+(const CUDA_EMU_LOWP &a) { return a; }
inline CUDA_EMU_LOWP2 operator-(const CUDA_EMU_LOWP2 &a) {
  return CUDA_EMU_LOWP2(__hneg(a.x), __hneg(a.y));
}
inline CUDA_EMU_LOWP &operator++(CUDA_EMU_LOWP &a) { return a = __hadd(a, CUDA_EMU_LOWP(1.0f)); }
inline CUDA_EMU_LOWP &operator--(CUDA_EMU_LOWP &a) { return a = __hsub(a, CUDA_EMU_LOWP(1.0f)); }
inline CUDA_EMU_LOWP operator++(CUDA_EMU_LOWP &a, int) {
  CUDA_EMU_LOWP old = a;
  ++a;
  return old;
}
inline CUDA_EMU_LOWP operator--(CUDA_EMU_LOWP &a, int) {
  CUDA_EMU_LOWP old = a;
  --a;
  return old;
}

#define CUDA_EMU_PAIR(name, single)                                                            \
  inline CUDA_EMU_LOWP2 name(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                             \
    return CUDA_EMU_LOWP2(single(a.x, b.x), single(a.y, b.y));                                 \
  }
CUDA_EMU_PAIR(__hadd2, __hadd)
CUDA_EMU_PAIR(__hsub2, __hsub)
CUDA_EMU_PAIR(__hmul2, __hmul)
CUDA_EMU_PAIR(__h2div, __hdiv)
CUDA_EMU_PAIR(__hmin2, __hmin)
CUDA_EMU_PAIR(__hmax2, __hmax)
CUDA_EMU_PAIR(__hmin2_nan, __hmin_nan)
CUDA_EMU_PAIR(__hmax2_nan, __hmax_nan)
CUDA_EMU_PAIR(__hsub2_sat, __hsub_sat)
CUDA_EMU_PAIR(__hsub2_rn, __hsub)
CUDA_EMU_PAIR(__hadd2_rn, __hadd)
CUDA_EMU_PAIR(__hmul2_rn, __hmul)
CUDA_EMU_PAIR(__hadd2_sat, __hadd_sat)
CUDA_EMU_PAIR(__hmul2_sat, __hmul_sat)
#undef CUDA_EMU_PAIR
inline CUDA_EMU_LOWP2 __hfma2(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b, CUDA_EMU_LOWP2 c) {
  return CUDA_EMU_LOWP2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
inline CUDA_EMU_LOWP2 __hfma2_relu(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b, CUDA_EMU_LOWP2 c) {
  return CUDA_EMU_LOWP2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
inline CUDA_EMU_LOWP2 __hisnan2(CUDA_EMU_LOWP2 a) {
  return CUDA_EMU_LOWP2(CUDA_EMU_LOWP(__hisnan(a.x) ? 1.0f : 0.0f), CUDA_EMU_LOWP(__hisnan(a.y) ? 1.0f : 0.0f));
}
inline bool __hneu(CUDA_EMU_LOWP a, CUDA_EMU_LOWP b) { return __hisnan(a) || __hisnan(b) || __hne(a, b); }
// Comparisons of both halves: masks of 16 bits each, and both at once with NaN counting as true.
#define CUDA_EMU_BOTH(name)                                                                    \
  inline unsigned __h##name##2_mask(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                      \
    return (__h##name(a.x, b.x) ? 0xFFFFu : 0u) | (__h##name(a.y, b.y) ? 0xFFFF0000u : 0u);    \
  }                                                                                            \
  inline unsigned __h##name##u2_mask(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                     \
    return (__h##name##u(a.x, b.x) ? 0xFFFFu : 0u) | (__h##name##u(a.y, b.y) ? 0xFFFF0000u : 0u); \
  }                                                                                            \
  inline bool __hb##name##u2(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) {                             \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
  }
CUDA_EMU_BOTH(eq)
CUDA_EMU_BOTH(ne)
CUDA_EMU_BOTH(lt)
CUDA_EMU_BOTH(le)
CUDA_EMU_BOTH(gt)
CUDA_EMU_BOTH(ge)
#undef CUDA_EMU_BOTH
inline bool __hbne2(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
// a * b + c as complex numbers.
inline CUDA_EMU_LOWP2 __hcmadd(CUDA_EMU_LOWP2 a, CUDA_EMU_LOWP2 b, CUDA_EMU_LOWP2 c) {
  return CUDA_EMU_LOWP2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
inline CUDA_EMU_LOWP2 __hneg2(CUDA_EMU_LOWP2 a) { return -a; }
inline CUDA_EMU_LOWP2 __habs2(CUDA_EMU_LOWP2 a) { return CUDA_EMU_LOWP2(__habs(a.x), __habs(a.y)); }

#define CUDA_EMU_FUNCTION(name, expression)                                                    \
  inline CUDA_EMU_LOWP h##name(CUDA_EMU_LOWP a) {                                              \
    float f = static_cast<float>(a);                                                           \
    return CUDA_EMU_LOWP(expression);                                                          \
  }                                                                                            \
  inline CUDA_EMU_LOWP2 h2##name(CUDA_EMU_LOWP2 a) {                                           \
    return CUDA_EMU_LOWP2(h##name(a.x), h##name(a.y));                                         \
  }
CUDA_EMU_FUNCTION(exp, std::exp(f))
CUDA_EMU_FUNCTION(exp2, std::exp2(f))
CUDA_EMU_FUNCTION(exp10, std::pow(10.0, static_cast<double>(f)))
CUDA_EMU_FUNCTION(log, std::log(f))
CUDA_EMU_FUNCTION(log2, std::log2(f))
CUDA_EMU_FUNCTION(log10, std::log10(f))
CUDA_EMU_FUNCTION(sqrt, std::sqrt(f))
CUDA_EMU_FUNCTION(rsqrt, 1.0 / std::sqrt(static_cast<double>(f)))
CUDA_EMU_FUNCTION(rcp, 1.0f / f)
CUDA_EMU_FUNCTION(sin, std::sin(f))
CUDA_EMU_FUNCTION(cos, std::cos(f))
CUDA_EMU_FUNCTION(tanh, std::tanh(f))
CUDA_EMU_FUNCTION(floor, std::floor(f))
CUDA_EMU_FUNCTION(ceil, std::ceil(f))
CUDA_EMU_FUNCTION(trunc, std::trunc(f))
CUDA_EMU_FUNCTION(rint, std::nearbyint(f))
#undef CUDA_EMU_FUNCTION
