// Base types and error codes of AscendCL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../emu/settings.h"

typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtContext;
typedef void* aclrtNotify;
typedef int aclError;
typedef uint16_t aclFloat16;

constexpr int ACL_ERROR_NONE = 0;
constexpr int ACL_SUCCESS = 0;
constexpr int ACL_ERROR_INVALID_PARAM = 100000;
constexpr int ACL_ERROR_UNINITIALIZE = 100001;
constexpr int ACL_ERROR_REPEAT_INITIALIZE = 100002;
constexpr int ACL_ERROR_REPEAT_FINALIZE = 100037;
constexpr int ACL_ERROR_BAD_ALLOC = 200000;
constexpr int ACL_ERROR_API_NOT_SUPPORT = 200001;
constexpr int ACL_ERROR_INVALID_DEVICE = 200002;
constexpr int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;
constexpr int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;
constexpr int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;
constexpr int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
constexpr int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;
constexpr int ACL_ERROR_INTERNAL_ERROR = 500000;
constexpr int ACL_ERROR_FAILURE = 500001;
constexpr int ACL_ERROR_RT_FAILURE = 500003;
constexpr int ACL_ERROR_DRV_FAILURE = 500004;
constexpr int ACL_ERROR_RT_PARAM_INVALID = 107000;
constexpr int ACL_ERROR_RT_INVALID_DEVICEID = 107001;
constexpr int ACL_ERROR_RT_CONTEXT_NULL = 107002;
constexpr int ACL_ERROR_RT_STREAM_CONTEXT = 107003;
constexpr int ACL_ERROR_RT_EVENT_NOT_COMPLETE = 107012;
constexpr int ACL_ERROR_RT_STREAM_CAPTURED = 107027;
constexpr int ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000;
constexpr int ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;

typedef enum {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_BF16 = 27,
} aclDataType;

typedef enum { ACL_DEBUG = 0, ACL_INFO = 1, ACL_WARNING = 2, ACL_ERROR = 3 } aclLogLevel;

/// Size in bytes of one element of a type; 0 for a type that is not listed above.
inline size_t aclDataTypeSize(aclDataType type)
{
    switch (type) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL: return 1;
        case ACL_FLOAT16:
        case ACL_INT16:
        case ACL_UINT16:
        case ACL_BF16: return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32: return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE: return 8;
        default: return 0;
    }
}

inline const char* aclrtGetSocName() { return ascendc_emu::kSocName; }
