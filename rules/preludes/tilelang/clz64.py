def clz64(x):
    """Number of leading zeros of a uint64; 64 for 0."""
    return T.if_then_else(x == T.uint64(0), 64, 63 - top_bit(x))
