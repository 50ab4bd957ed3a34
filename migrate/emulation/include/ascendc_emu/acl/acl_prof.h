// Collection of profiling data: accepted, and nothing is collected.
#pragma once

#include "acl_base.h"

#define ACL_PROF_ACL_API 0x0001ULL
#define ACL_PROF_TASK_TIME 0x0002ULL
#define ACL_PROF_AICORE_METRICS 0x0004ULL
#define ACL_PROF_AICPU 0x0008ULL
#define ACL_PROF_L2CACHE 0x0010ULL
#define ACL_PROF_HCCL_TRACE 0x0020ULL

typedef enum {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_NONE = 0xFF,
} aclprofAicoreMetrics;
struct aclprofConfig {
    bool running = false;
};
struct aclprofAicoreEvents;

inline aclError aclprofInit(const char* path, size_t length) { return path != nullptr && length != 0 ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
inline aclError aclprofFinalize() { return ACL_SUCCESS; }
inline aclprofConfig* aclprofCreateConfig(uint32_t* devices, uint32_t count, aclprofAicoreMetrics, const aclprofAicoreEvents*, uint64_t)
{
    return devices == nullptr || count == 0 ? nullptr : new aclprofConfig;
}
inline aclError aclprofDestroyConfig(const aclprofConfig* config)
{
    delete config;
    return ACL_SUCCESS;
}
inline aclError aclprofStart(const aclprofConfig* config)
{
    if (config == nullptr || config->running) return ACL_ERROR_INVALID_PARAM;
    const_cast<aclprofConfig*>(config)->running = true;
    return ACL_SUCCESS;
}
inline aclError aclprofStop(const aclprofConfig* config)
{
    if (config == nullptr || !config->running) return ACL_ERROR_INVALID_PARAM;
    const_cast<aclprofConfig*>(config)->running = false;
    return ACL_SUCCESS;
}
