"""Expressions of host code in PyTorch extensions, to :mod:`migrate.ir.host_code`.

clang has resolved overloads, dispatch macros and conversions; what is left is to tell implicit
nodes that change a value from those that do not. A name that the tables do not hold is refused: a
method with the same name in Python may do something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.read_calls import launch_configuration
from migrate.frontend.refusal import Refused
from migrate.frontend.torch_names import DROPPED_METHODS, LIBRARY, MATHS, METHODS
from migrate.frontend.torch_types import (
    BOOL,
    LONG,
    TEXT,
    VOID,
    host_type,
    is_number,
    keeps_value,
)
from migrate.ir.host_code import (
    HostBinary,
    HostCallOwn,
    HostConstant,
    HostConvert,
    HostData,
    HostDtype,
    HostExpr,
    HostIndex,
    HostKind,
    HostLibraryCall,
    HostLiteral,
    HostMethod,
    HostSelect,
    HostSequence,
    HostType,
    HostUnary,
    HostVariable,
)

_OPERATORS = frozenset({"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^"})
_LOGIC = frozenset({"&&", "||", "<<", ">>"})
_DEVICES = {"kCPU": "cpu", "CPU": "cpu", "kCUDA": "cuda", "CUDA": "cuda", "kMeta": "meta"}


def refuse(c: Cursor, what: str) -> Refused:
    """Host code that has no counterpart."""
    return Refused(reading.HOST_CONSTRUCT, what, c)


@dataclass(slots=True)
class ExpressionReader:
    """Reads one function's expressions. ``own_function`` is told of each call of the unit's own;
    ``scopes`` map the source's names to names that are not shadowed."""

    own_function: Callable[[Cursor], str]
    scopes: list[dict[str, str]] = field(default_factory=lambda: [{}])

    def declare(self, name: str) -> str:
        """A variable's name in the translation: another one where it shadows."""
        taken = {new for scope in self.scopes[:-1] for new in scope.values()}
        new, count = name, 1
        while new in taken:
            count += 1
            new = f"{name}_{count}"
        self.scopes[-1][name] = new
        return new

    def variable(self, name: str) -> str:
        """What a name of the source stands for here."""
        return next((s[name] for s in reversed(self.scopes) if name in s), name)

    def read(self, c: Cursor) -> HostExpr:
        """The value of an expression. Raises :class:`Refused`."""
        match c.form:
            case Form.UNEXPOSED | Form.PAREN | Form.CAST:
                return self._conversion(c)
            case Form.INTEGER | Form.FLOAT | Form.BOOL | Form.TRAIT | Form.CHARACTER:
                return self._constant(c)
            case Form.STRING:
                return HostLiteral(text_of(c), TEXT)
            case Form.NULLPTR:
                return HostLiteral(None, host_type(c.type))
            case Form.REF:
                return self._name(c)
            case Form.UNARY:
                return self._unary(c)
            case Form.BINARY:
                return self._binary(c)
            case Form.CONDITIONAL:
                condition, yes, no = c.expressions
                kind = host_type(c.type)
                return HostSelect(self.read(condition), self.read(yes), self.read(no), kind)
            case Form.CALL:
                return self._call(c)
            case Form.INIT_LIST:
                return HostSequence(self._all(c.expressions), False, host_type(c.type))
            case Form.SUBSCRIPT:
                array, index = c.expressions
                return HostIndex(self.read(array), self.read(index), host_type(c.type))
            case _:
                raise refuse(c, f"{c.raw_kind} in host code")

    def _all(self, cursors: tuple[Cursor, ...]) -> tuple[HostExpr, ...]:
        return tuple(self.read(c) for c in cursors)

    # --- names and constants

    def _constant(self, c: Cursor) -> HostExpr:
        value = c.evaluate()
        kind = host_type(c.type)
        if value is None:
            raise refuse(c, f"{c.raw_kind} without a value")
        if value.integer is not None:
            whole = value.integer
            return HostLiteral(bool(whole) if kind.kind is HostKind.BOOL else whole, kind)
        return HostLiteral(value.real, kind)

    def _name(self, c: Cursor) -> HostExpr:
        target = c.referenced
        if target is None:
            raise refuse(c, f"name {c.name}")
        kind = host_type(target.type)
        if target.form is Form.ENUM_CONSTANT or (target.in_system_header and kind.kind in _NAMED):
            return self._library_constant(c, target, kind)
        if target.form in (Form.PARAM, Form.VAR):
            parent = target.parent
            local = parent is not None and parent.form in (Form.FUNCTION, Form.METHOD)
            if target.form is Form.PARAM or local:
                return HostVariable(self.variable(target.name), kind)
            value = target.evaluate() if target.is_constexpr_value and is_number(kind) else None
            if value is not None:
                number = value.real if value.integer is None else value.integer
                assert number is not None
                return HostConstant(target.name, number, kind)
        raise refuse(c, f"name {c.name}")

    def _library_constant(self, c: Cursor, target: Cursor, kind: HostType) -> HostExpr:
        if kind.kind is HostKind.DTYPE:
            return HostDtype(_dtype_name(target, c), kind)
        if kind.kind is HostKind.DEVICE and target.name in _DEVICES:
            return HostLiteral(_DEVICES[target.name], kind)
        if kind.kind is HostKind.OPTIONAL or target.name == "nullopt":
            return HostLiteral(None, HostType(HostKind.OPTIONAL))
        raise refuse(c, f"constant {target.name}")

    # --- conversions

    def _conversion(self, c: Cursor) -> HostExpr:
        inner = c.expressions
        kind = host_type(c.type)
        if not inner:
            if c.form is Form.CAST and is_number(kind):
                return self._constant(c)
            raise refuse(c, f"default of {c.type.spelling}")
        if len(inner) != 1:
            raise refuse(c, f"{c.raw_kind} of several values")
        return converted(self.read(inner[0]), kind, c)

    # --- operators

    def _unary(self, c: Cursor) -> HostExpr:
        (inner,) = c.expressions
        op = c.operator
        if op not in ("-", "+", "!", "~"):
            raise refuse(c, f"operator {op}" if op else c.raw_kind)
        return HostUnary(op, self.read(inner), host_type(c.type))

    def _binary(self, c: Cursor) -> HostExpr:
        left, right = c.expressions
        op = c.operator
        kind = host_type(c.type)
        a, b = self.read(left), self.read(right)
        if op == "+" and isinstance(a, HostData):
            offset = b if a.offset is None else HostBinary("+", a.offset, b, LONG)
            return HostData(a.tensor, offset, a.type)
        if op in _OPERATORS | _LOGIC and kind.kind is not HostKind.POINTER:
            return HostBinary(op, a, b, kind)
        raise refuse(c, f"operator {op} on {c.type.spelling}")

    # --- calls

    def _call(self, c: Cursor) -> HostExpr:
        callee = c.referenced
        kind = host_type(c.type)
        if callee is None or launch_configuration(c) is not None:
            raise refuse(c, f"call of {c.name or 'an unknown function'} as a value")
        if callee.form is Form.CONSTRUCTOR:
            return self._construct(c, kind)
        if callee.name.startswith("operator"):
            return self._operator_call(c, callee, kind)
        if callee.form is Form.METHOD and not callee.is_static_method:
            return self._method(c, callee, kind)
        if not callee.in_system_header:
            return HostCallOwn(
                self.own_function(callee), callee.name.split("<")[0], self._given(c), kind
            )
        return self._library_call(c, callee, kind)

    def _given(self, c: Cursor) -> tuple[HostExpr, ...]:
        """The arguments that are written; defaults of parameters are left to the callee."""
        return tuple(self.read(a) for a in c.arguments if not _is_default(a))

    def _construct(self, c: Cursor, kind: HostType) -> HostExpr:
        args = tuple(a for a in c.arguments if not _is_default(a))
        match kind.kind:
            case HostKind.EXTENT:
                read = self._all(args)
                if len(read) == 1 and read[0].type.kind is HostKind.EXTENT:
                    return read[0]
                return HostSequence(read or (HostLiteral(1, LONG),), True, kind)
            case HostKind.TENSOR if not args:
                return HostLiteral(None, kind)
            case HostKind.OPTIONS if not args:
                return HostLibraryCall("torch", "TensorOptions", (), kind)
            case HostKind.SEQUENCE:
                return self._sequence(c, args, kind)
        if len(args) == 1 and kind.kind not in (HostKind.OTHER, HostKind.GUARD):
            return converted(self.read(args[0]), kind, c)
        if len(args) == 1 and c.type.spelling.removeprefix("const ") == "c10::Scalar":
            return self.read(args[0])
        raise refuse(c, f"constructor of {c.type.spelling}")

    def _sequence(self, c: Cursor, args: tuple[Cursor, ...], kind: HostType) -> HostExpr:
        fixed = "std::tuple<" in c.type.spelling
        if fixed:
            return HostSequence(self._all(args), True, kind)
        if not args:
            return HostSequence((), False, kind)
        if len(args) == 1:
            inner = self.read(args[0])
            if inner.type.kind is HostKind.SEQUENCE or isinstance(inner, HostSequence):
                return inner
            if c.type.spelling.removeprefix("const ").startswith("c10::ArrayRef<"):
                return HostSequence((inner,), False, kind)
        raise refuse(c, f"constructor of {c.type.spelling}")

    def _operator_call(self, c: Cursor, callee: Cursor, kind: HostType) -> HostExpr:
        op = callee.name.removeprefix("operator").strip()
        operands = [x for x in c.expressions if not _is_operator_name(x, callee.name)]
        if op == "[]" and len(operands) == 2:
            return HostIndex(self.read(operands[0]), self.read(operands[1]), kind)
        if op in ("*", "->") and len(operands) == 1:
            return self.read(operands[0])  # of an optional, whose value stands for itself
        if len(operands) == 2 and op in _OPERATORS:
            return HostBinary(op, self.read(operands[0]), self.read(operands[1]), kind)
        if len(operands) == 1 and op in ("-", "~"):
            return HostUnary(op, self.read(operands[0]), kind)
        if callee.form is Form.CONVERSION:
            owner = c.expressions[0]
            return self.read(owner.expressions[0] if owner.form is Form.MEMBER else owner)
        raise refuse(c, f"operator {op}")

    def _method(self, c: Cursor, callee: Cursor, kind: HostType) -> HostExpr:
        member = next((x for x in c.expressions if x.form is Form.MEMBER), None)
        if member is None or not member.expressions:
            raise refuse(c, f"method {callee.name}")
        owner = self.read(member.expressions[0])
        name = callee.name.split("<")[0]
        if name in ("data_ptr", "mutable_data_ptr", "const_data_ptr", "data") and (
            owner.type.kind is HostKind.TENSOR
        ):
            return HostData(owner, None, HostType(HostKind.POINTER))
        if name in DROPPED_METHODS.get(owner.type.kind, ()):
            return owner if kind.kind is not HostKind.VOID else HostLiteral(None, VOID)
        if name not in METHODS.get(owner.type.kind, ()):
            raise refuse(c, f"method {name} of {member.expressions[0].type.spelling}")
        return HostMethod(owner, name, self._given(c), kind)

    def _library_call(self, c: Cursor, callee: Cursor, kind: HostType) -> HostExpr:
        name = callee.name.split("<")[0]
        if name == "getCurrentCUDAStream":
            return HostLiteral(None, kind)
        if name == "make_tuple":
            return HostSequence(self._given(c), True, kind)
        if name == "get" and kind.kind is not HostKind.OTHER:
            position = next((x for x in c.walk() if x.form is Form.INTEGER), None)
            value = None if position is None else position.evaluate()
            if value is not None and value.integer is not None:
                index = HostLiteral(value.integer, LONG)
                return HostIndex(self._given(c)[0], index, kind)
        if name in ("move", "forward", "as_const"):
            return self._given(c)[0]
        if name == "scalar_type" and kind.kind is HostKind.DTYPE:
            return self._given(c)[0]  # what the dispatch macros ask for a type
        if name in MATHS and is_number(kind):
            return HostLibraryCall("std", name, self._given(c), kind)
        if name in LIBRARY and kind.kind in (
            HostKind.TENSOR, HostKind.OPTIONS, HostKind.SEQUENCE,
        ):  # fmt: skip
            return HostLibraryCall("torch", name, self._given(c), kind)
        raise refuse(c, f"library function {name}")


_NAMED = (HostKind.DTYPE, HostKind.DEVICE, HostKind.OPTIONAL, HostKind.OTHER)


def converted(e: HostExpr, kind: HostType, c: Cursor) -> HostExpr:
    """``e`` as another type: a node only where the value can change."""
    source = e.type
    if kind.kind is HostKind.BOOL and source.kind is HostKind.OPTIONAL:
        return HostMethod(e, "has_value", (), BOOL)
    if is_number(source) and is_number(kind):
        if isinstance(e, HostLiteral) and kind.kind is not HostKind.FLOAT:
            if isinstance(e.value, int) and _fits(e.value, kind):
                boolean = kind.kind is HostKind.BOOL
                return HostLiteral(bool(e.value) if boolean else int(e.value), kind)
        if isinstance(e, HostLiteral) and kind == HostType(HostKind.FLOAT, 64):
            if isinstance(e.value, int | float):
                return HostLiteral(float(e.value), kind)
        return e if keeps_value(source, kind) else HostConvert(e, kind)
    if isinstance(e, HostData) and kind.kind is HostKind.POINTER:
        return e
    if source.kind is kind.kind or HostKind.OTHER in (source.kind, kind.kind):
        return e
    if (source.kind, kind.kind) in _SAME_VALUE:
        return e
    if isinstance(e, HostLiteral) and e.value is None:
        return e
    raise refuse(c, f"conversion to {c.type.spelling}")


_SAME_VALUE = frozenset({
    (HostKind.TENSOR, HostKind.OPTIONAL), (HostKind.DTYPE, HostKind.OPTIONS),
    (HostKind.DEVICE, HostKind.OPTIONS), (HostKind.DEVICE, HostKind.OPTIONAL),
    (HostKind.INTEGER, HostKind.EXTENT), (HostKind.STREAM, HostKind.STREAM),
    (HostKind.INTEGER, HostKind.OPTIONAL), (HostKind.FLOAT, HostKind.OPTIONAL),
    (HostKind.POINTER, HostKind.BOOL),
})  # fmt: skip


def _fits(value: int, kind: HostType) -> bool:
    if kind.kind is HostKind.BOOL:
        return value in (0, 1)
    low = -(1 << (kind.bits - 1)) if kind.signed else 0
    return low <= value < (1 << (kind.bits - (1 if kind.signed else 0)))


def _is_default(c: Cursor) -> bool:
    """An argument that is not written: clang shows an empty node for it."""
    return c.form is Form.UNEXPOSED and not c.children


def _is_operator_name(c: Cursor, name: str) -> bool:
    target = c.referenced
    if c.form not in (Form.UNEXPOSED, Form.REF) or target is None:
        return False
    return target.name == name and c.type.form.name not in ("RECORD", "SCALAR")


def _dtype_name(target: Cursor, c: Cursor) -> str:
    if target.form is Form.ENUM_CONSTANT:
        return target.name
    for child in target.walk():
        if child.form is Form.REF and child.referenced is not None:
            if child.referenced.form is Form.ENUM_CONSTANT:
                return child.referenced.name
    raise refuse(c, f"scalar type {target.name}")


def text_of(c: Cursor) -> str:
    """A string literal's value; clang spells it with quotes and escapes."""
    spelled = c.name
    if not (spelled.startswith('"') and spelled.endswith('"')):
        raise refuse(c, "a string literal with a prefix")
    return spelled[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
