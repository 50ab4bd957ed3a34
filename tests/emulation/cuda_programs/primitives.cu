// CUB's block- and warp-wide primitives and 8-bit floats. Prints "name numbers".
#include <cub/cub.cuh>
#include <cuda_fp8.h>
#include <cstdio>
#include <mma.h>

constexpr int threads = 96;

__global__ void primitives(int *out, float *real, int *scan, int *moved) {
  using Reduce = cub::BlockReduce<int, threads>;
  using Real = cub::BlockReduce<float, threads>;
  using Pair = cub::KeyValuePair<int, float>;
  using Best = cub::BlockReduce<Pair, threads>;
  using Scan = cub::BlockScan<int, threads>;
  using Warp = cub::WarpReduce<int>;
  using Load = cub::BlockLoad<int, threads, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, threads, 2, cub::BLOCK_STORE_STRIPED>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } shared;
  __shared__ typename Real::TempStorage real_storage;
  __shared__ typename Best::TempStorage best_storage;
  __shared__ typename Warp::TempStorage warp_storage[3];
  int t = threadIdx.x;

  int sum = Reduce(shared.reduce).Sum(t + 1);
  if (t == 0) out[0] = sum;
  __syncthreads();
  int most = Reduce(shared.reduce).Reduce(t * 7 % 50, cub::Max(), 20);
  if (t == 0) out[1] = most;
  __syncthreads();
  int before, all;
  Scan(shared.scan).ExclusiveSum(t, before, all);
  scan[t] = before;
  if (t == 5) out[2] = all;
  Pair best = Best(best_storage).Reduce(Pair(t, static_cast<float>(t * 5 % 17)), cub::ArgMax());
  if (t == 0) out[3] = best.key;
  int warp = Warp(warp_storage[t / 32]).Sum(t);
  if (t == 64) out[4] = warp;
  float total = Real(real_storage).Sum(t == 40 ? 1e8f : 1.0f);
  if (t == 0) *real = total;
  int items[2];
  Load().Load(scan, items, threads, -1);
  Store().Store(moved, items);
}

__global__ void eighths(const float *in, unsigned char *out, float *back, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  out[2 * t] = __nv_cvt_float_to_fp8(in[t], __NV_SATFINITE, __NV_E4M3);
  out[2 * t + 1] = __nv_cvt_float_to_fp8(in[t], __NV_NOSAT, __NV_E5M2);
  back[t] = static_cast<float>(__nv_fp8_e4m3(in[t]));
}

__global__ void product(const half *a, const half *b, float *c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.5f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main() {
  int *out, *scan, *moved;
  float *real;
  cudaMallocManaged(&out, 5 * sizeof(int));
  cudaMallocManaged(&scan, threads * sizeof(int));
  cudaMallocManaged(&moved, 2 * threads * sizeof(int));
  cudaMallocManaged(&real, sizeof(float));
  primitives<<<1, threads>>>(out, real, scan, moved);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("reductions %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4]);
  printf("scan %d %d %d\n", scan[0], scan[10], scan[95]);
  printf("real %.9g\n", *real);
  printf("moved %d %d %d %d\n", moved[3], moved[47], moved[96 + 3], moved[48]);
  half *a, *b;
  float *c;
  cudaMallocManaged(&a, 256 * sizeof(half));
  cudaMallocManaged(&b, 256 * sizeof(half));
  cudaMallocManaged(&c, 256 * sizeof(float));
  for (int i = 0; i < 256; ++i) a[i] = half(i % 7), b[i] = half(i % 5 - 2);
  product<<<1, 32>>>(a, b, c);
  printf("product %g %g %g %g\n", c[0], c[1], c[16 * 3 + 5], c[255]);
  const float values[8] = {1.0f, 448.0f, 465.0f, 1000.0f, 0.0009f, -17.0f, 1.0625f, 70000.0f};
  float *in, *back;
  unsigned char *codes;
  cudaMallocManaged(&in, sizeof values);
  cudaMallocManaged(&back, sizeof values);
  cudaMallocManaged(&codes, 16);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  eighths<<<1, 8>>>(in, codes, back, 8);
  printf("e4m3");
  for (int i = 0; i < 8; ++i) printf(" %02x", codes[2 * i]);
  printf("\ne5m2");
  for (int i = 0; i < 8; ++i) printf(" %02x", codes[2 * i + 1]);
  printf("\nback");
  for (int i = 0; i < 8; ++i) printf(" %g", back[i]);
  printf("\n");
}
