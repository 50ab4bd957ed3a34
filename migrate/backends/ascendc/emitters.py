"""Which emitter writes the kernels of a chip."""

from __future__ import annotations

from migrate.backends.ascendc import simd, simt
from migrate.backends.ascendc.kernel_text import EmitResult
from migrate.backends.ascendc.simt import SimtContext
from migrate.core.targets import Target
from migrate.ir.lifted import Lifted


def emit_for(target: Target, lifted: Lifted, context: SimtContext) -> EmitResult:
    """The text of one kernel for a chip."""
    if target is Target.ASCEND_950:
        return simt.emit_kernel(lifted, context)
    return simd.emit_kernel(lifted, context)
