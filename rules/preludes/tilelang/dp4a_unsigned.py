def dp4a_unsigned(x, y, total):
    """total plus the dot product of the four uint8 in x with those in y."""
    byte = T.uint32(0xFF)
    for shift in (0, 8, 16, 24):
        step = T.uint32(shift)
        total = total + ((x >> step) & byte) * ((y >> step) & byte)
    return total
