// Part of the SIMT API; see asc_simt.h.
#pragma once

#include "asc_simt.h"
