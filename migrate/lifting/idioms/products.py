"""Matrix products over staged tiles: what the lanes of a block add up together.

    region { for (d = 0; d < 16; d = d + 1) {          sum[16, 16] grows by
      sum = (sum + (a.[(ty * 16) + d]                  a[16, 16] times b[16, 16]
                  * b.[(d * 16) + tx])) } }

No shape of code is looked for. A region is run for one size of block, all lanes at once, with the
elements of shared arrays as symbols; what an accumulator holds behind it is its old value and a
list of products of two elements each, in order. That is a product of two matrices if

* all accumulators have products of elements of the same two arrays, and equally many (the depth);
* those that have their left factors in common make a row, those with their right factors in common
  a column, and each row meets each column in one accumulator, of one lane;
* rows share no elements, columns share none, and the elements lie at constant strides, one of which
  is 1 in each array.

Nothing else may be stored to shared or device memory in the region: then the tiles are, for all
lanes, what they were when the region began, whatever the order of lanes. What is found is a fact
about the kernel; it is not rewritten (``docs/idioms/matmul.md`` says why).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from migrate.core.span import Span
from migrate.ir.expr import ArrElem, Binary, BinaryOp, Call, Expr, Read, VarPlace
from migrate.ir.lanes import LaneKernel, Region, walk_lanes
from migrate.ir.simt import For
from migrate.ir.types import Scalar
from migrate.ir.walk import all_exprs, walk_expr, walk_stmts
from migrate.lifting.idioms.symbols import FUSED, Block, NotFollowed, OutOfRange, Sum, sums_of

_MOST_LANES = 1024


@dataclass(frozen=True, slots=True)
class Matrix:
    """A shared array as a factor: its name, the type of its elements, and how far apart two
    neighbours along the depth, and two rows (columns of the right factor) lie."""

    array: str
    element: Scalar
    along: int
    across: int


@dataclass(frozen=True, slots=True)
class Product:
    """``result[rows, columns]``, a lane buffer in a block of ``block`` threads, grows by
    ``left[rows, depth]`` times ``right[depth, columns]``."""

    result: str
    left: Matrix
    right: Matrix
    rows: int
    columns: int
    depth: int
    block: Block
    span: Span


def products(program: LaneKernel) -> Iterator[Product]:
    """The matrix products of a program, each for the largest block for which it is one."""
    arrays = frozenset(a.name for a in program.arrays)
    for s in walk_lanes(program.body):
        if isinstance(s, Region) and s.mask is None and multiplies(s, arrays):
            yield from _largest(program, s)


def _largest(program: LaneKernel, s: Region) -> Iterator[Product]:
    for block in BLOCKS:
        try:
            found = _product(program, s, block)
        except OutOfRange:
            continue
        except NotFollowed:
            # Lanes part, or it does something else: a smaller block would only hide that.
            return
        if found is not None:
            yield found
            return


def _blocks() -> Iterator[Block]:
    """Blocks whose sides are powers of two: the largest first, of those the squarest."""
    powers = [1 << k for k in range(11)]
    pairs = [(x, y) for x in powers for y in powers if 16 <= x * y <= _MOST_LANES]
    yield from sorted(pairs, key=lambda p: (-p[0] * p[1], abs(p[0] - p[1]), -p[0]))


BLOCKS = tuple(_blocks())
"""The sizes of block that are tried."""


def multiplies(s: Region, arrays: frozenset[str]) -> bool:
    """Whether a loop multiplies elements of shared arrays; saves the runs where none does."""
    for x in walk_stmts(s.body):
        if isinstance(x, For):
            for e in all_exprs(x.body):
                match e:
                    case Binary(BinaryOp.MUL, a, b) if _names(a, arrays) and _names(b, arrays):
                        return True
                    case Call(name) if name in FUSED and any(_names(a, arrays) for a in e.args):
                        return True
                    case _:
                        pass
    return False


def _names(e: Expr, arrays: frozenset[str]) -> bool:
    for x in walk_expr(e):
        match x:
            case Read(ArrElem(VarPlace(name))) if name in arrays:
                return True
            case _:
                pass
    return False


@dataclass(frozen=True, slots=True)
class Placed:
    """A product with the row and the column of each sum: ``slots`` has for each slot of the lane
    buffer those of every lane."""

    product: Product
    slots: Mapping[int, tuple[NDArray[np.int64], NDArray[np.int64]]]


def _product(program: LaneKernel, s: Region, block: Block) -> Product | None:
    found = placed(program, s, block)
    return None if found is None else found.product


def placed(program: LaneKernel, s: Region, block: Block) -> Placed | None:
    """The product that a region is in a block, with the places of its sums. Raises
    :class:`migrate.lifting.idioms.symbols.NotFollowed`."""
    found = sums_of(program, s, block)
    results = {x.result for x in found}
    pairs = {(p.left.array, p.right.array) for x in found for p in x.products}
    depths = {len(x.products) for x in found}
    if len(results) != 1 or len(pairs) != 1 or len(depths) != 1 or depths == {1}:
        return None
    ((left, right),) = pairs
    (depth,) = depths
    # [accumulators, depth]
    a = np.concatenate([np.stack([p.left.at for p in x.products], axis=1) for x in found])
    b = np.concatenate([np.stack([p.right.at for p in x.products], axis=1) for x in found])
    rows, row_of = np.unique(a, axis=0, return_inverse=True)
    columns, column_of = np.unique(b, axis=0, return_inverse=True)
    meets = row_of.reshape(-1) * len(columns) + column_of.reshape(-1)
    if left == right or 1 in (len(rows), len(columns)):
        return None
    if len(a) != len(rows) * len(columns) or len(np.unique(meets)) != len(a):
        return None
    strides_a, strides_b = _strides(rows), _strides(columns)
    if strides_a is None or strides_b is None:
        return None
    first = found[0].products[0]
    product = Product(
        next(iter(results)),
        Matrix(left, first.left.element, *strides_a),
        Matrix(right, first.right.element, *strides_b),
        len(rows),
        len(columns),
        depth,
        block,
        _span(s, found[0]),
    )
    places = np.stack([row_of.reshape(-1), column_of.reshape(-1)]).reshape(2, len(found), -1)
    slots = {x.slot: (places[0, k], places[1, k]) for k, x in enumerate(found)}
    return Placed(product, slots)


def _strides(lines: NDArray[np.int64]) -> tuple[int, int] | None:
    """How far apart elements along a line, and lines, lie (0 for one line); None where that is not
    constant, where lines share elements, or where the elements are not dense one way."""
    if len(np.unique(lines)) != lines.size:
        return None
    along = np.unique(np.diff(lines, axis=1))
    across = np.unique(np.diff(lines[:, 0])) if len(lines) > 1 else np.zeros(1, np.int64)
    if len(along) != 1 or len(across) != 1 or 1 not in (abs(int(along[0])), int(across[0])):
        return None
    return int(along[0]), int(across[0])


def _span(s: Region, found: Sum) -> Span:
    return found.span if found.span.line else s.span
