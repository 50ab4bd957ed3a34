// Known by name: generators, and the direction vectors of quasi-random sequences.
#pragma once
#include "cudamigrate_library_types.h"
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandGenerator_st *curandGenerator_t;
enum curandStatus : int {};
typedef enum curandStatus curandStatus_t;
