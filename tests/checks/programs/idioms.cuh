// What programs do to put blocks and lanes in order, with twins that leave the order out.
#pragma once

#include <cooperative_groups.h>

// The block that comes last adds up what the others stored.
template <bool Right>
__global__ void last_block_sums(const int *in, int *part, unsigned *done, int *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    if (Right) __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x)
    atomicAdd(out, part[threadIdx.x]);  // FAULT last_block CM5212
}

template <bool Right>
__global__ void reads_after_grid_sync(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = i;
  if (Right) cooperative_groups::this_grid().sync();
  out[i] = data[n - 1 - i];  // FAULT grid_barrier CM5212
}

// A structure with padding is copied whole; lanes exchange through shuffles and shared memory.
struct Padded {
  char tag;
  double value;
};
template <bool Right>
__global__ void lanes_in_order(const Padded *in, Padded *out, int *sum) {
  __shared__ int part[32];
  int lane = threadIdx.x;
  out[lane] = in[lane];
  int value = lane;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, step);
  part[lane] = value;
  for (int step = 16; step > 0; step /= 2) {
    __syncwarp();
    int next = lane < step ? part[lane + step] : 0;
    if (Right) __syncwarp();
    part[lane] += next;  // FAULT lanes_in_order CM5211
  }
  if (lane == 0) *sum = part[0];
}

template <bool Right>
void run_last_block() {
  int *in, *part, *out;
  unsigned *done;
  cudaMalloc(&in, 8 * sizeof(int));
  cudaMalloc(&part, 8 * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 8 * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  cudaMemset(out, 0, sizeof(int));
  last_block_sums<Right><<<8, 32>>>(in, part, done, out);
  cudaFree(in);
  cudaFree(part);
  cudaFree(done);
  cudaFree(out);
}

template <bool Right>
void run_grid_barrier() {
  int *data, *out;
  cudaMalloc(&data, 128 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(data, 0, 128 * sizeof(int));
  void *arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel(reads_after_grid_sync<Right>, 4, 32, arguments);
  cudaFree(data);
  cudaFree(out);
}

template <bool Right>
void run_lanes_in_order() {
  Padded host[32], *in, *out;
  int *sum;
  for (Padded &p : host) p = Padded{'a', 1.0};
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&sum, sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  lanes_in_order<Right><<<1, 32>>>(in, out, sum);
  cudaFree(in);
  cudaFree(out);
  cudaFree(sum);
}
