"""A lane program as a TileLang kernel: one ``T.Parallel`` over the threads of the block a step.

::

    region { s[t] = x[i] }              for lane in T.Parallel(threads):
                                            tx = lane % block_x
                                            s[tx] = x[bx * block_x + tx]
                                        T.sync_threads()

Shared arrays and lane buffers that other lanes read are ``T.alloc_shared`` (static, of which the C
target takes any number), other lane buffers are fragments: a register of each thread. Block
variables are ``T.alloc_var``. A barrier stands behind each step that shares memory: TileLang sets
one where it sees a hazard in shared memory, but CUDA's barrier orders device memory too.
"""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import assert_never

from migrate.analysis.launch_axes import AXES, AxisUse, LaunchAxes
from migrate.backends.tilelang.body import BodyWriter, counted_loop
from migrate.backends.tilelang.dtypes import value_type
from migrate.backends.tilelang.kernel_text import KernelWriter, LaunchAxis
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Const,
    Expr,
    IndexVar,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Kernel
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
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Assign, Declare, For, If, Stmt
from migrate.ir.types import I32, Array, Scalar
from migrate.ir.walk import all_exprs, root, stmt_places, var_names, walk_stmts
from migrate.rules.catalogue import Catalogue

SHARED_BYTES = "shared_bytes"
"""The factory's parameter for the bytes of dynamic shared memory."""


class LaneKernelWriter(KernelWriter):
    """Writes one lane program. ``entry`` is the wrapper's name in the module."""

    def __init__(self, lifted: Lifted, code: LaneCode, catalogue: Catalogue, entry: str) -> None:
        super().__init__(lifted, _as_kernel(code), catalogue, entry)
        self._code = code
        self._lane_name = self._names.of(code.lane.name)
        self._threads = self._names.of(code.threads.name)
        self._width = self._threads
        self._dynamic = any(not a.length and not a.per_lane for a in code.arrays)
        if self._dynamic:
            self._shared_bytes = self._names.fresh(SHARED_BYTES)
        self._shared = {a.name for a in code.arrays} | code.crossing
        axes = [self._axes.of(a) for a in AXES]
        for at in (1, 0):
            # A row's number is found by division with the sizes of the axes before it.
            if axes[at + 1] is AxisUse.SPLIT:
                axes[at] = AxisUse.SPLIT
        self._axes = LaunchAxes(*axes)
        self._counters: dict[str, int] = {}
        for name in _block_names(code.body):
            self._counters[name] = self._counters.get(name, 0) + 1

    # --- the kernel

    def _grid(
        self,
        w: BodyWriter,
        used: list[LaunchAxis],
        flat: list[LaunchAxis],
        stmts: tuple[Stmt, ...],
    ) -> None:
        blocks = [self._indices[("block", a.axis)] for a in used]
        extents = [self._indices[("grid_dim", a.axis)] for a in used]
        name = ", ".join(blocks) if blocks else self._names.fresh("bx")
        target = f"({name})" if len(blocks) > 1 else name
        w.line(2, f"with T.Kernel({', '.join(extents) or '1'}, threads={self._width}) as {target}:")
        self._annotations(w)
        counted = self._counted(self._code.body)
        self._memory(w, counted)
        self._steps(w, self._code.body, 3, last=True)

    def _memory(self, w: BodyWriter, counted: frozenset[str]) -> None:
        for a in self._code.arrays:
            length = str(a.length)
            if not a.length:
                length = f"{self._shared_bytes} // {a.element.bytes}"
            dtype = value_type(a.element)
            name = self._names.of(a.name)
            w.line(3, f'{name} = T.alloc_shared(({length},), "{dtype}", scope="shared")', a.span)
        for b in self._code.buffers:
            kind = b.type if isinstance(b.type, Scalar) else b.type.element
            extra = f" {b.type.length}" if isinstance(b.type, Array) else ""
            assert isinstance(kind, Scalar)
            shape = f'({self._threads},{extra}), "{value_type(kind)}"'
            # A fragment takes one index of a lane in a loop: arrays of lanes lie in shared memory.
            crosses = b.name in self._code.crossing or isinstance(b.type, Array)
            call = (
                f'T.alloc_shared({shape}, scope="shared")'
                if crosses
                else f"T.alloc_fragment({shape})"
            )
            w.line(3, f"{self._names.of(b.name)} = {call}")
        for v in self._code.variables:
            if v.name not in counted:
                w.line(3, f'{self._names.of(v.name)} = T.alloc_var("{value_type(v.type)}")')

    def _steps(
        self, w: BodyWriter, steps: tuple[Step, ...], depth: int, last: bool = False
    ) -> None:
        if not steps:
            w.line(depth, "pass")
        at = 0
        while at < len(steps):
            loop = self._loop(steps[at : at + 2])
            if loop is not None:
                self._range(w, loop, steps[at + 1], depth)
                at += 2
                continue
            ends = last and at == len(steps) - 1
            self._step(w, steps[at], depth, ends)
            at += 1

    def _step(self, w: BodyWriter, s: Step, depth: int, ends: bool) -> None:
        match s:
            case EachLane(body, joined):
                if body:
                    self._each_lane(w, s, depth)
                if not ends and not joined and (not body or self._shares(body)):
                    w.line(depth, "T.sync_threads()")
            case Single(body):
                w.body(body, depth)
                # What was read of other lanes may be written next.
                if not ends and self._shares(body):
                    w.line(depth, "T.sync_threads()")
            case Test(cond, then, other):
                w.line(depth, f"if {self._spell.text(cond)}:", s.span)
                self._steps(w, then, depth + 1)
                if other:
                    w.line(depth, "else:")
                    self._steps(w, other, depth + 1)
            case Repeat(cond, body, step):
                w.line(depth, f"while {self._spell.text(cond)}:", s.span)
                self._steps(w, (*body, *step), depth + 1)
            case Fold() | Sums():
                self._operation(w, s, depth)
            case _:
                assert_never(s)

    def _operation(self, w: BodyWriter, s: Fold | Sums, depth: int) -> None:
        """An operation on a tile; lane programs without idioms have none."""
        raise TypeError(f"{type(s).__name__} in the lane program of {self._entry}")

    def _each_lane(self, w: BodyWriter, s: EachLane, depth: int) -> None:
        body = s.body
        w.line(depth, f"for {self._lane_name} in T.Parallel({self._threads}):")
        axes = {
            e.axis
            for e in all_exprs(body)
            if isinstance(e, IndexVar) and e.builtin is Builtin.THREAD
        }
        before: list[str] = []
        for axis in AXES:
            if self._axes.of(axis) is not AxisUse.SPLIT:
                break
            size = self._indices[("block_dim", axis)]
            if axis in axes:
                whole = " // ".join([self._lane_name, *before])
                w.line(depth + 1, f"{self._indices[('thread', axis)]} = {whole} % {size}")
            before.append(size)
        w.body(body, depth + 1)

    def _shares(self, body: tuple[Stmt, ...]) -> bool:
        """Whether other lanes can see, or made, what a step touches."""
        for s in walk_stmts(body):
            for p in stmt_places(s):
                base = root(p)
                if not isinstance(base, VarPlace) or base.name in self._shared:
                    return True
        for e in all_exprs(body):
            if isinstance(e, Read):
                base = root(e.place)
                if isinstance(base, PtrElem):
                    if var_names(base.pointer) & self._written:
                        return True
                elif isinstance(base, VarPlace) and base.name in self._shared:
                    return True
        return False

    # --- loops with a counter

    def _counted(self, steps: tuple[Step, ...]) -> frozenset[str]:
        """Block variables that only count the rounds of one loop."""
        found: set[str] = set()
        for group in _lists(steps):
            for at in range(len(group) - 1):
                loop = self._loop(group[at : at + 2])
                if loop is not None and isinstance(loop.init[0], Declare):
                    found.add(loop.init[0].name)
        return frozenset(found)

    def _loop(self, steps: tuple[Step, ...]) -> For | None:
        """``single { i = a } while (i < b) { ... step { i = i + c } }`` as a C loop, when that is
        a range and nothing else uses ``i``."""
        match steps:
            case (
                Single((Assign(VarPlace(name, kind), first),)),
                Repeat(cond, body, (Single((Assign(VarPlace(again), _) as move,)),)),
            ) if again == name and kind == I32:
                pass
            case _:
                return None
        inside = tuple(s for x in walk_steps(body) for s in _statements(x))
        loop = For((Declare(name, kind, first),), cond, (move,), inside)
        found = counted_loop(loop, self._written)
        if found is None or any(map(self._spell.from_floats, (found.first, found.stop))):
            return None
        whole = self._counters.get(name, 0)
        within = 3 + sum(n == name for n in _block_names(body))  # test, step and its value
        return loop if whole == within + 1 else None

    def _range(self, w: BodyWriter, loop: For, s: Step, depth: int) -> None:
        found = counted_loop(loop, self._written)
        assert found is not None and isinstance(s, Repeat)
        w.range_line(found, depth, s.span)
        self._steps(w, s.body, depth + 1)

    # --- the launch

    def _static_params(self, flat: list[LaunchAxis]) -> list[str]:
        sizes = [f"{self._size(a)}: int" for a in flat]
        dynamic = [f"{self._shared_bytes}: int"] if self._dynamic else []
        return [*sizes, f"{self._threads}: int", *dynamic]

    def _static_arguments(self, flat: list[LaunchAxis]) -> list[str]:
        sizes = [f"launch.block[{a.number}]" for a in flat]
        return [*sizes, "launch.lanes", *(["shared"] if self._dynamic else [])]

    @property
    def takes_shared(self) -> bool:
        """See :class:`KernelWriter`."""
        return self._dynamic

    def _requirements(self) -> tuple[tuple[str, str], ...]:
        message = "the rows of a block have to be whole warps"
        return tuple((python_condition(e), message) for e in self._code.program.requires)

    def _times(self, used: list[LaunchAxis]) -> str:
        run = {a.axis for a in used}
        return " * ".join(f"launch.grid[{n}]" for n, a in enumerate(AXES) if a not in run)


def _as_kernel(code: LaneCode) -> Kernel:
    """All statements of a program in one body: for names, and for what is read and written."""
    body = tuple(s for step in walk_steps(code.body) for s in _statements(step))
    program = code.program
    return Kernel(program.symbol, program.symbol, program.params, body, span=program.span)


def _statements(s: Step) -> tuple[Stmt, ...]:
    match s:
        case EachLane(body) | Single(body):
            return body
        case Test(cond) | Repeat(cond):
            return (If(cond, ()),)
        case Fold() | Sums():
            return ()
        case _:
            assert_never(s)


def _lists(steps: tuple[Step, ...]) -> Iterable[tuple[Step, ...]]:
    yield steps
    for s in steps:
        match s:
            case Test(_, a, b) | Repeat(_, a, b):
                yield from _lists(a)
                yield from _lists(b)
            case _:
                pass


def _block_names(steps: tuple[Step, ...]) -> Iterable[str]:
    """The names of variables as often as steps mention them."""
    for step in walk_steps(steps):
        for s in walk_stmts(_statements(step)):
            for p in stmt_places(s):
                base = root(p)
                if isinstance(base, VarPlace):
                    yield base.name
        for e in all_exprs(_statements(step)):
            if isinstance(e, Read) and isinstance(e.place, VarPlace):
                yield e.place.name


def python_condition(e: Expr) -> str:
    """A condition on the launch as Python: block sizes, numbers and operators."""
    match e:
        case IndexVar(Builtin.BLOCK_DIM, axis):
            return f"launch.block[{AXES.index(axis)}]"
        case Const(value):
            return str(int(value))
        case Binary(BinaryOp.LOR) if (sizes := _sizes(e)) is not None:
            return f"launch.block[{AXES.index(sizes[0])}] in {sizes[1]}"
        case Binary(op, lhs, rhs):
            word = {BinaryOp.LOR: "or", BinaryOp.LAND: "and"}.get(op, op.value)
            return f"({python_condition(lhs)} {word} {python_condition(rhs)})"
        case _:
            raise TypeError("a condition on the launch reads block sizes alone")


def _sizes(e: Expr) -> tuple[str, tuple[int, ...]] | None:
    """The axis and the numbers of ``blockDim == a || blockDim == b ...``."""
    match e:
        case Binary(BinaryOp.EQ, IndexVar(Builtin.BLOCK_DIM, axis), Const(value)):
            return axis, (int(value),)
        case Binary(BinaryOp.LOR, lhs, rhs):
            left, right = _sizes(lhs), _sizes(rhs)
            if left is not None and right is not None and left[0] == right[0]:
                return left[0], (*left[1], *right[1])
            return None
        case _:
            return None
