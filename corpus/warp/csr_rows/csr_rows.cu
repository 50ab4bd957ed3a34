// Sparse matrix times vector: one warp a row for long rows, one thread a row for short ones.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

__global__ void rows_by_warp(const int* starts, const int* columns, const int* values, const int* x,
                             long long* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  long long sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) {
    sum += (long long)values[i] * x[columns[i]];
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  if (lane == 0) y[row] = sum;
}

__global__ void rows_by_thread(const int* starts, const int* columns, const int* values,
                               const int* x, long long* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    long long sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += (long long)values[i] * x[columns[i]];
    y[row] = sum;
  }
}

int main() {
  const int rows = 83, cols = 120;
  std::vector<int> starts = {0}, columns, values, x(cols);
  for (int r = 0; r < rows; ++r) {
    const int length = r % 7 == 0 ? 0 : (r * 13) % 90;  // some rows are empty
    for (int i = 0; i < length; ++i) {
      columns.push_back((r * 31 + i * 7) % cols);
      values.push_back((i * 977 + r) % 20011 - 10000);
    }
    starts.push_back((int)columns.size());
  }
  for (int c = 0; c < cols; ++c) x[c] = c * 7919 - 400000;
  const int entries = (int)columns.size();
  int *d_starts, *d_columns, *d_values, *d_x;
  long long *d_warp, *d_thread;
  check(cudaMalloc(&d_starts, (rows + 1) * sizeof(int)));
  check(cudaMalloc(&d_columns, entries * sizeof(int)));
  check(cudaMalloc(&d_values, entries * sizeof(int)));
  check(cudaMalloc(&d_x, cols * sizeof(int)));
  check(cudaMalloc(&d_warp, rows * sizeof(long long)));
  check(cudaMalloc(&d_thread, rows * sizeof(long long)));
  check(cudaMemcpy(d_starts, starts.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_columns, columns.data(), entries * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_values, values.data(), entries * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_x, x.data(), cols * sizeof(int), cudaMemcpyHostToDevice));
  check(cudaMemset(d_warp, 0x77, rows * sizeof(long long)));
  check(cudaMemset(d_thread, 0x77, rows * sizeof(long long)));
  rows_by_warp<<<(rows + 3) / 4, 128>>>(d_starts, d_columns, d_values, d_x, d_warp, rows);
  rows_by_thread<<<(rows + 63) / 64, 64>>>(d_starts, d_columns, d_values, d_x, d_thread, rows);
  check(cudaDeviceSynchronize());
  std::vector<long long> by_warp(rows), by_thread(rows);
  check(cudaMemcpy(by_warp.data(), d_warp, rows * sizeof(long long), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(by_thread.data(), d_thread, rows * sizeof(long long), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    long long want = 0;
    for (int i = starts[r]; i < starts[r + 1]; ++i) want += (long long)values[i] * x[columns[i]];
    ok = ok && by_warp[r] == want && by_thread[r] == want;
  }
  for (void* p : {(void*)d_starts, (void*)d_columns, (void*)d_values, (void*)d_x, (void*)d_warp,
                  (void*)d_thread}) {
    check(cudaFree(p));
  }
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
