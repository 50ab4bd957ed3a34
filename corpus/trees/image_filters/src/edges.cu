#include <cuda_runtime.h>

#include "border.cuh"
#include "filters.h"

__global__ void gradient(const float* from, float* to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < width && y < height) {
        float dx = from[y * width + inside(x + 1, width)] - from[y * width + inside(x - 1, width)];
        float dy = from[inside(y + 1, height) * width + x] - from[inside(y - 1, height) * width + x];
        to[y * width + x] = sqrtf(dx * dx + dy * dy);
    }
}

void edges(const Image& from, const Image& to)
{
    dim3 grid((from.width + 127) / 128, from.height);
    gradient<<<grid, 128>>>(from.pixels, to.pixels, from.width, from.height);
}
