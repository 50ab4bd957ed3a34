"""A kernel becomes a tile program for the SIMD chip.

Rungs: ``TILE`` when vector instructions do the work (single lane loops between them are allowed and
said so), ``SCALAR`` when one lane loop does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from migrate.analysis.doubles import narrow_doubles, soft_double_note
from migrate.analysis.lanes import Facts, Kind, lane_facts
from migrate.core.codes import lifting as codes
from migrate.core.codes import target as target_codes
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Suggestion
from migrate.core.options import DoublePolicy, Options
from migrate.core.rung import Rung
from migrate.core.targets import Target, target_facts
from migrate.ir.expr import Call, Expr, Read, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    CallStmt,
    Collective,
    Declare,
    Effect,
    Fence,
    Stmt,
)
from migrate.ir.tile import (
    LANE,
    MAX_QUEUE_BUFFERS,
    Apply,
    Choose,
    Compare,
    CopyIn,
    CopyOut,
    LaneLoop,
    Map,
    TileKernel,
    TileScope,
    TileStmt,
    tile_bodies,
)
from migrate.ir.tile_verify import verify_tiles
from migrate.ir.types import F64, U32, Space
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    declared_names,
    walk_stmts,
)
from migrate.lifting.refusal import Refused
from migrate.lifting.simd_blocks import lift_blocks, works_together
from migrate.lifting.tile_axis import Laned, definitions, expand, loops_with_heads, name_lane
from migrate.lifting.tile_buffers import Buffers
from migrate.lifting.tile_double import double_use, single_precision
from migrate.lifting.tile_guards import FIRST_VALUE, View, is_launch_sum
from migrate.lifting.tile_memory import Memory
from migrate.lifting.tile_normal import normal_form
from migrate.lifting.tile_plan import Planner
from migrate.lifting.tile_spelling import Spellings
from migrate.lifting.tile_tidy import every, fused, hoist, pruned, without_dead
from migrate.lifting.tile_values import Values
from migrate.rules.catalogue import load_catalogue


def lift_simd(kernel: Kernel, module: Module, options: Options) -> Lifted:
    """The tile program of a kernel, or a refusal with its reason.

    A pass of the normal form that refuses is where normalising stops: what it would have made
    simpler then runs on the scalar unit.
    """
    spellings = Spellings(load_catalogue(options.rules_dirs))
    try:
        normal = normal_form(kernel, module)
    except Refused as fault:
        d = replace(fault.diagnostic, kernel=kernel.symbol, target=Target.ASCEND_910B.value)
        return Lifted(kernel, Rung.REFUSED, module, None, (d,))
    normal, doubles = _without_double(normal, options)
    hard = tuple(d for d in doubles if d.outcome is Outcome.REFUSED)
    if works_together(normal) and not hard:
        return lift_blocks(kernel, normal, module, doubles)
    refused = (*_refusals(normal, spellings), *hard)
    if refused:
        return Lifted(kernel, Rung.REFUSED, module, None, refused)
    soft = any(d.code == target_codes.SOFT_DOUBLE for d in doubles)
    made, reasons = plan_tiles(normal, module, spellings, scalar=soft)
    rung = Rung.TILE if is_vector(made.body) else Rung.SCALAR
    notes = (*doubles, *_explanations(kernel, rung, reasons))
    return Lifted(kernel, rung, module, normal, notes, tile=made)


def plan_tiles(
    kernel: Kernel, module: Module, spellings: Spellings, scalar: bool = False
) -> tuple[TileKernel, list[tuple[Stmt | Expr, str]]]:
    """The tile program, and which statements had to go on the scalar unit, with the reason.

    ``scalar`` keeps all of it there: the vector unit has nothing for soft doubles.
    """
    params = frozenset(p.name for p in kernel.params)
    laned = name_lane(loops_with_heads(kernel.body), params)
    facts = lane_facts(laned.body)
    defs = dict(definitions(laned.body, params))
    moving = {n: e for n, e in defs.items() if facts[n].kind is not Kind.UNIFORM}
    view = View(
        facts,
        lambda e: expand(e, defs),
        lambda e: _at_first(expand(e, moving)),
        _counters(laned.body, facts, defs),
    )
    taken = set(params) | declared_names(laned.body) | {g.name for g in module.globals}
    buffers = Buffers(taken)
    memory = Memory(kernel.params, module, defs)
    values = Values(view, moving, memory, buffers, spellings)
    planner = Planner(values, laned.body, laned.axis)
    single = any(isinstance(s, Atomic | Effect) for s in walk_stmts(laned.body))
    body = planner.whole() if single or scalar or not laned.body else planner.plan()
    if not single and not is_vector(body):
        body = planner.whole()
    done = _program(kernel, laned, buffers, body, single)
    if not _fits(done):
        planner.reasons.append((laned.body[0], "its tiles do not fit the unified buffer"))
        body = planner.whole()
        done = _program(kernel, laned, buffers, body, single)
    verify_tiles(done)
    reasons: list[tuple[Stmt | Expr, str]] = list(planner.reasons)
    if is_vector(body) and any(isinstance(s, LaneLoop) for s in every(done.body)):
        reasons += values.reasons
    return done, reasons


def _program(
    kernel: Kernel, laned: Laned, buffers: Buffers, body: tuple[TileStmt, ...], single: bool
) -> TileKernel:
    made = TileKernel(
        kernel.symbol,
        kernel.name,
        kernel.params,
        laned.axis,
        tuple(buffers.decls),
        fused(without_dead(body)),
        lane_name=laned.name,
        single_core=single,
        mangled=kernel.mangled,
        qualified=kernel.qualified,
        template_args=kernel.template_args,
        max_threads=kernel.max_threads,
        comment=kernel.comment,
        span=kernel.span,
    )
    return pruned(hoist(made))


_SMALLEST_RUN = 256
_TAKEN_BYTES = 16 << 10
"""Unified buffer that instructions and single values take for themselves, at most."""
_WORKSPACE = 32
"""Bytes a lane that high-level functions take from what is free, at most."""


def _fits(k: TileKernel) -> bool:
    """True when a run of 256 lanes fits, and no position has more queues than events."""
    per_lane = float(_WORKSPACE)
    for t in k.tiles:
        queued = t.scope in (TileScope.IN, TileScope.OUT)
        per_lane += t.type.bytes * (2 if queued else 1)
    room = target_facts(Target.ASCEND_910B).ub_bytes - _TAKEN_BYTES
    queues = [sum(t.scope is s for t in k.tiles) for s in (TileScope.IN, TileScope.OUT)]
    return max(queues) <= MAX_QUEUE_BUFFERS and per_lane * _SMALLEST_RUN <= room


def _at_first(e: Expr) -> Expr:
    def rule(x: Expr) -> Expr | None:
        return FIRST_VALUE if x == Read(VarPlace(LANE, U32)) else None

    return Rewriter(expr=rule).expr(e)


def _counters(body: tuple[Stmt, ...], facts: Facts, defs: Mapping[str, Expr]) -> frozenset[str]:
    """Linear variables all of whose values are sums of launch dimensions."""
    found = {n for n, f in facts.items() if f.kind is Kind.AFFINE}
    for s in walk_stmts(body):
        match s:
            case Declare(name, _, init) if name in found and init is not None:
                value, target = init, name
            case Assign(VarPlace(name), value) if name in found:
                target = name
            case _:
                continue
        if not is_launch_sum(expand(value, defs), frozenset(found)):
            found.discard(target)
    return frozenset(found)


# --- legality ---------------------------------------------------------------------------------


def _refusals(kernel: Kernel, spellings: Spellings) -> tuple[Diagnostic, ...]:
    found: list[Diagnostic] = []

    def refuse(code: Code, cause: str, s: Stmt | Expr) -> None:
        item = Diagnostic(
            code,
            Outcome.REFUSED,
            cause,
            s.span,
            kernel=kernel.symbol,
            target=Target.ASCEND_910B.value,
        )
        if all(x.code != item.code for x in found):
            found.append(item)

    for s in walk_stmts(kernel.body):
        match s:
            case Barrier() | Fence():
                refuse(codes.HAS_BARRIER, "the threads of a block wait for each other", s)
            case Collective(op):
                refuse(codes.HAS_WARP_OPERATION, f"{op} combines values of several threads", s)
            case Declare(name, _, _, Space.SHARED):
                refuse(codes.HAS_SHARED_MEMORY, f"{name} is shared by a block", s)
            case Asm() | CallStmt():
                refuse(target_codes.NO_INTRINSIC, f"{type(s).__name__} is not translated", s)
            case _:
                pass
    for e in all_exprs(kernel.body):
        if isinstance(e, Call) and e.type != F64 and not spellings.known(e):
            refuse(target_codes.NO_INTRINSIC, f"{e.name} is not known for this chip", e)
    return tuple(found)


def _without_double(kernel: Kernel, options: Options) -> tuple[Kernel, tuple[Diagnostic, ...]]:
    """The kernel with double done in float where that is exact, or where the user asks for it."""
    narrow = replace(kernel, body=narrow_doubles(kernel.body))
    left = double_use(narrow)
    if left is None:
        return narrow, ()
    if options.double is DoublePolicy.SOFT:
        return narrow, (soft_double_note(kernel, Target.ASCEND_910B),)
    single = single_precision(narrow) if options.double is DoublePolicy.FP32 else None
    note = Diagnostic(
        target_codes.NO_DOUBLE,
        Outcome.REFUSED if single is None else Outcome.WEAKER,
        "a value has type double" if single is None else "doubles are computed as floats",
        left.span,
        suggestion=None
        if single is not None
        else Suggestion("convert with --double soft, or fp32 if single precision is enough"),
        kernel=kernel.symbol,
        target=Target.ASCEND_910B.value,
    )
    return (narrow if single is None else single), (note,)


def is_vector(body: tuple[TileStmt, ...]) -> bool:
    """True when vector instructions or whole-tile copies do work in a program."""
    for s in body:
        if isinstance(s, Map | Apply | Choose | Compare | CopyIn):
            return True
        if isinstance(s, CopyOut) or any(is_vector(b) for b in tile_bodies(s)):
            return True
    return False


def _explanations(
    kernel: Kernel, rung: Rung, reasons: list[tuple[Stmt | Expr, str]]
) -> tuple[Diagnostic, ...]:
    outcome = Outcome.EXACT
    code = codes.SCALAR_KERNEL if rung is Rung.SCALAR else codes.SCALAR_REGION
    seen: list[Diagnostic] = []
    for s, why in reasons:
        item = Diagnostic(
            code,
            outcome,
            why,
            s.span,
            kernel=kernel.symbol,
            target=Target.ASCEND_910B.value,
        )
        if item not in seen:
            seen.append(item)
    return tuple(seen)
