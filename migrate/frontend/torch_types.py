"""What C++ types of PyTorch extensions are to a translation of their host code."""

from __future__ import annotations

from migrate.frontend.cursor import CType, TypeForm
from migrate.ir.host_code import HostKind, HostType

VOID = HostType(HostKind.VOID)
BOOL = HostType(HostKind.BOOL, 8, False)
TEXT = HostType(HostKind.TEXT)
TENSOR = HostType(HostKind.TENSOR)
LONG = HostType(HostKind.INTEGER, 64)
OTHER = HostType(HostKind.OTHER)

_INTEGERS = {
    "CHAR_S": (8, True), "SCHAR": (8, True), "UCHAR": (8, False), "CHAR_U": (8, False),
    "SHORT": (16, True), "USHORT": (16, False), "INT": (32, True), "UINT": (32, False),
    "LONG": (64, True), "ULONG": (64, False), "LONGLONG": (64, True), "ULONGLONG": (64, False),
}  # fmt: skip
_RECORDS = (
    ("at::Tensor", HostKind.TENSOR),
    ("std::optional<", HostKind.OPTIONAL),
    ("std::vector<", HostKind.SEQUENCE),
    ("std::tuple<", HostKind.SEQUENCE),
    ("std::initializer_list<", HostKind.SEQUENCE),
    ("c10::ArrayRef<", HostKind.SEQUENCE),
    ("c10::ScalarType", HostKind.DTYPE),
    ("caffe2::TypeMeta", HostKind.DTYPE),
    ("at::Tensor::Type", HostKind.DTYPE),
    ("at::TensorOptions", HostKind.OPTIONS),
    ("c10::DeviceType", HostKind.DEVICE),
    ("c10::Device", HostKind.DEVICE),
    ("dim3", HostKind.EXTENT),
    ("CUstream_st *", HostKind.STREAM),
    ("c10::cuda::CUDAStream", HostKind.STREAM),
    ("c10::cuda::CUDAGuard", HostKind.GUARD),
    ("c10::cuda::OptionalCUDAGuard", HostKind.GUARD),
    ("c10::DeviceGuard", HostKind.GUARD),
    ("c10::OptionalDeviceGuard", HostKind.GUARD),
    ("std::basic_string<", HostKind.TEXT),
    ("std::__cxx11::basic_string<", HostKind.TEXT),
    ("char[", HostKind.TEXT),
    ("(lambda at", HostKind.CLOSURE),
)


def host_type(kind: CType) -> HostType:
    """The kind of a type; references count as what they refer to."""
    if kind.is_reference:
        kind = kind.pointee
    if kind.name in _INTEGERS:
        bits, signed = _INTEGERS[kind.name]
        return HostType(HostKind.INTEGER, bits, signed)
    match kind.name:
        case "VOID":
            return VOID
        case "BOOL":
            return BOOL
        case "FLOAT":
            return HostType(HostKind.FLOAT, 32)
        case "DOUBLE":
            return HostType(HostKind.FLOAT, 64)
    text = kind.spelling.removeprefix("const ").removeprefix("struct ")
    for name, found in _RECORDS:
        if text == name or (name.endswith(("<", "[", " at")) and text.startswith(name)):
            return HostType(found)
    if kind.form is TypeForm.POINTER:
        pointee = kind.pointee
        if pointee.spelling == "const char":
            return TEXT
        return HostType(HostKind.POINTER)
    return OTHER


def is_number(kind: HostType) -> bool:
    """An arithmetic type, ``bool`` included."""
    return kind.kind in (HostKind.BOOL, HostKind.INTEGER, HostKind.FLOAT)


def keeps_value(source: HostType, target: HostType) -> bool:
    """Whether every value of one arithmetic type is the same in the other."""
    if source == target:
        return True
    match source.kind, target.kind:
        case HostKind.BOOL, _:
            return True
        case HostKind.INTEGER, HostKind.INTEGER:
            if source.signed and not target.signed:
                return False
            room = target.bits - (1 if target.signed and not source.signed else 0)
            return source.bits <= room
        case HostKind.INTEGER, HostKind.FLOAT:
            return source.bits <= 16 or (source.bits == 32 and target.bits == 64)
        case HostKind.FLOAT, HostKind.FLOAT:
            return source.bits <= target.bits
    return False
