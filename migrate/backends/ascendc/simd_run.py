"""What surrounds the statements of an Ascend 910B kernel: names, buffers and the loop over runs.

The length of a run is as large as the buffers allow, with two buffers a queue.
"""

from __future__ import annotations

from abc import abstractmethod

from typing_extensions import assert_never

from migrate.backends.ascendc.kernel_text import LAUNCH_NAMES
from migrate.backends.ascendc.names import free_name
from migrate.backends.ascendc.simd_dialect import TARGET, SimdDialect
from migrate.backends.ascendc.simd_indices import index_vars, walk_tiles
from migrate.backends.ascendc.simd_lanes import LaneCode
from migrate.backends.ascendc.simd_ops import TYPE_NAMES, VectorPrinter
from migrate.backends.ascendc.simt import SimtContext
from migrate.backends.clike import CPrinter, Writer
from migrate.backends.clike_dialect import Prec, refuse
from migrate.core.codes import target
from migrate.core.targets import Target, TargetFacts, target_facts
from migrate.ir.expr import Builtin, Expr, IndexVar
from migrate.ir.kernel import Module
from migrate.ir.simt import Stmt
from migrate.ir.tile import (
    MAX_QUEUE_BUFFERS,
    Apply,
    Choose,
    LaneAxis,
    LaneLoop,
    TileDecl,
    TileKernel,
    TileScope,
    Uniform,
)
from migrate.ir.walk import declared_names

_SELECT_BYTES = 8 * 1024
"""Select takes this much of the unified buffer for itself (vendor page "Select", constraints)."""
_SLOT_SPARE = 256
_LONGEST = 16384
_GRANULE = 256
"""Runs are multiples of this: whole registers of every type, and whole words of mask bits."""


class RunText:
    """The frame of one kernel; a subclass writes its statements."""

    def __init__(self, k: TileKernel, module: Module, context: SimtContext) -> None:
        self.k, self.context = k, context
        self.facts: TargetFacts = target_facts(Target.ASCEND_910B)
        self.name = context.names.get(k.symbol, k.symbol).rpartition("::")[2]
        self.all = walk_tiles(k.body)
        taken = {p.name for p in k.params} | {t.name for t in k.tiles} | set(LAUNCH_NAMES)
        taken |= {g.name for g in module.globals} | {self.name}
        declared: set[str] = set()
        for s in (*k.prologue, *self.all):
            if isinstance(s, LaneLoop | Uniform):
                body = s.body if isinstance(s, LaneLoop) else (s.stmt,)
                declared |= declared_names(body)
        self._taken = taken | declared
        self.first = self.fresh(k.lane_name)
        self.count, self.lane = self.fresh("count"), self.fresh("l")
        self.threads, self.lanes = self.fresh("threads"), self.fresh("lanes")
        self.length, self.pipe = self.fresh("length"), self.fresh("pipe")
        self.outer = self._outer_axes()
        self.names = self._index_names()
        self.dialect = SimdDialect(
            module, context.catalogue, self.names, context.structs, context.soft_double
        )
        self.dialect.lane = self.lane
        self.dialect.slot = self.fresh("slot")
        self.printer = CPrinter(self.dialect)
        self.code = LaneCode(module, frozenset(t.name for t in k.tiles), self.lane)
        self.code.first = self.first
        self.vector = VectorPrinter(lambda n: k.tile(n).type, self.text, self.length)
        self.vector.count = self.count
        self._live: list[list[TileDecl]] = []
        self._loops: list[int] = []
        self._open: set[str] = set()

    def fresh(self, name: str) -> str:
        """A name that nothing else in the kernel has."""
        return free_name(name, self._taken)

    # --- launch shape

    def _outer_axes(self) -> tuple[IndexVar, ...]:
        """The index variables that make a row; all of them where each thread must count."""
        used = [v for v in index_vars(self.k) if v.builtin in (Builtin.BLOCK, Builtin.THREAD)]
        if self.k.single_core:
            used = [IndexVar(Builtin.THREAD, a) for a in "yz"]
            used += [IndexVar(Builtin.BLOCK, a) for a in "xyz"]
            if self.k.axis is LaneAxis.GRID:
                used.remove(IndexVar(Builtin.BLOCK, "x"))
        rank = {Builtin.THREAD: 0, Builtin.BLOCK: 1}
        return tuple(sorted(used, key=lambda v: (rank[v.builtin], v.axis)))

    def _index_names(self) -> dict[IndexVar, str]:
        found = dict.fromkeys((*index_vars(self.k), *self.outer))
        for v in self.outer:
            size = Builtin.BLOCK_DIM if v.builtin is Builtin.THREAD else Builtin.GRID_DIM
            found[IndexVar(size, v.axis)] = None
        return {v: self.fresh(f"{v.builtin.value}_{v.axis}") for v in found}

    def sizes(self) -> list[IndexVar]:
        """The dimensions that a launch passes on."""
        return [v for v in self.names if v.builtin in (Builtin.GRID_DIM, Builtin.BLOCK_DIM)]

    # --- text of expressions

    def text(self, e: Expr) -> str:
        """A uniform expression."""
        return self.printer.exprs.exact(self.code.expr(e)).at(Prec.ASSIGN)

    def index(self, e: Expr) -> str:
        """An offset in elements, added to a pointer."""
        return self.printer.exprs._integer(self.code.expr(e)).at(Prec.MUL)

    @abstractmethod
    def simple(self, w: Writer, stmt: Stmt, fresh: bool) -> None:
        """A statement on uniform values; ``fresh`` for one whose names are new."""

    # --- buffers and runs

    def _bytes_per_lane(self) -> float:
        total = 0.0
        for t in self.k.tiles:
            match t.scope:
                case TileScope.IN | TileScope.OUT:
                    total += self._buffers_of(t.scope) * t.type.bytes
                case TileScope.CALC:
                    total += t.type.bytes
                case TileScope.MASK:
                    total += 1 / 8
                case _:
                    assert_never(t.scope)
        return total

    def _buffers_of(self, scope: TileScope) -> int:
        """Buffers a queue: two, or one where the chip's eight events a position do not suffice."""
        queues = sum(t.scope is scope for t in self.k.tiles)
        return 2 if 2 * queues <= MAX_QUEUE_BUFFERS else 1

    def _run_length(self) -> int:
        """Lanes a run, so that all buffers and what instructions take themselves fit."""
        room = self.facts.ub_bytes - self.dialect.needs.slot_bytes - _SLOT_SPARE
        if any(isinstance(s, Choose) for s in self.all):
            room -= _SELECT_BYTES
        per_lane = self._bytes_per_lane() + self._workspace_bytes()
        if per_lane == 0:
            return _LONGEST
        fit = int(room / per_lane) // _GRANULE * _GRANULE
        if fit < _GRANULE:
            cause = f"the vectors of a run of {_GRANULE} elements take {per_lane:.0f} bytes each"
            raise refuse(target.NO_ROOM, f"{cause}, and {room} are there", self.k.span)
        return min(fit, _LONGEST)

    def _workspace_bytes(self) -> int:
        """Room that high-level functions take from what is free, a lane.

        The vendor's tables give at most eight floats an element (Tan); the largest is assumed.
        """
        for s in self.all:
            if isinstance(s, Apply):
                types = tuple(a.type for a in s.args)
                rule = self.context.catalogue.intrinsic(s.name, types)
                entry = None if rule is None else rule.emission(TARGET, types)
                if entry is not None and any(x.type == "workspace" for x in entry.scratch):
                    return 32
        return 0

    def buffers(self, w: Writer) -> None:
        """The declarations of all buffers, and the length of the longest run."""
        if not self.k.tiles and not self.dialect.needs.slot_bytes:
            w.line(f"constexpr int longest = {_LONGEST};")
            self._longest = "longest"
            return
        self._longest = self.fresh("longest")
        w.line(f"constexpr int {self._longest} = {self._run_length()};")
        w.line(f"AscendC::TPipe {self.pipe};")
        for t in self.k.tiles:
            self._buffer(w, t)
        if self.dialect.needs.slot_bytes:
            slot = self.dialect.slot
            w.line(f"AscendC::TBuf<AscendC::TPosition::VECCALC> {slot};")
            w.line(f"{self.pipe}.InitBuffer({slot}, {self.dialect.needs.slot_bytes});")

    def _buffer(self, w: Writer, t: TileDecl) -> None:
        word = TYPE_NAMES[t.type.kind]
        size = f"{self._longest} * sizeof({word})"
        if t.scope in (TileScope.IN, TileScope.OUT):
            where = "VECIN" if t.scope is TileScope.IN else "VECOUT"
            queue = self.queue(t.name)
            w.line(f"AscendC::TQue<AscendC::TPosition::{where}, 1> {queue};")
            w.line(f"{self.pipe}.InitBuffer({queue}, {self._buffers_of(t.scope)}, {size});")
            return
        if t.scope is TileScope.MASK:
            size = f"{self._longest} / 8"
        buffer = f"{t.name}_buffer"
        w.line(f"AscendC::TBuf<AscendC::TPosition::VECCALC> {buffer};")
        w.line(f"{self.pipe}.InitBuffer({buffer}, {size});")
        w.line(f"AscendC::LocalTensor<{word}> {t.name} = {buffer}.Get<{word}>();")

    def queue(self, tile: str) -> str:
        """The name of a tile's queue."""
        return f"{tile}_queue"

    def prologue(self, w: Writer) -> None:
        """Uniform statements in front of the runs, and the number of lanes."""
        for s in self.k.prologue:
            w.comment(s.note)
            self.simple(w, s.stmt, s.fresh)
        threads = self.threads
        limit = (
            threads
            if self.k.limit is None
            else (f"tiles::Clamp({self.text(self.k.limit)}, {threads})")
        )
        w.line(f"const int {self.lanes} = {limit};")

    def loop_head(self, w: Writer) -> None:
        """The loop over runs up to the lanes of one run."""
        lanes, length = self.lanes, self.length
        runs = self.fresh("runs")
        self.run = self.fresh("run")
        empty = f"{lanes} == 0"
        rows = "1"
        if self.outer:
            rows = self.fresh("rows")
            first, *others = (self.names[self._size(v)] for v in self.outer)
            sizes = " * ".join([f"(int64_t){first}", *others])
            w.line(f"const int64_t {rows} = {sizes};")
            empty += f" || {rows} == 0"
        w.line(f"if ({empty}) {{")
        w.line("    return;")
        w.line("}")
        granule = _GRANULE if self.k.tiles else 1
        w.line(
            f"const int {length} = tiles::RunLength({lanes}, {rows}, {self._longest}, {granule});"
        )
        w.line(f"const int64_t {runs} = ({lanes} + {length} - 1) / {length};")
        total = f"{rows} * {runs}" if self.outer else runs
        if self.k.single_core:
            w.line(f"for (int64_t {self.run} = 0; {self.run} < {total}; ++{self.run}) {{")
        else:
            w.line(
                f"for (int64_t {self.run} = AscendC::GetBlockIdx(); {self.run} < {total}; "
                f"{self.run} += AscendC::GetBlockNum()) {{"
            )
        w.depth += 1
        at = f"{self.run} % {runs}" if self.outer else self.run
        w.line(f"const int {self.first} = {at} * {length};")
        w.line(
            f"const int {self.count} = {lanes} - {self.first} < {length} ? "
            f"{lanes} - {self.first} : {length};"
        )
        row = f"{self.run} / {runs}"
        for v in self.outer:
            size = self.names[self._size(v)]
            last = v == self.outer[-1]
            value = f"{row}" if last else f"{row} % {size}"
            w.line(f"const uint32_t {self.names[v]} = {value};")
            row = f"{row} / {size}"
        w.depth -= 1

    @staticmethod
    def _size(v: IndexVar) -> IndexVar:
        size = Builtin.BLOCK_DIM if v.builtin is Builtin.THREAD else Builtin.GRID_DIM
        return IndexVar(size, v.axis)
