"""Kernels, device functions and modules."""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.ir.node import Node
from migrate.ir.simt import Stmt
from migrate.ir.types import VOID, Space, Type


@dataclass(frozen=True, slots=True)
class Field:
    """A struct member at a byte ``offset``."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True, slots=True)
class StructDef(Node):
    """A struct's layout in bytes (Itanium ABI). Unions have all offsets 0 and ``union`` set."""

    name: str
    fields: tuple[Field, ...]
    size: int
    align: int
    union: bool = False


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A parameter; references of device functions are pointers."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class TemplateArg:
    """One template argument of an instantiation, as canonical C++ text (``T`` = ``float``)."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A ``__device__`` function instantiation. ``symbol`` is unique in the module.

    ``pure`` says that it writes no memory and has no effect; only such functions are called by
    ``Invoke``. ``comment`` is the comment above the definition.
    """

    symbol: str
    name: str
    params: tuple[Param, ...]
    result: Type
    body: tuple[Stmt, ...]
    pure: bool
    mangled: str = ""
    template_args: tuple[TemplateArg, ...] = ()
    comment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Kernel(Node):
    """A ``__global__`` function instantiation.

    ``name`` is the unqualified source name, ``symbol`` an identifier unique in the module
    (``bias_gelu_float``), ``qualified`` the name with namespaces, ``mangled`` the Itanium name that
    capture files carry. ``max_threads`` is ``__launch_bounds__``'s first argument (0: none).
    """

    symbol: str
    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    mangled: str = ""
    qualified: str = ""
    template_args: tuple[TemplateArg, ...] = ()
    max_threads: int = 0
    comment: str = field(default="", compare=False)

    @property
    def result(self) -> Type:
        """Kernels return nothing."""
        return VOID


@dataclass(frozen=True, slots=True)
class GlobalVar(Node):
    """A ``__constant__`` or ``__device__`` variable; ``init`` is its initialiser's bytes."""

    name: str
    type: Type
    space: Space
    init: bytes | None = None


@dataclass(frozen=True, slots=True)
class Module(Node):
    """What one source unit holds for the device."""

    name: str
    structs: tuple[StructDef, ...] = ()
    globals: tuple[GlobalVar, ...] = ()
    functions: tuple[Function, ...] = ()
    kernels: tuple[Kernel, ...] = ()

    def function(self, symbol: str) -> Function:
        """The function of that symbol; ``KeyError`` when there is none."""
        for item in self.functions:
            if item.symbol == symbol:
                return item
        raise KeyError(symbol)

    def struct(self, name: str) -> StructDef:
        """The struct of that name; ``KeyError`` when there is none."""
        for item in self.structs:
            if item.name == name:
                return item
        raise KeyError(name)
