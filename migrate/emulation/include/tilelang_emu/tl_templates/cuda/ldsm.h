// Included by every generated kernel; matrix loads are not emulated.
#pragma once

#include "common.h"
