// Entry of the C API of the vector unit (Ascend 950), as with the vendor's compiler: the part that hybrid kernels use.
#pragma once

#include "../hybrid/copy.h"
#include "../hybrid/registers.h"
#include "../hybrid/vf_call.h"
