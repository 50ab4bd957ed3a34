// Kernels that run region by region: plain loops over the threads of a block from one barrier to the
// next, in place of a stack for each thread that waits.
//
// Such a kernel is C++ made from the kernel's IR and linked to the program. It takes the place of
// the kernel's own code only after both have left the same memory (fission_impl.h).
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "keywords.h"
#include "lane_exchange.h"
#include "poison.h"
#include "vector_types.h"

namespace cuda_emu {

inline constexpr unsigned max_lanes = 1024;  // threads of a block

// One block of a launch.
struct Frame {
  dim3 grid, block;
  uint3 index;
  unsigned lanes;  // threads of the block
  char *dynamic;   // dynamic shared memory
};

struct FissionedKernel {
  const char *mangled;             // of the kernel that it stands for
  unsigned parameters;
  const unsigned *sizes;           // of the parameters, in bytes
  bool (*fits)(const dim3 &block); // the launches for which it stands
  void (*run)(const Frame &frame, const void *const *arguments);
};

CUDA_EMU_API std::vector<const FissionedKernel *> &fissioned_kernels();
// Address of the one device variable of that name and size; null if there is none, or several.
CUDA_EMU_API void *only_variable(const char *name, std::size_t size);

struct FissionRegistration {
  explicit FissionRegistration(const FissionedKernel &kernel) {
    fissioned_kernels().push_back(&kernel);
  }
};

// Tells the compiler a fact that it cannot see.
__attribute__((always_inline)) inline void assume(bool fact) {
  if (!fact) __builtin_unreachable();
}

template <class T>
T argument(const void *bytes) {
  T value;
  std::memcpy(static_cast<void *>(&value), bytes, sizeof(T));
  return value;
}

template <class T>
T &device_variable(const char *name) {
  return *static_cast<T *>(only_variable(name, sizeof(T)));
}

// Shared memory of a block starts as memory that nobody has written.
template <class T>
void fresh(T &shared) {
  fill_fresh(&shared, sizeof(T));
}

}  // namespace cuda_emu
