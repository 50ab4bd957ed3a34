"""The SIMT dialect: what one CUDA thread does, as structured statements.

Names of locals are unique in a function (the front end renames shadowed ones), and a name is
visible from its declaration to the end of the enclosing statement list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from migrate.ir.expr import Expr, Place
from migrate.ir.node import Node
from migrate.ir.types import Space, Type


@dataclass(frozen=True, slots=True, kw_only=True)
class StmtNode(Node):
    """``note`` is the comment that stood above the statement (without comment marks)."""

    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declare(StmtNode):
    """A variable. ``space`` is LOCAL, or SHARED for ``__shared__`` (array length 0: dynamic)."""

    name: str
    type: Type
    init: Expr | None = None
    space: Space = Space.LOCAL


@dataclass(frozen=True, slots=True)
class Assign(StmtNode):
    """``place = value``; the value has the place's type."""

    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class If(StmtNode):
    """A branch on a ``bool``."""

    cond: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class For(StmtNode):
    """C's ``for``: ``init`` (declarations are scoped to the loop), then while ``cond`` holds,
    ``body`` and ``step``. ``continue`` goes to ``step``. ``unroll`` is ``#pragma unroll``'s count
    (0: full, -1: no pragma)."""

    init: tuple[Stmt, ...]
    cond: Expr
    step: tuple[Stmt, ...]
    body: tuple[Stmt, ...]
    unroll: int = -1


@dataclass(frozen=True, slots=True)
class While(StmtNode):
    """``while (cond) body``."""

    cond: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class DoWhile(StmtNode):
    """``do body while (cond)``; ``continue`` goes to the test."""

    body: tuple[Stmt, ...]
    cond: Expr


@dataclass(frozen=True, slots=True)
class Case(Node):
    """One arm of a switch; no ``values`` is the default arm. Arms never fall through."""

    values: tuple[int, ...]
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Switch(StmtNode):
    """A switch on an integer, without fallthrough and without a trailing ``break`` in arms.

    A ``Break`` inside an arm leaves the switch.
    """

    value: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Break(StmtNode):
    """Leaves the innermost loop or switch."""


@dataclass(frozen=True, slots=True)
class Continue(StmtNode):
    """Next round of the innermost loop."""


@dataclass(frozen=True, slots=True)
class Return(StmtNode):
    """Ends the thread (kernel) or the function."""

    value: Expr | None = None


@dataclass(frozen=True, slots=True)
class CallStmt(StmtNode):
    """A call of a device function that writes memory. ``result`` declares a new local."""

    function: str
    args: tuple[Expr, ...]
    result: str | None
    type: Type


class AtomicOp(Enum):
    """Atomic read-modify-write operations by what they do."""

    ADD = "add"
    SUB = "sub"
    EXCH = "exch"
    MIN = "min"
    MAX = "max"
    INC = "inc"
    DEC = "dec"
    CAS = "cas"
    AND = "and"
    OR = "or"
    XOR = "xor"


@dataclass(frozen=True, slots=True)
class Atomic(StmtNode):
    """``result = old value of place; place = op(old, operands)``. CAS has (compare, value).

    ``result`` declares a new local of the place's type. ``scope`` is device, block or system.
    """

    op: AtomicOp
    place: Place
    operands: tuple[Expr, ...]
    result: str | None = None
    scope: str = "device"


@dataclass(frozen=True, slots=True)
class Barrier(StmtNode):
    """``scope`` block (``__syncthreads``), warp (``__syncwarp``, with ``mask``) or grid."""

    scope: str = "block"
    mask: Expr | None = None


@dataclass(frozen=True, slots=True)
class Fence(StmtNode):
    """``__threadfence`` (device), ``_block`` or ``_system``."""

    scope: str = "device"


@dataclass(frozen=True, slots=True)
class Collective(StmtNode):
    """An operation of several threads with a result: ``shfl_down``, ``ballot``, ``syncthreads_or``.

    ``op`` is the CUDA name without underscores and ``_sync`` (``shfl``, ``shfl_up``, ``shfl_down``,
    ``shfl_xor``, ``ballot``, ``any``, ``all``, ``match_any``, ``match_all``, ``activemask``,
    ``reduce_add``..., ``syncthreads_count``/``_and``/``_or``); ``args`` are CUDA's, mask first
    where there is one. ``result`` declares a new local.
    """

    op: str
    args: tuple[Expr, ...]
    result: str
    type: Type


@dataclass(frozen=True, slots=True)
class Effect(StmtNode):
    """A call for its effect alone: ``printf``, ``assert``, ``__trap``, ``__nanosleep``."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Asm(StmtNode):
    """Inline PTX, kept as text; no target emits it unless a rule rewrites it.

    ``constraints`` are those of the outputs, then of the inputs, as in the source (``=r``, ``+f``,
    ``l``); the text names operands by their number in that order.
    """

    text: str
    outputs: tuple[Place, ...] = ()
    inputs: tuple[Expr, ...] = ()
    constraints: tuple[str, ...] = ()


Stmt = (
    Declare
    | Assign
    | If
    | For
    | While
    | DoWhile
    | Switch
    | Break
    | Continue
    | Return
    | CallStmt
    | Atomic
    | Barrier
    | Fence
    | Collective
    | Effect
    | Asm
)
