// Kernels that go wrong, one for each argument.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void endless(volatile int *p) {
  while (p[0] == 0) {
  }
}
__global__ void wild(int *p) { p[static_cast<long long>(threadIdx.x + 1) << 40] = 1; }
__global__ void divide(int *p) { p[1] = 7 / p[0]; }
__global__ void missing_lanes(int *p) {
  if (threadIdx.x < 16) p[threadIdx.x] = __shfl_sync(0xFFFFFFFFu, 3, 0);
  else __syncthreads();
}
__global__ void wrong_mask(int *p) { p[0] = __shfl_sync(0xFFFF0000u, 3, 16); }
__global__ void past_end(char *p, int n) { p[n] = 1; }
__global__ void asserting(int *p) { assert(p == nullptr); }
__global__ void undefined(int *p) {
  p[0] = 1 << (40 + p[1]);
  reinterpret_cast<unsigned *>(p)[2] = -5.0f + p[1];  // not marked by the rewriter
}
__device__ int deeper(volatile int *p, int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? p[0] : deeper(p, depth - 1) + frame[0];
}
__global__ void recursive(int *p, int depth) { p[0] = deeper(p, depth); }

static const char *name(cudaError_t error) { return cudaGetErrorName(error); }

// Eight times what the test allows to be in use.
static int large(bool touch) {
  constexpr size_t bytes = size_t{2} << 30, far = bytes - 4;
  char *big;
  printf("%s ", name(cudaMalloc(&big, bytes)));
  unsigned before = 0, after = 0, seven = 7, back = 0;
  cudaMemcpy(&before, big + far, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(big + far, &seven, 4, cudaMemcpyHostToDevice);
  cudaMemcpy(&back, big + far, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&after, big + far / 2, 4, cudaMemcpyDeviceToHost);
  if (touch) cudaMemset(big, 1, bytes);
  printf("%x %u %x\n", before, back, after);
  return name(cudaFree(big)) == nullptr;
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  if (!strcmp(argv[1], "host_assert")) assert(argc == 1);
  if (!strcmp(argv[1], "untouched")) return large(false);
  if (!strcmp(argv[1], "touched")) return large(true);
  int *p;
  cudaMalloc(&p, 256);
  cudaMemset(p, 0, 256);
  const char *what = argv[1];
  if (!strcmp(what, "endless")) endless<<<1, 1>>>(p);
  if (!strcmp(what, "wild")) wild<<<1, 4>>>(p);
  if (!strcmp(what, "divide")) divide<<<1, 1>>>(p);
  if (!strcmp(what, "missing_lanes")) missing_lanes<<<1, 32>>>(p);
  if (!strcmp(what, "wrong_mask")) wrong_mask<<<1, 32>>>(p);
  if (!strcmp(what, "past_end")) past_end<<<1, 1>>>(reinterpret_cast<char *>(p), 256);
  if (!strcmp(what, "assert")) asserting<<<1, 1>>>(p);
  if (!strcmp(what, "recursive")) recursive<<<1, 1>>>(p, 100000);
  if (!strcmp(what, "undefined")) undefined<<<1, 1>>>(p);
  if (!strcmp(what, "memory")) {
    char *big = static_cast<char *>(malloc(size_t{1} << 40));
    printf("%s\n", big ? "got it" : "refused");
    return big ? 0 : 4;
  }
  if (!strcmp(what, "disk")) {
    FILE *out = fopen("large", "wb");
    static char block[1 << 20];
    for (int i = 0; i < 64; ++i) fwrite(block, 1, sizeof block, out);
    fclose(out);
    return 0;
  }
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", name(error));
  cudaGetLastError();
  if (!strcmp(what, "assert")) {  // nothing works until the device is reset
    printf("%s %s ", name(cudaGetLastError()), name(cudaMalloc(&p, 4)));
    asserting<<<1, 1>>>(nullptr);
    printf("%s ", name(cudaDeviceSynchronize()));
    cudaDeviceReset();
    cudaGetLastError();
    printf("%s\n", name(cudaDeviceSynchronize()));
    return 1;
  }
  cudaFree(p);
  return error == cudaSuccess ? 0 : 1;
}
