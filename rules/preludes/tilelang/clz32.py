def clz32(x):
    """Number of leading zeros of a uint32; 32 for 0."""
    return T.if_then_else(x == T.uint32(0), 32, 31 - top_bit(T.cast(x, "uint64")))
