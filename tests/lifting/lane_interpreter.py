"""Runs written-out lane programs on the interpreter of the SIMT dialect, lanes in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from support.interpreter import Address, Memory, Thread, Value

from migrate.analysis.constants import wrap
from migrate.ir.expr import Builtin
from migrate.ir.kernel import Module
from migrate.ir.lane_code import EachLane, Fold, LaneCode, Repeat, Single, Step, Sums, Test
from migrate.ir.types import I32, Array, Scalar, Type

Order = Callable[[int], Iterable[int]]
"""The lanes of a block of that size, in the order in which they run."""


class Block(Thread):
    """One block of a lane program. Memory that nobody wrote cannot be read."""

    def __init__(
        self, code: LaneCode, module: Module, block: tuple[int, int, int], order: Order
    ) -> None:
        self._dims = {
            Builtin.THREAD: (0, 0, 0),
            Builtin.BLOCK: (0, 0, 0),
            Builtin.BLOCK_DIM: block,
            Builtin.GRID_DIM: (1, 1, 1),
        }
        super().__init__(module, {}, self._dims)
        self._code = code
        self._block = block
        self._order = order
        self._pointers: dict[int, Address] = {}

    def run(self, args: dict[str, Value]) -> None:
        """Run the block with the parameters' values."""
        code = self._code
        x, y, z = self._block
        threads = x * y * z
        frame: dict[str, Memory] = {}
        self._frames.append(frame)
        for p in code.program.params:
            frame[p.name] = self._storage(p.type)
            self._store(Address(frame[p.name], 0), p.type, args[p.name])
        self._set(code.threads.name, threads)
        for a in code.arrays:
            length = threads if a.per_lane else a.length
            frame[a.name] = self._storage(Array(a.element, length))
        for b in code.buffers:
            slots: Type = Array(b.type, threads)
            frame[b.name] = self._storage(slots)
        for v in code.variables:
            frame[v.name] = self._storage(v.type)
        self._steps(code.body, threads)

    def _set(self, name: str, value: int) -> None:
        self._frames[-1][name] = self._storage(I32)
        self._store(Address(self._frames[-1][name], 0), I32, value)

    def _steps(self, steps: tuple[Step, ...], threads: int) -> None:
        for s in steps:
            match s:
                case EachLane(body, _, box) if box:
                    for point in product(*(self._order(size) for _, size in box)):
                        for (name, _), number in zip(box, point, strict=True):
                            self._set(name, number)
                        self._run(body)
                case EachLane(body):
                    for lane in self._order(threads):
                        x, y, _ = self._block
                        at = (lane % x, lane // x % y, lane // (x * y))
                        self._dims[Builtin.THREAD] = at
                        self._set(self._code.lane.name, lane)
                        self._run(body)
                case Single(body):
                    self._run(body)
                case Test(cond, then, other):
                    self._steps(then if self._eval(cond) else other, threads)
                case Repeat(cond, body, step):
                    while self._eval(cond):
                        self._steps((*body, *step), threads)
                case Fold():
                    self._fold(s, threads)
                case Sums():
                    self._sums(s, threads)

    def _sums(self, s: Sums, threads: int) -> None:
        array = next(a for a in self._code.arrays if a.name == s.array)
        kind, place = array.element, self._frames[-1][s.array]
        total = 0
        for k in range(threads if array.per_lane else array.length):
            value = self._load(Address(place, k * kind.bytes), kind)
            assert isinstance(value, int)
            total = wrap(total + value, kind)
            self._store(Address(place, k * kind.bytes), kind, total)

    def _fold(self, s: Fold, threads: int) -> None:
        kind = next(b.type for b in self._code.buffers if b.name == s.value)
        assert isinstance(kind, Scalar)
        slots = self._frames[-1][s.value]
        found = [self._load(Address(slots, k * kind.bytes), kind) for k in range(threads)]
        numbers = [v for v in found if isinstance(v, int | float)]
        assert len(numbers) == threads
        total = {"sum": sum, "max": max, "min": min}[s.op](numbers)
        self._store(Address(self._frames[-1][s.result], 0), kind, total)
