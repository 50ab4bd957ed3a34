// Cooperative groups: blocks, tiles of a warp, coalesced threads, and grids of cooperative launches.
//
// The front end knows blocks and tiles by their types and reads their common members itself
// (migrate/frontend/read_groups.py); everything else is read from here.
#pragma once

#include "cuda_runtime.h"

#include "cooperative_groups/details/lane_group.h"
#include "cooperative_groups/details/tile.h"
#include "cooperative_groups/details/whole_groups.h"
#include "cooperative_groups/details/wide_tile.h"
#include "cooperative_groups/details/partition.h"
#include "cooperative_groups/memcpy_async.h"
