def mul64hi(x, y):
    """The high 64 bits of the product of two int64."""
    ux, uy = T.cast(x, "uint64"), T.cast(y, "uint64")
    fix_x = T.if_then_else(x < T.int64(0), uy, T.uint64(0))
    fix_y = T.if_then_else(y < T.int64(0), ux, T.uint64(0))
    return T.cast(umul64hi(ux, uy) - fix_x - fix_y, "int64")
