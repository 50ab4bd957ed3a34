#pragma once
#include "../../cudamigrate_torch_device.h"
