// As many blocks as vector cores, as large as CUDA allows.
template <class Kernel>
aclError launchSize(int* blocks, int* threads, Kernel, int limit)
{
    int64_t cores = 0;
    const aclError error = aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    *blocks = static_cast<int>(cores);
    *threads = limit > 0 && limit < 1024 ? limit : 1024;
    return error;
}
