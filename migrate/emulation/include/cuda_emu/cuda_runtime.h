// The CUDA runtime for the CPU: one header, C++17, g++ or clang++.
//
// A program reaches it through the source rewriter (migrate/emulation/source_rewrite.py), which turns
// launches into calls and adds the kernel entry hooks. Environment:
//   CUDAMIGRATE_THREADS                 OS threads that run blocks (default: all cores, 1 in a capture)
//   CUDAMIGRATE_CAPTURE_DIR             record every launch there (see emu/capture.h)
//   CUDAMIGRATE_CAPTURE_MAX_BYTES       stop storing contents past this (default 512 MiB)
//   CUDAMIGRATE_CAPTURE_MAX_LAUNCHES    launches stored for each kernel instantiation (default 3)
//   CUDAMIGRATE_SKIP_KERNELS            1: launches return without running (the negative control)
//   CUDAMIGRATE_FRESH_MEMORY            "zero": new memory holds zeros instead of poison
//   CUDAMIGRATE_STACK_KB                stack of a CUDA thread (default 512)
//   CUDAMIGRATE_FISSION                 0: no kernel runs as loops (see emu/fission.h)
//   CUDAMIGRATE_FISSION_REPORT          file that tells which kernels did
#pragma once

// The standard headers that nvcc includes for every source file, before any CUDA name is defined.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "emu/keywords.h"
#include "emu/vector_types.h"
#include "emu/errors.h"
#include "emu/half.h"
#include "emu/bfloat16.h"
#include "emu/integer_math.h"
#include "emu/simd_words.h"
#include "emu/float_math.h"
#include "emu/rounding.h"
#include "emu/low_precision_integers.h"
#include "emu/block.h"
#include "emu/conversions.h"
#include "emu/warp.h"
#include "emu/atomics.h"
#include "emu/loads.h"
#include "emu/ptx_convert.h"
#include "emu/ptx_threads.h"
#include "emu/device.h"
#include "emu/memory.h"
#include "emu/memcpy.h"
#include "emu/arrays.h"
#include "emu/texture_objects.h"
#include "emu/texture_references.h"
#include "emu/streams.h"
#include "emu/symbols.h"
#include "emu/launch.h"
#include "emu/kernel_registry.h"
#include "emu/graphs.h"
#include "emu/memory_pools.h"
#include "emu/settings.h"

#ifdef CUDA_EMU_DEFINE_BODIES
#include "emu/launch_impl.h"
namespace cuda_emu {
inline void leave_device() {
  check_guards("at cudaDeviceReset");
  check::context_reset();
}
}  // namespace cuda_emu
CUDA_EMU_API cudaError_t cudaDeviceReset() {
  cuda_emu::leave_device();
  __atomic_store_n(&cuda_emu::context_error, 0, __ATOMIC_RELAXED);
  return cudaSuccess;
}
#endif
