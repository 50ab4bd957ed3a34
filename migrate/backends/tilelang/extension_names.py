"""How PyTorch's C++ names are spelled in Python; names that are not here are spelled the same."""

from __future__ import annotations

from migrate.ir.host_code import HostKind

DTYPES = {
    "Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64",
    "Half": "float16", "Float": "float32", "Double": "float64", "Bool": "bool",
    "BFloat16": "bfloat16", "ComplexHalf": "complex32", "ComplexFloat": "complex64",
    "ComplexDouble": "complex128", "Float8_e5m2": "float8_e5m2", "Float8_e4m3fn": "float8_e4m3fn",
    "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64",
}  # fmt: skip
"""``c10::ScalarType`` to ``torch.dtype``."""

METHODS: dict[tuple[HostKind, str], str] = {
    (HostKind.TENSOR, "sizes"): "{0}.shape",
    (HostKind.TENSOR, "strides"): "{0}.stride()",
    (HostKind.TENSOR, "ndimension"): "{0}.dim()",
    (HostKind.TENSOR, "itemsize"): "{0}.itemsize",
    (HostKind.TENSOR, "nbytes"): "{0}.nbytes",
    (HostKind.TENSOR, "device"): "{0}.device",
    (HostKind.TENSOR, "scalar_type"): "{0}.dtype",
    (HostKind.TENSOR, "dtype"): "{0}.dtype",
    (HostKind.TENSOR, "type"): "{0}.dtype",
    (HostKind.TENSOR, "defined"): "{0} is not None",
    (HostKind.TENSOR, "is_same"): "{0} is {1}",
    (HostKind.TENSOR, "is_cuda"): "on_device({0})",
    (HostKind.TENSOR, "is_cpu"): "not on_device({0})",
    (HostKind.TENSOR, "requires_grad"): "{0}.requires_grad",
    (HostKind.OPTIONAL, "has_value"): "{0} is not None",
    (HostKind.OPTIONAL, "value"): "{0}",
    (HostKind.SEQUENCE, "size"): "len({0})",
    (HostKind.SEQUENCE, "empty"): "len({0}) == 0",
    (HostKind.SEQUENCE, "front"): "{0}[0]",
    (HostKind.SEQUENCE, "back"): "{0}[-1]",
    (HostKind.SEQUENCE, "vec"): "list({0})",
    (HostKind.SEQUENCE, "equals"): "tuple({0}) == tuple({1})",
    (HostKind.SEQUENCE, "push_back"): "{0}.append({1})",
    (HostKind.DEVICE, "type"): "{0}",
    (HostKind.DEVICE, "index"): "{0}.index",
    (HostKind.DEVICE, "is_cuda"): "on_device({0})",
    (HostKind.DEVICE, "is_cpu"): "not on_device({0})",
    (HostKind.DTYPE, "scalarType"): "{0}",
    (HostKind.DTYPE, "toScalarType"): "{0}",
}
"""Methods that are no method of the same name: ``{0}`` is the object, then the arguments."""

COMPARED = frozenset({
    (HostKind.TENSOR, "defined"), (HostKind.TENSOR, "is_same"), (HostKind.TENSOR, "is_cpu"),
    (HostKind.OPTIONAL, "has_value"), (HostKind.SEQUENCE, "empty"), (HostKind.SEQUENCE, "equals"),
    (HostKind.DEVICE, "is_cpu"),
})  # fmt: skip
"""Methods whose spelling is a comparison, so that it needs parentheses inside another operator."""

MATHS = {
    "fabs": "abs", "ceil": "math.ceil", "floor": "math.floor", "sqrt": "math.sqrt",
    "pow": "math.pow", "exp": "math.exp", "log": "math.log", "log2": "math.log2",
}  # fmt: skip

BOUNDED = frozenset({"size", "numel", "dim", "ndimension", "element_size", "itemsize"})
"""Methods of a tensor that give no negative number, and less than 2**31 where a kernel takes the
tensor, since ``flat`` refuses a longer one."""
