// Embedding look-up: copies one row of a table for every token id.
//
// The padding id and ids outside the vocabulary give a row of zeros, so a corrupt batch cannot read
// foreign memory.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

namespace {

void throw_on_error(cudaError_t code, const char* expression) {
  if (code != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", expression, cudaGetErrorString(code));
    std::exit(EXIT_FAILURE);
  }
}

}  // namespace

#define RT(expression) throw_on_error(expression, #expression)

// table has at least vocab rows of dim elements, out is [tokens, dim]. threadIdx.y picks a token of
// the block, so that a narrow embedding still fills whole warps; x strides over the row.
__global__ void embedding_gather(const float* __restrict__ table,
                                 const int64_t* __restrict__ ids, float* __restrict__ out,
                                 int tokens, int dim, int64_t vocab, int64_t padding_id) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= tokens) return;

  const int64_t id = ids[token];
  const bool valid = id >= 0 && id < vocab && id != padding_id;
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    out[token * dim + d] = valid ? table[id * dim + d] : 0.0f;
  }
}

int main() {
  const int tokens = 203, dim = 70;
  const int64_t vocab = 517, padding_id = 0;
  const int64_t table_rows = 576;  // vocab rounded up to a multiple of 64, as for tensor cores

  std::vector<float> table(table_rows * dim), out(tokens * dim, -1.0f);
  for (size_t i = 0; i < table.size(); ++i) table[i] = 1.0f + 0.5f * static_cast<float>(i);
  std::vector<int64_t> ids(tokens);
  for (int t = 0; t < tokens; ++t) ids[t] = (static_cast<int64_t>(t) * 7919 + 13) % vocab;
  ids[5] = padding_id;
  ids[6] = vocab - 1;  // last row in use
  ids[7] = vocab;      // in the table, but not in the vocabulary
  ids[8] = -1;
  ids[9] = ids[10];  // the same row twice
  ids[11] = INT64_C(1) << 40;

  float *d_table, *d_out;
  int64_t* d_ids;
  RT(cudaMalloc(&d_table, table.size() * sizeof(float)));
  RT(cudaMalloc(&d_out, out.size() * sizeof(float)));
  RT(cudaMalloc(&d_ids, ids.size() * sizeof(int64_t)));
  RT(cudaMemcpy(d_table, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice));
  RT(cudaMemcpy(d_ids, ids.data(), ids.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
  RT(cudaMemcpy(d_out, out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(32, 4);
  const int blocks = (tokens + block.y - 1) / block.y;
  embedding_gather<<<blocks, block>>>(d_table, d_ids, d_out, tokens, dim, vocab, padding_id);
  RT(cudaGetLastError());
  RT(cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  RT(cudaFree(d_table));
  RT(cudaFree(d_out));
  RT(cudaFree(d_ids));

  // Rows are copied bit by bit.
  int wrong = 0;
  for (int t = 0; t < tokens; ++t) {
    const bool known = ids[t] > padding_id && ids[t] < vocab;  // the padding id is the lowest one
    for (int d = 0; d < dim; ++d) {
      const float expected = known ? 1.0f + 0.5f * static_cast<float>(ids[t] * dim + d) : 0.0f;
      if (out[t * dim + d] != expected) ++wrong;
    }
  }

  std::printf("%d wrong elements\n", wrong);
  std::printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
