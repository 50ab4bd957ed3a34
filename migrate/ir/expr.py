"""Expressions and places, shared by both dialects.

Expressions have no side effects: the front end moves assignments, increments, atomics and calls
that write memory into statements. Every implicit C conversion is an explicit :class:`Cast`, so
the operands of a :class:`Binary` have one type (shifts excepted: each side has its promoted type).

Integer semantics: two's complement with wraparound at the type's width, ``/`` truncates towards
zero, ``%`` has the sign of the dividend, ``>>`` of a signed value is arithmetic. Float semantics:
one IEEE operation a node, round to nearest even, no contraction. A float to integer :class:`Cast`
truncates; values out of range, undefined in C++, saturate as on CUDA hardware (PTX ISA, ``cvt``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from migrate.ir.node import Node
from migrate.ir.types import BOOL, I8, I64, U32, Array, Pointer, Scalar, Space, Struct, Type, Vector


class UnaryOp(Enum):
    """``-x``, ``~x`` (integers), ``!x`` (bool)."""

    NEG = "-"
    BITNOT = "~"
    NOT = "!"


class BinaryOp(Enum):
    """C operators. ``&&`` and ``||`` evaluate the right side only when needed."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    SHL = "<<"
    SHR = ">>"
    AND = "&"
    OR = "|"
    XOR = "^"
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    EQ = "=="
    NE = "!="
    LAND = "&&"
    LOR = "||"


COMPARISONS = frozenset(
    {BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.EQ, BinaryOp.NE}
)
LOGICAL = frozenset({BinaryOp.LAND, BinaryOp.LOR})
SHIFTS = frozenset({BinaryOp.SHL, BinaryOp.SHR})


class Builtin(Enum):
    """CUDA's built-in index variables; each is ``u32`` along ``x``, ``y`` or ``z``."""

    THREAD = "threadIdx"
    BLOCK = "blockIdx"
    BLOCK_DIM = "blockDim"
    GRID_DIM = "gridDim"


# --- places -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VarPlace(Node):
    """A named variable: parameter, local, shared array or module global."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class PtrElem(Node):
    """``pointer[index]`` (``*p`` is index 0). ``index`` is any integer type, sign kept."""

    pointer: Expr
    index: Expr

    @property
    def type(self) -> Type:
        """The pointee."""
        kind = self.pointer.type
        if not isinstance(kind, Pointer):
            raise TypeError(f"element of a {kind}")
        return kind.pointee


@dataclass(frozen=True, slots=True)
class ArrElem(Node):
    """``base[index]`` where ``base`` is a place of array type."""

    base: Place
    index: Expr

    @property
    def type(self) -> Type:
        """The array's element type."""
        kind = self.base.type
        if not isinstance(kind, Array):
            raise TypeError(f"array element of a {kind}")
        return kind.element


@dataclass(frozen=True, slots=True)
class FieldPlace(Node):
    """``base.field`` of a struct or vector place."""

    base: Place
    field: str
    type: Type


Place = VarPlace | PtrElem | ArrElem | FieldPlace


# --- expressions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const(Node):
    """A literal. Integers are stored in their type's range; floats as the nearest double."""

    value: int | float | bool
    type: Scalar


@dataclass(frozen=True, slots=True)
class NullPtr(Node):
    """The null pointer."""

    type: Pointer


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal; only an argument of :class:`migrate.ir.simt.Effect`."""

    value: str

    @property
    def type(self) -> Type:
        """Pointer to constant i8."""
        return Pointer(I8, Space.CONSTANT, const=True)


@dataclass(frozen=True, slots=True)
class IndexVar(Node):
    """``threadIdx.x`` and its kin; ``axis`` is ``x``, ``y`` or ``z``."""

    builtin: Builtin
    axis: str

    @property
    def type(self) -> Scalar:
        """Always u32."""
        return U32


@dataclass(frozen=True, slots=True)
class Read(Node):
    """The value at a place."""

    place: Place

    @property
    def type(self) -> Type:
        """The place's type."""
        return self.place.type


@dataclass(frozen=True, slots=True)
class AddressOf(Node):
    """``&place``; array decay is ``&base[0]``. ``type`` is a pointer to the place's type."""

    place: Place
    type: Pointer


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """A unary operator; the result has the operand's type (``bool`` for ``!``)."""

    op: UnaryOp
    operand: Expr

    @property
    def type(self) -> Type:
        """The operand's type."""
        return self.operand.type


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """A binary operator on operands of one type."""

    op: BinaryOp
    lhs: Expr
    rhs: Expr

    @property
    def type(self) -> Type:
        """``bool`` for comparisons and logic, else the left operand's type."""
        if self.op in COMPARISONS or self.op in LOGICAL:
            return BOOL
        return self.lhs.type


@dataclass(frozen=True, slots=True)
class Select(Node):
    """``cond ? then : other``; only the chosen side is evaluated."""

    cond: Expr
    then: Expr
    other: Expr

    @property
    def type(self) -> Type:
        """The type of both sides."""
        return self.then.type


@dataclass(frozen=True, slots=True)
class Cast(Node):
    """A value conversion (C's rules), also between pointer types."""

    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Bitcast(Node):
    """The same bits read as another type of the same size."""

    operand: Expr
    type: Type


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A pure intrinsic, by its CUDA name (``expf``, ``__popc``, ``min``)."""

    name: str
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class Invoke(Node):
    """A call of a user's device function that writes no memory, by its symbol in the module."""

    function: str
    args: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class PtrAdd(Node):
    """``pointer + offset`` in elements; the offset keeps its own integer type and sign."""

    pointer: Expr
    offset: Expr

    @property
    def type(self) -> Type:
        """The pointer's type."""
        return self.pointer.type


@dataclass(frozen=True, slots=True)
class PtrDiff(Node):
    """``a - b`` of two pointers, in elements."""

    lhs: Expr
    rhs: Expr

    @property
    def type(self) -> Scalar:
        """``ptrdiff_t``: i64."""
        return I64


@dataclass(frozen=True, slots=True)
class Compose(Node):
    """A struct or vector value from its members in order (``make_float4``, ``S{a, b}``)."""

    parts: tuple[Expr, ...]
    type: Vector | Struct


@dataclass(frozen=True, slots=True)
class Extract(Node):
    """A member of a struct or vector *value* (of a place it is ``Read(FieldPlace)``)."""

    value: Expr
    field: str
    type: Type


Expr = (
    Const
    | NullPtr
    | Text
    | IndexVar
    | Read
    | AddressOf
    | Unary
    | Binary
    | Select
    | Cast
    | Bitcast
    | Call
    | Invoke
    | PtrAdd
    | PtrDiff
    | Compose
    | Extract
)


def space_of(place: Place) -> Space:
    """The address space in which a place lies, as far as its type tells."""
    match place:
        case VarPlace():
            return Space.LOCAL
        case PtrElem(pointer):
            return pointer.type.space if isinstance(pointer.type, Pointer) else Space.GENERIC
        case ArrElem(base) | FieldPlace(base):
            return space_of(base)
