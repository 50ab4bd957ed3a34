"""Members of values that CUDA's packed intrinsics give (``half2`` and ``bfloat162``)."""

from __future__ import annotations

from collections.abc import Callable

from migrate.ir.expr import Binary, BinaryOp, Call, Cast, Expr, Unary, UnaryOp
from migrate.ir.types import F32, Scalar, Vector

Part = Callable[[Expr], Expr]

_BINARY = {
    "__hadd2": BinaryOp.ADD, "__hadd2_rn": BinaryOp.ADD, "__hsub2": BinaryOp.SUB,
    "__hsub2_rn": BinaryOp.SUB, "__hmul2": BinaryOp.MUL, "__hmul2_rn": BinaryOp.MUL,
    "__h2div": BinaryOp.DIV,
}  # fmt: skip
_SAME = frozenset({"__ldg", "__ldcs", "__ldca", "__ldcg", "__ldlu", "__ldcv"})
_SCALAR_NAME = {
    "__hmin2": "__hmin", "__hmax2": "__hmax", "__habs2": "__habs", "h2exp": "hexp",
    "h2log": "hlog", "h2sqrt": "hsqrt", "h2rsqrt": "hrsqrt", "h2sin": "hsin", "h2cos": "hcos",
    "h2rcp": "hrcp", "h2floor": "hfloor", "h2ceil": "hceil", "h2trunc": "htrunc",
    "h2rint": "hrint", "__hfma2": "__hfma",
}  # fmt: skip


def packed_member(value: Expr, path: tuple[str | int, ...], part: Part) -> Expr | None:
    """Member ``path`` of a packed intrinsic's result, or ``None`` when its meaning is not known.

    ``part`` gives the same member of an operand. Each rule is the CUDA Math API's own definition:
    the packed functions work on both halves independently.
    """
    if not isinstance(value, Call) or not isinstance(value.type, Vector) or len(path) != 1:
        return None
    element: Scalar = value.type.element
    args = value.args
    match value.name, args:
        case name, (a, b) if name in _BINARY and isinstance(a.type, Vector):
            return Binary(_BINARY[name], part(a), part(b), span=value.span)
        case "__hneg2", (a,):
            return Unary(UnaryOp.NEG, part(a), span=value.span)
        case name, operands if name in _SCALAR_NAME:
            parts = tuple(part(x) for x in operands)
            return Call(_SCALAR_NAME[name], parts, element, span=value.span)
        case "__half22float2" | "__bfloat1622float2", (a,):
            return Cast(part(a), F32, span=value.span)
        case "__float22half2_rn" | "__float22bfloat162_rn", (a,):
            return Cast(part(a), element, span=value.span)
        case "__floats2half2_rn" | "__floats2bfloat162_rn", (a, b):
            return Cast(a if path[0] == "x" else b, element, span=value.span)
        case (
            "__half2half2" | "__bfloat162bfloat162" | "__float2half2_rn" | "__float2bfloat162_rn",
            (a,),
        ):
            return Cast(a, element, span=value.span) if a.type != element else a
        case "__halves2half2" | "__halves2bfloat162" | "make_half2" | "make_bfloat162", (a, b):
            return a if path[0] == "x" else b
    return None
