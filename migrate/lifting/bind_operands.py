"""For TileLang: operands that it copies to a temporary are bound to a variable first.

The C that TileLang prints takes the bits of a value (``T.reinterpret``), and the larger of two
integers, through a temporary. Temporaries are kept by the text of their value, so a second use
after the value changed reads the old one (measured on 0.1.15, on both of its C-like targets)::

    y[i] = call<i32> max(y[i], a)          var operand: i32 = y[i]
    y[i] = call<i32> max(y[i], b)          y[i] = call<i32> max(operand, a)
                                           var operand_2: i32 = y[i]
                                           y[i] = call<i32> max(operand_2, b)

A variable that is assigned once has a name that no other value has. Buffers of bfloat16 become
buffers of i16 here, whose elements are bits.

Legal because an operand is evaluated once, right before the statement that holds it, under the same
conditions (:class:`migrate.lifting.inline.Hoister`).
"""

from __future__ import annotations

from dataclasses import replace

from migrate.core.codes import target as codes
from migrate.core.diagnostics import Sink
from migrate.ir.expr import (
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Call,
    Cast,
    Const,
    Expr,
    PtrElem,
    Read,
    Unary,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module, Param
from migrate.ir.simt import Assign, Atomic, Declare, Stmt
from migrate.ir.types import BF16, I16, I32, Pointer, Scalar
from migrate.ir.walk import Rewriter, assigned_names, walk_expr
from migrate.lifting.inline import Hoister
from migrate.lifting.naming import Names, names_of
from migrate.lifting.refusal import refuse


def bind_operands(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass; see the module."""
    kernel = bits_of_bfloat16(kernel)
    binder = Binder(names_of(kernel, module), assigned_names(kernel.body))
    body = binder.body(kernel.body, ())
    return kernel if body is kernel.body else replace(kernel, body=body)


_NO_TEMPORARY = frozenset(
    f"{name}{suffix}"
    for name in (
        "exp",
        "exp2",
        "exp10",
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sinh",
        "cosh",
        "asin",
        "acos",
        "atan",
        "atan2",
        "erf",
        "pow",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "hypot",
        "fabs",
        "fmax",
        "fmin",
        "fmod",
        "fma",
        "cbrt",
        "copysign",
        "erfc",
        "expm1",
    )
    for suffix in ("", "f")
) | {"__expf", "__logf", "__sinf", "__cosf", "__powf", "__fdividef", "__ldg", "__fmaf_rn"}
"""Functions that become plain calls."""


class _Bits(Rewriter):
    """Elements of bfloat16 buffers as i16."""

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression."""
        new = super().expr(e)
        if isinstance(e, Read) and isinstance(new, Read) and e.type == BF16:
            if isinstance(new.place, PtrElem):
                return Bitcast(new, BF16, span=e.span)
        return new


def bits_of_bfloat16(kernel: Kernel) -> Kernel:
    """The kernel with buffers of i16 in place of those of bfloat16. Raises
    :class:`migrate.lifting.refusal.Refused` for atomic operations on them."""
    params = tuple(_as_bits(p) for p in kernel.params)
    if params == kernel.params:
        return kernel
    changed = {p.name: p.type for p, q in zip(params, kernel.params, strict=True) if p != q}

    def pointer(e: Expr) -> Expr | None:
        match e:
            case Read(VarPlace(name)) if name in changed:
                return replace(e, place=VarPlace(name, changed[name]))
            case _:
                return None

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Assign(PtrElem(), value) if value.type == BF16:
                return (replace(s, value=Bitcast(value, I16, span=value.span)),)
            case Atomic(op, PtrElem(), operands) if operands[0].type == BF16:
                cause = f"atomic {op.value} on bf16 has no counterpart"
                raise refuse(codes.NO_ATOMIC, cause, s.span)
            case _:
                return None

    rewriter = _Bits(expr=pointer, stmt=stmt)
    return replace(kernel, params=params, body=rewriter.body(kernel.body))


def _as_bits(p: Param) -> Param:
    if isinstance(p.type, Pointer) and p.type.pointee == BF16:
        return replace(p, type=replace(p.type, pointee=I16))
    return p


class Binder(Hoister):
    """Binds operands in statement lists; ``mutable`` are the variables that change."""

    def __init__(self, names: Names, mutable: frozenset[str]) -> None:
        super().__init__(names)
        self._mutable = mutable

    def needs(self, e: Expr) -> bool:
        """Whether a temporary is made of a value that can change."""
        return any(self._is_copied(x) for x in walk_expr(e))

    def _is_copied(self, e: Expr) -> bool:
        match e:
            case Bitcast(operand) if _has_other_bits(operand, e):
                return self._changes(operand)
            case Call(name, args) if name not in _NO_TEMPORARY:
                return any(self._changes(a) for a in args if isinstance(a.type, Scalar))
            case Unary(_, operand) if e.type == BF16:
                return self._changes(operand)
            case Binary(op, lhs, rhs) if lhs.type == BF16 or _wraps(op, lhs, rhs):
                return self._changes(lhs) or self._changes(rhs)
            case Cast(operand, kind) if BF16 in (kind, operand.type) or _signs_differ(operand, e):
                return self._changes(operand)
            case _:
                return False

    def _changes(self, e: Expr) -> bool:
        """Whether the text of a value can mean another value later."""
        return any(
            isinstance(x, Read)
            and (
                isinstance(x.place, PtrElem | ArrElem)
                or (isinstance(x.place, VarPlace) and x.place.name in self._mutable)
            )
            for x in walk_expr(e)
        )

    def expand(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr | None:
        """The operands as variables."""
        if not self._is_copied(e):
            return None
        match e:
            case Bitcast(operand) | Cast(operand) | Unary(_, operand):
                return replace(e, operand=self._bound(operand, before, stack))
            case Binary(_, lhs, rhs):
                left, right = (self._bound(x, before, stack) for x in (lhs, rhs))
                return replace(e, lhs=left, rhs=right)
            case Call(_, args):
                return replace(e, args=tuple(self._bound(a, before, stack) for a in args))
            case _:
                return None

    def _bound(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr:
        inner = self._expr(e, before, stack)
        if not isinstance(inner.type, Scalar) or not self._changes(inner):
            return inner
        name = self._names.fresh(_wanted(inner))
        before.append(Declare(name, inner.type, inner, span=e.span))
        return Read(VarPlace(name, inner.type), span=e.span)


def _wanted(e: Expr) -> str:
    """A name that says what was read."""
    match e:
        case Read(PtrElem(Read(VarPlace(name)))) | Read(ArrElem(VarPlace(name))):
            return f"{name}_value"
        case Read(VarPlace(name)):
            return f"{name}_now"
        case _:
            return "operand"


def _has_other_bits(operand: Expr, e: Expr) -> bool:
    return operand.type != e.type


def _wraps(op: BinaryOp, lhs: Expr, rhs: Expr) -> bool:
    """A signed product with a large constant, which TileLang spells as an unsigned one."""
    if op is not BinaryOp.MUL or lhs.type != I32:
        return False
    return any(isinstance(x, Const) and abs(int(x.value)) > 46340 for x in (lhs, rhs))


def _signs_differ(operand: Expr, e: Expr) -> bool:
    """An unsigned value taken as signed, which TileLang spells as a reinterpretation."""
    source, target = operand.type, e.type
    if not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return False
    if not (source.is_integer and target.is_integer):
        return False
    return target.is_signed and target.bits >= 32 and target.bits <= source.bits
