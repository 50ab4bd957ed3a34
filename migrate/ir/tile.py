"""The tile dialect: what one core does with a run of consecutive lanes.

A *lane* is one CUDA thread along ``x``. A tile program runs once for each run of consecutive lanes
``[first, first + count)`` that fits the on-chip buffers, for each value of the other thread and
block indices. A *tile* holds one value a lane. Everything that is no tile is *uniform*: equal for
all lanes of the run, kept in a scalar and written as an expression of :mod:`migrate.ir.expr`.

Names that stand in expressions without a declaration:

* ``FIRST``: the number of the run's first lane (u32), in uniform expressions;
* ``LANE``: the number of the lane at hand (u32), inside :class:`LaneLoop` only.

The builtin index variables that the lane axis replaces (``threadIdx.x``, and ``blockIdx.x`` when
lanes run over the grid) do not occur. Statements run in order, each for all lanes before the next;
that is one of the orders that CUDA allows, because each thread keeps its own order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from migrate.ir.expr import BinaryOp, Expr
from migrate.ir.kernel import Param, TemplateArg
from migrate.ir.node import Node
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import VOID, Scalar, Type

FIRST = "tile_first"
"""The name of the first lane's number in uniform expressions."""
LANE = "tile_lane"
"""The name of the lane's own number inside a lane loop."""

MAX_QUEUE_BUFFERS = 8
"""Queue buffers a position may have: one event each (vendor page "TQue", Atlas A2)."""


class LaneAxis(Enum):
    """What lanes run over: ``blockIdx.x * blockDim.x + threadIdx.x``, or ``threadIdx.x`` alone."""

    GRID = "grid"
    BLOCK = "block"


class TileScope(Enum):
    """Where a tile lives: a queue that memory fills, one that it empties, or a plain buffer.

    ``MASK`` is one bit a lane.
    """

    IN = "in"
    OUT = "out"
    CALC = "calc"
    MASK = "mask"


@dataclass(frozen=True, slots=True)
class TileDecl(Node):
    """A tile: one value of ``type`` a lane (``bool`` for masks)."""

    name: str
    type: Scalar
    scope: TileScope


@dataclass(frozen=True, slots=True)
class TileRef(Node):
    """A tile as an operand; another ``type`` of the same width than declared reads its bits so."""

    name: str
    type: Scalar


Operand = TileRef | Expr
"""A tile, or a uniform value that stands for all lanes."""


class MapOp(Enum):
    """Operations that a vector unit has, one IEEE or wraparound operation a lane.

    ``COPY`` moves bits. ``AND``, ``OR``, ``XOR`` and ``NOT`` work on bits; on masks they are logic.
    ``INDEX`` is ``lane number in the run + operand``. ``FILL`` spreads a uniform value.
    """

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    MAX = "max"
    MIN = "min"
    SHL = "shl"
    SHR = "shr"
    AND = "and"
    OR = "or"
    XOR = "xor"
    NOT = "not"
    COPY = "copy"
    CONVERT = "convert"
    BITCAST = "bitcast"
    INDEX = "index"
    FILL = "fill"


@dataclass(frozen=True, slots=True, kw_only=True)
class TileStmtNode(Node):
    """``note`` is the comment that stood above the CUDA statement."""

    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CopyIn(TileStmtNode):
    """``tile[l] = pointer[index + l]``; ``index`` is the element index of the first lane.

    ``ordered`` asks that earlier copies out have reached memory, which a possible alias needs.
    """

    tile: TileRef
    pointer: Expr
    index: Expr
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class CopyOut(TileStmtNode):
    """``pointer[index + l] = tile[l]`` for the lanes of the run and for no other element."""

    pointer: Expr
    index: Expr
    tile: TileRef


@dataclass(frozen=True, slots=True)
class Map(TileStmtNode):
    """``dst[l] = op(args[l]...)``. Uniform operands are spread over the lanes."""

    dst: TileRef
    op: MapOp
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Apply(TileStmtNode):
    """``dst[l] = name(args[l]...)``: an intrinsic by its CUDA name, spelled by the catalogue.

    ``scratch`` are the buffers that its spelling asks for, in the rule's order.
    """

    dst: TileRef
    name: str
    args: tuple[Operand, ...]
    scratch: tuple[TileRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Compare(TileStmtNode):
    """``mask[l] = lhs[l] op rhs[l]``."""

    mask: TileRef
    op: BinaryOp
    lhs: TileRef
    rhs: Operand


@dataclass(frozen=True, slots=True)
class Choose(TileStmtNode):
    """``dst[l] = mask[l] ? then[l] : other[l]``; both sides have been evaluated, none faults."""

    dst: TileRef
    mask: TileRef
    then: Operand
    other: Operand


@dataclass(frozen=True, slots=True)
class LaneLoop(TileStmtNode):
    """A region on the scalar unit: ``body`` for one lane after another.

    In ``body`` a tile is a variable of its name, and ``LANE`` is the lane's number. ``reads`` and
    ``writes`` name the tiles that it touches. Elements of global memory are loaded and stored one
    by one; ``fresh`` asks that loads see the stores of this core.
    """

    body: tuple[Stmt, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Uniform(TileStmtNode):
    """A scalar that all lanes share is declared or assigned.

    ``fresh`` asks that loads in it see the stores of this core.
    """

    stmt: Declare | Assign
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class TileIf(TileStmtNode):
    """A branch that all lanes take together."""

    cond: Expr
    then: tuple[TileStmt, ...]
    other: tuple[TileStmt, ...] = ()


@dataclass(frozen=True, slots=True)
class TileFor(TileStmtNode):
    """C's ``for`` with uniform control; ``init`` and ``step`` are uniform statements."""

    init: tuple[TileStmt, ...]
    cond: Expr
    step: tuple[TileStmt, ...]
    body: tuple[TileStmt, ...]


@dataclass(frozen=True, slots=True)
class TileWhile(TileStmtNode):
    """``while (cond) body``, or ``do body while (cond)`` when ``at_end``, with uniform control."""

    cond: Expr
    body: tuple[TileStmt, ...]
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class TileBreak(TileStmtNode):
    """Leaves the innermost uniform loop with all lanes."""


@dataclass(frozen=True, slots=True)
class TileContinue(TileStmtNode):
    """Next round of the innermost uniform loop for all lanes."""


@dataclass(frozen=True, slots=True)
class Clip(TileStmtNode):
    """``body`` for the lanes whose distance from ``FIRST`` lies in ``[skip, keep)``.

    Both are i64 and uniform; values outside the run are clamped, an empty range skips ``body``.
    With a ``skip`` the body has a new ``FIRST``, so no tile made outside may be used in it.
    """

    skip: Expr | None
    keep: Expr | None
    body: tuple[TileStmt, ...]


TileStmt = (
    CopyIn
    | CopyOut
    | Map
    | Apply
    | Compare
    | Choose
    | LaneLoop
    | Uniform
    | TileIf
    | TileFor
    | TileWhile
    | TileBreak
    | TileContinue
    | Clip
)


@dataclass(frozen=True, slots=True)
class TileKernel(Node):
    """A kernel as a tile program.

    ``prologue`` runs once a core and reads parameters alone; ``limit`` (i64, uniform over the
    grid) is the number of lanes beyond which ``body`` does nothing, ``None`` for all of the grid's.
    ``lane_name`` is what the source calls the lane's number. ``single_core`` keeps everything on
    one core, in the order of the lanes.
    """

    symbol: str
    name: str
    params: tuple[Param, ...]
    axis: LaneAxis
    tiles: tuple[TileDecl, ...]
    body: tuple[TileStmt, ...]
    prologue: tuple[Uniform, ...] = ()
    limit: Expr | None = None
    lane_name: str = "first"
    single_core: bool = False
    mangled: str = ""
    qualified: str = ""
    template_args: tuple[TemplateArg, ...] = ()
    max_threads: int = 0
    comment: str = field(default="", compare=False)

    @property
    def result(self) -> Type:
        """Kernels return nothing."""
        return VOID

    def tile(self, name: str) -> TileDecl:
        """The declaration of a tile; ``KeyError`` when there is none."""
        for decl in self.tiles:
            if decl.name == name:
                return decl
        raise KeyError(name)


def tile_bodies(s: TileStmt) -> tuple[tuple[TileStmt, ...], ...]:
    """The statement lists directly inside a statement."""
    match s:
        case TileIf(_, then, other):
            return (then, other)
        case TileFor(init, _, step, body):
            return (init, body, step)
        case TileWhile(_, body) | Clip(_, _, body):
            return (body,)
        case _:
            return ()


def uses_of(s: TileStmt) -> tuple[TileRef, ...]:
    """The tiles that a statement itself reads, lane loops left out (they carry names)."""
    match s:
        case CopyOut(_, _, tile):
            return (tile,)
        case Map(_, _, args) | Apply(_, _, args):
            return tuple(a for a in args if isinstance(a, TileRef))
        case Compare(_, _, lhs, rhs):
            return (lhs, *((rhs,) if isinstance(rhs, TileRef) else ()))
        case Choose(_, mask, then, other):
            return (mask, *(a for a in (then, other) if isinstance(a, TileRef)))
        case _:
            return ()
