"""In which order a fold was made, told by a fingerprint of its tree.

Sums of floats depend on their order. A sum is lifted only when it is made in one of these orders,
which the C stand-in of a reduction can follow, so that the comparison with the original is between
equal sums (a GPU's own reduction has an order of its own, as CUDA's had).

* ``halves``: lane ``l`` takes in lane ``l + half``, for half = n/2, n/4 ... 1;
* ``warps``: the same within each warp of 32, then over the results of the warps;
* ``neighbours``: stride 1, 2, 4 ...: lane ``l`` takes in lane ``l + stride``;
* ``serial``: one lane after the other, from the first;
* ``warps, then serial``: halves within each warp, then its results one after the other;
* ``neighbours, then serial``: neighbours within each warp, then its results one after the other.

Prefix sums have orders of their own:

* ``doubling``: element ``i`` takes in element ``i - step``, for step = 1, 2, 4 ...;
* ``warps``: the same within each 32 elements, then over the totals of those, then both together;
* ``tree``: totals up a tree of halves, then down it, each right child with its left neighbour;
* ``serial``: one element after the other.

A node's fingerprint is a symmetric function of those of its two operands: ``a + b`` is ``b + a``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
_NONE = np.uint64(0)
WARP = 32


def mixed(a: Words, b: Words) -> Words:
    """The fingerprint of ``a op b``; 0 stands for an operand that is not there."""
    with np.errstate(over="ignore"):
        both = (a + b) * np.uint64(0x9E3779B97F4A7C15)
        product = a * b
        both ^= (product ^ (product >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    made: Words = np.where(a == _NONE, b, np.where(b == _NONE, a, both))
    return made


def _halves(words: Words) -> int:
    length = 1 << max(len(words) - 1, 0).bit_length()
    left = np.zeros(length, np.uint64)
    left[: len(words)] = words
    while length > 1:
        length //= 2
        left = mixed(left[:length], left[length:])
    return int(left[0])


def _warps(words: Words) -> int:
    results = [_halves(words[at : at + WARP]) for at in range(0, len(words), WARP)]
    return _halves(np.array([*results, *[0] * (WARP - len(results))], np.uint64))


def _neighbours(words: Words) -> int:
    left = words
    while len(left) > 1:
        if len(left) % 2:
            left = np.append(left, _NONE)
        left = mixed(left[::2], left[1::2])
    return int(left[0])


def _serial(words: Words) -> int:
    total = words[:1]
    for at in range(1, len(words)):
        total = mixed(total, words[at : at + 1])
    return int(total[0])


def _then_serial(within: Callable[[Words], int]) -> Callable[[Words], int]:
    def found(words: Words) -> int:
        results = [within(words[at : at + WARP]) for at in range(0, len(words), WARP)]
        return _serial(np.array(results, np.uint64))

    return found


ORDERS: dict[str, Callable[[Words], int]] = {
    "halves": _halves,
    "warps": _warps,
    "neighbours": _neighbours,
    "serial": _serial,
    "warps, then serial": _then_serial(_halves),
    "neighbours, then serial": _then_serial(_neighbours),
}
"""The orders that the stand-in knows, the preferred one first."""


def orders_of(found: int, words: Words) -> frozenset[str]:
    """The orders in which a fold over lanes with these fingerprints gives ``found``."""
    if len(words) > WARP * WARP:
        return frozenset()
    return frozenset(name for name, made in ORDERS.items() if made(words) == found)


def _doubling(words: Words) -> Words:
    step = 1
    while step < len(words):
        words = mixed(words, np.concatenate([np.zeros(step, np.uint64), words[:-step]]))
        step *= 2
    return words


def _by_warps(words: Words) -> Words:
    parts = [_doubling(words[at : at + WARP]) for at in range(0, len(words), WARP)]
    before = _doubling(np.array([part[-1] for part in parts], np.uint64))
    rest = (mixed(part, before[k : k + 1]) for k, part in enumerate(parts[1:]))
    sums: Words = np.concatenate([parts[0], *rest])
    return sums


def _up_and_down(words: Words) -> Words:
    length = 1 << max(len(words) - 1, 0).bit_length()
    tree = np.zeros(length, np.uint64)
    tree[: len(words)] = words
    step = 1
    while step < length:
        tree[2 * step - 1 :: 2 * step] = mixed(
            tree[2 * step - 1 :: 2 * step], tree[step - 1 :: 2 * step]
        )
        step *= 2
    total, tree[-1] = tree[-1], _NONE
    while step > 1:
        step //= 2
        left = tree[step - 1 :: 2 * step].copy()
        tree[step - 1 :: 2 * step] = tree[2 * step - 1 :: 2 * step]
        tree[2 * step - 1 :: 2 * step] = mixed(tree[2 * step - 1 :: 2 * step], left)
    sums: Words = np.append(tree[1:], total)[: len(words)]
    return sums


def _one_by_one(words: Words) -> Words:
    sums: Words = words.copy()
    for at in range(1, len(words)):
        sums[at : at + 1] = mixed(sums[at - 1 : at], words[at : at + 1])
    return sums


SCANS: dict[str, Callable[[Words], Words]] = {
    "doubling": _doubling,
    "warps": _by_warps,
    "tree": _up_and_down,
    "serial": _one_by_one,
}
"""The fingerprints of all prefix sums, in the orders that the stand-in knows."""
