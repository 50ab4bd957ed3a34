// With the other scans.
#pragma once
#include "scan.h"
