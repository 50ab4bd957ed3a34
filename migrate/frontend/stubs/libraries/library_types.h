// Names of element types are among the driver types.
#pragma once
#include <driver_types.h>
