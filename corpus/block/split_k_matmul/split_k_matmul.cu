// Integer matrix product with the inner dimension split over blocks, which add their shares to C.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static int failed(cudaError_t status) {
  if (status != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  return status != cudaSuccess;
}

const int T = 16;

// a is [m, k], b is [k, n]; blockIdx.z counts the shares, each of `share` inner elements.
__global__ void matmul_split(const signed char* a, const signed char* b, int* c, int m, int n, int k,
                             int share) {
  __shared__ signed char sa[T][T];
  __shared__ signed char sb[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y;
  const int col = blockIdx.x * T + x;
  const int end = min(k, (int)(blockIdx.z + 1) * share);
  int sum = 0;
  for (int at = blockIdx.z * share; at < end; at += T) {
    sa[y][x] = row < m && at + x < end ? a[row * k + at + x] : 0;
    sb[y][x] = col < n && at + y < end ? b[(at + y) * n + col] : 0;
    __syncthreads();
    for (int d = 0; d < T; ++d) sum += sa[y][d] * sb[d][x];
    __syncthreads();
  }
  if (row < m && col < n) atomicAdd(&c[row * n + col], sum);
}

int main() {
  const int m = 21, n = 35, k = 100, shares = 3, share = 36;
  std::vector<signed char> a(m * k), b(k * n);
  std::vector<int> c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = (signed char)(i * 37 % 255 - 127);
  for (int i = 0; i < k * n; ++i) b[i] = (signed char)(i * 73 % 251 - 125);
  signed char *da, *db;
  int* dc;
  if (failed(cudaMalloc(&da, m * k)) || failed(cudaMalloc(&db, k * n)) ||
      failed(cudaMalloc(&dc, m * n * sizeof(int))) ||
      failed(cudaMemcpy(da, a.data(), m * k, cudaMemcpyHostToDevice)) ||
      failed(cudaMemcpy(db, b.data(), k * n, cudaMemcpyHostToDevice)) ||
      failed(cudaMemset(dc, 0, m * n * sizeof(int)))) {
    return 2;
  }
  matmul_split<<<dim3((n + T - 1) / T, (m + T - 1) / T, shares), dim3(T, T)>>>(da, db, dc, m, n, k,
                                                                              share);
  if (failed(cudaMemcpy(c.data(), dc, m * n * sizeof(int), cudaMemcpyDeviceToHost))) return 2;
  bool ok = true;
  for (int i = 0; i < m * n; ++i) {
    long long want = 0;
    for (int d = 0; d < k; ++d) want += (long long)a[i / n * k + d] * b[d * n + i % n];
    ok = ok && c[i] == want;
  }
  if (failed(cudaFree(da)) || failed(cudaFree(db)) || failed(cudaFree(dc))) return 2;
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
