// Device memory: a table of allocations with guard zones, and the calls that make and free them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "check_hooks.h"
#include "device.h"
#include "errors.h"
#include "fresh_memory.h"
#include "graph_nodes.h"
#include "keywords.h"
#include "poison.h"

namespace cuda_emu {

enum class MemoryKind : std::uint8_t { device, managed, host, registered, symbol };

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  int id = -1;            // in order of allocation; -1 for memory that the runtime did not allocate
  MemoryKind kind = MemoryKind::device;
  char *block = nullptr;  // what to free: base less the front guard
};

CUDA_EMU_API void *allocate(std::size_t bytes, MemoryKind kind);
CUDA_EMU_API bool release(void *pointer);
// Memory of a graph: its address is known at once, but it is there only from `map_reserved` (the allocation
// node of a launch) to `release`. Null when there is no more; false when it is there already.
CUDA_EMU_API void *reserve(std::size_t bytes);
CUDA_EMU_API bool map_reserved(void *pointer);
CUDA_EMU_API void adopt(void *pointer, std::size_t bytes, MemoryKind kind);
CUDA_EMU_API bool forget(void *pointer);
// Copies out the live allocation that holds `address`; false if there is none. One past the end of an
// allocation still belongs to it when `end_counts`.
CUDA_EMU_API bool find_allocation(std::uintptr_t address, Allocation *found, bool end_counts = false);
CUDA_EMU_API std::size_t allocated_bytes();
// Lowest and highest address in use: a cheap first test for "could this word be a pointer?".
CUDA_EMU_API void address_bounds(std::uintptr_t *low, std::uintptr_t *high);
// Reports writes next to allocations; returns how many allocations were damaged.
CUDA_EMU_API int check_guards(const char *when);
// Checks that [pointer, pointer + bytes) lies in one allocation; `device` demands that there is one.
CUDA_EMU_API bool valid_range(const void *pointer, std::size_t bytes, bool device, const char *call);

}  // namespace cuda_emu

#ifdef CUDA_EMU_DEFINE_BODIES
namespace cuda_emu {

struct MemoryTable {
  std::mutex mutex;
  std::map<std::uintptr_t, Allocation> live;  // by base
  std::map<std::uintptr_t, Allocation> reserved;  // memory of graphs, whether it is there or not
  int next_id = 0;
  std::size_t bytes = 0;
};

inline MemoryTable &memory_table() {
  static MemoryTable *table = new MemoryTable;
  return *table;
}

inline bool damaged(const Allocation &a) {
  const char *after = reinterpret_cast<const char *>(a.base) + a.size;
  return a.block && (!is_guard(a.block) || !is_guard(after));
}

inline void report_damage(const Allocation &a, const char *when) {
  const char *after = reinterpret_cast<const char *>(a.base) + a.size;
  std::fprintf(stderr, "cuda_emu: out-of-bounds write %s allocation %d (%zu bytes), found %s\n",
               is_guard(after) ? "before" : "past the end of", a.id, a.size, when);
}

// An allocation with its two guards, rounded up.
inline std::size_t whole_bytes(std::size_t bytes) {
  return (bytes + 2 * guard_bytes + guard_bytes - 1) / guard_bytes * guard_bytes;
}

CUDA_EMU_API void *allocate(std::size_t bytes, MemoryKind kind) {
  MemoryTable &table = memory_table();
  std::size_t total = whole_bytes(bytes);
  std::lock_guard<std::mutex> lock(table.mutex);
  if (bytes > global_memory_bytes || table.bytes + bytes > global_memory_bytes) return nullptr;
  char *block = check::take_memory(total);
  if (!block) return nullptr;
  Allocation a;
  a.base = reinterpret_cast<std::uintptr_t>(block) + guard_bytes;
  a.size = bytes;
  a.id = table.next_id++;
  a.kind = kind;
  a.block = block;
  // The checks have their own heap, with shadow behind it.
  bool mapped = !check::enabled && total >= large_bytes && map_fresh(block, total);
  if (!mapped) fill_fresh(block + guard_bytes, bytes);
  fill_guard(block);
  fill_guard(block + guard_bytes + bytes);
  table.live[a.base] = a;
  table.bytes += bytes;
  check::allocated(a);
  return block + guard_bytes;
}

CUDA_EMU_API bool release(void *pointer) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto at = table.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (at == table.live.end() || !at->second.block) return false;
  if (damaged(at->second)) report_damage(at->second, "at cudaFree");
  table.bytes -= at->second.size;
  check::released(at->second);
  if (!table.reserved.count(at->first))
    check::return_memory(at->second.block, whole_bytes(at->second.size));
  table.live.erase(at);
  return true;
}

CUDA_EMU_API void *reserve(std::size_t bytes) {
  void *pointer = allocate(bytes, MemoryKind::device);
  if (!pointer) return nullptr;
  MemoryTable &table = memory_table();
  {
    std::lock_guard<std::mutex> lock(table.mutex);
    auto base = reinterpret_cast<std::uintptr_t>(pointer);
    table.reserved[base] = table.live[base];
  }
  release(pointer);
  return pointer;
}

CUDA_EMU_API bool map_reserved(void *pointer) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto at = table.reserved.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (at == table.reserved.end() || table.live.count(at->first)) return false;
  Allocation &a = at->second;
  a.id = table.next_id++;
  check::allocated(a);
  fill_fresh(static_cast<char *>(pointer), a.size);
  table.live[a.base] = a;
  table.bytes += a.size;
  return true;
}

CUDA_EMU_API void adopt(void *pointer, std::size_t bytes, MemoryKind kind) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  Allocation a;
  a.base = reinterpret_cast<std::uintptr_t>(pointer);
  a.size = bytes;
  a.kind = kind;
  table.live[a.base] = a;
  check::adopted(a);
}

CUDA_EMU_API bool forget(void *pointer) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto at = table.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (at == table.live.end() || at->second.block) return false;
  table.live.erase(at);
  return true;
}

CUDA_EMU_API bool find_allocation(std::uintptr_t address, Allocation *found, bool end_counts) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto at = table.live.upper_bound(address);
  if (at == table.live.begin()) return false;
  const Allocation &a = (--at)->second;
  std::size_t offset = address - a.base;
  if (offset > a.size || (offset == a.size && !end_counts && a.size)) return false;
  *found = a;
  return true;
}

CUDA_EMU_API std::size_t allocated_bytes() { return memory_table().bytes; }

CUDA_EMU_API void address_bounds(std::uintptr_t *low, std::uintptr_t *high) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  *low = *high = 0;
  if (table.live.empty()) return;
  *low = table.live.begin()->first;
  *high = table.live.rbegin()->second.base + table.live.rbegin()->second.size;
}

CUDA_EMU_API int check_guards(const char *when) {
  MemoryTable &table = memory_table();
  std::lock_guard<std::mutex> lock(table.mutex);
  int count = 0;
  for (auto &entry : table.live) {
    Allocation &a = entry.second;
    if (!damaged(a)) continue;
    report_damage(a, when);
    fill_guard(a.block);
    fill_guard(reinterpret_cast<char *>(a.base) + a.size);
    ++count;
  }
  return count;
}

CUDA_EMU_API bool valid_range(const void *pointer, std::size_t bytes, bool device,
                              const char *call) {
  if (!bytes) return true;
  auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Allocation a;
  if (!find_allocation(address, &a)) {
    if (!device && pointer) return true;
    std::fprintf(stderr, "cuda_emu: %s: %p is not device memory\n", call, pointer);
    check::bad_range(pointer, bytes, call);
    return false;
  }
  std::size_t offset = address - a.base;
  if (bytes <= a.size - offset) return true;
  if (!a.block && !device) return true;  // registered host memory may be part of a larger object
  std::fprintf(stderr,
               "cuda_emu: %s: %zu bytes at offset %zu leave allocation %d of %zu bytes\n", call,
               bytes, offset, a.id, a.size);
  check::bad_range(pointer, bytes, call);
  return false;
}

}  // namespace cuda_emu
#endif

struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };

inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) {
  return cudaPitchedPtr{p, pitch, x, y};
}
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return cudaExtent{w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }

enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
       cudaHostAllocWriteCombined = 4 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
       cudaHostRegisterReadOnly = 8 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1,
                           cudaMemLocationTypeHost = 2 };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };

namespace cuda_emu {
inline cudaError_t allocate_into(void **pointer, size_t bytes, MemoryKind kind) {
  if (!pointer) return fail(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (cudaError_t error = context_state()) return fail(error);
  if (!bytes) return cudaSuccess;
  *pointer = allocate(bytes, kind);
  return *pointer ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
inline cudaError_t release_checked(void *pointer) {
  if (!pointer || release(pointer)) return cudaSuccess;
  std::fprintf(stderr, "cuda_emu: free of %p, which is not a live allocation\n", pointer);
  check::bad_free(pointer);
  return fail(cudaErrorInvalidValue);
}
inline size_t padded_pitch(size_t width) { return (width + 511) / 512 * 512; }
}  // namespace cuda_emu

inline cudaError_t cudaMalloc(void **p, size_t n) {
  return cuda_emu::allocate_into(p, n, cuda_emu::MemoryKind::device);
}
template <class T>
cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <class T>
cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t) {
  return cudaMalloc((void **)p, n);  // at once, in a capture too
}
template <class T>
cudaError_t cudaMallocManaged(T **p, size_t n, unsigned = cudaMemAttachGlobal) {
  return cuda_emu::allocate_into((void **)p, n, cuda_emu::MemoryKind::managed);
}
template <class T>
cudaError_t cudaMallocHost(T **p, size_t n, unsigned = 0) {
  return cuda_emu::allocate_into((void **)p, n, cuda_emu::MemoryKind::host);
}
template <class T>
cudaError_t cudaHostAlloc(T **p, size_t n, unsigned) { return cudaMallocHost(p, n); }
template <class T>
cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  *pitch = cuda_emu::padded_pitch(width);
  return cudaMalloc(p, *pitch * height);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent e) {
  *p = cudaPitchedPtr{nullptr, cuda_emu::padded_pitch(e.width), e.width, e.height};
  return cudaMalloc(&p->ptr, p->pitch * e.height * e.depth);
}
inline cudaError_t cudaFree(void *p) {
  cuda_emu::check::device_waited();  // a free waits for all work
  return cuda_emu::release_checked(p);
}
// A captured free keeps the memory: each launch of the graph uses it again.
inline cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  if (cuda_emu::is_capturing(stream))
    return cuda_emu::capture_call(stream, cudaGraphNodeTypeMemFree, nullptr);
  return cuda_emu::release_checked(p);
}
inline cudaError_t cudaFreeHost(void *p) { return cuda_emu::release_checked(p); }
inline cudaError_t cudaHostRegister(void *p, size_t n, unsigned) {
  cuda_emu::adopt(p, n, cuda_emu::MemoryKind::registered);
  return cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void *p) {
  return cuda_emu::forget(p) ? cudaSuccess : cuda_emu::fail(cudaErrorHostMemoryNotRegistered);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned) {
  *device = static_cast<T *>(host);
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  *total = cuda_emu::global_memory_bytes;
  *free_bytes = *total - cuda_emu::allocated_bytes();
  return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned,
                                        cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p) {
  cuda_emu::Allocation a;
  *out = cudaPointerAttributes{cudaMemoryTypeUnregistered, 0, nullptr, const_cast<void *>(p)};
  if (!cuda_emu::find_allocation(reinterpret_cast<std::uintptr_t>(p), &a)) return cudaSuccess;
  out->devicePointer = const_cast<void *>(p);
  switch (a.kind) {
    case cuda_emu::MemoryKind::managed: out->type = cudaMemoryTypeManaged; break;
    case cuda_emu::MemoryKind::host:
    case cuda_emu::MemoryKind::registered: out->type = cudaMemoryTypeHost; break;
    default:
      out->type = cudaMemoryTypeDevice;
      out->hostPointer = nullptr;
  }
  return cudaSuccess;
}
