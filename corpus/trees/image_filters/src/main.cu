#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "filters.h"

// Pixels lie in [0, 1); a handful of float operations stay far below this.
static const float BOUND = 1e-5f;

static int wrong(const std::vector<float>& got, const std::vector<float>& want)
{
    int count = 0;
    for (size_t i = 0; i < got.size(); i++) {
        if (!(std::fabs(got[i] - want[i]) <= BOUND)) {
            count++;
        }
    }
    return count;
}

int main()
{
    const int width = 150, height = 37, pixels = width * height;
    const size_t bytes = pixels * sizeof(float);
    std::vector<float> host(pixels), got(pixels, -1.0f), want(pixels);
    unsigned seed = 7;
    for (float& p : host) {
        seed = seed * 1664525u + 1013904223u;
        p = (seed >> 8) / 16777216.0f;
    }

    Image image{nullptr, width, height}, scratch = image, result = image;
    cudaMalloc(&image.pixels, bytes);
    cudaMalloc(&scratch.pixels, bytes);
    cudaMalloc(&result.pixels, bytes);
    cudaMemcpy(image.pixels, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(result.pixels, got.data(), bytes, cudaMemcpyHostToDevice);

    blur(image, scratch, result, 0.5f);
    cudaMemcpy(got.data(), result.pixels, bytes, cudaMemcpyDeviceToHost);
    blur_reference(host.data(), want.data(), width, height, 0.5f);
    int bad = wrong(got, want);
    printf("blur: %d of %d pixels differ\n", bad, pixels);

    edges(image, result);
    cudaMemcpy(got.data(), result.pixels, bytes, cudaMemcpyDeviceToHost);
    edges_reference(host.data(), want.data(), width, height);
    int worse = wrong(got, want);
    printf("edges: %d of %d pixels differ\n", worse, pixels);

    cudaFree(image.pixels);
    cudaFree(scratch.pixels);
    cudaFree(result.pixels);
    bool good = bad == 0 && worse == 0;
    printf("%s\n", good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}
