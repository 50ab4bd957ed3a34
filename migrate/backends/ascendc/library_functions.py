"""Functions that no definition of the program stands for: they are written where first needed.

Those of CUDA's libraries are read from plain CUDA C++ that comes with cudamigrate (CUB and its
like, ``cuComplex.h``). Others have their definition inside of a class that is not taken apart:
operators that are friends, constructors of member templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from migrate.analysis.reach import reached_functions
from migrate.core.resources import cuda_library_dir
from migrate.core.span import Span
from migrate.ir.kernel import Function
from migrate.ir.program import DefinitionKind, SourceUnit

_LIBRARY = str(cuda_library_dir())


def is_library_function(f: Function) -> bool:
    """Whether a function's definition belongs to CUDA's libraries."""
    return is_library(f.span)


def is_library(place: Span) -> bool:
    """Whether a place of a source is in CUDA's libraries."""
    return place.file.startswith(_LIBRARY)


def homeless_functions(units: tuple[SourceUnit, ...], structs: Iterable[str]) -> frozenset[str]:
    """Symbols of the functions without a place of their own in the program's files.

    Members of ``structs``, which have a mirror, stand behind it; a lambda's mirror has no place.
    """
    placed = {s for u in units for d in u.definitions for s in d.symbols}
    definitions = [d for u in units for d in u.definitions if d.kind is DefinitionKind.STRUCT]
    written = {s for d in definitions for s in d.symbols}
    prefixes = tuple(f"{name}_" for name in structs if name in written)
    return frozenset(
        f.symbol
        for u in units
        for f in u.module.functions
        if is_library_function(f) or (f.symbol not in placed and not f.symbol.startswith(prefixes))
    )


def files_that_need(
    units: tuple[SourceUnit, ...], homeless: frozenset[str]
) -> Mapping[str, frozenset[str]]:
    """For each of these functions the files with a kernel or function that reaches it."""
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
                    if f.symbol in homeless:
                        found.setdefault(f.symbol, set()).add(d.span.file)
    return {symbol: frozenset(files) for symbol, files in found.items()}


def guarded(symbol: str, text: str) -> str:
    """A definition that several files of one program bring, of which a compiler sees the first."""
    name = f"CUDAMIGRATE_{symbol.upper()}"
    return f"#ifndef {name}\n#define {name}\n{text}\n#endif"
