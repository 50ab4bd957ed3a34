// Loss and gradient of softmax cross entropy for rows of logits, with a label that can say "ignore".

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int kThreads = 64;

#define CHECK(call)                                       \
  do {                                                    \
    if ((call) != cudaSuccess) {                          \
      std::fprintf(stderr, "failed: %s\n", #call);        \
      std::exit(2);                                       \
    }                                                     \
  } while (0)

template <typename Op>
__device__ float folded(float mine, float* slots, Op op) {
  slots[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      slots[threadIdx.x] = op(slots[threadIdx.x], slots[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float result = slots[0];
  __syncthreads();  // the slots are used again
  return result;
}

__global__ void cross_entropy(const float* logits, const int* labels, float* loss, float* gradient,
                              int classes, float scale) {
  __shared__ float slots[kThreads];
  const int row = blockIdx.x;
  const float* x = logits + row * classes;
  const int label = labels[row];
  if (label < 0) {  // the whole block agrees
    for (int c = threadIdx.x; c < classes; c += kThreads) gradient[row * classes + c] = 0.0f;
    if (threadIdx.x == 0) loss[row] = 0.0f;
    return;
  }
  float most = -INFINITY;
  for (int c = threadIdx.x; c < classes; c += kThreads) most = fmaxf(most, x[c]);
  most = folded(most, slots, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int c = threadIdx.x; c < classes; c += kThreads) sum += expf(x[c] - most);
  sum = folded(sum, slots, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) loss[row] = logf(sum) + most - x[label];
  for (int c = threadIdx.x; c < classes; c += kThreads) {
    gradient[row * classes + c] = (expf(x[c] - most) / sum - (c == label ? 1.0f : 0.0f)) * scale;
  }
}

int main() {
  const int rows = 18, classes = 97;
  std::vector<float> x(rows * classes), loss(rows, NAN), gradient(rows * classes, NAN);
  std::vector<int> labels(rows);
  for (int i = 0; i < rows * classes; ++i) x[i] = 4.0f * std::sin(0.9f * i);
  for (int r = 0; r < rows; ++r) labels[r] = r % 5 == 4 ? -1 : (r * 11) % classes;
  float *dx, *dl, *dg;
  int* dlabels;
  CHECK(cudaMalloc(&dx, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&dl, rows * sizeof(float)));
  CHECK(cudaMalloc(&dg, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&dlabels, rows * sizeof(int)));
  CHECK(cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dl, loss.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dg, gradient.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dlabels, labels.data(), rows * sizeof(int), cudaMemcpyHostToDevice));
  cross_entropy<<<rows, kThreads>>>(dx, dlabels, dl, dg, classes, 1.0f / rows);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(loss.data(), dl, rows * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(gradient.data(), dg, x.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (int c = 0; c < classes; ++c) sum += std::exp((double)x[r * classes + c]);
    const bool counted = labels[r] >= 0;
    const double want = counted ? std::log(sum) - x[r * classes + labels[r]] : 0.0;
    ok = ok && std::fabs(loss[r] - want) <= 4e-6;  // logits up to 4, a sum of about 300
    for (int c = 0; c < classes; ++c) {
      const double p = std::exp((double)x[r * classes + c]) / sum - (c == labels[r] ? 1.0 : 0.0);
      const double g = counted ? p / rows : 0.0;
      ok = ok && std::fabs(gradient[r * classes + c] - g) <= 1e-7;
    }
  }
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dl));
  CHECK(cudaFree(dg));
  CHECK(cudaFree(dlabels));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
