"""Spelling of the SIMT API of Ascend 950 (pure SIMT mode: ``--enable-simt``, plain pointers).

Facts are from the vendor's headers ``simt_api/*.h`` and the pages "SIMT-API" of the documentation:
which types each atomic takes, which warp operations exist, the names of the half conversions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.analysis.float_range import saturating_call
from migrate.backends.ascendc import soft_double
from migrate.backends.ascendc.simt_atomics import missing_atomic
from migrate.backends.ascendc.simt_effects import effect_text
from migrate.backends.ascendc.simt_single import HELPERS
from migrate.backends.ascendc.simt_warp import (
    BLOCK_VOTES,
    COUNT,
    COUNT_TEXT,
    SHUFFLES,
    WARP_BARRIER,
    block_vote,
    warp_text,
)
from migrate.backends.clike_dialect import Prec, Spelled, refuse
from migrate.core.codes import lifting, target
from migrate.core.span import NO_SPAN
from migrate.core.targets import Target
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Bitcast,
    Builtin,
    Call,
    Cast,
    Const,
    IndexVar,
    Invoke,
    PtrElem,
    Unary,
    UnaryOp,
    VarPlace,
    space_of,
)
from migrate.ir.kernel import Module
from migrate.ir.simt import Asm, Atomic, Barrier, Collective, Declare, Effect, Fence
from migrate.ir.types import F32, F64, Array, Kind, Pointer, Scalar, Space, Struct, Type, Vector
from migrate.ir.walk import root, walk_stmts
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form, Prelude

_HALF_OPS = {
    BinaryOp.ADD: "__hadd", BinaryOp.SUB: "__hsub", BinaryOp.MUL: "__hmul",
    BinaryOp.DIV: "__hdiv", BinaryOp.LT: "__hlt", BinaryOp.LE: "__hle", BinaryOp.GT: "__hgt",
    BinaryOp.GE: "__hge", BinaryOp.EQ: "__heq", BinaryOp.NE: "__hneu",
}  # fmt: skip
_HALF_HEADER = {Kind.F16: "simt_api/asc_fp16.h", Kind.BF16: "simt_api/asc_bf16.h"}
_HALF_WORD = {Kind.F16: "half", Kind.BF16: "bfloat16"}
_INT_WORD = {Kind.I32: "int", Kind.U32: "uint", Kind.I64: "ll", Kind.U64: "ull"}
_BITS = {
    (Kind.F32, Kind.I32): "__float_as_int", (Kind.F32, Kind.U32): "__float_as_uint",
    (Kind.I32, Kind.F32): "__int_as_float", (Kind.U32, Kind.F32): "__uint_as_float",
    (Kind.U16, Kind.F16): "__ushort_as_half", (Kind.U16, Kind.BF16): "__ushort_as_bfloat16",
}  # fmt: skip


@dataclass(slots=True)
class Needs:
    """What a printed text relies on: headers and helper definitions, in order of first use."""

    includes: list[str] = field(default_factory=list)
    prelude: list[Prelude] = field(default_factory=list)

    def include(self, *names: str) -> None:
        """Ask for headers."""
        self.includes += [n for n in names if n not in self.includes]

    def helper(self, *texts: Prelude) -> None:
        """Ask for helper definitions."""
        self.prelude += [t for t in texts if t not in self.prelude]


@dataclass(frozen=True, slots=True)
class GridNames:
    """How a body names its block and its grid: one number each (``flat``), or ``dim3`` each."""

    block: str
    grid: str
    flat: bool

    def of(self, builtin: Builtin, axis: str) -> str:
        """The spelling of ``blockIdx`` or ``gridDim`` along an axis."""
        name = self.block if builtin is Builtin.BLOCK else self.grid
        if not self.flat:
            return f"{name}.{axis}"
        if axis == "x":
            return name
        return "0" if builtin is Builtin.BLOCK else "1"


class SimtDialect(soft_double.SoftDoubles):
    """One kernel or device function of a 950 file."""

    def __init__(
        self,
        module: Module,
        catalogue: Catalogue,
        names: Mapping[str, str],
        *,
        overloaded: frozenset[str],
        grid: GridNames,
        takes_grid: frozenset[str],
        structs: Mapping[str, str] | None = None,
        soft: bool = False,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(module)
        self.soft = soft
        self._variables = variables or {}
        bodies = [k.body for k in module.kernels] + [f.body for f in module.functions]
        self._shared_names = frozenset(
            s.name
            for body in bodies
            for s in walk_stmts(body)
            if isinstance(s, Declare) and s.space is Space.SHARED
        )
        self._structs = structs or {}
        self._catalogue = catalogue
        self._names = names
        self._overloaded = overloaded
        self._grid = grid
        self._takes_grid = takes_grid
        self.needs = Needs()
        self.needs.include("simt_api/asc_simt.h")
        self._kernel_end = "return;"

    def ends_with(self, statement: str) -> None:
        """How a kernel's ``return`` is spelled: in a loop over blocks it is ``continue;``."""
        self._kernel_end = statement

    def return_text(self, value: str | None) -> str:
        """``return``, or what stands for it in a kernel's loop over blocks."""
        return self._kernel_end if value is None else f"return {value};"

    # --- types ------------------------------------------------------------------------------

    def scalar(self, kind: Scalar) -> str:
        """Fixed-width names; there is no double but a soft one."""
        if kind.kind is Kind.F64 and not self.soft:
            # Every path that reaches the printer has been checked for doubles before.
            raise refuse(target.NO_DOUBLE, "a value of type double", NO_SPAN)
        if kind.kind in _HALF_HEADER:
            self.needs.include(_HALF_HEADER[kind.kind])
        return super().scalar(kind)

    def type(self, t: Type) -> str:
        """Vector types need their header; structs with code in them have a plain mirror."""
        if isinstance(t, Struct):
            return self._structs.get(t.name, t.name)
        if isinstance(t, Vector):
            if t.element.kind is Kind.F64:
                if self.soft:
                    return super().type(t)
                raise refuse(target.NO_DOUBLE, f"a value of type {t.name}", NO_SPAN)
            if t.name == "half2":
                self.needs.include("simt_api/asc_fp16.h")
            if t.name == "bfloat162":
                self.needs.include("simt_api/asc_bf16.h")
                return "bfloat16x2_t"
            self.needs.include("simt_api/vector_functions.h")
        return super().type(t)

    def space_prefix(self, space: Space) -> str:
        """Shared memory is the unified buffer."""
        return "__ubuf__ " if space is Space.SHARED else ""

    def declare(self, t: Type, name: str, space: Space = Space.LOCAL) -> str:
        """An array without length in shared memory is the dynamic one."""
        text = super().declare(t, name, space)
        dynamic = isinstance(t, Array) and t.length == 0
        return f"extern {text}" if dynamic and space is Space.SHARED else text

    # --- expressions ------------------------------------------------------------------------

    def index_var(self, v: IndexVar) -> Spelled:
        """Threads as in CUDA; block and grid are the CUDA ones, not those of the launch."""
        if v.builtin in (Builtin.THREAD, Builtin.BLOCK_DIM):
            return Spelled(f"{v.builtin.value}.{v.axis}", Prec.POSTFIX, v.type)
        text = self._grid.of(v.builtin, v.axis)
        literal = text.isdigit()
        return Spelled(f"{text}u" if literal else text, Prec.POSTFIX, v.type)

    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        """By the catalogue; a function without a rule is refused."""
        if call.name in HELPERS:
            self.needs.helper(Prelude(call.name, HELPERS[call.name]))
            inner = ", ".join(a.at(Prec.ASSIGN) for a in args)
            return Spelled(f"{call.name}({inner})", Prec.POSTFIX, call.type)
        soft = self.soft_call(call, args)
        if soft is not None:
            return soft
        types = tuple(a.type for a in call.args)
        rule = self._catalogue.intrinsic(call.name, types)
        shown = ", ".join(str(t) for t in types)
        if rule is None:
            cause = f"no rule covers {call.name}({shown})"
            raise refuse(target.NO_INTRINSIC, cause, call.span)
        spelling = rule.spelling(Target.ASCEND_950.value, Form.EXPR, types)
        if spelling is None:
            entry = rule.emission(Target.ASCEND_950.value, types)
            reason = entry.reason if entry is not None and entry.reason else "no spelling"
            cause = f"{call.name}({shown}): {reason}"
            raise refuse(target.NO_INTRINSIC, cause, call.span, rule=rule.id)
        self.needs.include(*spelling.includes)
        self.needs.helper(*spelling.prelude)
        text = spelling.fill([a.at(Prec.ASSIGN) for a in args])
        prec = Prec.POSTFIX if spelling.atomic else Prec.SELECT
        return Spelled(text, prec, call.type)

    def variable_name(self, name: str) -> str:
        """A device variable by the namespaces that it stands in."""
        return self._variables.get(name, name)

    def function_name(self, symbol: str) -> str:
        """The name in the file, which is the source's where that is unique."""
        return self._names.get(symbol, symbol)

    def overloaded(self, symbol: str) -> bool:
        """True when several device functions share the printed name."""
        return self.function_name(symbol) in self._overloaded

    def invoke_args(self, e: Invoke | str) -> tuple[str, ...]:
        """Functions that read ``blockIdx`` or ``gridDim`` are given both."""
        symbol = e if isinstance(e, str) else e.function
        return (self._grid.block, self._grid.grid) if symbol in self._takes_grid else ()

    def _half(self, t: Type) -> Kind | None:
        if isinstance(t, Scalar) and t.kind in _HALF_HEADER:
            self.needs.include(_HALF_HEADER[t.kind])
            return t.kind
        return None

    def unary(self, e: Unary, operand: Spelled) -> Spelled | None:
        """Negation of half types is a function."""
        if self._half(e.operand.type) is None or e.op is not UnaryOp.NEG:
            return None
        return Spelled(f"__hneg({operand.text})", Prec.POSTFIX, e.type)

    def binary(self, e: Binary, lhs: Spelled, rhs: Spelled) -> Spelled | None:
        """Arithmetic on half types is by functions that round to nearest even."""
        if self._half(e.lhs.type) is None:
            return None
        name = _HALF_OPS[e.op]
        text = f"{name}({lhs.at(Prec.ASSIGN)}, {rhs.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, e.type)

    def constant(self, c: Const) -> Spelled | None:
        """A half literal is a converted float, which is exact."""
        kind = self._half(c.type)
        if kind is None:
            return super().constant(c)
        digits = repr(float(c.value))
        return Spelled(f"__float2{_HALF_WORD[kind]}({digits}f)", Prec.POSTFIX, c.type)

    def cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """Conversions of half types are functions with the rounding in their name."""
        source, goal = self._half(e.operand.type), self._half(e.type)
        if self.soft and F64 in (e.operand.type, e.type):
            return soft_double.cast(e, operand)
        saturating = saturating_call(e)
        if saturating is not None:
            return self.call(saturating, (operand,))
        if source is None and goal is None:
            return None
        name = self._half_conversion(e, source, goal)
        if name is not None:
            return Spelled(f"{name}({operand.at(Prec.ASSIGN)})", Prec.POSTFIX, e.type)
        return self._half_by_float(e, operand, source, goal)

    @staticmethod
    def _half_conversion(e: Cast, source: Kind | None, goal: Kind | None) -> str | None:
        to, frm = e.type, e.operand.type
        if source is not None and goal is not None:
            return "__half2bfloat16_rn" if source is Kind.F16 else None
        if goal is not None:
            word = _HALF_WORD[goal]
            if frm == F32:
                return f"__float2{word}"
            known = _INT_WORD.get(frm.kind) if isinstance(frm, Scalar) else None
            return f"__{known}2{word}_rn" if known else None
        assert source is not None
        word = "half" if source is Kind.F16 else "bfloat16"
        if to == F32:
            return f"__{word}2float"
        known = _INT_WORD.get(to.kind) if isinstance(to, Scalar) else None
        return f"__{word}2{known}_rz" if known else None

    def _half_by_float(
        self, e: Cast, operand: Spelled, source: Kind | None, goal: Kind | None
    ) -> Spelled:
        """Narrow integers and bool: exact through float in both directions."""
        other = e.type if goal is None else e.operand.type
        narrow = isinstance(other, Scalar) and (other.bits <= 16) and not other.is_float
        if source is not None and goal is not None:
            inner = f"__{_HALF_WORD[source]}2float({operand.at(Prec.ASSIGN)})"
            return Spelled(f"__float2{_HALF_WORD[goal]}({inner})", Prec.POSTFIX, e.type)
        if not narrow:
            cause = f"no conversion from {e.operand.type} to {e.type}"
            raise refuse(target.NO_INTRINSIC, cause, e.span)
        if goal is not None:
            text = f"__float2{_HALF_WORD[goal]}({operand.at(Prec.ASSIGN)})"
            return Spelled(text, Prec.POSTFIX, e.type)
        assert source is not None
        inner = f"__{_HALF_WORD[source]}2float({operand.at(Prec.ASSIGN)})"
        return Spelled(f"({self.type(e.type)}){inner}", Prec.UNARY, e.type)

    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        """The reinterpreting functions of the API, else the compiler's own."""
        frm, to = e.operand.type, e.type
        soft = self.soft_bitcast(e, operand)
        if soft is not None:
            return soft
        if isinstance(frm, Scalar) and isinstance(to, Scalar):
            name = _BITS.get((frm.kind, to.kind))
            if name is not None:
                self._half(to)
                return Spelled(f"{name}({operand.at(Prec.ASSIGN)})", Prec.POSTFIX, to)
            if not frm.is_float and not to.is_float:
                return Spelled(f"({self.type(to)}){operand.at(Prec.UNARY)}", Prec.UNARY, to)
        text = f"__builtin_bit_cast({self.type(to)}, {operand.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, to)

    def need_header(self, name: str) -> None:
        """A header of soft doubles."""
        self.needs.include(name)

    # --- statements -------------------------------------------------------------------------

    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        """``asc_atomic_*`` where the API has the type."""
        t = s.place.type
        base = root(s.place)
        named = isinstance(base, VarPlace) and base.name in self._shared_names
        shared = named or space_of(s.place) is Space.SHARED or _is_shared_variable(s)
        if t == F64 and self.soft:
            self.needs.include(soft_double.ATOMIC_HEADER)
            return soft_double.atomic(s, address, operands, shared)
        if t == F64:
            raise refuse(target.NO_DOUBLE, f"atomic {s.op.value} on double", s.span)
        missing = missing_atomic(s.op, t, Space.SHARED if shared else Space.GLOBAL)
        if missing:
            raise refuse(target.NO_INTRINSIC, missing, s.span)
        self.type(t)  # brings the header that has the function for this type
        args = ", ".join(x.at(Prec.ASSIGN) for x in (address, *operands))
        return f"asc_atomic_{s.op.value}({args})"

    def barrier(self, s: Barrier) -> tuple[str, ...]:
        """Of the block, or of the lanes of a warp that are active together."""
        match s.scope:
            case "block":
                return ("asc_syncthreads();",)
            case "warp":
                self.needs.include("simt_api/cooperative_groups.h")
                return (WARP_BARRIER,)
            case _:
                raise refuse(lifting.HAS_BARRIER, f"a barrier of scope {s.scope}", s.span)

    def fence(self, s: Fence) -> tuple[str, ...]:
        """Device and block scope."""
        match s.scope:
            case "device":
                return ("asc_threadfence();",)
            case "block":
                return ("asc_threadfence_block();",)
            case _:
                raise refuse(target.NO_INTRINSIC, f"a fence of scope {s.scope}", s.span)

    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        """Warp operations (:mod:`migrate.backends.ascendc.simt_warp`)."""
        if self.soft and s.op in SHUFFLES and s.type == F64:
            return soft_double.shuffle(s, args)
        if s.op in BLOCK_VOTES:
            self.needs.helper(Prelude(COUNT, COUNT_TEXT))
            return block_vote(s, args)
        found = warp_text(s, args)
        if s.op in SHUFFLES:
            self.type(s.type)  # brings the header that has the function for this type
        return found

    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        """Calls without a result (:mod:`migrate.backends.ascendc.simt_effects`)."""
        return effect_text(s, args)

    def asm(self, s: Asm) -> tuple[str, ...]:
        """PTX means nothing here."""
        raise refuse(target.NO_INTRINSIC, "inline PTX", s.span)


def _is_shared_variable(s: Atomic) -> bool:
    place = s.place
    return isinstance(place, PtrElem) and (
        isinstance(place.pointer.type, Pointer) and place.pointer.type.space is Space.SHARED
    )
