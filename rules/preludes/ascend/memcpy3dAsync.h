// Slice by slice on one stream; arrays are not part of this target.
inline aclError memcpy3dAsync(const Copy3d* copy, aclrtStream stream)
{
    if (copy->srcArray != nullptr || copy->dstArray != nullptr) {
        std::fprintf(stderr, "CM4003: a copy from or to a CUDA array has no counterpart on this target\n");
        std::abort();
    }
    for (size_t z = 0; z < copy->extent.depth; ++z) {
        const aclError error = aclrtMemcpy2dAsync(placeIn(copy->dstPtr, copy->dstPos, z), copy->dstPtr.pitch,
                                                  placeIn(copy->srcPtr, copy->srcPos, z), copy->srcPtr.pitch,
                                                  copy->extent.width, copy->extent.height, copy->kind, stream);
        if (error != ACL_SUCCESS) {
            return error;
        }
    }
    return ACL_SUCCESS;
}
