"""Device functions are inlined.

A call moves in front of the statement that holds it; the value of the call becomes the function's
return expression::

    function pure sq(v: f32) -> f32 { return (v * v) }
    y[i] = invoke<f32> sq((x[i] + a))

    var v: f32 = (x[i] + a)
    y[i] = (v * v)

* An argument that is a constant, or a variable that the function does not assign, takes the
  parameter's place; any other is evaluated once, into a local with the parameter's name.
* A reference parameter is a pointer; ``addr(place)`` given for it is put in place, so ``p[0]`` is
  the caller's variable again.
* A function with several exits gets a result variable and guards (:mod:`migrate.lifting.returns`).
* A call that C evaluates only under a condition (right side of ``&&`` and ``||``, sides of ``?:``)
  turns that expression into an ``if``; a call in a loop's condition moves to the head of the body.

Legal because expressions have no side effects: only the order of evaluation of pure parts changes,
and no part is evaluated that was not before. Recursion is refused with CM3004.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.core.codes import lifting as codes
from migrate.core.diagnostics import Sink
from migrate.core.span import Span
from migrate.ir.expr import (
    LOGICAL,
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    Invoke,
    Place,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.kernel import Function, Kernel, Module
from migrate.ir.simt import (
    Assign,
    Atomic,
    Break,
    CallStmt,
    Collective,
    Declare,
    DoWhile,
    Effect,
    For,
    If,
    Return,
    Stmt,
    Switch,
    While,
)
from migrate.ir.types import BOOL, Pointer, Space, Type, Void
from migrate.ir.walk import (
    Rewriter,
    all_exprs,
    assigned_names,
    declared_names,
    place_exprs,
    rename,
    root,
    stmt_exprs,
    stmt_places,
    substitute,
    walk_expr,
    walk_stmts,
)
from migrate.lifting.control import TRUE, structure_function
from migrate.lifting.naming import Names, names_of
from migrate.lifting.refusal import refuse
from migrate.lifting.returns import Exit, guard_exits, negate


def inline_functions(kernel: Kernel, module: Module, _: Sink) -> Kernel:
    """The pass: a kernel without ``Invoke`` and ``CallStmt``."""
    inliner = _Inliner(module, names_of(kernel, module))
    body = inliner.body(kernel.body, ())
    if inliner.shared:
        body = (*inliner.shared.values(), *body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def has_call(e: Expr) -> bool:
    """Whether a call of a device function stands in an expression."""
    return any(isinstance(x, Invoke) for x in walk_expr(e))


def _statement_calls(s: Stmt) -> bool:
    direct = (*stmt_exprs(s), *(e for p in stmt_places(s) for e in place_exprs(p)))
    return any(has_call(e) for e in direct)


def dereference(p: Place) -> Place | None:
    """``addr(place)[0]`` is ``place``."""
    match p:
        case PtrElem(AddressOf(place), Const(0)):
            return place
        case _:
            return None


class Hoister:
    """Moves parts of expressions in front of their statement, keeping C's lazy evaluation.

    A subclass says which expressions hold such a part (:meth:`needs`) and what becomes of one
    (:meth:`expand`).
    """

    def __init__(self, names: Names) -> None:
        self._names = names

    def needs(self, e: Expr) -> bool:
        """Whether a part of this expression has to move."""
        raise NotImplementedError

    def expand(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr | None:
        """What stands in place of a part that moves; ``None`` when ``e`` itself is none."""
        raise NotImplementedError

    def call(self, s: CallStmt, stack: tuple[str, ...]) -> tuple[Stmt, ...]:
        """What stands in place of a call that is a statement."""
        del stack
        return (s,)

    def _statement_needs(self, s: Stmt) -> bool:
        direct = (*stmt_exprs(s), *(e for p in stmt_places(s) for e in place_exprs(p)))
        return any(self.needs(e) for e in direct)

    # --- statements

    def body(self, stmts: tuple[Stmt, ...], stack: tuple[str, ...]) -> tuple[Stmt, ...]:
        """A statement list with the parts moved; ``stack`` are the functions being inlined."""
        out: list[Stmt] = []
        changed = False
        for s in stmts:
            new = self._stmt(s, stack)
            changed |= len(new) != 1 or new[0] is not s
            out += new
        return tuple(out) if changed else stmts

    def _stmt(self, s: Stmt, stack: tuple[str, ...]) -> tuple[Stmt, ...]:
        s = self._inner(s, stack)
        if isinstance(s, CallStmt):
            return self.call(s, stack)
        if not self._statement_needs(s):
            return (s,)
        before: list[Stmt] = []
        match s:
            case While(cond, body):
                head = self._expr(cond, before, stack)
                test = If(negate(head), (Break(),), span=s.span)
                return (replace(s, cond=TRUE, body=(*before, test, *body)),)
            case For(cond=cond, body=body):
                head = self._expr(cond, before, stack)
                test = If(negate(head), (Break(),), span=s.span)
                return (replace(s, cond=TRUE, body=(*before, test, *body)),)
            case _:
                new = self._simple(s, before, stack)
        if before and s.note:
            before[0], new = replace(before[0], note=s.note), replace(new, note="")
        return (*before, new)

    def _inner(self, s: Stmt, stack: tuple[str, ...]) -> Stmt:
        match s:
            case If(_, then, other):
                t, o = self.body(then, stack), self.body(other, stack)
                return s if t is then and o is other else replace(s, then=t, other=o)
            case While(_, body):
                b = self.body(body, stack)
                return s if b is body else replace(s, body=b)
            case For(init, _, step, body):
                i, st = self.body(init, stack), self.body(step, stack)
                b = self.body(body, stack)
                same = i is init and st is step and b is body
                return s if same else replace(s, init=i, step=st, body=b)
            case DoWhile() | Switch():
                raise TypeError("control is structured before calls are inlined")
            case _:
                return s

    def _simple(self, s: Stmt, before: list[Stmt], stack: tuple[str, ...]) -> Stmt:
        """A statement whose own expressions hold calls; inner lists are done already."""

        def place(p: Place) -> Place:
            match p:
                case VarPlace():
                    return p
                case PtrElem(pointer, index):
                    return replace(
                        p,
                        pointer=self._expr(pointer, before, stack),
                        index=self._expr(index, before, stack),
                    )
                case ArrElem(base, index):
                    return replace(p, base=place(base), index=self._expr(index, before, stack))
                case FieldPlace(base):
                    return replace(p, base=place(base))

        match s:
            case Declare(init=init) if init is not None:
                return replace(s, init=self._expr(init, before, stack))
            case Assign(target, value):
                return replace(s, place=place(target), value=self._expr(value, before, stack))
            case If(cond):
                return replace(s, cond=self._expr(cond, before, stack))
            case Return(value) if value is not None:
                return replace(s, value=self._expr(value, before, stack))
            case Atomic(_, target, operands):
                new = tuple(self._expr(x, before, stack) for x in operands)
                return replace(s, place=place(target), operands=new)
            case Collective(_, args) | Effect(_, args):
                return replace(s, args=tuple(self._expr(x, before, stack) for x in args))
            case _:
                span = s.span
                raise refuse(
                    codes.CALL_IN_STATEMENT,
                    f"a device function is called inside {type(s).__name__.lower()}",
                    span,
                )

    # --- expressions

    def _expr(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr:
        """``e`` without calls; what has to run first is added to ``before``."""
        if not self.needs(e):
            return e
        found = self.expand(e, before, stack)
        if found is not None:
            return found
        match e:
            case Binary(op, _, rhs) if op in LOGICAL and self.needs(rhs):
                return self._lazy(e, before, stack)
            case Select(_, then, other) if self.needs(then) or self.needs(other):
                return self._choice(e, before, stack)
            case _:
                return self._children(e, before, stack)

    def _children(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr:
        inliner = self

        class _Shallow(Rewriter):
            """Rewrites the direct sub-expressions only."""

            def expr(self, sub: Expr) -> Expr:
                return inliner._expr(sub, before, stack)

        return _Shallow()._expr_children(e)

    def _lazy(self, e: Binary, before: list[Stmt], stack: tuple[str, ...]) -> Expr:
        left = self._expr(e.lhs, before, stack)
        held = VarPlace(self._names.fresh("holds"), BOOL)
        inner: list[Stmt] = []
        right = self._expr(e.rhs, inner, stack)
        test: Expr = Read(held) if e.op is BinaryOp.LAND else negate(Read(held))
        before.append(Declare(held.name, BOOL, left, span=e.span))
        before.append(If(test, (*inner, Assign(held, right)), span=e.span))
        return Read(held)

    def _choice(self, e: Select, before: list[Stmt], stack: tuple[str, ...]) -> Expr:
        test = self._expr(e.cond, before, stack)
        chosen = VarPlace(self._names.fresh("chosen"), e.type)
        on_then: list[Stmt] = []
        on_other: list[Stmt] = []
        a, b = self._expr(e.then, on_then, stack), self._expr(e.other, on_other, stack)
        before.append(Declare(chosen.name, e.type, span=e.span))
        then, other = (*on_then, Assign(chosen, a)), (*on_other, Assign(chosen, b))
        before.append(If(test, then, other, span=e.span))
        return Read(chosen)


class _Inliner(Hoister):
    def __init__(self, module: Module, names: Names) -> None:
        super().__init__(names)
        self._module = module
        self.shared: dict[tuple[str, str], Declare] = {}
        """Shared variables of functions: one of each for the block, however often it is called."""

    def needs(self, e: Expr) -> bool:
        """Whether a call stands in it."""
        return has_call(e)

    def expand(self, e: Expr, before: list[Stmt], stack: tuple[str, ...]) -> Expr | None:
        """The function's statements in front, its value here."""
        if not isinstance(e, Invoke):
            return None
        values = tuple(self._expr(a, before, stack) for a in e.args)
        result = self._expand(e.function, values, before, stack, e.span)
        if result is None:
            raise TypeError("a value of a void function")
        return result

    def call(self, s: CallStmt, stack: tuple[str, ...]) -> tuple[Stmt, ...]:
        """A call of a function that writes memory."""
        before: list[Stmt] = []
        args = tuple(self._expr(a, before, stack) for a in s.args)
        value = self._expand(s.function, args, before, stack, s.span)
        if s.result is not None and value is not None:
            before.append(Declare(s.result, s.type, value, span=s.span))
        if before and s.note:
            before[0] = replace(before[0], note=s.note)
        return tuple(before)

    def _expand(
        self,
        symbol: str,
        args: tuple[Expr, ...],
        before: list[Stmt],
        stack: tuple[str, ...],
        span: Span,
    ) -> Expr | None:
        """Adds the function's statements to ``before``; gives its value (``None`` for void)."""
        if symbol in stack:
            raise refuse(
                codes.RECURSIVE_FUNCTION,
                f"{self._module.function(symbol).name} calls itself",
                span,
                "rewrite the recursion as a loop with an explicit stack",
            )
        function = structure_function(self._module.function(symbol), self._module)
        body, values = self._bind(function, args, before, span)
        body = substitute(body, values)
        body = Rewriter(place=dereference).body(body)
        body = self.body(body, (*stack, symbol))
        return self._finish(function, body, before)

    def _bind(
        self, function: Function, args: tuple[Expr, ...], before: list[Stmt], span: Span
    ) -> tuple[tuple[Stmt, ...], dict[str, Expr]]:
        """Renames the function's locals and gives each parameter its value."""
        own, shared = self._shared_of(function)
        fresh = {n: self._names.fresh(n) for n in sorted(declared_names(own))}
        body = rename(own, {**fresh, **shared})
        assigned = assigned_names(body)
        addressed = _addressed_names(body)
        values: dict[str, Expr] = {}
        params: dict[str, str] = {}
        for p, arg in zip(function.params, args, strict=True):
            if p.name not in assigned and _stands_alone(arg, function):
                if isinstance(arg, Read) and isinstance(arg.place, VarPlace):
                    if not isinstance(arg.type, Pointer):
                        params[p.name] = arg.place.name
                        continue
            fixed = p.name not in assigned and p.name not in addressed
            if fixed and _stands_alone(arg, function):
                values[p.name] = arg
            elif fixed and isinstance(arg, AddressOf):
                values[p.name] = self._pinned(arg, before)
            elif _read_once_in_value(p.name, body):
                values[p.name] = arg
            else:
                params[p.name] = self._names.fresh(p.name)
                before.append(Declare(params[p.name], p.type, arg, span=span))
        # Renaming is simultaneous and comes first, so a value never meets a name of the callee.
        return rename(body, params), values

    def _shared_of(self, function: Function) -> tuple[tuple[Stmt, ...], dict[str, str]]:
        """The body without its shared variables, and the names that those have in the kernel."""
        names: dict[str, str] = {}

        def stmt(s: Stmt) -> tuple[Stmt, ...] | None:
            if not isinstance(s, Declare) or s.space is not Space.SHARED:
                return None
            key = (function.symbol, s.name)
            if key not in self.shared:
                self.shared[key] = replace(s, name=self._names.fresh(s.name))
            names[s.name] = self.shared[key].name
            return ()

        return Rewriter(stmt=stmt).body(function.body), names

    def _pinned(self, arg: AddressOf, before: list[Stmt]) -> Expr:
        """``addr(a.[i])`` with ``i`` evaluated now."""

        def pin(p: Place) -> Place:
            match p:
                case VarPlace():
                    return p
                case PtrElem(pointer, index):
                    return replace(
                        p, pointer=self._pin(pointer, before), index=self._pin(index, before)
                    )
                case ArrElem(base, index):
                    return replace(p, base=pin(base), index=self._pin(index, before))
                case FieldPlace(base):
                    return replace(p, base=pin(base))

        place = pin(arg.place)
        return arg if place is arg.place else replace(arg, place=place)

    def _pin(self, e: Expr, before: list[Stmt]) -> Expr:
        if isinstance(e, Const):
            return e
        if isinstance(e, Read) and isinstance(e.type, Pointer):
            return e
        name = self._names.fresh("at")
        before.append(Declare(name, e.type, e, span=e.span))
        return Read(VarPlace(name, e.type))

    def _finish(
        self, function: Function, body: tuple[Stmt, ...], before: list[Stmt]
    ) -> Expr | None:
        kind: Type = function.result
        if isinstance(kind, Void):
            leave = Exit(Return)
            flag = self._names.fresh("returned") if leave.occurs(body) else ""
            before += guard_exits(body, leave, flag)
            return None
        if body and isinstance(body[-1], Return) and not Exit(Return).occurs(body[:-1]):
            before += body[:-1]
            return body[-1].value
        result = VarPlace(self._names.fresh(f"{_word(function.name)}_result"), kind)

        def store(s: Stmt) -> tuple[Stmt, ...]:
            if not isinstance(s, Return) or s.value is None:
                raise TypeError("a value is missing in return")
            return (Assign(result, s.value, span=s.span),)

        before.append(Declare(result.name, kind))
        before += guard_exits(body, Exit(Return, store), self._names.fresh("returned"))
        return Read(result)


def _addressed_names(body: tuple[Stmt, ...]) -> frozenset[str]:
    """The variables whose address is taken: an expression cannot take their place."""
    bases = (root(e.place) for e in all_exprs(body) if isinstance(e, AddressOf))
    return frozenset(b.name for b in bases if isinstance(b, VarPlace))


def _read_once_in_value(name: str, body: tuple[Stmt, ...]) -> bool:
    """Whether the body is one ``return`` that reads the whole variable at most once."""
    if len(body) != 1 or not isinstance(body[0], Return) or body[0].value is None:
        return False
    count = 0
    for e in walk_expr(body[0].value):
        match e:
            case Read(VarPlace(found)) if found == name:
                count += 1
            case Read(place) | AddressOf(place):
                base = root(place)
                if isinstance(base, VarPlace) and base.name == name:
                    return False
            case _:
                pass
    return count <= 1


def _stands_alone(arg: Expr, function: Function) -> bool:
    """An argument that can stand for its parameter everywhere in the function.

    A variable qualifies when the function writes no memory through pointers that could be its own
    address: only pure functions, or variables of pointer type (parameters of the kernel).
    """
    match arg:
        case Const():
            return True
        case Read(VarPlace()):
            return function.pure or isinstance(arg.type, Pointer)
        case _:
            return False


def free_of_calls(body: tuple[Stmt, ...]) -> bool:
    """Whether a normal-form body is free of calls of device functions."""
    return not any(isinstance(s, CallStmt) or _statement_calls(s) for s in walk_stmts(body))


def _word(name: str) -> str:
    """The name of a function in the form of an identifier: ``operator()`` has none of its own."""
    return "".join(c for c in name if c.isalnum() or c == "_")
