// Frees memory that work before it on the stream still uses.
inline aclError freeInOrder(void* pointer, aclrtStream stream)
{
    const aclError error = aclrtSynchronizeStream(stream);
    return error == ACL_SUCCESS ? aclrtFree(pointer) : error;
}
