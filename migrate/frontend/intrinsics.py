"""CUDA and C library functions by name: which kind of IR each becomes."""

from __future__ import annotations

from migrate.ir.simt import AtomicOp

ATOMICS: dict[str, AtomicOp] = {
    f"atomic{name}": AtomicOp(name.lower())
    for name in ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor")
}
"""``atomicAdd`` and its kin; ``_block`` and ``_system`` are scopes."""

COLLECTIVES: dict[str, str] = {
    "__shfl_sync": "shfl",
    "__shfl_up_sync": "shfl_up",
    "__shfl_down_sync": "shfl_down",
    "__shfl_xor_sync": "shfl_xor",
    "__shfl": "shfl",
    "__shfl_up": "shfl_up",
    "__shfl_down": "shfl_down",
    "__shfl_xor": "shfl_xor",
    "__all_sync": "all",
    "__any_sync": "any",
    "__ballot_sync": "ballot",
    "__uni_sync": "uni",
    "__all": "all",
    "__any": "any",
    "__ballot": "ballot",
    "__activemask": "activemask",
    "__match_any_sync": "match_any",
    "__reduce_add_sync": "reduce_add",
    "__reduce_min_sync": "reduce_min",
    "__reduce_max_sync": "reduce_max",
    "__reduce_and_sync": "reduce_and",
    "__reduce_or_sync": "reduce_or",
    "__reduce_xor_sync": "reduce_xor",
    "__syncthreads_count": "syncthreads_count",
    "__syncthreads_and": "syncthreads_and",
    "__syncthreads_or": "syncthreads_or",
}
WITHOUT_MASK = frozenset(
    {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__all", "__any", "__ballot"}
)
"""The forms before Volta: all lanes of the warp take part."""

FENCES = {
    "__threadfence": "device",
    "__threadfence_block": "block",
    "__threadfence_system": "system",
}
CACHED_LOADS = frozenset({"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv"})
"""Loads with a cache hint: the value is that of a plain load."""

CACHED_STORES = frozenset({"__stwb", "__stcg", "__stcs", "__stwt"})
EFFECTS = frozenset(
    {"__trap", "__brkpt", "__nanosleep", "__prof_trigger", "cudaGraphSetConditional"}
)
BITCASTS = frozenset(
    {
        "__float_as_int", "__float_as_uint", "__int_as_float", "__uint_as_float",
        "__double_as_longlong", "__longlong_as_double", "__half_as_short", "__half_as_ushort",
        "__short_as_half", "__ushort_as_half", "__bfloat16_as_short", "__bfloat16_as_ushort",
        "__short_as_bfloat16", "__ushort_as_bfloat16",
    }
)  # fmt: skip
CONVERSIONS = frozenset(
    {
        "__float2half", "__float2half_rn", "__half2float", "__float2bfloat16",
        "__float2bfloat16_rn", "__bfloat162float", "__double2half", "__double2bfloat16",
        "__int2float_rn", "__uint2float_rn", "__ll2float_rn", "__ull2float_rn",
        "__int2double_rn", "__uint2double_rn", "__ll2double_rn", "__ull2double_rn",
        "__double2float_rn",
    }
)  # fmt: skip
"""Functions that round to nearest even: exactly a :class:`~migrate.ir.expr.Cast`.

Conversions to integers are not here: the CUDA functions saturate where a C++ cast is undefined.
"""

HALF_OPERATORS: dict[str, str] = {
    "__hadd": "+", "__hsub": "-", "__hmul": "*", "__hdiv": "/", "__hadd_rn": "+",
    "__hsub_rn": "-", "__hmul_rn": "*", "__heq": "==", "__hlt": "<",
    "__hle": "<=", "__hgt": ">", "__hge": ">=",
    "__hadd2": "+", "__hsub2": "-", "__hmul2": "*", "__h2div": "/", "__hadd2_rn": "+",
    "__hsub2_rn": "-", "__hmul2_rn": "*",
}  # fmt: skip
"""Arithmetic of half and bfloat16 that is the operator of the same meaning.

``__hne`` is not among them: it is false for NaN, where C's ``!=`` is true.
"""

DOUBLE_MATH = frozenset(
    {
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "cospi",
        "cyl_bessel_i0",
        "cyl_bessel_i1",
        "erf",
        "erfc",
        "erfcinv",
        "erfcx",
        "erfinv",
        "exp",
        "exp10",
        "exp2",
        "expm1",
        "fabs",
        "fdim",
        "fdivide",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "hypot",
        "ilogb",
        "j0",
        "j1",
        "ldexp",
        "lgamma",
        "llrint",
        "llround",
        "log",
        "log10",
        "log1p",
        "log2",
        "logb",
        "lrint",
        "lround",
        "nearbyint",
        "nextafter",
        "norm3d",
        "norm4d",
        "normcdf",
        "normcdfinv",
        "pow",
        "rcbrt",
        "remainder",
        "rhypot",
        "rint",
        "rnorm3d",
        "rnorm4d",
        "round",
        "rsqrt",
        "scalbln",
        "scalbn",
        "sin",
        "sinh",
        "sinpi",
        "sqrt",
        "tan",
        "tanh",
        "tanpi",
        "tgamma",
        "trunc",
        "y0",
        "y1",
    }
)  # fmt: skip
"""Functions of the C library and CUDA that have a ``float`` twin with a trailing ``f``."""

FLOAT_MATH = frozenset(f"{name}f" for name in DOUBLE_MATH)
CLASSIFIERS = frozenset({"isnan", "isinf", "isfinite", "signbit"})
INTEGER_MATH = frozenset({"abs", "labs", "llabs"})
MINMAX = frozenset({"min", "max", "umin", "umax", "llmin", "llmax", "ullmin", "ullmax"})

BUILTIN_MATH_PREFIX = "__builtin_"

ADDRESSES = frozenset({"__cvta_generic_to_shared", "__cvta_generic_to_global"})
"""Pointers as numbers of a state space, for inline PTX."""

OUTPUT_POINTERS = frozenset(
    {"sincosf", "sincos", "__sincosf", "sincospif", "sincospi", "modf", "modff", "frexp", "frexpf"}
)
"""Functions that return values through pointers."""


def math_name(name: str, is_float: bool) -> str | None:
    """The CUDA name of a mathematical function for its operand type; ``None`` if unknown.

    ``std::sqrt(float)`` and ``::sqrt(float)`` are ``sqrtf``.
    """
    if name in DOUBLE_MATH:
        return f"{name}f" if is_float else name
    if name in FLOAT_MATH:
        return name
    return None
