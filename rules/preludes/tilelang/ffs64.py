def ffs64(x):
    """One more than the index of the lowest set bit of a uint64; 0 for 0."""
    return T.if_then_else(x == T.uint64(0), 0, 1 + top_bit(x & (~x + T.uint64(1))))
