#pragma once
#include "../../cudamigrate_torch_macros.h"
