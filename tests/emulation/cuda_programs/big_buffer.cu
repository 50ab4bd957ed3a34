// Large buffers of which a launch changes little, under a cap that whole copies would not fit.
#include <cstdio>

__global__ void touch(float *data, int at) { data[at] += 1.0f; }
__global__ void later(float *data) { data[1] = 5.0f; }

int main() {
  const int n = 1 << 20;
  float *data, *host = new float[n];
  for (int i = 0; i < n; ++i) host[i] = 0.5f * i;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemcpy(data, host, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; ++i) touch<<<1, 1>>>(data, i * 300000);
  later<<<1, 1>>>(data);
  cudaMemcpy(host, data, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s\n", host[300000] == 150001.0f && host[1] == 5.0f ? "PASS" : "FAIL");
}
