// Entry of the SIMD vector API (Ascend 910B and 950), as with the vendor's compiler.
#pragma once

#include "simd/launch.h"
#include "simd/scalar.h"
