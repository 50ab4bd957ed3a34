"""New names that read like the old ones and clash with none of them."""

from __future__ import annotations

from collections.abc import Iterable

from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.lanes import LaneKernel, Region, walk_lanes
from migrate.ir.walk import declared_names


class Names:
    """Hands out names that are new in one kernel."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """``wanted`` itself, or with the smallest number that makes it new."""
        name, count = wanted, 1
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name


def names_of(kernel: Kernel | Function, module: Module) -> Names:
    """A name source that knows the kernel's own names and the module's globals."""
    taken = {p.name for p in kernel.params} | declared_names(kernel.body)
    return Names(taken | {g.name for g in module.globals})


def lane_names(program: LaneKernel) -> Names:
    """A name source that knows the names of a lane program and of its regions."""
    taken = set(program.types())
    for s in walk_lanes(program.body):
        if isinstance(s, Region):
            taken |= declared_names(s.body)
    return Names(taken)
