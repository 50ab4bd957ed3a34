def dp4a_signed(x, y, total):
    """total plus the dot product of the four int8 in x with those in y."""
    for shift in (24, 16, 8, 0):
        total = total + ((x << shift) >> 24) * ((y << shift) >> 24)
    return total
