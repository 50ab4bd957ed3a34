"""A program of tiles as a TileLang kernel: shared matrices, fragments, loops over their elements.

::

    tile a[16, 16]                           a = T.alloc_shared((16, 16), "float32", ...)
    fragment sum[16, 16]                     sum = T.alloc_fragment((16, 16), "float32")
    each point [16, 16] { a.[y].[x] = ... }  for ty, tx in T.Parallel(16, 16):
                                                 a[ty, tx] = ...
    for d in 16: each point ...              for d in T.serial(16):
                                                 for ty, tx in T.Parallel(16, 16):

TileLang sets the barriers between steps that share a tile, but not between the rounds of a
``while`` (measured on 0.1.15 by running the CUDA that it made of ``split_k_matmul``), and it does
not look at device memory: a round that stages ends with a barrier, and so does a step that stores
to memory and is not the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from typing_extensions import assert_never

from migrate.analysis.launch_axes import AXES
from migrate.backends.tilelang.body import INDENT, BodyWriter, written_buffers
from migrate.backends.tilelang.dtypes import value_type
from migrate.backends.tilelang.kernel_text import KernelWriter, LaunchAxis
from migrate.backends.tilelang.tile_hazards import MemoryHazards
from migrate.core.rung import Rung
from migrate.ir.kernel import Kernel
from migrate.ir.lifted import Lifted
from migrate.ir.simt import For, If, Stmt, While
from migrate.ir.tile_code import (
    EachPoint,
    Either,
    Multiply,
    Once,
    Rounds,
    Serial,
    TileCode,
    TileStep,
    walk_tile_steps,
)
from migrate.ir.walk import assigned_names
from migrate.rules.catalogue import Catalogue

_THREADS = {"x": "tx", "y": "ty"}


class MatrixKernelWriter(KernelWriter):
    """Writes one program of tiles. ``entry`` is the wrapper's name in the module."""

    def __init__(self, lifted: Lifted, code: TileCode, catalogue: Catalogue, entry: str) -> None:
        body = _statements(code.body)
        kernel = Kernel(code.symbol, code.symbol, code.params, body, span=code.span)
        super().__init__(replace(lifted, rung=Rung.LANES), kernel, catalogue, entry)
        self._code = code
        self._hazards = MemoryHazards(code)

    # --- the kernel

    def _name_axes(self, used: list[LaunchAxis], flat: list[LaunchAxis]) -> None:
        super()._name_axes(used, flat)
        for axis, name in _THREADS.items():
            if ("thread", axis) not in self._indices:
                self._indices[("thread", axis)] = self._names.fresh(name)

    def _grid(
        self, w: BodyWriter, used: list[LaunchAxis], flat: list[LaunchAxis], stmts: tuple[Stmt, ...]
    ) -> None:
        blocks = [self._indices[("block", a.axis)] for a in used]
        extents = [self._indices[("grid_dim", a.axis)] for a in used]
        name = ", ".join(blocks) if blocks else self._names.fresh("bx")
        target = f"({name})" if len(blocks) > 1 else name
        threads = self._code.threads
        w.line(2, f"with T.Kernel({', '.join(extents) or '1'}, threads={threads}) as {target}:")
        self._annotations(w)
        for t in self._code.tiles:
            shape = f'({t.rows}, {t.columns}), "{value_type(t.element)}"'
            call = f"alloc_fragment({shape})"
            if not t.fragment:
                call = f'alloc_shared({shape}, scope="shared")'
            w.line(3, f"{self._names.of(t.name)} = T.{call}", t.span)
        for v in self._code.variables:
            w.line(3, f'{self._names.of(v.name)} = T.alloc_var("{value_type(v.type)}")')
        self._steps(w, self._code.body, 3, last=True)

    def _steps(
        self, w: BodyWriter, steps: tuple[TileStep, ...], depth: int, last: bool = False
    ) -> None:
        if not steps:
            w.line(depth, "pass")
        for at, s in enumerate(steps):
            self._step(w, s, depth, last and at == len(steps) - 1)

    def _step(self, w: BodyWriter, s: TileStep, depth: int, ends: bool) -> None:
        match s:
            case EachPoint(rows, columns, body):
                self._barrier(w, s, depth)
                row, column = (self._indices[("thread", axis)] for axis in ("y", "x"))
                w.line(depth, f"for {row}, {column} in T.Parallel({rows}, {columns}):", s.span)
                w.body(body, depth + 1)
                if not ends and written_buffers(body):
                    w.line(depth, "T.sync_threads()")
            case Once(body):
                w.body(body, depth)
            case Either(cond, then, other):
                w.line(depth, f"if {self._spell.text(cond)}:", s.span)
                self._hazards.branches()
                self._steps(w, then, depth + 1)
                self._hazards.branches()
                if other:
                    w.line(depth, "else:")
                    self._steps(w, other, depth + 1)
                    self._hazards.branches()
            case Serial(loop, body):
                self._serial(w, loop, body, depth)
            case Rounds(cond, body):
                w.line(depth, f"while {self._spell.text(cond)}:", s.span)
                before = self._hazards.enter_loop(body)
                self._steps(w, body, depth + 1)
                self._hazards.leave_loop(before, None)
                self._round_ends(w, body, depth + 1)
            case Multiply():
                self._barrier(w, s, depth)
                self._multiply(w, s, depth)
            case _:
                assert_never(s)

    def _barrier(self, w: BodyWriter, s: EachPoint | Multiply, depth: int) -> None:
        if self._hazards.before(s):
            w.line(depth, "T.sync_threads()")

    def _multiply(self, w: BodyWriter, s: Multiply, depth: int) -> None:
        left, right, result = (self._names.of(n) for n in (s.left, s.right, s.result))
        turned = ", transpose_A=True" if s.transposed_left else ""
        turned += ", transpose_B=True" if s.transposed_right else ""
        w.line(depth, f"T.gemm({left}, {right}, {result}{turned})", s.span)

    def _serial(self, w: BodyWriter, head: For, body: tuple[TileStep, ...], depth: int) -> None:
        before = self._hazards.enter_loop(body)
        found = w.counted(replace(head, body=_statements(body)))
        if found is not None:
            w.range_line(found, depth, head.span)
            self._steps(w, body, depth + 1)
            self._hazards.leave_loop(before, head)
            return
        w.body(head.init, depth)
        w.line(depth, f"while {self._spell.text(head.cond)}:", head.span)
        self._steps(w, body, depth + 1)
        self._hazards.leave_loop(before, head)
        w.body(head.step, depth + 1)
        self._round_ends(w, body, depth + 1)

    def _round_ends(self, w: BodyWriter, body: tuple[TileStep, ...], depth: int) -> None:
        """Before the next round of a ``while`` fills a tile again all threads have read it."""
        shared = {t.name for t in self._code.tiles if not t.fragment}
        if any(
            isinstance(s, EachPoint) and assigned_names(s.body) & shared
            for s in walk_tile_steps(body)
        ):
            w.line(depth, "T.sync_threads()")

    # --- the launch

    def _static_params(self, flat: list[LaunchAxis]) -> list[str]:
        return []

    def _static_arguments(self, flat: list[LaunchAxis]) -> list[str]:
        return []

    def _requirements(self) -> tuple[tuple[str, str], ...]:
        x, y = self._code.block
        sides = (f"launch.block[{n}] == {size}" for n, size in enumerate((x, y, 1)))
        return ((" and ".join(sides), f"the tiles were proven for blocks of {x} x {y} threads"),)

    def _launch_tests(self) -> Iterable[str]:
        for condition, message in self._requirements():
            yield f"{INDENT}if not ({condition}):"
            yield f'{INDENT * 2}raise ValueError("{message}")'

    def _times(self, used: list[LaunchAxis]) -> str:
        run = {a.axis for a in used}
        return " * ".join(f"launch.grid[{n}]" for n, a in enumerate(AXES) if a not in run)


def _statements(steps: tuple[TileStep, ...]) -> tuple[Stmt, ...]:
    """All statements of steps in one body: for names, and for what is read and written."""
    out: list[Stmt] = []
    for s in steps:
        match s:
            case EachPoint(_, _, body) | Once(body):
                out += body
            case Either(cond, then, other):
                out.append(If(cond, _statements(then), _statements(other)))
            case Serial(loop, body):
                out.append(replace(loop, body=_statements(body)))
            case Rounds(cond, body):
                out.append(While(cond, _statements(body)))
            case Multiply():
                pass
            case _:
                assert_never(s)
    return tuple(out)
