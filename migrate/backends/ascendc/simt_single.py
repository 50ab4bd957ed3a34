"""``--double fp32``: double precision done in single, with the memory layout kept.

Host code and captured buffers hold doubles, so arrays of double stay arrays of 64-bit patterns: a
load converts the pattern to float (rounding to nearest even), a store writes the pattern of the
float. Values in registers, local and shared arrays become float. What cannot keep its layout
(structs and device variables with double members, atomics, pointers whose memory is not known)
keeps its double and is refused by the emitter.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

import numpy as np

from migrate.core.codes import target as codes
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.targets import Target
from migrate.ir.expr import (
    Binary,
    Bitcast,
    Call,
    Cast,
    Const,
    Expr,
    FieldPlace,
    Place,
    PtrElem,
    Read,
)
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.node import Node
from migrate.ir.simt import Assign, Atomic, Stmt
from migrate.ir.types import F32, F64, U64, Array, Kind, Pointer, Scalar, Space, Type, Vector
from migrate.ir.walk import all_exprs, root, walk_stmts
from migrate.rules.catalogue import Catalogue

LOAD = "singleFromDouble"
"""The helper that reads a double's pattern as a float."""
STORE = "doubleFromSingle"
"""The helper that gives the pattern of a float as a double."""

HELPERS = {
    LOAD: """// A double from memory, rounded to the nearest float.
__aicore__ inline float singleFromDouble(uint64_t bits)
{
    const uint32_t sign = (uint32_t)(bits >> 63) << 31;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & 0xfffffffffffffull;
    if (exponent == 1024) {
        return __uint_as_float(sign | 0x7f800000u | (fraction != 0 ? 0x400000u : 0u));
    }
    if (exponent < -150) {
        return __uint_as_float(sign);
    }
    int shift = 29;
    uint64_t biased = (uint64_t)(exponent + 127) << 23;
    if (exponent < -126) {
        fraction |= 1ull << 52;
        shift = -97 - exponent;
        biased = 0;
    }
    const uint64_t half = 1ull << (shift - 1);
    const uint64_t rest = fraction & (half * 2 - 1);
    uint64_t kept = fraction >> shift;
    kept += rest > half || (rest == half && (kept & 1) != 0);
    const uint64_t value = biased + kept;
    return __uint_as_float(sign | (value < 0x7f800000u ? (uint32_t)value : 0x7f800000u));
}
""",
    STORE: """// The bits of a float's value as a double.
__aicore__ inline uint64_t doubleFromSingle(float value)
{
    const uint32_t bits = __float_as_uint(value);
    const uint64_t sign = (uint64_t)(bits >> 31) << 63;
    int exponent = (int)(bits >> 23 & 0xff);
    uint32_t fraction = bits & 0x7fffff;
    if (exponent == 255) {
        return sign | 0x7ff0000000000000ull | (uint64_t)fraction << 29;
    }
    if (exponent == 0) {
        if (fraction == 0) {
            return sign;
        }
        exponent = 1;
        while ((fraction & 0x800000) == 0) {
            fraction <<= 1;
            --exponent;
        }
        fraction &= 0x7fffff;
    }
    return sign | (uint64_t)(exponent + 896) << 52 | (uint64_t)fraction << 29;
}
""",
}

_MEMORY = frozenset({Space.GLOBAL, Space.CONSTANT})
_N = TypeVar("_N")


class _Keep(Exception):
    """A construct whose doubles have to stay."""


def in_single(kernel: Kernel, module: Module, catalogue: Catalogue) -> Kernel | None:
    """The kernel with doubles done in float; nothing when some have to stay."""
    try:
        return _Single(module, catalogue).whole(kernel)
    except _Keep:
        return None


def module_in_single(module: Module, catalogue: Catalogue) -> Module:
    """The module with every device function done in float that can be."""
    out: list[Function] = []
    for f in module.functions:
        try:
            out.append(_Single(module, catalogue).whole(f))
        except _Keep:
            out.append(f)
    return replace(module, functions=tuple(out))


def weaker(kernel: Kernel) -> Diagnostic:
    """What the report says of a kernel that was done in float."""
    return Diagnostic(
        codes.NO_DOUBLE,
        Outcome.WEAKER,
        f"{kernel.name} computes in single precision (--double fp32)",
        kernel.span,
        kernel=kernel.symbol,
        target=Target.ASCEND_950.value,
    )


class _Single:
    """Rebuilds nodes bottom-up, since types stand in the nodes themselves."""

    def __init__(self, module: Module, catalogue: Catalogue) -> None:
        self.module, self.catalogue = module, catalogue
        self.globals = {g.name for g in module.globals}

    def whole(self, item: _N) -> _N:
        """A kernel or function."""
        body = cast("Kernel | Function", item).body
        for e in all_exprs(body):
            if isinstance(e, Bitcast) and F64 in (e.type, e.operand.type):
                raise _Keep
        for s in walk_stmts(body):
            if isinstance(s, Atomic) and s.place.type == F64:
                raise _Keep
        return cast("_N", self.node(item))

    def type(self, t: Type) -> Type:
        """A type without doubles."""
        match t:
            case Scalar(Kind.F64):
                return F32
            case Vector(element=Scalar(Kind.F64)):
                raise _Keep
            case Array(element, length):
                return Array(self.type(element), length)
            case Pointer(pointee, space) if pointee == F64:
                if space in _MEMORY:
                    return replace(t, pointee=U64)
                if space is Space.GENERIC:
                    raise _Keep
                return replace(t, pointee=F32)
            case Pointer(pointee):
                return replace(t, pointee=self.type(pointee))
            case _:
                return t

    def node(self, n: object) -> object:
        """Any part of the tree."""
        if isinstance(n, Scalar | Vector | Pointer | Array):
            return self.type(n)
        if isinstance(n, tuple):
            return tuple(self.node(x) for x in n)
        if not is_dataclass(n) or isinstance(n, type) or not _is_tree(n):
            return n
        special = self._special(n)
        if special is not None:
            return special
        return self.plain(n)

    def plain(self, n: object) -> object:
        """The same node over rebuilt parts."""
        if not is_dataclass(n) or isinstance(n, type):
            return n
        changes = {f.name: self.node(getattr(n, f.name)) for f in fields(n) if f.name != "span"}
        return replace(n, **changes)

    def _special(self, n: object) -> object | None:
        match n:
            case Const(value, t) if t == F64:
                return Const(float(np.float32(value)), F32, span=n.span)
            case Cast(operand, t) if {t, operand.type} <= {F32, F64}:
                return self.node(operand)
            case Read(place) if place.type == F64:
                inner = cast("Place", self.place(place))
                if not self.in_memory(place):
                    return Read(inner, span=n.span)
                return Call(LOAD, (Read(inner, span=n.span),), F32, span=n.span)
            case Assign(place, value) if place.type == F64 and self.in_memory(place):
                inner = cast("Place", self.place(place))
                single = cast("Expr", self.node(value))
                return replace(n, place=inner, value=Call(STORE, (single,), U64, span=n.span))
            case Call(name, args) if _has_double(n):
                return self.call(n, name, tuple(cast("Expr", self.node(a)) for a in args))
            case Binary(op, lhs, rhs) if F64 in (lhs.type, rhs.type):
                a, b = cast("Expr", self.node(lhs)), cast("Expr", self.node(rhs))
                return Binary(op, a, b, span=n.span)
            case _:
                return None

    def place(self, p: Place) -> object:
        """A place, with the checks on what it is part of."""
        base = root(p)
        named = (
            base.name
            if not isinstance(base, PtrElem | FieldPlace) and hasattr(base, "name")
            else ""
        )
        if named in self.globals:
            raise _Keep
        at = p
        while not isinstance(at, PtrElem) and hasattr(at, "base"):
            if isinstance(at, FieldPlace) and at.type == F64:
                raise _Keep
            at = at.base
        return self.plain(p)

    def in_memory(self, p: Place) -> bool:
        """True for an element of an array that host and device share."""
        base = root(p)
        if not isinstance(base, PtrElem):
            return False
        kind = base.pointer.type
        return isinstance(kind, Pointer) and kind.space in _MEMORY

    def call(self, n: Call, name: str, args: tuple[Expr, ...]) -> Call:
        """The float function of the same meaning."""
        types = tuple(a.type for a in args)
        plain = name.removeprefix("std::").removeprefix("::")
        renamed = {"max": "fmaxf", "min": "fminf", "abs": "fabsf"}.get(plain, f"{plain}f")
        for trial in (renamed, plain):
            rule = self.catalogue.intrinsic(trial, types)
            if rule is not None:
                result = F32 if n.type == F64 else n.type
                return Call(trial, args, result, span=n.span)
        raise _Keep


def _is_tree(n: object) -> bool:
    return isinstance(n, Node) or type(n).__module__.startswith("migrate.ir")


def _has_double(c: Call) -> bool:
    return c.type == F64 or any(a.type == F64 for a in c.args)


def uses_double(body: tuple[Stmt, ...]) -> bool:
    """True when an expression of the body is double."""
    return any(e.type == F64 for e in all_exprs(body))
