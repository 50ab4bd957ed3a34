"""The SIMT dialect printed back as CUDA C++, to run what was read in place of the original.

Written from ``docs/ir.md``. Each kernel's body becomes a device function ``ir::SYMBOL`` over the
IR's own types, and the original kernel calls the one that belongs to its template arguments. The
result has to be compiled with wrapping integers and without float contraction.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.frontend.source_edit import Edit
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
from migrate.ir.kernel import Function, Kernel, Module, Param
from migrate.ir.program import DefinitionKind, SourceUnit
from migrate.ir.simt import (
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
from migrate.ir.types import Array, Pointer, Scalar, Space, Struct, Type, Vector, Void

SCALARS = {
    "bool": "bool", "i8": "signed char", "u8": "unsigned char", "i16": "short",
    "u16": "unsigned short", "i32": "int", "u32": "unsigned int", "i64": "long long",
    "u64": "unsigned long long", "f16": "__half", "bf16": "__nv_bfloat16", "f32": "float",
    "f64": "double",
}  # fmt: skip
HELPERS = """
namespace ir_text {
template <class To, class From> __device__ inline To bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "size"); To r; __builtin_memcpy(&r, &v, sizeof(To)); return r;
}
}
"""


def type_text(t: Type) -> str:
    """A C++ type that needs no declarator."""
    match t:
        case Scalar():
            return SCALARS[t.kind.value]
        case Vector(name):
            return {"half2": "__half2", "bfloat162": "__nv_bfloat162"}.get(name, name)
        case Pointer(pointee, _, const):
            inner = type_text(pointee)
            return f"{inner} const*" if const else f"{inner}*"
        case Array(element, length):
            return f"ir_array<{type_text(element)}, {length}>"
        case Struct(name):
            return f"s_{name}"
        case Void():
            return "void"


def declare(name: str, t: Type) -> str:
    """A declarator with array bounds."""
    bounds = ""
    while isinstance(t, Array):
        bounds += f"[{t.length}]" if t.length else "[]"
        t = t.element
    return f"{type_text(t)} {name}{bounds}"


@dataclass
class Printer:
    """Prints one module."""

    module: Module

    def name(self, n: str) -> str:
        return n if any(g.name == n for g in self.module.globals) else f"v_{n}"

    def place(self, p: Place) -> str:
        match p:
            case VarPlace(name):
                return self.name(name)
            case PtrElem(pointer, index):
                return f"({self.expr(pointer)})[{self.expr(index)}]"
            case ArrElem(base, index):
                return f"{self.place(base)}[{self.expr(index)}]"
            case FieldPlace(base, field, _):
                inner = self.place(base)
                root = base
                while isinstance(root, FieldPlace | ArrElem):
                    root = root.base
                is_global = isinstance(root, VarPlace) and not self.name(root.name).startswith("v_")
                if isinstance(base.type, Struct) and is_global and base is root:
                    inner = f"(*(s_{base.type.name}*)&{inner})"
                return f"{inner}.{field if isinstance(base.type, Vector) else 'f_' + field}"

    def const(self, c: Const) -> str:
        kind = c.type.kind.value
        if isinstance(c.value, bool):
            return "true" if c.value else "false"
        if c.type.is_float:
            v = float(c.value)
            if math.isnan(v):
                text = '__builtin_nan("")'
            elif math.isinf(v):
                text = "__builtin_inf()" if v > 0 else "(-__builtin_inf())"
            else:
                text = v.hex()
            return (
                f"({SCALARS[kind]})({text})"
                if kind in ("f16", "bf16")
                else (
                    f"({text}f)"
                    if kind == "f32" and "_" not in text
                    else f"({SCALARS[kind]})({text})"
                )
            )
        if kind == "i64" and c.value == -(2**63):
            return "(-9223372036854775807ll - 1)"
        suffix = {"u32": "u", "i64": "ll", "u64": "ull"}.get(kind, "")
        if kind == "i32" and c.value == -(2**31):
            return "(-2147483647 - 1)"
        text = f"{c.value}{suffix}"
        return f"({SCALARS[kind]})({text})" if kind in ("i8", "u8", "i16", "u16") else f"({text})"

    def args(self, args: tuple[Expr, ...]) -> str:
        return ", ".join(self.expr(a) for a in args)

    def expr(self, e: Expr) -> str:
        match e:
            case Const():
                return self.const(e)
            case NullPtr(t):
                return f"(({type_text(t)})nullptr)"
            case Text(value):
                escaped = value.encode("unicode_escape").decode().replace('"', '\\"')
                return f'"{escaped}"'
            case IndexVar(builtin, axis):
                return f"{builtin.value}.{axis}"
            case Read(place):
                text = self.place(place)
                if isinstance(place, VarPlace) and isinstance(place.type, Struct):
                    if not text.startswith("v_"):
                        return f"ir_text::bits<s_{place.type.name}>({text})"
                return text
            case AddressOf(place, t):
                return f"(({type_text(t)})&{self.place(place)})"
            case Unary(op, operand):
                return f"({op.value}{self.expr(operand)})"
            case Binary(op, lhs, rhs):
                text = f"({self.expr(lhs)} {op.value} {self.expr(rhs)})"
                if isinstance(lhs.type, Scalar) and e.type == lhs.type and lhs.type.bits < 32:
                    return text if lhs.type.is_float else f"(({type_text(e.type)}){text})"
                return text
            case Select(cond, then, other):
                return f"({self.expr(cond)} ? {self.expr(then)} : {self.expr(other)})"
            case Cast(operand, t):
                return f"(({type_text(t)})({self.expr(operand)}))"
            case Bitcast(operand, t):
                return f"ir_text::bits<{type_text(t)}>({self.expr(operand)})"
            case Call(name, args):
                return f"(({type_text(e.type)}){name}({self.args(args)}))"
            case Invoke(function, args):
                return f"ir::{function}({self.args(args)})"
            case PtrAdd(pointer, offset):
                return f"({self.expr(pointer)} + {self.expr(offset)})"
            case PtrDiff(lhs, rhs):
                return f"((long long)({self.expr(lhs)} - {self.expr(rhs)}))"
            case Compose(parts, Vector() as t):
                if t.name in ("half2", "bfloat162", "dim3"):
                    return f"{type_text(t)}({self.args(parts)})"
                return f"make_{t.name}({self.args(parts)})"
            case Compose(parts, t):
                return f"{type_text(t)}{{{self.args(parts)}}}"
            case Extract(value, field):
                member = field if isinstance(value.type, Vector) else f"f_{field}"
                return f"({self.expr(value)}).{member}"

    # --- statements

    def block(self, stmts: tuple[Stmt, ...], depth: int) -> Iterator[str]:
        for s in stmts:
            yield from self.stmt(s, depth)

    def braces(self, head: str, body: tuple[Stmt, ...], depth: int) -> Iterator[str]:
        pad = "  " * depth
        yield f"{pad}{head} {{"
        yield from self.block(body, depth + 1)
        yield f"{pad}}}"

    def stmt(self, s: Stmt, depth: int) -> Iterator[str]:
        pad = "  " * depth
        match s:
            case If(cond, then, other):
                yield from self.braces(f"if ({self.expr(cond)})", then, depth)
                if other:
                    yield from self.braces("else", other, depth)
            case For(init, cond, step, body):
                # the step runs at the head of each later round, so that `continue` reaches it
                flag = f"ir_first_{abs(hash(s)) % 10**9}"
                yield f"{pad}{{"
                yield from self.block(init, depth + 1)
                yield f"{pad}  bool {flag} = true;"
                yield f"{pad}  while (true) {{"
                yield f"{pad}    if (!{flag}) {{"
                yield from self.block(step, depth + 3)
                yield f"{pad}    }}"
                yield f"{pad}    {flag} = false;"
                yield f"{pad}    if (!({self.expr(cond)})) break;"
                yield from self.block(body, depth + 2)
                yield f"{pad}  }}"
                yield f"{pad}}}"
            case While(cond, body):
                yield from self.braces(f"while ({self.expr(cond)})", body, depth)
            case DoWhile(body, cond):
                yield from self.braces("do", body, depth)
                yield f"{pad}while ({self.expr(cond)});"
            case Switch(value, cases):
                yield f"{pad}switch ({self.expr(value)}) {{"
                for c in cases:
                    for v in c.values:
                        yield f"{pad}  case ({type_text(value.type)})({v}):"
                    if not c.values:
                        yield f"{pad}  default:"
                    yield from self.braces("", c.body, depth + 2)
                    yield f"{pad}    break;"
                yield f"{pad}}}"
            case _:
                yield f"{pad}{self.simple(s)}"

    def simple(self, s: Stmt) -> str:
        match s:
            case Declare(name, t, init, space):
                shared = "__shared__ " if space is Space.SHARED else ""
                if space is Space.SHARED and isinstance(t, Array) and not t.length:
                    element = type_text(t.element)
                    return (
                        f"extern __shared__ unsigned char ir_dynamic[]; "
                        f"{element}* v_{name} = ({element}*)ir_dynamic;"
                    )
                value = "" if init is None else f" = {self.expr(init)}"
                return f"{shared}{declare('v_' + name, t)}{value};"
            case Assign(place, value):
                return f"{self.place(place)} = {self.expr(value)};"
            case Break():
                return "break;"
            case Continue():
                return "continue;"
            case Return(value):
                return "return;" if value is None else f"return {self.expr(value)};"
            case CallStmt(function, args, result, t):
                head = "" if result is None else f"{declare('v_' + result, t)} = "
                return f"{head}ir::{function}({self.args(args)});"
            case Atomic(op, place, operands, result, scope):
                name = {"cas": "CAS"}.get(op.value, op.value.capitalize())
                suffix = "" if scope == "device" else f"_{scope}"
                head = "" if result is None else f"{declare('v_' + result, place.type)} = "
                target = f"&{self.place(place)}"
                return f"{head}atomic{name}{suffix}({target}, {self.args(operands)});"
            case Barrier(scope, mask):
                if scope == "block":
                    return "__syncthreads();"
                return f"__syncwarp({'' if mask is None else self.expr(mask)});"
            case Fence(scope):
                return {"device": "__threadfence();", "block": "__threadfence_block();"}.get(
                    scope, "__threadfence_system();"
                )
            case Collective(op, args, result, t):
                name = f"__{op}" if op.startswith("syncthreads") else f"__{op}_sync"
                name = "__activemask" if op == "activemask" else name
                return f"{declare('v_' + result, t)} = {name}({self.args(args)});"
            case Effect(name, args):
                return f"{name}({self.args(args)});"
        raise NotImplementedError(type(s).__name__)

    # --- functions

    def params(self, params: tuple[Param, ...]) -> str:
        return ", ".join(declare(f"v_{p.name}", p.type) for p in params)

    def function(self, f: Function | Kernel) -> str:
        head = f"__device__ inline {type_text(f.result)} {f.symbol}({self.params(f.params)})"
        return "\n".join([f"{head} {{", *self.block(f.body, 1), "}"])

    def structs(self) -> str:
        lines: list[str] = []
        for s in self.module.structs:
            kind = "union" if s.union else "struct"
            lines.append(f"{kind} alignas({s.align}) s_{s.name} {{")
            lines += [f"  {declare('f_' + f.name, f.type)};" for f in s.fields]
            lines.append("};")
            if s.fields:
                lines.append(f'static_assert(sizeof(s_{s.name}) == {s.size}, "{s.name}");')
        return "\n".join(f"struct s_{s.name};" for s in self.module.structs if not s.union) + (
            "\n" + "\n".join(lines)
        )


def round_trip_edits(unit: SourceUnit, file: str) -> tuple[Edit, ...]:
    """Edits of one file that put the printed IR in the place of every kernel body in it."""
    printer = Printer(unit.module)
    edits: list[Edit] = []
    done = False
    for d in unit.definitions:
        if d.kind is not DefinitionKind.KERNEL or not d.symbols or d.prototype:
            continue
        if d.span.file != file:
            continue
        source = next(f for f in unit.files if str(f.path) == file).text
        whole = source[d.span.start : d.span.end]
        body = whole.find(b"{", len(d.template_head.encode()))
        used = [next(k for k in unit.module.kernels if k.symbol == s) for s in d.symbols]
        calls = [_dispatch(printer, k, d.template_params) for k in used]
        pieces: list[str] = []
        if not done:
            # kernels may stand in several files of the unit: the first one brings what all need
            pieces += ["#ifndef IR_TEXT_ONCE", "#define IR_TEXT_ONCE", HELPERS, "namespace ir {"]
            pieces += [printer.structs(), *(printer.function(f) for f in unit.module.functions)]
            pieces += ["}", "#endif"]
            done = True
        pieces += ["namespace ir {", *(printer.function(k) for k in used), "}\n"]
        edits.append(Edit(d.span.start, d.span.start, "\n".join(pieces).encode()))
        new = "{\n  " + "\n  ".join(calls) + "\n}"
        edits.append(Edit(d.span.start + body, d.span.end, new.encode()))
    return tuple(edits)


def _dispatch(printer: Printer, k: Kernel, names: tuple[str, ...]) -> str:
    args: list[str] = []
    for p in k.params:
        match p.type:
            case Pointer() as t:
                args.append(f"({_qualified(t)}){p.name}")
            case Struct(name):
                args.append(f"ir_text::bits<ir::s_{name}>({p.name})")
            case _:
                args.append(p.name)
    call = f"ir::{k.symbol}({', '.join(args)});"
    tests: list[str] = []
    for a in k.template_args:
        if a.name not in names:
            continue
        if re.fullmatch(r"-?\d+", a.value):
            tests.append(f"(long long)({a.name}) == {a.value}ll")
        else:
            tests.append(f"std::is_same<{a.name}, {a.value}>::value")
    return f"if constexpr ({' && '.join(tests)}) {call}" if tests else call


def _qualified(t: Pointer) -> str:
    return re.sub(r"\bs_", "ir::s_", type_text(t))
