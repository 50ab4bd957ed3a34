"""Functions of CUDA's libraries that device code calls: they are written where first needed.

The front end reads CUB and its like from plain CUDA C++ that comes with cudamigrate. No file of the
program defines these functions, so the files that need them get them.
"""

from __future__ import annotations

from collections.abc import Mapping

from migrate.backends.ascendc.simt import reached_functions
from migrate.core.resources import cuda_library_dir
from migrate.ir.kernel import Function
from migrate.ir.program import DefinitionKind, SourceUnit

_LIBRARY = str(cuda_library_dir())


def is_library_function(f: Function) -> bool:
    """Whether a function's definition belongs to CUDA's libraries."""
    return f.span.file.startswith(_LIBRARY)


def files_that_need(units: tuple[SourceUnit, ...]) -> Mapping[str, frozenset[str]]:
    """For each library function's symbol the files with a kernel or function that reaches it."""
    found: dict[str, set[str]] = {}
    for unit in units:
        module = unit.module
        bodies = {k.symbol: k.body for k in module.kernels}
        bodies |= {f.symbol: f.body for f in module.functions}
        for d in unit.definitions:
            if d.kind not in (DefinitionKind.KERNEL, DefinitionKind.FUNCTION):
                continue
            for symbol in d.symbols:
                for f in reached_functions(bodies.get(symbol, ()), module):
                    if is_library_function(f):
                        found.setdefault(f.symbol, set()).add(d.span.file)
    return {symbol: frozenset(files) for symbol, files in found.items()}


def guarded(symbol: str, text: str) -> str:
    """A definition that several files of one program bring, of which a compiler sees the first."""
    name = f"CUDAMIGRATE_{symbol.upper()}"
    return f"#ifndef {name}\n#define {name}\n{text}\n#endif"
