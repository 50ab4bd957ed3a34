// A handle of memory that another process can open.
struct IpcMemory {
    char key[65];
};
inline aclError exportMemory(IpcMemory* handle, void* pointer)
{
    void* base = nullptr;
    size_t size = 0;
    const aclError error = aclrtMemGetAddressRange(pointer, &base, &size);
    const uint64_t flags = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;
    return error != ACL_SUCCESS ? error : aclrtIpcMemGetExportKey(base, size, handle->key, sizeof(handle->key), flags);
}
struct OpenedMemory {
    void* pointer;
    IpcMemory handle;
};
inline auto& openedMemory()
{
    static std::vector<OpenedMemory> all;
    return all;
}
inline aclError importMemory(void** pointer, const IpcMemory& handle)
{
    const aclError error = aclrtIpcMemImportByKey(pointer, handle.key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
    if (error == ACL_SUCCESS) {
        openedMemory().push_back(OpenedMemory{*pointer, handle});
    }
    return error;
}
inline aclError closeMemory(void* pointer)
{
    auto& all = openedMemory();
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].pointer == pointer) {
            const IpcMemory handle = all[i].handle;
            all.erase(all.begin() + static_cast<long>(i));
            return aclrtIpcMemClose(handle.key);
        }
    }
    return ACL_ERROR_INVALID_PARAM;
}
