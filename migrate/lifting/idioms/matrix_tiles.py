"""Blocks whose threads stage tiles and add up products of them, as programs of tiles.

    shared a[256], b[256]   lane sum                tile a[16, 16], b[16, 16]  fragment sum[16, 16]
    region { a.[ty * 16 + tx] = ... }               each point [16, 16] { a.[y].[x] = ... }
    region { for (d = 0; d < 16; d = d + 1) {       for d in 16:
      sum = sum + a.[ty * 16 + d]                     each point [16, 16] {
                * b.[d * 16 + tx] } }                   sum.[y].[x] = sum.[y].[x] + a.[y].[d] * ...
    region { if (...) { c[...] = sum } }            each point [16, 16] { if (...) { c[...] = } }

Every region is taken apart into its stores (:mod:`migrate.lifting.idioms.leaves`), every store is
run for one size of block (:mod:`migrate.lifting.idioms.points`), and is then written for the
elements that it stores to: the elements of a shared array, of what the threads add up (one or more
sums a thread make one matrix), or of memory that gets such a sum. Loops that say which element it
is become part of the box, others stay loops around it, in their order; so every sum has its
additions in the order of the source, and the result is the same to the bit.

Legal because

* each store fills its box: it has every element once in each round of the loops that stay, proven
  by running it; what is not filled, or twice, has no form;
* all that a store reads of its thread's number was shown to be the same affine number of the
  element at every point; sums are read of the own element alone;
* no store of a region reads an array that the region stores to, and stores that share a loop do not
  read one another's targets: then one store for all threads, and the next one after it, is one of
  the orders that CUDA allows (threads between barriers have none);
* a product that tensor cores make as well as the threads is one of the target
  (:mod:`migrate.lifting.idioms.multiply`);
* a thread that stores to memory more than once stores to places that are proven to be apart, and
  reads no memory that can be the same, but for the place itself.

Padding of a row is dropped, since nobody reads it. It holds for one size of block, which the launch
must have (``requires``); when it can be proven for two sizes, the program stays lanes, because
either may be launched.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.ir.expr import ArrElem, Builtin, Const, Expr, IndexVar, Read, VarPlace
from migrate.ir.kernel import Module
from migrate.ir.lanes import (
    BlockAssign,
    BlockVariable,
    Branch,
    LaneKernel,
    LaneStmt,
    Loop,
    Region,
    walk_lanes,
)
from migrate.ir.simt import Assign, Declare, For
from migrate.ir.tile_code import (
    BlockTile,
    Either,
    Multiply,
    Once,
    Rounds,
    Serial,
    TileCode,
    TileStep,
    walk_tile_steps,
)
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import all_exprs, walk_expr, walk_stmts
from migrate.lifting.idioms.carried import with_carried_buffers
from migrate.lifting.idioms.leaf_steps import LeafSteps
from migrate.lifting.idioms.leaves import Leaf, NoTiles, leaves_of
from migrate.lifting.idioms.multiply import threads_for
from migrate.lifting.idioms.points import Block
from migrate.lifting.idioms.products import BLOCKS
from migrate.lifting.idioms.rows import block_names
from migrate.lifting.idioms.tile_shapes import Shapes, uniform_buffers

_FEWEST, _MOST = 16, 1024
"""Threads of a block."""
_MOST_SIDES = 12
_SMALL = ((8, 1), (4, 2), (2, 4), (4, 1), (2, 2))
"""Blocks that are tried to see that there is no second one."""
Regions = dict[int, tuple[Leaf, ...]]
"""The stores of each region, by its identity."""


def matrix_tiles(program: LaneKernel, module: Module) -> TileCode | None:
    """The program of tiles, when there is one for exactly one size of block."""
    program = with_carried_buffers(program)
    if not _is_candidate(program):
        return None
    try:
        regions = {
            id(s): leaves_of(s.body) for s in walk_lanes(program.body) if isinstance(s, Region)
        }
        uniform = uniform_buffers(program, regions.values())
    except NoTiles:
        return None
    found: list[TileCode] = []
    for block in (*BLOCKS, *_odd_blocks(program), *_SMALL):
        try:
            found.append(_Builder(program, module, regions, uniform, block).run())
        except NoTiles:
            continue
        if len(found) > 1:
            return None
    return found[0] if found else None


def _odd_blocks(program: LaneKernel) -> Iterator[Block]:
    """Blocks with sides that are no powers of two, among the small numbers of the program."""
    numbers = {
        int(e.value)
        for s in walk_lanes(program.body)
        if isinstance(s, Region)
        for e in all_exprs(s.body)
        if isinstance(e, Const) and isinstance(e.value, int)
    }
    sides = sorted(n for n in numbers if 1 < n <= 1024)[:_MOST_SIDES]
    for x in sides:
        for y in (*sides, 1):
            powers = x & (x - 1) == 0 and y & (y - 1) == 0
            if not powers and _FEWEST <= x * y <= _MOST:
                yield x, y


def _is_candidate(program: LaneKernel) -> bool:
    """Whether threads stage arrays and add elements of them up in loops."""
    arrays = frozenset(a.name for a in program.arrays)
    if not arrays or any(not a.length or a.element == BOOL for a in program.arrays):
        return False
    steps = list(walk_lanes(program.body))
    if not all(isinstance(s, Region | BlockAssign | Branch | Loop) for s in steps):
        return False
    regions = [s for s in steps if isinstance(s, Region)]
    if any(_is_third(e) for s in regions for e in all_exprs(s.body)):
        return False
    buffers = frozenset(b.name for b in program.buffers)
    return all(s.mask is None for s in regions) and any(
        _adds_up(s, arrays, buffers) for s in regions
    )


def _is_third(e: Expr) -> bool:
    """Whether it asks for the block's third axis, of which one size alone is tried."""
    return (
        isinstance(e, IndexVar)
        and e.builtin in (Builtin.THREAD, Builtin.BLOCK_DIM)
        and e.axis == "z"
    )


def _adds_up(s: Region, arrays: frozenset[str], buffers: frozenset[str]) -> bool:
    for x in walk_stmts(s.body):
        if isinstance(x, For):
            for y in walk_stmts(x.body):
                match y:
                    case Assign(VarPlace(name) | ArrElem(VarPlace(name)), value) if name in buffers:
                        reads = {
                            e.place.base.name
                            for e in walk_expr(value)
                            if isinstance(e, Read)
                            and isinstance(e.place, ArrElem)
                            and isinstance(e.place.base, VarPlace)
                        }
                        if reads & arrays:
                            return True
                    case _:
                        pass
    return False


class _Builder:
    """The program for one size of block."""

    def __init__(
        self,
        program: LaneKernel,
        module: Module,
        regions: Regions,
        uniform: frozenset[str],
        block: Block,
    ) -> None:
        self._program = program
        self._regions = regions
        self._uniform = uniform
        self._block = block
        known = block_names(program).names | uniform
        known |= {p.name for p in program.params} | {g.name for g in module.globals}
        self._shapes = Shapes(program, regions, uniform, block)
        self._leaves = LeafSteps(self._shapes, uniform, known, block)
        self._kinds = {v.name: v.type for v in program.variables}

    def run(self) -> TileCode:
        """Raises :class:`NoTiles`."""
        body = self._list(self._program.body)
        tiles = self._shapes.tiles()
        if not any(t.fragment for t in tiles):
            raise NoTiles
        counters = {
            x.name
            for s in walk_tile_steps(body)
            if isinstance(s, Serial)
            for x in s.loop.init
            if isinstance(x, Declare)
        }
        variables = [v for v in self._program.variables if v.name not in counters]
        for b in self._program.buffers:
            if b.name in self._uniform and isinstance(b.type, Scalar):
                variables.append(BlockVariable(b.name, b.type))
        return TileCode(
            self._program.symbol,
            self._program.params,
            tiles,
            tuple(variables),
            self._block,
            self._threads(body, tiles),
            body,
            span=self._program.span,
        )

    def _threads(self, body: tuple[TileStep, ...], tiles: tuple[BlockTile, ...]) -> int:
        sizes = {t.name: (t.rows, t.columns) for t in tiles}
        products = [s.result for s in walk_tile_steps(body) if isinstance(s, Multiply)]
        threads = self._block[0] * self._block[1]
        if not products:
            return threads
        return threads_for(threads, tuple(sizes[name] for name in products))

    def _list(self, body: tuple[LaneStmt, ...]) -> tuple[TileStep, ...]:
        out: list[TileStep] = []
        at = 0
        while at < len(body):
            loop = self._counted(body[at : at + 2])
            if loop is None:
                out += self._step(body[at])
                at += 1
            else:
                out.append(loop)
                at += 2
        return tuple(out)

    def _step(self, s: LaneStmt) -> Iterator[TileStep]:
        once = self._leaves.uniform
        match s:
            case Region():
                yield from self._leaves.region(self._regions[id(s)])
            case BlockAssign(name, value):
                place = VarPlace(name, self._kinds[name])
                yield Once((Assign(place, once(value), span=s.span),), span=s.span)
            case Branch(cond, then, other):
                yield Either(once(cond), self._list(then), self._list(other), span=s.span)
            case Loop(cond, body, step):
                yield Rounds(once(cond), self._list((*body, *step)), span=s.span)
            case _:
                raise NoTiles

    def _counted(self, pair: tuple[LaneStmt, ...]) -> Serial | None:
        """``i = a; while (i < b) { ...; i = i + c }`` where nothing else knows ``i``."""
        match pair:
            case (
                BlockAssign(name, first),
                Loop(cond, body, (BlockAssign(again, move),)) as loop,
            ) if (
                name == again
                and _mentions((loop,), name) == _mentions(self._program.body, name) - 1
                and not any(isinstance(s, BlockAssign) and s.name == name for s in walk_lanes(body))
            ):
                pass
            case _:
                return None
        once, kind = self._leaves.uniform, self._kinds[name]
        place = VarPlace(name, kind)
        head = For(
            (Declare(name, kind, once(first)),),
            once(cond),
            (Assign(place, once(move)),),
            (),
            span=loop.span,
        )
        return Serial(head, self._list(body), span=loop.span)


def _mentions(body: tuple[LaneStmt, ...], name: str) -> int:
    """How often steps set or read a block variable."""
    count = 0
    for s in walk_lanes(body):
        match s:
            case Region(stmts):
                count += sum(_is_read(e, name) for e in all_exprs(stmts))
            case BlockAssign(again, value):
                count += (again == name) + sum(_is_read(e, name) for e in walk_expr(value))
            case Branch(cond) | Loop(cond):
                count += sum(_is_read(e, name) for e in walk_expr(cond))
            case _:
                pass
    return count


def _is_read(e: Expr, name: str) -> bool:
    match e:
        case Read(VarPlace(again)):
            return again == name
        case _:
            return False
