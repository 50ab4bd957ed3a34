"""What differs between C++ dialects when SIMT IR is printed: the hooks of a target.

A dialect says how types, built-ins, intrinsics and the statements outside plain C++ are spelled.
It refuses by raising :class:`Unprintable` with a diagnostic.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum

from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.span import Span
from migrate.ir.expr import Binary, Bitcast, Call, Cast, Compose, Const, IndexVar, Invoke, Unary
from migrate.ir.kernel import Module
from migrate.ir.simt import Asm, Atomic, Barrier, Collective, Effect, Fence
from migrate.ir.types import Array, Kind, Pointer, Scalar, Space, Struct, Type, Vector, Void


class Prec(IntEnum):
    """Binding strength of C++ operators; a higher one binds tighter."""

    COMMA = 1
    ASSIGN = 2
    SELECT = 3
    LOR = 4
    LAND = 5
    OR = 6
    XOR = 7
    AND = 8
    EQUAL = 9
    RELATION = 10
    SHIFT = 11
    ADD = 12
    MUL = 13
    UNARY = 15
    POSTFIX = 16


@dataclass(frozen=True, slots=True)
class Spelled:
    """Printed text, how tight its outermost operator binds, and the C++ type that it has.

    The type can differ from the IR's: ``char + char`` is an ``int`` in C++.
    """

    text: str
    prec: Prec
    type: Type

    def at(self, needed: int) -> str:
        """The text, in parentheses when it binds looser than ``needed``."""
        return self.text if self.prec >= needed else f"({self.text})"


class Unprintable(Exception):
    """The dialect has no spelling for a node; carries the diagnostic that says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.one_line())
        self.diagnostic = diagnostic


def refuse(code: Code, cause: str, span: Span, *, rule: str | None = None) -> Unprintable:
    """The exception for a construct that the target lacks; the kernel is not emitted."""
    return Unprintable(Diagnostic(code, Outcome.REFUSED, cause, span, rule=rule))


SCALAR_NAMES = {
    Kind.BOOL: "bool", Kind.I8: "int8_t", Kind.U8: "uint8_t", Kind.I16: "int16_t",
    Kind.U16: "uint16_t", Kind.I32: "int", Kind.U32: "uint32_t", Kind.I64: "int64_t",
    Kind.U64: "uint64_t", Kind.F32: "float", Kind.F64: "double", Kind.F16: "half",
    Kind.BF16: "bfloat16_t",
}  # fmt: skip
"""Names of the fixed-width types; dialects override what they spell in another way."""


class TypeSpelling:
    """Types as C++17 without address spaces."""

    def scalar(self, kind: Scalar) -> str:
        """The name of a scalar type."""
        return SCALAR_NAMES[kind.kind]

    def type(self, t: Type) -> str:
        """A type that needs no declarator (no arrays)."""
        match t:
            case Scalar():
                return self.scalar(t)
            case Vector(name) | Struct(name):
                return name
            case Pointer():
                return self.pointer(t)
            case Void():
                return "void"
            case Array(element, length):
                return f"{self.type(element)}[{length}]"

    def pointer(self, p: Pointer) -> str:
        """``const float*``; ``restrict`` stands after the star."""
        inner = self.type(p.pointee)
        head = f"{inner} const" if isinstance(p.pointee, Pointer) else f"const {inner}"
        return f"{head if p.const else inner}*" + (" __restrict__" if p.restrict else "")

    def declare(self, t: Type, name: str, space: Space = Space.LOCAL) -> str:
        """A declarator with its type; arrays put their lengths behind the name."""
        while True:
            match t:
                case Array(element, length):
                    name, t = f"{name}[{length or ''}]", element
                case Pointer(Array() as pointee):
                    name, t = f"(*{name})", pointee
                case _:
                    return f"{self.space_prefix(space)}{self.type(t)} {name}"

    def space_prefix(self, space: Space) -> str:
        """What stands before a declaration in an address space, with its blank."""
        return ""

    def implicit_pointer(self, source: Pointer, target: Pointer) -> bool:
        """True when C++ converts one pointer type to the other by itself."""
        same = source.pointee == target.pointee or isinstance(target.pointee, Void)
        return same and (target.const or not source.const)


class Dialect(TypeSpelling, ABC):
    """Spelling of one target; the defaults are plain C++17."""

    def __init__(self, module: Module) -> None:
        self.module = module

    # --- expressions ------------------------------------------------------------------------

    def special_float(self, value: float, type_: Scalar) -> Spelled:
        """An infinity or a NaN of type f32 or f64."""
        suffix = "f" if type_.kind is Kind.F32 else ""
        name = f'__builtin_nan{suffix}("")' if math.isnan(value) else f"__builtin_inf{suffix}()"
        negative = value == -float("inf")
        return Spelled("-" * negative + name, Prec.UNARY if negative else Prec.POSTFIX, type_)

    def constant(self, c: Const) -> Spelled | None:
        """Another spelling for a literal than C++'s, or nothing."""
        return None

    @abstractmethod
    def index_var(self, v: IndexVar) -> Spelled:
        """``threadIdx.x`` and its kin."""

    @abstractmethod
    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        """An intrinsic; each argument has exactly the IR's type."""

    def function_name(self, symbol: str) -> str:
        """The printed name of a device function."""
        return symbol

    def variable_name(self, name: str) -> str:
        """The printed name of a variable."""
        return name

    def overloaded(self, symbol: str) -> bool:
        """True when arguments must have exact types because the printed name is overloaded."""
        return False

    def unary(self, e: Unary, operand: Spelled) -> Spelled | None:
        """Another spelling for a unary operator than C++'s, or nothing."""
        return None

    def binary(self, e: Binary, lhs: Spelled, rhs: Spelled) -> Spelled | None:
        """Another spelling for a binary operator than C++'s, or nothing (both sides exact)."""
        return None

    def cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """Another spelling for a conversion than a C cast, or nothing."""
        return None

    @abstractmethod
    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        """The same bits as another type."""

    def converts(self, source: Scalar, goal: Scalar) -> bool:
        """True where C++ converts one built-in type to the other by itself."""
        return True

    def compose(self, e: Compose, parts: tuple[str, ...]) -> Spelled:
        """A vector by ``make_float4(...)``, a struct by ``S{...}``."""
        inner = ", ".join(parts)
        text = (
            f"make_{e.type.name}({inner})"
            if isinstance(e.type, Vector)
            else f"{self.type(e.type)}{{{inner}}}"
        )
        return Spelled(text, Prec.POSTFIX, e.type)

    def invoke_args(self, e: Invoke | str) -> tuple[str, ...]:
        """Further arguments that every call of this device function carries."""
        return ()

    # --- statements outside plain C++ -------------------------------------------------------

    @abstractmethod
    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        """The call that does the update and gives the old value."""

    @abstractmethod
    def barrier(self, s: Barrier) -> tuple[str, ...]:
        """Statements of a barrier; none where the target needs none."""

    @abstractmethod
    def fence(self, s: Fence) -> tuple[str, ...]:
        """Statements of a memory fence."""

    @abstractmethod
    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        """An operation of several threads as an expression."""

    @abstractmethod
    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        """``printf``, ``assert`` and their kin."""

    @abstractmethod
    def asm(self, s: Asm) -> tuple[str, ...]:
        """Inline PTX."""

    def unroll(self, count: int) -> str | None:
        """The pragma above a loop; 0 means full, nothing for none."""
        return "#pragma unroll" if count == 0 else f"#pragma unroll {count}"

    def return_text(self, value: str | None) -> str:
        """How a thread or function ends."""
        return "return;" if value is None else f"return {value};"
