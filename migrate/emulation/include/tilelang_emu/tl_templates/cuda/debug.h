// Included by every generated kernel; printing from tiles is not emulated.
#pragma once

#include "common.h"
