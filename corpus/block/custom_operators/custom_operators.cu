// Trees with operators of our own: greatest common divisor, exclusive or, and the product of 2 x 2
// matrices, which may not change places. Each keeps its own way of going through the block.

#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr unsigned kPrime = 65521;

struct Matrix {
  unsigned a, b, c, d;
};

// x * y modulo kPrime.
__host__ __device__ inline Matrix times(const Matrix& x, const Matrix& y) {
  Matrix r;
  r.a = (x.a * y.a % kPrime + x.b * y.c % kPrime) % kPrime;
  r.b = (x.a * y.b % kPrime + x.b * y.d % kPrime) % kPrime;
  r.c = (x.c * y.a % kPrime + x.d * y.c % kPrime) % kPrime;
  r.d = (x.c * y.b % kPrime + x.d * y.d % kPrime) % kPrime;
  return r;
}

__device__ unsigned common_divisor(unsigned x, unsigned y) {
  while (y != 0) {
    const unsigned rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

// The product of each run of blockDim.x matrices, from left to right. Neighbours are joined first.
__global__ void ordered_products(const Matrix* __restrict__ in, Matrix* __restrict__ out, int n) {
  extern __shared__ Matrix run[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Matrix one = {1u, 0u, 0u, 1u};
  run[t] = i < n ? in[i] : one;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) run[t] = times(run[t], run[t + step]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = run[0];
}

// Greatest common divisor and exclusive or of each run of blockDim.x numbers.
__global__ void divisors(const unsigned* __restrict__ in, unsigned* __restrict__ gcd,
                         unsigned* __restrict__ parity, int n) {
  __shared__ unsigned found[64], bits[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  found[t] = i < n ? in[i] : 0u;
  bits[t] = found[t];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) {
      found[t] = common_divisor(found[t], found[t + half]);
      bits[t] ^= bits[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    gcd[blockIdx.x] = found[0];
    parity[blockIdx.x] = bits[0];
  }
}

int main() {
  const int n = 1000, threads = 64, blocks = (n + threads - 1) / threads;
  std::vector<Matrix> matrices(n), products(blocks);
  std::vector<unsigned> numbers(n), gcd(blocks, 0), parity(blocks, 0);
  for (int i = 0; i < n; ++i) {
    const unsigned u = i;
    matrices[i] = {u * 7 % 251, u * 11 % 257, u * 13 % 263, u * 17 % 269};
    numbers[i] = (u / threads % 5 + 2) * 6 * (u * 31 % 97 + 1);
  }
  Matrix *d_matrices, *d_products;
  unsigned *d_numbers, *d_gcd, *d_parity;
  cudaMalloc((void**)&d_matrices, n * sizeof(Matrix));
  cudaMalloc((void**)&d_products, blocks * sizeof(Matrix));
  cudaMalloc((void**)&d_numbers, n * sizeof(unsigned));
  cudaMalloc((void**)&d_gcd, blocks * sizeof(unsigned));
  cudaMalloc((void**)&d_parity, blocks * sizeof(unsigned));
  cudaMemcpy(d_matrices, matrices.data(), n * sizeof(Matrix), cudaMemcpyHostToDevice);
  cudaMemcpy(d_numbers, numbers.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(d_products, 0xff, blocks * sizeof(Matrix));
  cudaMemset(d_gcd, 0, blocks * sizeof(unsigned));
  cudaMemset(d_parity, 0xff, blocks * sizeof(unsigned));
  ordered_products<<<blocks, threads, threads * sizeof(Matrix)>>>(d_matrices, d_products, n);
  divisors<<<blocks, threads>>>(d_numbers, d_gcd, d_parity, n);
  cudaMemcpy(products.data(), d_products, blocks * sizeof(Matrix), cudaMemcpyDeviceToHost);
  cudaMemcpy(gcd.data(), d_gcd, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(parity.data(), d_parity, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost);

  bool good = true;
  for (int b = 0; b < blocks; ++b) {
    unsigned long long m[4] = {1, 0, 0, 1};
    unsigned long long divisor = 0;
    unsigned odd = 0;
    for (int i = b * threads; i < n && i < (b + 1) * threads; ++i) {
      const Matrix& y = matrices[i];
      const unsigned long long r[4] = {m[0] * y.a + m[1] * y.c, m[0] * y.b + m[1] * y.d,
                                       m[2] * y.a + m[3] * y.c, m[2] * y.b + m[3] * y.d};
      for (int k = 0; k < 4; ++k) m[k] = r[k] % kPrime;
      odd ^= numbers[i];
      unsigned long long x = divisor, z = numbers[i];
      while (z) {
        const unsigned long long rest = x % z;
        x = z;
        z = rest;
      }
      divisor = x;
    }
    const Matrix& got = products[b];
    good = good && got.a == m[0] && got.b == m[1] && got.c == m[2] && got.d == m[3];
    good = good && gcd[b] == divisor && parity[b] == odd;
  }
  cudaFree(d_matrices);
  cudaFree(d_products);
  cudaFree(d_numbers);
  cudaFree(d_gcd);
  cudaFree(d_parity);
  std::puts(good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
