// Work in two streams that nothing puts in order.
#pragma once

template <bool Right>
__global__ void doubles(const float *in, float *out) {
  out[threadIdx.x] = 2.0f * in[threadIdx.x];  // FAULT kernel_before_copy CM5219
}

template <bool Right>
void run_kernel_before_copy() {
  float *host, *in, *out;
  cudaStream_t copies, kernels;
  cudaEvent_t copied;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&kernels);
  cudaEventCreate(&copied);
  cudaMallocHost(&host, 64 * sizeof(float));
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) host[i] = static_cast<float>(i);
  cudaMemcpyAsync(in, host, 64 * sizeof(float), cudaMemcpyHostToDevice, copies);
  cudaEventRecord(copied, copies);
  if (Right) cudaStreamWaitEvent(kernels, copied, 0);
  doubles<Right><<<1, 64, 0, kernels>>>(in, out);
  cudaStreamSynchronize(kernels);
  cudaMemcpy(host, out, 64 * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  cudaFreeHost(host);
  cudaEventDestroy(copied);
  cudaStreamDestroy(copies);
  cudaStreamDestroy(kernels);
}

template <bool Right>
void run_copy_before_kernel() {
  float *host, *in, *out;
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMallocHost(&host, 64 * sizeof(float));
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemset(in, 0, 64 * sizeof(float));
  doubles<Right><<<1, 64, 0, one>>>(in, out);
  if (Right) cudaStreamSynchronize(one);
  cudaMemcpyAsync(host, out, 64 * sizeof(float), cudaMemcpyDeviceToHost, other);  // FAULT copy_before_kernel CM5219
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  cudaFreeHost(host);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
}
