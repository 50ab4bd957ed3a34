// `__device__`, `__constant__` and `__managed__` variables: ordinary variables that are registered,
// so that copies to them are checked and captures contain them.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "memcpy.h"
#include "probe.h"

namespace cuda_emu {

struct DeviceVariable {
  const char *name;
  const char *space;  // "constant", "device" or "managed"
  void *address;
  std::size_t size;
};

CUDA_EMU_API std::vector<DeviceVariable> &device_variables();
CUDA_EMU_API void register_variable(const char *name, const char *space, const void *address,
                                    std::size_t size);

// Put by the rewriter after the definition of a device variable.
struct Registration {
  template <class T>
  Registration(const char *name, const char *space, const T &variable) {
    register_variable(name, space, std::addressof(variable), sizeof(T));
  }
};

// An instance of a variable template, registered when the host first writes it. Its name is the
// template's with the kind of its elements, as the front end names it: `mask_f32`.
template <auto &variable>
auto &template_variable(const char *name) {
  typedef std::remove_cv_t<std::remove_all_extents_t<std::remove_reference_t<decltype(variable)>>>
      Element;
  static const std::string full = std::string(name) + "_" + type_code<Element>();
  static const Registration registration(full.c_str(), "constant", variable);
  return variable;
}

template <class T>
void *symbol_address(const T &symbol, std::size_t *size) {
  *size = sizeof(T);
  void *address = const_cast<void *>(static_cast<const void *>(std::addressof(symbol)));
  Allocation known;
  if (!find_allocation(reinterpret_cast<std::uintptr_t>(address), &known))
    adopt(address, sizeof(T), MemoryKind::symbol);
  return address;
}

template <class T>
cudaError_t copy_symbol(const T &symbol, void *to, const void *from, std::size_t bytes,
                        std::size_t offset, const char *call) {
  std::size_t size = 0;
  char *address = static_cast<char *>(symbol_address(symbol, &size));
  if (offset > size || bytes > size - offset) {
    std::fprintf(stderr, "cuda_emu: %s: %zu bytes at offset %zu leave a symbol of %zu bytes\n", call,
                 bytes, offset, size);
    return fail(cudaErrorInvalidValue);
  }
  const void *other = to ? to : from;
  if (!valid_range(other, bytes, false, call)) return fail(cudaErrorInvalidValue);
  if (to) std::memcpy(to, address + offset, bytes);
  else std::memcpy(address + offset, from, bytes);
  return cudaSuccess;
}

}  // namespace cuda_emu

#ifdef CUDA_EMU_DEFINE_BODIES
namespace cuda_emu {
CUDA_EMU_API std::vector<DeviceVariable> &device_variables() {
  static auto *variables = new std::vector<DeviceVariable>;
  return *variables;
}
CUDA_EMU_API void register_variable(const char *name, const char *space, const void *address,
                                    std::size_t size) {
  for (const DeviceVariable &known : device_variables())
    if (known.address == address) return;
  device_variables().push_back({name, space, const_cast<void *>(address), size});
  adopt(const_cast<void *>(address), size, MemoryKind::symbol);
}
}  // namespace cuda_emu
#endif

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t n, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return cuda_emu::copy_symbol(symbol, nullptr, from, n, offset, "cudaMemcpyToSymbol");
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t n, size_t offset = 0,
                                    cudaMemcpyKind = cudaMemcpyHostToDevice,
                                    cudaStream_t = nullptr) {
  return cuda_emu::copy_symbol(symbol, nullptr, from, n, offset, "cudaMemcpyToSymbolAsync");
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t n, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return cuda_emu::copy_symbol(symbol, to, nullptr, n, offset, "cudaMemcpyFromSymbol");
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t n, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyDeviceToHost,
                                      cudaStream_t = nullptr) {
  return cuda_emu::copy_symbol(symbol, to, nullptr, n, offset, "cudaMemcpyFromSymbolAsync");
}
template <class P, class T>
cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol) {
  std::size_t size = 0;
  *pointer = static_cast<P *>(cuda_emu::symbol_address(symbol, &size));
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t *size, const T &) {
  *size = sizeof(T);
  return cudaSuccess;
}
