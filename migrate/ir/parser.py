"""Text to IR: the inverse of :mod:`migrate.ir.printer`.

Types that the text leaves out are derived: a variable has its declared type, a member its struct's.
Raises :class:`IrSyntaxError` with a line number.
"""

from __future__ import annotations

from migrate.ir.expr import Place
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
from migrate.ir.text_exprs import ExprReader
from migrate.ir.text_tokens import SPACES, IrSyntaxError, Token
from migrate.ir.types import Space

__all__ = ["IrSyntaxError", "parse_kernel", "parse_module"]

_ATOMIC = {op.value: op for op in AtomicOp}


class _Parser(ExprReader):
    """Statements and modules."""

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

    def _s_var(self, _: Token) -> Stmt:
        return self._declare(Space.LOCAL)

    def _s_shared(self, _: Token) -> Stmt:
        self._take("var")
        return self._declare(Space.SHARED)

    def _s_if(self, _: Token) -> Stmt:
        cond = self.expr()
        then = self.block()
        return If(cond, then, self.block() if self._accept("else") else ())

    def _s_for(self, _: Token) -> Stmt:
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

    def _s_while(self, _: Token) -> Stmt:
        cond = self.expr()
        return While(cond, self.block())

    def _s_do(self, _: Token) -> Stmt:
        body = self.block()
        self._take("while")
        return DoWhile(body, self.expr())

    def _s_switch(self, _: Token) -> Stmt:
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

    def _s_return(self, t: Token) -> Stmt:
        more = self._next.line == t.line and self._next.text != "}"
        return Return(self.expr() if more else None)

    def _result(self) -> str | None:
        name = self._name()
        return None if name == "_" else name

    def _s_exec(self, _: Token) -> Stmt:
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

    def _s_atomic(self, _: Token) -> Stmt:
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

    def _s_barrier(self, t: Token) -> Stmt:
        scope = self._name()
        more = self._next.line == t.line and self._next.text != "}"
        return Barrier(scope, self.expr() if more else None)

    def _s_collective(self, _: Token) -> Stmt:
        result = self._name()
        self._take(":")
        kind = self.type()
        self._take("=")
        op = self._name()
        self._take("(")
        args = self._args()
        self._scope[result] = kind
        return Collective(op, args, result, kind)

    def _s_effect(self, _: Token) -> Stmt:
        name = self._name()
        self._take("(")
        return Effect(name, self._args())

    def _s_asm(self, _: Token) -> Stmt:
        text = self._string()
        self._take("[")
        kinds: list[str] = []
        while not self._accept("]"):
            if kinds:
                self._take(",")
            kinds.append(self._string())
        self._take("out")
        self._take("(")
        outs: list[Place] = []
        while not self._accept(")"):
            if outs:
                self._take(",")
            outs.append(self.place())
        self._take("in")
        self._take("(")
        return Asm(text, tuple(outs), self._args(), tuple(kinds))

    def _s_break(self, _: Token) -> Stmt:
        return Break()

    def _s_continue(self, _: Token) -> Stmt:
        return Continue()

    def _s_fence(self, _: Token) -> Stmt:
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
        space = SPACES[self._name()]
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
