// Writes the results of intrinsics and of half and bfloat16 arithmetic, bit by bit, for the test to
// compare with results that it computes in another way. Arguments: input file, output folder.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Names {
  char text[64][24];
};

__global__ void integers(long long *out) {
  int i = 0;
  out[i++] = __popc(0xF0F0F001u);
  out[i++] = __popcll(0xFFFFFFFFFFFFFFFFull);
  out[i++] = __clz(1);
  out[i++] = __clz(0);
  out[i++] = __clzll(1ll << 40);
  out[i++] = __ffs(0);
  out[i++] = __ffs(0x100);
  out[i++] = __ffsll(1ll << 50);
  out[i++] = __brev(0x1u);
  out[i++] = static_cast<long long>(__brevll(2ull) >> 1);
  out[i++] = __byte_perm(0x33221100u, 0x77665544u, 0x7520u);
  out[i++] = __byte_perm(0x80u, 0u, 0x8888u);
  out[i++] = __mulhi(-5, 1 << 30);
  out[i++] = __umulhi(0xFFFFFFFFu, 0xFFFFFFFFu);
  out[i++] = __mul64hi(-1ll, 5ll);
  out[i++] = static_cast<long long>(__umul64hi(~0ull, 3ull));
  out[i++] = __mul24(0x800001, 3);
  out[i++] = __umul24(0xFF000003u, 5u);
  out[i++] = __funnelshift_l(0x80000000u, 0x1u, 1u);
  out[i++] = __funnelshift_r(0x80000000u, 0x1u, 31u);
  out[i++] = __funnelshift_lc(7u, 9u, 40u);
  out[i++] = __sad(-5, 7, 1u);
  out[i++] = __hadd(-3, 0);
  out[i++] = __rhadd(-3, 0);
  out[i++] = __dp4a(0x01FF02FE, 0x01010101, 10);
  out[i++] = min(-1, 1u);
  out[i++] = max(-1ll, 5ll);
  out[i++] = __vaddss4(0x7F01807Fu, 0x0101FF01u);
  out[i++] = __vmaxs2(0xFFFF0001u, 0x00010002u);
  out[i++] = __vcmpeq4(0x01020304u, 0x01FF03FFu);
  out[i++] = __float_as_int(-0.0f);
  out[i++] = __double2hiint(1.0);
  out[i++] = __float2int_rn(2.5f);
  out[i++] = __float2int_rz(-2.9f);
  out[i++] = __float2int_ru(2.1f);
  out[i++] = __float2int_rd(-2.1f);
  out[i++] = __float2int_rz(1e20f);
  out[i++] = __float2uint_rz(-5.0f);
  out[i++] = __float2int_rn(nanf(""));
  out[i++] = __double2ll_rn(-3.5);
  out[i++] = __fns(0xFF00u, 0u, 3);
  out[i++] = -777;
}

// Operands three at a time; one result a line of the table.
__global__ void floats(const float *in, float *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a = in[3 * t], b = in[3 * t + 1], c = in[3 * t + 2];
  float *o = out + 16 * t;
  o[0] = __fadd_rz(a, b);
  o[1] = __fadd_ru(a, b);
  o[2] = __fadd_rd(a, b);
  o[3] = __fmul_rz(a, b);
  o[4] = __fmul_ru(a, b);
  o[5] = __fmul_rd(a, b);
  o[6] = __fdiv_rz(a, b);
  o[7] = __fdiv_ru(a, b);
  o[8] = __fdiv_rd(a, b);
  o[9] = __fsqrt_ru(fabsf(a));
  o[10] = __fsqrt_rd(fabsf(a));
  o[11] = __fmaf_rn(a, b, c);
  o[12] = __fmaf_ru(a, b, c);
  o[13] = __fmaf_rz(a, b, c);
  o[14] = __double2float_rd(static_cast<double>(a) + static_cast<double>(c));
  o[15] = __saturatef(a);
}

template <class T>
__global__ void low_precision(const float *in, T *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  T a(in[3 * t]), b(in[3 * t + 1]), c(in[3 * t + 2]);
  T *o = out + 8 * t;
  o[0] = a;
  o[1] = b;
  o[2] = c;
  o[3] = a + b;
  o[4] = a * b;
  o[5] = __hfma(a, b, c);
  o[6] = a / b;
  o[7] = __hmax(a, b);
}

__global__ void directed_halves(const float *in, __half *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  out[4 * t] = __float2half_rz(in[t]);
  out[4 * t + 1] = __float2half_ru(in[t]);
  out[4 * t + 2] = __float2half_rd(in[t]);
  out[4 * t + 3] = __double2half(static_cast<double>(in[t]) * (1.0 + 1e-12));
}

__global__ void widen(float *out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
}

__global__ void functions(double *out) {
  int i = 0;
  out[i++] = rsqrtf(4.0f);
  out[i++] = __fdividef(1.0f, 3e38f);
  out[i++] = norm3df(1.0f, 2.0f, 2.0f);
  out[i++] = rcbrt(8.0);
  out[i++] = sinpi(0.5) + cospi(1.0);
  out[i++] = normcdf(0.0);
  out[i++] = erfinv(0.5);
  out[i++] = erfcx(1.0);
  out[i++] = fma(2.0, 3.0, 4.0);
  float s, c;
  sincosf(0.5f, &s, &c);
  out[i++] = s * s + c * c;
  out[i++] = __expf(1.0f);
  out[i++] = __powf(2.0f, 10.0f);
  out[i++] = exp10f(2.0f);
  out[i++] = cyl_bessel_i0(1.0);
  out[i++] = fmodf(7.5f, 2.0f);
  out[i++] = __low2float(__hfma2(__float2half2_rn(2.0f), __floats2half2_rn(3.0f, 4.0f),
                                 __float2half2_rn(1.0f)));
}

template <class T>
static void save(const std::string &path, const T *device, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  FILE *out = fopen(path.c_str(), "wb");
  fwrite(host.data(), sizeof(T), count, out);
  fclose(out);
}

template <class T>
static T *device_array(size_t count) {
  T *p;
  if (cudaMalloc(&p, count * sizeof(T)) != cudaSuccess) exit(2);
  return p;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  std::string folder = std::string(argv[2]) + "/";
  FILE *in = fopen(argv[1], "rb");
  std::vector<float> values(1 << 20);
  int n = static_cast<int>(fread(values.data(), 12, values.size() / 3, in));
  fclose(in);
  float *x = device_array<float>(3 * n);
  cudaMemcpy(x, values.data(), 12 * n, cudaMemcpyHostToDevice);

  long long *whole = device_array<long long>(42);
  integers<<<1, 1>>>(whole);
  save(folder + "integers", whole, 42);
  float *table = device_array<float>(16 * n);
  floats<<<(n + 127) / 128, 128>>>(x, table, n);
  save(folder + "floats", table, 16 * n);
  __half *halves = device_array<__half>(8 * n);
  low_precision<<<(n + 127) / 128, 128>>>(x, halves, n);
  save(folder + "halves", halves, 8 * n);
  __nv_bfloat16 *brains = device_array<__nv_bfloat16>(8 * n);
  low_precision<<<(n + 127) / 128, 128>>>(x, brains, n);
  save(folder + "bfloats", brains, 8 * n);
  __half *directed = device_array<__half>(4 * 3 * n);
  directed_halves<<<(3 * n + 127) / 128, 128>>>(x, directed, 3 * n);
  save(folder + "directed", directed, 4 * 3 * n);
  float *wide = device_array<float>(65536);
  widen<<<256, 256>>>(wide);
  save(folder + "wide", wide, 65536);
  double *reals = device_array<double>(16);
  functions<<<1, 1>>>(reals);
  save(folder + "functions", reals, 16);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
