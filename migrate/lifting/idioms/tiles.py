"""The tile rung of kernels whose threads work together: the idioms, in the order they are tried."""

from __future__ import annotations

from migrate.ir.kernel import Module
from migrate.ir.lanes import LaneKernel
from migrate.ir.lanes_verify import verify_lanes
from migrate.lifting.idioms.ranks import in_one_row
from migrate.lifting.idioms.reduce import with_reductions
from migrate.lifting.idioms.scan import with_scans
from migrate.lifting.idioms.shared_counts import with_counts
from migrate.lifting.idioms.strides import with_tile_loops
from migrate.lifting.idioms.tidy import tidied
from migrate.lifting.idioms.unused import without_unused
from migrate.lifting.idioms.votes import of_votes_alone, with_votes


def block_tiles(program: LaneKernel, module: Module) -> LaneKernel | None:
    """A lane program whose lanes meet in operations on tiles alone, or None."""
    program = in_one_row(program)
    voted = with_votes(program)
    made = with_reductions(program if voted is None else voted)
    made = None if made is None else tidied(made)
    if made is None and voted is not None:
        made = of_votes_alone(voted)
    made = with_scans(program) if made is None else made
    made = with_counts(program) if made is None else made
    if made is None:
        return None
    made = without_unused(with_tile_loops(made))
    verify_lanes(made, module)
    return made
