// Row by row on one stream.
inline aclError memset2dAsync(void* pointer, size_t pitch, int value, size_t width, size_t height, aclrtStream stream)
{
    for (size_t y = 0; y < height; ++y) {
        char* const row = static_cast<char*>(pointer) + y * pitch;
        const aclError error = aclrtMemsetAsync(row, width, value, width, stream);
        if (error != ACL_SUCCESS) {
            return error;
        }
    }
    return ACL_SUCCESS;
}
