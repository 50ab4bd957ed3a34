// The SIMT API's entry, beside the folders that it includes from, to be compiled once.
#pragma once

#include "simt_api/asc_simt.h"
