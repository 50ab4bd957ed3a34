// Instances of one template of which the program launches one.
#include <cstdio>
#include <cstdlib>

template <int N, typename T>
__global__ void shift(int n, const T *x, T *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i + (N == 9 ? 400 : 0)] = x[i] + N;  // 9 writes outside
}

template <typename T>
void choose(int which, int n, const T *x, T *y) {
  switch (which) {
    case 1: shift<1><<<2, 256>>>(n, x, y); break;
    case 2: shift<2><<<2, 256>>>(n, x, y); break;
    case 9: shift<9><<<2, 256>>>(n, x, y); break;
  }
}

int main(int argc, char **) {
  const int n = 300;
  float h[n], *x, *y;
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&y, sizeof h);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof h);
  choose(argc, n, x, y);
  if (argc > 5) choose(2, n, reinterpret_cast<int *>(x), reinterpret_cast<int *>(y));
  cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s\n", h[1] == 2.0f ? "PASS" : "FAIL");
}
