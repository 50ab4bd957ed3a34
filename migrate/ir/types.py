"""Types of the IR: C types with their widths made explicit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """Scalar kinds. ``value`` is the name in IR text and in capture files."""

    BOOL = "bool"
    I8 = "i8"
    U8 = "u8"
    I16 = "i16"
    U16 = "u16"
    I32 = "i32"
    U32 = "u32"
    I64 = "i64"
    U64 = "u64"
    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    F64 = "f64"


_FLOATS = frozenset({Kind.F16, Kind.BF16, Kind.F32, Kind.F64})
_SIGNED = frozenset({Kind.I8, Kind.I16, Kind.I32, Kind.I64})
_BYTES = {
    Kind.BOOL: 1, Kind.I8: 1, Kind.U8: 1, Kind.I16: 2, Kind.U16: 2, Kind.I32: 4, Kind.U32: 4,
    Kind.I64: 8, Kind.U64: 8, Kind.F16: 2, Kind.BF16: 2, Kind.F32: 4, Kind.F64: 8,
}  # fmt: skip


class Space(Enum):
    """Where memory lives. ``GENERIC`` is a pointer whose space is not known."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar; integers wrap at ``bits``, floats are IEEE 754 (bf16 has f32's exponent)."""

    kind: Kind

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return _BYTES[self.kind]

    @property
    def bits(self) -> int:
        """Width in bits; 1 for ``bool``."""
        return 1 if self.kind is Kind.BOOL else self.bytes * 8

    @property
    def is_float(self) -> bool:
        """True for f16, bf16, f32 and f64."""
        return self.kind in _FLOATS

    @property
    def is_integer(self) -> bool:
        """True for the eight integer kinds; false for ``bool``."""
        return self.kind not in _FLOATS and self.kind is not Kind.BOOL

    @property
    def is_signed(self) -> bool:
        """True for signed integers."""
        return self.kind in _SIGNED

    def __str__(self) -> str:
        return self.kind.value


@dataclass(frozen=True, slots=True)
class Vector:
    """A CUDA vector type such as ``float4``; its members are ``x``, ``y``, ``z``, ``w``."""

    name: str
    element: Scalar
    lanes: int

    @property
    def bytes(self) -> int:
        """Size in bytes, without padding (CUDA pads none of them)."""
        return self.element.bytes * self.lanes

    @property
    def members(self) -> tuple[str, ...]:
        """Member names in order."""
        return ("x", "y", "z", "w")[: self.lanes]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer; ``const`` speaks of the pointee."""

    pointee: Type
    space: Space = Space.GENERIC
    const: bool = False
    restrict: bool = False

    def __str__(self) -> str:
        flags = " ".join(w for w, on in (("const", self.const), ("restrict", self.restrict)) if on)
        head = f"{self.space.value} {flags}".strip()
        return f"ptr<{head}, {self.pointee}>"


@dataclass(frozen=True, slots=True)
class Array:
    """A fixed-size array; ``length`` 0 is the dynamic shared array ``extern __shared__ T a[]``."""

    element: Type
    length: int

    def __str__(self) -> str:
        return f"array<{self.element}, {self.length}>"


@dataclass(frozen=True, slots=True)
class Struct:
    """A user struct by name; its layout is a :class:`migrate.ir.kernel.StructDef`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


Type = Scalar | Vector | Pointer | Array | Struct | Void

BOOL = Scalar(Kind.BOOL)
I8 = Scalar(Kind.I8)
U8 = Scalar(Kind.U8)
I16 = Scalar(Kind.I16)
U16 = Scalar(Kind.U16)
I32 = Scalar(Kind.I32)
U32 = Scalar(Kind.U32)
I64 = Scalar(Kind.I64)
U64 = Scalar(Kind.U64)
F16 = Scalar(Kind.F16)
BF16 = Scalar(Kind.BF16)
F32 = Scalar(Kind.F32)
F64 = Scalar(Kind.F64)
VOID = Void()


def _vector_table() -> dict[str, Vector]:
    bases = {
        "char": I8, "uchar": U8, "short": I16, "ushort": U16, "int": I32, "uint": U32,
        "long": I64, "ulong": U64, "longlong": I64, "ulonglong": U64, "float": F32, "double": F64,
    }  # fmt: skip
    table = {
        f"{base}{lanes}": Vector(f"{base}{lanes}", element, lanes)
        for base, element in bases.items()
        for lanes in (1, 2, 3, 4)
    }
    table["half2"] = Vector("half2", F16, 2)
    table["bfloat162"] = Vector("bfloat162", BF16, 2)
    table["dim3"] = Vector("dim3", U32, 3)
    return table


VECTORS = _vector_table()
"""The CUDA vector types by name (CUDA C++ Programming Guide, built-in vector types)."""
SCALARS = {kind.value: Scalar(kind) for kind in Kind}
"""Scalars by IR name."""
