"""Operations among the lanes of a warp on abstract values."""

from __future__ import annotations

import numpy as np

from migrate.ir.lanes import WARP
from migrate.lifting.idioms.folds import Flags, FoldOp, Rows, combine, unknown

_FOLDS = {"reduce_add": FoldOp.SUM, "reduce_max": FoldOp.MAX, "reduce_min": FoldOp.MIN}


def followed(op: str) -> bool:
    """Whether the result of an operation is more than unknown."""
    return op.startswith("shfl") or op in _FOLDS


def exchanged(op: str, operands: list[Rows], must: Flags) -> Rows:
    """The result of a followed operation (:class:`migrate.ir.lanes.Exchange`) in which the lanes
    of ``must`` certainly take part."""
    if op in _FOLDS:
        members, value = operands
        return _folded(_FOLDS[op], members, value, must)
    value, amount, width = operands
    return _shuffled(op, value, amount, width, must)


def _shuffled(op: str, value: Rows, amount: Rows, width: Rows, must: Flags) -> Rows:
    lanes = value.size
    lane = np.arange(lanes)
    if not (amount.is_known() and width.is_known()):
        return unknown(value.kind, lanes)
    w = width.number.astype(np.int64)
    by = amount.number.astype(np.int64)
    first = lane & ~(w - 1)
    match op:
        case "shfl":
            source, inside = first + (by & (w - 1)), np.ones(lanes, np.bool_)
        case "shfl_up":
            source, inside = lane - by, lane - by >= first
        case "shfl_down":
            source, inside = lane + by, lane + by < first + w
        case _:
            source, inside = lane ^ by, (lane ^ by) < first + w
    source = np.where(inside, source, lane)
    there = (source >= 0) & (source < lanes)
    safe = np.where(there, source, lane)
    made = value.take(safe)
    made.forget(~(there & must[safe]))
    return made


def _folded(op: FoldOp, members: Rows, value: Rows, must: Flags) -> Rows:
    made = unknown(value.kind, value.size)
    whole = members.is_known() and bool((members.number == 0xFFFFFFFF).all())
    if not whole or not must.all() or value.size % WARP:
        return made
    for warp in range(0, value.size, WARP):
        total = value.take(np.array([warp]))
        for k in range(warp + 1, warp + WARP):
            total = combine(op, total, value.take(np.array([k])))
        made.put(np.arange(warp, warp + WARP), total.take(np.zeros(WARP, np.int64)))
    return made
