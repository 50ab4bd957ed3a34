#pragma once
#include "device_allocator.h"
