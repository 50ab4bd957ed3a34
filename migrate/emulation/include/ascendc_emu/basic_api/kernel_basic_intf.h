// Part of the SIMD API; see kernel_operator.h.
#pragma once

#include "../kernel_operator.h"
