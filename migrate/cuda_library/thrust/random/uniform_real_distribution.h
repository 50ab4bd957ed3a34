// With the other engines and distributions.
#pragma once
#include "../random.h"
