def popcount32(x):
    """Number of set bits of a uint32."""
    x = x - ((x >> T.uint32(1)) & T.uint32(0x55555555))
    x = (x & T.uint32(0x33333333)) + ((x >> T.uint32(2)) & T.uint32(0x33333333))
    x = (x + (x >> T.uint32(4))) & T.uint32(0x0F0F0F0F)
    return T.cast((x * T.uint32(0x01010101)) >> T.uint32(24), "int32")
