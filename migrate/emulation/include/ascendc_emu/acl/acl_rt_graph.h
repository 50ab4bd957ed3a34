// Graphs made by capturing streams: submitted work is recorded, and runs when the graph is executed.
// Included by acl_rt.h.
#pragma once

typedef void* aclmdlRI;
typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED,
} aclmdlRICaptureMode;
typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED,
} aclmdlRICaptureStatus;

namespace ascendc_emu {

/// Graphs that exist; anything else is no handle.
inline std::set<Graph*>& graphs()
{
    static std::set<Graph*> all;
    return all;
}

} // namespace ascendc_emu

inline aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclmdlRICaptureBegin");
    if (s == nullptr || stream == nullptr || s->capture != nullptr) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureBegin: the default stream, or a stream that is being captured");
    }
    s->capture = new ascendc_emu::Graph;
    s->began_capture = true;
    ascendc_emu::graphs().insert(s->capture);
    return ACL_SUCCESS;
}
inline aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* model)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclmdlRICaptureEnd");
    if (s == nullptr || model == nullptr || !s->began_capture) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRICaptureEnd: no capture began on this stream");
    }
    ascendc_emu::Graph* const graph = s->capture;
    *model = graph;
    s->began_capture = false;
    auto& rt = ascendc_emu::Runtime::get();
    rt.each_stream([graph](ascendc_emu::Stream& other) {
        if (other.capture == graph) other.capture = nullptr;
    });
    for (ascendc_emu::Event* e : rt.events) {
        if (e->capture == graph) e->capture = nullptr;
    }
    return ACL_SUCCESS;
}
inline aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* model)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclmdlRICaptureGetInfo");
    if (s == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *status = s->capture != nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (model != nullptr) *model = s->capture;
    return ACL_SUCCESS;
}
inline aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode)
{
    static thread_local aclmdlRICaptureMode current = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::swap(current, *mode);
    return ACL_SUCCESS;
}
inline aclError aclmdlRIExecuteAsync(aclmdlRI model, aclrtStream stream)
{
    auto* graph = static_cast<ascendc_emu::Graph*>(model);
    auto* s = ascendc_emu::stream_or_error(stream, "aclmdlRIExecuteAsync");
    if (s == nullptr || ascendc_emu::graphs().count(graph) == 0) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIExecuteAsync: invalid model or stream");
    }
    for (const auto& step : graph->steps) step(stream);
    return ACL_SUCCESS;
}
inline aclError aclmdlRIExecute(aclmdlRI model, int32_t)
{
    const aclError error = aclmdlRIExecuteAsync(model, nullptr);
    return error == ACL_SUCCESS ? aclrtSynchronizeDevice() : error;
}
inline aclError aclmdlRIDestroy(aclmdlRI model)
{
    auto* graph = static_cast<ascendc_emu::Graph*>(model);
    if (ascendc_emu::graphs().erase(graph) == 0) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIDestroy: invalid model");
    }
    delete graph;
    return ACL_SUCCESS;
}
