// See nvToolsExt.h.
#pragma once
#include "../nvToolsExt.h"
