// With its inverse.
#pragma once
#include "gather.h"
