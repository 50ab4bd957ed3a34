// Scans live with the reductions.
#pragma once
#include "reduce.h"
