// Devices, streams, events and memory of AscendCL. Calls return the vendor's error codes; misuse that the real runtime
// would not report (wrong copy direction, missing synchronisation, invalid free) ends the process with a rule.
#pragma once

#include <cstdarg>
#include <cstring>

#include "../emu/stream.h"
#include "acl_base.h"

typedef enum { ACL_DEVICE, ACL_HOST } aclrtRunMode;
typedef enum {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2,
} aclrtEventStatus;
typedef enum {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
} aclrtEventRecordedStatus;
typedef enum {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xFFFF,
} aclrtStreamStatus;
typedef enum {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT,
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
} aclrtMemcpyKind;
typedef enum {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
    ACL_MEM_MALLOC_HUGE1G_ONLY,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
} aclrtMemMallocPolicy;
typedef enum { ACL_DDR_MEM, ACL_HBM_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL } aclrtMemAttr;
typedef enum { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;
typedef enum {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_WARP_SIZE = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    ACL_DEV_ATTR_NPU_ARCH = 601,
} aclrtDevAttr;
typedef void (*aclrtHostFunc)(void* args);

#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U

namespace ascendc_emu {

constexpr size_t kDeviceMemory = size_t{64} << 30;

/// Records an error and its text (aclGetRecentErrMsg) and returns its code.
inline aclError acl_error(aclError code, const char* format, ...) __attribute__((format(printf, 2, 3)));
inline aclError acl_error(aclError code, const char* format, ...)
{
    Runtime& rt = Runtime::get();
    va_list ap;
    va_start(ap, format);
    vsnprintf(rt.message, sizeof rt.message, format, ap);
    va_end(ap);
    rt.has_message = true;
    rt.last_error = code;
    return code;
}

inline uint32_t device_count()
{
    static const long n = environment_number("ASCENDC_EMU_DEVICES", 1);
    return static_cast<uint32_t>(n);
}

inline aclError need_device(const char* call)
{
    if (!Runtime::get().device_set) {
        return acl_error(ACL_ERROR_RT_CONTEXT_NULL, "%s: no device is set in this thread (aclrtSetDevice)", call);
    }
    return ACL_SUCCESS;
}

/// Copy direction against what the pointers really are; the hardware would fault or copy garbage.
inline void check_copy(void* dst, const void* src, size_t count, aclrtMemcpyKind kind, Loc loc)
{
    if (kind == ACL_MEMCPY_DEFAULT || count == 0) return;
    const bool to_device = kind != ACL_MEMCPY_HOST_TO_HOST && kind != ACL_MEMCPY_DEVICE_TO_HOST;
    const bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
                             kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE;
    const auto fits = [](const void* p, bool device) {
        const Allocation a = MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
        return a.shared || (a.base != 0 && !a.host) == device;
    };
    const auto on_device = [&fits](const void* p) { return fits(p, true); };
    if (!fits(dst, to_device) || !fits(src, from_device)) {
        violation("host-memcpy-kind", loc, "copy direction %d does not fit: destination is %s memory, source is %s memory",
                  static_cast<int>(kind), on_device(dst) ? "device" : "host", on_device(src) ? "device" : "host");
    }
    if (to_device) check_gm_range(dst, count, "destination of a copy", loc);
    if (from_device) check_gm_range(src, count, "source of a copy", loc);
}

inline Stream* stream_or_error(aclrtStream handle, const char* call)
{
    Stream* s = Runtime::get().resolve(handle);
    if (s == nullptr) acl_error(ACL_ERROR_RT_PARAM_INVALID, "%s: invalid stream", call);
    return s;
}

/// A copy or fill on a stream: the host may not touch these ranges until it has awaited the stream.
inline void mark_pending(Stream& s, const void* p)
{
    const Allocation a = MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
    s.busy = true;
    if (a.base != 0) s.pending.insert(a.base);
}

inline void copy_rows(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height)
{
    for (size_t row = 0; row < height; ++row) {
        memmove(static_cast<char*>(dst) + row * dpitch, static_cast<const char*>(src) + row * spitch, width);
    }
}

inline aclError check_2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         aclrtMemcpyKind kind, Loc loc)
{
    if (dst == nullptr || src == nullptr || width > dpitch || width > spitch) {
        return acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy2d: null pointer, or width exceeds a pitch");
    }
    if (height != 0) {
        check_copy(dst, src, 1, kind, loc);
        if (kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_HOST_TO_HOST && kind != ACL_MEMCPY_DEFAULT) {
            check_gm_range(dst, (height - 1) * dpitch + width, "destination of a 2D copy", loc);
        }
        if (kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE) {
            check_gm_range(src, (height - 1) * spitch + width, "source of a 2D copy", loc);
        }
    }
    return ACL_SUCCESS;
}

} // namespace ascendc_emu

inline aclError aclInit(const char*)
{
    auto& rt = ascendc_emu::Runtime::get();
    if (rt.initialised) return ascendc_emu::acl_error(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: already initialised");
    rt.initialised = true;
    return ACL_SUCCESS;
}
inline aclError aclFinalize()
{
    auto& rt = ascendc_emu::Runtime::get();
    if (!rt.initialised) return ascendc_emu::acl_error(ACL_ERROR_UNINITIALIZE, "aclFinalize: aclInit was not called");
    rt.initialised = false;
    return ACL_SUCCESS;
}
/// Text of the last error, or null if there was none; reading it clears it.
inline const char* aclGetRecentErrMsg()
{
    auto& rt = ascendc_emu::Runtime::get();
    if (!rt.has_message) return nullptr;
    rt.has_message = false;
    return rt.message;
}
inline aclError aclrtGetLastError(aclrtLastErrLevel)
{
    auto& rt = ascendc_emu::Runtime::get();
    const int code = rt.last_error;
    rt.last_error = 0;
    return code;
}
inline aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return ascendc_emu::Runtime::get().last_error; }
inline aclError aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch)
{
    *major = 1;
    *minor = 0;
    *patch = 0;
    return ACL_SUCCESS;
}
inline aclError aclrtGetRunMode(aclrtRunMode* mode)
{
    *mode = ACL_HOST;
    return ACL_SUCCESS;
}

inline aclError aclrtSetDevice(int32_t device)
{
    if (device < 0 || static_cast<uint32_t>(device) >= ascendc_emu::device_count()) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtSetDevice: no device %d", device);
    }
    auto& rt = ascendc_emu::Runtime::get();
    rt.device_set = true;
    rt.device = device;
    return ACL_SUCCESS;
}
inline aclError aclrtGetDevice(int32_t* device)
{
    if (const aclError e = ascendc_emu::need_device("aclrtGetDevice")) return e;
    *device = ascendc_emu::Runtime::get().device;
    return ACL_SUCCESS;
}
inline aclError aclrtGetDeviceCount(uint32_t* count)
{
    *count = ascendc_emu::device_count();
    return ACL_SUCCESS;
}
inline aclError aclrtResetDevice(int32_t device)
{
    if (device < 0 || static_cast<uint32_t>(device) >= ascendc_emu::device_count()) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtResetDevice: no device %d", device);
    }
    auto& rt = ascendc_emu::Runtime::get();
    rt.each_stream([](ascendc_emu::Stream& s) { ascendc_emu::Runtime::finish(s); });
    rt.device_set = false;
    return ACL_SUCCESS;
}
inline aclError aclrtResetDeviceForce(int32_t device) { return aclrtResetDevice(device); }
inline aclError aclrtCreateContext(aclrtContext* context, int32_t device)
{
    static int only_context;
    *context = &only_context;
    return aclrtSetDevice(device);
}
inline aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }
inline aclError aclrtSetCurrentContext(aclrtContext) { return ACL_SUCCESS; }
inline aclError aclrtGetCurrentContext(aclrtContext* context) { return aclrtCreateContext(context, 0); }

inline aclError aclrtCreateStream(aclrtStream* stream)
{
    if (const aclError e = ascendc_emu::need_device("aclrtCreateStream")) return e;
    auto* s = new ascendc_emu::Stream;
    ascendc_emu::Runtime::get().streams.insert(s);
    *stream = s;
    return ACL_SUCCESS;
}
inline aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t)
{
    if (priority > 7) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtCreateStreamWithConfig: priority %u (0 to 7)", priority);
    const aclError error = aclrtCreateStream(stream);
    if (error == ACL_SUCCESS) static_cast<ascendc_emu::Stream*>(*stream)->priority = priority;
    return error;
}
inline aclError aclrtDestroyStream(aclrtStream stream)
{
    auto& rt = ascendc_emu::Runtime::get();
    auto* s = static_cast<ascendc_emu::Stream*>(stream);
    if (rt.streams.erase(s) == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyStream: invalid stream");
    delete s; // destroying a stream waits for the work on it
    return ACL_SUCCESS;
}
inline aclError aclrtDestroyStreamForce(aclrtStream stream) { return aclrtDestroyStream(stream); }
inline aclError aclrtSynchronizeStream(aclrtStream stream)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtSynchronizeStream");
    if (s == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    if (s->capture != nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_STREAM_CAPTURED, "aclrtSynchronizeStream: the stream is being captured");
    ascendc_emu::Runtime::finish(*s);
    return ACL_SUCCESS;
}
inline aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) { return aclrtSynchronizeStream(stream); }
inline aclError aclrtSynchronizeDevice(void)
{
    if (const aclError e = ascendc_emu::need_device("aclrtSynchronizeDevice")) return e;
    ascendc_emu::Runtime::get().each_stream([](ascendc_emu::Stream& s) { ascendc_emu::Runtime::finish(s); });
    return ACL_SUCCESS;
}
inline aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }
inline aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status)
{
    // Work is done when it was submitted, so a query finds it complete and counts as waiting for it.
    *status = ACL_STREAM_STATUS_COMPLETE;
    return aclrtSynchronizeStream(stream);
}
inline aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtLaunchHostFunc");
    if (s == nullptr || fn == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    if (s->captured([=](void* to) { aclrtLaunchHostFunc(to, fn, args); })) return ACL_SUCCESS;
    fn(args);
    return ACL_SUCCESS;
}

inline aclError aclrtCreateEvent(aclrtEvent* event)
{
    auto* e = new ascendc_emu::Event;
    ascendc_emu::Runtime::get().events.insert(e);
    *event = e;
    return ACL_SUCCESS;
}
inline aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }
inline aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }
inline aclError aclrtDestroyEvent(aclrtEvent event)
{
    auto* e = static_cast<ascendc_emu::Event*>(event);
    if (ascendc_emu::Runtime::get().events.erase(e) == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyEvent: invalid event");
    delete e;
    return ACL_SUCCESS;
}
inline aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    auto* e = static_cast<ascendc_emu::Event*>(event);
    auto& rt = ascendc_emu::Runtime::get();
    if (rt.events.count(e) == 0 || rt.resolve(stream) == nullptr) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtRecordEvent: invalid event or stream");
    }
    e->capture = rt.resolve(stream)->capture;
    if (e->capture != nullptr) return ACL_SUCCESS; // an edge of the graph, not a point in time
    e->recorded = true;
    e->at = std::chrono::steady_clock::now();
    e->covers = rt.resolve(stream)->pending;
    return ACL_SUCCESS;
}
inline aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    auto* e = static_cast<ascendc_emu::Event*>(event);
    auto& rt = ascendc_emu::Runtime::get();
    if (rt.events.count(e) == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtSynchronizeEvent: invalid event");
    rt.each_stream([&](ascendc_emu::Stream& s) {
        for (const uintptr_t base : e->covers) s.pending.erase(base);
    });
    return ACL_SUCCESS;
}
inline aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status)
{
    auto* e = static_cast<ascendc_emu::Event*>(event);
    *status = e->recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}
inline aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status)
{
    auto* e = static_cast<ascendc_emu::Event*>(event);
    *status = e->recorded ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
}
inline aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end)
{
    auto* a = static_cast<ascendc_emu::Event*>(start);
    auto* b = static_cast<ascendc_emu::Event*>(end);
    if (!a->recorded || !b->recorded) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtEventElapsedTime: an event was not recorded");
    *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count();
    return ACL_SUCCESS;
}
inline aclError aclrtResetEvent(aclrtEvent event, aclrtStream)
{
    static_cast<ascendc_emu::Event*>(event)->recorded = false;
    return ACL_SUCCESS;
}
inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtStreamWaitEvent");
    if (s == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    auto* e = static_cast<ascendc_emu::Event*>(event);
    if (ascendc_emu::Runtime::get().events.count(e) != 0 && e->capture != nullptr) s->capture = e->capture; // joins the capture
    return ACL_SUCCESS;
}

inline aclError aclrtMalloc(void** p, size_t size, aclrtMemMallocPolicy)
{
    if (const aclError e = ascendc_emu::need_device("aclrtMalloc")) return e;
    if (p == nullptr || size == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMalloc: size 0 or null pointer");
    auto& table = ascendc_emu::MemoryTable::get();
    *p = size <= ascendc_emu::kDeviceMemory - table.device_bytes() ? table.allocate(size, false) : nullptr;
    if (*p == nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMalloc: no memory for %zu bytes", size);
    return ACL_SUCCESS;
}
inline aclError aclrtMallocAlign32(void** p, size_t size, aclrtMemMallocPolicy policy) { return aclrtMalloc(p, size, policy); }
inline aclError aclrtMallocCached(void** p, size_t size, aclrtMemMallocPolicy policy) { return aclrtMalloc(p, size, policy); }
inline aclError aclrtFree(void* p, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (p == nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFree: null pointer");
    ascendc_emu::Runtime::get().require_awaited(p, "aclrtFree", loc);
    if (!ascendc_emu::MemoryTable::get().release(p, false, loc)) {
        ascendc_emu::violation("gm-invalid-free", loc, "aclrtFree of an address that aclrtMalloc did not give, or a second free");
    }
    return ACL_SUCCESS;
}
inline aclError aclrtMallocHost(void** p, size_t size)
{
    if (p == nullptr || size == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost: size 0 or null pointer");
    *p = ascendc_emu::MemoryTable::get().allocate(size, true);
    if (*p == nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMallocHost: no memory for %zu bytes", size);
    return ACL_SUCCESS;
}
inline aclError aclrtFreeHost(void* p, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (p == nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtFreeHost: null pointer");
    if (!ascendc_emu::MemoryTable::get().release(p, true, loc)) {
        ascendc_emu::violation("gm-invalid-free", loc, "aclrtFreeHost of an address that aclrtMallocHost did not give, or a second free");
    }
    return ACL_SUCCESS;
}

inline aclError aclrtMemcpy(void* dst, size_t dest_max, const void* src, size_t count, aclrtMemcpyKind kind,
                            ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (dst == nullptr || src == nullptr || count > dest_max) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpy: null pointer, or count %zu exceeds destMax %zu", count, dest_max);
    }
    auto& rt = ascendc_emu::Runtime::get();
    rt.require_awaited(dst, "aclrtMemcpy", loc);
    rt.require_awaited(src, "aclrtMemcpy", loc);
    ascendc_emu::check_copy(dst, src, count, kind, loc);
    memmove(dst, src, count);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpyAsync(void* dst, size_t dest_max, const void* src, size_t count, aclrtMemcpyKind kind,
                                 aclrtStream stream, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtMemcpyAsync");
    if (s == nullptr || dst == nullptr || src == nullptr || count > dest_max) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyAsync: invalid stream or pointer, or count %zu exceeds destMax %zu", count, dest_max);
    }
    ascendc_emu::check_copy(dst, src, count, kind, loc);
    if (s->captured([=](void* to) { aclrtMemcpyAsync(dst, dest_max, src, count, kind, to, loc); })) return ACL_SUCCESS;
    memmove(dst, src, count);
    ascendc_emu::mark_pending(*s, dst);
    ascendc_emu::mark_pending(*s, src);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              aclrtMemcpyKind kind, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (const aclError e = ascendc_emu::check_2d(dst, dpitch, src, spitch, width, height, kind, loc)) return e;
    auto& rt = ascendc_emu::Runtime::get();
    rt.require_awaited(dst, "aclrtMemcpy2d", loc);
    rt.require_awaited(src, "aclrtMemcpy2d", loc);
    ascendc_emu::copy_rows(dst, dpitch, src, spitch, width, height);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                                   aclrtMemcpyKind kind, aclrtStream stream, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtMemcpy2dAsync");
    if (s == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    if (const aclError e = ascendc_emu::check_2d(dst, dpitch, src, spitch, width, height, kind, loc)) return e;
    if (s->captured([=](void* to) { aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, to, loc); })) return ACL_SUCCESS;
    ascendc_emu::copy_rows(dst, dpitch, src, spitch, width, height);
    ascendc_emu::mark_pending(*s, dst);
    ascendc_emu::mark_pending(*s, src);
    return ACL_SUCCESS;
}
inline aclError aclrtMemset(void* p, size_t max_count, int32_t value, size_t count,
                            ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (p == nullptr || count > max_count) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemset: null pointer, or count exceeds maxCount");
    ascendc_emu::Runtime::get().require_awaited(p, "aclrtMemset", loc);
    ascendc_emu::check_gm_range(p, count, "aclrtMemset", loc);
    memset(p, value, count);
    return ACL_SUCCESS;
}
inline aclError aclrtMemsetAsync(void* p, size_t max_count, int32_t value, size_t count, aclrtStream stream,
                                 ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtMemsetAsync");
    if (s == nullptr || p == nullptr || count > max_count) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemsetAsync: invalid stream or pointer, or count exceeds maxCount");
    ascendc_emu::check_gm_range(p, count, "aclrtMemsetAsync", loc);
    if (s->captured([=](void* to) { aclrtMemsetAsync(p, max_count, value, count, to, loc); })) return ACL_SUCCESS;
    memset(p, value, count);
    ascendc_emu::mark_pending(*s, p);
    return ACL_SUCCESS;
}
inline aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free_bytes, size_t* total_bytes)
{
    *total_bytes = ascendc_emu::kDeviceMemory;
    *free_bytes = ascendc_emu::kDeviceMemory - ascendc_emu::MemoryTable::get().device_bytes();
    return ACL_SUCCESS;
}

inline aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attr, int64_t* value)
{
    if (device >= ascendc_emu::device_count() || value == nullptr) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtGetDeviceInfo: no device %u", device);
    }
    const int64_t cores = ascendc_emu::core_count();
    switch (attr) {
        case ACL_DEV_ATTR_AICPU_CORE_NUM: *value = 6; break;
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
        case ACL_DEV_ATTR_CUBE_CORE_NUM: *value = cores / 2; break;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM: *value = cores; break;
        case ACL_DEV_ATTR_WARP_SIZE: *value = 32; break;
        case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
        case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK: *value = 2048; break;
        case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE: *value = ascendc_emu::kIs910B ? ascendc_emu::kUbUsable : ascendc_emu::kSimtUbUsable; break;
        case ACL_DEV_ATTR_MAX_GRID_DIM_X:
        case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
        case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
        case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID: *value = 65535; break;
        case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
        case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
        case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z: *value = 2048; break;
        case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: *value = static_cast<int64_t>(ascendc_emu::kDeviceMemory); break;
        case ACL_DEV_ATTR_L2_CACHE_SIZE: *value = int64_t{192} << 20; break;
        case ACL_DEV_ATTR_NPU_ARCH: *value = __NPU_ARCH__; break;
        default: return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceInfo: unknown attribute %d", static_cast<int>(attr));
    }
    return ACL_SUCCESS;
}

inline aclError aclrtMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, aclrtMemcpyKind kind,
                                    ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (symbol == nullptr || src == nullptr) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyToSymbol: null pointer");
    const size_t size = ascendc_emu::symbol_size(symbol);
    if (size != 0 && offset + count > size) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyToSymbol: %zu bytes at %zu exceed the variable's %zu", count, offset, size);
    }
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) ascendc_emu::check_gm_range(src, count, "source of a copy", loc);
    memmove(static_cast<char*>(const_cast<void*>(symbol)) + offset, src, count);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpyFromSymbol(void* dst, size_t dst_max, const void* symbol, size_t count, size_t offset,
                                      aclrtMemcpyKind kind, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    if (dst == nullptr || symbol == nullptr || count > dst_max) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyFromSymbol: null pointer, or count exceeds dstMax");
    const size_t size = ascendc_emu::symbol_size(symbol);
    if (size != 0 && offset + count > size) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemcpyFromSymbol: %zu bytes at %zu exceed the variable's %zu", count, offset, size);
    }
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE) ascendc_emu::check_gm_range(dst, count, "destination of a copy", loc);
    memmove(dst, static_cast<const char*>(symbol) + offset, count);
    return ACL_SUCCESS;
}
inline aclError aclrtMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset, aclrtMemcpyKind kind,
                                         aclrtStream, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    return aclrtMemcpyToSymbol(symbol, src, count, offset, kind, loc);
}
inline aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dst_max, const void* symbol, size_t count, size_t offset,
                                           aclrtMemcpyKind kind, aclrtStream, ascendc_emu::Loc loc = ascendc_emu::Loc::here())
{
    return aclrtMemcpyFromSymbol(dst, dst_max, symbol, count, offset, kind, loc);
}
inline aclError aclrtGetSymbolAddress(const void* symbol, void** address)
{
    *address = const_cast<void*>(symbol);
    return ACL_SUCCESS;
}
inline aclError aclrtGetSymbolSize(const void* symbol, size_t* size)
{
    *size = ascendc_emu::symbol_size(symbol);
    return *size != 0 ? ACL_SUCCESS : ascendc_emu::acl_error(107043, "aclrtGetSymbolSize: not a device variable");
}

#include "acl_rt_device.h"
#include "acl_rt_graph.h"
#include "acl_rt_memory.h"
