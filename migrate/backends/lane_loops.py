"""Prints a lane program as a C++ function over the CPU runtime: plain loops over a block's threads.

    region { v = x[t] }                    for (z...) for (y...) for (x...) {
                                               v[cm_lane] = x[cm_thread_x];
                                           }
    exchange o = shfl_down(v, 16, 32)      exchange_shuffle<shfl_down>(lanes, nullptr, o, ...)
    while (h > 0) { ... }                  while (h > 0) { ... }

A lane buffer is an array with one element for each thread; a block variable is a plain variable.
The loops run in the order of the threads' numbers, which is the order in which the runtime starts
threads, so what depends on it within a region (which of several atomic additions comes first) comes
out alike.
"""

from __future__ import annotations

from typing_extensions import assert_never

from migrate.backends.clike import CPrinter, Writer
from migrate.backends.lane_dialect import LANE, LaneDialect, index_name
from migrate.ir.expr import ArrElem, Builtin, Expr, Place, Read, VarPlace
from migrate.ir.kernel import GlobalVar, Kernel, Module
from migrate.ir.lanes import (
    AnyLane,
    BlockArray,
    BlockAssign,
    Branch,
    Exchange,
    LaneKernel,
    LaneStmt,
    Loop,
    Reduce,
    Region,
    Scan,
    walk_lanes,
)
from migrate.ir.simt import Stmt
from migrate.ir.types import I32, U32, Array
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    root,
    stmt_places,
    var_names,
    walk_stmts,
)

MOST_LANES = 1024
"""Threads of a block (CUDA C++ Programming Guide, technical specifications)."""
_AXES = ("x", "y", "z")
_SHUFFLES = {
    "shfl": "shfl_idx",
    "shfl_up": "shfl_up",
    "shfl_down": "shfl_down",
    "shfl_xor": "shfl_xor",
}
_VOTES = {"ballot": "ballot", "any": "any", "all": "all", "activemask": "active"}
_REDUCTIONS = {"add": "add", "and": "and_", "or": "or_", "xor": "xor_"}
_BLOCK_VOTES = {"syncthreads_count": "count", "syncthreads_and": "all", "syncthreads_or": "any"}


def print_lane_kernel(lanes: LaneKernel, module: Module, kernel: Kernel, number: int) -> str:
    """The C++ definitions of one kernel with its registration. ``number`` tells kernels apart.

    Parameters of ``lanes`` past those of ``kernel`` are addresses of device variables. Raises
    :class:`migrate.backends.clike_dialect.Unprintable`.
    """
    return _KernelPrinter(lanes, module, kernel, number).text()


class _KernelPrinter:
    def __init__(self, lanes: LaneKernel, module: Module, kernel: Kernel, number: int) -> None:
        self._kernel = lanes
        self._mangled = kernel.mangled
        self._params = lanes.params[: len(kernel.params)]
        self._number = number
        self._dialect = LaneDialect(module)
        self._printer = CPrinter(self._dialect)
        self._buffers = {b.name: b.type for b in lanes.buffers}
        self._globals = _used_globals(lanes, module, frozenset(p.name for p in self._params))
        self._w = Writer()
        self._per_lane = Rewriter(place=self._in_lane)

    def text(self) -> str:
        w = self._w
        w.line(
            f"static void run_{self._number}(const cm::Frame &cm_frame, const void *const *cm_args)"
        )
        w.line("{")
        w.depth += 1
        self._head()
        self._stmts(self._kernel.body)
        w.depth -= 1
        w.line("}")
        self._registration()
        return w.text()

    # --- what is there before the first region ------------------------------------------------

    def _head(self) -> None:
        w = self._w
        for builtin, source in (
            (Builtin.BLOCK, "index"),
            (Builtin.BLOCK_DIM, "block"),
            (Builtin.GRID_DIM, "grid"),
        ):
            for axis in _AXES:
                w.line(f"const uint32_t {index_name(builtin, axis)} = cm_frame.{source}.{axis};")
        # Bounds that let the compiler see that sums with a thread's number do not wrap.
        for axis in _AXES:
            size = index_name(Builtin.BLOCK_DIM, axis)
            w.line(f"cm::assume({size} >= 1 && {size} <= cm::max_lanes);")
        w.line("const std::size_t cm_lanes = cm_frame.lanes;")
        w.line("cm::assume(cm_lanes >= 1 && cm_lanes <= cm::max_lanes);")
        for at, p in enumerate(self._params):
            kind = self._dialect.type(p.type)
            w.line(f"{kind} const {p.name} = cm::argument<{kind}>(cm_args[{at}]);")
        for g in self._globals:
            self._variable(g)
        for a in self._kernel.arrays:
            self._array(a)
        for b in self._kernel.buffers:
            whole = Array(b.type, MOST_LANES)
            w.line(f"alignas(64) {self._dialect.declare(whole, b.name)};")
        for v in self._kernel.variables:
            w.line(f"{self._dialect.declare(v.type, v.name)};")

    def _variable(self, g: GlobalVar) -> None:
        """A device variable: by its name, or by its address as a parameter of the normal form."""
        whole = f"cm_type_{g.name}"
        self._w.line(f"typedef {self._dialect.declare(g.type, whole)};")
        found = f'cm::device_variable<{whole}>("{g.name}")'
        given = next((p for p in self._kernel.params if p.name == g.name), None)
        if given is None:
            self._w.line(f"auto &{g.name} = {found};")
        else:
            kind = self._dialect.type(given.type)
            self._w.line(f"{kind} const {g.name} = ({kind})&{found};")

    def _array(self, a: BlockArray) -> None:
        kind = self._dialect.scalar(a.element)
        if a.length == 0:
            self._w.line(f"{kind} *const {a.name} = reinterpret_cast<{kind} *>(cm_frame.dynamic);")
            return
        shape = a.element if a.scalar else Array(a.element, a.length)
        self._w.line(f"alignas(64) {self._dialect.declare(shape, a.name)};")
        self._w.line(f"cm::fresh({a.name});")

    def _registration(self) -> None:
        w, n = self._w, self._number
        tests = [self._printer.exprs.condition(e).text for e in self._kernel.requires]
        for g in self._globals:
            w.line(f"typedef {self._dialect.declare(g.type, f'cm_global_{n}_{g.name}')};")
            tests.append(
                f'cm::only_variable("{g.name}", sizeof(cm_global_{n}_{g.name})) != nullptr'
            )
        w.line(f"static bool fits_{n}(const dim3 &cm_dim)")
        w.line("{")
        for axis in _AXES:
            w.line(f"    const uint32_t cm_block_dim_{axis} = cm_dim.{axis};")
        w.line(f"    return {' && '.join(f'({t})' for t in tests) or 'true'};")
        w.line("}")
        sizes = ", ".join(f"sizeof({self._dialect.type(p.type)})" for p in self._params)
        count = len(self._params)
        w.line(f"static const unsigned sizes_{n}[] = {{{sizes or '0'}}};")
        w.line(
            f'static const cm::FissionedKernel kernel_{n} = {{"{self._mangled}", {count}, '
            f"sizes_{n}, fits_{n}, run_{n}}};"
        )
        w.line(f"static const cm::FissionRegistration registration_{n}(kernel_{n});")

    # --- steps --------------------------------------------------------------------------------

    def _stmts(self, stmts: tuple[LaneStmt, ...]) -> None:
        for s in stmts:
            self._stmt(s)

    def _inside(self, head: str, stmts: tuple[LaneStmt, ...]) -> None:
        self._w.line(f"{head} {{")
        self._w.depth += 1
        self._stmts(stmts)
        self._w.depth -= 1
        self._w.line("}")

    def _stmt(self, s: LaneStmt) -> None:
        match s:
            case Region(body, mask):
                self._region(body, mask)
            case BlockAssign(name, value):
                self._w.line(f"{name} = {self._printer.exprs.convert(value)};")
            case Exchange():
                self._exchange(s)
            case Branch(cond, then, other):
                self._inside(f"if ({self._printer.exprs.condition(cond).text})", then)
                if other:
                    self._inside("else", other)
            case Loop(cond, body, step):
                self._inside(f"while ({self._printer.exprs.condition(cond).text})", (*body, *step))
            case AnyLane(mask, body):
                self._inside(f"while (cm::any_lane({mask}, cm_lanes))", body)
            case Reduce() | Scan():
                raise TypeError("programs of CUDA's own steps hold no operation on tiles")
            case _:
                assert_never(s)

    def _region(self, body: tuple[Stmt, ...], mask: str | None) -> None:
        w = self._w
        w.line("{")
        w.depth += 1
        w.line("std::size_t cm_first = 0;")
        w.line("for (uint32_t cm_thread_z = 0; cm_thread_z < cm_block_dim_z; ++cm_thread_z)")
        w.line("for (uint32_t cm_thread_y = 0; cm_thread_y < cm_block_dim_y; ++cm_thread_y) {")
        w.depth += 1
        w.line("for (uint32_t cm_thread_x = 0; cm_thread_x < cm_block_dim_x; ++cm_thread_x) {")
        w.depth += 1
        w.line(f"const std::size_t {LANE} = cm_first + cm_thread_x;")
        if mask is not None:
            w.line(f"if (!{mask}[{LANE}]) continue;")
        self._printer.body(w, self._per_lane.body(body), frozenset(self._kernel.types()))
        w.depth -= 1
        w.line("}")
        w.line("cm_first += cm_block_dim_x;")
        w.depth -= 1
        w.line("}")
        w.depth -= 1
        w.line("}")

    def _in_lane(self, p: Place) -> Place | None:
        """A lane buffer stands for this lane's element of its array."""
        match p:
            case VarPlace(name, kind) if name in self._buffers:
                lane = Read(VarPlace(LANE, U32))
                return ArrElem(VarPlace(name, Array(kind, MOST_LANES)), lane)
            case _:
                return None

    # --- exchanges ----------------------------------------------------------------------------

    def _of_lane(self, e: Expr) -> str:
        """A function of the lane that gives an operand."""
        value = self._printer.exprs.exact(self._per_lane.expr(e)).text
        return f"[&](std::size_t {LANE}) {{ return {value}; }}"

    def _exchange(self, s: Exchange) -> None:
        mask = s.mask or "nullptr"
        given = ", ".join(self._of_lane(e) for e in s.operands)
        if s.op in _BLOCK_VOTES:
            value = f"cm::block_vote(cm_lanes, {mask}, {given}).{_BLOCK_VOTES[s.op]}"
            if s.result in self._buffers:
                kind = self._scalar(s.result)
                self._w.line(f"cm::give_lanes<{kind}>(cm_lanes, {mask}, {s.result}, {value});")
            else:
                self._w.line(f"{s.result} = {value};")
            return
        if s.op == "activemask":
            given = "[](std::size_t) { return ~0u; }, [](std::size_t) { return true; }"
        name, operation = self._operation(s)
        head = name if operation is None else f"{name}<cm::WarpKind::{operation}>"
        self._w.line(f"{head}(cm_lanes, {mask}, {s.result}, {given});")

    def _operation(self, s: Exchange) -> tuple[str, str | None]:
        if s.op in _SHUFFLES:
            return "cm::exchange_shuffle", _SHUFFLES[s.op]
        if s.op in _VOTES:
            return "cm::exchange_vote", _VOTES[s.op]
        if s.op == "match_any":
            return "cm::exchange_match", None
        what = s.op.removeprefix("reduce_")
        if what in ("min", "max"):
            return (
                "cm::exchange_reduce",
                f"{what}_{'s' if self._buffers[s.result] == I32 else 'u'}",
            )
        return "cm::exchange_reduce", _REDUCTIONS[what]

    def _scalar(self, name: str) -> str:
        return self._dialect.type(self._buffers[name])


def _used_globals(
    kernel: LaneKernel, module: Module, given: frozenset[str]
) -> tuple[GlobalVar, ...]:
    names: set[str] = set()
    for s in walk_lanes(kernel.body):
        match s:
            case Region(body):
                names |= assigned_names(body).union(*map(var_names, all_exprs(body)))
                places = [p for x in walk_stmts(body) for p in stmt_places(x)]
                names |= {r.name for p in places if isinstance(r := root(p), VarPlace)}
            case BlockAssign(_, value):
                names |= var_names(value)
            case Exchange(_, _, operands):
                names |= frozenset[str]().union(*map(var_names, operands))
            case Branch(cond) | Loop(cond):
                names |= var_names(cond)
            case AnyLane() | Reduce() | Scan():
                pass
            case _:
                assert_never(s)
    names |= {p.name for p in kernel.params}
    local = kernel.types().keys() - {p.name for p in kernel.params}
    return tuple(g for g in module.globals if g.name in names - local - given)
