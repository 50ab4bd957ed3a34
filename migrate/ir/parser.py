"""Text to IR: the inverse of :mod:`migrate.ir.printer`.

Types that the text leaves out are derived: a variable has its declared type, a member its struct's.
Raises :class:`IrSyntaxError` with a line number.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Binary,
    BinaryOp,
    Bitcast,
    Builtin,
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
from migrate.ir.kernel import (
    Field,
    Function,
    GlobalVar,
    Kernel,
    Module,
    Param,
    StructDef,
    TemplateArg,
)
from migrate.ir.simt import (
    Asm,
    Assign,
    Atomic,
    AtomicOp,
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
from migrate.ir.types import (
    BOOL,
    SCALARS,
    VECTORS,
    VOID,
    Array,
    Pointer,
    Scalar,
    Space,
    Struct,
    Type,
    Vector,
)


class IrSyntaxError(ValueError):
    """IR text is not well formed."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    line: int
    kind: str  # number, string, name, op, end


_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<newline>\n)|(?P<comment>\#[^\n]*)
    |(?P<number>-?(?:inf|nan|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?=:))
    |(?P<int>-?\d+)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<op>->|\.\[|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>=!~&|^?:(){}\[\],.@])""",
    re.VERBOSE,
)


def _tokens(text: str) -> list[_Token]:
    out: list[_Token] = []
    line, at = 1, 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None or m.lastgroup is None:
            raise IrSyntaxError(f"line {line}: unexpected {text[at]!r}")
        at = m.end()
        if m.lastgroup == "newline":
            line += 1
        elif m.lastgroup not in ("space", "comment"):
            out.append(_Token(m.group(), line, m.lastgroup))
    out.append(_Token("", line, "end"))
    return out


_BINARY = {op.value: op for op in BinaryOp}
_UNARY = {op.value: op for op in UnaryOp}
_BUILTIN = {b.value: b for b in Builtin}
_ATOMIC = {op.value: op for op in AtomicOp}
_SPACES = {s.value: s for s in Space}


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._structs: dict[str, StructDef] = {}
        self._globals: dict[str, Type] = {}
        self._scope: dict[str, Type] = {}

    # --- tokens

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _fail(self, wanted: str) -> IrSyntaxError:
        return IrSyntaxError(f"line {self._next.line}: expected {wanted}, got {self._next.text!r}")

    def _take(self, text: str | None = None, kind: str | None = None) -> str:
        t = self._next
        if (text is not None and t.text != text) or (kind is not None and t.kind != kind):
            raise self._fail(repr(text) if text is not None else str(kind))
        self._at += 1
        return t.text

    def _accept(self, text: str) -> bool:
        if self._next.text == text and self._next.kind != "string":
            self._at += 1
            return True
        return False

    def _name(self) -> str:
        return self._take(kind="name")

    def _string(self) -> str:
        value = json.loads(self._take(kind="string"))
        if not isinstance(value, str):
            raise self._fail("a string")
        return value

    def _int(self) -> int:
        return int(self._take(kind="int"))

    def _close_angle(self) -> None:
        t = self._next
        if t.text == ">>":
            self._tokens[self._at] = _Token(">", t.line, "op")
            return
        self._take(">")

    # --- types

    def type(self) -> Type:
        name = self._name()
        if name in SCALARS:
            return SCALARS[name]
        if name in VECTORS:
            return VECTORS[name]
        if name == "void":
            return VOID
        if name == "ptr":
            return self._pointer()
        if name == "array":
            self._take("<")
            element = self.type()
            self._take(",")
            length = self._int()
            self._close_angle()
            return Array(element, length)
        return Struct(name)

    def _pointer(self) -> Pointer:
        self._take("<")
        space = _SPACES[self._name()]
        const = self._accept("const")
        restrict = self._accept("restrict")
        self._take(",")
        pointee = self.type()
        self._close_angle()
        return Pointer(pointee, space, const, restrict)

    def _angle_type(self) -> Type:
        self._take("<")
        kind = self.type()
        self._close_angle()
        return kind

    # --- expressions

    def _args(self, close: str = ")") -> tuple[Expr, ...]:
        out: list[Expr] = []
        while not self._accept(close):
            if out:
                self._take(",")
            out.append(self.expr())
        return tuple(out)

    def expr(self) -> Expr:
        e = self._primary()
        while self._next.text == "[" and self._next.kind == "op":
            e = self._postfix(self._element(e))
        return e

    def _element(self, pointer: Expr) -> Place:
        self._take("[")
        index = self.expr()
        self._take("]")
        return PtrElem(pointer, index)

    def _members(self, place: Place) -> Place:
        while True:
            if self._accept(".["):
                index = self.expr()
                self._take("]")
                place = ArrElem(place, index)
            elif self._accept("."):
                name = self._name()
                place = FieldPlace(place, name, self._field_type(place.type, name))
            else:
                return place

    def _postfix(self, place: Place) -> Expr:
        return Read(self._members(place))

    def _field_type(self, base: Type, name: str) -> Type:
        match base:
            case Vector(element=element):
                return element
            case Struct(struct) if struct in self._structs:
                for f in self._structs[struct].fields:
                    if f.name == name:
                        return f.type
                raise self._fail(f"a member of {struct}")
            case _:
                raise self._fail(f"a struct before .{name}")

    def _primary(self) -> Expr:
        t = self._next
        if t.kind in ("number", "int"):
            return self._number()
        if t.kind == "string":
            return Text(self._string())
        if t.text == "(":
            return self._parenthesised()
        if t.kind == "name":
            return self._named()
        raise self._fail("an expression")

    def _number(self) -> Expr:
        text = self._take()
        self._take(":")
        kind = self.type()
        if not isinstance(kind, Scalar):
            raise self._fail("a scalar type")
        return Const(float(text) if kind.is_float else int(text), kind)

    def _parenthesised(self) -> Expr:
        self._take("(")
        if self._next.text in _UNARY and self._next.kind == "op":
            op = _UNARY[self._take()]
            operand = self.expr()
            self._take(")")
            return Unary(op, operand)
        lhs = self.expr()
        if self._accept("?"):
            then = self.expr()
            self._take(":")
            other = self.expr()
            self._take(")")
            return Select(lhs, then, other)
        if self._next.text not in _BINARY:
            raise self._fail("an operator")
        binary = _BINARY[self._take()]
        rhs = self.expr()
        self._take(")")
        return Binary(binary, lhs, rhs)

    def _named(self) -> Expr:
        name = self._name()
        if name in ("true", "false"):
            return Const(name == "true", BOOL)
        if name in _BUILTIN:
            self._take(".")
            return IndexVar(_BUILTIN[name], self._name())
        if self._next.text == "<" and name in ("cast", "bits", "addr", "null", "make", "get"):
            return self._typed(name)
        if self._next.text == "<" and name in ("call", "invoke"):
            kind = self._angle_type()
            callee = self._name()
            self._take("(")
            args = self._args()
            return Call(callee, args, kind) if name == "call" else Invoke(callee, args, kind)
        if self._next.text == "(" and name in ("padd", "pdiff"):
            self._take("(")
            a, b = self._args()
            return PtrAdd(a, b) if name == "padd" else PtrDiff(a, b)
        return self._postfix(self._variable(name))

    def _typed(self, name: str) -> Expr:
        kind = self._angle_type()
        if name == "null":
            if not isinstance(kind, Pointer):
                raise self._fail("a pointer type")
            return NullPtr(kind)
        self._take("(")
        if name == "addr":
            place = self.place()
            self._take(")")
            if not isinstance(kind, Pointer):
                raise self._fail("a pointer type")
            return AddressOf(place, kind)
        if name == "get":
            value = self.expr()
            self._take(",")
            field = self._name()
            self._take(")")
            return Extract(value, field, kind)
        args = self._args()
        if name == "make":
            if not isinstance(kind, Vector | Struct):
                raise self._fail("a struct or vector type")
            return Compose(args, kind)
        (operand,) = args
        return Cast(operand, kind) if name == "cast" else Bitcast(operand, kind)

    def _variable(self, name: str) -> VarPlace:
        kind = self._scope.get(name) or self._globals.get(name)
        if kind is None:
            raise IrSyntaxError(f"line {self._next.line}: {name} is not declared")
        return VarPlace(name, kind)

    def place(self) -> Place:
        e = self.expr()
        if not isinstance(e, Read):
            raise self._fail("a place")
        return e.place

    # --- statements

    def block(self) -> tuple[Stmt, ...]:
        self._take("{")
        outer = dict(self._scope)
        out: list[Stmt] = []
        while not self._accept("}"):
            out.append(self.stmt())
        self._scope = outer
        return tuple(out)

    def _open_block(self) -> tuple[Stmt, ...]:
        """A block whose declarations stay visible afterwards (a loop's ``init``)."""
        self._take("{")
        out: list[Stmt] = []
        while not self._accept("}"):
            out.append(self.stmt())
        return tuple(out)

    def stmt(self) -> Stmt:
        t = self._next
        ahead = self._tokens[self._at + 1]
        is_place = ahead.text in ("=", "[", ".", ".[") and ahead.kind == "op"
        handler = None if is_place or t.kind != "name" else _STATEMENTS.get(t.text)
        if handler is not None:
            self._at += 1
            return handler(self, t)
        place = self.place()
        self._take("=")
        return Assign(place, self.expr())

    def _declare(self, space: Space) -> Stmt:
        name = self._name()
        self._take(":")
        kind = self.type()
        init = self.expr() if self._accept("=") else None
        self._scope[name] = kind
        return Declare(name, kind, init, space)

    def _s_var(self, _: _Token) -> Stmt:
        return self._declare(Space.LOCAL)

    def _s_shared(self, _: _Token) -> Stmt:
        self._take("var")
        return self._declare(Space.SHARED)

    def _s_if(self, _: _Token) -> Stmt:
        cond = self.expr()
        then = self.block()
        return If(cond, then, self.block() if self._accept("else") else ())

    def _s_for(self, _: _Token) -> Stmt:
        unroll = self._int() if self._accept("unroll") else -1
        outer = dict(self._scope)
        self._take("{")
        self._take("init")
        init = self._open_block()
        self._take("while")
        cond = self.expr()
        self._take("step")
        step = self.block()
        self._take("body")
        body = self.block()
        self._take("}")
        self._scope = outer
        return For(init, cond, step, body, unroll)

    def _s_while(self, _: _Token) -> Stmt:
        cond = self.expr()
        return While(cond, self.block())

    def _s_do(self, _: _Token) -> Stmt:
        body = self.block()
        self._take("while")
        return DoWhile(body, self.expr())

    def _s_switch(self, _: _Token) -> Stmt:
        value = self.expr()
        self._take("{")
        cases: list[Case] = []
        while not self._accept("}"):
            if self._accept("default"):
                cases.append(Case((), self.block()))
                continue
            self._take("case")
            values = [self._int()]
            while self._accept(","):
                values.append(self._int())
            cases.append(Case(tuple(values), self.block()))
        return Switch(value, tuple(cases))

    def _s_return(self, t: _Token) -> Stmt:
        more = self._next.line == t.line and self._next.text != "}"
        return Return(self.expr() if more else None)

    def _result(self) -> str | None:
        name = self._name()
        return None if name == "_" else name

    def _s_exec(self, _: _Token) -> Stmt:
        result = self._result()
        self._take(":")
        kind = self.type()
        self._take("=")
        function = self._name()
        self._take("(")
        args = self._args()
        if result is not None:
            self._scope[result] = kind
        return CallStmt(function, args, result, kind)

    def _s_atomic(self, _: _Token) -> Stmt:
        result = self._result()
        self._take("=")
        op = _ATOMIC[self._name()]
        scope = self._name()
        place = self.place()
        self._take("(")
        operands = self._args()
        if result is not None:
            self._scope[result] = place.type
        return Atomic(op, place, operands, result, scope)

    def _s_barrier(self, t: _Token) -> Stmt:
        scope = self._name()
        more = self._next.line == t.line and self._next.text != "}"
        return Barrier(scope, self.expr() if more else None)

    def _s_collective(self, _: _Token) -> Stmt:
        result = self._name()
        self._take(":")
        kind = self.type()
        self._take("=")
        op = self._name()
        self._take("(")
        args = self._args()
        self._scope[result] = kind
        return Collective(op, args, result, kind)

    def _s_effect(self, _: _Token) -> Stmt:
        name = self._name()
        self._take("(")
        return Effect(name, self._args())

    def _s_asm(self, _: _Token) -> Stmt:
        text = self._string()
        self._take("out")
        self._take("(")
        outs: list[Place] = []
        while not self._accept(")"):
            if outs:
                self._take(",")
            outs.append(self.place())
        self._take("in")
        self._take("(")
        return Asm(text, tuple(outs), self._args())

    def _s_break(self, _: _Token) -> Stmt:
        return Break()

    def _s_continue(self, _: _Token) -> Stmt:
        return Continue()

    def _s_fence(self, _: _Token) -> Stmt:
        return Fence(self._name())

    # --- modules

    def _params(self) -> tuple[Param, ...]:
        self._take("(")
        out: list[Param] = []
        while not self._accept(")"):
            if out:
                self._take(",")
            name = self._name()
            self._take(":")
            kind = self.type()
            self._scope[name] = kind
            out.append(Param(name, kind))
        return tuple(out)

    def _template(self) -> tuple[TemplateArg, ...]:
        out: list[TemplateArg] = []
        while self._accept("template"):
            out.append(TemplateArg(self._string(), self._string()))
        return tuple(out)

    def kernel(self) -> Kernel:
        self._take("kernel")
        self._scope = {}
        symbol, name = self._name(), self._string()
        params = self._params()
        self._take("mangled")
        mangled = self._string()
        self._take("qualified")
        qualified = self._string()
        template = self._template()
        self._take("bounds")
        bounds = self._int()
        return Kernel(symbol, name, params, self.block(), mangled, qualified, template, bounds)

    def function(self) -> Function:
        self._take("function")
        self._scope = {}
        pure = self._accept("pure")
        symbol, name = self._name(), self._string()
        params = self._params()
        self._take("->")
        result = self.type()
        self._take("mangled")
        mangled = self._string()
        template = self._template()
        return Function(symbol, name, params, result, self.block(), pure, mangled, template)

    def struct(self) -> StructDef:
        union = self._take() == "union"
        name = self._name()
        self._take("size")
        size = self._int()
        self._take("align")
        align = self._int()
        self._take("{")
        fields: list[Field] = []
        while not self._accept("}"):
            field = self._name()
            self._take(":")
            kind = self.type()
            self._take("@")
            fields.append(Field(field, kind, self._int()))
        made = StructDef(name, tuple(fields), size, align, union)
        self._structs[name] = made
        return made

    def global_var(self) -> GlobalVar:
        space = _SPACES[self._name()]
        self._take("var")
        name = self._name()
        self._take(":")
        kind = self.type()
        init = bytes.fromhex(self._string()) if self._accept("init") else None
        self._globals[name] = kind
        return GlobalVar(name, kind, space, init)

    def module(self) -> Module:
        self._take("module")
        name = self._string()
        structs: list[StructDef] = []
        variables: list[GlobalVar] = []
        functions: list[Function] = []
        kernels: list[Kernel] = []
        while self._next.kind != "end":
            match self._next.text:
                case "struct" | "union":
                    structs.append(self.struct())
                case "function":
                    functions.append(self.function())
                case "kernel":
                    kernels.append(self.kernel())
                case _:
                    variables.append(self.global_var())
        return Module(name, tuple(structs), tuple(variables), tuple(functions), tuple(kernels))


_STATEMENTS = {
    "var": _Parser._s_var,
    "shared": _Parser._s_shared,
    "if": _Parser._s_if,
    "for": _Parser._s_for,
    "while": _Parser._s_while,
    "do": _Parser._s_do,
    "switch": _Parser._s_switch,
    "return": _Parser._s_return,
    "exec": _Parser._s_exec,
    "atomic": _Parser._s_atomic,
    "barrier": _Parser._s_barrier,
    "collective": _Parser._s_collective,
    "effect": _Parser._s_effect,
    "asm": _Parser._s_asm,
    "break": _Parser._s_break,
    "continue": _Parser._s_continue,
    "fence": _Parser._s_fence,
}


def parse_module(text: str) -> Module:
    """Read a whole module."""
    return _Parser(text).module()


def parse_kernel(text: str) -> Kernel:
    """Read one kernel (structs and globals may stand before it, as in a module)."""
    module = _Parser(f'module "kernel"\n{text}').module()
    (kernel,) = module.kernels
    return kernel
