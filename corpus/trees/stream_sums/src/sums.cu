#include "check.h"
#include "sums.h"

static const int THREADS = 128;

__global__ void sum_rows_kernel(const int* values, long long* sums, int count)
{
    __shared__ long long part[THREADS];
    const int* row = values + (size_t)blockIdx.x * count;
    long long sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        sum += row[i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = part[0];
    }
}

__global__ void scramble_kernel(int* values, int total, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        values[i] = values[i] * factor + i;
    }
}

void sum_rows(const int* values, long long* sums, int rows, int count, cudaStream_t stream)
{
    sum_rows_kernel<<<rows, THREADS, 0, stream>>>(values, sums, count);
    CUDA_CHECK_LAUNCH();
}

void scramble(int* values, int total, int factor, cudaStream_t stream)
{
    scramble_kernel<<<(total + THREADS - 1) / THREADS, THREADS, 0, stream>>>(values, total, factor);
    CUDA_CHECK_LAUNCH();
}
