// Host runtime (AscendCL) on the CPU: the calls that migrated programs use, with the vendor's signatures.
#pragma once

#include "acl_base.h"
#include "acl_rt.h"
