// Peers, bus addresses, limits and priorities. Included by acl_rt.h.
#pragma once

typedef enum {
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4,
} aclrtDeviceLimit;

namespace ascendc_emu {

inline bool is_device(int32_t device) { return device >= 0 && static_cast<uint32_t>(device) < device_count(); }

inline std::set<int32_t>& open_peers()
{
    static std::set<int32_t> peers;
    return peers;
}

inline size_t* device_limits()
{
    static size_t values[] = {1152, 1024, 32768, 1 << 20, 2 << 20};
    return values;
}

} // namespace ascendc_emu

inline aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t device, int32_t peer)
{
    if (!ascendc_emu::is_device(device) || !ascendc_emu::is_device(peer)) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtDeviceCanAccessPeer: no device %d or %d", device, peer);
    }
    *can = device != peer;
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags)
{
    if (!ascendc_emu::is_device(peer) || peer == ascendc_emu::Runtime::get().device || flags != 0) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtDeviceEnablePeerAccess: device %d", peer);
    }
    ascendc_emu::open_peers().insert(peer);
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceDisablePeerAccess(int32_t peer)
{
    if (ascendc_emu::open_peers().erase(peer) == 0) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "aclrtDeviceDisablePeerAccess: access to device %d is not enabled", peer);
    }
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceGetPCIBusId(int32_t device, char* text, int32_t length)
{
    if (!ascendc_emu::is_device(device) || length < 13) return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDeviceGetPCIBusId: device %d, length %d", device, length);
    snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", static_cast<unsigned>(device + 1));
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceGetByPCIBusId(const char* text, int32_t* device)
{
    unsigned bus = 0;
    if (sscanf(text, "%*x:%x:", &bus) != 1 || !ascendc_emu::is_device(static_cast<int32_t>(bus) - 1)) {
        return ascendc_emu::acl_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtDeviceGetByPCIBusId: no device at %s", text);
    }
    *device = static_cast<int32_t>(bus) - 1;
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceGetStreamPriorityRange(int32_t* least, int32_t* greatest)
{
    if (least != nullptr) *least = 7;
    if (greatest != nullptr) *greatest = 0;
    return ACL_SUCCESS;
}
inline aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority)
{
    auto* s = ascendc_emu::stream_or_error(stream, "aclrtStreamGetPriority");
    if (s == nullptr) return ACL_ERROR_RT_PARAM_INVALID;
    *priority = s->priority;
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value)
{
    *value = ascendc_emu::device_limits()[limit];
    return ACL_SUCCESS;
}
inline aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)
{
    ascendc_emu::device_limits()[limit] = value;
    return ACL_SUCCESS;
}
