"""Generic walks: children, bottom-up rewriting, iteration, substitution.

Rewrites keep identity: when nothing changed, the same object comes back. Every ``match`` is closed
with ``assert_never``, so mypy names each walk that a new node must be added to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from typing_extensions import assert_never

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
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
    VarPlace,
)
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    Barrier,
    Break,
    CallStmt,
    Case,
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

ExprRule = Callable[[Expr], Expr | None]
PlaceRule = Callable[[Place], Place | None]
StmtRule = Callable[[Stmt], tuple[Stmt, ...] | None]


def _keep_expr(_: Expr) -> Expr | None:
    return None


def _keep_place(_: Place) -> Place | None:
    return None


def _keep_stmt(_: Stmt) -> tuple[Stmt, ...] | None:
    return None


class Rewriter:
    """Bottom-up rewriting with one rule each for expressions, places and statements.

    A rule returns ``None`` for "no change". A statement rule returns the statements that stand in
    place of the one given (an empty tuple deletes it). Children are rewritten before their parent.
    """

    def __init__(
        self,
        expr: ExprRule = _keep_expr,
        place: PlaceRule = _keep_place,
        stmt: StmtRule = _keep_stmt,
    ) -> None:
        self._expr, self._place, self._stmt = expr, place, stmt

    def exprs(self, items: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """Rewrite several expressions."""
        new = tuple(self.expr(x) for x in items)
        return items if all(a is b for a, b in zip(new, items, strict=True)) else new

    def expr(self, e: Expr) -> Expr:
        """Rewrite one expression."""
        walked = self._expr_children(e)
        ruled = self._expr(walked)
        return walked if ruled is None else ruled

    def _expr_children(self, e: Expr) -> Expr:
        match e:
            case Const() | NullPtr() | Text() | IndexVar():
                return e
            case Read(place):
                p = self.place(place)
                return e if p is place else replace(e, place=p)
            case AddressOf(place):
                p = self.place(place)
                return e if p is place else replace(e, place=p)
            case Unary(_, operand) | Cast(operand) | Bitcast(operand):
                o = self.expr(operand)
                return e if o is operand else replace(e, operand=o)
            case Binary(_, lhs, rhs) | PtrDiff(lhs, rhs):
                a, b = self.expr(lhs), self.expr(rhs)
                return e if a is lhs and b is rhs else replace(e, lhs=a, rhs=b)
            case Select(cond, then, other):
                c, t, o = self.expr(cond), self.expr(then), self.expr(other)
                same = c is cond and t is then and o is other
                return e if same else replace(e, cond=c, then=t, other=o)
            case Call(_, args) | Invoke(_, args):
                new = self.exprs(args)
                return e if new is args else replace(e, args=new)
            case PtrAdd(pointer, offset):
                p2, o2 = self.expr(pointer), self.expr(offset)
                same = p2 is pointer and o2 is offset
                return e if same else replace(e, pointer=p2, offset=o2)
            case Compose(parts):
                new = self.exprs(parts)
                return e if new is parts else replace(e, parts=new)
            case Extract(value):
                v = self.expr(value)
                return e if v is value else replace(e, value=v)
            case _:
                assert_never(e)

    def place(self, p: Place) -> Place:
        """Rewrite one place."""
        walked: Place = p
        match p:
            case VarPlace():
                pass
            case PtrElem(pointer, index):
                a, b = self.expr(pointer), self.expr(index)
                if a is not pointer or b is not index:
                    walked = replace(p, pointer=a, index=b)
            case ArrElem(base, index):
                q, i = self.place(base), self.expr(index)
                if q is not base or i is not index:
                    walked = replace(p, base=q, index=i)
            case FieldPlace(base):
                q = self.place(base)
                if q is not base:
                    walked = replace(p, base=q)
            case _:
                assert_never(p)
        ruled = self._place(walked)
        return walked if ruled is None else ruled

    def body(self, stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Rewrite a statement list."""
        out: list[Stmt] = []
        changed = False
        for s in stmts:
            walked = self._stmt_children(s)
            ruled = self._stmt(walked)
            if ruled is None:
                out.append(walked)
                changed |= walked is not s
            else:
                out.extend(ruled)
                changed = True
        return tuple(out) if changed else stmts

    def _stmt_children(self, s: Stmt) -> Stmt:
        match s:
            case Break() | Continue() | Fence():
                return s
            case Declare(init=init):
                if init is None:
                    return s
                e = self.expr(init)
                return s if e is init else replace(s, init=e)
            case Assign(place, value):
                p, v = self.place(place), self.expr(value)
                return s if p is place and v is value else replace(s, place=p, value=v)
            case If(cond, then, other):
                c, t, o = self.expr(cond), self.body(then), self.body(other)
                same = c is cond and t is then and o is other
                return s if same else replace(s, cond=c, then=t, other=o)
            case For(init, cond, step, body):
                i, c = self.body(init), self.expr(cond)
                st, b = self.body(step), self.body(body)
                same = i is init and c is cond and st is step and b is body
                return s if same else replace(s, init=i, cond=c, step=st, body=b)
            case While(cond, body) | DoWhile(body, cond):
                c, b = self.expr(cond), self.body(body)
                return s if c is cond and b is body else replace(s, cond=c, body=b)
            case Switch(value, cases):
                v = self.expr(value)
                new = tuple(self._case(c) for c in cases)
                same = v is value and all(a is b for a, b in zip(new, cases, strict=True))
                return s if same else replace(s, value=v, cases=new)
            case Return(value):
                if value is None:
                    return s
                v = self.expr(value)
                return s if v is value else replace(s, value=v)
            case CallStmt(_, args) | Collective(_, args) | Effect(_, args):
                a = self.exprs(args)
                return s if a is args else replace(s, args=a)
            case Atomic(_, place, operands):
                p, a = self.place(place), self.exprs(operands)
                same = p is place and a is operands
                return s if same else replace(s, place=p, operands=a)
            case Barrier(_, mask):
                if mask is None:
                    return s
                e = self.expr(mask)
                return s if e is mask else replace(s, mask=e)
            case Asm(_, outputs, inputs):
                out = tuple(self.place(p) for p in outputs)
                ins = self.exprs(inputs)
                same = ins is inputs and all(a is b for a, b in zip(out, outputs, strict=True))
                return s if same else replace(s, outputs=out, inputs=ins)
            case _:
                assert_never(s)

    def _case(self, c: Case) -> Case:
        b = self.body(c.body)
        return c if b is c.body else replace(c, body=b)


def sub_bodies(s: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """The statement lists directly inside a statement, in order of execution."""
    match s:
        case If(_, then, other):
            return (then, other)
        case For(init, _, step, body):
            return (init, body, step)
        case While(_, body) | DoWhile(body, _):
            return (body,)
        case Switch(_, cases):
            return tuple(c.body for c in cases)
        case _:
            return ()


def walk_stmts(stmts: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Every statement, outer before inner."""
    for s in stmts:
        yield s
        for body in sub_bodies(s):
            yield from walk_stmts(body)


def stmt_exprs(s: Stmt) -> tuple[Expr, ...]:
    """The expressions directly in a statement, those inside its places left out."""
    match s:
        case Declare(init=init):
            return () if init is None else (init,)
        case Assign(_, value):
            return (value,)
        case If(cond) | For(cond=cond) | While(cond) | DoWhile(cond=cond):
            return (cond,)
        case Switch(value):
            return (value,)
        case Return(value):
            return () if value is None else (value,)
        case CallStmt(_, args) | Collective(_, args) | Effect(_, args):
            return args
        case Atomic(_, _, operands):
            return operands
        case Barrier(_, mask):
            return () if mask is None else (mask,)
        case Asm(_, _, inputs):
            return inputs
        case Break() | Continue() | Fence():
            return ()
        case _:
            assert_never(s)


def stmt_places(s: Stmt) -> tuple[Place, ...]:
    """The places that a statement writes (without those of its inner statements)."""
    match s:
        case Assign(place) | Atomic(_, place):
            return (place,)
        case Asm(_, outputs):
            return outputs
        case _:
            return ()


def place_exprs(p: Place) -> tuple[Expr, ...]:
    """The expressions that name a place: pointer and indices."""
    match p:
        case VarPlace():
            return ()
        case PtrElem(pointer, index):
            return (pointer, index)
        case ArrElem(base, index):
            return (*place_exprs(base), index)
        case FieldPlace(base):
            return place_exprs(base)
        case _:
            assert_never(p)


def children(e: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, those inside a place included."""
    match e:
        case Const() | NullPtr() | Text() | IndexVar():
            return ()
        case Read(place) | AddressOf(place):
            return place_exprs(place)
        case Unary(_, operand) | Cast(operand) | Bitcast(operand):
            return (operand,)
        case Binary(_, lhs, rhs) | PtrDiff(lhs, rhs):
            return (lhs, rhs)
        case Select(cond, then, other):
            return (cond, then, other)
        case Call(_, args) | Invoke(_, args):
            return args
        case PtrAdd(pointer, offset):
            return (pointer, offset)
        case Compose(parts):
            return parts
        case Extract(value):
            return (value,)
        case _:
            assert_never(e)


def walk_expr(e: Expr) -> Iterator[Expr]:
    """An expression and everything below it, outer before inner."""
    yield e
    for c in children(e):
        yield from walk_expr(c)


def all_exprs(stmts: tuple[Stmt, ...]) -> Iterator[Expr]:
    """Every expression in a statement list, those inside written places included."""
    for s in walk_stmts(stmts):
        for p in stmt_places(s):
            for e in place_exprs(p):
                yield from walk_expr(e)
        for e in stmt_exprs(s):
            yield from walk_expr(e)


def root(p: Place) -> Place:
    """The variable or pointer element that a place is part of."""
    match p:
        case ArrElem(base) | FieldPlace(base):
            return root(base)
        case _:
            return p


def declared_name(s: Stmt) -> str | None:
    """The local that a statement declares, if any."""
    match s:
        case Declare(name=name):
            return name
        case CallStmt(result=result) | Collective(result=result) | Atomic(result=result):
            return result
        case _:
            return None


def declared_names(stmts: tuple[Stmt, ...]) -> frozenset[str]:
    """All locals declared in a statement list."""
    names = (declared_name(s) for s in walk_stmts(stmts))
    return frozenset(n for n in names if n is not None)


def var_names(e: Expr) -> frozenset[str]:
    """The variables that an expression reads or takes the address of."""
    found: set[str] = set()
    for sub in walk_expr(e):
        if isinstance(sub, Read | AddressOf):
            base = root(sub.place)
            if isinstance(base, VarPlace):
                found.add(base.name)
    return frozenset(found)


def assigned_names(stmts: tuple[Stmt, ...]) -> frozenset[str]:
    """The variables that a statement list assigns, in whole or in part (declarations left out)."""
    found: set[str] = set()
    for s in walk_stmts(stmts):
        for p in stmt_places(s):
            base = root(p)
            if isinstance(base, VarPlace):
                found.add(base.name)
    return frozenset(found)


def substitute(stmts: tuple[Stmt, ...], values: Mapping[str, Expr]) -> tuple[Stmt, ...]:
    """Replace reads of whole variables by expressions.

    Legal when the variable is never assigned in ``stmts`` and nothing that its value reads
    changes there; the caller vouches for both.
    """

    def rule(e: Expr) -> Expr | None:
        match e:
            case Read(VarPlace(name)) if name in values:
                return values[name]
            case _:
                return None

    return Rewriter(expr=rule).body(stmts)


def rename(stmts: tuple[Stmt, ...], names: Mapping[str, str]) -> tuple[Stmt, ...]:
    """Rename variables, declarations included."""

    def place(p: Place) -> Place | None:
        match p:
            case VarPlace(name) if name in names:
                return replace(p, name=names[name])
            case _:
                return None

    def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Declare(name=name) if name in names:
                return (replace(s, name=names[name]),)
            case CallStmt(result=str(r)) | Collective(result=str(r)) | Atomic(result=str(r)):
                return (replace(s, result=names[r]),) if r in names else None
            case _:
                return None

    return Rewriter(place=place, stmt=stmt).body(stmts)
