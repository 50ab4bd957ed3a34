// Which rows have a negative number, and which have none above a limit: votes of whole blocks.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

struct Answer {
  int any_negative;
  int all_small;
  int negatives;
};

__global__ void ask_rows(const float* x, Answer* answers, int cols, float limit) {
  const float* row = x + blockIdx.x * cols;
  int negatives = 0;
  bool negative = false, small = true;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    negative |= row[c] < 0.0f;
    small &= row[c] <= limit;
    negatives += row[c] < 0.0f ? 1 : 0;
  }
  const int any = __syncthreads_or(negative);
  const int all = __syncthreads_and(small);
  const int lanes = __syncthreads_count(negatives > 0);
  if (threadIdx.x == 0) answers[blockIdx.x] = {any != 0, all != 0, lanes};
}

int main() {
  const int rows = 40, cols = 75, threads = 48;
  std::vector<float> x(rows * cols);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      const int h = (r * 131 + c * 17) % 97;
      x[r * cols + c] = r % 3 == 0 ? (float)h : (float)(h - r % 7);
      if (r % 4 == 1) x[r * cols + c] *= 0.5f;
    }
  }
  const float limit = 60.0f;
  float* dx;
  Answer* da;
  std::vector<Answer> answers(rows, {-1, -1, -1});
  if (cudaMalloc(&dx, x.size() * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&da, rows * sizeof(Answer)) != cudaSuccess ||
      cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemcpy(da, answers.data(), rows * sizeof(Answer), cudaMemcpyHostToDevice) != cudaSuccess) {
    return 2;
  }
  ask_rows<<<rows, threads>>>(dx, da, cols, limit);
  if (cudaMemcpy(answers.data(), da, rows * sizeof(Answer), cudaMemcpyDeviceToHost) != cudaSuccess) {
    return 2;
  }
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    bool any = false, all = true;
    int lanes = 0;
    for (int t = 0; t < threads; ++t) {
      bool lane = false;
      for (int c = t; c < cols; c += threads) {
        lane = lane || x[r * cols + c] < 0.0f;
        all = all && x[r * cols + c] <= limit;
      }
      any = any || lane;
      lanes += lane;
    }
    const Answer& a = answers[r];
    ok = ok && a.any_negative == any && a.all_small == all && a.negatives == lanes;
  }
  if (cudaFree(dx) != cudaSuccess || cudaFree(da) != cudaSuccess) return 2;
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
