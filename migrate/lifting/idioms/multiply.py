"""Products of tiles that tensor cores make as well as the threads do: ``T.gemm``.

    for d in 16: each point [16, 16] {              multiply sum += a b
      sum.[y].[x] = sum.[y].[x] + a.[y].[d] * b.[d].[x] }

That the region is the product of two matrices is proven (:mod:`migrate.lifting.idioms.products`).
It is a product of the target too where that rounds no more than the source does, the order of
additions aside:

* ``half`` factors with sums of ``float``: their products are exact in ``float``;
* ``double`` with sums of ``double``: the target's fused multiplication and addition rounds once
  where the source rounds twice;
* ``int8`` with sums of ``int32``: exact.

Factors of ``float`` would be rounded to TF32, and sums of ``half`` would be rounded at other
places: they stay loops. The sizes are those of TileLang's instructions (measured on 0.1.15:
``tests/tilelang/test_gemm_facts.py``): 16 rows and columns or more, powers of two, and a depth of
whole instructions.
"""

from __future__ import annotations

from migrate.ir.tile_code import BlockTile, Multiply
from migrate.ir.types import Kind
from migrate.lifting.idioms.leaves import Leaf
from migrate.lifting.idioms.products import Matrix
from migrate.lifting.idioms.tile_shapes import Shapes

_SUMS = {Kind.F16: (Kind.F32, 16), Kind.F64: (Kind.F64, 16), Kind.I8: (Kind.I32, 32)}
"""By the type of the factors: the type of the sums, and the depth of an instruction."""
_SIDE = 16
_WARP = 32


def multiplication(leaf: Leaf, shapes: Shapes) -> Multiply | None:
    """The product that a store is, where the target has one for it."""
    if shapes.product is None or leaf is not shapes.product_leaf:
        return None
    p = shapes.product.product
    left, right, result = (shapes.tile(n) for n in (p.left.array, p.right.array, p.result))
    if p.left.element != p.right.element or p.left.element.kind not in _SUMS:
        return None
    total, depth = _SUMS[p.left.element.kind]
    if result.element.kind is not total or p.depth % depth or leaf.loops == ():
        return None
    if not (_fits(p.rows) and _fits(p.columns)):
        return None
    turned_left = _turned(left, p.left, p.rows, p.depth)
    turned_right = _turned(right, p.right, p.columns, p.depth)
    if turned_left is None or turned_right is None:
        return None
    # A right factor whose depth lies along its rows is the usual one.
    return Multiply(p.result, left.name, right.name, turned_left, not turned_right, span=leaf.span)


def _fits(side: int) -> bool:
    return side >= _SIDE and side & (side - 1) == 0


def _turned(tile: BlockTile, m: Matrix, lines: int, depth: int) -> bool | None:
    """Whether the depth goes from row to row of a tile, which has to be all of the factor."""
    if m.along == 1 and m.across > 1 and (tile.rows, tile.columns) == (lines, depth):
        return False
    if m.across == 1 and m.along > 1 and (tile.rows, tile.columns) == (depth, lines):
        return True
    return None


def threads_for(threads: int, products: tuple[tuple[int, int], ...]) -> int:
    """How many threads TileLang gets: no more than a warp for each 16 rows and columns."""
    for rows, columns in products:
        threads = min(threads, _WARP * (rows // _SIDE) * (columns // _SIDE))
    return max(_WARP, 1 << (threads.bit_length() - 1))
