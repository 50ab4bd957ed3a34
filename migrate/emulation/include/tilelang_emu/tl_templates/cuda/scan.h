// Included by every generated kernel; scans over tiles are not emulated.
#pragma once

#include "common.h"
