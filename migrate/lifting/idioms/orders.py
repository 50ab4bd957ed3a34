"""In which order a fold was made, told by a fingerprint of its tree.

Sums of floats depend on their order. A sum is lifted only when it is made in one of these orders,
which the C stand-in of a reduction can follow, so that the comparison with the original is between
equal sums (a GPU's own reduction has an order of its own, as CUDA's had).

* ``halves``: lane ``l`` takes in lane ``l + half``, for half = n/2, n/4 ... 1;
* ``warps``: the same within each warp of 32, then over the results of the warps;
* ``neighbours``: stride 1, 2, 4 ...: lane ``l`` takes in lane ``l + stride``;
* ``serial``: one lane after the other, from the first.

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


ORDERS: dict[str, Callable[[Words], int]] = {
    "halves": _halves,
    "warps": _warps,
    "neighbours": _neighbours,
    "serial": _serial,
}
"""The orders that the stand-in knows, the preferred one first."""


def orders_of(found: int, words: Words) -> frozenset[str]:
    """The orders in which a fold over lanes with these fingerprints gives ``found``."""
    if len(words) > WARP * WARP:
        return frozenset()
    return frozenset(name for name, made in ORDERS.items() if made(words) == found)
