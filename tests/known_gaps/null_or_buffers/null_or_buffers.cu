// Adds one of two optional vectors to a vector, or none: a pointer that is null or in one of two
// buffers.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                           \
  do {                                                                             \
    cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
      std::exit(2);                                                                \
    }                                                                              \
  } while (0)

// bias is null where neither vector is chosen for the element.
__global__ void add_chosen(float* x, const float* left, const float* right,
                           const int* choice, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* bias = nullptr;
  if (choice[i] == 1) bias = left;
  if (choice[i] == 2) bias = right;
  if (bias != nullptr) x[i] += bias[i];
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* place;
  CUDA_CHECK(cudaMalloc(&place, values.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(place, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return place;
}

int main() {
  const int n = 1003;
  std::vector<float> x(n), left(n), right(n);
  std::vector<int> choice(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.5f * static_cast<float>(i);
    left[i] = 1.0f;
    right[i] = -2.0f;
    choice[i] = i % 3;
  }
  float* d_x = on_device(x);
  float* d_left = on_device(left);
  float* d_right = on_device(right);
  int* d_choice = on_device(choice);
  add_chosen<<<(n + 127) / 128, 128>>>(d_x, d_left, d_right, d_choice, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(x.data(), d_x, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_left));
  CUDA_CHECK(cudaFree(d_right));
  CUDA_CHECK(cudaFree(d_choice));

  bool ok = true;
  for (int i = 0; i < n; ++i) {
    const float added = i % 3 == 1 ? 1.0f : i % 3 == 2 ? -2.0f : 0.0f;
    ok = ok && x[i] == 0.5f * static_cast<float>(i) + added;
  }
  std::printf("%s\n", ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
