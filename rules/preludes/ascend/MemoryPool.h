// A pool that keeps nothing: what is freed goes back to the device. Attributes read as they were set.
struct MemoryPool {
    enum Attribute {
        kReuseFollowEventDependencies = 1, kReuseAllowOpportunistic, kReuseAllowInternalDependencies,
        kAttrReleaseThreshold, kAttrReservedMemCurrent, kAttrReservedMemHigh, kAttrUsedMemCurrent, kAttrUsedMemHigh,
    };
    uint64_t values[9] = {0, 1, 1, 1, 0, 0, 0, 0, 0};
    static MemoryPool*& current()
    {
        static MemoryPool first;
        static MemoryPool* pool = &first;
        return pool;
    }
    aclError set(int attribute, const void* value)
    {
        if (attribute < 1 || attribute > 8) {
            return ACL_ERROR_INVALID_PARAM;
        }
        values[attribute] = attribute < 4 ? *static_cast<const int*>(value) : *static_cast<const uint64_t*>(value);
        return ACL_SUCCESS;
    }
    aclError get(int attribute, void* value) const
    {
        if (attribute < 1 || attribute > 8) {
            return ACL_ERROR_INVALID_PARAM;
        }
        if (attribute < 4) {
            *static_cast<int*>(value) = static_cast<int>(values[attribute]);
        } else {
            *static_cast<uint64_t*>(value) = values[attribute];
        }
        return ACL_SUCCESS;
    }
};
struct MemoryPoolProperties {
    int allocType = 1, handleTypes = 0;
    struct Location {
        int type = 1, id = 0;
    } location;
    size_t maxSize = 0;
};
inline aclError createPool(MemoryPool** pool, const MemoryPoolProperties*)
{
    *pool = new MemoryPool;
    return ACL_SUCCESS;
}
inline aclError destroyPool(MemoryPool* pool)
{
    delete pool;
    return ACL_SUCCESS;
}
inline aclError devicePool(MemoryPool** pool)
{
    *pool = MemoryPool::current();
    return ACL_SUCCESS;
}
inline aclError selectPool(MemoryPool* pool)
{
    MemoryPool::current() = pool;
    return ACL_SUCCESS;
}
