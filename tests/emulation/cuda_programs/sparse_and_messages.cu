// cuSPARSE, NCCL of one rank, the driver API and memory pools.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <nccl.h>

#include <vector>

#include "expect.h"

template <class T> T *memory(std::vector<T> from) {
  T *p;
  cudaMallocManaged(&p, (from.size() + 1) * sizeof(T));
  for (size_t i = 0; i < from.size(); ++i) p[i] = from[i];
  return p;
}

// 1 0 2 0 / 0 0 3 0 / 4 5 0 6
static const double dense[3][4] = {{1, 0, 2, 0}, {0, 0, 3, 0}, {4, 5, 0, 6}};

static void products() {
  cusparseHandle_t h;
  cusparseCreate(&h);
  for (int base = 0; base < 2; ++base)
    for (int format = 0; format < 2; ++format) {
      std::vector<int> offsets = {0, 2, 3, 6}, rows = {0, 0, 1, 2, 2, 2}, cols = {0, 2, 2, 0, 1, 3};
      for (auto *v : {&offsets, &rows, &cols})
        for (int &i : *v) i += base;
      auto b = static_cast<cusparseIndexBase_t>(base);
      double *values = memory<double>({1, 2, 3, 4, 5, 6});
      cusparseSpMatDescr_t m;
      if (format) cusparseCreateCoo(&m, 3, 4, 6, memory(rows), memory(cols), values, CUSPARSE_INDEX_32I, b, CUDA_R_64F);
      else cusparseCreateCsr(&m, 3, 4, 6, memory(offsets), memory(cols), values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, b, CUDA_R_64F);
      double *x = memory<double>({1, 2, 3, 4}), *y = memory<double>({10, 20, 30}), alpha = 2, beta = 1;
      cusparseDnVecDescr_t vx, vy;
      cusparseCreateDnVec(&vx, 4, x, CUDA_R_64F);
      cusparseCreateDnVec(&vy, 3, y, CUDA_R_64F);
      cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
      expect::that("spmv", y[0] == 24 && y[1] == 38 && y[2] == 106);
      beta = 0;
      y[0] = 1, y[1] = 1, y[2] = 1, x[0] = NAN;
      expect::equal("sizes", (int)cusparseSpMV(h, CUSPARSE_OPERATION_TRANSPOSE, &alpha, m, vx, &beta, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr), (int)CUSPARSE_STATUS_INVALID_VALUE);
      cusparseSpMV(h, CUSPARSE_OPERATION_TRANSPOSE, &alpha, m, vy, &beta, vx, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
      expect::that("spmv transposed", x[0] == 10 && x[1] == 10 && x[2] == 10 && x[3] == 12);
      double *in = memory<double>({1, 0, 0, 1, 2, 3, 4, 5}), *out = memory<double>(std::vector<double>(6, 7));
      cusparseDnMatDescr_t mb, mc;
      cusparseCreateDnMat(&mb, 4, 2, 4, in, CUDA_R_64F, CUSPARSE_ORDER_COL);
      cusparseCreateDnMat(&mc, 3, 2, 2, out, CUDA_R_64F, CUSPARSE_ORDER_ROW);
      alpha = 1;
      cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, mb, &beta, mc, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
      expect::that("spmm", out[0] == 1 && out[1] == 10 && out[2] == 0 && out[3] == 12 && out[4] == 10 && out[5] == 53);
      double *full = memory<double>(std::vector<double>(12, 9));
      cusparseDnMatDescr_t md;
      cusparseCreateDnMat(&md, 3, 4, 4, full, CUDA_R_64F, CUSPARSE_ORDER_ROW);
      cusparseSparseToDense(h, m, md, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
      bool same = true;
      for (int i = 0; i < 12; ++i) same = same && full[i] == dense[i / 4][i % 4];
      expect::that("to dense", same);
      int *back = memory(std::vector<int>(4)), *indices = memory(std::vector<int>(6));
      double *entries = memory(std::vector<double>(6));
      cusparseSpMatDescr_t again;
      cusparseCreateCsr(&again, 3, 4, 0, back, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, b, CUDA_R_64F);
      cusparseDenseToSparse_analysis(h, md, again, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
      std::int64_t r, c, n;
      cusparseSpMatGetSize(again, &r, &c, &n);
      cusparseCsrSetPointers(again, back, indices, entries);
      cusparseDenseToSparse_convert(h, md, again, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
      expect::that("to sparse", n == 6 && back[3] == 6 + base && indices[5] == 3 + base && entries[5] == 6);
    }
  int *offsets = memory<int>({0, 1, 3, 6}), *cols = memory<int>({0, 0, 1, 0, 1, 2}), *coo = memory(std::vector<int>(6)), *csr = memory(std::vector<int>(4));
  float *values = memory<float>({2, 1, 4, 3, 1, 5}), *x = memory<float>({2, 9, 26}), *y = memory(std::vector<float>(3)), one = 1;
  cusparseSpMatDescr_t lower;
  cusparseCreateCsr(&lower, 3, 3, 6, offsets, cols, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseDnVecDescr_t vx, vy;
  cusparseCreateDnVec(&vx, 3, x, CUDA_R_32F);
  cusparseCreateDnVec(&vy, 3, y, CUDA_R_32F);
  cusparseSpSV_solve(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, lower, vx, vy, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, nullptr);
  expect::that("solve", y[0] == 1 && y[1] == 2 && std::fabs(y[2] - 4.2f) < 1e-6f);
  cusparseXcsr2coo(h, offsets, 6, 3, coo, CUSPARSE_INDEX_BASE_ZERO);
  cusparseXcoo2csr(h, coo, 6, 3, csr, CUSPARSE_INDEX_BASE_ZERO);
  expect::that("csr and coo", coo[2] == 1 && coo[5] == 2 && csr[1] == 1 && csr[3] == 6);
}

static void messages() {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  expect::equal("two ranks", (int)ncclCommInitRank(&comm, 2, id, 0), (int)ncclInvalidUsage);
  ncclCommInitRank(&comm, 1, id, 0);
  float *a = memory<float>({1, 2, 3}), *b = memory<float>({0, 0, 0});
  ncclAllReduce(a, b, 3, ncclFloat, ncclSum, comm, 0);
  expect::equal("all reduce", b[2], 3.0f);
  a[0] = 8;
  ncclGroupStart();
  ncclRecv(b, 1, ncclFloat, 0, comm, 0);
  ncclSend(a, 1, ncclFloat, 0, comm, 0);
  ncclGroupEnd();
  expect::equal("message to oneself", b[0], 8.0f);
  expect::equal("no such root", (int)ncclBroadcast(a, b, 1, ncclFloat, 1, comm, 0), (int)ncclInvalidArgument);
  ncclCommDestroy(comm);
}

static void driver() {
  CUdevice device;
  CUcontext context, current;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  cuCtxGetCurrent(&current);
  expect::that("context", current == context);
  int major = 0;
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  expect::equal("attribute", major, 8);
  CUdeviceptr p;
  expect::equal("alloc", (int)cuMemAlloc(&p, 64), 0);
  cuMemsetD32(p, 0x01020304u, 16);
  unsigned host[16];
  cuMemcpyDtoH(host, p, 64);
  expect::equal("memset", host[15], 0x01020304u);
  expect::equal("memset too far", (int)cuMemsetD32(p, 1, 17), (int)CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr base;
  size_t bytes;
  cuMemGetAddressRange(&base, &bytes, p + 12);
  expect::that("range", base == p && bytes == 64);
  CUmodule module;
  expect::equal("modules", (int)cuModuleLoadData(&module, "x"), (int)CUDA_ERROR_NOT_SUPPORTED);
  const char *name;
  cuGetErrorName(CUDA_ERROR_NOT_SUPPORTED, &name);
  expect::that("name", std::string(name) == "CUDA_ERROR_NOT_SUPPORTED");
  cuMemFree(p);
  cuCtxDestroy(context);
  cuCtxGetCurrent(&current);
  expect::that("no context", current == nullptr);
}

static void pools() {
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  std::uint64_t threshold = 1 << 20, read = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read);
  expect::equal("threshold", read, threshold);
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *p = nullptr;
  expect::equal("from a pool", (int)cudaMallocFromPoolAsync(&p, 64, pool, s), 0);
  expect::equal("freed", (int)cudaFreeAsync(p, s), 0);
  cudaIpcMemHandle_t handle;
  expect::equal("other processes", (int)cudaIpcGetMemHandle(&handle, p), (int)cudaErrorNotSupported);
  int can = 1;
  cudaDeviceCanAccessPeer(&can, 0, 1);
  expect::equal("peers", can, 0);
}

int main() {
  products();
  messages();
  driver();
  pools();
  return expect::report();
}
