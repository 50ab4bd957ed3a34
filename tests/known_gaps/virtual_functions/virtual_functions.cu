// Shapes of two kinds behind one interface; each thread asks one of them for its area.

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

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Strip : Shape {
  float length;
  __device__ explicit Strip(float l) : length(l) {}
  __device__ float area() const override { return 2.0f * length; }
};

__global__ void areas(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Square square(i);
  const Strip strip(i);
  const Shape* shape = i % 3 == 0 ? static_cast<const Shape*>(&square) : &strip;
  out[i] = shape->area();
}

int main() {
  const int n = 200;
  std::vector<float> out(n);
  float* d_out;
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  areas<<<(n + 63) / 64, 64>>>(d_out, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float expected = i % 3 == 0 ? static_cast<float>(i) * i : 2.0f * i;
    if (out[i] != expected) ++wrong;
  }
  std::printf("%d values are wrong\n%s\n", wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
