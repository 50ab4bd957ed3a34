// Fills `height` rows of `width` bytes that lie `pitch` bytes apart.
inline aclError memset2d(void* pointer, size_t pitch, int value, size_t width, size_t height)
{
    for (size_t row = 0; row < height; ++row) {
        void* start = static_cast<char*>(pointer) + row * pitch;
        const aclError error = aclrtMemset(start, width, value, width);
        if (error != ACL_SUCCESS) {
            return error;
        }
    }
    return ACL_SUCCESS;
}
