"""All threads of a block meet at the same barriers.

CUDA counts the threads that arrive and leaves out those that have ended, so this runs there::

    if (i >= n) { return }
    s[t] = x[i]
    barrier block
    y[i] = s[0]

A target whose barrier waits for every thread of the block hangs. The barriers are taken out of the
control that threads take differently, and what stood between them runs under a mask::

    var active: bool = (i < n)
    if active { s[t] = x[i] }
    barrier block
    if active { y[i] = s[0] }

* Two sides of a branch that both wait go side by side, from barrier to barrier; the shorter one
  takes no part in what is left of the other.
* A loop with a number of rounds of its own goes on while a thread is left, which the threads vote
  on (``syncthreads_or``). A ``for`` over constants and parameters is the same for all threads.

Legal because each thread runs the same statements in the same order, and every two statements that
a barrier orders in the source are ordered by the same one afterwards; there are only more barriers.
A thread that takes no part in a barrier of the source has ended, for CUDA leaves anything else
undefined.

Kernels whose barriers already stand where all threads pass keep their text.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.analysis.convergence import Level, convergence
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Sink
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Read,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import (
    Assign,
    Atomic,
    Barrier,
    CallStmt,
    Collective,
    Declare,
    For,
    If,
    Stmt,
    While,
)
from migrate.ir.types import BOOL, I32, Array, Scalar, Space, Type
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    children,
    declared_names,
    sub_bodies,
    var_names,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.control import structure_control
from migrate.lifting.dynamic_shared import one_dynamic_array
from migrate.lifting.inline import inline_functions
from migrate.lifting.naming import names_of
from migrate.lifting.plain_loops import plain_loops
from migrate.lifting.refusal import Refused, refuse
from migrate.lifting.returns import guard_returns


def meet_at_barriers(kernel: Kernel, module: Module) -> Kernel:
    """The kernel with every block barrier where all threads pass; itself if that is so already.

    Raises :class:`Refused` (CM3001) for sides of a branch that cannot go side by side.
    """
    bodies = (kernel.body, *(f.body for f in module.functions))
    if not any(meets(b) for b in bodies):
        return kernel
    try:
        plain = _prepared(kernel, module)
    except Refused:
        return kernel  # control that has no plain form is not taken apart
    work = _Meeting(plain, module)
    made = work.run()
    return made if work.changed else kernel


def meets(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a barrier of the block lies in a statement list."""
    return any(_is_meeting(s) for s in walk_stmts(stmts))


def parted(kernel: Kernel) -> bool:
    """Whether threads that go on are sure to pass by a barrier: it lies under a test of their own
    numbers (against constants and parameters), and something follows behind. CUDA leaves that
    undefined. A test of anything else may well come out the same for all threads of a block."""
    facts = convergence(kernel)
    fixed = {p.name for p in kernel.params} - assigned_names(kernel.body)

    def numbers(e: Expr) -> bool:
        """Whether a value is made of the thread's numbers, constants and parameters alone."""
        match e:
            case Read(VarPlace(name)) if name in facts.values:
                return numbers(facts.values[name])
            case Read(place):
                return isinstance(place, VarPlace) and place.name in fixed
            case _:
                return all(map(numbers, children(e)))

    def passes(stmts: tuple[Stmt, ...], last: bool) -> bool:
        for at, s in enumerate(stmts):
            if not meets((s,)) or not isinstance(s, If | For | While):
                continue
            ends = last and at == len(stmts) - 1
            both = isinstance(s, If) and meets(s.then) and meets(s.other)
            if not (ends or both) and facts.of(s.cond) is not Level.BLOCK and numbers(s.cond):
                return True
            if any(passes(b, ends and isinstance(s, If)) for b in sub_bodies(s)):
                return True
        return False

    return passes(kernel.body, True)


def _is_meeting(s: Stmt) -> bool:
    if isinstance(s, Collective):
        return s.op.startswith("syncthreads")
    return isinstance(s, Barrier) and s.scope == "block"


def _prepared(kernel: Kernel, module: Module) -> Kernel:
    """One function without calls that wait, with control that is only left at its end."""
    sink = Sink()
    for step in (structure_control, inline_functions, one_dynamic_array, guard_returns):
        kernel = step(kernel, module, sink)
    return plain_loops(kernel, module)


def _not(e: Expr) -> Expr:
    return Unary(UnaryOp.NOT, e)


class _Meeting:
    """Takes one kernel apart; ``changed`` says whether anything had to be."""

    def __init__(self, kernel: Kernel, module: Module) -> None:
        self._kernel = kernel
        self._names = names_of(kernel, module)
        self._facts = convergence(kernel)
        self._params = {p.name for p in kernel.params} - assigned_names(kernel.body)
        self.changed = False

    def run(self) -> Kernel:
        """The whole kernel; shared memory is declared at its start."""
        shared = tuple(
            s
            for s in walk_stmts(self._kernel.body)
            if isinstance(s, Declare) and s.space is Space.SHARED
        )
        body = Rewriter(stmt=lambda s: () if s in shared else None).body(self._kernel.body)
        return replace(self._kernel, body=(*shared, *self._list(body, None)))

    # --- lists

    def _list(self, stmts: tuple[Stmt, ...], mask: VarPlace | None) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        pending: list[Stmt] = []
        for at, s in enumerate(stmts):
            if not meets((s,)):
                pending.append(s)
                continue
            out += self._under(tuple(pending), mask, stmts[at:])
            pending = []
            out += self._meeting(s, mask)
        return (*out, *self._under(tuple(pending), mask, ()))

    def _under(
        self, stmts: tuple[Stmt, ...], mask: VarPlace | None, rest: tuple[Stmt, ...]
    ) -> tuple[Stmt, ...]:
        """Statements under a mask; variables that ``rest`` uses are declared before."""
        if mask is None or not stmts:
            return stmts
        used = {n for e in all_exprs(rest) for n in var_names(e)} | assigned_names(rest)
        before: list[Stmt] = []
        inside: list[Stmt] = []
        for s in stmts:
            if declared_names((s,)) & used:
                self._declared_before(s, used, before, inside)
            else:
                inside.append(s)
        body = tuple(inside)
        return (*before, If(Read(mask), body)) if body else tuple(before)

    def _declared_before(
        self, s: Stmt, used: set[str], before: list[Stmt], inside: list[Stmt]
    ) -> None:
        match s:
            case Declare(name, kind, init):
                if init is not None and isinstance(kind, Array):
                    raise refuse(codes.HAS_BARRIER, f"{name} is filled between barriers", s.span)
                before.append(replace(s, init=None))
                if init is not None:
                    inside.append(Assign(VarPlace(name, kind), init, span=s.span))
            case Collective(result=str(name), type=kind) | CallStmt(result=str(name), type=kind):
                self._result_before(s, name, kind, before, inside)
            case Atomic(result=str(name), place=place):
                self._result_before(s, name, place.type, before, inside)
            case _:
                inside.append(s)

    def _result_before(
        self,
        s: Collective | CallStmt | Atomic,
        name: str,
        kind: Type,
        before: list[Stmt],
        inside: list[Stmt],
    ) -> None:
        now = self._names.fresh(f"{name}_now")
        before.append(Declare(name, kind, span=s.span))
        inside.append(replace(s, result=now))
        inside.append(Assign(VarPlace(name, kind), Read(VarPlace(now, kind)), span=s.span))

    # --- statements that hold barriers

    def _meeting(self, s: Stmt, mask: VarPlace | None) -> tuple[Stmt, ...]:
        match s:
            case Barrier():
                return (s,)
            case Collective():
                return self._vote(s, mask)
            case If(cond, then, other):
                if mask is None and self._facts.of(cond) is Level.BLOCK:
                    parts = (self._list(then, None), self._list(other, None))
                    return (replace(s, then=parts[0], other=parts[1]),)
                return self._branch(s, mask)
            case For() | While():
                if isinstance(s, For) and meets((*s.init, *s.step)):
                    raise refuse(codes.HAS_BARRIER, "a loop's head holds a barrier", s.span)
                same = self._facts.of_loop(s) is Level.BLOCK
                if same and (mask is None or self._counts(s)):
                    return (replace(s, body=self._list(s.body, mask)),)
                return self._loop(s, mask)
            case _:
                cause = f"{type(s).__name__} holds a barrier"
                raise refuse(codes.HAS_BARRIER, cause, s.span)

    def _counts(self, s: For | While) -> bool:
        """A loop that every thread can count: over constants, parameters and its own variables."""
        if not isinstance(s, For):
            return False
        own = declared_names(s.init)
        if own & assigned_names(s.body) or not assigned_names((*s.init, *s.step)) <= own:
            return False
        exprs = (s.cond, *all_exprs((*s.init, *s.step)))
        places = (e.place for e in exprs for e in walk_expr(e) if isinstance(e, Read))
        known = own | self._params
        return all(isinstance(p, VarPlace) and p.name in known for p in places) and not any(
            isinstance(x, IndexVar) and x.builtin is Builtin.THREAD
            for e in exprs
            for x in walk_expr(e)
        )

    def _vote(self, s: Collective, mask: VarPlace | None) -> tuple[Stmt, ...]:
        """A barrier with a vote: a thread outside of the mask votes so that it changes nothing."""
        if mask is None:
            return (s,)
        kind = s.args[0].type
        if not isinstance(kind, Scalar):
            raise refuse(codes.HAS_BARRIER, f"{s.op} of {kind}", s.span)
        neutral = s.op == "syncthreads_and"
        given = VarPlace(self._names.fresh("given"), kind)
        start = Const(neutral if kind == BOOL else int(neutral), kind)
        return (
            Declare(given.name, kind, start),
            If(Read(mask), (Assign(given, s.args[0]),)),
            replace(s, args=(Read(given),)),
        )

    def _test(self, wanted: str, cond: Expr, mask: VarPlace | None) -> tuple[VarPlace, list[Stmt]]:
        """A new mask: the threads of ``mask`` for which a condition holds."""
        self.changed = True
        place = VarPlace(self._names.fresh(wanted), BOOL)
        if mask is None:
            return place, [Declare(place.name, BOOL, cond, span=cond.span)]
        none = Declare(place.name, BOOL, Const(False, BOOL), span=cond.span)
        return place, [none, If(Read(mask), (Assign(place, cond, span=cond.span),))]

    def _branch(self, s: If, mask: VarPlace | None) -> tuple[Stmt, ...]:
        active, out = self._test("active", s.cond, mask)
        if not s.other:
            return (*out, *self._list(s.then, active))
        unless = _not(Read(active))
        left = unless if mask is None else Binary(BinaryOp.LAND, Read(mask), unless)
        others = VarPlace(self._names.fresh("others"), BOOL)
        out.append(Declare(others.name, BOOL, left))
        if meets(s.then) and meets(s.other):
            return (*out, *self._side_by_side(s, active, others))
        sides = ((s.then, active), (s.other, others))
        # The side that does not wait belongs before the first barrier of the other one.
        for part, where in sorted(sides, key=lambda side: meets(side[0])):
            out += self._list(part, where)
        return tuple(out)

    def _side_by_side(self, s: If, active: VarPlace, others: VarPlace) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        then, other = s.then, s.other
        while meets(then) and meets(other):
            first, barrier, then = _to_barrier(then, s)
            second, _, other = _to_barrier(other, s)
            out += self._under(first, active, then)
            out += self._under(second, others, other)
            out.append(barrier)
        for part, where in sorted(((then, active), (other, others)), key=lambda x: meets(x[0])):
            out += self._list(part, where)
        return tuple(out)

    def _loop(self, s: For | While, mask: VarPlace | None) -> tuple[Stmt, ...]:
        init, step = (s.init, s.step) if isinstance(s, For) else ((), ())
        out = [*self._under(init, mask, (s,))]
        running, test = self._test("running", s.cond, mask)
        vote, left = self._anyone(running)
        go = VarPlace(self._names.fresh("more"), BOOL)
        out += [*test, vote, Declare(go.name, BOOL, left)]
        again = Assign(running, s.cond, span=s.span)
        vote, left = self._anyone(running)
        body = (
            *self._list(s.body, running),
            If(Read(running), (*step, again)),
            vote,
            Assign(go, left),
        )
        return (*out, While(Read(go), body, span=s.span))

    def _anyone(self, running: VarPlace) -> tuple[Stmt, Expr]:
        """A vote whether a thread is left in a loop, and the test of its result."""
        result = VarPlace(self._names.fresh("left"), I32)
        vote = Collective("syncthreads_or", (Cast(Read(running), I32),), result.name, I32)
        return vote, Binary(BinaryOp.NE, Read(result), Const(0, I32))


def _to_barrier(
    stmts: tuple[Stmt, ...], branch: If
) -> tuple[tuple[Stmt, ...], Barrier, tuple[Stmt, ...]]:
    """A list before, at and after its first barrier, which has to stand in the list itself."""
    for at, s in enumerate(stmts):
        if isinstance(s, Barrier) and s.scope == "block":
            return stmts[:at], s, stmts[at + 1 :]
        if meets((s,)):
            cause = f"both sides of the branch in line {branch.span.line} wait at barriers, one in"
            raise refuse(codes.HAS_BARRIER, f"{cause} a branch or loop of its own", s.span)
    raise AssertionError("a side that meets holds a barrier")
