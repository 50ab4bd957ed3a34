"""The program model: what the front end found in the sources, for every later layer.

It lies in ``ir`` because front end and back ends are siblings and both speak it. Spans are byte
ranges of the file they name, so that edits are byte-exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from migrate.core.diagnostics import Diagnostic
from migrate.core.span import Span
from migrate.ir.host_code import Extension
from migrate.ir.kernel import Kernel, Module


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: the unit's main file or a project-local header it includes.

    ``path`` is as the user wrote it (or as the include resolved), ``relative`` is the path below
    the input root: where the migrated file goes in the output tree.
    """

    path: Path
    relative: Path
    text: bytes
    is_header: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of source text with its place; ``type`` is the canonical C++ type, if it has one."""

    text: str
    span: Span
    type: str = ""


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """One ``kernel<<<grid, block, shared, stream>>>(args)`` in host code.

    ``callee`` is the text before ``<<<`` (``ns::k<T, 4>``). ``kernels`` are the symbols of the
    instantiations that this site reaches (several in a host template; none when unknown).
    ``shared`` and ``stream`` are ``None`` when left out. ``macro`` names the macro whose body
    holds the site. ``function`` is the enclosing host function, ``dependent`` says that it is a
    template whose parameters the callee depends on.
    """

    span: Span
    callee: Piece
    kernels: tuple[str, ...]
    grid: Piece
    block: Piece
    shared: Piece | None
    stream: Piece | None
    args: tuple[Piece, ...]
    function: str = ""
    macro: str | None = None
    dependent: bool = False


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call of a CUDA host API function (``cudaMalloc``...) in host code.

    ``span`` is the whole call expression, ``callee`` the function's name as written (template
    arguments included). ``result_used`` is false for a call that is a statement of its own.
    """

    name: str
    span: Span
    callee: Piece
    args: tuple[Piece, ...]
    result_used: bool
    macro: str | None = None
    function: str = ""


@dataclass(frozen=True, slots=True)
class HostName:
    """A use of a CUDA name that is no call: a type (``cudaStream_t``), enumerator or macro."""

    name: str
    span: Span
    kind: str  # type, constant, macro, variable


@dataclass(frozen=True, slots=True)
class Include:
    """An ``#include`` line. ``resolved`` is set for project-local headers."""

    name: str
    angled: bool
    span: Span
    resolved: Path | None = None


class DefinitionKind(Enum):
    """What a device definition in the source is."""

    KERNEL = "kernel"
    FUNCTION = "function"
    VARIABLE = "variable"
    STRUCT = "struct"


@dataclass(frozen=True, slots=True)
class Definition:
    """A device-side definition or declaration in the source text.

    ``span`` runs from the template head (or first specifier) to the closing brace or semicolon;
    ``comment`` is the comment block directly above, if any (outside ``span``). ``symbols`` are the
    IR symbols made from it: one a template instantiation. ``host_too`` marks
    ``__host__ __device__`` functions and structs that host code uses as well. ``prototype`` marks a
    declaration without a body. ``template_params`` are the names in the template head.
    """

    kind: DefinitionKind
    name: str
    qualified: str
    span: Span
    symbols: tuple[str, ...]
    comment: Span | None = None
    template_params: tuple[str, ...] = ()
    template_head: str = ""
    signature: str = ""
    host_too: bool = False
    prototype: bool = False


@dataclass(frozen=True, slots=True)
class UnreadKernel:
    """A kernel that has no IR, with the reason."""

    name: str
    span: Span
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """One translation unit as the front end saw it.

    ``skipped`` is the text of its files that the preprocessor left out, from the directive that
    begins a branch to the one that ends it. A file that is included again counts as read whole.
    """

    main: SourceFile
    headers: tuple[SourceFile, ...]
    module: Module
    launches: tuple[LaunchSite, ...] = ()
    calls: tuple[HostCall, ...] = ()
    names: tuple[HostName, ...] = ()
    includes: tuple[Include, ...] = ()
    definitions: tuple[Definition, ...] = ()
    unread: tuple[UnreadKernel, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    extension: Extension = field(default_factory=Extension)
    skipped: tuple[Span, ...] = ()

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The main file first, then its local headers."""
        return (self.main, *self.headers)


@dataclass(frozen=True, slots=True)
class Program:
    """Translation units that are converted together; usually one linked program."""

    units: tuple[SourceUnit, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=())

    @property
    def kernels(self) -> tuple[tuple[SourceUnit, Kernel], ...]:
        """Every kernel with its unit; a kernel in a shared header stands once per unit."""
        return tuple((u, k) for u in self.units for k in u.module.kernels)
