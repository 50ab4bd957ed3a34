// Part of the CUDA runtime for the CPU.
#pragma once
#include "cuda_runtime.h"
#include "emu/library_types.h"
