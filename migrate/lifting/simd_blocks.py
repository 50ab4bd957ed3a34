"""For 910B: kernels whose threads work together become lane programs on the scalar unit.

The split is that of :mod:`migrate.lifting.regions`; legality is told there. Each step is a loop
over the threads of a block: right on the scalar unit, and slow, which the report says (CM3021).
"""

from __future__ import annotations

from dataclasses import replace

from migrate.core.codes import lifting as codes
from migrate.core.codes import target as target_codes
from migrate.core.diagnostics import Code, Diagnostic, Outcome
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lifted import Lifted
from migrate.ir.simt import Asm, Barrier, CallStmt, Collective, Declare, Fence, Stmt
from migrate.ir.types import Space
from migrate.ir.walk import walk_stmts
from migrate.lifting.lane_code import lane_code
from migrate.lifting.refusal import Refused
from migrate.lifting.regions import split_regions


def works_together(kernel: Kernel) -> bool:
    """Whether threads wait for each other, share memory or order what others see of theirs."""
    return any(_is_shared(s) for s in walk_stmts(kernel.body))


def _is_shared(s: Stmt) -> bool:
    if isinstance(s, Declare):
        return s.space is Space.SHARED
    return isinstance(s, Barrier | Collective | Fence)


def lift_blocks(
    kernel: Kernel, normal: Kernel, module: Module, notes: tuple[Diagnostic, ...]
) -> Lifted:
    """The lane program of a kernel, or a refusal. ``normal`` is the kernel in normal form."""
    for s in walk_stmts(normal.body):
        if isinstance(s, Asm | CallStmt):
            cause = f"{type(s).__name__} is not translated"
            return _refused(kernel, module, target_codes.NO_INTRINSIC, cause, s)
    try:
        lanes = lane_code(split_regions(normal, module))
    except Refused as fault:
        d = replace(fault.diagnostic, kernel=kernel.symbol, target=Target.ASCEND_910B.value)
        return Lifted(kernel, Rung.REFUSED, module, None, (*notes, d))
    why = Diagnostic(
        codes.SCALAR_KERNEL,
        Outcome.EXACT,
        "the threads of a block work together, step by step on the scalar unit",
        kernel.span,
        kernel=kernel.symbol,
        target=Target.ASCEND_910B.value,
    )
    return Lifted(kernel, Rung.SCALAR, module, normal, (*notes, why), lanes=lanes)


def _refused(kernel: Kernel, module: Module, code: Code, cause: str, s: Stmt) -> Lifted:
    d = Diagnostic(
        code,
        Outcome.REFUSED,
        cause,
        s.span,
        kernel=kernel.symbol,
        target=Target.ASCEND_910B.value,
    )
    return Lifted(kernel, Rung.REFUSED, module, None, (d,))
