def popcount64(x):
    """Number of set bits of a uint64."""
    low = T.cast(x & T.uint64(0xFFFFFFFF), "uint32")
    return popcount32(low) + popcount32(T.cast(x >> T.uint64(32), "uint32"))
