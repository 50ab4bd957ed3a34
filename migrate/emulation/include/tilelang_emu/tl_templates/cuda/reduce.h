// Included by every generated kernel; reductions over tiles are not emulated.
#pragma once

#include "common.h"
