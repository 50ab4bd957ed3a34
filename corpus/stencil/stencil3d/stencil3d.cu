// Explicit time steps of the heat equation on a 3D grid, with a seven-point stencil.
//
// All reads go to global memory; caches do the rest. Two buffers swap their roles after each step.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                          \
  do {                                                                            \
    cudaError_t status = (call);                                                  \
    if (status != cudaSuccess) {                                                  \
      fprintf(stderr, "stencil3d, line %d: %s\n", __LINE__,                       \
              cudaGetErrorString(status));                                        \
      exit(EXIT_FAILURE);                                                         \
    }                                                                             \
  } while (0)

// x runs fastest.
#define INDEX(x, y, z) (((z) * ny + (y)) * nx + (x))

// One step: next = now + k * (sum of the six neighbours - 6 * now). Cells on the surface of the
// grid keep their temperature.
__global__ void heat_step(const float* __restrict__ now, float* __restrict__ next, int nx, int ny,
                          int nz, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;

  const float centre = now[INDEX(x, y, z)];
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) {
    next[INDEX(x, y, z)] = centre;  // surface
  } else {
    const float neighbours = now[INDEX(x - 1, y, z)] + now[INDEX(x + 1, y, z)] +
                             now[INDEX(x, y - 1, z)] + now[INDEX(x, y + 1, z)] +
                             now[INDEX(x, y, z - 1)] + now[INDEX(x, y, z + 1)];
    next[INDEX(x, y, z)] = centre + k * (neighbours - 6.0f * centre);
  }
}

static void reference_step(const std::vector<double>& now, std::vector<double>& next, int nx,
                           int ny, int nz, double k) {
  next = now;
  for (int z = 1; z < nz - 1; ++z) {
    for (int y = 1; y < ny - 1; ++y) {
      for (int x = 1; x < nx - 1; ++x) {
        const int i = INDEX(x, y, z);
        const double sum = now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] +
                           now[i - nx * ny] + now[i + nx * ny];
        next[i] = now[i] + k * (sum - 6.0 * now[i]);
      }
    }
  }
}

int main() {
  const int nx = 37, ny = 29, nz = 19, steps = 3;
  const float k = 0.125f;
  const int cells = nx * ny * nz;
  const size_t bytes = cells * sizeof(float);

  std::vector<float> start(cells), result(cells);
  for (int i = 0; i < cells; ++i) {
    start[i] = 20.0f + 30.0f * std::sin(0.7f * i) + (i % 1009 == 0 ? 100.0f : 0.0f);
  }

  float *d_now, *d_next;
  CUDA_CHECK(cudaMalloc((void**)&d_now, bytes));
  CUDA_CHECK(cudaMalloc((void**)&d_next, bytes));
  CUDA_CHECK(cudaMemcpy(d_now, start.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 block(16, 4, 4);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y,
                  (nz + block.z - 1) / block.z);
  for (int step = 0; step < steps; ++step) {
    heat_step<<<grid, block>>>(d_now, d_next, nx, ny, nz, k);
    CUDA_CHECK(cudaGetLastError());
    std::swap(d_now, d_next);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(result.data(), d_now, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_now));
  CUDA_CHECK(cudaFree(d_next));

  std::vector<double> now(start.begin(), start.end()), next;
  for (int step = 0; step < steps; ++step) {
    reference_step(now, next, nx, ny, nz, k);
    std::swap(now, next);
  }

  // Values of up to 150, sums of up to 900: each step rounds by about 1e-5.
  double worst = 0.0;
  for (int i = 0; i < cells; ++i) {
    const double error = std::fabs(result[i] - now[i]);
    worst = error <= worst ? worst : error;  // keeps a NaN
    if (std::isnan(worst)) break;
  }
  printf("largest error after %d steps: %.2e\n", steps, worst);
  const bool ok = worst <= 1e-4;
  printf(ok ? "PASS\n" : "FAIL\n");
  return ok ? 0 : 1;
}
