// With the other copies.
#pragma once
#include "copy.h"
