"""Lifts one kernel for one target: the best rung that can be proven, with the reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import assert_never

from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Code, Diagnostic, Outcome, Sink
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.expr import Invoke
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Asm, Barrier, CallStmt, Collective, Declare, Effect, Fence, Stmt
from migrate.ir.types import Space
from migrate.ir.verify import check
from migrate.ir.walk import all_exprs, walk_stmts
from migrate.lifting.bind_operands import bind_operands
from migrate.lifting.refusal import Refused
from migrate.lifting.retile import retile
from migrate.lifting.schedule import NORMAL_FORM, Pass
from migrate.lifting.tile import lift_simd
from migrate.lifting.warp_match import expand_matches

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
    match target:
        case Target.TILELANG:
            return lift_tilelang(kernel, module)
        case Target.ASCEND_950:
            body, module = expand_matches(kernel, module)
            return Lifted(kernel, Rung.SIMT, module, body)
        case Target.ASCEND_910B:
            return lift_simd(kernel, module, options)
        case _:
            assert_never(target)


def lift_tilelang(kernel: Kernel, module: Module) -> Lifted:
    """Normal form, then TILE where the kernel is a flat map, else LANES."""
    sink = Sink()
    needs_others = cross_thread_refusal(kernel, module, Target.TILELANG)
    if needs_others is not None:
        return Lifted(kernel, Rung.REFUSED, module, None, (needs_others,))
    try:
        body = normalise(kernel, module, sink)
    except Refused as refused:
        found = (*sink.diagnostics, _for(kernel, refused.diagnostic, Target.TILELANG))
        return Lifted(kernel, Rung.REFUSED, module, None, found)
    body, rung = retile(body, sink)
    body = bind_operands(body, module, sink)
    check(body, module, "bind operands")
    notes = tuple(_for(kernel, d, Target.TILELANG) for d in sink.diagnostics)
    return Lifted(kernel, rung, module, body, notes)


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


def cross_thread_refusal(kernel: Kernel, module: Module, target: Target) -> Diagnostic | None:
    """The first construct that needs more than one thread, or has no counterpart."""
    for body in reached_bodies(kernel, module):
        for s in walk_stmts(body):
            found = _unsupported(s)
            if found is not None:
                code, cause = found
                refusal = Diagnostic(code, Outcome.REFUSED, cause, s.span)
                return _for(kernel, refusal, target)
    return None


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
            return codes.HAS_FENCE, f"a fence orders memory accesses for a {scope}"
        case Effect(name):
            return codes.DEVICE_OUTPUT, f"{name} has an effect outside the buffers"
        case Asm():
            return codes.INLINE_PTX, "the instruction has no counterpart outside PTX"
        case _:
            return None
