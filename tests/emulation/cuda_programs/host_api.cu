// The runtime calls that host code makes. Prints "name values".
#include <cstdio>
#include <cstring>
#include <vector>

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter;
__device__ __managed__ int shared_with_host = 5;
static __constant__ struct { int a; float b; } parameters;

__global__ void use(float *out) {
  int t = threadIdx.x;
  out[t] = coefficients[t] * parameters.b + parameters.a;
  atomicAdd(&counter, 1);
  if (t == 0) shared_with_host *= 2;
}

__global__ void touch(int *p) { p[threadIdx.x + blockIdx.x * blockDim.x] = 1; }
__global__ void nothing() {}

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

int main() {
  float *out;
  cudaMalloc((void **)&out, 4 * sizeof(float));
  float more[2] = {30, 40};
  cudaMemcpyToSymbol(coefficients, more, sizeof more, 2 * sizeof(float));
  struct { int a; float b; } host = {100, 2};
  cudaMemcpyToSymbol(parameters, &host, sizeof host);
  int zero = 0, seen = 0;
  cudaMemcpyToSymbol(counter, &zero, sizeof zero);
  use<<<1, 4>>>(out);
  float back[4];
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&seen, counter, sizeof seen);
  printf("symbols %g %g %g %g %d %d\n", back[0], back[1], back[2], back[3], seen, shared_with_host);
  int *address;
  size_t size;
  cudaGetSymbolAddress((void **)&address, counter);
  cudaGetSymbolSize(&size, coefficients);
  printf("symbol_address %d %zu\n", *address, size);
  printf("symbol_range %s\n", name(cudaMemcpyToSymbol(coefficients, more, 8, 12)));

  char *pitched;
  size_t pitch;
  cudaMallocPitch(&pitched, &pitch, 10, 3);
  std::vector<char> rows(30), again(30);
  for (int i = 0; i < 30; ++i) rows[i] = static_cast<char>(i);
  cudaMemcpy2D(pitched, pitch, rows.data(), 10, 10, 3, cudaMemcpyHostToDevice);
  cudaMemset2D(pitched, pitch, 9, 2, 2);
  cudaMemcpy2D(again.data(), 10, pitched, pitch, 10, 3, cudaMemcpyDeviceToHost);
  printf("pitched %d %d %d %d %d\n", pitch >= 10, again[0], again[2], again[11], again[20]);

  unsigned fresh[3];
  unsigned *never;
  cudaMalloc(&never, 12);
  cudaMemcpy(fresh, never, 12, cudaMemcpyDeviceToHost);
  float as_float;
  memcpy(&as_float, fresh, 4);
  printf("poison %x %d\n", fresh[0], as_float != as_float);

  int *n;
  cudaMalloc(&n, 16);
  printf("over %s\n", name(cudaMemcpy(n, rows.data(), 17, cudaMemcpyHostToDevice)));
  printf("offset %s\n", name(cudaMemcpy(n + 2, rows.data(), 8, cudaMemcpyHostToDevice)));
  printf("not_device %s\n", name(cudaMemcpy(rows.data(), back, 4, cudaMemcpyHostToDevice)));
  printf("memset_over %s\n", name(cudaMemset(n, 0, 20)));
  printf("direction %s\n", name(cudaMemcpy(n, n, 4, static_cast<cudaMemcpyKind>(9))));
  cudaError_t first = cudaFree(n), second = cudaFree(n);
  printf("free_twice %s %s\n", cudaGetErrorName(first), name(second));
  printf("free_null %s\n", name(cudaFree(nullptr)));
  void *huge;
  printf("too_much %s\n", name(cudaMalloc(&huge, size_t{1} << 50)));

  nothing<<<1, 1025>>>();
  printf("threads %s\n", name(cudaPeekAtLastError()));
  nothing<<<0, 32>>>();
  printf("no_blocks %s\n", name(cudaGetLastError()));
  nothing<<<dim3(1, 70000), 32>>>();
  printf("grid_y %s\n", name(cudaGetLastError()));
  nothing<<<dim3(1), dim3(1, 1, 65)>>>();
  printf("block_z %s\n", name(cudaGetLastError()));
  nothing<<<1, 1, 1 << 20>>>();
  printf("shared %s\n", name(cudaGetLastError()));
  nothing<<<1, 1>>>();
  printf("fine %s\n", name(cudaGetLastError()));
  nothing<<<1, 2000>>>();
  cudaError_t once = cudaGetLastError(), again_error = cudaGetLastError();
  printf("reset %s %s\n", cudaGetErrorName(once), cudaGetErrorName(again_error));

  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  int *work;
  cudaMallocAsync(&work, 4000, stream);
  float ms = -1;
  printf("unrecorded %s\n", name(cudaEventElapsedTime(&ms, begin, end)));
  cudaEventRecord(begin, stream);
  touch<<<10, 100, 0, stream>>>(work);
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  cudaError_t elapsed = cudaEventElapsedTime(&ms, begin, end);
  printf("elapsed %s %d\n", name(elapsed), ms >= 0 && ms < 1000);
  int called = 0;
  cudaLaunchHostFunc(stream, [](void *data) { *static_cast<int *>(data) = 4; }, &called);
  printf("callback %d %s\n", called, name(cudaStreamSynchronize(stream)));
  cudaFreeAsync(work, stream);
  cudaStreamDestroy(stream);

  cudaDeviceProp properties;
  int value, count;
  cudaGetDeviceProperties(&properties, 0);
  cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
  cudaGetDeviceCount(&count);
  printf("device %d %d %d %d %s\n", properties.warpSize, properties.maxThreadsPerBlock,
         value == properties.multiProcessorCount, count, name(cudaSetDevice(1)));
  int blocks;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 512, 0);
  printf("occupancy %d\n", blocks);
  int *pinned;
  cudaMallocHost(&pinned, 64);
  cudaPointerAttributes about;
  cudaPointerGetAttributes(&about, pinned);
  printf("pinned %d\n", about.type == cudaMemoryTypeHost);
  cudaFreeHost(pinned);
  printf("vectors %zu %zu %zu %zu %zu\n", sizeof(float3), alignof(float4), alignof(double2),
         sizeof(char3), alignof(short4));
}
