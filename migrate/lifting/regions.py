"""A kernel in normal form becomes a lane program: it is split at barriers and warp operations.

    v = x[t]                                     region { v = x[t]  s[t] = v }
    s[t] = v                                     once half = (n / 2)
    var half: i32 = (n / 2)                      while (half > 0) {
    barrier block                                  region { if (t < half) { s[t] = (s[t] + ...) } }
    while (half > 0) {                             once half = (half / 2)
      if (t < half) { s[t] = (s[t] + ...) }      }
      barrier block
      half = (half / 2)
    }

Why a split is legal is told in :mod:`migrate.ir.lanes`. What the pass adds to it:

* Control on which the block agrees (:mod:`migrate.analysis.convergence`) stays control, between
  regions (:mod:`migrate.lifting.block_values` says which).
* A branch on which a *warp* agrees, and that holds no block barrier, runs under a mask: its lanes
  are whole warps, so each warp operation in it finds all of its lanes. A loop with as many rounds
  for all lanes of a warp goes on while a lane is left; a warp that is done takes no further part.
* A branch at the kernel's very end whose other side orders no threads is what an early return
  leaves (``if (i >= n) return;``): lanes outside never do anything again, and CUDA does not count
  threads that have exited. It runs under a mask, whatever it holds.
* A branch that divides a warp is split when the operation's own mask names exactly the lanes that
  took the branch (``__ballot_sync`` of the branch's test, ``__activemask`` inside of it, or the
  ``(1 << k) - 1`` that belongs to ``lane < k``). Anything else is refused: other lanes of the warp
  could meet the operation from another place in the code.
* A block barrier under a branch or loop that threads of the block may take differently is taken out
  of it (:mod:`migrate.lifting.meet`): a thread that is not there has ended, or the test comes out
  the same for all. Where threads that go on are sure to pass by it, the kernel is refused, with
  both lines named: CUDA leaves that undefined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.analysis.convergence import Convergence, Level, convergence, resolved, whole_warps
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Code
from migrate.core.span import Span
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Place,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lanes import (
    AnyLane,
    BlockAssign,
    Branch,
    Exchange,
    LaneKernel,
    LaneStmt,
    Loop,
    Region,
)
from migrate.ir.lanes_verify import OPERANDS, verify_lanes
from migrate.ir.simt import Assign, Barrier, Collective, Declare, For, If, Stmt, While
from migrate.ir.types import BOOL, Scalar, Space
from migrate.ir.walk import assigned_names, var_names, walk_expr, walk_stmts
from migrate.lifting.block_values import BlockValues, block_values, eager
from migrate.lifting.lane_values import finish
from migrate.lifting.lives import separate_lives
from migrate.lifting.meet import meet_at_barriers, parted
from migrate.lifting.naming import names_of
from migrate.lifting.plain_loops import orders_threads, own_parameters, plain_loops
from migrate.lifting.refusal import Refused, refuse
from migrate.lifting.returns import negate

_SHUFFLES = frozenset({"shfl", "shfl_up", "shfl_down", "shfl_xor"})


def split_regions(kernel: Kernel, module: Module, *, together: bool = True) -> LaneKernel:
    """The lane program of a kernel in normal form. Raises :class:`Refused`.

    Of several ways the first is taken that goes through: the kernel as it stands, with a variable
    for each life of a scalar, and, unless ``together`` is false, with its threads brought together
    at their barriers.
    """
    kernel = plain_loops(own_parameters(kernel, module), module)
    found = _split(kernel, module)
    if isinstance(found, LaneKernel):
        return found
    apart = separate_lives(kernel, module)
    again = found if apart is kernel else _split(apart, module)
    if isinstance(again, LaneKernel):
        return again
    if together and found.diagnostic.code is codes.HAS_BARRIER and not parted(apart):
        met = _split(meet_at_barriers(apart, module), module)
        if isinstance(met, LaneKernel):
            return met
    raise found


def _split(kernel: Kernel, module: Module) -> LaneKernel | Refused:
    """The lane program, or why there is none; the condition on launches as weak as possible."""
    try:
        program = _Splitter(kernel, module, convergence(kernel)).run()
    except Refused as first:
        rows = convergence(kernel, rows=True)
        try:
            program = _Splitter(kernel, module, rows).run()
        except Refused:
            return first
    verify_lanes(program, module)
    return program


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a statement: the mask, whether the kernel ends behind it, and the
    outermost branch or loop that divides the block, and that divides a warp."""

    mask: str | None = None
    last: bool = True
    block: Span | None = None
    warp: Span | None = None
    test: Expr | None = None
    """The test of the branch that divides the warp, if no other one does around it."""
    inside: tuple[Stmt, ...] = ()
    """What stands in the innermost branch or loop that divides a warp."""


class _Splitter:
    def __init__(self, kernel: Kernel, module: Module, facts: Convergence) -> None:
        self._kernel = kernel
        self._names = names_of(kernel, module)
        self._facts = facts
        self._values: BlockValues = block_values(kernel, facts)
        self._buffers: dict[str, Scalar] = {}
        self._whole_warps = False
        self._pending: list[Stmt] = []
        self._out: list[LaneStmt] = []

    def run(self) -> LaneKernel:
        body = self._list(self._kernel.body, _Around())
        requires = (whole_warps(self._facts.rows),) if self._whole_warps else ()
        return finish(
            self._kernel, body, frozenset(self._values.variables), self._buffers, requires
        )

    # --- lists

    def _list(self, stmts: tuple[Stmt, ...], a: _Around) -> tuple[LaneStmt, ...]:
        outer_out, outer_pending = self._out, self._pending
        self._out, self._pending = [], []
        self._stmts(stmts, a)
        self._flush(a)
        made = tuple(self._out)
        self._out, self._pending = outer_out, outer_pending
        return made

    def _stmts(self, stmts: tuple[Stmt, ...], a: _Around) -> None:
        for at, s in enumerate(stmts):
            here = replace(a, last=a.last and at == len(stmts) - 1)
            if not self._values.splits(s):
                if not (isinstance(s, Declare) and s.space is Space.SHARED):
                    self._pending.append(s)
                continue
            self._split(s, here)

    def _flush(self, a: _Around) -> None:
        if self._pending:
            self._out.append(Region(tuple(self._pending), a.mask))
            self._pending = []

    # --- statements that split

    def _split(self, s: Stmt, a: _Around) -> None:
        match s:
            case Barrier():
                self._barrier(s, a)
            case Collective():
                self._collective(s, a)
            case Declare(name, _, init):
                if init is not None:
                    self._block_assign(name, init, a, first=True)
            case Assign(VarPlace(name), value):
                self._block_assign(name, value, a, first=False)
            case If():
                self._branch(s, a)
            case For(init, cond, step, body):
                if all(self._values.splits(x) for x in init):
                    self._flush(a)
                self._stmts(init, replace(a, last=False))
                self._loop(s, cond, body, step, a)
            case While(cond, body):
                self._loop(s, cond, body, (), a)
            case _:
                raise refuse(codes.HAS_BARRIER, f"{type(s).__name__} holds a barrier", s.span)

    def _block_assign(self, name: str, value: Expr, a: _Around, first: bool) -> None:
        """A new variable without memory in its value is set before what is pending."""
        if not (first and eager(value)):
            self._flush(a)
        self._out.append(BlockAssign(name, value, span=value.span))

    def _barrier(self, s: Barrier, a: _Around) -> None:
        match s.scope:
            case "block":
                self._needs_block("a barrier", s, a)
            case "warp":
                self._needs_warp("__syncwarp", s.mask, s, a)
            case scope:
                raise refuse(
                    codes.HAS_BARRIER, f"a barrier orders the threads of a {scope}", s.span
                )
        self._flush(a)

    def _needs_block(self, what: str, s: Stmt, a: _Around) -> None:
        if a.block is not None:
            cause = f"{what} in line {s.span.line} lies in a branch or loop in line {a.block.line}"
            cause += " that threads of a block can take differently"
            raise _refused(codes.HAS_BARRIER, cause, s)

    def _needs_warp(self, what: str, members: Expr | None, s: Stmt, a: _Around) -> None:
        if a.block is not None:
            self._whole_warps = True
        if a.warp is None or (members is not None and self._names_branch(members, a)):
            return
        cause = f"{what} in line {s.span.line} lies in a branch or loop in line {a.warp.line}"
        cause += " that lanes of a warp can take differently"
        raise _refused(codes.HAS_WARP_OPERATION, cause, s)

    def _names_branch(self, members: Expr, a: _Around) -> bool:
        """Whether a mask names exactly the lanes that took the branch around."""
        found = resolved(members, self._facts.values)
        match found:
            case Const(value):
                return a.test is not None and _first_lanes(a.test, self._facts) == value
            case Read(place):
                if self._collective_of(place, a.inside) == "activemask":
                    return True
                return a.test is not None and self._voted(place, a.test)
            case _:
                return False

    def _collective_of(self, place: Place, stmts: tuple[Stmt, ...]) -> str:
        for s in walk_stmts(stmts):
            if isinstance(s, Collective) and VarPlace(s.result, s.type) == place:
                return s.op
        return ""

    def _voted(self, place: Place, test: Expr) -> bool:
        """Whether a value is the ballot over a test that cannot have changed since."""
        if not eager(test) or var_names(test) & assigned_names(self._kernel.body):
            return False
        return any(
            isinstance(s, Collective)
            and s.op == "ballot"
            and VarPlace(s.result, s.type) == place
            and _truth(s.args[1], self._facts) == test
            for s in walk_stmts(self._kernel.body)
        )

    def _collective(self, s: Collective, a: _Around) -> None:
        if s.op not in OPERANDS or not isinstance(s.type, Scalar):
            raise refuse(codes.HAS_WARP_OPERATION, f"{s.op} of {s.type}", s.span)
        if s.op.startswith("syncthreads"):
            self._needs_block(s.op, s, a)
            operands = s.args
        elif s.op == "activemask":
            operands = ()
        else:
            self._needs_warp(s.op, s.args[0], s, a)
            operands = s.args[1:] if s.op in _SHUFFLES else s.args
        given = tuple(self._operand(e) for e in operands)
        self._flush(a)
        if not s.op.startswith("syncthreads"):
            self._buffers[s.result] = s.type
        self._out.append(Exchange(s.op, s.result, given, a.mask, span=s.span))

    def _operand(self, e: Expr) -> Expr:
        """An operand that is the same for all lanes, or the lane buffer that holds it."""
        if self._is_agreed(e):
            return e
        kind = e.type
        if not isinstance(kind, Scalar):
            raise refuse(codes.HAS_WARP_OPERATION, f"a {kind} is exchanged", e.span)
        match e:
            case Read(VarPlace(name)) if self._is_local(name):
                self._buffers[name] = kind
                return e
            case _:
                slot = VarPlace(self._names.fresh("given"), kind)
                self._buffers[slot.name] = kind
                self._pending.append(Assign(slot, e, span=e.span))
                return Read(slot)

    def _is_agreed(self, e: Expr) -> bool:
        """Whether a value is made of parameters and block variables alone."""
        threads = any(isinstance(x, IndexVar) and x.builtin is Builtin.THREAD for x in walk_expr(e))
        return eager(e) and not threads and not any(map(self._is_local, var_names(e)))

    def _is_local(self, name: str) -> bool:
        """A variable of one lane (no parameter, block variable or shared memory)."""
        if name in self._values.variables or any(p.name == name for p in self._kernel.params):
            return False
        return not any(
            isinstance(s, Declare) and s.name == name and s.space is Space.SHARED
            for s in walk_stmts(self._kernel.body)
        )

    # --- control

    def _branch(self, s: If, a: _Around) -> None:
        if self._values.once(s):
            self._flush(a)
            then, other = self._list(s.then, a), self._list(s.other, a)
            self._out.append(Branch(s.cond, then, other, span=s.span))
            return
        level = self._values.level(s)
        ends = a.last and not orders_threads(s.other)
        inner = a if ends else _divided(a, s, level)
        mask = self._new_mask("active")
        rest = self._new_mask("others") if s.other else None
        self._enter(mask, rest, s.cond, a)
        parts = [(s.then, _within(inner, a, mask, s.then, s.cond))]
        if rest is not None:
            no = (s.other, _within(inner, a, rest, s.other, negate(s.cond)))
            parts.insert(0 if ends else 1, no)
        for part, where in parts:
            self._out.extend(self._list(part, where))

    def _loop(
        self, s: For | While, cond: Expr, body: tuple[Stmt, ...], step: tuple[Stmt, ...], a: _Around
    ) -> None:
        a = replace(a, last=False)
        self._flush(a)
        if self._values.once(s):
            self._out.append(Loop(cond, self._list(body, a), self._list(step, a), span=s.span))
            return
        mask = self._new_mask("running")
        self._enter(mask, None, cond, a)
        inner = _within(_divided(a, s, self._values.level(s)), a, mask, body, None)
        again = Assign(mask, cond, span=s.span)
        self._out.append(AnyLane(mask.name, self._list((*body, *step, again), inner), span=s.span))

    def _new_mask(self, wanted: str) -> VarPlace:
        place = VarPlace(self._names.fresh(wanted), BOOL)
        self._buffers[place.name] = BOOL
        return place

    def _enter(self, mask: VarPlace, rest: VarPlace | None, cond: Expr, a: _Around) -> None:
        """Evaluate a test into masks. Lanes that are not here are in neither."""
        tests: list[Stmt] = [Assign(mask, cond, span=cond.span)]
        if rest is not None:
            tests.append(Assign(rest, negate(Read(mask)), span=cond.span))
        body = (*self._pending, *tests)
        self._pending = []
        if a.mask is not None:
            no = Const(False, BOOL)
            clear = [Assign(m, no) for m in (mask, rest) if m is not None]
            body = (*clear, If(Read(VarPlace(a.mask, BOOL)), body))
        self._out.append(Region(body))


def _divided(a: _Around, s: If | For | While, level: Level) -> _Around:
    """Inside of control that not all lanes take alike (or that runs under a mask of its own)."""
    inner = replace(a, last=False)
    if level is not Level.BLOCK and inner.block is None:
        inner = replace(inner, block=s.span)
    if level is Level.THREAD:
        inner = replace(inner, warp=s.span)
    return inner


def _within(
    inner: _Around, outer: _Around, mask: VarPlace, body: tuple[Stmt, ...], test: Expr | None
) -> _Around:
    """The surroundings of ``body`` under its mask. A branch that divides a warp by itself has a
    ``test`` that tells which lanes are there."""
    inner = replace(inner, mask=mask.name)
    if inner.warp is outer.warp:
        return inner
    return replace(inner, test=test if outer.warp is None else None, inside=body)


def _refused(code: Code, cause: str, s: Stmt) -> Refused:
    return refuse(code, cause, s.span, "move it out of the branch, or make the test uniform")


def _first_lanes(test: Expr, facts: Convergence) -> int | None:
    """The bits of the lanes ``k`` of a test ``lane < k``."""
    match test:
        case Binary(BinaryOp.LT, lhs, Const(k)) if 0 < k <= 32:
            lane = resolved(lhs, facts.values)
            x = IndexVar(Builtin.THREAD, "x")
            whole = lane == x
            match lane:
                case Binary(BinaryOp.AND, inner, Const(31)) | Binary(
                    BinaryOp.REM, inner, Const(32)
                ):
                    whole = resolved(inner, facts.values) == x
                case _:
                    pass
            return (1 << int(k)) - 1 if whole else None
        case _:
            return None


def _truth(e: Expr, facts: Convergence) -> Expr:
    """A predicate before it was made a number."""
    found = resolved(e, facts.values)
    return found.operand if isinstance(found, Cast) and found.operand.type == BOOL else found
