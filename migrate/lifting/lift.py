"""Lifts one kernel for one target: the best rung that can be proven, with the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from typing_extensions import assert_never

from migrate.core.codes import lifting as codes
from migrate.core.codes import reading as reading_codes
from migrate.core.codes import target as target_codes
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Sink
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.expr import Invoke
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Asm, Barrier, CallStmt, Collective, Declare, Effect, Fence, Stmt
from migrate.ir.textures import texture_use
from migrate.ir.types import Space
from migrate.ir.verify import check
from migrate.ir.volatile_access import volatile_use
from migrate.ir.walk import all_exprs, walk_stmts
from migrate.lifting.bind_lanes import bind_lanes
from migrate.lifting.bind_operands import bind_operands, bits_of_bfloat16
from migrate.lifting.bind_tiles import bind_tiles
from migrate.lifting.idioms.matrix_tiles import matrix_tiles
from migrate.lifting.idioms.product_notes import product_notes, tensor_notes
from migrate.lifting.idioms.tiles import block_tiles
from migrate.lifting.lane_code import lane_code
from migrate.lifting.meet import meet_at_barriers
from migrate.lifting.refusal import Refused
from migrate.lifting.regions import split_regions
from migrate.lifting.retile import retile
from migrate.lifting.schedule import NORMAL_FORM, Pass
from migrate.lifting.tile import lift_simd
from migrate.lifting.warp_match import expand_matches

_IN_LANE_PROGRAMS = frozenset(
    {codes.HAS_BARRIER, codes.HAS_WARP_OPERATION, codes.HAS_SHARED_MEMORY}
)
Trace = Callable[[str, Kernel], None]
"""Called after each pass with its name and the kernel, for dumps."""


def normalise(
    kernel: Kernel,
    module: Module,
    sink: Sink,
    passes: tuple[Pass, ...] = NORMAL_FORM,
    trace: Trace | None = None,
) -> Kernel:
    """The kernel in normal form. Raises :class:`Refused`."""
    for step in passes:
        kernel = step.run(kernel, module, sink)
        check(kernel, module, step.name)
        if trace is not None:
            trace(step.name, kernel)
    return kernel


def lift(kernel: Kernel, module: Module, target: Target, options: Options) -> Lifted:
    """Bring a kernel to the form that the target's back end emits.

    Never raises for what the kernel holds: a refusal is a result with rung REFUSED.
    """
    found = _foreign(kernel, module)
    if found is not None:
        return Lifted(kernel, Rung.REFUSED, module, None, (_for(kernel, found, target),))
    match target:
        case Target.TILELANG:
            return lift_tilelang(kernel, module)
        case Target.ASCEND_950:
            return lift_simt(kernel, module)
        case Target.ASCEND_910B:
            return lift_simd(kernel, module, options)
        case _:
            assert_never(target)


def _foreign(kernel: Kernel, module: Module) -> Diagnostic | None:
    """What no target has: textures, surfaces, inline PTX, barriers over the grid, threads that
    speak to each other through volatile memory."""
    for body in reached_bodies(kernel, module):
        access = volatile_use(body)
        if access is not None:
            cause = "threads speak to each other through volatile memory, without a barrier between"
            return Diagnostic(reading_codes.VOLATILE_MEMORY, Outcome.REFUSED, cause, access.span)
        use = texture_use(body)
        if use is not None:
            cause = f"{use.name} needs a texture unit"
            return Diagnostic(target_codes.NO_TEXTURE, Outcome.REFUSED, cause, use.span)
        for s in walk_stmts(body):
            if isinstance(s, Asm):
                cause = f"the instructions {s.text.strip()!r} have no counterpart outside PTX"
                return Diagnostic(codes.INLINE_PTX, Outcome.REFUSED, cause, s.span)
            if isinstance(s, Barrier) and s.scope == "grid":
                cause = "all blocks of the launch wait for one another"
                return Diagnostic(target_codes.NO_GRID_BARRIER, Outcome.REFUSED, cause, s.span)
    return None


def lift_simt(kernel: Kernel, module: Module) -> Lifted:
    """Near one to one: what the chip lacks is written out, and all threads meet at barriers."""
    body, module = expand_matches(kernel, module)
    try:
        body = meet_at_barriers(body, module)
    except Refused as refused:
        d = _for(kernel, refused.diagnostic, Target.ASCEND_950)
        return Lifted(kernel, Rung.REFUSED, module, None, (d,))
    check(body, module, "meet at barriers")
    return Lifted(kernel, Rung.SIMT, module, body)


def lift_tilelang(kernel: Kernel, module: Module) -> Lifted:
    """Normal form, then TILE where the kernel is a flat map, else LANES: with the blocks of its
    launch, and as a lane program where the threads of a block work together."""
    sink = Sink()
    needs = list(_cross_thread(kernel, module))
    for d in needs:
        if d.code not in _IN_LANE_PROGRAMS:
            return Lifted(kernel, Rung.REFUSED, module, None, (_for(kernel, d, Target.TILELANG),))
    lanes = None
    try:
        body = normalise(kernel, module, sink)
        if needs:
            body = bits_of_bfloat16(body)
            program = split_regions(body, module)
            tiles = block_tiles(program, module)
            if tiles is None:
                code = matrix_tiles(program, module)
                matrices = None if code is None else bind_tiles(code)
                on_cores = () if matrices is None else tuple(tensor_notes(matrices))
                for d in on_cores or product_notes(program):
                    sink.report(d)
                if matrices is not None:
                    found = tuple(_for(kernel, d, Target.TILELANG) for d in sink.diagnostics)
                    return Lifted(kernel, Rung.TILE, module, body, found, matrices=matrices)
            rung = Rung.LANES if tiles is None else Rung.TILE
            lanes = bind_lanes(lane_code(program) if tiles is None else lane_code(tiles, lane="tx"))
        else:
            body, rung = retile(body, sink)
            body = bind_operands(body, module, sink)
            check(body, module, "bind operands")
    except Refused as refused:
        found = (*sink.diagnostics, _for(kernel, refused.diagnostic, Target.TILELANG))
        return Lifted(kernel, Rung.REFUSED, module, None, found)
    notes = tuple(_for(kernel, d, Target.TILELANG) for d in sink.diagnostics)
    return Lifted(kernel, rung, module, body, notes, lanes=lanes)


def _for(kernel: Kernel, d: Diagnostic, target: Target) -> Diagnostic:
    return replace(d, kernel=kernel.symbol, target=target.value)


def reached_bodies(kernel: Kernel, module: Module) -> tuple[tuple[Stmt, ...], ...]:
    """The bodies of a kernel and of every device function that it reaches."""
    found = [kernel.body]
    seen: set[str] = set()
    at = 0
    while at < len(found):
        called = {e.function for e in all_exprs(found[at]) if isinstance(e, Invoke)}
        called |= {s.function for s in walk_stmts(found[at]) if isinstance(s, CallStmt)}
        for symbol in sorted(called - seen):
            seen.add(symbol)
            found.append(module.function(symbol).body)
        at += 1
    return tuple(found)


def _cross_thread(kernel: Kernel, module: Module) -> Iterator[Diagnostic]:
    for body in reached_bodies(kernel, module):
        for s in walk_stmts(body):
            found = _unsupported(s)
            if found is not None:
                code, cause = found
                yield Diagnostic(code, Outcome.REFUSED, cause, s.span)


def _unsupported(s: Stmt) -> tuple[Code, str] | None:
    match s:
        case Barrier("warp"):
            return codes.HAS_WARP_OPERATION, "__syncwarp orders the threads of a warp"
        case Barrier(scope):
            return codes.HAS_BARRIER, f"a barrier orders the threads of a {scope}"
        case Collective(op):
            return codes.HAS_WARP_OPERATION, f"{op} exchanges values between threads"
        case Declare(name=name, space=Space.SHARED):
            return codes.HAS_SHARED_MEMORY, f"{name} is shared by the threads of a block"
        case Fence(scope):
            return codes.HAS_BARRIER, f"a fence orders memory accesses for a {scope}"
        case Effect(name) if name != "assert":
            return codes.DEVICE_OUTPUT, f"{name} has an effect outside the buffers"
        case Asm():
            return codes.INLINE_PTX, "the instruction has no counterpart outside PTX"
        case _:
            return None
