"""What is said of matrix products on TileLang: those that stay loops, those of tensor cores."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.core.codes.lifting import PRODUCT_IN_LOOPS, PRODUCT_ON_TENSOR_CORES
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.ir.lanes import LaneKernel
from migrate.ir.tile_code import Multiply, TileCode, walk_tile_steps
from migrate.ir.types import Kind
from migrate.lifting.idioms.products import Product, products

_FACTORS = frozenset({Kind.F16, Kind.BF16, Kind.F64, Kind.I8, Kind.U8})
"""What tensor cores multiply as it is. Source: PTX ISA, the types of ``mma``."""

_BYTES = 32
"""The depth of TileLang's instructions for bytes on 16 rows. Source: its ``instruction/mma.h``."""


def product_notes(program: LaneKernel) -> Iterator[Diagnostic]:
    """A note for each product that is proven to be one, with why it is no ``T.gemm``."""
    for p in products(program):
        yield Diagnostic(PRODUCT_IN_LOOPS, Outcome.EXACT, f"{_sizes(p)}; {_reason(p)}", p.span)


def tensor_notes(code: TileCode) -> Iterator[Diagnostic]:
    """A note for each product that became one of the target."""
    sizes = {t.name: f"{t.name}[{t.rows}, {t.columns}]" for t in code.tiles}
    for s in walk_tile_steps(code.body):
        if isinstance(s, Multiply):
            turned = (s.transposed_left, s.transposed_right)
            left, right = (
                sizes[n] + (" transposed" if t else "")
                for n, t in zip((s.left, s.right), turned, strict=True)
            )
            cause = (
                f"{sizes[s.result]} += {left} @ {right}: proven equal on the C target, "
                "a GPU adds up in another order"
            )
            yield Diagnostic(PRODUCT_ON_TENSOR_CORES, Outcome.EXACT, cause, s.span)


def _sizes(p: Product) -> str:
    x, y = p.block
    left, right = f"{p.left.array}[{p.rows}, {p.depth}]", f"{p.right.array}[{p.depth}, {p.columns}]"
    return f"{p.result}[{p.rows}, {p.columns}] += {left} @ {right} in a block of {x} x {y}"


def _reason(p: Product) -> str:
    kind = p.left.element
    if Kind.F32 in (p.left.element.kind, p.right.element.kind):
        return "T.gemm would round f32 to TF32"
    if kind.kind not in _FACTORS or p.right.element != kind:
        return f"tensor cores take no {kind} and {p.right.element}"
    if kind.bits == 8 and p.depth % _BYTES:
        return f"TileLang has no instruction for {kind} {p.depth} deep"
    return f"T.gemm is not emitted for sums of {p.rows} x {p.columns} and {kind} {p.depth} deep"
