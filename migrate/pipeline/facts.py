"""The facts that a conversion of a kernel rests on, for ``cudamigrate explain --facts``.

They are those of the kernel in normal form (:mod:`migrate.lifting.schedule`): who shares a value,
where memory is accessed, what barriers order, how the launch is used, and the rung that follows.
"""

from __future__ import annotations

from dataclasses import dataclass

from migrate.analysis.access import Hazard, buffer_access, direct_accesses
from migrate.analysis.affine import Polynomial, definitions
from migrate.analysis.barriers import BarrierUse, barrier_uses
from migrate.analysis.convergence import Level, convergence
from migrate.analysis.launch_axes import AXES, launch_axes, with_canonical_indices
from migrate.analysis.uniformity import Uniform, uniformity
from migrate.core.diagnostics import Diagnostic, Sink
from migrate.core.options import Options
from migrate.core.rung import Rung
from migrate.core.span import Span
from migrate.ir.kernel import Kernel, Module
from migrate.ir.printer import print_expr
from migrate.ir.simt import Declare, For
from migrate.ir.walk import walk_stmts
from migrate.lifting.lift import lift, normalise
from migrate.lifting.refusal import Refused


@dataclass(frozen=True, slots=True)
class ValueFact:
    """Over which threads a variable has one value: grid, block, warp or thread."""

    name: str
    shared_by: str


@dataclass(frozen=True, slots=True)
class AccessFact:
    """An access in elements: what all threads of the block share of the index, and the rest."""

    buffer: str
    kind: str
    shared_part: str
    own_part: str
    span: Span


@dataclass(frozen=True, slots=True)
class LoopFact:
    """A counted loop: its counter goes from ``start`` while ``bound`` holds."""

    counter: str
    start: str
    bound: str


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """Everything about one kernel; ``refusal`` is set when it has no normal form."""

    kernel: Kernel
    rung: Rung
    reasons: tuple[Diagnostic, ...]
    refusal: Diagnostic | None = None
    axes: tuple[tuple[str, str], ...] = ()
    values: tuple[ValueFact, ...] = ()
    loops: tuple[LoopFact, ...] = ()
    accesses: tuple[AccessFact, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    barriers: tuple[BarrierUse, ...] = ()


def kernel_facts(kernel: Kernel, module: Module, options: Options) -> KernelFacts:
    """The facts of one kernel, and the rung that it gets for ``options.target``. Never raises for
    what the kernel holds."""
    lifted = lift(kernel, module, options.target, options)
    try:
        body = normalise(kernel, module, Sink())
    except Refused as refused:
        return KernelFacts(kernel, lifted.rung, lifted.diagnostics, refused.diagnostic)
    axes = launch_axes(with_canonical_indices(body))
    return KernelFacts(
        kernel,
        lifted.rung,
        lifted.diagnostics,
        axes=tuple((a, axes.of(a).value) for a in AXES),
        values=_values(body),
        loops=tuple(_loops(body)),
        accesses=_accesses(body),
        hazards=buffer_access(body).hazards(),
        barriers=barrier_uses(body),
    )


def _values(kernel: Kernel) -> tuple[ValueFact, ...]:
    """Variables in the order of their declarations; a warp's values on whole warps alone."""
    grid = dict(uniformity(kernel).variables)
    block = convergence(kernel).variables
    found: dict[str, str] = {}
    for s in walk_stmts(kernel.body):
        if isinstance(s, Declare):
            level = block.get(s.name, Level.BLOCK)
            same = level is Level.BLOCK and grid.get(s.name) is Uniform.GRID
            found[s.name] = "grid" if same else level.name.lower()
    return tuple(ValueFact(*item) for item in found.items())


def _loops(kernel: Kernel) -> list[LoopFact]:
    found = []
    for s in walk_stmts(kernel.body):
        if isinstance(s, For):
            for start in s.init:
                if isinstance(start, Declare) and start.init is not None:
                    first = print_expr(start.init)
                    found.append(LoopFact(start.name, first, print_expr(s.cond)))
    return found


def _accesses(kernel: Kernel) -> tuple[AccessFact, ...]:
    known = definitions(kernel)
    levels = convergence(kernel).variables
    named = {p.name for p in kernel.params} | {
        s.name for s in walk_stmts(kernel.body) if isinstance(s, Declare)
    }

    def shared(atom: str) -> bool:
        builtin = atom.startswith(("blockIdx.", "blockDim.", "gridDim."))
        return builtin or (atom in named and levels.get(atom, Level.BLOCK) is Level.BLOCK)

    found: dict[AccessFact, None] = {}
    for s in walk_stmts(kernel.body):
        for a in direct_accesses(s, known):
            alike = tuple((m, c) for m, c in a.index.terms if all(map(shared, m)))
            own = tuple(term for term in a.index.terms if term not in alike)
            parts = str(Polynomial(alike)), str(Polynomial(own))
            found[AccessFact(a.buffer, a.kind, parts[0], parts[1], a.span)] = None
    return tuple(found)
