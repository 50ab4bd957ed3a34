"""Expressions over lanes become tile operations.

An expression is one of: uniform (stays an expression), linear in the lane (an index tile when its
value is needed), a load of consecutive elements (a copy in), or an operation on such. What has no
exact vector instruction is computed for one lane after another: the smallest expression around it
becomes a lane loop that fills a tile, its neighbours stay vector operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import assert_never

from migrate.analysis.lanes import Kind as Dep
from migrate.analysis.lanes import dependence, is_uniform
from migrate.ir.expr import (
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    Binary,
    BinaryOp,
    Bitcast,
    Call,
    Cast,
    Const,
    Expr,
    PtrElem,
    Read,
    Select,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.simt import Assign, Stmt
from migrate.ir.tile import (
    FIRST,
    LANE,
    Apply,
    CopyIn,
    LaneLoop,
    MapOp,
    Operand,
    TileRef,
    TileScope,
    TileStmt,
)
from migrate.ir.types import BOOL, F64, I32, U32, Scalar
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    declared_names,
    var_names,
)
from migrate.lifting.tile_axis import expand
from migrate.lifting.tile_buffers import Buffers, Load, NotVector
from migrate.lifting.tile_guards import View
from migrate.lifting.tile_memory import Address, Memory, split_pointer
from migrate.lifting.tile_select import Selector, source_conversion
from migrate.lifting.tile_spelling import Spellings


@dataclass(slots=True)
class State:
    """What the lowering knows at one point of the program."""

    stored: set[str | None] = field(default_factory=set)
    masked: bool = False


class Values:
    """Lowers expressions of one kernel."""

    def __init__(
        self,
        view: View,
        defs: dict[str, Expr],
        memory: Memory,
        buffers: Buffers,
        spellings: Spellings,
    ) -> None:
        self.view = view
        self.facts = view.facts
        self.defs = defs
        self.memory = memory
        self.buffers = buffers
        self.spellings = spellings
        self.reasons: list[tuple[Expr, str]] = []
        self.out: list[TileStmt] = []
        self.state = State()
        self.select = Selector(buffers, self.emit)

    def emit(self, s: TileStmt) -> None:
        """Append to the statement list that is being written."""
        self.out.append(s)

    # --- the same value elsewhere

    def at_first(self, e: Expr) -> Expr:
        """The value of ``e`` at the run's first lane, as a uniform expression."""
        return self.view.at_first(e)

    def at_lane(self, e: Expr) -> Expr:
        """The value of ``e`` at the lane at hand, inside a lane loop."""
        return Rewriter(expr=self._lane_rule).expr(expand(e, self.defs))

    def lane_body(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Statements as they stand in a lane loop."""
        local = declared_names(stmts)
        defs = {k: v for k, v in self.defs.items() if k not in local}

        def rule(e: Expr) -> Expr | None:
            match e:
                case Read(VarPlace(name)) if name in defs:
                    return Rewriter(expr=self._lane_rule).expr(defs[name])
                case Read(VarPlace(name)) if name not in local:
                    return self._lane_rule(e)
                case _:
                    return None

        return Rewriter(expr=rule).body(stmts)

    def _lane_rule(self, e: Expr) -> Expr | None:
        """A scalar that holds a linear value at the first lane, moved on to this lane."""
        match e:
            case Read(VarPlace(name, Scalar() as kind)) if name != LANE:
                found = self.facts.get(name)
                if found is None or found.kind is not Dep.AFFINE:
                    return None
                gap: Expr = Binary(
                    BinaryOp.SUB, Read(VarPlace(LANE, U32)), Read(VarPlace(FIRST, U32))
                )
                gap = gap if kind == U32 else Cast(gap, kind)
                if found.step != 1:
                    if not isinstance(found.step, int):
                        raise NotVector("a linear value with a step that is no literal")
                    gap = Binary(BinaryOp.MUL, gap, _literal(found.step, kind))
                return Binary(BinaryOp.ADD, e, gap)
            case _:
                return None

    # --- loads

    def address(self, place: PtrElem) -> Address:
        """Base pointer and element index of a place, locals that only name them expanded."""
        pointer = place.pointer
        if not is_uniform(pointer, self.facts) or _names_sum(pointer, self.defs):
            pointer = expand(pointer, self.defs)
        index = place.index
        found = split_pointer(pointer, index)
        if not is_uniform(found.base, self.facts):
            raise NotVector("the pointer differs between lanes")
        return found

    def is_run(self, index: Expr) -> bool:
        """True when consecutive lanes have consecutive indices."""
        return dependence(expand(index, self.defs), self.facts).step == 1 or (
            dependence(index, self.facts).step == 1
        )

    def load(self, place: PtrElem, hint: str = "") -> TileRef:
        """Consecutive elements as a tile; one that is at hand already is used again."""
        kind = place.type
        if not isinstance(kind, Scalar):
            raise NotVector(f"elements of type {kind}")
        if kind == BOOL:
            raise NotVector("bool in memory has no vector type")
        where = self.address(place)
        if not self.is_run(where.index):
            raise NotVector("lanes do not load consecutive elements")
        first = self.at_first(where.index)
        known = self.buffers.find(where.base, first)
        if known is not None:
            return known
        if self.state.masked:
            raise NotVector("a load that only some lanes execute")
        root = self.memory.root(where.base)
        name = hint or f"{root or 'data'}_tile"
        tile = self.buffers.tile(name, kind, TileScope.IN)
        ordered = self.memory.meets(root, self.state.stored)
        self.out.append(CopyIn(tile, where.base, first, ordered))
        self.buffers.loads.append(Load(where.base, first, tile, root))
        return tile

    # --- values

    def value(self, e: Expr, into: TileRef | None = None) -> Operand:
        """``e`` as an operand; a tile when ``into`` is given."""
        if is_uniform(e, self.facts) and self.spellings.scalar(e):
            if self.memory.has_loads(e):
                if self.state.masked:
                    raise NotVector("a load that only some lanes execute")
                if any(self.memory.meets(r, self.state.stored) for r in self.memory.loads(e)):
                    raise NotVector("a uniform load after a store that may change it")
            return e if into is None else self.select.spread(e, into)
        mark = len(self.out)
        state = self.buffers.snapshot()
        try:
            return self._vector(e, into)
        except NotVector as why:
            if self.state.masked or not isinstance(e.type, Scalar):
                raise
            del self.out[mark:]
            self.buffers.restore(state)
            done = self._by_lane(e, into)
            self.reasons.append((e, str(why)))
            return done

    def tile(self, e: Expr, into: TileRef | None = None) -> TileRef:
        """``e`` as a tile."""
        found = self.value(e, into)
        return found if isinstance(found, TileRef) else self.select.spread(found, into)

    def _vector(self, e: Expr, into: TileRef | None) -> TileRef:
        kind = e.type
        if not isinstance(kind, Scalar) or kind == F64 or kind.bits == 64:
            raise NotVector(f"the vector unit has no {kind}")
        if kind.is_integer and not isinstance(e, Read | Cast):
            if dependence(e, self.facts).kind is Dep.AFFINE:
                return self._index(e, into)
        match e:
            case Read(VarPlace(name)):
                if name == LANE or self.facts[name].kind is Dep.AFFINE:
                    return self._index(e, into)
                if name in self.defs:
                    return self.tile(self.defs[name], into)
                if not self.buffers.has(name):
                    raise NotVector(f"{name} is not kept in a tile")
                src = TileRef(name, kind)
                return src if into is None else self.select.copy(src, into)
            case Read(PtrElem() as place):
                src = self.load(place)
                return src if into is None else self.select.copy(src, into)
            case Cast(operand, Scalar() as to):
                return self._cast(operand, to, into)
            case Unary(op, operand):
                return self._unary(op, operand, into)
            case Binary():
                return self._binary(e, into)
            case Select(cond, then, other):
                return self._choice(cond, then, other, into)
            case Call():
                return self._call(e, into)
            case Bitcast(operand, to) if isinstance(operand.type, Scalar):
                a = self.tile(operand)
                if not isinstance(to, Scalar) or a.type.bits != to.bits or BOOL in (a.type, to):
                    raise NotVector("bits of another width")
                view = TileRef(a.name, to)
                return view if into is None else self.select.copy(view, into)
            case _:
                raise NotVector("the expression has no vector form")

    def _index(self, e: Expr, into: TileRef | None) -> TileRef:
        """The lane's own number (times a literal, plus something uniform) as a tile of 32 bits."""
        kind, step = e.type, dependence(e, self.facts).step
        if kind not in (I32, U32) or not isinstance(step, int) or not isinstance(kind, Scalar):
            raise NotVector("a linear value that is no 32-bit integer")
        start = self.at_first(e)
        start = start if kind == I32 else Cast(start, I32)
        if step == 1:
            made = self.select.op(MapOp.INDEX, I32, start, into=_as(into, I32))
        else:
            lanes = self.select.op(MapOp.INDEX, I32, Const(0, I32))
            scaled = self.select.op(MapOp.MUL, I32, lanes, Const(step, I32))
            made = self.select.op(MapOp.ADD, I32, scaled, start, into=_as(into, I32))
        return TileRef(made.name, kind)

    def _cast(self, operand: Expr, to: Scalar, into: TileRef | None) -> TileRef:
        source = operand.type
        if not isinstance(source, Scalar):
            raise NotVector(f"a {source} as a number")
        if source.bits == 64 and dependence(operand, self.facts).kind is Dep.AFFINE:
            raise NotVector("a 64-bit linear value")
        if not source_conversion(source.kind, to.kind):
            return self.select.convert(self.select.convert(self.tile(operand), I32), to, into)
        if to.bits == 64:
            raise NotVector("64-bit values")
        return self.select.convert(self.tile(operand), to, into)

    def _unary(self, op: UnaryOp, operand: Expr, into: TileRef | None) -> TileRef:
        a = self.tile(operand)
        match op:
            case UnaryOp.NEG:
                return self.select.negate(a, into)
            case UnaryOp.BITNOT | UnaryOp.NOT:
                return self.select.invert(a, into)
            case _:
                assert_never(op)

    def _binary(self, e: Binary, into: TileRef | None) -> TileRef:
        if e.op in LOGICAL:
            a = self.tile(e.lhs)
            outer = self.state.masked
            self.state.masked = True  # the right side is evaluated for some lanes only
            try:
                b = self.tile(e.rhs)
            finally:
                self.state.masked = outer
            op = BinaryOp.AND if e.op is BinaryOp.LAND else BinaryOp.OR
            return self.select.binary(op, a, b, into)
        if e.op in SHIFTS:
            if not isinstance(e.rhs, Const):
                raise NotVector("a shift by a value that is no literal")
            return self.select.shift(e.op is BinaryOp.SHL, self.tile(e.lhs), e.rhs, into)
        a2, b2 = self.value(e.lhs), self.value(e.rhs)
        if e.op in COMPARISONS:
            return self.select.compare(e.op, a2, b2, into)
        return self.select.binary(e.op, a2, b2, into)

    def _choice(self, cond: Expr, then: Expr, other: Expr, into: TileRef | None) -> TileRef:
        if is_uniform(cond, self.facts):
            raise NotVector("a choice that all lanes make together")
        mask = self.tile(cond)
        outer = self.state.masked
        self.state.masked = True
        try:
            a, b = self.value(then), self.value(other)
        finally:
            self.state.masked = outer
        return self.select.choose(mask, a, b, into)

    def _call(self, e: Call, into: TileRef | None) -> TileRef:
        if e.type not in (BOOL,) and not isinstance(e.type, Scalar):
            raise NotVector(f"{e.name} gives no number")
        args = tuple(self.value(a) for a in e.args)
        form = self.spellings.vector(e, tuple(isinstance(a, TileRef) for a in args))
        if form is None:
            args = tuple(self.select.tile(a) for a in args)
            form = self.spellings.vector(e, tuple(True for _ in args))
        if form is None or not isinstance(e.type, Scalar):
            raise NotVector(f"{e.name} has no vector form")
        scratch = tuple(self._scratch(t, e.type) for t in form.scratch)
        dst = into
        if dst is None or any(isinstance(a, TileRef) and a.name == dst.name for a in args):
            dst = self.buffers.temp(e.type)
        self.out.append(Apply(dst, e.name, args, scratch))
        self.buffers.release(*args, *scratch)
        return dst if into is None else self.select.copy(dst, into)

    def _scratch(self, kind: Scalar | None, result: Scalar) -> TileRef:
        return self.buffers.temp(result if kind is None else kind)

    # --- the scalar unit

    def _by_lane(self, e: Expr, into: TileRef | None) -> TileRef:
        """Fills a tile with ``e``, one lane after another."""
        kind = e.type
        if not isinstance(kind, Scalar):
            raise NotVector(f"a {kind} has no tile")
        if kind == BOOL:
            number = self._by_lane(Cast(e, I32), None)
            return self.select.compare(BinaryOp.NE, number, Const(0, I32), into)
        if kind == F64 or (kind.bits == 64 and into is None):
            raise NotVector(f"a {kind} that other vector code needs")
        lone = [n for n in var_names(expand(e, self.defs)) if not self.reachable(n)]
        if lone:
            raise NotVector(f"{lone[0]} lives on the scalar unit")
        dst = self.buffers.temp(kind) if into is None else into
        stmt = Assign(VarPlace(dst.name, kind), self.at_lane(e))
        self.out.append(self.lane_loop((stmt,), writes=(dst.name,)))
        return dst

    def reachable(self, name: str) -> bool:
        """True when a lane loop can read a variable that is declared outside of it."""
        found = self.facts.get(name)
        return found is None or found.kind is not Dep.VARYING or self.buffers.has(name)

    def lane_loop(self, body: tuple[Stmt, ...], writes: tuple[str, ...]) -> LaneLoop:
        """A lane loop with what it reads and writes."""
        local = declared_names(body)
        names = {n for x in all_exprs(body) for n in var_names(x)}
        reads = tuple(sorted(n for n in names if self.buffers.has(n) and n not in local))
        changed = tuple(
            sorted(
                {n for n in assigned_names(body) if self.buffers.has(n) and n not in local}
                | set(writes)
            )
        )
        if any(self.buffers.declared(n) == BOOL for n in changed):
            raise NotVector("a lane loop cannot write one bit of a mask")
        fresh = self.memory.fresh_loads(body, self.state.stored)
        return LaneLoop(body, reads, changed, fresh)


def _as(into: TileRef | None, kind: Scalar) -> TileRef | None:
    return None if into is None else TileRef(into.name, kind)


def _literal(value: int, kind: Scalar) -> Const:
    return Const(value if kind.is_signed else value % (1 << kind.bits), kind)


def _names_sum(pointer: Expr, defs: dict[str, Expr]) -> bool:
    """True when a pointer variable only names a sum of a parameter and an offset in elements."""
    match pointer:
        case Read(VarPlace(name)) if name in defs:
            base = split_pointer(defs[name], Const(0, I32)).base
            return isinstance(base, Read)
        case _:
            return False
