"""Which buffers the pointers of a kernel can point into, over all their definitions."""

from __future__ import annotations

from migrate.ir.expr import (
    AddressOf,
    ArrElem,
    Bitcast,
    Cast,
    Expr,
    NullPtr,
    PtrAdd,
    PtrElem,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.kernel import Kernel
from migrate.ir.simt import Assign, Declare
from migrate.ir.types import Pointer
from migrate.ir.walk import root, walk_stmts


def base_key(base: Expr) -> str:
    """The name of a buffer: a parameter's, ``&`` and a variable's; ``?`` for what has none."""
    match base:
        case Read(VarPlace(name)):
            return name
        case AddressOf(VarPlace(name)) | AddressOf(ArrElem(VarPlace(name), _)):
            return f"&{name}"
        case Cast(operand) | Bitcast(operand):
            return base_key(operand)
        case PtrAdd(pointer, _):
            return base_key(pointer)
        case _:
            return f"?{id(base)}"


def starts_buffer(base: Expr) -> bool:
    """Whether a base is the start of a buffer, casts aside."""
    match base:
        case Cast(operand) | Bitcast(operand):
            return starts_buffer(operand)
        case PtrAdd():
            return False
        case AddressOf(place):
            return not isinstance(root(place), PtrElem)
        case _:
            return True


def same_start(a: Expr, b: Expr) -> bool:
    """Whether offsets from two bases can be told from each other: both are starts of one buffer, or
    one and the same place in it."""
    if base_key(a) != base_key(b):
        return False
    return (starts_buffer(a) and starts_buffer(b)) or _without_casts(a) == _without_casts(b)


def _without_casts(e: Expr) -> Expr:
    while isinstance(e, Cast | Bitcast):
        e = e.operand
    return e


class PointerSources:
    """The definitions of a kernel's pointer variables, and the buffers that they come to."""

    def __init__(self, kernel: Kernel) -> None:
        self._params = {p.name for p in kernel.params}
        self.definitions: dict[str, list[Expr]] = {}
        self.types: dict[str, Pointer] = {}
        for s in walk_stmts(kernel.body):
            match s:
                case Declare(name, Pointer() as kind, init):
                    self.types[name] = kind
                    self.definitions[name] = [] if init is None else [init]
                case Assign(VarPlace(name), value) if isinstance(value.type, Pointer):
                    if name in self._params and name not in self.definitions:
                        self._own_param(name, value.type)
                    self.definitions[name].append(value)
                case _:
                    pass

    def _own_param(self, name: str, kind: Pointer) -> None:
        """A parameter that walks: its own first value is one of its definitions."""
        self.types[name] = kind
        self.definitions[name] = [Read(VarPlace(name, kind))]

    def bases(self, e: Expr, seen: frozenset[str] = frozenset()) -> tuple[Expr, ...]:
        """All buffers that a pointer expression can point into, as base expressions."""
        match e:
            case Read(VarPlace(name)) if name in self.definitions:
                definitions = self.definitions[name]
                own = name in self._params
                found: list[Expr] = [e] if own else []
                if name in seen:
                    return tuple(found)
                for d in definitions[1:] if own else definitions:
                    found += self.bases(d, seen | {name})
                return tuple(found)
            case PtrAdd(pointer, _) | Cast(pointer) | Bitcast(pointer):
                return self.bases(pointer, seen)
            case Select(_, then, other):
                return (*self.bases(then, seen), *self.bases(other, seen))
            case AddressOf(place) if isinstance(inner := root(place), PtrElem):
                return self.bases(inner.pointer, seen)
            case NullPtr():
                return ()
            case _:
                return (e,)

    def keys(self, e: Expr) -> tuple[str, ...]:
        """The names of those buffers, each once."""
        return tuple(dict.fromkeys(base_key(b) for b in self.bases(e)))

    def can_be_null(self, e: Expr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a null pointer is among the definitions."""
        match e:
            case NullPtr():
                return True
            case Read(VarPlace(name)) if name in self.definitions and name not in seen:
                return any(self.can_be_null(d, seen | {name}) for d in self.definitions[name])
            case PtrAdd(pointer, _) | Cast(pointer) | Bitcast(pointer):
                return self.can_be_null(pointer, seen)
            case Select(_, then, other):
                return self.can_be_null(then, seen) or self.can_be_null(other, seen)
            case _:
                return False
