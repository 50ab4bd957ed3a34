// The priority that a stream was made with.
inline aclError streamPriority(aclrtStream stream, int* priority)
{
    uint32_t found = 0;
    const aclError error = aclrtStreamGetPriority(stream, &found);
    *priority = static_cast<int>(found);
    return error;
}
