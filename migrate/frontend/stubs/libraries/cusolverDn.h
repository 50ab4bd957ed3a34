// Known by name: only types that are no part of the library's work are declared.
#pragma once
#include "cudamigrate_library_types.h"
typedef struct cusolverDnContext* cusolverDnHandle_t;
enum cusolverStatus_t : int {};
