"""What host code names and changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from migrate.ir.host_code import (
    HostAssign,
    HostBinary,
    HostCallOwn,
    HostCheck,
    HostConvert,
    HostCount,
    HostData,
    HostEvaluate,
    HostExpr,
    HostGuard,
    HostIf,
    HostIndex,
    HostLaunch,
    HostLibraryCall,
    HostMethod,
    HostReturn,
    HostSelect,
    HostSequence,
    HostStmt,
    HostSwitch,
    HostUnary,
    HostVariable,
    HostWhile,
)


def operands(e: HostExpr) -> tuple[HostExpr, ...]:
    """The expressions directly below one."""
    match e:
        case HostUnary(_, a, _) | HostConvert(a, _):
            return (a,)
        case HostBinary(_, a, b, _) | HostIndex(a, b, _):
            return (a, b)
        case HostSelect(a, b, c, _):
            return (a, b, c)
        case HostMethod(owner, _, args, _):
            return (owner, *args)
        case HostLibraryCall(_, _, args, _) | HostCallOwn(_, _, args, _):
            return args
        case HostSequence(items, _, _):
            return items
        case HostData(tensor, offset, _):
            return (tensor,) if offset is None else (tensor, offset)
        case _:
            return ()


def mentioned(e: HostExpr) -> frozenset[str]:
    """The variables that an expression names."""
    found = {e.name} if isinstance(e, HostVariable) else set()
    return frozenset(found.union(*(mentioned(x) for x in operands(e))))


def expressions(statement: HostStmt) -> tuple[HostExpr, ...]:
    """The expressions that a statement itself evaluates."""
    match statement:
        case HostAssign(_, _, value) | HostEvaluate(value):
            return (value,)
        case HostIf(condition, _, _) | HostWhile(condition, _):
            return (condition,)
        case HostCount(_, first, end, _, _):
            return (first, end)
        case HostSwitch(value, cases, _):
            return (value, *(x for labels, _ in cases for x in labels))
        case HostReturn(returned):
            return () if returned is None else (returned,)
        case HostCheck(test, message):
            return message if test is None else (test, *message)
        case HostGuard(device, _):
            return (device,)
        case HostLaunch():
            shared = () if statement.shared is None else (statement.shared,)
            return (statement.grid, statement.block, *shared, *statement.args)
        case _:
            return ()


def blocks(statement: HostStmt) -> tuple[tuple[HostStmt, ...], ...]:
    """The statement lists inside a statement."""
    match statement:
        case HostIf(_, then, other):
            return (then, other)
        case HostWhile(_, body) | HostGuard(_, body) | HostCount(_, _, _, _, body):
            return (body,)
        case HostSwitch(_, cases, default):
            return (*(body for _, body in cases), default or ())
        case _:
            return ()


def walk(body: Iterable[HostStmt]) -> Iterator[HostStmt]:
    """Every statement, outer ones first."""
    for s in body:
        yield s
        for inner in blocks(s):
            yield from walk(inner)


def assigned(body: Iterable[HostStmt]) -> frozenset[str]:
    """Variables that are assigned, or grow by ``push_back``."""
    found: set[str] = set()
    for s in walk(body):
        if isinstance(s, HostAssign | HostCount):
            found.add(s.name)
        for e in expressions(s):
            if isinstance(e, HostMethod) and e.name == "push_back":
                found |= mentioned(e.object)
    return frozenset(found)
