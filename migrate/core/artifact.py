"""What a back end gives: files, where each generated line came from, how to launch each kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from migrate.core.diagnostics import Diagnostic
from migrate.core.rung import Rung
from migrate.core.span import Span


@dataclass(frozen=True, slots=True)
class AppliedEdit:
    """One edit of an input file: ``span`` of the original became ``length`` bytes of the output.

    An insertion has an empty span. Bytes outside of all spans are in the output as they were.
    """

    span: Span
    length: int


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """A file of the output tree; ``path`` is relative to the output directory.

    ``origin`` is the input file it was made from, if it stands for one; ``edits`` are those that
    made it from that file, in its order, for a file that is an edited copy.
    """

    path: PurePosixPath
    content: bytes
    origin: str | None = None
    edits: tuple[AppliedEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One entry of the source map: generated ``line`` (1-based) came from ``span``."""

    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class EmittedKernel:
    """A kernel in the output.

    ``symbol`` and ``mangled`` identify the IR kernel; ``entry`` is what a caller names to launch it
    (a Python function, or a C++ expression such as ``launch_gelu<float>``). ``text`` is the
    generated kernel alone, as the report shows it beside the original.
    """

    symbol: str
    name: str
    mangled: str
    rung: Rung
    entry: str
    file: PurePosixPath
    first_line: int
    last_line: int
    text: str
    origin: Span
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedKernel:
    """A kernel that is not in the output; the diagnostics say why (at least one)."""

    symbol: str
    name: str
    mangled: str
    origin: Span
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """Everything generated for one program and one target.

    ``variables`` are device variables in namespaces, with the C++ expression that names each.
    """

    target: str
    files: tuple[GeneratedFile, ...]
    kernels: tuple[EmittedKernel, ...]
    refused: tuple[RefusedKernel, ...] = ()
    line_map: tuple[tuple[PurePosixPath, tuple[SourceLine, ...]], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
