// cuBLAS on the CPU: levels 1 to 3 and the extensions that programs use most, in plain loops.
#pragma once

#include "cuComplex.h"
#include "emu/blas/level3.h"
