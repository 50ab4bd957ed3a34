// Asynchronous copies of one thread. They are done at once.
#pragma once

#include "cuda_pipeline_primitives.h"
