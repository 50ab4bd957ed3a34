#include <cuda_runtime.h>

#include "border.cuh"
#include "filters.h"

__global__ void blur_rows(const float* from, float* to, int width, int height, float centre)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < width && y < height) {
        const float* row = from + y * width;
        float side = (1.0f - centre) * 0.5f;
        float left = row[inside(x - 1, width)];
        float right = row[inside(x + 1, width)];
        to[y * width + x] = centre * row[x] + side * (left + right);
    }
}

__global__ void blur_columns(const float* from, float* to, int width, int height, float centre)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < width && y < height) {
        float side = (1.0f - centre) * 0.5f;
        float above = from[inside(y - 1, height) * width + x];
        float below = from[inside(y + 1, height) * width + x];
        to[y * width + x] = centre * from[y * width + x] + side * (above + below);
    }
}

void blur(const Image& from, const Image& scratch, const Image& to, float centre)
{
    dim3 block(64);
    dim3 grid((from.width + 63) / 64, from.height);
    blur_rows<<<grid, block>>>(from.pixels, scratch.pixels, from.width, from.height, centre);
    blur_columns<<<grid, block>>>(scratch.pixels, to.pixels, from.width, from.height, centre);
}
