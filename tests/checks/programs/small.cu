// One fault, one remark, and what the program is given.
#include <cstdio>

__global__ void fills(float *out, int n) {
  int i = threadIdx.x;
  if (i <= n) out[i] = 1.0f;
}

int main(int argc, char **argv) {
  float *out, host[64];
  cudaMalloc(&out, 64 * sizeof(float));
  fills<<<1, 96>>>(out, argc > 1 ? 64 : 31);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s %g\n", argc > 1 ? argv[1] : "none", host[0]);
  cudaFree(out);
}
