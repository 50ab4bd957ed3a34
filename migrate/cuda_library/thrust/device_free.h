#pragma once
#include "device_malloc.h"
