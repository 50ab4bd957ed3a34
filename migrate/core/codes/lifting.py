"""CM3xxx: lifting from threads to tiles."""

from __future__ import annotations

from migrate.core.diagnostics import Code

HAS_BARRIER = Code("CM3001", "kernel synchronises the threads of a block")
HAS_WARP_OPERATION = Code("CM3002", "kernel exchanges values inside a warp")
HAS_SHARED_MEMORY = Code("CM3003", "kernel uses shared memory")
RECURSIVE_FUNCTION = Code("CM3004", "device function calls itself")
AMBIGUOUS_POINTER = Code("CM3011", "pointer does not belong to one buffer")
CALL_IN_STATEMENT = Code("CM3012", "device function is called where it cannot be inlined")
MIXED_LAYOUT = Code("CM3013", "memory is read with element sizes that do not fit together")
UNSPLIT_VALUE = Code("CM3014", "struct or vector value cannot be split into scalars")
DEVICE_OUTPUT = Code("CM3015", "kernel prints")
INLINE_PTX = Code("CM3016", "kernel holds inline PTX")
SCALAR_KERNEL = Code("CM3021", "kernel runs on the scalar unit")
SCALAR_REGION = Code("CM3022", "part of the kernel runs on the scalar unit")
PRODUCT_ON_TENSOR_CORES = Code("CM3024", "matrix product is one of tensor cores")
PRODUCT_IN_LOOPS = Code("CM3023", "matrix product stays a loop of each thread")
NOT_A_FLAT_MAP = Code("CM3017", "kernel keeps the block size of its launch")
