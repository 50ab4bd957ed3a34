// Expands runs of different lengths with one child grid per run, launched from the device.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check((call), __LINE__)

// Writes value to out[0 .. length).
__global__ void fill_run(int* out, int length, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) out[i] = value;
}

// One thread per run. Empty runs launch nothing: a grid of size zero is an error.
__global__ void expand_runs(const int* starts, const int* values, int* out, int runs) {
  const int run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run >= runs) return;

  const int length = starts[run + 1] - starts[run];
  if (length > 0) {
    fill_run<<<(length + 31) / 32, 32>>>(out + starts[run], length, values[run]);
  }
}

int main() {
  const int runs = 37;
  std::vector<int> starts(runs + 1, 0), values(runs);
  for (int r = 0; r < runs; ++r) {
    starts[r + 1] = starts[r] + r * 5 % 47;
    values[r] = 100 + r;
  }
  const int total = starts[runs];
  std::vector<int> out(total, -1);

  int *d_starts, *d_values, *d_out;
  CHECK(cudaMalloc(&d_starts, starts.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_values, values.size() * sizeof(int)));
  CHECK(cudaMalloc(&d_out, out.size() * sizeof(int)));
  CHECK(cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_values, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_out, 0xff, out.size() * sizeof(int)));
  expand_runs<<<(runs + 31) / 32, 32>>>(d_starts, d_values, d_out, runs);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());  // waits for the child grids as well
  CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_starts));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_out));

  int wrong = 0;
  for (int r = 0; r < runs; ++r) {
    for (int i = starts[r]; i < starts[r + 1]; ++i) {
      if (out[i] != values[r]) ++wrong;
    }
  }
  std::printf("%d of %d elements are wrong\n%s\n", wrong, total, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
