// Recording of launches (CUDAMIGRATE_CAPTURE_DIR): what a kernel was given and what it left behind.
//
// One JSON object a launch in `launches.jsonl`, contents of buffers once each in `blobs/<hash>.bin`,
// totals in `summary.json`. The launch tells the arguments through the probe (probe.h).
#pragma once

#include "keywords.h"
#include "launch_state.h"
#include "probe.h"

namespace cuda_emu {

struct CapturedLaunch;

CUDA_EMU_API bool capture_enabled();
CUDA_EMU_API CapturedLaunch *capture_before(LaunchState &launch);
CUDA_EMU_API void capture_after(CapturedLaunch *captured, bool failed);

}  // namespace cuda_emu

#ifdef CUDA_EMU_DEFINE_BODIES
#include "capture_impl.h"
#endif
