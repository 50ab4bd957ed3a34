// Memory that is not freed, freed twice, or freed through a pointer that is no allocation.
#pragma once

__global__ void fills(float *out) { out[threadIdx.x] = 1.0f; }

template <bool Right>
void run_never_freed() {
  float *data;
  cudaMalloc(&data, 64 * sizeof(float));  // FAULT never_freed CM5231
  fills<<<1, 64>>>(data);
  if (Right) cudaFree(data);
}

template <bool Right>
void run_overwritten_pointer() {
  float *data;
  for (int i = 0; i < 2; ++i) {
    cudaMalloc(&data, 64 * sizeof(float));  // FAULT overwritten_pointer CM5231
    fills<<<1, 64>>>(data);
    if (Right && i == 0) cudaFree(data);
  }
  cudaFree(data);
}

template <bool Right>
void run_managed_not_freed() {
  float *data;
  cudaMallocManaged(&data, 64 * sizeof(float));  // FAULT managed_not_freed CM5231
  fills<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  data[0] += 1.0f;
  if (Right) cudaFree(data);
}

template <bool Right>
void run_freed_twice() {
  float *data;
  cudaMalloc(&data, 64 * sizeof(float));
  fills<<<1, 64>>>(data);
  cudaFree(data);
  if (Right) data = nullptr;
  cudaFree(data);  // FAULT freed_twice CM5232
}

template <bool Right>
void run_freed_inside() {
  float *data;
  cudaMalloc(&data, 64 * sizeof(float));
  fills<<<1, 64>>>(data);
  if (!Right) cudaFree(data + 32);  // FAULT freed_inside CM5233
  cudaFree(data);
}

template <bool Right>
void run_pinned_not_freed() {
  float *data;
  cudaMallocHost(&data, 64 * sizeof(float));  // FAULT pinned_not_freed CM5231
  data[0] = 1.0f;
  if (Right) cudaFreeHost(data);
}
