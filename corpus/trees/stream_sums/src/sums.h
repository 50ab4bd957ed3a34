#pragma once

#include <cuda_runtime.h>

// Adds `count` numbers of each row; one row a block. Returns after the launch.
void sum_rows(const int* values, long long* sums, int rows, int count, cudaStream_t stream);

// values[i] = values[i] * factor + i
void scramble(int* values, int total, int factor, cudaStream_t stream);
