// What the headers of CUDA's libraries bring beside the library: 16-bit floats, complex numbers.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
