// With the other searches.
#pragma once
#include "find.h"
