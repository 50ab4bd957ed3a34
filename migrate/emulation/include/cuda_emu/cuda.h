// The driver API on top of the runtime: everything that needs no compiled modules.
#pragma once

#include "emu/driver/types.h"
#include "emu/driver/memory_calls.h"
