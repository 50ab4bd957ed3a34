"""What steps of a lane program set."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    Branch,
    Exchange,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    Scan,
    walk_lanes,
)
from migrate.ir.walk import assigned_names


def changed_names(body: tuple[LaneStmt, ...]) -> Iterator[str]:
    """The names that steps set."""
    for s in walk_lanes(body):
        match s:
            case Region(inner):
                yield from assigned_names(inner)
            case BlockAssign(name) | Reduce(_, name):
                yield name
            case Exchange(_, result):
                yield result
            case Scan(array):
                yield array
            case Branch() | Loop() | AnyLane():
                pass
            case _:
                assert_never(s)
