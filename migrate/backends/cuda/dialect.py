"""CUDA C++ itself as a dialect: what was read is printed as the language that it came from.

Names of intrinsics, collectives and effects in the IR are CUDA's own, so that most of them are
printed as they stand. Results get a cast to the IR's type, because CUDA's overloads return
``int`` where the IR says ``bool``, and ``long`` where it says ``i64``.
"""

from __future__ import annotations

import json

from migrate.backends.clike_dialect import Dialect, Prec, Spelled, refuse
from migrate.backends.clike_expr import ExprPrinter
from migrate.core.codes import target
from migrate.ir.expr import Binary, Bitcast, Call, Cast, Compose, IndexVar
from migrate.ir.kernel import Module
from migrate.ir.simt import Asm, Atomic, AtomicOp, Barrier, Collective, Effect, Fence
from migrate.ir.textures import is_surface_name, is_texture_name
from migrate.ir.types import Array, Kind, Scalar, Space, Struct, Type, Vector
from migrate.ir.volatile_access import VOLATILE_LOAD, VOLATILE_STORE

BITS = "cudamigrate_bits"
HELPERS = f"""\
template <class To, class From> __host__ __device__ inline To {BITS}(const From& from) {{
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}}
"""
"""What printed code calls; it stands in the same namespace."""

_SCALARS = {
    Kind.I64: "long long", Kind.U64: "unsigned long long", Kind.F16: "__half",
    Kind.BF16: "__nv_bfloat16", Kind.I8: "signed char", Kind.U8: "unsigned char",
    Kind.I16: "short", Kind.U16: "unsigned short", Kind.U32: "unsigned int",
}  # fmt: skip
_VECTORS = {"half2": "__half2", "bfloat162": "__nv_bfloat162"}
_TO_FP8 = ("__nv_saturation_t", "__nv_fp8_interpretation_t")
_ENUMERATIONS = {
    **dict.fromkeys(
        (f"__nv_cvt_{kind}_to_fp8{lanes}" for lanes, kinds in (
            ("", ("float", "double", "halfraw", "bfloat16raw")),
            ("x2", ("float2", "double2", "halfraw2", "bfloat16raw2")),
        ) for kind in kinds),
        _TO_FP8,
    ),
    "__nv_cvt_fp8_to_halfraw": _TO_FP8[1:],
    "__nv_cvt_fp8x2_to_halfraw2": _TO_FP8[1:],
}  # fmt: skip
"""Functions whose last parameters are enumerations (CUDA Math API, FP8 conversions)."""
_FENCES = {"device": "__threadfence", "block": "__threadfence_block"}


class CudaDialect(Dialect):
    """The printed functions of one module, which live in a namespace of their own."""

    def __init__(self, module: Module, namespace: str) -> None:
        super().__init__(module)
        self.namespace = namespace

    # --- types ------------------------------------------------------------------------------

    def scalar(self, kind: Scalar) -> str:
        """CUDA's names; 64-bit integers are ``long long``, as its atomics want them."""
        return _SCALARS.get(kind.kind) or super().scalar(kind)

    def type(self, t: Type) -> str:
        """Vectors of half types have names of their own; structs are those of the module."""
        if isinstance(t, Vector):
            return _VECTORS.get(t.name, t.name)
        return super().type(t)

    def space_prefix(self, space: Space) -> str:
        """Shared memory is declared; other spaces need nothing."""
        return "__shared__ " if space is Space.SHARED else ""

    def declare(self, t: Type, name: str, space: Space = Space.LOCAL) -> str:
        """All dynamic shared arrays begin at one address."""
        if space is Space.SHARED and isinstance(t, Array) and not t.length:
            pointer = super().declare(t.element, f"(*{name})")
            cast = super().declare(t.element, "(*)")
            bytes_ = f"{self.namespace}_dynamic"  # the one array that all of them stand for
            return f"extern __shared__ unsigned char {bytes_}[]; {pointer} = ({cast}){bytes_}"
        return super().declare(t, name, space)

    # --- expressions ------------------------------------------------------------------------

    def index_var(self, v: IndexVar) -> Spelled:
        """``threadIdx.x``."""
        return Spelled(f"{v.builtin.value}.{v.axis}", Prec.POSTFIX, v.type)

    def _typed(self, text: str, kind: Type) -> Spelled:
        if not isinstance(kind, Scalar):
            return Spelled(text, Prec.POSTFIX, kind)
        return Spelled(f"({self.scalar(kind)}){text}", Prec.UNARY, kind)

    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        """By its own name; a volatile load is a read through a volatile pointer."""
        if call.name == VOLATILE_LOAD:
            return Spelled(self._volatile(call.type, args[0]), Prec.UNARY, call.type)
        inner = self._arguments(call.name, args)
        element = f"<{self.type(call.type)}>" if is_texture_name(call.name) else ""
        return self._typed(f"{call.name}{element}({inner})", call.type)

    @staticmethod
    def _arguments(name: str, args: tuple[Spelled, ...]) -> str:
        """Some parameters are enumerations, to which C++ converts no integer by itself."""
        texts = [a.at(Prec.ASSIGN) for a in args]
        kinds = _ENUMERATIONS.get(name, ())
        if is_surface_name(name):
            kinds = ("cudaSurfaceBoundaryMode",)
        for at, kind in enumerate(kinds, start=len(args) - len(kinds)):
            texts[at] = f"({kind}){args[at].at(Prec.UNARY)}"
        return ", ".join(texts)

    def _volatile(self, kind: Type, address: Spelled) -> str:
        return f"*(volatile {self.type(kind)}*){address.at(Prec.UNARY)}"

    def function_name(self, symbol: str) -> str:
        """Qualified, so that a local of the same name does not hide it."""
        return f"{self.namespace}::{symbol}"

    def binary(self, e: Binary, lhs: Spelled, rhs: Spelled) -> Spelled | None:
        """C++'s own, half types included."""
        return None

    def cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """A C cast."""
        return None

    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        """Through memory, as C++ allows."""
        text = f"{self.namespace}::{BITS}<{self.type(e.type)}>({operand.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, e.type)

    def compose(self, e: Compose, parts: tuple[str, ...]) -> Spelled:
        """``make_float4(...)``; half pairs and ``dim3`` have constructors instead."""
        if isinstance(e.type, Vector) and e.type.name in (*_VECTORS, "dim3"):
            return Spelled(f"{self.type(e.type)}({', '.join(parts)})", Prec.POSTFIX, e.type)
        if isinstance(e.type, Struct):
            name = f"{self.namespace}::{e.type.name}"
            return Spelled(f"{name}{{{', '.join(parts)}}}", Prec.POSTFIX, e.type)
        return super().compose(e, parts)

    # --- statements outside plain C++ -------------------------------------------------------

    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        """``atomicAdd(&x, v)``, with the scope as its suffix."""
        name = "CAS" if s.op is AtomicOp.CAS else s.op.value.capitalize()
        suffix = "" if s.scope == "device" else f"_{s.scope}"
        inner = ", ".join(x.at(Prec.ASSIGN) for x in (address, *operands))
        return f"atomic{name}{suffix}({inner})"

    def barrier(self, s: Barrier) -> tuple[str, ...]:
        """Of a block, a warp, or the grid of a cooperative launch."""
        if s.scope == "block":
            return ("__syncthreads();",)
        if s.scope == "warp":
            mask = "0xffffffffu"
            if s.mask is not None:
                mask = ExprPrinter(self).exact(s.mask).text
            return (f"__syncwarp({mask});",)
        if s.scope == "grid":
            return ("cooperative_groups::this_grid().sync();",)
        raise refuse(target.NO_INTRINSIC, f"barrier of scope {s.scope}", s.span)

    def fence(self, s: Fence) -> tuple[str, ...]:
        """``__threadfence`` and its kin."""
        return (f"{_FENCES.get(s.scope, '__threadfence_system')}();",)

    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        """``__shfl_sync`` and its kin."""
        if s.op == "activemask":
            return self._typed("__activemask()", s.type)
        suffix = "" if s.op.startswith("syncthreads") else "_sync"
        inner = ", ".join(a.at(Prec.ASSIGN) for a in args)
        return self._typed(f"__{s.op}{suffix}({inner})", s.type)

    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        """``printf``, ``assert``, ``__trap``, and stores through volatile pointers."""
        if s.name == VOLATILE_STORE:
            return (f"{self._volatile(args[1].type, args[0])} = {args[1].at(Prec.ASSIGN)};",)
        return (f"{s.name}({self._arguments(s.name, args)});",)

    def asm(self, s: Asm) -> tuple[str, ...]:
        """With its operands; volatile, because it may do more than its outputs show."""
        x = ExprPrinter(self)
        operands = [x.place(p).text for p in s.outputs] + [x.exact(e).text for e in s.inputs]
        spelled = [f'"{c}"({o})' for c, o in zip(s.constraints, operands, strict=True)]
        outputs = ", ".join(spelled[: len(s.outputs)])
        inputs = ", ".join(spelled[len(s.outputs) :])
        return (f'asm volatile({json.dumps(s.text)} : {outputs} : {inputs} : "memory");',)
