// Part of the device API of cuRAND.
#pragma once
#include "curand_kernel.h"
