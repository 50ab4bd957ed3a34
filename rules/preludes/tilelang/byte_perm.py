def byte_perm(x, y, selector):
    """Four bytes picked from the eight of (x, y), low byte first; three bits of selector each."""
    both = (T.cast(y, "uint64") << T.uint64(32)) | T.cast(x, "uint64")
    result = T.uint32(0)
    for i in range(4):
        index = T.cast((selector >> T.uint32(4 * i)) & T.uint32(7), "uint64")
        byte = T.cast((both >> (index * T.uint64(8))) & T.uint64(0xFF), "uint32")
        result = result | (byte << T.uint32(8 * i))
    return result
