// Row by row, slice by slice.
inline aclError memset3d(const PitchedPointer& pointer, int value, const Extent& extent, aclrtStream stream, bool wait)
{
    for (size_t z = 0; z < extent.depth; ++z) {
        for (size_t y = 0; y < extent.height; ++y) {
            char* const row = placeIn(pointer, Position{0, y, 0}, z);
            const aclError error = aclrtMemsetAsync(row, extent.width, value, extent.width, stream);
            if (error != ACL_SUCCESS) {
                return error;
            }
        }
    }
    return wait ? aclrtSynchronizeStream(stream) : ACL_SUCCESS;
}
