// Releases everything on the current device and selects it again.
inline aclError resetDevice()
{
    int32_t device = 0;
    aclError error = aclrtGetDevice(&device);
    if (error == ACL_SUCCESS) {
        error = aclrtResetDevice(device);
    }
    return error == ACL_SUCCESS ? aclrtSetDevice(device) : error;
}
