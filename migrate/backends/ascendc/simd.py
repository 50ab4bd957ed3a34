"""Ascend 910B kernels: a tile program as vector code over the unified buffer.

Every core takes runs of lanes in turn, those of all rows in one sequence. A row is one value of the
thread and block indices that are not lanes. The length of a run is as large as the buffers allow;
with two buffers a queue the copies of one run overlap the computation of another.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from migrate.backends.ascendc.kernel_text import (
    LAUNCH_NAMES,
    EmitResult,
    KernelRefusal,
    KernelText,
)
from migrate.backends.ascendc.names import free_name
from migrate.backends.ascendc.simd_blocks import emit_blocks
from migrate.backends.ascendc.simd_dialect import TARGET, SimdDialect
from migrate.backends.ascendc.simd_helpers import TILES
from migrate.backends.ascendc.simd_indices import index_vars, walk_tiles
from migrate.backends.ascendc.simd_lanes import LaneCode
from migrate.backends.ascendc.simd_launcher import launcher_text
from migrate.backends.ascendc.simd_ops import TYPE_NAMES, VectorPrinter
from migrate.backends.ascendc.simt import SimtContext
from migrate.backends.clike import CPrinter, Writer
from migrate.backends.clike_dialect import Prec, Unprintable
from migrate.core.span import NO_SPAN
from migrate.core.targets import Target, TargetFacts, target_facts
from migrate.ir.expr import Builtin, Expr, IndexVar
from migrate.ir.kernel import Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Stmt
from migrate.ir.tile import (
    MAX_QUEUE_BUFFERS,
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneAxis,
    LaneLoop,
    Map,
    TileBreak,
    TileContinue,
    TileDecl,
    TileFor,
    TileIf,
    TileKernel,
    TileRef,
    TileScope,
    TileStmt,
    TileWhile,
    Uniform,
)
from migrate.ir.walk import declared_names
from migrate.rules.model import Form

_SELECT_BYTES = 8 * 1024
"""Select takes this much of the unified buffer for itself (vendor page "Select", constraints)."""
_SLOT_SPARE = 256
_LONGEST = 16384
_GRANULE = 256
"""Runs are multiples of this: whole registers of every type, and whole words of mask bits."""


def emit_kernel(lifted: Lifted, context: SimtContext) -> EmitResult:
    """A kernel and its launcher, or why there is none."""
    try:
        if lifted.lanes is not None and lifted.body is not None:
            return emit_blocks(lifted.lanes, lifted.body, lifted.module, context)
        if lifted.tile is None:
            return KernelRefusal(lifted.diagnostics)
        return _Emitter(lifted.tile, lifted.module, context).emit()
    except Unprintable as fault:
        d = replace(fault.diagnostic, kernel=lifted.source.symbol, target=TARGET)
        at = lifted.source.span if d.span == NO_SPAN else d.span
        return KernelRefusal((replace(d, span=at),))


class _Emitter:
    """Writes one kernel and its launcher."""

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

    def _sizes(self) -> list[IndexVar]:
        return [v for v in self.names if v.builtin in (Builtin.GRID_DIM, Builtin.BLOCK_DIM)]

    # --- text of expressions

    def text(self, e: Expr) -> str:
        """A uniform expression."""
        return self.printer.exprs.exact(self.code.expr(e)).at(Prec.ASSIGN)

    def index(self, e: Expr) -> str:
        """An offset in elements, added to a pointer."""
        return self.printer.exprs._integer(self.code.expr(e)).at(Prec.MUL)

    # --- the kernel

    def emit(self) -> KernelText:
        """The whole text."""
        self.dialect.needs.helper(TILES)
        body = Writer(depth=2)
        self._body(body, self.k.body)
        w = Writer()
        self._head(w)
        w.depth = 1
        self._buffers(w)
        self._prologue(w)
        self._loop_head(w)
        offset = len(w.lines)
        w.lines += body.lines
        w.origins += [replace(o, line=o.line + offset) for o in body.origins]
        w.line("}")
        w.depth = 0
        w.line("}")
        needs = self.dialect.needs
        return KernelText(
            definition=w.text(),
            launcher=launcher_text(self.k, self.name, self._sizes(), self.dialect, self.context),
            includes=("kernel_operator.h", *needs.includes),
            prelude=tuple(needs.prelude),
            lines=tuple(w.origins),
        )

    def _head(self, w: Writer) -> None:
        params = [self.dialect.declare(p.type, p.name) for p in self.k.params]
        params.append(f"int {self.threads}")
        params += [f"uint32_t {self.names[v]}" for v in self._sizes()]
        w.line(f"__global__ __vector__ void {self.name}({', '.join(params)})", self.k.span)
        w.line("{")

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
            raise NoRoom(f"{per_lane:.0f} bytes a lane")
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

    def _buffers(self, w: Writer) -> None:
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

    def _prologue(self, w: Writer) -> None:
        for s in self.k.prologue:
            w.comment(s.note)
            self._simple(w, s.stmt, s.fresh)
        threads = self.threads
        limit = (
            threads
            if self.k.limit is None
            else (f"tiles::Clamp({self.text(self.k.limit)}, {threads})")
        )
        w.line(f"const int {self.lanes} = {limit};")

    def _loop_head(self, w: Writer) -> None:
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

    # --- statements

    def _body(self, w: Writer, body: tuple[TileStmt, ...]) -> None:
        """A statement list; queue tiles loaded in it are given back at its end."""
        self._live.append([])
        for s in body:
            self._before(w, s)
            w.comment(s.note)
            self._stmt(w, s)
        ended = bool(body) and isinstance(body[-1], TileBreak | TileContinue)
        for t in self._live.pop() if not ended else ():
            w.line(f"{self.queue(t.name)}.FreeTensor({t.name});")

    def _before(self, w: Writer, s: TileStmt) -> None:
        """Takes buffers for the copies out that a statement writes."""
        for name in sorted(_written(s)):
            t = self.k.tile(name)
            if t.scope is TileScope.OUT and name not in self._open:
                word = TYPE_NAMES[t.type.kind]
                queue = self.queue(name)
                w.line(f"AscendC::LocalTensor<{word}> {name} = {queue}.AllocTensor<{word}>();")
                self._open.add(name)

    def _stmt(self, w: Writer, s: TileStmt) -> None:
        match s:
            case CopyIn():
                self._copy_in(w, s)
            case CopyOut():
                self._copy_out(w, s)
            case Map():
                w.line(self.vector.map(s), s.span)
            case Compare():
                w.line(self.vector.compare(s), s.span)
            case Choose():
                w.line(self.vector.choose(s), s.span)
            case Apply():
                self._apply(w, s)
            case LaneLoop():
                self._lane_loop(w, s)
            case Uniform(stmt, fresh):
                self._simple(w, stmt, fresh)
            case TileIf(cond, then, other):
                w.line(f"if ({self._condition(cond)}) {{", s.span)
                self._block(w, then)
                if other:
                    w.line("} else {")
                    self._block(w, other)
                w.line("}")
            case TileFor():
                self._for(w, s)
            case TileWhile(cond, body, at_end):
                head = "do {" if at_end else f"while ({self._condition(cond)}) {{"
                w.line(head, s.span)
                self._loop_body(w, body)
                w.line(f"}} while ({self._condition(cond)});" if at_end else "}")
            case TileBreak() | TileContinue():
                for frame in self._live[self._loops[-1] :]:
                    for t in frame:
                        w.line(f"{self.queue(t.name)}.FreeTensor({t.name});")
                w.line("break;" if isinstance(s, TileBreak) else "continue;")
            case Clip():
                self._clip(w, s)
            case _:
                assert_never(s)

    def _condition(self, e: Expr) -> str:
        return self.printer.exprs.condition(self.code.expr(e)).text

    def _block(self, w: Writer, body: tuple[TileStmt, ...]) -> None:
        w.depth += 1
        self._body(w, body)
        w.depth -= 1

    def _loop_body(self, w: Writer, body: tuple[TileStmt, ...]) -> None:
        self._loops.append(len(self._live))
        self._block(w, body)
        self._loops.pop()

    def _for(self, w: Writer, s: TileFor) -> None:
        init = self.printer._for_init(self._uniform_stmts(s.init))
        step = self.printer._for_step(self._uniform_stmts(s.step))
        if init is None or step is None:
            w.line("{")
            w.depth += 1
            for u in s.init:
                self._stmt(w, u)
            init = ""
        w.line(f"for ({init}; {self._condition(s.cond)};{' ' + step if step else ''}) {{", s.span)
        self._loop_body(w, s.body)
        if step is None:
            w.depth += 1
            for u in s.step:
                self._stmt(w, u)
            w.depth -= 1
        w.line("}")
        if init == "" and s.init:
            w.depth -= 1
            w.line("}")

    def _uniform_stmts(self, body: tuple[TileStmt, ...]) -> tuple[Stmt, ...]:
        plain = tuple(s.stmt for s in body if isinstance(s, Uniform))
        return self.code.stmts(plain)

    def _clip(self, w: Writer, s: Clip) -> None:
        outer, first = self.count, self.first
        kept = self.fresh("kept")
        keep = outer if s.keep is None else f"tiles::Clamp({self.text(s.keep)}, {outer})"
        w.line(f"const int {kept} = {keep};", s.span)
        if s.skip is None:
            w.line(f"if ({kept} > 0) {{")
            self.count = self.vector.count = kept
            self._block(w, s.body)
        else:
            skipped, start = self.fresh("skipped"), self.fresh(self.k.lane_name)
            rest = self.fresh("count")
            w.line(f"const int {skipped} = tiles::Clamp({self.text(s.skip)}, {outer});")
            w.line(f"if ({skipped} < {kept}) {{")
            w.depth += 1
            w.line(f"const int {start} = {first} + {skipped};")
            w.line(f"const int {rest} = {kept} - {skipped};")
            w.depth -= 1
            self.count = self.vector.count = rest
            self.first = self.code.first = start
            self._block(w, s.body)
        w.line("}")
        self.count = self.vector.count = outer
        self.first = self.code.first = first

    def _copy_in(self, w: Writer, s: CopyIn) -> None:
        t = self.k.tile(s.tile.name)
        word, queue = TYPE_NAMES[t.type.kind], self.queue(t.name)
        if s.ordered:
            w.line("tiles::Wait<AscendC::HardEvent::MTE3_MTE2>();")
        w.line(f"AscendC::LocalTensor<{word}> {t.name} = {queue}.AllocTensor<{word}>();")
        w.line(
            f"tiles::Load<{word}>({t.name}, {self._at(s.pointer, s.index)}, {self.count});", s.span
        )
        w.line(f"{queue}.EnQue({t.name});")
        w.line(f"{t.name} = {queue}.DeQue<{word}>();")
        self._live[-1].append(t)

    def _copy_out(self, w: Writer, s: CopyOut) -> None:
        t = self.k.tile(s.tile.name)
        word, queue = TYPE_NAMES[t.type.kind], self.queue(t.name)
        w.line(f"{queue}.EnQue({t.name});")
        w.line(f"{t.name} = {queue}.DeQue<{word}>();")
        w.line(
            f"tiles::Store<{word}>({self._at(s.pointer, s.index)}, {t.name}, {self.count});", s.span
        )
        w.line(f"{queue}.FreeTensor({t.name});")
        self._open.discard(t.name)

    def _at(self, pointer: Expr, index: Expr) -> str:
        base = self.printer.exprs.expr(self.code.expr(pointer)).at(Prec.ADD)
        offset = self.index(index)
        return base if offset == "0" else f"{base} + {offset}"

    def _apply(self, w: Writer, s: Apply) -> None:
        types = tuple(a.type for a in s.args)
        rule = self.context.catalogue.intrinsic(s.name, types)
        tiles = tuple(isinstance(a, TileRef) for a in s.args)
        form = (
            Form.VECTOR
            if all(tiles)
            else Form.VECTOR_TS
            if tiles == (True, False)
            else Form.VECTOR_ST
        )
        spelling = None if rule is None else rule.spelling(TARGET, form, types)
        if spelling is None:
            raise TypeError(f"lifting chose {s.name}, which has no vector form")
        self.dialect.needs.spelled(spelling)
        args = [self.vector.ref(a) if isinstance(a, TileRef) else self.text(a) for a in s.args]
        names = {"dst": self.vector.ref(s.dst), "count": self.count}
        for x, buffer in zip(spelling.scratch, s.scratch, strict=True):
            names[x.name] = self.vector.ref(buffer)
        for row in spelling.fill(args, names).strip().split("\n"):
            w.line(row, s.span)

    def _simple(self, w: Writer, stmt: Stmt, fresh: bool) -> None:
        if fresh:
            w.line("tiles::Wait<AscendC::HardEvent::MTE3_S>();")
        self.printer.stmts(w, self.code.stmts((stmt,), fresh=fresh))

    # --- lane loops

    def _lane_loop(self, w: Writer, s: LaneLoop) -> None:
        scopes = {self.k.tile(n).scope for n in (*s.reads, *s.writes)}
        before, after = [], []
        if scopes:
            before.append("V_S")
            after.append("S_V")
        if TileScope.IN in scopes:
            before.append("MTE2_S")
            after.append("S_MTE2")
        if TileScope.OUT in scopes:
            before.append("MTE3_S")
            after.append("S_MTE3")
        elif s.fresh and self._copies_out():
            before.append("MTE3_S")
        for event in before:
            w.line(f"tiles::Wait<AscendC::HardEvent::{event}>();")
        lane = self.lane
        w.line(f"for (int {lane} = 0; {lane} < {self.count}; ++{lane}) {{", s.span)
        w.depth += 1
        self.printer.stmts(w, self.code.lane_loop(s, self.fresh))
        w.depth -= 1
        w.line("}")
        for event in after:
            w.line(f"tiles::Wait<AscendC::HardEvent::{event}>();")

    def _copies_out(self) -> bool:
        return any(isinstance(s, CopyOut) for s in self.all)


class NoRoom(Exception):
    """The buffers of one run of 256 lanes do not fit; lifting must use fewer."""


def _written(s: TileStmt) -> set[str]:
    match s:
        case Map(dst) | Choose(dst) | Apply(dst):
            return {dst.name}
        case Compare(mask):
            return {mask.name}
        case LaneLoop(_, _, writes):
            return set(writes)
        case _:
            return set()
