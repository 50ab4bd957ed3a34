// With the other transformations.
#pragma once
#include "transform.h"
