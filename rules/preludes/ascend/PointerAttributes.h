// What kind of memory a pointer refers to.
struct PointerAttributes {
    enum Type { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };
    Type type;
    int device;
    void *devicePointer, *hostPointer;
};
inline aclError pointerAttributes(PointerAttributes* found, const void* pointer)
{
    *found = PointerAttributes{PointerAttributes::kUnregistered, 0, nullptr, nullptr};
    aclrtPtrAttributes own{};
    const aclError error = aclrtPointerGetAttributes(pointer, &own);
    if (error != ACL_SUCCESS) {
        return error;
    }
    void* const plain = const_cast<void*>(pointer);
    found->device = static_cast<int>(own.location.id);
    switch (own.location.type) {
        case ACL_MEM_LOCATION_TYPE_HOST: found->type = PointerAttributes::kHost; break;
        case ACL_MEM_LOCATION_TYPE_DEVICE: found->type = PointerAttributes::kDevice; break;
        case ACL_MEM_LOCATION_TYPE_MANAGED: found->type = PointerAttributes::kManaged; break;
        default: return ACL_SUCCESS;
    }
    found->devicePointer = found->type == PointerAttributes::kHost ? nullptr : plain;
    found->hostPointer = found->type == PointerAttributes::kDevice ? nullptr : plain;
    return ACL_SUCCESS;
}
