// Entry of the SIMT API (Ascend 950), as with the vendor's compiler.
#pragma once

#include <cassert>
#include <cstdio>

#include "../simt/atomic.h"
#include "../simt/constants.h"
#include "../simt/half_math.h"
#include "../simt/launch.h"
#include "../simt/warp.h"
