// What nvcc includes by itself.
#pragma once
#define __CUDA_RUNTIME_H__  // programs ask for the include guard of the original

#include "cudamigrate_builtins.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "cudamigrate_math.h"
#include "cudamigrate_device.h"
#include "cudamigrate_textures.h"
