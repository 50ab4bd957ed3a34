// cuRAND's device API: XORWOW, Philox4x32-10 and MRG32k3a with the numbers that cuRAND documents, and
// Sobol' sequences from the caller's direction vectors.
#pragma once

#include "cuda_runtime.h"
#include "curand/distributions.h"

typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
