// The version of AscendCL in CUDA's form: 1.17 is 1170.
inline aclError runtimeVersion(int* version)
{
    int32_t major = 0, minor = 0, patch = 0;
    const aclError error = aclrtGetVersion(&major, &minor, &patch);
    *version = major * 1000 + minor * 10;
    return error;
}
