// Adds two images of floats that live in pitched memory.
//
// cudaMallocPitch pads every row to the alignment that the device prefers, so rows are addressed
// in bytes and the padding must be left alone.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#define CHECK(call) { check_status((call), #call, __LINE__); }
static inline void check_status(cudaError_t status, const char* call, int line) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "line %d: %s returned \"%s\"\n", line, call, cudaGetErrorString(status));
  exit(3);
}

#define WIDTH 237
#define HEIGHT 101

// c = a + b over a width x height image. Each operand has its own pitch, in bytes.
__global__ void add_pitched(const float* a, size_t pitch_a, const float* b, size_t pitch_b,
                            float* c, size_t pitch_c, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < width && y < height) {
    // Step to the row in bytes, then index inside it in elements.
    const float* row_a = (const float*)((const char*)a + y * pitch_a);
    const float* row_b = (const float*)((const char*)b + y * pitch_b);
    float* row_c = (float*)((char*)c + y * pitch_c);
    row_c[x] = row_a[x] + row_b[x];
  }
}

int main(void) {
  const size_t row_bytes = WIDTH * sizeof(float);
  float* a = (float*)malloc(row_bytes * HEIGHT);
  float* b = (float*)malloc(row_bytes * HEIGHT);
  float* c = (float*)malloc(row_bytes * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    a[i] = (float)(i % 611) * 0.25f;
    b[i] = (float)(i % 97) - 48.0f;
  }
  memset(c, 0, row_bytes * HEIGHT);

  float *d_a, *d_b, *d_c;
  size_t pitch_a, pitch_b, pitch_c;
  CHECK(cudaMallocPitch((void**)&d_a, &pitch_a, row_bytes, HEIGHT));
  CHECK(cudaMallocPitch((void**)&d_b, &pitch_b, row_bytes, HEIGHT));
  CHECK(cudaMallocPitch((void**)&d_c, &pitch_c, row_bytes, HEIGHT));
  CHECK(cudaMemcpy2D(d_a, pitch_a, a, row_bytes, row_bytes, HEIGHT, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2D(d_b, pitch_b, b, row_bytes, row_bytes, HEIGHT, cudaMemcpyHostToDevice));

  dim3 block(32, 8);
  dim3 grid((WIDTH + block.x - 1) / block.x, (HEIGHT + block.y - 1) / block.y);
  add_pitched<<<grid, block>>>(d_a, pitch_a, d_b, pitch_b, d_c, pitch_c, WIDTH, HEIGHT);
  CHECK(cudaPeekAtLastError());
  CHECK(cudaDeviceSynchronize());

  CHECK(cudaMemcpy2D(c, row_bytes, d_c, pitch_c, row_bytes, HEIGHT, cudaMemcpyDeviceToHost));

  // One float addition is exact by definition, so the host must agree to the last bit.
  int errors = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    if (c[i] != a[i] + b[i]) errors++;
  }

  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(a);
  free(b);
  free(c);

  printf("%d errors\n", errors);
  printf(errors ? "FAIL\n" : "PASS\n");
  return errors ? 1 : 0;
}
