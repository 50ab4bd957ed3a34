"""Source units to TileLang modules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from migrate import __version__
from migrate.backends.tilelang.block_text import BlockKernelWriter
from migrate.backends.tilelang.bridge import BridgedKernel, bridge_files
from migrate.backends.tilelang.extension_text import Launcher, exported_names, write_extension
from migrate.backends.tilelang.kernel_text import (
    KernelModule,
    KernelWriter,
    scalar_annotation,
    struct_name,
)
from migrate.backends.tilelang.lane_text import LaneKernelWriter
from migrate.backends.tilelang.matrix_text import MatrixKernelWriter
from migrate.backends.tilelang.names import PythonNames
from migrate.backends.tilelang.signature import Given
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.artifact import (
    Artifact,
    EmittedKernel,
    GeneratedFile,
    RefusedKernel,
    SourceLine,
)
from migrate.core.diagnostics import Diagnostic
from migrate.core.options import Options
from migrate.core.resources import data_dir
from migrate.core.rung import Rung
from migrate.core.targets import Target
from migrate.ir.kernel import Kernel
from migrate.ir.lifted import Lifted
from migrate.ir.program import SourceUnit
from migrate.rules.catalogue import Catalogue, load_catalogue

_HELPERS = {
    "Launch", "flat", "words", "int32", "int64", "target_of", "build", "Dim", "Any",
    "PASS_CONFIGS", "SIGNATURES", "as_uint32", "as_uint64", "bfloat16_value", "bfloat16_bits",
    "round_to_bfloat16", "LoopTiles", "language", "_levels", "_larger", "_smaller",
}  # fmt: skip


def emit_tilelang(
    unit: SourceUnit,
    lifted: tuple[Lifted, ...],
    options: Options,
    catalogue: Catalogue | None = None,
    *,
    bridged: bool = False,
) -> Artifact:
    """The Python module for one source file: kernels, wrappers, and a registry of signatures.

    ``bridged`` adds what lets the C++ host program launch the kernels (:mod:`.bridge`).
    """
    if catalogue is None:
        catalogue = load_catalogue(options.rules_dirs)
    path = PurePosixPath(unit.main.relative.with_suffix(".py").as_posix())
    return _ModuleWriter(unit, path, catalogue, bridged).write(lifted)


def emit_host_code(unit: SourceUnit) -> Artifact:
    """A source file that launches kernels of other files and has none."""
    path = PurePosixPath(unit.main.relative.with_suffix(".py").as_posix())
    return Artifact(Target.TILELANG.value, bridge_files(unit, path, ()), ())


class _ModuleWriter:
    def __init__(
        self, unit: SourceUnit, path: PurePosixPath, catalogue: Catalogue, bridged: bool
    ) -> None:
        self._unit = unit
        self._bridged = bridged
        self._path = path
        self._catalogue = catalogue
        self._entries = PythonNames(_HELPERS)
        for name in exported_names(unit.extension):
            self._entries.fresh(name)
        self._made: list[tuple[Lifted, KernelModule]] = []
        self._refused: list[tuple[Lifted, tuple[Diagnostic, ...]]] = []
        self._stub_names: dict[str, str] = {}

    def write(self, lifted: tuple[Lifted, ...]) -> Artifact:
        for item in lifted:
            self._kernel(item)
        lines = list(self._head())
        lines += self._structs()
        lines += _template("runtime.py")
        if any(item.rung is Rung.TILE and item.lanes is not None for item, _ in self._made):
            lines += _template("tile.py")
        lines += self._helpers()
        emitted, source_map = self._kernels(lines)
        lines += self._stubs()
        lines += self._registry()
        diagnostics = self._host(lines)
        content = ("\n".join(lines).rstrip() + "\n").encode()
        origin = str(self._unit.main.path)
        return Artifact(
            target=Target.TILELANG.value,
            files=(GeneratedFile(self._path, content, origin), *self._bridge()),
            kernels=tuple(emitted),
            refused=tuple(
                RefusedKernel(
                    x.source.symbol, x.source.name, x.source.mangled, x.source.span, found
                )
                for x, found in self._refused
            ),
            line_map=((self._path, tuple(source_map)),),
            diagnostics=diagnostics,
        )

    def _bridge(self) -> tuple[GeneratedFile, ...]:
        if not self._bridged:
            return ()
        kernels = tuple(BridgedKernel(item.source, made.bridge) for item, made in self._made)
        return bridge_files(self._unit, self._path, kernels)

    def _kernel(self, item: Lifted) -> None:
        if item.body is None:
            self._refused.append((item, item.diagnostics))
            return
        entry = self._entries.fresh(item.source.symbol)
        try:
            writer = self._writer(item, item.body, entry)
            self._made.append((item, writer.write()))
        except Unspellable as failed:
            found = failed.diagnostic
            named = Diagnostic(
                found.code,
                found.outcome,
                found.cause,
                found.span,
                kernel=item.source.symbol,
                target=Target.TILELANG.value,
            )
            self._refused.append((item, (*item.diagnostics, named)))

    def _writer(self, item: Lifted, body: Kernel, entry: str) -> KernelWriter:
        if item.matrices is not None:
            return MatrixKernelWriter(item, item.matrices, self._catalogue, entry)
        if item.lanes is None:
            return KernelWriter(item, body, self._catalogue, entry)
        if item.rung is Rung.TILE:
            return BlockKernelWriter(item, item.lanes, self._catalogue, entry)
        return LaneKernelWriter(item, item.lanes, self._catalogue, entry)

    # --- parts of the module

    def _head(self) -> Iterator[str]:
        name = self._unit.main.relative.name
        yield f'"""TileLang kernels of {name}, made by cudamigrate {__version__}.'
        yield ""
        yield "Each function launches one CUDA kernel on torch tensors, in place, with CUDA's grid"
        yield "and block. Kernels:"
        yield ""
        for item, made in self._made:
            yield f"* ``{made.entry}``: {item.rung.value} rung"
            for d in item.diagnostics:
                yield f"  ({d.code.id}: {d.cause})"
        for item, found in self._refused:
            yield f"* ``{item.source.symbol}``: refused"
            for d in found:
                yield f"  ({d.code.id}: {d.cause})"
        yield '"""'
        yield ""
        if self._unit.extension.functions:
            yield "import contextlib"
        yield "import functools"
        if self._unit.extension.functions:
            yield "import math"
        yield "from typing import Any, NamedTuple, Union"
        yield ""
        yield "import tilelang"
        yield "import tilelang.language as T"
        yield "import torch"
        yield ""
        yield "Dim = Union[int, tuple[int, ...]]"
        yield ""

    def _structs(self) -> list[str]:
        seen: dict[str, Given] = {}
        for _, made in self._made:
            for g in made.structs:
                seen.setdefault(struct_name(g.type), g)
        lines: list[str] = []
        for name, g in seen.items():
            lines += [
                "",
                f"class {name}(NamedTuple):",
                f'    """``{g.type}``, passed by value."""',
                "",
            ]
            for p in g.pieces:
                lines.append(f"    {p.member}: {scalar_annotation(p.type)}")
            lines.append("")
        return lines

    def _helpers(self) -> list[str]:
        lines: list[str] = []
        if any(made.uses_bfloat16 for _, made in self._made):
            lines += _template("bfloat16.py")
        seen: set[str] = set()
        for _, made in self._made:
            for prelude in made.preludes:
                if prelude.name not in seen:
                    seen.add(prelude.name)
                    lines += ["", *prelude.text.rstrip().splitlines(), ""]
        return lines

    def _kernels(self, lines: list[str]) -> tuple[list[EmittedKernel], list[SourceLine]]:
        emitted: list[EmittedKernel] = []
        source_map: list[SourceLine] = []
        for item, made in self._made:
            lines += ["", ""]
            first = len(lines) + 1
            text = (*made.factory, "", "", *made.wrapper)
            source_map += [SourceLine(m.line + first - 1, m.span) for m in made.map]
            lines += text
            emitted.append(
                EmittedKernel(
                    symbol=item.source.symbol,
                    name=item.source.name,
                    mangled=item.source.mangled,
                    rung=item.rung,
                    entry=made.entry,
                    file=self._path,
                    first_line=first,
                    last_line=len(lines),
                    text="\n".join(text) + "\n",
                    origin=item.source.span,
                    diagnostics=item.diagnostics,
                )
            )
        return emitted, source_map

    def _stubs(self) -> list[str]:
        """A refused kernel fails loudly where it is called."""
        lines: list[str] = []
        for item, found in self._refused:
            entry = self._entries.fresh(item.source.symbol)
            self._stub_names[item.source.symbol] = entry
            last = found[-1]
            lines += [
                "",
                "",
                f"def {entry}(*args: Any, **kwargs: Any) -> None:",
                f'    """CUDA kernel ``{item.source.name}``, not migrated."""',
                f"    # {last.code.id}: {last.code.title}",
                f"    raise NotImplementedError({last.one_line()!r})",
            ]
        return lines

    def _host(self, lines: list[str]) -> tuple[Diagnostic, ...]:
        """The host functions of a PyTorch extension, under the names that it gave to Python."""
        extension = self._unit.extension
        if not extension.functions:
            return extension.diagnostics
        launchers = {s: Launcher(entry, False, True) for s, entry in self._stub_names.items()}
        for item, made in self._made:
            launchers[item.source.symbol] = Launcher(made.entry, made.takes_shared, made.plain)
        written = write_extension(extension, launchers, self._entries)
        lines += ["", *_template("extension.py"), *written.lines]
        return written.diagnostics

    def _registry(self) -> list[str]:
        lines = [
            "",
            "",
            "# The CUDA parameters that each launcher takes, with the byte offsets of members.",
            "SIGNATURES: dict[str, tuple[Any, ...]] = {",
        ]
        for _, made in self._made:
            lines += made.signature.splitlines()
        return [*lines, "}"]


def _template(name: str) -> list[str]:
    path = data_dir("templates") / "tilelang" / name
    return ["", *path.read_text(encoding="utf-8").splitlines(), ""]
