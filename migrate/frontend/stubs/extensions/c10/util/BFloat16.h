#pragma once
#include "../../cudamigrate_torch_scalars.h"
