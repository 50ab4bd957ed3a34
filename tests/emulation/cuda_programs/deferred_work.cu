// What runs later than it is called: graphs with library work, memory of graphs, kernels that launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cublas_v2.h>
#include <cuda/pipeline>
#include <cufftXt.h>
#include <curand.h>
#include <cusparse.h>

#include <cmath>
#include <cstdio>

namespace cg = cooperative_groups;

template <class T>
T *managed(std::initializer_list<T> values, std::size_t count = 0) {
  T *p = nullptr;
  cudaMallocManaged(&p, (count ? count : values.size()) * sizeof(T));
  std::size_t i = 0;
  for (T v : values) p[i++] = v;
  return p;
}

// A scalar in device memory is the one of the launch, one in host memory that of the call.
void scalars() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetStream(blas, stream);
  float *x = managed<float>({1, 2}), *y = managed<float>({0, 0}), *device = managed<float>({0}), host = 10;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  cublasSscal(blas, 2, device, x, 1);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
  cublasSaxpy(blas, 2, &host, x, 1, y, 1);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t instance;
  cudaGraphInstantiate(&instance, graph, 0);
  host = -1;
  *device = 3;
  cudaGraphLaunch(instance, stream);
  *device = 2;
  cudaGraphLaunch(instance, stream);
  std::printf("scalars %g %g %g %g\n", x[0], x[1], y[0], y[1]);

  cusparseHandle_t sparse;
  cusparseCreate(&sparse);
  cusparseSetStream(sparse, stream);
  int *offsets = managed<int>({0, 1, 2}), *columns = managed<int>({0, 1});
  float *values = managed<float>({1, 2}), *out = managed<float>({0, 0}), zero = 0, *factor = managed<float>({0});
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t from, to;
  cusparseCreateCsr(&a, 2, 2, 2, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&from, 2, managed<float>({1, 1}), CUDA_R_32F);
  cusparseCreateDnVec(&to, 2, out, CUDA_R_32F);
  float by = 5;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &by, a, from, &zero, to, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
               nullptr);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  by = 100;
  cudaGraphLaunch(instance, stream);
  std::printf("sparse_host %g %g\n", out[0], out[1]);
  cusparseSetPointerMode(sparse, CUSPARSE_POINTER_MODE_DEVICE);
  float *none = managed<float>({0});
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, factor, a, from, none, to, CUDA_R_32F,
               CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  *factor = 7;
  cudaGraphLaunch(instance, stream);
  std::printf("sparse_device %g %g\n", out[0], out[1]);
}

// ILU(0) of a 3 x 3 matrix without an entry at (0, 2): no fill-in there, and L U is the matrix elsewhere.
void incomplete_factors() {
  cusparseHandle_t h;
  cusparseCreate(&h);
  int *offsets = managed<int>({0, 2, 5, 7}), *columns = managed<int>({0, 1, 0, 1, 2, 1, 2});
  float *values = managed<float>({4, 2, 2, 5, 1, 8, 6});
  cusparseMatDescr_t d;
  cusparseCreateMatDescr(&d);
  csrilu02Info_t info;
  cusparseCreateCsrilu02Info(&info);
  cusparseScsrilu02(h, 3, 7, d, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  int row;
  std::printf("ilu %g %g %g %g %g %g %g %d\n", values[0], values[1], values[2], values[3], values[4], values[5],
              values[6], cusparseXcsrilu02_zeroPivot(h, info, &row));
  values[0] = 0;
  cusparseScsrilu02(h, 3, 7, d, values, offsets, columns, info, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  int status = cusparseXcsrilu02_zeroPivot(h, info, &row);
  std::printf("zero_pivot %d %d\n", status, row);
}

// Each launch of a captured call draws the numbers that come next.
void random_numbers() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  curandGenerator_t plain, captured;
  unsigned *in_turn = managed<unsigned>({0, 0}), *drawn = managed<unsigned>({0});
  curandCreateGenerator(&plain, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerate(plain, in_turn, 2);
  curandCreateGenerator(&captured, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetStream(captured, stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  curandGenerate(captured, drawn, 1);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t instance;
  cudaGraphInstantiate(&instance, graph, 0);
  bool waited = *drawn == 0;
  cudaGraphLaunch(instance, stream);
  bool first = *drawn == in_turn[0];
  cudaGraphLaunch(instance, stream);
  std::printf("random %d %d %d\n", waited, first, *drawn == in_turn[1]);
}

__device__ cufftComplex doubled(void *in, size_t at, void *info, void *) {
  cufftComplex v = static_cast<cufftComplex *>(in)[at];
  return make_cuComplex(*static_cast<float *>(info) * v.x, 0);
}
__device__ cufftCallbackLoadC load = doubled;

void callbacks() {
  cufftHandle plan;
  cufftPlan1d(&plan, 2, CUFFT_C2C, 2);
  cufftComplex *data = managed<cufftComplex>({{1, 9}, {2, 9}, {3, 9}, {5, 9}});
  cufftCallbackLoadC function;
  cudaMemcpyFromSymbol(&function, load, sizeof function);
  void *info = managed<float>({10});
  int wrong = cufftXtSetCallback(plan, reinterpret_cast<void **>(&function), CUFFT_CB_LD_REAL, &info);
  int right = cufftXtSetCallback(plan, reinterpret_cast<void **>(&function), CUFFT_CB_LD_COMPLEX, &info);
  cufftExecC2C(plan, data, data, CUFFT_FORWARD);
  std::printf("callbacks %d %d %g %g %g %g\n", wrong, right, data[0].x, data[1].x, data[2].x, data[3].x);
}

// The address stays; the memory is there between the launch and its free, and a second launch needs that.
void graph_memory() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  cudaMemAllocNodeParams p{};
  p.bytesize = 4;
  cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p);
  cudaGraphExec_t instance;
  cudaGraphInstantiate(&instance, graph, 0);
  int before = cudaMemset(p.dptr, 0, 4);
  int launched = cudaGraphLaunch(instance, nullptr);
  int there = cudaMemset(p.dptr, 0, 4);
  int twice = cudaGraphLaunch(instance, nullptr);
  int freed = cudaFree(p.dptr);
  int again = cudaGraphLaunch(instance, nullptr);
  cudaGetLastError();
  std::printf("graph_memory %d %d %d %d %d %d\n", before, launched, there, twice, freed, again);
}

__global__ void leaf(int *sum) { atomicAdd(sum, 1); }
__global__ void many(int *sum) {
  for (int i = 0; i < 400; ++i) leaf<<<2, 64>>>(sum);
}
// Each launch from a kernel has threads that wait, and stacks for them.
__global__ void waiting_leaf(int *sum) {
  __syncthreads();
  atomicAdd(sum, 1);
}
__global__ void many_waiting(int *sum) {
  for (int i = 0; i < 400; ++i) waiting_leaf<<<1, 256>>>(sum);
}
// The first thread launches before the others have written; the child comes after all of them. A second
// child of the same stream comes after what the first one launched.
__global__ void add_up(const int *values, int *sum) { atomicAdd(sum, values[threadIdx.x]); }
__global__ void in_turn(const int *values, int *sum) {
  if (threadIdx.x == 0) add_up<<<1, 64>>>(values, sum);
}
__global__ void negate(int *sum) { *sum = -*sum; }
__global__ void family(int *values, int *sum) {
  if (threadIdx.x == 0) {
    in_turn<<<1, 64>>>(values, sum);
    negate<<<1, 1>>>(sum);
  }
  values[threadIdx.x] = 2;
}
void families() {
  int *values = managed<int>({}, 64), *sum = managed<int>({0});
  family<<<1, 64>>>(values, sum);
  int done = cudaDeviceSynchronize();
  std::printf("families %d %d\n", done, *sum);
}
void nested() {
  int *sum = managed<int>({0});
  many<<<1, 1>>>(sum);
  many_waiting<<<1, 1>>>(sum);
  int done = cudaDeviceSynchronize();
  std::printf("nested %d %d\n", done, *sum);
}

// Tiles of two warps: a sum over each, and a barrier that does not wait for the other tile.
__global__ void wide(int *sums, int *others) {
  __shared__ cg::block_tile_memory<128> memory;
  auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  if (threadIdx.x >= 64) tile.sync();
  int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  int other = tile.shfl(static_cast<int>(threadIdx.x), 3);
  sums[threadIdx.x] = sum;
  others[threadIdx.x] = other + tile.any(threadIdx.x == 70) * 1000;
}
// The first warp fills, the second adds up; neither passes a barrier of the whole block.
__global__ void roles(int *out) {
  __shared__ int stage[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
  int sum = 0;
  for (int i = 0; i < 9; ++i) {
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      stage[i % 2][threadIdx.x] = i * 100 + threadIdx.x;
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += stage[i % 2][(threadIdx.x + 1) % 32];
      pipe.consumer_release();
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}
// PTX: the first warp arrives, the second waits for it.
__global__ void named(int *out) {
  __shared__ int box;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) box = 17;
    asm volatile("bar.arrive 1, 64;");
  } else if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, 64;");
    out[threadIdx.x - 32] = box;
  }
}
void parts() {
  int *sums = managed<int>({}, 128), *others = managed<int>({}, 128), *out = managed<int>({}, 32);
  wide<<<1, 128>>>(sums, others);
  cudaDeviceSynchronize();
  std::printf("wide %d %d %d %d\n", sums[5], sums[127], others[0], others[127]);
  roles<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  std::printf("roles %d %d\n", out[0], out[31]);
  named<<<1, 96>>>(out);
  int done = cudaDeviceSynchronize();
  std::printf("named %d %d\n", done, out[31]);
}

__global__ void distances(unsigned *out) {
  unsigned d;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(0x01ff0305u), "r"(0x0400ff01u), "r"(100u));
  *out = d;
}
void video() {
  unsigned *out = managed<unsigned>({0});
  distances<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("distances %u\n", *out);
}

__global__ void fetch(cudaTextureObject_t t, int *out) {
  out[0] = tex1Dfetch<int>(t, 1);
  out[1] = tex1Dfetch<int>(t, 2);
}
// A linear texture that is described as longer than its memory.
void long_texture() {
  int *data, values[2] = {4, 5}, *out = managed<int>({8, 8});
  cudaMalloc(&data, sizeof values);
  cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = data;
  r.res.linear.desc = cudaCreateChannelDesc<int>();
  r.res.linear.sizeInBytes = 64;
  cudaTextureDesc how{};
  cudaTextureObject_t t = 0;
  int made = cudaCreateTextureObject(&t, &r, &how, nullptr);
  fetch<<<1, 1>>>(t, out);
  cudaDeviceSynchronize();
  std::printf("long_texture %d %d %d\n", made, out[0], out[1]);
}

int main() {
  scalars();
  incomplete_factors();
  callbacks();
  random_numbers();
  graph_memory();
  nested();
  families();
  parts();
  video();
  long_texture();
}
