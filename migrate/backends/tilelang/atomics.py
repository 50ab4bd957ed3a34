"""Atomic operations as TileLang Python.

TileLang has sums, minima, maxima and ``or`` of some types. The others are C functions that the
generated module brings along and the kernel imports::

    ATOMIC_CAS_INT32 = '''...'''            T.import_source(ATOMIC_CAS_INT32)
    old = T.call_extern("int32", "atomic_cas_int32", T.address_of(x[i]), compared, value)

For CUDA each is CUDA's own operation. TileLang's C target runs blocks and threads one after the
other, so that there a load and a store are one step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.analysis.constants import const
from migrate.backends.tilelang.dtypes import STORAGE, value_type
from migrate.backends.tilelang.expression_facts import scalar
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import target as codes
from migrate.ir.expr import ArrElem, Cast, Const, Expr, PtrElem, Unary, UnaryOp
from migrate.ir.simt import Atomic, AtomicOp, Stmt
from migrate.ir.types import I32, U32, Kind, Scalar
from migrate.ir.walk import walk_stmts
from migrate.rules.model import Prelude

_NATIVE = {
    AtomicOp.ADD: "T.atomic_add",
    AtomicOp.SUB: "T.atomic_add",
    AtomicOp.MIN: "T.atomic_min",
    AtomicOp.MAX: "T.atomic_max",
    AtomicOp.OR: "T.atomic_or",
}
_CUDA_NAMES = {
    AtomicOp.ADD: "atomicAdd",
    AtomicOp.SUB: "atomicAdd",
    AtomicOp.EXCH: "atomicExch",
    AtomicOp.MIN: "atomicMin",
    AtomicOp.MAX: "atomicMax",
    AtomicOp.INC: "atomicInc",
    AtomicOp.DEC: "atomicDec",
    AtomicOp.CAS: "atomicCAS",
    AtomicOp.AND: "atomicAnd",
    AtomicOp.OR: "atomicOr",
    AtomicOp.XOR: "atomicXor",
}
_NEXT = {
    AtomicOp.ADD: "old + value",
    AtomicOp.SUB: "old + value",
    AtomicOp.EXCH: "value",
    AtomicOp.MIN: "value < old ? value : old",
    AtomicOp.MAX: "value > old ? value : old",
    AtomicOp.INC: "old >= value ? 0 : old + 1",
    AtomicOp.DEC: "old == 0 || old > value ? value : old - 1",
    AtomicOp.CAS: "old == compared ? value : old",
    AtomicOp.AND: "old & value",
    AtomicOp.OR: "old | value",
    AtomicOp.XOR: "old ^ value",
}
_ORDERED = frozenset({AtomicOp.MIN, AtomicOp.MAX})
_CUDA_TYPES = {
    Kind.I32: "int", Kind.U32: "unsigned int", Kind.I64: "long long",
    Kind.U64: "unsigned long long", Kind.F32: "float",
}  # fmt: skip
_C_TYPES = {
    "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t",
    "float32": "float",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ForeignAtomic:
    """An atomic operation that a C function does: on values of ``kind`` in a buffer of ``held``,
    a TileLang type of the same size."""

    op: AtomicOp
    kind: Scalar
    held: str

    @property
    def function(self) -> str:
        """The function's name."""
        word = "add" if self.op is AtomicOp.SUB else self.op.value
        own = value_type(self.kind)
        return f"atomic_{word}_{own}" + ("" if own == self.held else f"_in_{self.held}")

    @property
    def prelude(self) -> Prelude:
        """The constant of the generated module that holds the function's text."""
        name = self.function.upper()
        return Prelude(name, f'{name} = """\n{self._text()}"""')

    def _text(self) -> str:
        held, own = _C_TYPES[self.held], _C_TYPES[value_type(self.kind)]
        given = ("compared", "value") if self.op is AtomicOp.CAS else ("value",)
        params = ", ".join(f"{held} {name}_" for name in given)
        head = f"{held} {self.function}({held} *place, {params})"
        word = _cuda_type(self.op, self.kind)
        values = ", ".join(f"({word}){name}_" for name in given)
        copies = "".join(f"  {own} {name} = ({own}){name}_;\n" for name in given)
        return (
            "#ifdef __CUDACC__\n"
            f"static __device__ {head} {{\n"
            f"  return ({held}){_CUDA_NAMES[self.op]}(({word} *)place, {values});\n"
            "}\n"
            "#else  // blocks and threads run one after the other\n"
            f'extern "C" {{\nstatic inline {head} {{\n'
            f"  {own} old = ({own})*place;\n"
            f"{copies}"
            f"  *place = ({held})({_NEXT[self.op]});\n"
            f"  return ({held})old;\n"
            "}\n}\n"
            "#endif\n"
        )


def _cuda_type(op: AtomicOp, kind: Scalar) -> str:
    """The type of CUDA's overload: signed 64-bit integers only have minima and maxima."""
    if kind.kind is Kind.I64 and op not in _ORDERED:
        return _CUDA_TYPES[Kind.U64]
    return _CUDA_TYPES[kind.kind]


def foreign_atomic(s: Atomic) -> ForeignAtomic | None:
    """The C function for an operation that TileLang has not; ``None`` where it has it.

    Raises :class:`Unspellable` where neither has it.
    """
    kind = scalar(s.place.type)
    if not isinstance(s.place, PtrElem | ArrElem):
        raise Unspellable(codes.NO_ATOMIC, "an atomic operation on a local variable", s.span)
    if _is_native(s.op, kind, s.result is not None):
        return None
    if not _is_foreign(s.op, kind):
        raise Unspellable(
            codes.NO_ATOMIC, f"atomic {s.op.value} on {kind} has no counterpart", s.span
        )
    held = STORAGE[kind.kind] if isinstance(s.place, PtrElem) else value_type(kind)
    return ForeignAtomic(s.op, kind, held)


def atomic_sources(body: tuple[Stmt, ...]) -> tuple[str, ...]:
    """The names of the constants whose text a kernel imports."""
    found: dict[str, None] = {}
    for s in walk_stmts(body):
        foreign = foreign_atomic(s) if isinstance(s, Atomic) else None
        if foreign is not None:
            found[foreign.prelude.name] = None
    return tuple(found)


def native_atomic(op: AtomicOp) -> str:
    """TileLang's name of an operation that it has."""
    return _NATIVE[op]


def operands_of(s: Atomic) -> tuple[Expr, ...]:
    """The operands; a difference is the sum with the negated operand."""
    return (_negated(s.operands[0]),) if s.op is AtomicOp.SUB else s.operands


def _is_native(op: AtomicOp, kind: Scalar, wants_old: bool) -> bool:
    """Operations whose result in a buffer of the signed type is the one that CUDA defines.

    On 64-bit integers TileLang's CUDA header only compiles for a sum whose old value is not used;
    ``T.atomic_or`` gives no old value.
    """
    match op:
        case AtomicOp.ADD | AtomicOp.SUB:
            if kind.kind in (Kind.I64, Kind.U64):
                return not wants_old
            return kind.kind in (Kind.I32, Kind.U32, Kind.F32, Kind.F64, Kind.F16)
        case AtomicOp.MIN | AtomicOp.MAX:
            return kind.kind is Kind.I32
        case AtomicOp.OR:
            return kind.kind in (Kind.I32, Kind.U32) and not wants_old
        case _:
            return False


def _is_foreign(op: AtomicOp, kind: Scalar) -> bool:
    """The overloads that CUDA has, as the integer of the same bits where it only has that one."""
    match op:
        case AtomicOp.INC | AtomicOp.DEC:
            return kind == U32
        case AtomicOp.EXCH:
            return kind.kind in _CUDA_TYPES
        case _:
            return kind.kind in _CUDA_TYPES and kind.is_integer


def _negated(e: Expr) -> Expr:
    if isinstance(e, Const):
        return const(-e.value, e.type)
    if scalar(e.type).is_signed or scalar(e.type).is_float:
        return Unary(UnaryOp.NEG, e, span=e.span)
    signed = I32 if scalar(e.type) == U32 else replace(scalar(e.type), kind=Kind.I64)
    return Cast(Unary(UnaryOp.NEG, Cast(e, signed)), e.type)
