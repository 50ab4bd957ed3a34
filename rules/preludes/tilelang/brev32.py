def brev32(x):
    """The bits of a uint32 in reverse order."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        step, keep = T.uint32(shift), T.uint32(mask)
        x = ((x >> step) & keep) | ((x & keep) << step)
    return (x >> T.uint32(16)) | (x << T.uint32(16))
