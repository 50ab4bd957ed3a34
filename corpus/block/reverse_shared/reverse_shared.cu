// Turns segments of an array round in place: each block takes its segment into shared memory, once
// in memory whose size the launch gives, once in an array of structs of fixed size.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

void must(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    std::exit(2);
  }
}

struct Item {
  int key;
  float weight;
};

// A block of t threads turns elements [b * t, b * t + t) round; the last segment is shorter.
__global__ void reverse_dynamic(long long* data, int n) {
  extern __shared__ long long segment[];
  const int first = blockIdx.x * blockDim.x;
  const int length = min(static_cast<int>(blockDim.x), n - first);
  const int t = threadIdx.x;
  if (t < length) segment[t] = data[first + t];
  __syncthreads();
  if (t < length) data[first + t] = segment[length - 1 - t];
}

// The same for structs, 48 to a segment and 24 threads to a block.
__global__ void reverse_items(Item* items, int n) {
  __shared__ Item segment[48];
  const int first = blockIdx.x * 48;
  const int length = min(48, n - first);
  for (int t = threadIdx.x; t < length; t += blockDim.x) segment[t] = items[first + t];
  __syncthreads();
  for (int t = threadIdx.x; t < length; t += blockDim.x) {
    Item item = segment[length - 1 - t];
    item.weight *= 2.0f;
    items[first + t] = item;
  }
}

int main() {
  const int n = 1003, threads = 72;
  std::vector<long long> data(n);
  std::vector<Item> items(n);
  for (int i = 0; i < n; ++i) {
    data[i] = (1LL << 33) * i + 17;
    items[i] = {i * 3, 0.25f * i};
  }
  long long* d_data;
  Item* d_items;
  must(cudaMalloc(&d_data, n * sizeof(long long)));
  must(cudaMalloc(&d_items, n * sizeof(Item)));
  must(cudaMemcpy(d_data, data.data(), n * sizeof(long long), cudaMemcpyHostToDevice));
  must(cudaMemcpy(d_items, items.data(), n * sizeof(Item), cudaMemcpyHostToDevice));
  reverse_dynamic<<<(n + threads - 1) / threads, threads, threads * sizeof(long long)>>>(d_data, n);
  must(cudaGetLastError());
  reverse_items<<<(n + 47) / 48, 24>>>(d_items, n);
  must(cudaGetLastError());
  std::vector<long long> got(n);
  std::vector<Item> turned(n);
  must(cudaMemcpy(got.data(), d_data, n * sizeof(long long), cudaMemcpyDeviceToHost));
  must(cudaMemcpy(turned.data(), d_items, n * sizeof(Item), cudaMemcpyDeviceToHost));
  must(cudaFree(d_data));
  must(cudaFree(d_items));

  int wrong = 0;
  auto mirrored = [n](int i, int size) {
    const int first = i / size * size;
    const int last = first + size < n ? first + size - 1 : n - 1;
    return first + last - i;
  };
  for (int i = 0; i < n; ++i) {
    wrong += got[i] != data[mirrored(i, threads)];
    const Item& from = items[mirrored(i, 48)];
    wrong += turned[i].key != from.key || turned[i].weight != 2.0f * from.weight;
  }
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
