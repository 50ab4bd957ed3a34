def byte_perm(x, y, selector):
    """Four bytes picked from the eight of (x, y), low byte first.

    Bit 3 of a selector nibble spreads the sign of the byte, as the prmt instruction does.
    """
    both = (T.cast(y, "uint64") << T.uint64(32)) | T.cast(x, "uint64")
    result = T.uint32(0)
    for i in range(4):
        nibble = (selector >> T.uint32(4 * i)) & T.uint32(15)
        index = T.cast(nibble & T.uint32(7), "uint64")
        byte = T.cast((both >> (index * T.uint64(8))) & T.uint64(0xFF), "uint32")
        sign = (byte >> T.uint32(7)) * T.uint32(0xFF)
        byte = T.if_then_else(nibble < T.uint32(8), byte, sign)
        result = result | (byte << T.uint32(8 * i))
    return result
