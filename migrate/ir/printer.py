"""IR to text. :mod:`migrate.ir.parser` reads it back to the same IR (spans and comments aside).

Types are printed where they cannot be derived: declarations, constants, casts, calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

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
from migrate.ir.kernel import Function, GlobalVar, Kernel, Module, Param, StructDef, TemplateArg
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
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
from migrate.ir.types import Space

INDENT = "  "


def print_place(p: Place) -> str:
    """``x``, ``p[i]``, ``a.[i]`` (array element), ``s.f``."""
    match p:
        case VarPlace(name):
            return name
        case PtrElem(pointer, index):
            return f"{print_expr(pointer)}[{print_expr(index)}]"
        case ArrElem(base, index):
            return f"{print_place(base)}.[{print_expr(index)}]"
        case FieldPlace(base, field):
            return f"{print_place(base)}.{field}"
        case _:
            assert_never(p)


def _const(c: Const) -> str:
    if isinstance(c.value, bool):
        return "true" if c.value else "false"
    return f"{c.value!r}:{c.type}"


def print_expr(e: Expr) -> str:
    """One expression; operators are fully parenthesised."""
    match e:
        case Const():
            return _const(e)
        case NullPtr(type_):
            return f"null<{type_}>"
        case Text(value):
            return json.dumps(value)
        case IndexVar(builtin, axis):
            return f"{builtin.value}.{axis}"
        case Read(place):
            return print_place(place)
        case AddressOf(place, type_):
            return f"addr<{type_}>({print_place(place)})"
        case Unary(op, operand):
            return f"({op.value} {print_expr(operand)})"
        case Binary(op, lhs, rhs):
            return f"({print_expr(lhs)} {op.value} {print_expr(rhs)})"
        case Select(cond, then, other):
            return f"({print_expr(cond)} ? {print_expr(then)} : {print_expr(other)})"
        case Cast(operand, type_):
            return f"cast<{type_}>({print_expr(operand)})"
        case Bitcast(operand, type_):
            return f"bits<{type_}>({print_expr(operand)})"
        case Call(name, args, type_):
            return f"call<{type_}> {name}({_exprs(args)})"
        case Invoke(function, args, type_):
            return f"invoke<{type_}> {function}({_exprs(args)})"
        case PtrAdd(pointer, offset):
            return f"padd({print_expr(pointer)}, {print_expr(offset)})"
        case PtrDiff(lhs, rhs):
            return f"pdiff({print_expr(lhs)}, {print_expr(rhs)})"
        case Compose(parts, type_):
            return f"make<{type_}>({_exprs(parts)})"
        case Extract(value, field, type_):
            return f"get<{type_}>({print_expr(value)}, {field})"
        case _:
            assert_never(e)


def _exprs(args: tuple[Expr, ...]) -> str:
    return ", ".join(print_expr(a) for a in args)


def print_stmts(stmts: tuple[Stmt, ...], depth: int = 0) -> Iterator[str]:
    """Lines of a statement list."""
    for s in stmts:
        yield from _stmt(s, depth)


def _block(head: str, body: tuple[Stmt, ...], depth: int, tail: str = "}") -> Iterator[str]:
    yield f"{INDENT * depth}{head} {{"
    yield from print_stmts(body, depth + 1)
    yield f"{INDENT * depth}{tail}"


def _stmt(s: Stmt, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    match s:
        case If(cond, then, other):
            yield from _block(f"if {print_expr(cond)}", then, depth)
            if other:
                yield from _block("else", other, depth)
        case For(init, cond, step, body, unroll):
            mark = "" if unroll == -1 else f" unroll {unroll}"
            yield f"{pad}for{mark} {{"
            yield from _block("init", init, depth + 1)
            yield f"{pad}{INDENT}while {print_expr(cond)}"
            yield from _block("step", step, depth + 1)
            yield from _block("body", body, depth + 1)
            yield f"{pad}}}"
        case While(cond, body):
            yield from _block(f"while {print_expr(cond)}", body, depth)
        case DoWhile(body, cond):
            yield from _block("do", body, depth, f"}} while {print_expr(cond)}")
        case Switch(value, cases):
            yield f"{pad}switch {print_expr(value)} {{"
            for c in cases:
                head = f"case {', '.join(map(str, c.values))}" if c.values else "default"
                yield from _block(head, c.body, depth + 1)
            yield f"{pad}}}"
        case _:
            yield f"{pad}{_simple(s)}"


def _simple(s: Stmt) -> str:
    match s:
        case Declare(name, type_, init, space):
            shared = "" if space is Space.LOCAL else f"{space.value} "
            value = "" if init is None else f" = {print_expr(init)}"
            return f"{shared}var {name}: {type_}{value}"
        case Assign(place, value):
            return f"{print_place(place)} = {print_expr(value)}"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case Return(value):
            return "return" if value is None else f"return {print_expr(value)}"
        case CallStmt(function, args, result, type_):
            return f"exec {result or '_'}: {type_} = {function}({_exprs(args)})"
        case Atomic(op, place, operands, result, scope):
            head = f"atomic {result or '_'} = {op.value} {scope}"
            return f"{head} {print_place(place)}({_exprs(operands)})"
        case Barrier(scope, mask):
            return f"barrier {scope}" + ("" if mask is None else f" {print_expr(mask)}")
        case Fence(scope):
            return f"fence {scope}"
        case Collective(op, args, result, type_):
            return f"collective {result}: {type_} = {op}({_exprs(args)})"
        case Effect(name, args):
            return f"effect {name}({_exprs(args)})"
        case Asm(text, outputs, inputs, constraints):
            outs = ", ".join(print_place(p) for p in outputs)
            kinds = ", ".join(json.dumps(c) for c in constraints)
            return f"asm {json.dumps(text)} [{kinds}] out({outs}) in({_exprs(inputs)})"
        case If() | For() | While() | DoWhile() | Switch():
            raise TypeError("a compound statement is not simple")
        case _:
            assert_never(s)


def _params(params: tuple[Param, ...]) -> str:
    return ", ".join(f"{p.name}: {p.type}" for p in params)


def _template(args: tuple[TemplateArg, ...]) -> str:
    return "".join(f" template {json.dumps(a.name)} {json.dumps(a.value)}" for a in args)


def print_kernel(k: Kernel) -> str:
    """A kernel as text, ending with a newline."""
    head = f"kernel {k.symbol} {json.dumps(k.name)} ({_params(k.params)})"
    head += f" mangled {json.dumps(k.mangled)} qualified {json.dumps(k.qualified)}"
    head += f"{_template(k.template_args)} bounds {k.max_threads}"
    return "\n".join(_block(head, k.body, 0)) + "\n"


def print_function(f: Function) -> str:
    """A device function as text, ending with a newline."""
    pure = "pure " if f.pure else ""
    head = f"function {pure}{f.symbol} {json.dumps(f.name)} ({_params(f.params)}) -> {f.result}"
    head += f" mangled {json.dumps(f.mangled)}{_template(f.template_args)}"
    return "\n".join(_block(head, f.body, 0)) + "\n"


def _struct(s: StructDef) -> str:
    kind = "union" if s.union else "struct"
    fields = "".join(f"{INDENT}{f.name}: {f.type} @ {f.offset}\n" for f in s.fields)
    return f"{kind} {s.name} size {s.size} align {s.align} {{\n{fields}}}\n"


def _global(g: GlobalVar) -> str:
    init = "" if g.init is None else f" init {json.dumps(g.init.hex())}"
    return f"{g.space.value} var {g.name}: {g.type}{init}\n"


def print_module(m: Module) -> str:
    """A whole module as text."""
    parts = [f"module {json.dumps(m.name)}\n"]
    parts += [_struct(s) for s in m.structs]
    parts += [_global(g) for g in m.globals]
    parts += [print_function(f) for f in m.functions]
    parts += [print_kernel(k) for k in m.kernels]
    return "\n".join(parts)
