// CUDA's mathematics beyond the C library: extra functions, overloads at global scope,
// and the fast and directed-rounding intrinsics. Declarations only: the reader keeps the name.
#pragma once

#include "vector_types.h"

#define CM_HD __host__ __device__
#define CM_D __device__
#define CM_F1(n) CM_HD float n(float);
#define CM_D1(n) CM_HD double n(double);
#define CM_F2(n) CM_HD float n(float, float);
#define CM_D2(n) CM_HD double n(double, double);

// --- functions that the C library lacks -----------------------------------------------------
CM_F1(rsqrtf) CM_F1(rcbrtf) CM_F1(sinpif) CM_F1(cospif) CM_F1(tanpif) CM_F1(normcdff)
CM_F1(normcdfinvf) CM_F1(erfinvf) CM_F1(erfcinvf) CM_F1(erfcxf) CM_F1(cyl_bessel_i0f)
CM_F1(cyl_bessel_i1f)
CM_D1(rsqrt) CM_D1(rcbrt) CM_D1(sinpi) CM_D1(cospi) CM_D1(tanpi) CM_D1(normcdf)
CM_D1(normcdfinv) CM_D1(erfinv) CM_D1(erfcinv) CM_D1(erfcx) CM_D1(cyl_bessel_i0)
CM_D1(cyl_bessel_i1)
CM_F1(rsqrt) CM_F1(rcbrt) CM_F1(sinpi) CM_F1(cospi) CM_F1(normcdf) CM_F1(normcdfinv)
CM_F1(erfinv) CM_F1(erfcinv) CM_F1(erfcx) CM_F1(exp10) CM_F1(tanpi) CM_F1(cyl_bessel_i0)
CM_F1(cyl_bessel_i1) CM_F2(rhypot)
CM_F2(rhypotf) CM_F2(fdividef) CM_D2(rhypot) CM_F2(fdivide) CM_D2(fdivide)
CM_HD float norm3df(float, float, float);
CM_HD float rnorm3df(float, float, float);
CM_HD float norm4df(float, float, float, float);
CM_HD float rnorm4df(float, float, float, float);
CM_HD double norm3d(double, double, double);
CM_HD double rnorm3d(double, double, double);
CM_HD double norm4d(double, double, double, double);
CM_HD double rnorm4d(double, double, double, double);
CM_HD void sincospif(float, float*, float*);
CM_HD void sincospi(double, double*, double*);
CM_HD void sincospi(float, float*, float*);
CM_HD void sincos(float, float*, float*);

// --- min and max at global scope ------------------------------------------------------------
#define CM_MINMAX(r, a, b) \
  CM_HD r min(a, b);       \
  CM_HD r max(a, b);
CM_MINMAX(int, int, int)
CM_MINMAX(unsigned int, unsigned int, unsigned int)
CM_MINMAX(unsigned int, int, unsigned int)
CM_MINMAX(unsigned int, unsigned int, int)
CM_MINMAX(long int, long int, long int)
CM_MINMAX(unsigned long int, unsigned long int, unsigned long int)
CM_MINMAX(unsigned long int, long int, unsigned long int)
CM_MINMAX(unsigned long int, unsigned long int, long int)
CM_MINMAX(long long int, long long int, long long int)
CM_MINMAX(unsigned long long int, unsigned long long int, unsigned long long int)
CM_MINMAX(unsigned long long int, long long int, unsigned long long int)
CM_MINMAX(unsigned long long int, unsigned long long int, long long int)
CM_MINMAX(float, float, float)
CM_MINMAX(double, double, double)
CM_MINMAX(double, float, double)
CM_MINMAX(double, double, float)
CM_HD unsigned int umin(unsigned int, unsigned int);
CM_HD unsigned int umax(unsigned int, unsigned int);
CM_HD long long int llmin(long long int, long long int);
CM_HD long long int llmax(long long int, long long int);
CM_HD unsigned long long int ullmin(unsigned long long int, unsigned long long int);
CM_HD unsigned long long int ullmax(unsigned long long int, unsigned long long int);

// --- fast single-precision intrinsics -------------------------------------------------------
// Host and device: glibc declares several of these names for its own use.
#define CM_DF1(n) CM_HD float n(float);
#define CM_DF2(n) CM_HD float n(float, float);
CM_DF1(__sinf) CM_DF1(__cosf) CM_DF1(__tanf) CM_DF1(__expf) CM_DF1(__exp10f) CM_DF1(__logf)
CM_DF1(__log2f) CM_DF1(__log10f) CM_DF1(__saturatef) CM_DF1(__tanhf)
CM_DF2(__powf) CM_DF2(__fdividef)
CM_HD void __sincosf(float, float*, float*);

// --- directed rounding ----------------------------------------------------------------------
#define CM_ROUNDED(mode)                          \
  CM_D float __fadd_##mode(float, float);         \
  CM_D float __fsub_##mode(float, float);         \
  CM_D float __fmul_##mode(float, float);         \
  CM_D float __fdiv_##mode(float, float);         \
  CM_D float __frcp_##mode(float);                \
  CM_D float __fsqrt_##mode(float);               \
  CM_D float __fmaf_##mode(float, float, float);  \
  CM_D double __dadd_##mode(double, double);      \
  CM_D double __dsub_##mode(double, double);      \
  CM_D double __dmul_##mode(double, double);      \
  CM_D double __ddiv_##mode(double, double);      \
  CM_D double __drcp_##mode(double);              \
  CM_D double __dsqrt_##mode(double);             \
  CM_D double __fma_##mode(double, double, double);
CM_ROUNDED(rn) CM_ROUNDED(rz) CM_ROUNDED(ru) CM_ROUNDED(rd)
#define CM_IEEE(mode) CM_D float __fmaf_ieee_##mode(float, float, float);
CM_IEEE(rn) CM_IEEE(rz) CM_IEEE(ru) CM_IEEE(rd)
CM_D float __frsqrt_rn(float);

// --- conversions ----------------------------------------------------------------------------
#define CM_CONVERT(mode)                                   \
  CM_D int __float2int_##mode(float);                      \
  CM_D unsigned int __float2uint_##mode(float);            \
  CM_D long long int __float2ll_##mode(float);             \
  CM_D unsigned long long int __float2ull_##mode(float);   \
  CM_D int __double2int_##mode(double);                    \
  CM_D unsigned int __double2uint_##mode(double);          \
  CM_D long long int __double2ll_##mode(double);           \
  CM_D unsigned long long int __double2ull_##mode(double); \
  CM_D float __int2float_##mode(int);                      \
  CM_D float __uint2float_##mode(unsigned int);            \
  CM_D float __ll2float_##mode(long long int);             \
  CM_D float __ull2float_##mode(unsigned long long int);   \
  CM_D double __ll2double_##mode(long long int);           \
  CM_D double __ull2double_##mode(unsigned long long int); \
  CM_D float __double2float_##mode(double);
CM_CONVERT(rn) CM_CONVERT(rz) CM_CONVERT(ru) CM_CONVERT(rd)
CM_D double __int2double_rn(int);
CM_D double __uint2double_rn(unsigned int);
CM_D int __float_as_int(float);
CM_D unsigned int __float_as_uint(float);
CM_D float __int_as_float(int);
CM_D float __uint_as_float(unsigned int);
CM_D long long int __double_as_longlong(double);
CM_D double __longlong_as_double(long long int);
CM_D int __double2hiint(double);
CM_D int __double2loint(double);
CM_D double __hiloint2double(int, int);

// --- integer intrinsics ---------------------------------------------------------------------
CM_D int __clz(int);
CM_D int __clzll(long long int);
CM_D int __popc(unsigned int);
CM_D int __popcll(unsigned long long int);
CM_D int __ffs(int);
CM_D int __ffsll(long long int);
CM_D unsigned int __brev(unsigned int);
CM_D unsigned long long int __brevll(unsigned long long int);
CM_D unsigned int __byte_perm(unsigned int, unsigned int, unsigned int);
CM_D unsigned int __funnelshift_l(unsigned int, unsigned int, unsigned int);
CM_D unsigned int __funnelshift_r(unsigned int, unsigned int, unsigned int);
CM_D unsigned int __funnelshift_lc(unsigned int, unsigned int, unsigned int);
CM_D unsigned int __funnelshift_rc(unsigned int, unsigned int, unsigned int);
CM_D int __mulhi(int, int);
CM_D unsigned int __umulhi(unsigned int, unsigned int);
CM_D long long int __mul64hi(long long int, long long int);
CM_D unsigned long long int __umul64hi(unsigned long long int, unsigned long long int);
CM_D int __mul24(int, int);
CM_D unsigned int __umul24(unsigned int, unsigned int);
CM_D int __hadd(int, int);
CM_D int __rhadd(int, int);
CM_D unsigned int __uhadd(unsigned int, unsigned int);
CM_D unsigned int __urhadd(unsigned int, unsigned int);
CM_D unsigned int __sad(int, int, unsigned int);
CM_D unsigned int __usad(unsigned int, unsigned int, unsigned int);
CM_D int __dp4a(int, int, int);
CM_D unsigned int __dp4a(unsigned int, unsigned int, unsigned int);
CM_D int __dp4a(char4, char4, int);
CM_D unsigned int __dp4a(uchar4, uchar4, unsigned int);
CM_D int __dp2a_lo(int, int, int);
CM_D int __dp2a_hi(int, int, int);
CM_D unsigned int __dp2a_lo(unsigned int, unsigned int, unsigned int);
CM_D unsigned int __dp2a_hi(unsigned int, unsigned int, unsigned int);
CM_D int mul24(int, int);
CM_D unsigned int umul24(unsigned int, unsigned int);
CM_D int mulhi(int, int);
CM_D int float2int(float, int = 0);

// --- packed 8- and 16-bit lanes in a 32-bit word --------------------------------------------
#define CM_SIMD1(n) CM_D unsigned int n(unsigned int);
#define CM_SIMD2(n) CM_D unsigned int n(unsigned int, unsigned int);
#define CM_SIMD_BOTH(stem) CM_SIMD2(__v##stem##2) CM_SIMD2(__v##stem##4)
CM_SIMD1(__vabs2) CM_SIMD1(__vabs4) CM_SIMD1(__vneg2) CM_SIMD1(__vneg4) CM_SIMD1(__vabsss2)
CM_SIMD1(__vabsss4) CM_SIMD1(__vnegss2) CM_SIMD1(__vnegss4)
CM_SIMD_BOTH(add) CM_SIMD_BOTH(sub) CM_SIMD_BOTH(addss) CM_SIMD_BOTH(addus) CM_SIMD_BOTH(subss)
CM_SIMD_BOTH(subus) CM_SIMD_BOTH(avgs) CM_SIMD_BOTH(avgu) CM_SIMD_BOTH(haddu)
CM_SIMD_BOTH(absdiffs) CM_SIMD_BOTH(absdiffu) CM_SIMD_BOTH(maxs) CM_SIMD_BOTH(maxu)
CM_SIMD_BOTH(mins) CM_SIMD_BOTH(minu) CM_SIMD_BOTH(cmpeq) CM_SIMD_BOTH(cmpne)
CM_SIMD_BOTH(cmpges) CM_SIMD_BOTH(cmpgeu) CM_SIMD_BOTH(cmpgts) CM_SIMD_BOTH(cmpgtu)
CM_SIMD_BOTH(cmples) CM_SIMD_BOTH(cmpleu) CM_SIMD_BOTH(cmplts) CM_SIMD_BOTH(cmpltu)
CM_SIMD_BOTH(seteq) CM_SIMD_BOTH(setne) CM_SIMD_BOTH(setges) CM_SIMD_BOTH(setgeu)
CM_SIMD_BOTH(setgts) CM_SIMD_BOTH(setgtu) CM_SIMD_BOTH(setles) CM_SIMD_BOTH(setleu)
CM_SIMD_BOTH(setlts) CM_SIMD_BOTH(setltu) CM_SIMD_BOTH(sads) CM_SIMD_BOTH(sadu)
