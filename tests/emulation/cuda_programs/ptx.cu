// Inline PTX against the values that the PTX ISA gives. Results are collected by one thread each.
#include <cuda_runtime.h>

#include "expect.h"

#define ADD_MACRO(d, a, b) \
  asm volatile("{\n\t"     \
               "add.u32 %0, %1, %2;\n\t" \
               "}" : "=r"(d) : "r"(a), "r"(b))
#define F32X2 "f16x2"

__global__ void integers(unsigned *o, unsigned long long *w) {
  unsigned a = 0xF0F0F0F0u, b = 5, c = 7;
  ADD_MACRO(o[0], a, b);
  asm("sub.s32 %0, %1, %2;" : "=r"(o[1]) : "r"(b), "r"(c));
  asm("mul.lo.u32 %0, %1, %2;" : "=r"(o[2]) : "r"(a), "r"(c));
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(o[3]) : "r"(a), "r"(c));
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(o[4]) : "r"(b), "r"(c), "r"(-50));
  asm("add.sat.s32 %0, %1, %2;" : "=r"(o[5]) : "r"(0x7FFFFFFF), "r"(1));
  asm("mul.wide.s16 %0, %1, %2;" : "=r"(o[6]) : "h"((short)-300), "h"((short)300));
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(w[0]) : "r"(a), "r"(a));
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(w[1]) : "r"(-2), "r"(3), "l"(10ll));
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(o[7]) : "r"(a), "r"(0xFF00FF00u), "r"(0x0FF00FF0u));
  asm("prmt.b32 %0, %1, %2, 0x7531;" : "=r"(o[8]) : "r"(0x33221100u), "r"(0x77665544u));
  asm("shf.l.wrap.b32 %0, %1, %2, 36;" : "=r"(o[9]) : "r"(0x12345678u), "r"(0x9ABCDEF0u));
  asm("shf.r.clamp.b32 %0, %1, %2, 36;" : "=r"(o[10]) : "r"(0x12345678u), "r"(0x9ABCDEF0u));
  asm("bfe.s32 %0, %1, 4, 8;" : "=r"(o[11]) : "r"(0xFA0u));
  asm("bfe.u32 %0, %1, 28, 8;" : "=r"(o[12]) : "r"(a));
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(o[13]) : "r"(0xFFu), "r"(0u));
  asm("shr.s32 %0, %1, 40;" : "=r"(o[14]) : "r"(a));
  asm("shl.b32 %0, %1, 32;" : "=r"(o[15]) : "r"(a));
  asm("popc.b64 %0, %1;" : "=r"(o[16]) : "l"(0xF0F0F0F0F0F0F0F0ull));
  asm("clz.b32 %0, %1;" : "=r"(o[17]) : "r"(0u));
  asm("brev.b32 %0, %1;" : "=r"(o[18]) : "r"(1u));
  asm("bfind.s32 %0, %1;" : "=r"(o[19]) : "r"(-1));
  asm("min.s32 %0, %1, %2;" : "=r"(o[20]) : "r"(-1), "r"(1));
  asm("max.u32 %0, %1, %2;" : "=r"(o[21]) : "r"(-1), "r"(1));
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(o[22]) : "r"(-5), "r"(5), "r"(1));
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(o[23]) : "r"(0xFF02FE01u), "r"(0x01010101u), "r"(100));
  asm("{ add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %5, %5; addc.u32 %2, 0, 0; }"
      : "=r"(o[24]), "=r"(o[25]), "=r"(o[26]) : "r"(0xFFFFFFFFu), "r"(2u), "r"(0xFFFFFFFFu));
  asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(o[27]) : "r"(1u), "r"(2u));
  asm volatile("subc.u32 %0, %1, %2;" : "=r"(o[28]) : "r"(10u), "r"(3u));
  asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0; }"
      : "=r"(o[29]), "=r"(o[30]) : "r"(0xFFFFFFFFu), "r"(0xFFFFFFFFu), "r"(0xFFFFFFFFu));
  asm("mov.b64 %0, {%1, %2};" : "=l"(w[2]) : "r"(1u), "r"(2u));
  asm("{ .reg .b32 t; mov.b64 {%0, t}, %1; }" : "=r"(o[31]) : "l"(0x500000007ull));
  asm("mov.b32 %0, {%1, %2};" : "=r"(o[32]) : "h"((unsigned short)0xAAAA), "h"((unsigned short)0xBBBB));
  asm("vote.sync.ballot.b32 %0, %1, 0x1;" : "=r"(o[33]) : "r"(1));
  asm("not.b32 %[d], %[s];" : [d] "=r"(o[34]) : [s] "r"(a));
  asm("cvt.s32.s8 %0, %1;" : "=r"(o[35]) : "r"(0x1FFu));
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(o[36]) : "r"(300));
  asm("div.s32 %0, %1, %2;" : "=r"(o[37]) : "r"(-7), "r"(2));
  asm("rem.s32 %0, %1, %2;" : "=r"(o[38]) : "r"(-7), "r"(2));
}

__global__ void control(unsigned *o, float *f) {
  unsigned x = threadIdx.x;
  int i;
  asm volatile("{ .reg .pred p; .reg .s32 %%t<2>; mov.s32 %%t0, 0;\n"
               "AGAIN: // three at a time\n"
               "add.s32 %%t0, %%t0, 3; setp.lt.s32 p, %%t0, 10; @p bra AGAIN; mov.s32 %0, %%t0; }"
               : "=r"(i));
  asm volatile("{ .reg .pred p, q; setp.lt.and.s32 p|q, %1, 5, 1; }" :: "r"(x), "r"(x));
  unsigned picked = 9, other = 9;
  asm volatile("{ .reg .pred p, q; setp.ge.u32 p, %2, 4; setp.eq.or.u32 q, %2, 2, p; @p mov.u32 %0, 1;"
               " @!p mov.u32 %0, 2; selp.u32 %1, 5, 6, q; }" : "+r"(picked), "=r"(other) : "r"(x));
  unsigned from, lane, below;
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 4, 0x1f, 0xffffffff; @!p mov.u32 %0, 99; }"
               : "=r"(from) : "r"(x));
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  __shared__ float s[32];
  s[x] = static_cast<float>(x);
  asm volatile("bar.sync 0;" ::: "memory");
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&s[x ^ 1]));
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(f[x]) : "r"(address));
  asm volatile("red.global.add.u32 [%0], %1;" :: "l"(o + 200), "r"(x));
  unsigned old;
  asm volatile("atom.global.max.u32 %0, [%1], %2;" : "=r"(old) : "l"(o + 201), "r"(x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 0;\ncp.async.commit_group;\ncp.async.wait_all;"
               :: "r"(address), "l"(f));
  if (x == 3) {
    o[100] = i, o[101] = picked, o[102] = other, o[103] = lane, o[104] = below;
    unsigned v[4] = {1, 2, 3, 4};
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(o + 108), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]));
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(o[105]), "=r"(o[106]) : "l"(o + 108));
  }
  if (x == 30) o[107] = from;
  if (x == 2) o[112] = picked, o[113] = other, o[114] = from;
  if (x == 40) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%0}, {%0}, {%0};" : "+f"(f[0]));
}

__global__ void reals(float *f, unsigned *u, double *d) {
  float tiny = 1e-40f, one = 1.0f;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(f[0]) : "f"(3.0f));
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(f[1]) : "f"(tiny), "f"(tiny));
  asm("add.f32 %0, %1, %2;" : "=f"(f[2]) : "f"(tiny), "f"(tiny));
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(f[3]) : "f"(2.0f), "f"(3.0f), "f"(1.0f));
  asm("max.f32 %0, %1, %2;" : "=f"(f[4]) : "f"(NAN), "f"(2.0f));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(f[5]) : "f"(NAN), "f"(2.0f));
  asm("add.rp.f32 %0, %1, %2;" : "=f"(f[6]) : "f"(one), "f"(1e-20f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(f[7]) : "f"(4.0f));
  asm("mov.f32 %0, 0f3FC00000;" : "=f"(f[8]));
  asm("mul.f32 %0, %1, 2.5;" : "=f"(f[9]) : "f"(2.0f));
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(u[0]) : "f"(2.5f));
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(u[1]) : "f"(-3.0f));
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(u[2]) : "f"(3e10f));
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(u[3]) : "f"(NAN));
  asm("cvt.rn." F32X2 ".f32 %0, %1, %2;" : "=r"(u[4]) : "f"(1.0f), "f"(-2.0f));
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(u[5]) : "r"(0x3C004000u), "r"(0x42003C00u), "r"(0x3C003C00u));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u[6]) : "f"(1.00048828125f));
  asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b16 %0, h; }" : "=h"(*(unsigned short *)&u[7]) : "f"(65504.0f));
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u[8]) : "f"(3.0f), "f"(1.0f));
  asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(f[10]) : "f"(-1.5f));
  asm("sqrt.rn.f64 %0, %1;" : "=d"(d[0]) : "d"(2.0));
  asm("cvt.f64.f32 %0, %1;" : "=d"(d[1]) : "f"(0.5f));
  asm("cvt.rn.f64.s64 %0, %1;" : "=d"(d[2]) : "l"(-9ll));
  asm("{ .reg .pred p; setp.ltu.f32 p, %1, 1.0; selp.u32 %0, 1, 0, p; }" : "=r"(u[9]) : "f"(NAN));
  asm("set.gt.f32.f32 %0, %1, %2;" : "=f"(f[11]) : "f"(2.0f), "f"(1.0f));
  asm("copysign.f32 %0, %1, %2;" : "=f"(f[12]) : "f"(-1.0f), "f"(3.0f));
}

static int host_assembly() {
#if defined(__x86_64__)
  int out = 1;
  __asm__ __volatile__("addl $4, %0" : "+r"(out) : : "cc");
  return out;
#else
  return 5;
#endif
}

int main() {
  unsigned *o;
  unsigned long long *w;
  float *f;
  double *d;
  cudaMallocManaged(&o, 1024);
  cudaMallocManaged(&w, 64);
  cudaMallocManaged(&f, 256);
  cudaMallocManaged(&d, 64);
  cudaMemset(o, 0, 1024);
  integers<<<1, 1>>>(o, w);
  const unsigned wanted[] = {
      0xF0F0F0F5u, 0xFFFFFFFEu, 0x96969690u, 0xFFFFFFFFu, 0xFFFFFFF1u, 0x7FFFFFFFu, 0xFFFEA070u,
      0xFFF0FFF0u, 0x77553311u, 0xABCDEF01u, 0x9ABCDEF0u, 0xFFFFFFFAu, 0xFu, 0xF00u, 0xFFFFFFFFu,
      0u, 32u, 32u, 0x80000000u, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 11u, 100u, 1u, 0xFFFFFFFFu,
      1u, 0xFFFFFFFFu, 6u, 0u, 0xFFFFFFFFu, 7u, 0xBBBBAAAAu, 1u, 0x0F0F0F0Fu, 0xFFFFFFFFu, 255u,
      0xFFFFFFFDu, 0xFFFFFFFFu};
  int at = 0;
  for (unsigned value : wanted) {
    char name[24];
    std::snprintf(name, sizeof name, "integer %d", at);
    expect::equal(name, o[at++], value);
  }
  expect::equal("mul.wide", w[0], 0xF0F0F0F0ull * 0xF0F0F0F0ull);
  expect::equal("mad.wide", static_cast<long long>(w[1]), 4ll);
  expect::equal("pack", w[2], 0x200000001ull);

  cudaMemset(o, 0, 1024);
  control<<<1, 32>>>(o, f);
  const unsigned controls[] = {12, 2, 6, 3, 7, 3, 4, 99, 1, 2, 3, 4, 2, 5, 6};
  at = 100;
  for (unsigned value : controls) {
    char name[24];
    std::snprintf(name, sizeof name, "control %d", at);
    expect::equal(name, o[at++], value);
  }
  expect::equal("red", o[200], 496u);
  expect::equal("atom", o[201], 31u);
  expect::equal("shared", f[5], 4.0f);

  reals<<<1, 1>>>(f, o, d);
  const float floats[] = {8, 0, 1e-40f + 1e-40f, 1, 2, NAN, std::nextafter(1.0f, 2.0f), 0.25f, 1.5f, 5, -2, 1, -3};
  at = 0;
  for (float value : floats) {
    char name[24];
    std::snprintf(name, sizeof name, "real %d", at);
    if (value != value) expect::that(name, f[at] != f[at]);
    else expect::equal(name, f[at], value);
    ++at;
  }
  const unsigned bits[] = {2, 0, 0x7FFFFFFFu, 0, 0x3C00C000u, 0x44004200u, 0x3F802000u, 0x7BFFu, 0x40403F80u, 1};
  at = 0;
  o[7] &= 0xFFFFu;
  for (unsigned value : bits) {
    char name[24];
    std::snprintf(name, sizeof name, "bits %d", at);
    expect::equal(name, o[at++], value);
  }
  expect::equal("sqrt.f64", d[0], std::sqrt(2.0));
  expect::equal("cvt.f64.f32", d[1], 0.5);
  expect::equal("cvt.f64.s64", d[2], -9.0);
  expect::equal("host assembly", host_assembly(), 5);
  int status = expect::report();
  std::fflush(stdout);
  control<<<1, 64>>>(o, f);  // a thread reaches the instruction that has no translation
  return status;
}
