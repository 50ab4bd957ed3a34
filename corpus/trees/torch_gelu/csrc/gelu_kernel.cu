#include <cuda_runtime.h>

__global__ void gelu_kernel(const float* x, float* y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

void gelu_forward(const float* x, float* y, int count)
{
    if (count > 0) {
        gelu_kernel<<<(count + 255) / 256, 256>>>(x, y, count);
    }
}
