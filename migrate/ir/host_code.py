"""Host functions of PyTorch extensions: what they do with tensors, and the kernels they launch.

A small tree of its own, apart from the kernels' IR: host code works on tensors, shapes and
options, not on memory. Integers have C++'s width; floats are ``float`` or ``double``. Names are
the source's; library functions and methods go by PyTorch's own names (``torch::empty`` is
``empty``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from migrate.core.diagnostics import Diagnostic
from migrate.core.span import Span


class HostKind(Enum):
    """What kind of value host code holds, as far as a translation cares."""

    VOID = auto()
    BOOL = auto()
    INTEGER = auto()
    FLOAT = auto()
    TEXT = auto()
    TENSOR = auto()
    OPTIONAL = auto()
    SEQUENCE = auto()
    DTYPE = auto()
    OPTIONS = auto()
    DEVICE = auto()
    EXTENT = auto()
    POINTER = auto()
    STREAM = auto()
    GUARD = auto()
    CLOSURE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class HostType:
    """A kind; ``bits`` and ``signed`` matter for numbers only."""

    kind: HostKind
    bits: int = 0
    signed: bool = True


@dataclass(frozen=True, slots=True)
class HostLiteral:
    """A literal or folded constant; ``None`` is a null pointer, an undefined tensor or nothing."""

    value: bool | int | float | str | None
    type: HostType


@dataclass(frozen=True, slots=True)
class HostVariable:
    """A parameter or local variable."""

    name: str
    type: HostType


@dataclass(frozen=True, slots=True)
class HostConstant:
    """A constant of the file with its value."""

    name: str
    value: bool | int | float
    type: HostType


@dataclass(frozen=True, slots=True)
class HostUnary:
    """``-``, ``+``, ``!`` or ``~`` on a number or tensor."""

    op: str
    operand: HostExpr
    type: HostType


@dataclass(frozen=True, slots=True)
class HostBinary:
    """A C++ operator; operands of numbers have been converted to a common type."""

    op: str
    left: HostExpr
    right: HostExpr
    type: HostType


@dataclass(frozen=True, slots=True)
class HostSelect:
    """``condition ? yes : no``."""

    condition: HostExpr
    yes: HostExpr
    no: HostExpr
    type: HostType


@dataclass(frozen=True, slots=True)
class HostConvert:
    """A conversion between numbers that can change the value."""

    operand: HostExpr
    type: HostType


@dataclass(frozen=True, slots=True)
class HostMethod:
    """A method of a tensor, options, optional, shape or device."""

    object: HostExpr
    name: str
    args: tuple[HostExpr, ...]
    type: HostType


@dataclass(frozen=True, slots=True)
class HostLibraryCall:
    """A function of PyTorch (``namespace`` is ``torch``) or of the C++ library (``std``)."""

    namespace: str
    name: str
    args: tuple[HostExpr, ...]
    type: HostType


@dataclass(frozen=True, slots=True)
class HostCallOwn:
    """A call of another host function of the unit, by its key."""

    key: str
    name: str
    args: tuple[HostExpr, ...]
    type: HostType


@dataclass(frozen=True, slots=True)
class HostSequence:
    """A braced list, vector or tuple; ``fixed`` is a tuple."""

    items: tuple[HostExpr, ...]
    fixed: bool
    type: HostType


@dataclass(frozen=True, slots=True)
class HostIndex:
    """``object[index]`` of a tensor or sequence."""

    object: HostExpr
    index: HostExpr
    type: HostType


@dataclass(frozen=True, slots=True)
class HostData:
    """The memory of a tensor from element ``offset`` on, as a kernel's argument."""

    tensor: HostExpr
    offset: HostExpr | None
    type: HostType


@dataclass(frozen=True, slots=True)
class HostDtype:
    """A scalar type by PyTorch's C++ name (``Float``, ``BFloat16``)."""

    name: str
    type: HostType


HostExpr = (
    HostLiteral
    | HostVariable
    | HostConstant
    | HostUnary
    | HostBinary
    | HostSelect
    | HostConvert
    | HostMethod
    | HostLibraryCall
    | HostCallOwn
    | HostSequence
    | HostIndex
    | HostData
    | HostDtype
)


@dataclass(frozen=True, slots=True)
class HostAssign:
    """``name op= value``; ``op`` is empty for a plain assignment or declaration."""

    name: str
    op: str
    value: HostExpr


@dataclass(frozen=True, slots=True)
class HostEvaluate:
    """An expression for its effect."""

    value: HostExpr


@dataclass(frozen=True, slots=True)
class HostIf:
    """A condition with both branches."""

    condition: HostExpr
    then: tuple[HostStmt, ...]
    other: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostWhile:
    """A loop that tests first."""

    condition: HostExpr
    body: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostCount:
    """``for (name = first; name < end; name += step)`` whose body changes none of the four."""

    name: str
    first: HostExpr
    end: HostExpr
    step: int
    body: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostSwitch:
    """A switch each case of which leaves it; ``cases`` are labels and body."""

    value: HostExpr
    cases: tuple[tuple[tuple[HostExpr, ...], tuple[HostStmt, ...]], ...]
    default: tuple[HostStmt, ...] | None


@dataclass(frozen=True, slots=True)
class HostReturn:
    """Leave the function."""

    value: HostExpr | None


@dataclass(frozen=True, slots=True)
class HostJump:
    """``break`` or ``continue``."""

    is_break: bool


@dataclass(frozen=True, slots=True)
class HostCheck:
    """Fail with a message, made of texts and values, unless the condition holds (or always)."""

    condition: HostExpr | None
    message: tuple[HostExpr, ...]


@dataclass(frozen=True, slots=True)
class HostGuard:
    """The rest of the block runs on a device."""

    device: HostExpr
    body: tuple[HostStmt, ...]


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """A kernel's launch; grid and block have one to three extents, ``shared`` is in bytes."""

    kernel: str
    grid: HostExpr
    block: HostExpr
    shared: HostExpr | None
    args: tuple[HostExpr, ...]
    span: Span


HostStmt = (
    HostAssign
    | HostEvaluate
    | HostIf
    | HostWhile
    | HostCount
    | HostSwitch
    | HostReturn
    | HostJump
    | HostCheck
    | HostGuard
    | HostLaunch
)


@dataclass(frozen=True, slots=True)
class HostParam:
    """A parameter of a host function; ``default`` is there for a literal one."""

    name: str
    type: HostType
    default: HostExpr | None = None


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A host function of tensors. ``body`` is ``None`` where ``refused`` says why."""

    key: str
    name: str
    params: tuple[HostParam, ...]
    result: HostType
    body: tuple[HostStmt, ...] | None
    comment: str
    span: Span
    refused: Diagnostic | None = None


@dataclass(frozen=True, slots=True)
class PythonBinding:
    """``m.def(name, &function, doc, args...)`` of a ``PYBIND11_MODULE``.

    ``args`` are the names of parameters with their default, if any (``py::arg("x") = 1``).
    """

    name: str
    key: str
    doc: str
    args: tuple[tuple[str, HostExpr | None], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class OperatorBinding:
    """One ``m.def`` or ``m.impl`` of a ``TORCH_LIBRARY`` block.

    ``schema`` is set for ``def``; ``key`` names the function where one is bound; ``dispatch`` is
    the dispatch key of a ``TORCH_LIBRARY_IMPL`` block, else empty.
    """

    library: str
    name: str
    schema: str
    key: str
    dispatch: str
    span: Span


@dataclass(frozen=True, slots=True)
class Extension:
    """What a unit gives to Python."""

    functions: tuple[HostFunction, ...] = ()
    python: tuple[PythonBinding, ...] = ()
    operators: tuple[OperatorBinding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
