"""How tightly Python's operators bind."""

from __future__ import annotations

from migrate.ir.expr import BinaryOp

OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(12)

PRECEDENCE = {
    BinaryOp.LOR: OR, BinaryOp.LAND: AND, BinaryOp.OR: BIT_OR, BinaryOp.XOR: BIT_XOR,
    BinaryOp.AND: BIT_AND, BinaryOp.SHL: SHIFT, BinaryOp.SHR: SHIFT, BinaryOp.ADD: SUM,
    BinaryOp.SUB: SUM, BinaryOp.MUL: PRODUCT, BinaryOp.DIV: PRODUCT,
}  # fmt: skip

Part = tuple[str, int]
"""Python text and its precedence."""
