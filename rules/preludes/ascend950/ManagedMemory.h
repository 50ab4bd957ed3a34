// Managed memory by copies, since the 950 has none: the program holds addresses of the host, a launch gets those of
// the device. Memory goes to the device when a kernel is given it, and back at the next synchronisation.
struct ManagedMemory {
    struct Range {
        char *host, *device;
        size_t size;
        bool onDevice;
    };
    static std::vector<Range>& ranges()
    {
        static std::vector<Range> all;
        return all;
    }
    static Range* find(const void* pointer)
    {
        const char* const at = static_cast<const char*>(pointer);
        for (Range& r : ranges()) {
            if (at >= r.host && at < r.host + r.size) {
                return &r;
            }
        }
        return nullptr;
    }
    static aclError allocate(void** pointer, size_t size)
    {
        Range r{nullptr, nullptr, size, false};
        aclError error = aclrtMallocHost((void**)&r.host, size);
        error = error == ACL_SUCCESS ? aclrtMalloc((void**)&r.device, size, ACL_MEM_MALLOC_HUGE_FIRST) : error;
        if (error == ACL_SUCCESS) {
            ranges().push_back(r);
            *pointer = r.host;
        }
        return error;
    }
    // Waits for the device and fetches what kernels were given; `error` is that of the call before it.
    static aclError toHost(aclError error)
    {
        for (Range& r : ranges()) {
            if (r.onDevice && error == ACL_SUCCESS) {
                error = aclrtSynchronizeDevice();
                error = error == ACL_SUCCESS ? aclrtMemcpy(r.host, r.size, r.device, r.size, ACL_MEMCPY_DEVICE_TO_HOST) : error;
                r.onDevice = false;
            }
        }
        return error;
    }
    static void toDevice(Range& r)
    {
        for (size_t i = 0; !r.onDevice && i + sizeof(void*) <= r.size; i += sizeof(void*)) {
            void* word = nullptr;
            std::memcpy(&word, r.host + i, sizeof(word));
            if (find(word) != nullptr) {
                std::fprintf(stderr, "CM4003: managed memory holds what looks like a pointer to managed memory\n");
                std::abort();
            }
        }
        if (!r.onDevice && aclrtMemcpy(r.device, r.size, r.host, r.size, ACL_MEMCPY_HOST_TO_DEVICE) != ACL_SUCCESS) {
            std::fprintf(stderr, "managed memory cannot be copied to the device\n");
            std::abort();
        }
        r.onDevice = true;
    }
    // A kernel's argument with the device's addresses in place of the host's, also inside of a struct.
    template <class Element>
    static Element argument(Element value)
    {
        if constexpr (std::is_trivially_copyable<Element>::value) {
            for (size_t i = 0; i + sizeof(void*) <= sizeof(Element); i += sizeof(void*)) {
                char* word = nullptr;
                std::memcpy(&word, reinterpret_cast<const char*>(&value) + i, sizeof(word));
                Range* const r = find(word);
                if (r != nullptr) {
                    toDevice(*r);
                    char* const moved = r->device + (word - r->host);
                    std::memcpy(reinterpret_cast<char*>(&value) + i, &moved, sizeof(moved));
                }
            }
        }
        return value;
    }
    // The direction of a copy in which managed memory counts as the host's.
    static aclrtMemcpyKind direction(const void* to, const void* from, aclrtMemcpyKind kind)
    {
        if (kind == ACL_MEMCPY_DEFAULT && (find(to) == nullptr || find(from) == nullptr)) {
            return kind;
        }
        const bool device = kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
        const bool toDevice = find(to) == nullptr && (device || kind == ACL_MEMCPY_HOST_TO_DEVICE);
        const bool fromDevice = find(from) == nullptr && (device || kind == ACL_MEMCPY_DEVICE_TO_HOST);
        if (toDevice) {
            return fromDevice ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_HOST_TO_DEVICE;
        }
        return fromDevice ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_HOST;
    }
    static aclError copy(void* to, size_t most, const void* from, size_t size, aclrtMemcpyKind kind)
    {
        const aclError error = toHost(ACL_SUCCESS);
        return error != ACL_SUCCESS ? error : aclrtMemcpy(to, most, from, size, direction(to, from, kind));
    }
    static aclError copyAsync(void* to, size_t most, const void* from, size_t size, aclrtMemcpyKind kind, aclrtStream stream)
    {
        if (find(to) == nullptr && find(from) == nullptr) {
            return aclrtMemcpyAsync(to, most, from, size, kind, stream);
        }
        const aclError error = aclrtSynchronizeStream(stream);
        return error != ACL_SUCCESS ? error : copy(to, most, from, size, kind);
    }
    static aclError fill(void* to, size_t most, int value, size_t size)
    {
        Range* const r = find(to);
        const aclError error = toHost(ACL_SUCCESS);
        if (error != ACL_SUCCESS || r == nullptr) {
            return error != ACL_SUCCESS ? error : aclrtMemset(to, most, value, size);
        }
        std::memset(to, value, size);
        return ACL_SUCCESS;
    }
    static aclError fillAsync(void* to, size_t most, int value, size_t size, aclrtStream stream)
    {
        if (find(to) == nullptr) {
            return aclrtMemsetAsync(to, most, value, size, stream);
        }
        const aclError error = aclrtSynchronizeStream(stream);
        return error != ACL_SUCCESS ? error : fill(to, most, value, size);
    }
    static aclError release(void* pointer)
    {
        Range* const found = find(pointer);
        if (found == nullptr) {
            return aclrtFree(pointer);
        }
        const Range r = *found;
        aclError error = aclrtSynchronizeDevice();
        ranges().erase(ranges().begin() + (found - ranges().data()));
        error = error == ACL_SUCCESS ? aclrtFree(r.device) : error;
        return error == ACL_SUCCESS ? aclrtFreeHost(r.host) : error;
    }
};
