"""Statements of host code in PyTorch extensions, to :mod:`migrate.ir.host_code`.

A call of a lambda where it is written (which is what PyTorch's dispatch macros leave) is its body
in place: legal since it captures by reference and its returns, all at the end of its paths, give
nothing. CUDA's error checks after a launch are dropped: a launch from Python raises by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from migrate.core.span import Span
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.read_calls import launch_configuration, named_function
from migrate.frontend.torch_expressions import ExpressionReader, refuse
from migrate.frontend.torch_types import TENSOR, VOID, host_type
from migrate.ir.host_code import (
    HostAssign,
    HostCheck,
    HostCount,
    HostEvaluate,
    HostExpr,
    HostGuard,
    HostIf,
    HostJump,
    HostKind,
    HostLaunch,
    HostLiteral,
    HostMethod,
    HostReturn,
    HostStmt,
    HostSwitch,
    HostWhile,
)
from migrate.ir.host_walk import assigned, blocks, mentioned

_STATUS_CALLS = frozenset({
    "cudaGetLastError", "cudaPeekAtLastError", "cudaDeviceSynchronize", "cudaStreamSynchronize",
})  # fmt: skip
_WRAPPERS = (Form.UNEXPOSED, Form.PAREN)
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


@dataclass(slots=True)
class StatementReader:
    """Reads one function's body. ``kernel`` gives the symbol of a kernel, ``span`` places."""

    expressions: ExpressionReader
    kernel: Callable[[Cursor], str | None]
    span: Callable[[Cursor], Span]
    _statuses: set[str] = field(default_factory=set)

    def body(self, c: Cursor) -> tuple[HostStmt, ...]:
        """The statements of a compound statement in a scope of their own."""
        return self._scope(c.children if c.form is Form.COMPOUND else (c,))

    def _scope(self, statements: tuple[Cursor, ...]) -> tuple[HostStmt, ...]:
        self.expressions.scopes.append({})
        try:
            return tuple(self._block(statements))
        finally:
            self.expressions.scopes.pop()

    def _block(self, statements: tuple[Cursor, ...]) -> Iterator[HostStmt]:
        for i, c in enumerate(statements):
            guard = self._guard(c)
            if guard is not None:
                yield HostGuard(guard, tuple(self._block(statements[i + 1 :])))
                return
            yield from self._statement(c)

    def _guard(self, c: Cursor) -> HostExpr | None:
        """The device of a guard's declaration."""
        if c.form is not Form.DECL_STMT or len(c.children) != 1:
            return None
        (variable,) = c.children
        if variable.form is not Form.VAR or host_type(variable.type).kind is not HostKind.GUARD:
            return None
        given = next((x for x in variable.walk() if x.form is Form.CALL), None)
        if given is None or len(given.arguments) != 1:
            raise refuse(variable, "a device guard that is set later")
        return self.expressions.read(_device_argument(given.arguments[0]))

    def _statement(self, c: Cursor) -> Iterator[HostStmt]:
        match c.form:
            case Form.EMPTY:
                return
            case Form.COMPOUND:
                yield from self.body(c)
            case Form.DECL_STMT:
                for child in c.children:
                    yield from self._declaration(child)
            case Form.IF:
                yield from self._if(c)
            case Form.FOR:
                yield self._for(c)
            case Form.WHILE:
                condition, body = c.children
                yield HostWhile(self.expressions.read(condition), self.body(body))
            case Form.DO:
                yield from self._once(c)
            case Form.SWITCH:
                yield self._switch(c)
            case Form.RETURN:
                yield from self._return(c)
            case Form.BREAK | Form.CONTINUE:
                yield HostJump(c.form is Form.BREAK)
            case _:
                yield from self._effect(c)

    # --- declarations and assignments

    def _declaration(self, c: Cursor) -> Iterator[HostStmt]:
        if c.form is Form.TYPE_NAME:
            return
        if c.form is not Form.VAR or c.is_static_storage:
            raise refuse(c, f"declaration of {c.name or c.raw_kind}")
        kind = host_type(c.type)
        value = next(iter(reversed(c.expressions)), None)
        if c.type.spelling.removeprefix("const ") in ("cudaError", "cudaError_t"):
            self._status(c, value)
            return
        if kind.kind is HostKind.STREAM:
            if value is not None:
                self.expressions.read(value)
            return
        if kind.kind in (HostKind.CLOSURE, HostKind.OTHER, HostKind.POINTER):
            raise refuse(c, f"variable {c.name} of type {c.type.spelling}")
        if c.type.is_reference and not c.type.pointee.is_const and value is not None:
            if kind.kind is not HostKind.TENSOR:
                raise refuse(c, f"reference {c.name}")
        read = HostLiteral(None, kind) if value is None else self.expressions.read(value)
        yield HostAssign(self.expressions.declare(c.name), "", read)

    def _status(self, c: Cursor, value: Cursor | None) -> None:
        inside = () if value is None else value.walk()
        call = next((x for x in inside if x.form is Form.CALL), None)
        if call is None or call.name not in _STATUS_CALLS:
            raise refuse(c, f"CUDA call {call.name if call is not None else c.name}")
        self._statuses.add(c.name)

    def _assignment(self, target: Cursor, op: str, value: HostExpr) -> Iterator[HostStmt]:
        while target.form in _WRAPPERS and len(target.expressions) == 1:
            target = target.expressions[0]
        declared = target.referenced
        if target.form is not Form.REF or declared is None:
            raise refuse(target, "assignment to what is no variable")
        if declared.form is Form.PARAM and declared.type.is_reference:
            raise refuse(target, f"assignment to the caller's {target.name}")
        yield HostAssign(self.expressions.variable(target.name), op, value)

    # --- control

    def _if(self, c: Cursor) -> Iterator[HostStmt]:
        parts = c.children
        if len(parts) not in (2, 3) or parts[0].form in (Form.DECL_STMT, Form.VAR):
            raise refuse(c, "an if statement with a declaration")
        value = parts[0].evaluate()
        if value is not None and value.integer is not None:
            chosen = parts[1] if value.integer else (parts[2] if len(parts) == 3 else None)
            if chosen is not None:
                yield from self.body(chosen)
            return
        other = self.body(parts[2]) if len(parts) == 3 else ()
        yield HostIf(self.expressions.read(parts[0]), self.body(parts[1]), other)

    def _for(self, c: Cursor) -> HostStmt:
        """Only the plain counting form: its bounds are read once, the body may not change them."""
        if len(c.children) != 4:
            raise refuse(c, "a for loop without all of its parts")
        start, condition, step, body = c.children
        self.expressions.scopes.append({})
        try:
            begun = tuple(self._statement(start))
            if len(begun) != 1 or not isinstance(begun[0], HostAssign):
                raise refuse(start, "a for loop that starts otherwise than with one variable")
            name = begun[0].name
            end = self._end(condition, name)
            count = HostCount(name, begun[0].value, end, _step(step), self.body(body))
        finally:
            self.expressions.scopes.pop()
        changed = assigned(count.body)
        if name in changed or changed & mentioned(end):
            raise refuse(c, "a for loop whose body changes its bounds")
        return count

    def _end(self, c: Cursor, name: str) -> HostExpr:
        if c.form is not Form.BINARY or c.operator not in ("<", "!="):
            raise refuse(c, "a for loop that ends otherwise than with <")
        left, right = c.expressions
        while left.form in _WRAPPERS and len(left.expressions) == 1:
            left = left.expressions[0]
        if left.form is not Form.REF or self.expressions.variable(left.name) != name:
            raise refuse(c, "a for loop that tests another variable")
        return self.expressions.read(right)

    def _once(self, c: Cursor) -> Iterator[HostStmt]:
        """``do { ... } while (0)``, as macros write it."""
        body, condition = c.children
        value = condition.evaluate()
        if value is None or value.integer != 0:
            raise refuse(c, "a do loop")
        yield from self.body(body)

    def _switch(self, c: Cursor) -> HostStmt:
        value, body = c.children
        cases: list[tuple[tuple[HostExpr, ...], tuple[HostStmt, ...]]] = []
        default: tuple[HostStmt, ...] | None = None
        labels: list[HostExpr] = []
        for child in body.children:
            if child.form is Form.CASE:
                labels.append(self.expressions.read(child.children[0]))
                inner = child.children[-1]
                if inner.form is Form.CASE:
                    raise refuse(inner, "cases that share a body")
                cases.append((tuple(labels), _leaving(child, self.body(inner))))
                labels = []
            elif child.form is Form.DEFAULT:
                default = _leaving(child, self.body(child.children[-1]), last=True)
            elif child.form is not Form.BREAK:
                raise refuse(child, "a switch with statements outside of braces")
        return HostSwitch(self.expressions.read(value), tuple(cases), default)

    def _return(self, c: Cursor) -> Iterator[HostStmt]:
        if not c.expressions:
            yield HostReturn(None)
            return
        (value,) = c.expressions
        if host_type(value.type) == VOID:
            yield from self._effect(value)
            yield HostReturn(None)
            return
        yield HostReturn(self.expressions.read(value))

    # --- effects

    def _effect(self, c: Cursor) -> Iterator[HostStmt]:
        while c.form in _WRAPPERS and len(c.expressions) == 1:
            c = c.expressions[0]
        if c.form is Form.CAST and c.type.name == "VOID" and len(c.expressions) == 1:
            return
        if c.form is Form.BINARY and c.operator == "=":
            target, value = c.expressions
            yield from self._assignment(target, "", self.expressions.read(value))
        elif c.form is Form.COMPOUND_ASSIGN:
            target, value = c.expressions
            yield from self._assignment(target, c.operator[:-1], self.expressions.read(value))
        elif c.form is Form.UNARY and c.operator.strip("p") in ("++", "--"):
            (target,) = c.expressions
            one = HostLiteral(1, host_type(c.type))
            yield from self._assignment(target, c.operator.strip("p")[0], one)
        elif c.form is Form.CALL:
            yield from self._call(c)
        else:
            raise refuse(c, c.raw_kind)

    def _call(self, c: Cursor) -> Iterator[HostStmt]:
        config = launch_configuration(c)
        name = c.name or (c.referenced.name if c.referenced is not None else "")
        if config is not None:
            yield self._launch(c, config)
        elif name in ("cudamigrate_check", "cudamigrate_fail"):
            yield from self._check(c, always=name == "cudamigrate_fail")
        elif name in _STATUS_CALLS:
            return
        elif name == "operator()":
            yield from self._inlined(c)
        elif name == "operator=":
            target, value = _operands(c)
            yield from self._assignment(target, "", self.expressions.read(value))
        elif name.startswith("operator") and name[8:] in _ASSIGNING:
            target, value = _operands(c)
            # in place, unlike the assignment of an integer: other names of the tensor see it
            spelled = {"+": "add_", "-": "sub_", "*": "mul_", "/": "div_"}.get(name[8:-1])
            if spelled is None:
                raise refuse(c, f"operator {name[8:]} on a tensor")
            owner, by = self.expressions.read(target), self.expressions.read(value)
            yield HostEvaluate(HostMethod(owner, spelled, (by,), TENSOR))
        else:
            yield HostEvaluate(self.expressions.read(c))

    def _inlined(self, c: Cursor) -> Iterator[HostStmt]:
        """The body of a lambda that is called where it is written."""
        closure = next((x for x in c.children[0].walk() if x.form is Form.LAMBDA), None)
        if closure is None or c.arguments[1:] or host_type(c.type) != VOID:
            raise refuse(c, "a call of a lambda with arguments or a result")
        compound = next(x for x in closure.children if x.form is Form.COMPOUND)
        yield from _without_returns(compound, self.body(compound))

    def _check(self, c: Cursor, *, always: bool) -> Iterator[HostStmt]:
        given = c.arguments
        if not always and any(
            x.form is Form.REF and x.name in self._statuses for x in given[0].walk()
        ):
            return
        condition = None if always else self.expressions.read(given[0])
        if isinstance(condition, HostLiteral) and condition.value is True:
            return  # a warning
        message = given if always else given[1:]
        yield HostCheck(condition, tuple(self.expressions.read(m) for m in message))

    def _launch(self, c: Cursor, config: Cursor) -> HostStmt:
        target = c.referenced or named_function(c)
        symbol = None if target is None else self.kernel(target)
        if symbol is None:
            raise refuse(c, f"launch of {c.name or 'a kernel'}, which was not read")
        grid, block, *rest = config.arguments
        shared = rest[0] if rest and rest[0].children else None
        if len(rest) > 1 and rest[1].children:
            self._stream(rest[1])
        return HostLaunch(
            kernel=symbol,
            grid=self.expressions.read(grid),
            block=self.expressions.read(block),
            shared=None if shared is None else self.expressions.read(shared),
            args=tuple(self.expressions.read(a) for a in c.arguments),
            span=self.span(c),
        )

    def _stream(self, c: Cursor) -> None:
        """Torch's current stream, and the default one, are where a launch from Python goes.

        A variable holds one of them, since its declaration would have been refused otherwise.
        """
        if c.evaluate() is None:
            self.expressions.read(c)


def _leaving(c: Cursor, body: tuple[HostStmt, ...], *, last: bool = False) -> tuple[HostStmt, ...]:
    """A case's body without the ``break`` that ends it; other ways out of it are refused."""
    if body and isinstance(body[-1], HostJump) and body[-1].is_break:
        body, last = body[:-1], True
    if any(_breaks(s) for s in body):
        raise refuse(c, "a break inside of a case")
    if last or (body and isinstance(body[-1], HostReturn | HostCheck)):
        return body
    raise refuse(c, "a case that falls through")


def _without_returns(c: Cursor, body: tuple[HostStmt, ...]) -> tuple[HostStmt, ...]:
    """A closure's statements in place: each ``return`` must be the last of its path."""
    if not body:
        return ()
    *head, last = body
    if any(_returns(s) for s in head):
        raise refuse(c, "a lambda that returns early")
    match last:
        case HostReturn(None):
            return tuple(head)
        case HostIf(condition, then, other):
            last = HostIf(condition, _without_returns(c, then), _without_returns(c, other))
        case HostSwitch(value, cases, default):
            shorn = tuple((labels, _without_returns(c, inner)) for labels, inner in cases)
            last = HostSwitch(value, shorn, default and _without_returns(c, default))
        case HostGuard(device, inner):
            last = HostGuard(device, _without_returns(c, inner))
        case _ if _returns(last):
            raise refuse(c, "a lambda that returns from a loop")
    return (*head, last)


def _breaks(s: HostStmt) -> bool:
    """Whether a statement holds a ``break`` that leaves the switch around it."""
    if isinstance(s, HostWhile | HostCount | HostSwitch):
        return False
    inner = any(_breaks(x) for block in blocks(s) for x in block)
    return inner or (isinstance(s, HostJump) and s.is_break)


def _returns(s: HostStmt) -> bool:
    return isinstance(s, HostReturn) or any(_returns(x) for block in blocks(s) for x in block)


def _device_argument(c: Cursor) -> Cursor:
    """``device_of(x)`` is asked for its tensor."""
    for node in c.walk():
        if node.form is Form.CALL and node.name == "device_of" and node.arguments:
            return node.arguments[0]
    return c


def _operands(c: Cursor) -> tuple[Cursor, Cursor]:
    operands = [
        x for x in c.expressions if not (x.referenced is not None and x.referenced.name == c.name)
    ]
    if len(operands) != 2:
        raise refuse(c, f"{c.name} with {len(operands)} operands")
    return operands[0], operands[1]


def _step(c: Cursor) -> int:
    if c.form is Form.UNARY and c.operator.strip("p") == "++":
        return 1
    if c.form is Form.COMPOUND_ASSIGN and c.operator == "+=":
        value = c.expressions[1].evaluate()
        if value is not None and value.integer is not None and value.integer > 0:
            return value.integer
    raise refuse(c, "a for loop that does not count up by a constant")
