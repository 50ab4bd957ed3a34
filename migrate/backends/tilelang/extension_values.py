"""Values of host code in Python: integers, tensors and options with C++'s meaning.

Integers are Python's, so a conversion that can change a value is written out (``int32(x)``), and a
quotient is ``//`` only where both operands are known not to be negative. Sizes of tensors need no
conversion: ``flat`` refuses a tensor of 2**31 elements before a kernel sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from migrate.backends.tilelang.extension_names import BOUNDED, COMPARED, DTYPES, MATHS, METHODS
from migrate.backends.tilelang.precedence import (
    AND,
    ATOM,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARE,
    NOT,
    OR,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    Part,
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

_SELECT = -1
_LEAST: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b if a >= 0 and b >= 0 else None,
    "/": lambda a, b: 0 if a >= 0 and b >= 0 else None,
    "%": lambda a, b: 0 if a >= 0 and b >= 0 else None,
    "&": lambda a, b: 0 if a >= 0 and b >= 0 else None,
    ">>": lambda a, b: 0 if a >= 0 and b >= 0 else None,
}
_PYTHON: dict[str, tuple[str, int]] = {
    "||": ("or", OR), "&&": ("and", AND), "|": ("|", BIT_OR), "^": ("^", BIT_XOR),
    "&": ("&", BIT_AND), "<<": ("<<", SHIFT), ">>": (">>", SHIFT), "+": ("+", SUM), "-": ("-", SUM),
    "*": ("*", PRODUCT), "/": ("/", PRODUCT), "%": ("%", PRODUCT), "==": ("==", COMPARE),
    "!=": ("!=", COMPARE), "<": ("<", COMPARE), "<=": ("<=", COMPARE), ">": (">", COMPARE),
    ">=": (">=", COMPARE),
}  # fmt: skip


class NoPython(Exception):
    """A value or statement has no translation; the text is the cause."""


@dataclass(slots=True)
class ValueWriter:
    """Spells one function's expressions.

    ``own`` maps keys of host functions to Python names, ``constants`` the file's constants.
    ``values`` are variables that stand for an expression, ``lower`` bounds of variables, and
    ``small`` variables from 0 to 2**31 - 1.
    """

    own: dict[str, str]
    constants: dict[str, HostConstant]
    values: dict[str, HostExpr] = field(default_factory=dict)
    lower: dict[str, int] = field(default_factory=dict)
    small: set[str] = field(default_factory=set)

    def text(self, e: HostExpr, least: int = _SELECT) -> str:
        """Python for a value, in parentheses where it binds less tightly than ``least``."""
        text, level = self._part(e)
        return text if level >= least else f"({text})"

    def _part(self, e: HostExpr) -> Part:
        match e:
            case HostLiteral(value, _):
                if isinstance(value, str) and e.type.kind is HostKind.DEVICE:
                    return ("accelerator()" if value == "cuda" else repr(value)), ATOM
                negative = isinstance(value, int | float) and value < 0
                return repr(value), UNARY if negative else ATOM
            case HostVariable(name, _):
                if name in self.values:
                    return self._part(self.values[name])
                return name, ATOM
            case HostConstant(name, _, _):
                self.constants[name] = e
                return name, ATOM
            case HostUnary(op, operand, _):
                if op == "!":
                    return f"not {self.text(operand, NOT)}", NOT
                return f"{op}{self.text(operand, UNARY)}", UNARY
            case HostBinary():
                return self._binary(e)
            case HostSelect(condition, yes, no, _):
                parts = (self.text(x, OR) for x in (yes, condition, no))
                return "{} if {} else {}".format(*parts), _SELECT
            case HostConvert():
                return self._convert(e)
            case HostMethod():
                return self._method(e)
            case HostLibraryCall():
                return self._library(e)
            case HostCallOwn(key, _, args, _):
                return f"{self.own[key]}({', '.join(self.text(a) for a in args)})", ATOM
            case HostSequence(items, fixed, kind):
                if kind.kind is HostKind.EXTENT:
                    items = tuple(without_conversion(x) for x in items)
                inner = ", ".join(self.text(x) for x in items)
                if fixed:
                    return f"({inner}{',' if len(items) == 1 else ''})", ATOM
                return f"[{inner}]", ATOM
            case HostIndex(owner, index, _):
                return f"{self.text(owner, ATOM)}[{self.text(index)}]", ATOM
            case HostData(tensor, offset, _):
                if offset is None:
                    return self._part(tensor)
                return f"memory({self.text(tensor)}, {self.text(offset)})", ATOM
            case HostDtype(name, _):
                if name not in DTYPES:
                    raise NoPython(f"scalar type {name}")
                return f"torch.{DTYPES[name]}", ATOM

    # --- numbers

    def _binary(self, e: HostBinary) -> Part:
        a, b = e.left, e.right
        if e.op in ("==", "!="):
            compared = self._compared(e)
            if compared is not None:
                return compared
        word, level = _PYTHON[e.op]
        if e.type.kind is HostKind.INTEGER and e.op in ("/", "%"):
            return self._quotient(e)
        left = self.text(a, COMPARE + 1 if level == COMPARE else level)
        right = self.text(b, level + 1)
        part = (f"{left} {word} {right}", level)
        if e.type == HostType(HostKind.FLOAT, 32):
            return f"float32({part[0]})", ATOM
        if e.type.kind is HostKind.INTEGER and not e.type.signed and e.op in ("+", "-", "*", "<<"):
            if not (self.never_negative(e) and e.op in ("+", "-")):
                return f"({part[0]}) % {1 << e.type.bits}", PRODUCT
        return part

    def _compared(self, e: HostBinary) -> Part | None:
        """Equality of what Python compares otherwise."""
        negated = "not " if e.op == "!=" else ""
        a, b = e.left, e.right
        for device, other in ((a, b), (b, a)):
            if isinstance(other, HostLiteral) and other.type.kind is HostKind.DEVICE:
                if other.value == "cuda":
                    text = f"{negated}on_device({self.text(device)})"
                    return text, NOT if negated else ATOM
                raise NoPython(f"comparison with the device {other.value}")
        if a.type.kind is HostKind.SEQUENCE and not (_is_shape(a) and _is_shape(b)):
            return f"tuple({self.text(a)}) {e.op} tuple({self.text(b)})", COMPARE
        return None

    def _quotient(self, e: HostBinary) -> Part:
        if self.never_negative(e.left) and self.never_negative(e.right):
            op = "//" if e.op == "/" else "%"
            return f"{self.text(e.left, PRODUCT)} {op} {self.text(e.right, PRODUCT + 1)}", PRODUCT
        name = "truncdiv" if e.op == "/" else "truncmod"
        return f"{name}({self.text(e.left)}, {self.text(e.right)})", ATOM

    def _convert(self, e: HostConvert) -> Part:
        inner, source = e.operand, e.operand.type
        text = self.text(inner)
        match e.type.kind:
            case HostKind.BOOL:
                return f"bool({text})", ATOM
            case HostKind.FLOAT:
                return (f"float32({text})" if e.type.bits == 32 else f"float({text})"), ATOM
        if source.kind is HostKind.FLOAT:
            text = f"int({text})"
        elif self.is_small(inner) and e.type.bits >= 32:
            return self._part(inner)
        elif source.bits <= e.type.bits and self.never_negative(inner):
            if source.bits < e.type.bits or e.type.signed is False:
                return self._part(inner)
        if e.type.signed:
            return (f"int{e.type.bits}({text})", ATOM) if e.type.bits in (32, 64) else _narrow(e)
        return f"{text if text.startswith('int(') else f'({text})'} % {1 << e.type.bits}", PRODUCT

    def never_negative(self, e: HostExpr) -> bool:
        """Whether an integer is known not to be negative."""
        least = self.least(e)
        return least is not None and least >= 0

    def least(self, e: HostExpr) -> int | None:
        """A lower bound of an integer, by interval arithmetic on sizes and constants."""
        match e:
            case HostLiteral(value, _) | HostConstant(_, value, _):
                return value if isinstance(value, int) else None
            case HostVariable(name, kind):
                if name in self.values:
                    return self.least(self.values[name])
                unsigned = kind.kind is HostKind.INTEGER and not kind.signed
                return self.lower.get(name, 0 if unsigned else None)
            case HostMethod(_, name, _, _):
                return 0 if name in BOUNDED else None
            case HostBinary("-", a, b, _):
                taken, of = _constant(b), self.least(a)
                return None if taken is None or of is None else of - taken
            case HostBinary(op, a, b, _) if op in _LEAST:
                bounds = (self.least(a), self.least(b))
                return None if None in bounds else _LEAST[op](*(x or 0 for x in bounds))
            case HostSelect(_, a, b, _):
                return self._least_of(min, (a, b))
            case HostLibraryCall("std", "min", args, _):
                return self._least_of(min, args)
            case HostLibraryCall("std", "max", args, _):
                known = [x for x in map(self.least, args) if x is not None]
                return max(known, default=None)
            case HostConvert(inner, kind) if kind.kind is HostKind.INTEGER:
                if not kind.signed:
                    return 0
                return self.least(inner) if self.is_small(inner) else None
            case _:
                return None

    def _least_of(
        self, choose: Callable[[Iterable[int]], int], args: tuple[HostExpr, ...]
    ) -> int | None:
        known = [x for x in map(self.least, args) if x is not None]
        return choose(known) if len(known) == len(args) else None

    def is_small(self, e: HostExpr) -> bool:
        """Whether an integer is known to be from 0 to 2**31 - 1, as sizes are."""
        match e:
            case HostLiteral(value, _) | HostConstant(_, value, _):
                return isinstance(value, int) and 0 <= value < 2**31
            case HostVariable(name, _):
                return name in self.small
            case HostMethod(_, name, _, _):
                return name in BOUNDED
            case HostBinary("/" | "%", a, b, _):
                return self.is_small(a) and self.never_negative(b)
            case HostSelect(_, a, b, _):
                return self.is_small(a) and self.is_small(b)
            case HostLibraryCall("std", "min" | "max", args, _):
                return all(self.is_small(x) for x in args)
            case HostConvert(inner, kind):
                return kind.kind is HostKind.INTEGER and kind.bits >= 32 and self.is_small(inner)
            case _:
                return False

    # --- tensors

    def _method(self, e: HostMethod) -> Part:
        kind = e.object.type.kind
        if kind is HostKind.OPTIONS or e.name == "options":
            return self._options_dictionary(e), ATOM
        pattern = METHODS.get((kind, e.name))
        args = [self.text(a) for a in e.args]
        if pattern is None:
            return f"{self.text(e.object, ATOM)}.{e.name}({', '.join(args)})", ATOM
        inside = pattern.startswith(("on_device", "len(", "list(", "tuple(", "not on_device"))
        text = pattern.format(self.text(e.object, _SELECT if inside else ATOM), *args)
        if pattern == "{0}":
            return self._part(e.object)
        return text, (NOT if text.startswith("not ") else COMPARE) if (
            kind, e.name,
        ) in COMPARED else ATOM  # fmt: skip

    def _library(self, e: HostLibraryCall) -> Part:
        if e.namespace == "std":
            return self._maths(e), ATOM
        if e.type.kind is HostKind.OPTIONS:
            return self._options_dictionary(e), ATOM
        args: list[str] = []
        for a in e.args:
            match a.type.kind:
                case HostKind.OPTIONS:
                    args += self._options(a)
                case HostKind.DTYPE:
                    args.append(f"dtype={self.text(a)}")
                case HostKind.DEVICE:
                    args.append(f"device={self.text(a)}")
                case _:
                    args.append(self.text(a))
        return f"torch.{e.name}({', '.join(args)})", ATOM

    def _maths(self, e: HostLibraryCall) -> str:
        args = [self.text(a) for a in e.args]
        if e.name == "ceil_div":
            a, b = e.args
            return f"({self._quotient(HostBinary('/', _plus(a, b), b, e.type))[0]})"
        text = f"{MATHS.get(e.name, e.name)}({', '.join(args)})"
        if e.name in ("ceil", "floor"):
            return f"float({text})"
        return f"float32({text})" if e.type == HostType(HostKind.FLOAT, 32) else text

    def _options(self, e: HostExpr) -> list[str]:
        """Tensor options as keyword arguments."""
        found = self._option_values(e)
        return [f"**{v}" if not k else f"{k}={v}" for k, v in found]

    def _options_dictionary(self, e: HostExpr) -> str:
        parts = [f"**{v}" if not k else f'"{k}": {v}' for k, v in self._option_values(e)]
        return f"{{{', '.join(parts)}}}"

    def _option_values(self, e: HostExpr) -> list[tuple[str, str]]:
        """Options in order, a later value replacing an earlier one; a variable's have no name."""
        match e:
            case HostMethod(tensor, "options", (), _):
                owner = self.text(tensor, ATOM)
                return [("dtype", f"{owner}.dtype"), ("device", f"{owner}.device")]
            case HostMethod(base, name, args, _) if len(args) == 1:
                known = [(k, v) for k, v in self._option_values(base) if k != name]
                if any(not k for k, _ in known):
                    return [("", f"{{{self._merged(known, name, args[0])}}}")]
                return [*known, (name, self.text(args[0]))]
            case HostLibraryCall(_, "TensorOptions", (), _):
                return []
            case HostLibraryCall(_, name, (value,), _):
                return [(name, self.text(value))]
            case HostVariable():
                return [("", self.text(e))]
            case HostDtype():
                return [("dtype", self.text(e))]
            case HostLiteral(_, kind) if kind.kind is HostKind.DEVICE:
                return [("device", self.text(e))]
            case _:
                raise NoPython("tensor options in this form")

    def _merged(self, known: list[tuple[str, str]], name: str, value: HostExpr) -> str:
        parts = [f"**{v}" if not k else f'"{k}": {v}' for k, v in known]
        return ", ".join([*parts, f'"{name}": {self.text(value)}'])


def _plus(a: HostExpr, b: HostExpr) -> HostExpr:
    one = HostLiteral(1, b.type)
    return HostBinary("-", HostBinary("+", a, b, a.type), one, a.type)


def _narrow(e: HostConvert) -> Part:
    raise NoPython(f"a conversion to {e.type.bits} bits")


def _is_shape(e: HostExpr) -> bool:
    return isinstance(e, HostMethod) and e.name == "sizes"


def _constant(e: HostExpr) -> int | None:
    if isinstance(e, HostLiteral | HostConstant) and isinstance(e.value, int):
        return int(e.value)
    return None


def without_conversion(e: HostExpr) -> HostExpr:
    """An extent as it is before it becomes unsigned; a negative one is an error in CUDA too."""
    return e.operand if isinstance(e, HostConvert) else e
