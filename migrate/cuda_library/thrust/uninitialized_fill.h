// With the other fills.
#pragma once
#include "fill.h"
