// The largest element of every row and where it stands first, once with a tree of pairs in shared
// memory, once with shuffles of both halves of a pair.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                   \
  do {                                                                                \
    const cudaError_t e = (call);                                                     \
    if (e != cudaSuccess) std::printf("%s\n", cudaGetErrorString(e)), std::exit(2);   \
  } while (0)

struct Best {
  float value;
  int index;
};

// The larger value wins, and of equal ones the earlier: the order of the operands does not matter.
__device__ Best better(Best a, Best b) {
  if (a.value > b.value) return a;
  if (b.value > a.value) return b;
  return a.index < b.index ? a : b;
}

__global__ void argmax_tree(const float* x, Best* best, int cols) {
  __shared__ Best tree[128];
  const int t = threadIdx.x;
  Best mine = {-1e30f, 0x7fffffff};
  for (int c = t; c < cols; c += 128) mine = better(mine, {x[blockIdx.x * cols + c], c});
  tree[t] = mine;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) tree[t] = better(tree[t], tree[t + half]);
    __syncthreads();
  }
  if (t == 0) best[blockIdx.x] = tree[0];
}

// One warp a row; the smallest element and its last place.
__global__ void argmin_last(const float* x, float* value, int* index, int rows, int cols) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float least = 1e30f;
  int at = -1;
  for (int c = lane; c < cols; c += 32) {
    const float v = x[row * cols + c];
    if (v <= least) {
      least = v;
      at = c;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float v = __shfl_down_sync(0xffffffffu, least, offset);
    const int i = __shfl_down_sync(0xffffffffu, at, offset);
    if (v < least || (v == least && i > at)) {
      least = v;
      at = i;
    }
  }
  if (lane == 0) {
    value[row] = least;
    index[row] = at;
  }
}

int main() {
  const int rows = 37, cols = 213;
  std::vector<float> x(rows * cols);
  for (int i = 0; i < rows * cols; ++i) x[i] = (float)((i * 2654435761u) >> 24) - 100.0f;  // ties

  float *d_x, *d_value;
  Best* d_best;
  int* d_index;
  CHECK(cudaMalloc(&d_x, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&d_best, rows * sizeof(Best)));
  CHECK(cudaMalloc(&d_value, rows * sizeof(float)));
  CHECK(cudaMalloc(&d_index, rows * sizeof(int)));
  CHECK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_best, 0xff, rows * sizeof(Best)));
  CHECK(cudaMemset(d_value, 0xff, rows * sizeof(float)));
  CHECK(cudaMemset(d_index, 0xfe, rows * sizeof(int)));

  argmax_tree<<<rows, 128>>>(d_x, d_best, cols);
  argmin_last<<<(rows + 3) / 4, 128>>>(d_x, d_value, d_index, rows, cols);
  CHECK(cudaDeviceSynchronize());

  std::vector<Best> best(rows);
  std::vector<float> value(rows);
  std::vector<int> index(rows);
  CHECK(cudaMemcpy(best.data(), d_best, rows * sizeof(Best), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(value.data(), d_value, rows * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(index.data(), d_index, rows * sizeof(int), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    int first = 0, last = 0;
    for (int c = 1; c < cols; ++c) {
      if (x[r * cols + c] > x[r * cols + first]) first = c;
      if (x[r * cols + c] <= x[r * cols + last]) last = c;
    }
    ok = ok && best[r].index == first && best[r].value == x[r * cols + first];
    ok = ok && index[r] == last && value[r] == x[r * cols + last];
  }
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_best));
  CHECK(cudaFree(d_value));
  CHECK(cudaFree(d_index));
  std::printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
