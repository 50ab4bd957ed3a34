// Managed memory (910B only), memory of the host that the device sees, and memory shared between processes, which
// here is shared inside of one. Included by acl_rt.h.
#pragma once

#include <string>

#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U
#define ACL_HOST_REG_MAPPED 0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED 0x10000000UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL
#define ACL_IPC_EVENT_HANDLE_SIZE 64U

typedef enum {
    ACL_MEM_LOCATION_TYPE_HOST = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED,
    ACL_MEM_LOCATION_TYPE_MANAGED,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4,
} aclrtMemLocationType;
typedef struct {
    uint32_t id;
    aclrtMemLocationType type;
} aclrtMemLocation;
typedef struct {
    aclrtMemLocation location;
    uint32_t pageSize;
    uint32_t rsv[4];
} aclrtPtrAttributes;
typedef struct {
    char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

inline aclError aclrtMemAllocManaged(void** p, uint64_t size, uint32_t flag)
{
    if (!ascendc_emu::kIs910B) return ascendc_emu::acl_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtMemAllocManaged: not on this chip");
    if (flag != ACL_RT_MEM_ATTACH_GLOBAL) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemAllocManaged: flag %u", flag);
    const aclError error = aclrtMalloc(p, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (error == ACL_SUCCESS) ascendc_emu::MemoryTable::get().share(*p);
    return error;
}
inline aclError aclrtHostRegisterV2(void* p, uint64_t size, uint32_t)
{
    if (p == nullptr || size == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtHostRegisterV2: size 0 or null pointer");
    auto& table = ascendc_emu::MemoryTable::get();
    if (table.find(reinterpret_cast<uintptr_t>(p)).base != 0) {
        table.share(p);
    } else {
        table.adopt(p, size);
    }
    return ACL_SUCCESS;
}
inline aclError aclrtHostUnregister(void* p)
{
    auto& table = ascendc_emu::MemoryTable::get();
    const ascendc_emu::Allocation a = table.find(reinterpret_cast<uintptr_t>(p));
    if (a.base == 0 || !a.host) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtHostUnregister: memory that was not registered");
    table.disown(p);
    return ACL_SUCCESS;
}
/// Registered memory has one address here; on a chip the device's may be another.
inline aclError aclrtHostGetDevicePointer(void* host, void** device, uint32_t)
{
    const ascendc_emu::Allocation a = ascendc_emu::MemoryTable::get().find(reinterpret_cast<uintptr_t>(host));
    if (a.base == 0 || !a.shared) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtHostGetDevicePointer: memory that was not registered as mapped");
    *device = host;
    return ACL_SUCCESS;
}
inline aclError aclrtPointerGetAttributes(const void* p, aclrtPtrAttributes* found)
{
    const ascendc_emu::Allocation a = ascendc_emu::MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
    *found = aclrtPtrAttributes{};
    found->pageSize = 4096;
    if (a.base == 0) {
        found->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    } else if (a.host) {
        found->location.type = ACL_MEM_LOCATION_TYPE_HOST;
    } else {
        found->location.type = a.shared ? ACL_MEM_LOCATION_TYPE_MANAGED : ACL_MEM_LOCATION_TYPE_DEVICE;
    }
    return ACL_SUCCESS;
}
inline aclError aclrtMemGetAddressRange(void* p, void** base, size_t* size)
{
    const ascendc_emu::Allocation a = ascendc_emu::MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
    if (a.base == 0) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMemGetAddressRange: no device memory");
    *base = reinterpret_cast<void*>(a.base);
    *size = a.size;
    return ACL_SUCCESS;
}

inline aclError aclrtIpcMemGetExportKey(void* p, size_t, char* key, size_t length, uint64_t)
{
    const ascendc_emu::Allocation a = ascendc_emu::MemoryTable::get().find(reinterpret_cast<uintptr_t>(p));
    if (a.base == 0 || a.host || length < 65) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtIpcMemGetExportKey: no device memory, or a key of less than 65 bytes");
    snprintf(key, length, "%zx", static_cast<size_t>(a.base));
    return ACL_SUCCESS;
}
inline aclError aclrtIpcMemImportByKey(void** p, const char* key, uint64_t)
{
    const uintptr_t at = std::stoull(key, nullptr, 16);
    if (ascendc_emu::MemoryTable::get().find(at).base != at) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtIpcMemImportByKey: unknown key");
    *p = reinterpret_cast<void*>(at);
    return ACL_SUCCESS;
}
inline aclError aclrtIpcMemClose(const char*) { return ACL_SUCCESS; }
inline aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle)
{
    if (!ascendc_emu::kIs910B) return ascendc_emu::acl_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtIpcGetEventHandle: not on this chip");
    memcpy(handle->reserved, &event, sizeof event);
    return ACL_SUCCESS;
}
inline aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event)
{
    if (!ascendc_emu::kIs910B) return ascendc_emu::acl_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtIpcOpenEventHandle: not on this chip");
    memcpy(event, handle.reserved, sizeof *event);
    return ACL_SUCCESS;
}
