"""Ascend 910B kernels whose threads work together: a lane program on the scalar unit.

Every core takes CUDA blocks in turn. What the threads of a block share, and what lives from one
step to the next, lies in the unified buffer; a step for each lane is a loop over the threads::

    __ubuf__ float* box = ...;
    for (uint64_t block = AscendC::GetBlockIdx(); block < blocks; block += AscendC::GetBlockNum()) {
        for (int lane = 0; lane < threads; ++lane) { box[lane] = ...; }
        for (int lane = 0; lane < threads; ++lane) { ... = box[threads - 1 - lane]; }
    }

Legal because a lane program's steps may take the lanes in any order, and the scalar unit does one
thing after the other. Kernels with atomics or output run on one core, block after block.
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import assert_never

from migrate.backends.ascendc.kernel_text import LAUNCH_NAMES, KernelText
from migrate.backends.ascendc.names import free_name
from migrate.backends.ascendc.simd_dialect import SimdDialect
from migrate.backends.ascendc.simd_helpers import TILES
from migrate.backends.ascendc.simd_lanes import LaneCode as MemoryCode
from migrate.backends.ascendc.simd_launcher import argument
from migrate.backends.ascendc.simt import SimtContext
from migrate.backends.clike import CPrinter, Writer
from migrate.backends.clike_dialect import refuse
from migrate.backends.clike_types import base_type
from migrate.core.codes import target as codes
from migrate.core.targets import Target, target_facts
from migrate.ir.expr import ArrElem, Builtin, Const, Expr, IndexVar, Place, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lane_code import (
    EachLane,
    Fold,
    LaneCode,
    Repeat,
    Single,
    Step,
    Sums,
    Test,
    walk_steps,
)
from migrate.ir.lanes import WARP
from migrate.ir.simt import Atomic, Effect, Fence, Stmt
from migrate.ir.types import I32, Array, Scalar
from migrate.ir.walk import Rewriter, all_exprs, declared_names, root, walk_expr, walk_stmts

DEFAULT_THREADS = 1024
"""Threads of a block where neither source nor launches say less: CUDA's own maximum."""
_SPARE = 8 << 10
"""Unified buffer left to instructions and to functions of single values."""
_GRANULE = 32
_UNIFIED = target_facts(Target.ASCEND_910B).ub_bytes
_AXES = ("x", "y", "z")


def emit_blocks(code: LaneCode, kernel: Kernel, module: Module, context: SimtContext) -> KernelText:
    """The kernel and its launcher. Raises ``Unprintable``."""
    return _Emitter(code, kernel, module, context).emit()


class _Emitter:
    def __init__(
        self, code: LaneCode, kernel: Kernel, module: Module, context: SimtContext
    ) -> None:
        self.code, self.kernel, self.context = code, kernel, context
        self.name = context.names.get(kernel.symbol, kernel.symbol).rpartition("::")[2]
        taken = set(code.program.types()) | {v.name for v in code.variables} | set(LAUNCH_NAMES)
        taken |= {g.name for g in module.globals} | {self.name, code.lane.name, code.threads.name}
        for body in _bodies(code.body):
            taken |= declared_names(body)
        self._taken = taken
        self.lane, self.threads = code.lane.name, code.threads.name
        self.pipe, self.block, self.blocks = (self._fresh(n) for n in ("pipe", "block", "blocks"))
        self.dynamic = self._fresh("shared_bytes")
        self.names = {
            IndexVar(builtin, axis): self._fresh(f"{builtin.value}_{axis}")
            for builtin in (Builtin.THREAD, Builtin.BLOCK, Builtin.BLOCK_DIM, Builtin.GRID_DIM)
            for axis in _AXES
        }
        self.dialect = SimdDialect(
            module, context.catalogue, self.names, context.structs, context.soft_double
        )
        self.dialect.slot = self._fresh("slot")
        self.dialect.resident = frozenset(a.name for a in code.arrays)
        self.printer = CPrinter(self.dialect)
        self.memory = MemoryCode(module, frozenset(), self.lane)
        self.scalars = Rewriter(place=self._scalar)
        self.room_is_tested = False

    def _scalar(self, p: Place) -> Place | None:
        """A shared scalar is the one element of its buffer."""
        for a in self.code.arrays:
            if a.scalar and p == VarPlace(a.name, a.element):
                return ArrElem(VarPlace(a.name, Array(a.element, 1)), Const(0, I32))
        return None

    def _fresh(self, name: str) -> str:
        return free_name(name, self._taken)

    def emit(self) -> KernelText:
        """The whole text."""
        body = Writer(depth=2)
        self._steps(body, self.code.body)
        w = Writer()
        self._head(w)
        w.depth = 1
        self._buffers(w)
        self._blocks(w)
        offset = len(w.lines)
        w.lines += body.lines
        w.origins += [replace(o, line=o.line + offset) for o in body.origins]
        w.line("}")
        w.depth = 0
        w.line("}")
        needs = self.dialect.needs
        return KernelText(
            definition=w.text(),
            launcher=self._launcher(),
            includes=("kernel_operator.h", *needs.includes),
            prelude=tuple(needs.prelude),
            lines=tuple(w.origins),
        )

    # --- what stands before the blocks

    def _sizes(self) -> list[IndexVar]:
        return [IndexVar(b, a) for b in (Builtin.BLOCK_DIM, Builtin.GRID_DIM) for a in _AXES]

    def _is_dynamic(self) -> bool:
        return any(not a.length for a in self.code.arrays)

    def _head(self, w: Writer) -> None:
        params = [self.dialect.declare(p.type, p.name) for p in self.code.program.params]
        params += [f"uint32_t {self.names[v]}" for v in self._sizes()]
        if self._is_dynamic():
            params.append(f"uint32_t {self.dynamic}")
        w.line(f"__global__ __vector__ void {self.name}({', '.join(params)})", self.kernel.span)
        w.line("{")

    def _buffers(self, w: Writer) -> None:
        sizes = (self.names[IndexVar(Builtin.BLOCK_DIM, a)] for a in _AXES)
        w.line(f"const int {self.threads} = {' * '.join(sizes)};")
        self._check_room()
        if self.code.arrays or self.code.buffers or self.dialect.needs.slot_bytes:
            w.line(f"AscendC::TPipe {self.pipe};")
        for a in self.code.arrays:
            size = f"{a.length} * sizeof({self.dialect.type(a.element)})"
            self._buffer(w, a.name, a.element, size if a.length else self.dynamic)
        for b in self.code.buffers:
            each = f"{b.type.length} * " if isinstance(b.type, Array) else ""
            size = f"{self.threads} * {each}sizeof({self.dialect.type(base_type(b.type))})"
            self._buffer(w, b.name, b.type, size)
        if self.dialect.needs.slot_bytes:
            self.dialect.needs.helper(TILES)
            w.line(f"AscendC::TBuf<AscendC::TPosition::VECCALC> {self.dialect.slot};")
            size = str(self.dialect.needs.slot_bytes)
            w.line(f"{self.pipe}.InitBuffer({self.dialect.slot}, {size});")

    def _buffer(self, w: Writer, name: str, element: Scalar | Array, size: str) -> None:
        """Room in the unified buffer, and a pointer to it."""
        room = self._fresh(f"{name}_buffer")
        w.line(f"AscendC::TBuf<AscendC::TPosition::VECCALC> {room};")
        w.line(f"{self.pipe}.InitBuffer({room}, {size});")
        inner = self.dialect.type(base_type(element))
        length = f"[{element.length}]" if isinstance(element, Array) else ""
        pointer = f"(__ubuf__ {inner}*)" if not length else f"(__ubuf__ {inner} (*){length})"
        at = f"{pointer}{room}.Get<uint8_t>().GetPhyAddr()"
        if length:
            w.line(f"__ubuf__ {inner} (*{name}){length} = {at};")
        else:
            w.line(f"__ubuf__ {inner}* {name} = {at};")

    def _room(self) -> tuple[int, int]:
        """Bytes of the unified buffer that a kernel takes at most: fixed ones, and for each thread.

        Every buffer starts on a granule. Dynamic shared memory comes on top.
        """
        fixed = _SPARE + self.dialect.needs.slot_bytes + _GRANULE * len(self.code.buffers)
        for a in self.code.arrays:
            fixed += _rounded(a.length * a.element.bytes) if a.length else _GRANULE
        each = 0
        for b in self.code.buffers:
            length = b.type.length if isinstance(b.type, Array) else 1
            element = base_type(b.type)
            if not isinstance(element, Scalar):
                raise refuse(codes.NO_INTRINSIC, f"{b.name} holds no scalars", b.span)
            each += length * element.bytes
        return fixed, each

    def _check_room(self) -> None:
        """Refuses what does not fit with the largest block that is launched, or, where no launch
        tells, with one warp; then the launch function looks at what it is given."""
        known = self.kernel.max_threads or self.context.block_bound
        fixed, each = self._room()
        total = fixed + (known or WARP) * each
        if total > _UNIFIED:
            cause = f"a block of {known or WARP} threads keeps {total} bytes"
            raise refuse(codes.NO_ROOM, f"{cause}, and {_UNIFIED} are there", self.kernel.span)
        most = fixed + (known or DEFAULT_THREADS) * each
        self.room_is_tested = self._is_dynamic() or most > _UNIFIED

    def _room_test(self) -> list[str]:
        """Statements of the launch function: too large a block is an error, as on a GPU."""
        if not self.room_is_tested:
            return []
        fixed, each = self._room()
        room = free_name("room", set(self._taken))
        dynamic = " + dynUbBytes" if self._is_dynamic() else ""
        threads = "(size_t)block.x * block.y * block.z"
        return [
            f"const size_t {room} = {fixed} + {threads} * {each}{dynamic};",
            f"if ({room} > {_UNIFIED}) {{",
            f'    fprintf(stderr, "{codes.NO_ROOM.id}: a block of {self.name} keeps %zu bytes of '
            f'the unified buffer, of at most {_UNIFIED}\\n", {room});',
            "    abort();",
            "}",
        ]

    def _blocks(self, w: Writer) -> None:
        grid = [self.names[IndexVar(Builtin.GRID_DIM, a)] for a in _AXES]
        w.line(f"const uint64_t {self.blocks} = (uint64_t){grid[0]} * {grid[1]} * {grid[2]};")
        b = self.block
        w.line(
            f"for (uint64_t {b} = AscendC::GetBlockIdx(); {b} < {self.blocks}; "
            f"{b} += AscendC::GetBlockNum()) {{"
        )
        w.depth += 1
        used = self._used(Builtin.BLOCK)
        whole = b
        for axis, size in zip(_AXES, grid, strict=True):
            if axis in used:
                name = self.names[IndexVar(Builtin.BLOCK, axis)]
                w.line(f"const uint32_t {name} = {whole} % {size};")
            whole = f"{whole} / {size}"
        for v in self.code.variables:
            w.line(f"{self.dialect.declare(v.type, v.name)};")
        w.depth -= 1

    def _used(self, builtin: Builtin) -> set[str]:
        exprs = [e for body in _bodies(self.code.body) for e in all_exprs(body)]
        exprs += [x for s in walk_steps(self.code.body) for e in _tests(s) for x in walk_expr(e)]
        return {e.axis for e in exprs if isinstance(e, IndexVar) and e.builtin is builtin}

    # --- steps

    def _steps(self, w: Writer, steps: tuple[Step, ...]) -> None:
        for s in steps:
            self._step(w, s)

    def _inside(self, w: Writer, head: str, steps: tuple[Step, ...]) -> None:
        w.line(f"{head} {{")
        w.depth += 1
        self._steps(w, steps)
        w.depth -= 1
        w.line("}")

    def _step(self, w: Writer, s: Step) -> None:
        match s:
            case EachLane(body):
                self._each_lane(w, body)
            case Single(body):
                self._body(w, body)
            case Test(cond, then, other):
                self._inside(w, f"if ({self._cond(cond)})", then)
                if other:
                    self._inside(w, "else", other)
            case Repeat(cond, body, step):
                self._inside(w, f"while ({self._cond(cond)})", (*body, *step))
            case Fold() | Sums():
                raise TypeError("no idiom of blocks is lifted for the scalar unit")
            case _:
                assert_never(s)

    def _cond(self, e: Expr) -> str:
        e = self.scalars.expr(self.memory.expr(e, fresh=True))
        return self.printer.exprs.condition(e).text

    def _each_lane(self, w: Writer, body: tuple[Stmt, ...]) -> None:
        lane = self.lane
        w.line(f"for (int {lane} = 0; {lane} < {self.threads}; ++{lane}) {{")
        w.depth += 1
        used = {
            e.axis
            for e in all_exprs(body)
            if isinstance(e, IndexVar) and e.builtin is Builtin.THREAD
        }
        whole = lane
        for axis in _AXES:
            size = self.names[IndexVar(Builtin.BLOCK_DIM, axis)]
            if axis in used:
                name = self.names[IndexVar(Builtin.THREAD, axis)]
                w.line(f"const uint32_t {name} = {whole} % {size};")
            whole = f"{whole} / {size}"
        self._body(w, body)
        w.depth -= 1
        w.line("}")

    def _body(self, w: Writer, body: tuple[Stmt, ...]) -> None:
        known = frozenset(self.code.program.types()) | {v.name for v in self.code.variables}
        self.printer.body(w, self.scalars.body(self.memory.stmts(body, fresh=True)), known)

    # --- the launch

    def _launcher(self) -> str:
        lines = self._room_test()
        for e in self.code.program.requires:
            lines += [
                f"if (!({self._launch_test(e)})) {{",
                f'    fprintf(stderr, "{self.name}: the rows of a block are no whole warps\\n");',
                "    abort();",
                "}",
            ]
        cores = "1" if self._single_core() else str(target_facts(Target.ASCEND_910B).cores)
        args = [
            argument(p.name, p.type, self.dialect, self.context) for p in self.code.program.params
        ]
        args += [
            f"{'block' if v.builtin is Builtin.BLOCK_DIM else 'grid'}.{v.axis}"
            for v in self._sizes()
        ]
        if self._is_dynamic():
            args.append("(uint32_t)dynUbBytes")
        lines.append(f"{self.name}<<<{cores}, nullptr, stream>>>({', '.join(args)});")
        return "\n".join(lines)

    def _launch_test(self, e: Expr) -> str:
        """A condition on block sizes, read from the launch."""
        text = self.printer.exprs.condition(e).text
        for axis in _AXES:
            name = self.names[IndexVar(Builtin.BLOCK_DIM, axis)]
            text = re.sub(rf"\b{name}\b", f"block.{axis}", text)
        return text

    def _wants_order(self, s: Stmt) -> bool:
        if isinstance(s, Atomic):
            base = root(s.place)
            return not (isinstance(base, VarPlace) and base.name in self.dialect.resident)
        if isinstance(s, Effect):
            return s.name != "assert"
        return isinstance(s, Fence)

    def _single_core(self) -> bool:
        """Atomics in global memory, fences and output want one order of all threads."""
        return any(
            self._wants_order(s) for body in _bodies(self.code.body) for s in walk_stmts(body)
        )


def _bodies(steps: tuple[Step, ...]) -> list[tuple[Stmt, ...]]:
    return [s.body for s in walk_steps(steps) if isinstance(s, EachLane | Single)]


def _tests(s: Step) -> tuple[Expr, ...]:
    return (s.cond,) if isinstance(s, Test | Repeat) else ()


def _rounded(size: int) -> int:
    return -(-size // _GRANULE) * _GRANULE
