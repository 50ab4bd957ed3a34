// cuRAND's device API: XORWOW, Philox4x32-10 and MRG32k3a with the numbers that cuRAND documents.
#pragma once

#include "cuda_runtime.h"
#include "emu/rand/distributions.h"

typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
