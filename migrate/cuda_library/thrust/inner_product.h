// With the other reductions.
#pragma once
#include "reduce.h"
