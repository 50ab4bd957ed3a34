// AscendCL's priorities begin at 0, the highest; CUDA's are at most 0.
inline aclError streamWithPriority(aclrtStream* stream, int priority)
{
    return aclrtCreateStreamWithConfig(stream, static_cast<uint32_t>(priority < 0 ? 0 : priority), 0);
}
