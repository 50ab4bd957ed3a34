"""What is legal in the SIMT dialect. Runs after every pass; a fault found here is ours.

Pointer types agree when their pointees do: address space, ``const`` and ``restrict`` are facts
about a pointer, not part of what may be assigned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import assert_never

from migrate.core.codes.internal import INVALID_IR
from migrate.core.diagnostics import InternalError
from migrate.ir.expr import (
    COMPARISONS,
    LOGICAL,
    SHIFTS,
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    Extract,
    FieldPlace,
    IndexVar,
    Invoke,
    NullPtr,
    Place,
    PtrAdd,
    PtrDiff,
    PtrElem,
    Read,
    Select,
    Text,
    Unary,
    UnaryOp,
    VarPlace,
)
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.printer import print_expr, print_place
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    AtomicOp,
    Barrier,
    Break,
    CallStmt,
    Collective,
    Continue,
    Declare,
    DoWhile,
    Effect,
    Fence,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import (
    BOOL,
    VOID,
    Array,
    Pointer,
    Scalar,
    Space,
    Struct,
    Type,
    Vector,
)

_SCOPES = frozenset({"block", "warp", "grid"})
_ONLY_INTEGER = frozenset(
    {BinaryOp.REM, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR, BinaryOp.SHL, BinaryOp.SHR}
)


def same_type(a: Type, b: Type) -> bool:
    """Whether a value of one type may stand where the other is wanted."""
    match a, b:
        case Pointer(p), Pointer(q):
            return same_type(p, q)
        case _:
            return a == b


@dataclass(slots=True)
class _Checker:
    module: Module
    result: Type
    scope: dict[str, Type]
    used: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        self.faults.append(text)

    # --- expressions

    def expr(self, e: Expr) -> None:
        match e:
            case Const(value, kind):
                self._const(e, value, kind)
            case NullPtr() | Text():
                pass
            case IndexVar(_, axis):
                if axis not in ("x", "y", "z"):
                    self.fault(f"axis {axis!r}")
            case Read(place):
                self.place(place)
            case AddressOf(place, kind):
                self.place(place)
                if not same_type(kind.pointee, place.type):
                    self.fault(f"address of {print_place(place)} has type {kind}")
            case Unary(op, operand):
                self.expr(operand)
                self._unary(op, operand.type, e)
            case Binary(op, lhs, rhs):
                self.expr(lhs)
                self.expr(rhs)
                self._binary(op, lhs.type, rhs.type, e)
            case Select(cond, then, other):
                for x in (cond, then, other):
                    self.expr(x)
                self.condition(cond)
                if not same_type(then.type, other.type):
                    self.fault(f"sides of {print_expr(e)} differ: {then.type}, {other.type}")
            case Cast(operand, kind):
                self.expr(operand)
                if isinstance(kind, Array) or isinstance(operand.type, Array):
                    self.fault(f"cast of an array: {print_expr(e)}")
            case Bitcast(operand, _):
                self.expr(operand)
            case Call(_, args):
                for x in args:
                    self.expr(x)
            case Invoke(function, args, kind):
                self._call(function, args, kind, pure=True)
            case PtrAdd(pointer, offset):
                self.expr(pointer)
                self.expr(offset)
                self._index(offset)
                if not isinstance(pointer.type, Pointer):
                    self.fault(f"pointer arithmetic on {pointer.type}")
            case PtrDiff(lhs, rhs):
                self.expr(lhs)
                self.expr(rhs)
            case Compose(parts, kind):
                for x in parts:
                    self.expr(x)
                self._compose(parts, kind)
            case Extract(value, name, kind):
                self.expr(value)
                self._member(value.type, name, kind)
            case _:
                assert_never(e)

    def _const(self, e: Const, value: float | int | bool, kind: Scalar) -> None:
        if kind == BOOL:
            if not isinstance(value, bool):
                self.fault(f"bool constant {value!r}")
        elif kind.is_float:
            if not isinstance(value, float):
                self.fault(f"float constant {print_expr(e)}")
        elif isinstance(value, bool) or not isinstance(value, int):
            self.fault(f"integer constant {value!r}")
        else:
            low = -(1 << (kind.bits - 1)) if kind.is_signed else 0
            high = (1 << (kind.bits - (1 if kind.is_signed else 0))) - 1
            if not low <= value <= high:
                self.fault(f"constant {value} is out of range of {kind}")

    def _unary(self, op: UnaryOp, kind: Type, e: Expr) -> None:
        match op:
            case UnaryOp.NOT:
                ok = kind == BOOL
            case UnaryOp.BITNOT:
                ok = isinstance(kind, Scalar) and kind.is_integer
            case UnaryOp.NEG:
                ok = isinstance(kind, Scalar) and kind != BOOL
            case _:
                assert_never(op)
        if not ok:
            self.fault(f"operand of {print_expr(e)} is {kind}")

    def _binary(self, op: BinaryOp, a: Type, b: Type, e: Expr) -> None:
        if op in LOGICAL:
            ok = a == BOOL and b == BOOL
        elif op in SHIFTS:
            ok = all(isinstance(t, Scalar) and t.is_integer for t in (a, b))
        elif op in COMPARISONS:
            ok = same_type(a, b) and isinstance(a, Scalar | Pointer)
        else:
            ok = a == b and isinstance(a, Scalar)
            # bool & | ^ bool stands for C's int operation whose result is cast back
            if ok and op in _ONLY_INTEGER:
                ok = isinstance(a, Scalar) and not a.is_float
            elif ok:
                ok = a != BOOL
        if not ok:
            self.fault(f"operands of {print_expr(e)} are {a} and {b}")

    def condition(self, e: Expr) -> None:
        if e.type != BOOL:
            self.fault(f"condition {print_expr(e)} is {e.type}, not bool")

    def _index(self, e: Expr) -> None:
        if not (isinstance(e.type, Scalar) and e.type.is_integer):
            self.fault(f"index {print_expr(e)} is {e.type}")

    def _compose(self, parts: tuple[Expr, ...], kind: Vector | Struct) -> None:
        match kind:
            case Vector(_, element, lanes):
                wanted: tuple[Type, ...] = (element,) * lanes
            case Struct(name):
                fields = self._fields(name)
                if fields is None:
                    return
                wanted = fields
        if len(wanted) != len(parts) or not all(
            same_type(p.type, w) for p, w in zip(parts, wanted, strict=False)
        ):
            self.fault(f"make<{kind}> of {', '.join(str(p.type) for p in parts)}")

    def _fields(self, name: str) -> tuple[Type, ...] | None:
        try:
            return tuple(f.type for f in self.module.struct(name).fields)
        except KeyError:
            self.fault(f"struct {name} is not in the module")
            return None

    def _member(self, base: Type, name: str, kind: Type) -> None:
        match base:
            case Vector(element=element, members=members):
                if name not in members or kind != element:
                    self.fault(f"member {name}: {kind} of {base}")
            case Struct(struct):
                try:
                    found = [f.type for f in self.module.struct(struct).fields if f.name == name]
                except KeyError:
                    self.fault(f"struct {struct} is not in the module")
                    return
                if len(found) != 1 or not same_type(found[0], kind):
                    self.fault(f"member {name}: {kind} of {base}")
            case _:
                self.fault(f"member {name} of {base}")

    def place(self, p: Place) -> None:
        match p:
            case VarPlace(name, kind):
                known = self.scope.get(name)
                if known is None:
                    self.fault(f"{name} is not visible")
                elif not same_type(known, kind):
                    self.fault(f"{name} is {known}, used as {kind}")
            case PtrElem(pointer, index):
                self.expr(pointer)
                self.expr(index)
                self._index(index)
                if not isinstance(pointer.type, Pointer):
                    self.fault(f"{print_expr(pointer)} is {pointer.type}, no pointer")
            case ArrElem(base, index):
                self.place(base)
                self.expr(index)
                self._index(index)
                if not isinstance(base.type, Array):
                    self.fault(f"{print_place(base)} is {base.type}, no array")
            case FieldPlace(base, name, kind):
                self.place(base)
                self._member(base.type, name, kind)
            case _:
                assert_never(p)

    def _call(self, symbol: str, args: tuple[Expr, ...], kind: Type, *, pure: bool) -> None:
        for x in args:
            self.expr(x)
        try:
            f = self.module.function(symbol)
        except KeyError:
            self.fault(f"function {symbol} is not in the module")
            return
        if pure and not f.pure:
            self.fault(f"{symbol} writes memory and is called in an expression")
        if not same_type(f.result, kind):
            self.fault(f"{symbol} returns {f.result}, used as {kind}")
        if len(f.params) != len(args) or not all(
            same_type(p.type, a.type) for p, a in zip(f.params, args, strict=False)
        ):
            self.fault(f"arguments of {symbol}: {', '.join(str(a.type) for a in args)}")

    # --- statements

    def declare(self, name: str, kind: Type) -> None:
        if name in self.used:
            self.fault(f"{name} is declared twice")
        self.used.add(name)
        self.scope[name] = kind

    def block(self, stmts: tuple[Stmt, ...], loops: int, breaks: int) -> None:
        outer = dict(self.scope)
        for s in stmts:
            self.stmt(s, loops, breaks)
        self.scope = outer

    def stmt(self, s: Stmt, loops: int, breaks: int) -> None:
        match s:
            case Declare(name, kind, init, space):
                self._declare(name, kind, init, space)
            case Assign(place, value):
                self.place(place)
                self.expr(value)
                if not same_type(place.type, value.type):
                    self.fault(f"{print_place(place)}: {place.type} = {value.type}")
            case If(cond, then, other):
                self.expr(cond)
                self.condition(cond)
                self.block(then, loops, breaks)
                self.block(other, loops, breaks)
            case For(init, cond, step, body):
                outer = dict(self.scope)
                for x in init:
                    self.stmt(x, 0, 0)
                self.expr(cond)
                self.condition(cond)
                self.block(body, loops + 1, breaks + 1)
                self.block(step, 0, 0)
                self.scope = outer
            case While(cond, body) | DoWhile(body, cond):
                self.expr(cond)
                self.condition(cond)
                self.block(body, loops + 1, breaks + 1)
            case Switch(value, cases):
                self.expr(value)
                self._index(value)
                for c in cases:
                    self.block(c.body, loops, breaks + 1)
            case Break():
                if not breaks:
                    self.fault("break outside of a loop or switch")
            case Continue():
                if not loops:
                    self.fault("continue outside of a loop")
            case Return(value):
                self._return(value)
            case CallStmt(function, args, result, kind):
                self._call(function, args, kind, pure=False)
                if result is not None:
                    self.declare(result, kind)
            case Atomic():
                self._atomic(s)
            case Barrier(scope, mask):
                if scope not in _SCOPES:
                    self.fault(f"barrier scope {scope}")
                if mask is not None:
                    self.expr(mask)
            case Fence():
                pass
            case Collective(_, args, result, kind):
                for a in args:
                    self.expr(a)
                self.declare(result, kind)
            case Effect(_, args):
                for a in args:
                    self.expr(a)
            case Asm(_, outputs, inputs, constraints):
                if len(constraints) != len(outputs) + len(inputs):
                    self.fault(f"asm with {len(constraints)} constraints")
                for p in outputs:
                    self.place(p)
                for a in inputs:
                    self.expr(a)
            case _:
                assert_never(s)

    def _declare(self, name: str, kind: Type, init: Expr | None, space: Space) -> None:
        if init is not None:
            self.expr(init)
            if not same_type(init.type, kind):
                self.fault(f"{name}: {kind} = {init.type}")
        if space not in (Space.LOCAL, Space.SHARED):
            self.fault(f"{name} is declared in {space.value} space")
        self.declare(name, kind)

    def _return(self, value: Expr | None) -> None:
        if value is not None:
            self.expr(value)
        kind = VOID if value is None else value.type
        if not same_type(kind, self.result):
            self.fault(f"returns {kind} from a function of {self.result}")

    def _atomic(self, s: Atomic) -> None:
        self.place(s.place)
        for a in s.operands:
            self.expr(a)
        wanted = 2 if s.op is AtomicOp.CAS else 1
        if len(s.operands) != wanted or not all(
            same_type(a.type, s.place.type) for a in s.operands
        ):
            self.fault(f"operands of atomic {s.op.value} on {print_place(s.place)}")
        if s.result is not None:
            self.declare(s.result, s.place.type)


def faults_of(item: Kernel | Function, module: Module) -> tuple[str, ...]:
    """Everything that is wrong with a kernel or function; empty when it is legal."""
    scope: dict[str, Type] = {g.name: g.type for g in module.globals}
    checker = _Checker(module, item.result, scope)
    for p in item.params:
        checker.declare(p.name, p.type)
    checker.block(item.body, 0, 0)
    return tuple(checker.faults)


def check(item: Kernel | Function, module: Module, after: str) -> None:
    """Raise :class:`InternalError` CM9001 when ``item`` is not legal; ``after`` names the pass."""
    faults = faults_of(item, module)
    if faults:
        raise InternalError(INVALID_IR, f"{item.symbol} after {after}: {'; '.join(faults[:5])}")
