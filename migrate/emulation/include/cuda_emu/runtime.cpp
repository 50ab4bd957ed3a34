// The one unit that holds the runtime's large functions when programs are compiled with
// CUDA_EMU_SEPARATE.
#define CUDA_EMU_IMPLEMENTATION 1
#include "cuda_runtime.h"
#ifdef CUDA_EMU_CHECK
#include "emu/check.h"
#endif
