// CRC-32 of many messages of different lengths, with the table of 256 words in constant memory.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

__constant__ uint32_t crc_table[256];

#define CUDA(call)                                          \
  if (cudaError_t status_ = (call)) {                       \
    std::fprintf(stderr, "%s\n", cudaGetErrorName(status_)); \
    std::exit(2);                                           \
  }

// Message i lies from starts[i] to starts[i + 1].
__global__ void crc32_messages(const unsigned char* text, const int* starts, uint32_t* crcs,
                               int messages) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= messages) return;
  uint32_t crc = ~0u;
  for (const unsigned char *p = text + starts[i], *end = text + starts[i + 1]; p != end; ++p) {
    crc = crc_table[(crc ^ *p) & 0xff] ^ (crc >> 8);
  }
  crcs[i] = ~crc;
}

int main() {
  const int messages = 150;
  std::vector<unsigned char> text;
  std::vector<int> starts = {0};
  for (int m = 0; m < messages; ++m) {
    for (int i = 0; i < m % 23; ++i) text.push_back((unsigned char)(m * 7 + i * i));
    starts.push_back((int)text.size());
  }
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320u : 0u);
  }
  unsigned char* d_text;
  int* d_starts;
  uint32_t* d_crcs;
  std::vector<uint32_t> crcs(messages, 0x12345678u);
  CUDA(cudaMemcpyToSymbol(crc_table, table, sizeof(table)));
  CUDA(cudaMalloc(&d_text, text.size()));
  CUDA(cudaMalloc(&d_starts, starts.size() * sizeof(int)));
  CUDA(cudaMalloc(&d_crcs, messages * sizeof(uint32_t)));
  CUDA(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(int), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(d_crcs, crcs.data(), messages * sizeof(uint32_t), cudaMemcpyHostToDevice));
  crc32_messages<<<(messages + 63) / 64, 64>>>(d_text, d_starts, d_crcs, messages);
  CUDA(cudaMemcpy(crcs.data(), d_crcs, messages * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int m = 0; m < messages; ++m) {
    uint32_t crc = 0xffffffffu;  // bit by bit, without the table
    for (int i = starts[m]; i < starts[m + 1]; ++i) {
      crc ^= text[i];
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    ok = ok && crcs[m] == ~crc;
  }
  CUDA(cudaFree(d_text));
  CUDA(cudaFree(d_starts));
  CUDA(cudaFree(d_crcs));
  std::puts(ok ? "PASS" : "FAIL");
  return ok ? 0 : 1;
}
