"""Ascend 910B kernels: a tile program as vector code over the unified buffer.

Every core takes runs of lanes in turn, those of all rows in one sequence. A row is one value of the
thread and block indices that are not lanes. The length of a run is as large as the buffers allow;
with two buffers a queue the copies of one run overlap the computation of another.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from migrate.backends.ascendc.kernel_text import (
    EmitResult,
    KernelRefusal,
    KernelText,
)
from migrate.backends.ascendc.simd_blocks import emit_blocks
from migrate.backends.ascendc.simd_dialect import TARGET
from migrate.backends.ascendc.simd_helpers import TILES
from migrate.backends.ascendc.simd_launcher import launcher_text
from migrate.backends.ascendc.simd_ops import TYPE_NAMES
from migrate.backends.ascendc.simd_run import RunText
from migrate.backends.ascendc.simt import SimtContext
from migrate.backends.clike import Writer
from migrate.backends.clike_dialect import Prec, Unprintable
from migrate.core.span import NO_SPAN
from migrate.ir.expr import Expr
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Stmt
from migrate.ir.tile import (
    Apply,
    Choose,
    Clip,
    Compare,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    TileBreak,
    TileContinue,
    TileFor,
    TileIf,
    TileRef,
    TileScope,
    TileStmt,
    TileWhile,
    Uniform,
)
from migrate.rules.model import Form


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


class _Emitter(RunText):
    """Writes one kernel and its launcher."""

    # --- the kernel

    def emit(self) -> KernelText:
        """The whole text."""
        self.dialect.needs.helper(TILES)
        body = Writer(depth=2)
        self._body(body, self.k.body)
        w = Writer()
        self._head(w)
        w.depth = 1
        self.buffers(w)
        self.prologue(w)
        self.loop_head(w)
        offset = len(w.lines)
        w.lines += body.lines
        w.origins += [replace(o, line=o.line + offset) for o in body.origins]
        w.line("}")
        w.depth = 0
        w.line("}")
        needs = self.dialect.needs
        return KernelText(
            definition=w.text(),
            launcher=launcher_text(self.k, self.name, self.sizes(), self.dialect, self.context),
            includes=("kernel_operator.h", *needs.includes),
            prelude=tuple(needs.prelude),
            lines=tuple(w.origins),
        )

    def _head(self, w: Writer) -> None:
        params = [self.dialect.declare(p.type, p.name) for p in self.k.params]
        params.append(f"int {self.threads}")
        params += [f"uint32_t {self.names[v]}" for v in self.sizes()]
        w.line(f"__global__ __vector__ void {self.name}({', '.join(params)})", self.k.span)
        w.line("{")

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
                self.simple(w, stmt, fresh)
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

    def simple(self, w: Writer, stmt: Stmt, fresh: bool) -> None:
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
