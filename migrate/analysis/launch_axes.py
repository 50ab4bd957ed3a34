"""How a kernel uses each axis of its launch: the fact that decides whether it can be re-tiled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from migrate.ir.expr import Binary, BinaryOp, Builtin, Cast, Expr, IndexVar, Read, VarPlace
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Declare, Stmt
from migrate.ir.types import U32, Scalar
from migrate.ir.walk import Rewriter, all_exprs, assigned_names, walk_expr

AXES = ("x", "y", "z")


class AxisUse(Enum):
    """What a kernel reads of one launch axis."""

    UNUSED = "unused"
    FLAT = "flat"
    """Only ``blockIdx * blockDim + threadIdx`` and ``gridDim * blockDim``."""
    BLOCK = "block"
    """The block's index or the number of blocks, nothing of the threads in it."""
    SPLIT = "split"
    """Block and thread by themselves."""


@dataclass(frozen=True, slots=True)
class LaunchAxes:
    """The use of all three axes."""

    x: AxisUse
    y: AxisUse
    z: AxisUse

    def of(self, axis: str) -> AxisUse:
        """By the axis' name."""
        return {"x": self.x, "y": self.y, "z": self.z}[axis]

    def split(self) -> LaunchAxes:
        """The same with every flat axis kept as block and thread."""
        return LaunchAxes(*(AxisUse.SPLIT if u is AxisUse.FLAT else u for u in self._all))

    @property
    def _all(self) -> tuple[AxisUse, AxisUse, AxisUse]:
        return (self.x, self.y, self.z)

    @property
    def is_map(self) -> bool:
        """No axis depends on the size of a block: blocks can be merged and cut anew."""
        return AxisUse.SPLIT not in self._all


def global_index(axis: str) -> Binary:
    """The canonical ``blockIdx * blockDim + threadIdx`` of an axis, in u32."""
    block, dim = IndexVar(Builtin.BLOCK, axis), IndexVar(Builtin.BLOCK_DIM, axis)
    thread = IndexVar(Builtin.THREAD, axis)
    return Binary(BinaryOp.ADD, Binary(BinaryOp.MUL, block, dim), thread)


def global_count(axis: str) -> Binary:
    """The canonical ``gridDim * blockDim`` of an axis, in u32."""
    grid, dim = IndexVar(Builtin.GRID_DIM, axis), IndexVar(Builtin.BLOCK_DIM, axis)
    return Binary(BinaryOp.MUL, grid, dim)


def _plain(e: Expr) -> Expr:
    """Without casts between integers of at least 32 bits."""
    while isinstance(e, Cast) and _wide(e.type) and _wide(e.operand.type):
        e = e.operand
    return e


def _wide(kind: object) -> bool:
    return isinstance(kind, Scalar) and kind.is_integer and kind.bits >= 32


def _terms(e: Expr) -> list[Expr]:
    """The summands of a sum in one type."""
    if isinstance(e, Binary) and e.op is BinaryOp.ADD:
        return [*_terms(e.lhs), *_terms(e.rhs)]
    if isinstance(e, Cast) and _wide(e.type) and _wide(e.operand.type):
        inner = e.operand
        if isinstance(inner, Binary) and inner.op is BinaryOp.ADD and global_axis(inner):
            return _terms(inner)
    return [e]


def _product(e: Expr, a: Builtin, b: Builtin) -> str | None:
    """The axis when ``e`` is the product of two built-ins of one axis."""
    e = _plain(e)
    if not isinstance(e, Binary) or e.op is not BinaryOp.MUL:
        return None
    lhs, rhs = _plain(e.lhs), _plain(e.rhs)
    if not isinstance(lhs, IndexVar) or not isinstance(rhs, IndexVar) or lhs.axis != rhs.axis:
        return None
    return lhs.axis if {lhs.builtin, rhs.builtin} == {a, b} else None


def global_axis(e: Expr) -> str | None:
    """The axis when ``e`` is exactly ``blockIdx * blockDim + threadIdx``, casts aside."""
    if not isinstance(e, Binary) or e.op is not BinaryOp.ADD:
        return None
    for block, thread in ((e.lhs, e.rhs), (e.rhs, e.lhs)):
        axis = _product(block, Builtin.BLOCK, Builtin.BLOCK_DIM)
        inner = _plain(thread)
        if axis and isinstance(inner, IndexVar) and inner.builtin is Builtin.THREAD:
            if inner.axis == axis:
                return axis
    return None


def count_axis(e: Expr) -> str | None:
    """The axis when ``e`` is ``gridDim * blockDim``, casts aside."""
    if not isinstance(e, Binary):
        return None
    return _product(e, Builtin.GRID_DIM, Builtin.BLOCK_DIM)


def canonical_index(e: Expr) -> Expr | None:
    """A sum that holds the global index, or the global count, in canonical form.

    Exact when the launch has fewer than 2^31 threads along the axis, which launchers check: then
    all integer types of 32 bits and more agree on both values.
    """
    if not isinstance(e, Binary) or not isinstance(e.type, Scalar) or not _wide(e.type):
        return None
    axis = count_axis(e)
    if axis:
        return _typed(global_count(axis), e.type)
    if e.op is not BinaryOp.ADD:
        return None
    axis = global_axis(e)
    if axis:
        return _typed(global_index(axis), e.type)
    return _regrouped(e, e.type)


def _typed(e: Binary, kind: Scalar) -> Expr:
    return e if kind == U32 else Cast(e, kind)


def _regrouped(e: Binary, kind: Scalar) -> Expr | None:
    terms = _terms(e)
    for i, block in enumerate(terms):
        axis = _product(block, Builtin.BLOCK, Builtin.BLOCK_DIM)
        if axis is None:
            continue
        for j, thread in enumerate(terms):
            inner = _plain(thread)
            if isinstance(inner, IndexVar) and inner == IndexVar(Builtin.THREAD, axis):
                rest = [t for at, t in enumerate(terms) if at not in (i, j)]
                if any(t.type != kind for t in rest):
                    return None
                total: Expr = _typed(global_index(axis), kind)
                for t in rest:
                    total = Binary(BinaryOp.ADD, total, t, span=e.span)
                return total
    return None


def with_canonical_indices(kernel: Kernel) -> tuple[Stmt, ...]:
    """The body with index variables put in place and every global index canonical."""
    body = kernel.body
    assigned = assigned_names(body)
    values: dict[str, Expr] = {}

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        if isinstance(s, Declare) and s.init is not None and s.name not in assigned:
            if isinstance(_plain(s.init), IndexVar) and _wide(s.type):
                values[s.name] = s.init
                return ()
        return None

    def expr(e: Expr) -> Expr | None:
        if isinstance(e, Read) and isinstance(e.place, VarPlace) and e.place.name in values:
            return values[e.place.name]
        return canonical_index(e)

    return Rewriter(expr=expr, stmt=stmt).body(body)


def launch_axes(body: tuple[Stmt, ...]) -> LaunchAxes:
    """The use of each axis in a body with canonical indices."""
    left: dict[str, set[Builtin]] = {a: set() for a in AXES}
    flat: set[str] = set()
    hidden: set[int] = set()
    for e in all_exprs(body):
        axis = _canonical_axis(e)
        if axis is not None and id(e) not in hidden:
            flat.add(axis)
            _hide(e, hidden)
        elif isinstance(e, IndexVar) and id(e) not in hidden:
            left[e.axis].add(e.builtin)
    return LaunchAxes(*(_use(left[a], a in flat) for a in AXES))


def _canonical_axis(e: Expr) -> str | None:
    for axis in AXES:
        if e in (global_index(axis), global_count(axis)):
            return axis
    return None


def _hide(e: Expr, hidden: set[int]) -> None:
    hidden.update(id(x) for x in walk_expr(e))


def _use(left: set[Builtin], flat: bool) -> AxisUse:
    if not left:
        return AxisUse.FLAT if flat else AxisUse.UNUSED
    if not flat and not left & {Builtin.THREAD, Builtin.BLOCK_DIM}:
        return AxisUse.BLOCK
    return AxisUse.SPLIT
