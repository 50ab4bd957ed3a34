"""PyTorch's C++ names that mean the same in Python, under the same name unless the back end says
otherwise (its tables spell them).

Source: the C++ API mirrors the Python one (https://pytorch.org/cppdocs/, "Tensor Basics"); each
name here was compared in argument order and result. Other names are refused.
"""

from __future__ import annotations

from migrate.ir.host_code import HostKind

_SHAPE = frozenset({"size", "empty", "back", "front", "equals", "vec"})

METHODS: dict[HostKind, frozenset[str]] = {
    HostKind.TENSOR: frozenset({
        "size", "stride", "sizes", "strides", "dim", "ndimension", "numel", "element_size",
        "itemsize", "nbytes", "storage_offset", "get_device", "device", "scalar_type", "dtype",
        "type", "options", "defined", "is_cuda", "is_cpu", "is_contiguous", "is_floating_point",
        "is_same", "requires_grad", "equal", "item", "contiguous", "to", "view", "reshape",
        "flatten", "transpose", "permute", "t", "expand", "squeeze", "unsqueeze", "select",
        "narrow", "clone", "detach", "zero_", "fill_", "copy_", "add_", "add", "sub", "mul", "mul_",
        "div", "div_", "sum", "mean", "abs", "cumsum", "matmul", "mm", "type_as", "repeat", "sqrt",
        "exp", "clamp", "any", "all", "view_as", "index_select", "gather", "new_zeros", "new_empty",
        "max", "min", "lt", "gt", "le", "ge", "eq", "ne",
    }),
    HostKind.OPTIONS: frozenset({"dtype", "device", "requires_grad"}),
    HostKind.OPTIONAL: frozenset({"has_value", "value"}),
    HostKind.SEQUENCE: _SHAPE | {"push_back"},
    HostKind.DEVICE: frozenset({"type", "index", "is_cuda", "is_cpu"}),
    HostKind.DTYPE: frozenset({"scalarType", "toScalarType"}),
}  # fmt: skip
"""Methods by the kind of their object."""

DROPPED_METHODS: dict[HostKind, frozenset[str]] = {
    HostKind.STREAM: frozenset({"stream"}),
    HostKind.OPTIONS: frozenset({"pinned_memory"}),
    HostKind.SEQUENCE: frozenset({"reserve"}),
}
"""Methods that change no value."""

LIBRARY = frozenset({
    "empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "cat",
    "stack", "arange", "sum", "matmul", "mm", "bmm", "abs", "exp", "sqrt", "where", "cumsum",
    "sigmoid", "dtype", "device",
})  # fmt: skip
"""Functions of ``torch`` and ``at``."""

MATHS = frozenset({
    "min", "max", "abs", "fabs", "ceil", "floor", "sqrt", "pow", "exp", "log", "log2", "ceil_div",
})  # fmt: skip
"""Functions of numbers."""
