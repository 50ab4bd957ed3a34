"""IR scalars in TileLang and in torch.

What TileLang's C target cannot take is passed in another type of the same bits or more: unsigned
integers and bool in buffers as the signed integer (byte) of their size, bfloat16 as int16;
scalar arguments as int32, int64, float32 or float64. (Measured on tilelang 0.1.15: uint32 has no
argument type, float16 arguments arrive wrong, uint8 arguments and bool buffers are rejected.)
"""

from __future__ import annotations

from migrate.ir.types import Kind, Scalar

VALUE = {
    Kind.BOOL: "bool", Kind.I8: "int8", Kind.U8: "uint8", Kind.I16: "int16", Kind.U16: "uint16",
    Kind.I32: "int32", Kind.U32: "uint32", Kind.I64: "int64", Kind.U64: "uint64",
    Kind.F16: "float16", Kind.BF16: "float32", Kind.F32: "float32", Kind.F64: "float64",
}  # fmt: skip
"""The type of a value in a kernel. A bfloat16 value is a float32 that was rounded to it."""

STORAGE = {
    **VALUE, Kind.BOOL: "uint8", Kind.U16: "int16", Kind.U32: "int32", Kind.U64: "int64",
    Kind.BF16: "int16",
}  # fmt: skip
"""The element type of a buffer."""

ARGUMENT = {
    Kind.BOOL: "int32", Kind.I8: "int32", Kind.U8: "int32", Kind.I16: "int32", Kind.U16: "int32",
    Kind.I32: "int32", Kind.U32: "int32", Kind.I64: "int64", Kind.U64: "int64",
    Kind.F16: "float32", Kind.BF16: "float32", Kind.F32: "float32", Kind.F64: "float64",
}  # fmt: skip
"""The type of a scalar argument of a kernel."""

TORCH = {
    Kind.BOOL: "bool", Kind.I8: "int8", Kind.U8: "uint8", Kind.I16: "int16", Kind.U16: "uint16",
    Kind.I32: "int32", Kind.U32: "uint32", Kind.I64: "int64", Kind.U64: "uint64",
    Kind.F16: "float16", Kind.BF16: "bfloat16", Kind.F32: "float32", Kind.F64: "float64",
}  # fmt: skip
"""The torch dtype of a buffer as the caller has it."""


def value_type(kind: Scalar) -> str:
    """TileLang's name for values of a scalar."""
    return VALUE[kind.kind]
