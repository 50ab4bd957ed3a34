// Included by every generated kernel; reordering of blocks is not emulated.
#pragma once

#include "common.h"
