def brev64(x):
    """The bits of a uint64 in reverse order."""
    low = brev32(T.cast(x & T.uint64(0xFFFFFFFF), "uint32"))
    high = brev32(T.cast(x >> T.uint64(32), "uint32"))
    return (T.cast(low, "uint64") << T.uint64(32)) | T.cast(high, "uint64")
