"""The ahead-of-time bridge: a C++ host program whose launches run compiled TileLang kernels.

Beside the module of a unit stand ``NAME_kernels.h``, with one inline function a kernel, and the
unit's own files as they were but for two things::

    axpy<<<grid, block>>>(n, a, x, y);      cudamigrate::launch(axpy, grid, block)(n, a, x, y);

and, at the end of the main file, the table that says which function stands for which kernel:
there every type and every kernel of the file is declared, whatever namespace it is in.
``cudamigrate::launch`` takes the kernel's own type, so arguments are converted as in CUDA's call.
The kernels stay in the source for their names and types; none of them runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from migrate import __version__
from migrate.backends.ascendc.host_scan import FoundLaunch, launches, outside, stretches
from migrate.backends.tilelang.bridge_call import (
    BridgeCall,
    BridgeFunction,
    function_text,
    variable_key,
)
from migrate.core.artifact import AppliedEdit, GeneratedFile
from migrate.core.cpp_text import newline_of
from migrate.core.edits import Edit, apply_edits
from migrate.core.resources import data_dir
from migrate.core.span import span_of
from migrate.ir.kernel import Kernel
from migrate.ir.program import DefinitionKind, Program, SourceFile, SourceUnit

RUNTIME = "cudamigrate_tilelang.h"
"""The header that every generated one includes."""
BUILDER = "build_kernels.py"
"""The program that compiles the kernels of a tree."""
_ANONYMOUS = re.compile(r"\(anonymous namespace\)::|\(anonymous\)::")
_DEVICE_CODE = frozenset({DefinitionKind.KERNEL, DefinitionKind.FUNCTION})
_LAUNCH_CALLS = frozenset({"cudaLaunchKernel"})


def has_launches(program: Program) -> bool:
    """Whether the host code of a program launches kernels from C++. That of a PyTorch extension
    becomes Python, launches included."""
    return any(
        u.launches or any(c.name in _LAUNCH_CALLS for c in u.calls)
        for u in program.units
        if not u.extension.functions
    )


@dataclass(frozen=True, slots=True)
class BridgedKernel:
    """A kernel of a unit with what its launches pass on."""

    kernel: Kernel
    call: BridgeCall


def bridge_files(
    unit: SourceUnit, path: PurePosixPath, kernels: tuple[BridgedKernel, ...]
) -> tuple[GeneratedFile, ...]:
    """What a unit's host program needs beside the module at ``path``."""
    writer = _Bridge(unit, path, kernels)
    up = "../" * (len(path.parts) - 1)
    return (
        *(writer.source(f, up) for f in unit.files),
        GeneratedFile(path.with_name(f"{path.stem}_kernels.h"), writer.header(up).encode()),
        GeneratedFile(path.with_name(f"{path.stem}_kernels.json"), writer.listing().encode()),
        GeneratedFile(PurePosixPath(RUNTIME), _template(RUNTIME)),
        GeneratedFile(PurePosixPath(BUILDER), _template(BUILDER)),
    )


@dataclass(frozen=True, slots=True)
class _Bridge:
    unit: SourceUnit
    path: PurePosixPath
    kernels: tuple[BridgedKernel, ...]

    @property
    def module(self) -> str:
        """How libraries of the unit are found: its path without a suffix."""
        return self.path.with_suffix("").as_posix()

    @property
    def space(self) -> str:
        """The namespace of the unit's functions."""
        return "cudamigrate_" + re.sub(r"\W", "_", self.module)

    def header(self, up: str) -> str:
        """``NAME_kernels.h``."""
        name = self.unit.main.relative.name
        guard = f"{self.space.upper()}_KERNELS_H"
        lines = [
            f"// Launches of {name} as calls of compiled TileLang kernels, made by cudamigrate"
            f" {__version__}.",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            f'#include "{up}{RUNTIME}"',
            "",
            f"namespace {self.space} {{",
            "",
        ]
        for k in self.kernels:
            lines.append(function_text(BridgeFunction(self.module, _origin(k.kernel), k.call)))
        return "\n".join([*lines, f"}}  // namespace {self.space}", "", f"#endif  // {guard}", ""])

    def listing(self) -> str:
        """What ``build_kernels.py`` has to know: by kernel, what its variants are made for."""
        kernels = {k.call.entry: list(k.call.statics) for k in self.kernels}
        return json.dumps({"module": self.path.name, "kernels": kernels}, indent=2) + "\n"

    # --- the files of the unit

    def source(self, file: SourceFile, up: str) -> GeneratedFile:
        """A file of the unit with its launches replaced."""
        # The main file keeps its name where the module beside it could not have it.
        place = PurePosixPath(file.relative.as_posix()).with_name(file.path.name)
        key = str(file.path)
        edits = {e for site in self._sites(file) for e in self._launch(site, file)}
        edits |= set(self._calls(key))
        newline = newline_of(file.text)
        start = 3 if file.text.startswith(b"\xef\xbb\xbf") else 0
        if not file.is_header:
            include = f'#include "{self.path.stem}_kernels.h"'
            edits.add(Edit(start, start, include.encode() + newline))
            table = "\n".join(("", *self._table())).encode().replace(b"\n", newline)
            end = len(file.text)
            edits.add(Edit(end, end, table))
        elif edits:
            above = "../" * (len(place.parts) - 1)
            edits.add(Edit(start, start, f'#include "{above}{RUNTIME}"'.encode() + newline))
        edited = apply_edits(file.text, edits)
        applied = tuple(
            AppliedEdit(span_of(key, file.text, e.start, e.end), len(e.text))
            for e, _ in edited.placed
        )
        return GeneratedFile(place, edited.text, key, applied)

    def _sites(self, file: SourceFile) -> Iterator[FoundLaunch]:
        """Launches as they are written, in bodies of macros and in branches that are not compiled
        as well; those in device code stay with the kernel that makes them."""
        key = str(file.path)
        device = tuple(
            (d.span.start, d.span.end)
            for d in self.unit.definitions
            if d.kind in _DEVICE_CODE and d.span.file == key and not d.host_too
        )
        for stretch in stretches(file.text):
            yield from launches(replace(stretch, tokens=outside(stretch.tokens, device)))

    def _launch(self, site: FoundLaunch, file: SourceFile) -> Iterator[Edit]:
        """``callee<<<`` becomes ``cudamigrate::launch(callee, ``, and ``>>>`` a parenthesis."""
        text = file.text
        start, end = site.callee
        opened = text.index(b"<<<", end)
        closed = text.index(b">>>", site.config[-1][1])
        cast = self._cast(site.name) if end - start == len(site.name) else ""
        yield Edit(start, start, f"cudamigrate::launch({cast}".encode())
        arguments = self._arguments(site, str(file.path), text[start:end])
        yield Edit(opened, opened + 3, f"{arguments}, ".encode())
        yield Edit(closed, closed + 3, b")")

    def _arguments(self, site: FoundLaunch, key: str, callee: bytes) -> str:
        """Template arguments that CUDA's call deduces from its own arguments."""
        if callee.rstrip().endswith(b">"):
            return ""
        reached = {k.symbol: k for k in self.unit.module.kernels}
        for seen in self.unit.launches:
            at = seen.callee.span
            if at.file == key and at.start == site.callee[0] and not seen.dependent:
                found = [reached[s] for s in seen.kernels if s in reached]
                return _template_arguments(found[0]) if len(found) == 1 else ""
        return ""

    def _cast(self, name: str) -> str:
        """``(void (*)(int *x))`` for a kernel that shares its name with another function; CUDA's
        launch says by itself that the kernel is meant."""
        others = rf"\bvoid\s+{re.escape(name)}\s*(\([^()]*\))\s*[{{;]"
        found = {
            " ".join(hit.split())
            for file in self.unit.files
            for hit in re.findall(others, file.text.decode("latin-1"))
        }
        kernels = [
            d.signature
            for d in self.unit.definitions
            if d.kind is DefinitionKind.KERNEL and d.name == name and not d.template_params
        ]
        if len(found) < 2 or len(kernels) != 1 or "=" in kernels[0]:
            return ""
        return f"(void (*){kernels[0][kernels[0].index('(') :]})"

    def _calls(self, key: str) -> Iterator[Edit]:
        for call in self.unit.calls:
            span = call.callee.span
            if call.name in _LAUNCH_CALLS and span.file == key:
                yield Edit(span.start, span.end, b"cudamigrate::launch_kernel")

    # --- the table

    def _table(self) -> Iterator[str]:
        """Text behind the last line of the main file."""
        rows = [f"    {self._row(k)}," for k in self.kernels]
        if not rows:
            return
        name = self.space
        yield "// What stands for each kernel when it is launched."
        yield from self._variables()
        yield f"static const cudamigrate::Bridged {name}_kernels[] = {{"
        yield from rows
        yield "};"
        yield f"static const cudamigrate::Registration {name}_registration({name}_kernels);"
        yield ""

    def _row(self, k: BridgedKernel) -> str:
        name = _ANONYMOUS.sub("", k.kernel.qualified or k.kernel.name)
        callee = f"{name}{_template_arguments(k.kernel)}"
        chosen = f"{self._cast(k.kernel.name)}&{callee}"
        return f"{{cudamigrate::address({chosen}), &{self.space}::{k.call.entry}}}"

    def _variables(self) -> Iterator[str]:
        names = self._qualified()
        used = sorted({g.name for k in self.kernels for g in k.call.given if g.is_global})
        for number, name in enumerate(used):
            place = names.get(name, name)
            yield (
                f"static const cudamigrate::Variable {self.space}_variable_{number}("
                f'"{variable_key(self.module, name)}", [](void **place) {{ '
                f"return cudaGetSymbolAddress(place, {place}); }});"
            )

    def _qualified(self) -> Mapping[str, str]:
        """Device variables by their names in the IR, as C++ names them at the end of the file."""
        return {
            symbol: _ANONYMOUS.sub("", d.qualified or d.name)
            for d in self.unit.definitions
            if d.kind is DefinitionKind.VARIABLE
            for symbol in d.symbols
        }


def _template_arguments(kernel: Kernel) -> str:
    values = ", ".join(a.value for a in kernel.template_args)
    return f"<{_ANONYMOUS.sub('', values)}>" if values else ""


def _origin(kernel: Kernel) -> str:
    name = kernel.qualified or kernel.name
    where = kernel.span
    return f"CUDA kernel {name}{_template_arguments(kernel)}, {where.file}:{where.line}."


def _template(name: str) -> bytes:
    return (data_dir("templates") / "tilelang" / name).read_bytes()
