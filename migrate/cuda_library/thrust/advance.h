// With the distance.
#pragma once
#include "distance.h"
