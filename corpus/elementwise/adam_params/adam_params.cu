// One step of the Adam optimiser with decoupled weight decay.
//
// The hyper-parameters travel to the kernel as one struct by value, which keeps the launch short
// and puts them all into the parameter space of the kernel.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_OK(expr)                                                                   \
  do {                                                                                  \
    cudaError_t result = (expr);                                                        \
    if (result != cudaSuccess) {                                                        \
      std::fprintf(stderr, "[adam] %s -> %s\n", #expr, cudaGetErrorString(result));     \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)

struct AdamParams {
  float learning_rate;
  float beta1;
  float beta2;
  float epsilon;
  float weight_decay;
  float correction1;  // 1 - beta1^step
  float correction2;  // 1 - beta2^step
  int count;
};

// Updates the weights and both moments in place; grads is only read.
__global__ void adam_step(AdamParams p, float* weights, float* moment1, float* moment2,
                          const float* grads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;

  const float g = grads[i];
  const float m = p.beta1 * moment1[i] + (1.0f - p.beta1) * g;
  const float v = p.beta2 * moment2[i] + (1.0f - p.beta2) * g * g;
  moment1[i] = m;
  moment2[i] = v;

  // Both moments start at zero; dividing by the correction removes that bias.
  const float m_hat = m / p.correction1;
  const float v_hat = v / p.correction2;
  const float w = weights[i];
  weights[i] = w - p.learning_rate * (m_hat / (sqrtf(v_hat) + p.epsilon) + p.weight_decay * w);
}

struct Model {
  std::vector<float> weights, moment1, moment2, grads;
};

static Model make_model(int count) {
  Model model;
  for (int i = 0; i < count; ++i) {
    const float phase = 0.013f * static_cast<float>(i);
    model.weights.push_back(std::cos(phase));
    model.moment1.push_back(0.05f * std::sin(3.0f * phase));
    model.moment2.push_back(1e-4f * static_cast<float>(1 + i % 89));
    // Some gradients are exactly zero, as behind a ReLU.
    model.grads.push_back(i % 7 == 0 ? 0.0f : 0.2f * std::sin(5.0f * phase));
  }
  return model;
}

static bool close(float got, double expected, double rtol, double atol) {
  return std::fabs(got - expected) <= atol + rtol * std::fabs(expected);
}

int main() {
  const int count = 11111;
  const int step = 7;
  const size_t bytes = count * sizeof(float);
  const Model before = make_model(count);

  AdamParams params;
  params.learning_rate = 0.01f;
  params.beta1 = 0.9f;
  params.beta2 = 0.999f;
  params.epsilon = 1e-3f;  // large enough to show in the check
  params.weight_decay = 0.1f;
  params.correction1 = 1.0f - std::pow(params.beta1, static_cast<float>(step));
  params.correction2 = 1.0f - std::pow(params.beta2, static_cast<float>(step));
  params.count = count;

  float *weights, *moment1, *moment2, *grads;
  CUDA_OK(cudaMalloc(&weights, bytes));
  CUDA_OK(cudaMalloc(&moment1, bytes));
  CUDA_OK(cudaMalloc(&moment2, bytes));
  CUDA_OK(cudaMalloc(&grads, bytes));
  CUDA_OK(cudaMemcpy(weights, before.weights.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(moment1, before.moment1.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(moment2, before.moment2.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(grads, before.grads.data(), bytes, cudaMemcpyHostToDevice));

  const int block_size = 256;
  const int num_blocks = (count + block_size - 1) / block_size;
  adam_step<<<num_blocks, block_size>>>(params, weights, moment1, moment2, grads);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaDeviceSynchronize());

  Model after = before;
  CUDA_OK(cudaMemcpy(after.weights.data(), weights, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(after.moment1.data(), moment1, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(after.moment2.data(), moment2, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(weights));
  CUDA_OK(cudaFree(moment1));
  CUDA_OK(cudaFree(moment2));
  CUDA_OK(cudaFree(grads));

  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const double g = before.grads[i];
    const double m = params.beta1 * (double)before.moment1[i] + (1.0 - params.beta1) * g;
    const double v = params.beta2 * (double)before.moment2[i] + (1.0 - params.beta2) * g * g;
    const double w = before.weights[i];
    const double direction =
        (m / params.correction1) / (std::sqrt(v / params.correction2) + params.epsilon);
    const double expected = w - params.learning_rate * (direction + params.weight_decay * w);
    // The first moment is a sum that can cancel, so it gets an absolute term. 1 - beta2 is exact in
    // float (Sterbenz), hence no further loss in the second.
    const bool ok = close(after.moment1[i], m, 1e-6, 1e-8) &&
                    close(after.moment2[i], v, 1e-6, 0.0) &&
                    close(after.weights[i], expected, 1e-6, 1e-6);
    if (!ok) ++wrong;
  }

  std::printf("%d of %d parameters are wrong\n%s\n", wrong, count, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
