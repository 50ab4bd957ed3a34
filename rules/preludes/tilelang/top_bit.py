def top_bit(x):
    """Index of the highest set bit of a uint64 that is not 0: the exponent of x as a double.

    Clearing each bit below a set one keeps the conversion from rounding up to the next power of two.
    """
    kept = T.cast(x & (~(x >> T.uint64(1))), "float64")
    return T.cast(T.reinterpret(kept, "int64") >> T.int64(52), "int32") - 1023
