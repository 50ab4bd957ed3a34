"""Which atomics the 950's SIMT API has, by operation, type and memory.

Facts are from the vendor's headers ``simt_api/device_atomic_functions.h``, ``asc_fp16.h`` and
``asc_bf16.h``. Types without a function are refused by name: a loop around a compare-and-swap needs
one on a word of the same width, and there is none on 8 or 16 bits, nor on 64 bits in ``__ubuf__``.
"""

from __future__ import annotations

from collections.abc import Mapping

from migrate.backends.ascendc.simt_warp import PAIRS, WIDE, WORD
from migrate.ir.simt import AtomicOp
from migrate.ir.types import Kind, Scalar, Space, Type, Vector

_HALVES = frozenset({Kind.F16, Kind.BF16})
_SCALARS: Mapping[AtomicOp, frozenset[Kind]] = {
    AtomicOp.ADD: WORD | WIDE | {Kind.F32} | _HALVES,
    AtomicOp.SUB: WORD | WIDE | {Kind.F32},
    AtomicOp.EXCH: WORD | WIDE | {Kind.F32},
    AtomicOp.MIN: WORD | WIDE | {Kind.F32} | _HALVES,
    AtomicOp.MAX: WORD | WIDE | {Kind.F32} | _HALVES,
    AtomicOp.CAS: WORD | WIDE | {Kind.F32},
    AtomicOp.AND: WORD | WIDE,
    AtomicOp.OR: WORD | WIDE,
    AtomicOp.XOR: WORD | WIDE,
    AtomicOp.INC: frozenset({Kind.U32, Kind.U64}),
    AtomicOp.DEC: frozenset({Kind.U32, Kind.U64}),
}
_PAIR_OPS = frozenset(
    {AtomicOp.ADD, AtomicOp.SUB, AtomicOp.EXCH, AtomicOp.MIN, AtomicOp.MAX, AtomicOp.CAS}
)


def missing_atomic(op: AtomicOp, t: Type, space: Space) -> str:
    """What the API lacks for an atomic of this type, in words; nothing when it has it."""
    where = " in shared memory" if space is Space.SHARED else ""
    if isinstance(t, Vector) and t.name in PAIRS:
        return "" if op in _PAIR_OPS else f"atomic {op.value} on {t}"
    kind = t.kind if isinstance(t, Scalar) else None
    if kind not in _SCALARS[op]:
        return f"atomic {op.value} on {t}"
    return f"atomic {op.value} on {t}{where}" if where and kind in WIDE else ""
