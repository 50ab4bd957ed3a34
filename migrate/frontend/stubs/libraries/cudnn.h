// Known by name: only types that are no part of the library's work are declared.
#pragma once
#include "cudamigrate_library_types.h"
typedef struct cudnnContext* cudnnHandle_t;
enum cudnnStatus_t : int {};
