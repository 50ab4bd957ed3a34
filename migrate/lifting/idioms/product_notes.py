"""What is said of a matrix product that stays a loop of each thread on TileLang."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.core.codes.lifting import PRODUCT_IN_LOOPS
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.ir.lanes import LaneKernel
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
    return f"T.gemm is not emitted for {kind}"
