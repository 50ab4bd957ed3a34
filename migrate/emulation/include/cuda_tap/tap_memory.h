// Memory of a device as the tap knows it: every allocation that the program makes, and its variables.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../cuda_emu/emu/capture_memory.h"
#include "../cuda_emu/emu/poison.h"

namespace cuda_tap {

struct VariableSource {
  const char *name, *space;
  std::size_t size;
  cudaError_t (*read)(void *to, std::size_t bytes);
};

// Shared by all files of a program, and never destroyed: a capture may end after main.
struct Table {
  std::mutex mutex;
  std::map<std::uintptr_t, cuda_emu::Region> live;  // by base
  std::vector<VariableSource> variables;
  std::map<cudaStream_t, int> streams;
  int next_id = 0;
};

inline Table &table() {
  static Table *instance = new Table;
  return *instance;
}

// Put by the rewriter after the definition of a device variable.
struct Variable {
  Variable(const char *name, const char *space, std::size_t size,
           cudaError_t (*read)(void *, std::size_t)) {
    table().variables.push_back({name, space, size, read});
  }
};

// In the order in which they are first seen, 0 for the default one.
inline int stream_number(cudaStream_t stream) {
  if (!stream) return 0;
  std::lock_guard<std::mutex> lock(table().mutex);
  return table().streams.emplace(stream, static_cast<int>(table().streams.size()) + 1).first->second;
}

// Copies contents to the host when they are asked for.
class DeviceView final : public cuda_emu::DeviceMemory {
 public:
  bool locate(std::uintptr_t address, cuda_emu::Region *found) const override {
    std::lock_guard<std::mutex> lock(table().mutex);
    auto at = table().live.upper_bound(address);
    if (at == table().live.begin()) return false;
    const cuda_emu::Region &r = (--at)->second;
    if (address - r.base > r.size) return false;
    *found = r;
    return true;
  }
  void bounds(std::uintptr_t *low, std::uintptr_t *high) const override {
    std::lock_guard<std::mutex> lock(table().mutex);
    *low = *high = 0;
    if (table().live.empty()) return;
    *low = table().live.begin()->first;
    *high = table().live.rbegin()->second.base + table().live.rbegin()->second.size;
  }
  const unsigned char *contents(const cuda_emu::Region &region) const override {
    host_.resize(std::max<std::size_t>(region.size, 8));
    const void *from = reinterpret_cast<const void *>(region.base);
    if (region.size) cudaMemcpy(host_.data(), from, region.size, cudaMemcpyDefault);
    return host_.data();
  }
  std::vector<cuda_emu::CapturedVariable> variables() const override {
    std::vector<cuda_emu::CapturedVariable> out;
    for (const VariableSource &v : table().variables) out.push_back({v.name, v.space, v.size});
    return out;
  }
  const unsigned char *variable_contents(std::size_t number) const override {
    const VariableSource &v = table().variables[number];
    host_.resize(std::max<std::size_t>(v.size, 8));
    v.read(host_.data(), v.size);
    return host_.data();
  }

 private:
  mutable std::vector<unsigned char> host_;
};

// Fresh memory holds the CPU runtime's pattern, so that captures of both agree on what nobody wrote.
inline void fill_fresh_memory(void *memory, std::size_t bytes) {
  constexpr std::size_t part = std::size_t{1} << 20;
  std::vector<unsigned char> pattern(std::min(bytes, part));
  cuda_emu::fill_fresh(pattern.data(), pattern.size());
  for (std::size_t at = 0; at < bytes; at += part)
    cudaMemcpy(static_cast<char *>(memory) + at, pattern.data(), std::min(part, bytes - at),
               cudaMemcpyDefault);
}

template <class T>
cudaError_t allocated(cudaError_t error, T *const *pointer, std::size_t bytes) {
  if (error != cudaSuccess || !*pointer || !bytes) return error;
  void *memory = const_cast<void *>(static_cast<const void *>(*pointer));
  fill_fresh_memory(memory, bytes);
  std::lock_guard<std::mutex> lock(table().mutex);
  cuda_emu::Region r{reinterpret_cast<std::uintptr_t>(memory), bytes, table().next_id++};
  table().live[r.base] = r;
  return error;
}

inline void freed(void *pointer) {
  std::lock_guard<std::mutex> lock(table().mutex);
  table().live.erase(reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace cuda_tap

template <class T>
cudaError_t cudaTapMalloc(T **p, std::size_t n) {
  return cuda_tap::allocated(cudaMalloc(p, n), p, n);
}
template <class T>
cudaError_t cudaTapMallocManaged(T **p, std::size_t n, unsigned flags = cudaMemAttachGlobal) {
  return cuda_tap::allocated(cudaMallocManaged(p, n, flags), p, n);
}
template <class T>
cudaError_t cudaTapMallocHost(T **p, std::size_t n, unsigned flags = 0) {
  return cuda_tap::allocated(cudaMallocHost(p, n, flags), p, n);
}
template <class T>
cudaError_t cudaTapHostAlloc(T **p, std::size_t n, unsigned flags) {
  return cuda_tap::allocated(cudaHostAlloc(p, n, flags), p, n);
}
template <class T>
cudaError_t cudaTapMallocAsync(T **p, std::size_t n, cudaStream_t stream) {
  cudaError_t error = cudaMallocAsync(p, n, stream);
  if (error == cudaSuccess) cudaStreamSynchronize(stream);
  return cuda_tap::allocated(error, p, n);
}
template <class T>
cudaError_t cudaTapMallocPitch(T **p, std::size_t *pitch, std::size_t width, std::size_t height) {
  cudaError_t error = cudaMallocPitch(p, pitch, width, height);
  return cuda_tap::allocated(error, p, error == cudaSuccess ? *pitch * height : 0);
}
inline cudaError_t cudaTapMalloc3D(cudaPitchedPtr *p, cudaExtent e) {
  cudaError_t error = cudaMalloc3D(p, e);
  return cuda_tap::allocated(error, &p->ptr, error == cudaSuccess ? p->pitch * e.height * e.depth : 0);
}
inline cudaError_t cudaTapFree(void *p) {
  cuda_tap::freed(p);
  return cudaFree(p);
}
inline cudaError_t cudaTapFreeAsync(void *p, cudaStream_t stream) {
  cuda_tap::freed(p);
  return cudaFreeAsync(p, stream);
}
inline cudaError_t cudaTapFreeHost(void *p) {
  cuda_tap::freed(p);
  return cudaFreeHost(p);
}
