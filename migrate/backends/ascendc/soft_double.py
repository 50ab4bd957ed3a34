"""``--double soft``: double precision by integer arithmetic, on chips that have none.

The class ``Float64`` of ``templates/ascendc/float64.h`` holds the 64 bits of a double and computes
with integers what IEEE 754 says, so the results are those of a double unit, memory keeps its layout
and a kernel stays as it was written. The price is time: some tens of integer instructions for a sum
or a product. Functions such as ``exp`` come from ``float64_math.h`` and are within a few units of
the last place, as CUDA's own are.

Legal because each operator of the class gives the bits that CUDA's double operation gives (tested
against the host's double unit), and conversions that C++ would do by itself are written out: the
class converts from the built-in types, never to them.
"""

from __future__ import annotations

import re
import struct
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import PurePosixPath

from migrate.backends.clike_dialect import Dialect, Prec, Spelled, refuse
from migrate.core.artifact import GeneratedFile
from migrate.core.codes import target
from migrate.core.resources import data_dir
from migrate.ir.expr import Bitcast, Call, Cast, Compose, Const
from migrate.ir.kernel import StructDef
from migrate.ir.simt import Atomic, AtomicOp, Collective, Effect
from migrate.ir.types import F64, Array, Kind, Pointer, Scalar, Struct, Type, Vector

HEADER = "float64.h"
MATH_HEADER = "float64_math.h"
ATOMIC_HEADER = "float64_atomic.h"
HEADERS = (HEADER, MATH_HEADER, ATOMIC_HEADER)
"""Files that a migrated program with soft doubles needs beside it, an earlier one by a later."""
NAME = "Float64"

_FUNCTIONS = frozenset(
    {"sqrt", "fma", "isnan", "isinf", "isfinite", "signbit", "fabs", "copysign", "fmax", "fmin"}
    | {"fdim", "trunc", "floor", "ceil", "rint", "nearbyint", "round", "ldexp", "scalbn", "frexp"}
    | {"modf", "fmod", "exp", "expm1", "log", "log2", "log10", "log1p", "exp2", "exp10", "pow"}
    | {"cbrt", "rsqrt", "hypot", "sin", "cos", "sincos", "tan", "sinpi", "cospi", "atan", "atan2"}
    | {"asin", "acos", "sinh", "cosh", "tanh"}
)
_RENAMED: Mapping[str, str] = {
    "abs": "fabs", "max": "fmax", "min": "fmin", "__dsqrt_rn": "sqrt", "__fma_rn": "fma",
    "__isnan": "isnan", "__isinf": "isinf", "__finite": "isfinite", "__signbit": "signbit",
}  # fmt: skip
_OPERATORS: Mapping[str, tuple[str, Prec]] = {
    "__dadd_rn": ("+", Prec.ADD), "__dsub_rn": ("-", Prec.ADD), "__dmul_rn": ("*", Prec.MUL),
    "__ddiv_rn": ("/", Prec.MUL),
}  # fmt: skip
_TRUNCATING = frozenset(
    {"__double2int_rz", "__double2uint_rz", "__double2ll_rz", "__double2ull_rz"}
    | {"__double2float_rn", "__int2double_rn", "__uint2double_rn", "__ll2double_rn"}
    | {"__ull2double_rn"}
)
"""Intrinsics that do what a conversion does."""
_IN_MATH = _FUNCTIONS - {"sqrt", "fma"}
_PLAIN_INTEGER = 1 << 31


def header_files(folder: PurePosixPath, content: bytes) -> dict[PurePosixPath, GeneratedFile]:
    """The headers of ``templates/ascendc`` that a generated file includes, to lie beside it."""
    wanted = [h for h in HEADERS if f'#include "{h}"'.encode() in content]
    if wanted and HEADER not in wanted:
        wanted.append(HEADER)  # the others include it
    found = {}
    for name in wanted:
        text = (data_dir("templates") / "ascendc" / name).read_bytes()
        found[folder / name] = GeneratedFile(folder / name, text)
    return found


def constant(c: Const) -> Spelled:
    """A literal; its bits where it is no small whole number."""
    value = float(c.value)
    if value.is_integer() and 0 <= value < _PLAIN_INTEGER and str(value) != "-0.0":
        return Spelled(f"{NAME}({int(value)})", Prec.POSTFIX, c.type)
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    text = f"float64::literal(0x{bits:016x}ull /* {value!r} */)"
    return Spelled(text, Prec.POSTFIX, c.type)


def cast(e: Cast, operand: Spelled) -> Spelled | None:
    """A conversion from or to double; nothing when neither side is one."""
    source, goal = e.operand.type, e.type
    halves = (Kind.F16, Kind.BF16)
    if goal == F64:
        inner = operand.at(Prec.ASSIGN)
        if isinstance(source, Scalar) and source.kind in halves:
            word = "half" if source.kind is Kind.F16 else "bfloat16"
            inner = f"__{word}2float({inner})"
        return Spelled(f"{NAME}({inner})", Prec.POSTFIX, F64)
    if source != F64 or not isinstance(goal, Scalar):
        return None
    if goal.kind in halves:
        raise refuse(target.NO_DOUBLE, f"a conversion from double to {goal}", e.span)
    return None


def bitcast(e: Bitcast, operand: Spelled) -> Spelled | None:
    """The bits of a double as an integer, and back; nothing for other types."""
    if e.operand.type == F64 and isinstance(e.type, Scalar) and e.type.is_integer:
        word = "int64_t" if e.type.kind is Kind.I64 else "uint64_t"
        text = f"{operand.at(Prec.POSTFIX)}.bits"
        if word == "uint64_t":
            return Spelled(text, Prec.POSTFIX, e.type)
        return Spelled(f"({word}){text}", Prec.UNARY, e.type)
    if e.type == F64 and isinstance(e.operand.type, Scalar) and e.operand.type.is_integer:
        return Spelled(f"float64::literal({operand.at(Prec.ASSIGN)})", Prec.POSTFIX, F64)
    return None


def call(c: Call, args: tuple[Spelled, ...]) -> tuple[Spelled, str] | None:
    """A library function on doubles with the header that it needs; nothing for other functions."""
    if c.type != F64 and not any(a.type == F64 for a in c.args):
        return None
    name = c.name.removeprefix("std::").removeprefix("::")
    name = _RENAMED.get(name, name)
    listed = ", ".join(a.at(Prec.ASSIGN) for a in args)
    if name in _OPERATORS:
        sign, prec = _OPERATORS[name]
        text = f"{args[0].at(prec)} {sign} {args[1].at(prec + 1)}"
        return Spelled(text, prec, F64), HEADER
    if name in _TRUNCATING and isinstance(c.type, Scalar):
        goal = NAME if c.type == F64 else _CONVERTED[c.type.kind]
        return Spelled(f"({goal}){args[0].at(Prec.UNARY)}", Prec.UNARY, c.type), HEADER
    if name == "__double_as_longlong":
        return Spelled(f"(int64_t){args[0].at(Prec.POSTFIX)}.bits", Prec.UNARY, c.type), HEADER
    if name == "__longlong_as_double":
        return Spelled(f"float64::literal({listed})", Prec.POSTFIX, F64), HEADER
    if name not in _FUNCTIONS:
        raise refuse(target.NO_DOUBLE, f"{c.name} of doubles", c.span)
    header = MATH_HEADER if name in _IN_MATH else HEADER
    return Spelled(f"float64::{name}({listed})", Prec.POSTFIX, c.type), header


_CONVERTED = {
    Kind.I32: "int", Kind.U32: "uint32_t", Kind.I64: "int64_t", Kind.U64: "uint64_t",
    Kind.F32: "float",
}  # fmt: skip


def atomic(s: Atomic, address: Spelled, operands: tuple[Spelled, ...], shared: bool) -> str:
    """A read-modify-write of a double by compare-and-swap of its bits.

    The API compares and swaps 64 bits in global memory alone.
    """
    if shared:
        raise refuse(target.NO_DOUBLE, f"atomic {s.op.value} on double in shared memory", s.span)
    if s.op not in (AtomicOp.ADD, AtomicOp.MIN, AtomicOp.MAX, AtomicOp.EXCH):
        raise refuse(target.NO_DOUBLE, f"atomic {s.op.value} on double", s.span)
    inner = ", ".join(x.at(Prec.ASSIGN) for x in (address, *operands))
    return f"float64::atomic_{s.op.value}({inner})"


def check_printed(s: Effect) -> None:
    """Refuses to print a double: the device formats floats alone, which have fewer digits."""
    if any(a.type == F64 for a in s.args):
        raise refuse(target.NO_DOUBLE, f"{s.name} of a double", s.span)


def shuffle(s: Collective, args: tuple[Spelled, ...]) -> Spelled:
    """A shuffle of the bits."""
    value, *rest = args[1:]
    listed = ", ".join((f"{value.at(Prec.POSTFIX)}.bits", *(a.at(Prec.ASSIGN) for a in rest)))
    return Spelled(f"float64::literal(asc_{s.op}({listed}))", Prec.POSTFIX, F64)


def vector_name(t: Vector) -> str:
    """``Float64x2`` for ``double2``."""
    return f"{NAME}x{t.lanes}"


def structs_with_doubles(structs: tuple[StructDef, ...]) -> frozenset[str]:
    """Names of the structs that hold a double by value, or a pointer to one."""
    known = {s.name: s for s in structs}
    found: set[str] = set()
    while True:
        more = {
            s.name
            for s in known.values()
            if s.name not in found and any(_holds(f.type, found) for f in s.fields)
        }
        if not more:
            return frozenset(found)
        found |= more


def _holds(t: Type, found: set[str]) -> bool:
    if isinstance(t, Pointer):
        return _holds(t.pointee, found)
    match t:
        case Scalar(kind):
            return kind is Kind.F64
        case Vector(element=element):
            return element.kind is Kind.F64
        case Array(element):
            return _holds(element, found)
        case Struct(name):
            return name in found
        case _:
            return False


def renamed_type(declaration: str) -> str:
    """A declaration's text with the class in place of ``double``."""
    return re.sub(r"\bdouble\b", NAME, declaration)


class SoftDoubles(Dialect):
    """The part of a chip's dialect that spells soft doubles; ``soft`` switches it on."""

    soft = False

    @abstractmethod
    def need_header(self, name: str) -> None:
        """Ask for one of the headers of this module."""

    def scalar(self, kind: Scalar) -> str:
        """``Float64`` for double."""
        if not self.soft or kind != F64:
            return super().scalar(kind)
        self.need_header(HEADER)
        return NAME

    def type(self, t: Type) -> str:
        """Vectors of doubles are structs of the header."""
        if not self.soft or not isinstance(t, Vector) or t.element != F64:
            return super().type(t)
        self.need_header(HEADER)
        return vector_name(t)

    def constant(self, c: Const) -> Spelled | None:
        """Literals by their bits."""
        if not self.soft or c.type != F64:
            return super().constant(c)
        self.need_header(HEADER)
        return constant(c)

    def converts(self, source: Scalar, goal: Scalar) -> bool:
        """The class converts to nothing by itself; a float becomes an integer by a function, which
        a compound assignment (``i += f``) would not call."""
        if source.is_float and goal.is_integer:
            return False
        return not (self.soft and source == F64 != goal)

    def compose(self, e: Compose, parts: tuple[str, ...]) -> Spelled:
        """Vectors of doubles are made as the structs that they are."""
        if not self.soft or not isinstance(e.type, Vector) or e.type.element != F64:
            return super().compose(e, parts)
        return Spelled(f"{self.type(e.type)}{{{', '.join(parts)}}}", Prec.POSTFIX, e.type)

    def soft_call(self, c: Call, args: tuple[Spelled, ...]) -> Spelled | None:
        """A library function on doubles, or nothing."""
        found = call(c, args) if self.soft else None
        if found is None:
            return None
        self.need_header(found[1])
        return found[0]

    def soft_bitcast(self, e: Bitcast, operand: Spelled) -> Spelled | None:
        """The bits of a double, or nothing."""
        return bitcast(e, operand) if self.soft else None
