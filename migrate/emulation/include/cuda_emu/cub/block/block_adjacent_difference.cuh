// Everything is in cub.cuh.
#pragma once
#include "../cub.cuh"
