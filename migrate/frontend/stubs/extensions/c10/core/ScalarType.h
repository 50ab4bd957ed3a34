#pragma once
#include "../../cudamigrate_torch_tensor.h"
