// Sum, largest and smallest number of rows by cooperative groups: each tile of 32 threads reduces its
// share, tiles hand their results on through shared memory, and blocks of one row meet in atomics.

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

static void ok(cudaError_t code) {
  if (code != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
    std::exit(3);
  }
}

// sums, most and least have one element a row; data is [rows, cols]. blockIdx.y is the row.
__global__ void row_extremes(const int* __restrict__ data, unsigned long long* sums, int* most,
                             int* least, int cols) {
  __shared__ int part_sum[8], part_most[8], part_least[8];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  const int* row = data + blockIdx.y * cols;

  int sum = 0, largest = INT_MIN, smallest = INT_MAX;
  for (int c = blockIdx.x * blockDim.x + block.thread_rank(); c < cols; c += gridDim.x * blockDim.x) {
    sum += row[c];
    largest = max(largest, row[c]);
    smallest = min(smallest, row[c]);
  }
  sum = cg::reduce(tile, sum, cg::plus<int>());
  largest = cg::reduce(tile, largest, cg::greater<int>());
  smallest = cg::reduce(tile, smallest, cg::less<int>());
  const int which = block.thread_rank() / 32;
  if (tile.thread_rank() == 0) {
    part_sum[which] = sum;
    part_most[which] = largest;
    part_least[which] = smallest;
  }
  block.sync();
  if (block.thread_rank() == 0) {
    for (int i = 1; i < blockDim.x / 32; ++i) {
      sum += part_sum[i];
      largest = max(largest, part_most[i]);
      smallest = min(smallest, part_least[i]);
    }
    atomicAdd(&sums[blockIdx.y], static_cast<unsigned long long>(static_cast<long long>(sum)));
    atomicMax(&most[blockIdx.y], largest);
    atomicMin(&least[blockIdx.y], smallest);
  }
}

int main() {
  const int rows = 5, cols = 1403;
  std::vector<int> data(rows * cols);
  unsigned state = 12345;
  for (int& x : data) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<int>(state >> 12) - (1 << 19);
  }
  std::vector<unsigned long long> sums(rows, 0);
  std::vector<int> most(rows, INT_MIN), least(rows, INT_MAX);

  int *d_data, *d_most, *d_least;
  unsigned long long* d_sums;
  ok(cudaMalloc(&d_data, data.size() * sizeof(int)));
  ok(cudaMalloc(&d_sums, rows * sizeof(*d_sums)));
  ok(cudaMalloc(&d_most, rows * sizeof(int)));
  ok(cudaMalloc(&d_least, rows * sizeof(int)));
  ok(cudaMemcpy(d_data, data.data(), data.size() * sizeof(int), cudaMemcpyHostToDevice));
  ok(cudaMemcpy(d_sums, sums.data(), rows * sizeof(*d_sums), cudaMemcpyHostToDevice));
  ok(cudaMemcpy(d_most, most.data(), rows * sizeof(int), cudaMemcpyHostToDevice));
  ok(cudaMemcpy(d_least, least.data(), rows * sizeof(int), cudaMemcpyHostToDevice));
  row_extremes<<<dim3(3, rows), 128>>>(d_data, d_sums, d_most, d_least, cols);
  ok(cudaGetLastError());
  ok(cudaMemcpy(sums.data(), d_sums, rows * sizeof(*d_sums), cudaMemcpyDeviceToHost));
  ok(cudaMemcpy(most.data(), d_most, rows * sizeof(int), cudaMemcpyDeviceToHost));
  ok(cudaMemcpy(least.data(), d_least, rows * sizeof(int), cudaMemcpyDeviceToHost));

  bool good = true;
  for (int r = 0; r < rows; ++r) {
    long long sum = 0;
    int top = data[r * cols], low = top;
    for (int c = 0; c < cols; ++c) {
      const int x = data[r * cols + c];
      sum += x;
      if (x > top) top = x;
      if (x < low) low = x;
    }
    good = good && static_cast<long long>(sums[r]) == sum && most[r] == top && least[r] == low;
  }
  cudaFree(d_data);
  cudaFree(d_sums);
  cudaFree(d_most);
  cudaFree(d_least);
  std::puts(good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
