"""What a run of a lane program on abstract values shows: groups of values, and who reads them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from migrate.ir.expr import Read
from migrate.ir.types import Scalar
from migrate.lifting.idioms.folds import Flags, FoldOp, Places, Rows, State, seeds, weights
from migrate.lifting.idioms.orders import orders_of


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a group is made: by the store ``of``, or in ``buffer`` at the end of a region."""

    of: int
    buffer: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Values of some lanes at one point of the run."""

    seed: Seed
    kind: Scalar
    members: Flags
    region: int


@dataclass(frozen=True, slots=True)
class Whole:
    """What a place reads: the fold over all members of a group, and over ``floor``. ``orders``
    are the known orders in which it can have been made."""

    seed: Seed
    op: FoldOp
    floor: float
    orders: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(slots=True)
class Trace:
    """What a run showed. ``reads``: by the identity of a :class:`Read`, the one whole fold that it
    always is, or None. ``members`` says for each seed which lanes its groups have."""

    reads: dict[int, Whole | None] = field(default_factory=dict)
    members: dict[Seed, Flags | None] = field(default_factory=dict)
    kinds: dict[Seed, Scalar] = field(default_factory=dict)


class Recorder:
    """Writes the trace of a run of ``lanes`` threads."""

    def __init__(self, lanes: int) -> None:
        self.trace = Trace()
        self._lanes = lanes
        self._weights = weights(lanes)
        self._known_orders: dict[tuple[int, bytes], frozenset[str]] = {}
        self._groups: list[Group] = []
        self._latest: dict[Seed, int] = {}
        self._region = 0

    def next_region(self) -> None:
        """Lanes have met: what is stored from now on is of another region."""
        self._region += 1

    def seeded(self, value: Rows, lost: Places, seed: Seed) -> None:
        """The values of the lanes ``lost``, of which nothing is known, become a group."""
        if lost.size:
            value.put(lost, self._group(seed, value.kind, lost))

    def _group(self, seed: Seed, kind: Scalar, members: Places) -> Rows:
        flags = np.zeros(self._lanes, np.bool_)
        flags[members] = True
        found = self.trace.members.setdefault(seed, flags)
        if found is not None and not np.array_equal(found, flags):
            self.trace.members[seed] = None
        self.trace.kinds[seed] = kind
        self._groups.append(Group(seed, kind, flags, self._region))
        self._latest[seed] = len(self._groups) - 1
        return seeds(kind, len(self._groups) - 1, self._weights[members])

    def note(self, e: Read, value: Rows, may: Flags) -> None:
        """The lanes of ``may`` read ``value``."""
        found = self._whole(value, may)
        before = self.trace.reads.get(id(e), found)
        if before != found:
            found = None
        elif found is not None and before is not None:
            found = replace(found, orders=found.orders & before.orders)
        self.trace.reads[id(e)] = found

    def _whole(self, value: Rows, may: Flags) -> Whole | None:
        at = np.flatnonzero(may)
        if not at.size or (value.state[at] != State.FOLD).any():
            return None
        first = at[0]
        number = int(value.group[first])
        group = self._groups[number]
        alike = (value.group[at] == number) & (value.op[at] == value.op[first])
        alike &= value.floor[at] == value.floor[first]
        whole = self._weights[group.members].sum(axis=0)
        full = (value.weight[at] == whole).all()
        if not alike.all() or not full or self._latest[group.seed] != number:
            return None
        if group.region == self._region and not group.seed.buffer:
            return None
        op, floor = FoldOp(int(value.op[first])), float(value.floor[first])
        orders = frozenset[str]()
        if (value.order[at] == value.order[first]).all():
            orders = self._orders(int(value.order[first]), group)
        return Whole(group.seed, op, floor, orders)

    def _orders(self, found: int, group: Group) -> frozenset[str]:
        key = (found, group.members.tobytes())
        if key not in self._known_orders:
            words = np.where(group.members, self._weights[:, 0], np.uint64(0))
            self._known_orders[key] = orders_of(found, words)
        return self._known_orders[key]
