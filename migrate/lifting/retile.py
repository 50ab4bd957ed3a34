"""Decides whether the threads of a kernel can be merged over blocks and cut into new tiles.

A kernel without communication whose indices depend on ``blockIdx * blockDim + threadIdx`` alone
gives the same result for any block size, so its lanes are numbered through and tiled for the
target (rung TILE). A kernel that looks at the block and the thread separately keeps the blocks of
its launch (rung LANES). So does a kernel in which a thread can read what another one writes in the
same launch: CUDA promises no order there, and keeping the blocks keeps what the author saw.

    var bid: i32 = cast<i32>(blockIdx.x)              var i: i32 = cast<i32>(((blockIdx.x *
    var i: i32 = ((bid * cast<i32>(blockDim.x))         blockDim.x) + threadIdx.x))
       + cast<i32>(threadIdx.x))
"""

from __future__ import annotations

from dataclasses import replace

from migrate.analysis.access import buffer_access
from migrate.analysis.launch_axes import AXES, AxisUse, launch_axes, with_canonical_indices
from migrate.core.codes import analysis as analysis_codes
from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.rung import Rung
from migrate.ir.kernel import Kernel


def retile(kernel: Kernel, sink: Sink) -> tuple[Kernel, Rung]:
    """The kernel to emit and its rung; reports why TILE was not possible."""
    body = with_canonical_indices(kernel)
    axes = launch_axes(body)
    meets = buffer_access(kernel).hazards()
    for hazard in meets:
        sink.report(
            Diagnostic(
                analysis_codes.THREADS_MEET,
                Outcome.EXACT,
                f"an element of {hazard.buffer} is read at another index than the one written "
                f"in line {hazard.write.line}",
                hazard.read,
            )
        )
    if axes.is_map and not meets:
        same = body is kernel.body
        return (kernel if same else replace(kernel, body=body)), Rung.TILE
    if axes.is_map:
        return kernel, Rung.LANES
    split = ", ".join(a for a in AXES if axes.of(a) is AxisUse.SPLIT)
    sink.report(
        Diagnostic(
            codes.NOT_A_FLAT_MAP,
            Outcome.EXACT,
            f"the kernel reads the block and the thread separately along {split}",
            kernel.span,
        )
    )
    return kernel, Rung.LANES
