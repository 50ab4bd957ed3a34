def bfloat16_value(bits):
    """The float32 value of a bfloat16, given as int16."""
    return T.reinterpret(T.cast(bits, "int32") << 16, "float32")


def round_to_bfloat16(x):
    """A float32 rounded to the nearest bfloat16, ties to even; NaN stays NaN."""
    bits = T.reinterpret(x, "uint32")
    nearest = bits + T.uint32(0x7FFF) + ((bits >> T.uint32(16)) & T.uint32(1))
    quiet = bits | T.uint32(0x400000)
    kept = T.if_then_else(T.isnan(x), quiet, nearest) & T.uint32(0xFFFF0000)
    return T.reinterpret(kept, "float32")


def bfloat16_bits(x):
    """A float32 that is a bfloat16, as int16."""
    return T.cast(T.reinterpret(x, "int32") >> 16, "int16")
