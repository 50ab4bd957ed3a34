"""A kernel whose threads work together, on the tile rung: ``T.Parallel`` and operations on tiles.

::

    region { partial = x[i] }              for tx in T.Parallel(threads):
                                               partial[tx] = x[i]
    reduce total = sum(partial)            T.reduce_sum(partial, total)
    region { if (t == 0) ... total }       for tx in T.Parallel(threads):
                                               if tx == 0: ... total[0]

Values of lanes are fragments, results of reductions fragments of one element. TileLang's C target
takes no reductions of fragments: there ``T`` is a stand-in that writes them as loops
(``templates/tilelang/tile.py``).

TileLang's reductions over a number of threads that is no power of two have given wrong numbers
(tile-ai/tilelang issue 2542): where such blocks are allowed the tile is as long as the next power,
and the rest of it holds the value that changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from migrate.backends.tilelang.body import INDENT, BodyWriter
from migrate.backends.tilelang.dtypes import value_type
from migrate.backends.tilelang.kernel_text import LaunchAxis
from migrate.backends.tilelang.lane_text import LaneKernelWriter, python_condition
from migrate.core.rung import Rung
from migrate.ir.expr import ArrElem, Binary, BinaryOp, Const, Expr, Read, VarPlace
from migrate.ir.lane_code import EachLane, Fold, LaneCode, Repeat, Step, Sums, walk_steps
from migrate.ir.lanes import BlockArray, LaneBuffer
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Assign, Atomic, Declare, For, Stmt
from migrate.ir.types import Scalar
from migrate.ir.walk import assigned_names, walk_stmts
from migrate.rules.catalogue import Catalogue

_SCANNING = 32
"""The smallest number of threads that ``T.cumsum`` takes; it has to be a power of two. Source:
TileLang's ``scan.h``."""
_REDUCTIONS = {"sum": "T.reduce_sum", "max": "T.reduce_max", "min": "T.reduce_min"}


class BlockKernelWriter(LaneKernelWriter):
    """Writes one program of tiles. ``entry`` is the wrapper's name in the module."""

    def __init__(self, lifted: Lifted, code: LaneCode, catalogue: Catalogue, entry: str) -> None:
        super().__init__(replace(lifted, rung=Rung.LANES), code, catalogue, entry)
        counts = (s for x in walk_steps(code.body) if isinstance(x, EachLane) for s in x.body)
        if not any(isinstance(s, Atomic) for s in walk_stmts(tuple(counts))):
            self._shared = set()  # TileLang itself orders what happens to tiles
        folds = [s for s in walk_steps(code.body) if isinstance(s, Fold)]
        self._folded = {s.value: s.op for s in folds}
        self._totals = {s.result for s in folds}
        scans = [s for s in walk_steps(code.body) if isinstance(s, Sums)]
        self._orders = [f'"{folds[0].order}"'] if folds else []
        self._orders += [f'scan="{scans[0].order}"'] if scans else []
        self._least = _SCANNING if scans else 1
        sizes = [_is_power(e, self._least) for e in code.program.requires]
        self._padded = bool(folds or scans) and not any(sizes)
        """Whether the tiles of lanes have to be longer than the block."""
        self._width = self._names.fresh("width") if self._padded else self._threads

    # --- names

    def _name_axes(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> None:
        """A block is one row of threads: the lane is ``threadIdx.x``."""
        super()._name_axes(used, flat)
        self._indices[("thread", "x")] = self._lane_name
        self._indices[("block_dim", "x")] = self._threads

    def _static_params(self, flat: list[LaunchAxis]) -> list[str]:
        return [f"{self._threads}: int"]

    def _static_arguments(self, flat: list[LaunchAxis]) -> list[str]:
        return ["launch.lanes"]

    def _head(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> list[str]:
        lines = super()._head(used, flat)
        at = 3
        lines.insert(at, f"{INDENT}T = language({', '.join(['target', *self._orders])})")
        if self._padded:
            power = f"1 << ({self._threads} - 1).bit_length()"
            power = f"max({self._least}, {power})" if self._least > 1 else power
            lines.insert(at + 1, f"{INDENT}{self._width} = {power}")
        return lines

    # --- the kernel

    def _memory(self, w: BodyWriter, counted: frozenset[str]) -> None:
        for a in self._code.arrays:
            self._tile(w, a)
        for b in self._code.buffers:
            self._fragment(w, b)
        for v in self._code.variables:
            name = self._names.of(v.name)
            if v.name in self._totals:
                w.line(3, f'{name} = T.alloc_fragment((1,), "{value_type(v.type)}")')
            elif v.name not in counted:
                w.line(3, f'{name} = T.alloc_var("{value_type(v.type)}")')

    def _tile(self, w: BodyWriter, a: BlockArray) -> None:
        shape = f"{a.length // a.columns}, {a.columns}" if a.columns else f"{a.length},"
        shape = f"{self._threads}," if a.per_lane else shape
        name = self._names.of(a.name)
        w.line(3, f'{name} = T.alloc_shared(({shape}), "{value_type(a.element)}")', a.span)

    def _fragment(self, w: BodyWriter, b: LaneBuffer) -> None:
        if not isinstance(b.type, Scalar):
            raise TypeError(f"{b.name} is an array of each lane")
        name = self._names.of(b.name)
        w.line(3, f'{name} = T.alloc_fragment(({self._width},), "{value_type(b.type)}")')
        op = self._folded.get(b.name)
        if op is not None and self._padded and not self._begins(b.name):
            w.line(3, f"T.fill({name}, {_rest(op, b.type)})")

    def _begins(self, name: str) -> bool:
        """Whether a tile is filled with what changes nothing before lanes put anything in."""
        for s in walk_steps(self._code.body):
            if isinstance(s, EachLane):
                fills = [f for x in s.body if (f := self._filled(x)) is not None]
                if any(f[0] == name for f in fills) and len(fills) == len(s.body):
                    return True
                if name in assigned_names(s.body):
                    return False
        return False

    def _filled(self, s: Stmt) -> tuple[str, Const] | None:
        """The tile that a statement fills with one number, where all of the tile can take it."""
        match s:
            case Assign(ArrElem(VarPlace(name), Read(at)), Const() as value) if (
                at == self._code.lane
            ):
                op = self._folded.get(name)
                if not self._padded or op is None or value.value == _unchanging(op, value.type):
                    return name, value
                return None
            case _:
                return None

    def _operation(self, w: BodyWriter, s: Fold | Sums, depth: int) -> None:
        if isinstance(s, Sums):
            w.line(depth, f"T.cumsum({self._names.of(s.array)})", s.span)
            return
        value, result = self._names.of(s.value), self._names.of(s.result)
        w.line(depth, f"{_REDUCTIONS[s.op]}({value}, {result})", s.span)

    def _each_lane(self, w: BodyWriter, s: EachLane, depth: int) -> None:
        body = s.body
        if s.box:
            names = ", ".join(self._names.of(name) for name, _ in s.box)
            sizes = ", ".join(str(size) for _, size in s.box)
            w.line(depth, f"for {names} in T.Parallel({sizes}):", s.span)
            w.body(body, depth + 1)
            return
        fills = [self._filled(s) for s in body]
        if all(f is not None for f in fills):
            for name, value in filter(None, fills):
                text = self._spell.typed(value)
                tile = self._names.of(name)
                w.line(depth, f"T.fill({tile}, {text})" if value.value else f"T.clear({tile})")
            return
        w.line(depth, f"for {self._lane_name} in T.Parallel({self._width}):")
        if self._padded:
            depth += 1
            w.line(depth, f"if {self._lane_name} < {self._threads}:")
        w.body(body, depth + 1)

    def _range(self, w: BodyWriter, loop: For, s: Step, depth: int) -> None:
        """Rounds over tiles: ``T.ceildiv`` of what is divided up."""
        assert isinstance(s, Repeat)
        found = _divided(loop)
        if found is None:
            super()._range(w, loop, s, depth)
            return
        name = self._names.of(found.name)
        whole, tile = self._spell.bound(found.whole), self._spell.bound(found.tile)
        w.line(depth, f"for {name} in T.serial(T.ceildiv({whole}, {tile})):", s.span)
        self._steps(w, s.body, depth + 1)

    # --- the launch

    def _requirements(self) -> tuple[tuple[str, str], ...]:
        tests = [python_condition(e) for e in self._code.program.requires]
        message = "the reduction was not proven for this block"
        return ((" and ".join(tests), message),) if tests else ()


@dataclass(frozen=True, slots=True)
class _Rounds:
    name: str
    whole: Expr
    tile: Expr


def _divided(loop: For) -> _Rounds | None:
    """``for (k = 0; k < (whole + tile - 1) / tile; ++k)``."""
    match loop:
        case For(
            (Declare(name, _, Const(0)),),
            Binary(
                BinaryOp.LT,
                _,
                Binary(BinaryOp.DIV, Binary(BinaryOp.ADD, whole, less), tile),
            ),
            (Assign(_, Binary(BinaryOp.ADD, _, Const(1))),),
        ):
            pass
        case _:
            return None
    match less, tile:
        case (Binary(BinaryOp.SUB, again, Const(1)), _) if again == tile:
            return _Rounds(name, whole, tile)
        case (Const(a), Const(b)) if int(a) == int(b) - 1:
            return _Rounds(name, whole, tile)
        case _:
            return None


def _is_power(e: object, least: int) -> bool:
    """Whether a condition leaves nothing but powers of two from ``least`` on, as in
    ``x & (x - 1) == 0``."""
    match e:
        case Binary(BinaryOp.EQ, Binary(BinaryOp.AND), Const(0)):
            return least == 1
        case Binary(BinaryOp.EQ, _, Const(n)):
            return int(n) > 1 and int(n) >= least and int(n) & (int(n) - 1) == 0
        case Binary(BinaryOp.LOR, a, b):
            return _is_power(a, least) and _is_power(b, least)
        case _:
            return False


def _unchanging(op: str, kind: Scalar) -> float:
    """The number that changes nothing in a reduction."""
    if op == "sum":
        return 0
    if kind.is_float:
        return -math.inf if op == "max" else math.inf
    low = -(1 << (kind.bits - 1)) if kind.is_signed else 0
    return low if op == "max" else low + (1 << kind.bits) - 1


def _rest(op: str, kind: Scalar) -> str:
    """The same as TileLang."""
    dtype = value_type(kind)
    if op == "sum":
        return "0"
    if kind.is_float:
        return f'-T.infinity("{dtype}")' if op == "max" else f'T.infinity("{dtype}")'
    return f'T.min_value("{dtype}")' if op == "max" else f'T.max_value("{dtype}")'
