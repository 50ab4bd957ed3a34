"""CUDA's names as the CPU runtime spells them, for code that runs a block region by region.

Expressions keep the names of CUDA: the runtime has the same functions under them that the original
program is compiled with. The index of the thread is that of the loop around (:mod:`lane_loops`).
"""

from __future__ import annotations

import math

from migrate.analysis.reach import TIMED
from migrate.backends.clike_dialect import (
    SCALAR_NAMES,
    Dialect,
    Prec,
    Spelled,
    Unprintable,
    refuse,
)
from migrate.core.codes import lifting as codes
from migrate.core.span import NO_SPAN, Span
from migrate.ir.expr import Bitcast, Builtin, Call, Cast, Const, IndexVar
from migrate.ir.simt import Asm, Atomic, AtomicOp, Barrier, Collective, Effect, Fence
from migrate.ir.types import F32, F64, Kind, Pointer, Scalar, Struct, Type, Vector

LANE = "cm_lane"
"""The number of the thread in its block, in the loop over the threads."""

_INDEX = {
    Builtin.THREAD: "cm_thread", Builtin.BLOCK: "cm_block", Builtin.BLOCK_DIM: "cm_block_dim",
    Builtin.GRID_DIM: "cm_grid_dim",
}  # fmt: skip
_NAMES = SCALAR_NAMES | {Kind.F16: "__half", Kind.BF16: "__nv_bfloat16"}
_ATOMICS = {
    AtomicOp.ADD: "atomicAdd", AtomicOp.SUB: "atomicSub", AtomicOp.EXCH: "atomicExch",
    AtomicOp.MIN: "atomicMin", AtomicOp.MAX: "atomicMax", AtomicOp.INC: "atomicInc",
    AtomicOp.DEC: "atomicDec", AtomicOp.CAS: "atomicCAS", AtomicOp.AND: "atomicAnd",
    AtomicOp.OR: "atomicOr", AtomicOp.XOR: "atomicXor",
}  # fmt: skip
_FENCES = {
    "device": "__threadfence",
    "block": "__threadfence_block",
    "system": "__threadfence_system",
}


def index_name(builtin: Builtin, axis: str) -> str:
    """The local that holds ``threadIdx.x`` and its kin."""
    return f"{_INDEX[builtin]}_{axis}"


class LaneDialect(Dialect):
    """One kernel over the CPU runtime's headers."""

    def scalar(self, kind: Scalar) -> str:
        """CUDA's own half types; fixed widths for the rest."""
        return _NAMES[kind.kind]

    def type(self, t: Type) -> str:
        """Structs have no definition here."""
        if isinstance(t, Struct | Vector):
            raise _refused(f"a value of type {t}", NO_SPAN)
        return super().type(t)

    def pointer(self, p: Pointer) -> str:
        """Without ``restrict``: the original is compiled without it too."""
        return super().pointer(p).replace(" __restrict__", "")

    def index_var(self, v: IndexVar) -> Spelled:
        """A local of the function or of the loop around."""
        return Spelled(index_name(v.builtin, v.axis), Prec.POSTFIX, v.type)

    def constant(self, c: Const) -> Spelled | None:
        """A half literal is a converted float, which is exact."""
        if c.type.kind not in (Kind.F16, Kind.BF16):
            return None
        value = float(c.value)
        finite = math.isfinite(value)
        text = f"{value!r}f" if finite else self.special_float(value, F32).text
        return Spelled(f"{self.scalar(c.type)}({text})", Prec.POSTFIX, c.type)

    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        """The runtime's function of that name, with the result that the IR expects."""
        if call.name in TIMED:
            raise _refused(f"{call.name} tells the time", call.span)
        inner = ", ".join(a.at(Prec.ASSIGN) for a in args)
        text = f"{call.name}({inner})"
        if isinstance(call.type, Scalar):
            text = f"static_cast<{self.scalar(call.type)}>({text})"
        return Spelled(text, Prec.POSTFIX, call.type)

    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        """The compiler's own."""
        text = f"__builtin_bit_cast({self.type(e.type)}, {operand.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, e.type)

    def cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """A float that becomes a wide integer saturates, as in the original on this runtime."""
        source, goal = e.operand.type, e.type
        if not (isinstance(source, Scalar) and isinstance(goal, Scalar)):
            return None
        if source not in (F32, F64) or not goal.is_integer or goal.bytes < F32.bytes:
            return None
        text = f"cm::device_integer<{self.scalar(goal)}>({operand.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, goal)

    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        """The runtime's atomic function."""
        inner = ", ".join(x.at(Prec.ASSIGN) for x in (address, *operands))
        return f"{_ATOMICS[s.op]}({inner})"

    def barrier(self, s: Barrier) -> tuple[str, ...]:
        """None is left inside of a region."""
        raise _refused("a barrier", s.span)

    def fence(self, s: Fence) -> tuple[str, ...]:
        """As written."""
        return (f"{_FENCES[s.scope]}();",)

    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        """None is left inside of a region."""
        raise _refused(s.op, s.span)

    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        """Output in the order of the threads' turns is what the original gives."""
        raise _refused(f"{s.name} has an effect that the order of threads can change", s.span)

    def asm(self, s: Asm) -> tuple[str, ...]:
        """PTX means nothing to a C++ compiler."""
        raise _refused("inline PTX", s.span)


def _refused(cause: str, span: Span) -> Unprintable:
    return refuse(codes.UNSPLIT_VALUE, cause, span)
