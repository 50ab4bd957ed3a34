// Known by name: the element types of transforms are CUDA's own complex and real numbers.
#pragma once
#include "cudamigrate_library_types.h"
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
enum cufftResult : int {};
