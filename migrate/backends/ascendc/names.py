"""What device functions and kernels are called in a migrated file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from migrate.ir.program import Definition, DefinitionKind, SourceUnit

VENDOR_NAMES = frozenset(
    {"laneid", "lanemask_eq", "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt"}
)
"""Global functions of the SIMT API that CUDA programs define for themselves."""


@dataclass(frozen=True, slots=True)
class Names:
    """Printed names by symbol, and those that several functions share."""

    printed: Mapping[str, str]
    overloaded: frozenset[str]
    variables: Mapping[str, str]
    """Device variables in namespaces: their names there."""

    @staticmethod
    def of(units: tuple[SourceUnit, ...]) -> Names:
        """The source's own name where it stands for one thing, the symbol elsewhere."""
        printed: dict[str, str] = {}
        for unit in units:
            defs = {s: d for d in unit.definitions for s in d.symbols if not d.prototype}
            for f in unit.module.functions:
                d = defs.get(f.symbol)
                plain = not f.template_args and d is not None and f.name.isidentifier()
                method = d is not None and inside_struct(d, unit)
                name = f.name if plain and not method else f.symbol
                name = f"{name}_" if name in VENDOR_NAMES else name
                if d is not None and d.host_too:
                    name = f"{f.symbol}_device"
                space = namespace_of(d.qualified if d is not None and not method else "")
                printed[f.symbol] = f"{space}{name}"
            kernels = [k.name for k in unit.module.kernels]
            for k in unit.module.kernels:
                plain = not k.template_args and kernels.count(k.name) == 1
                own = k.name if plain else k.symbol
                shadowed = any(p.name == own for p in k.params)  # the launch function has it too
                printed[k.symbol] = f"{own}_kernel" if shadowed else own
        unique = {(f.symbol, printed[f.symbol]) for u in units for f in u.module.functions}
        counts: dict[str, int] = {}
        for _, name in unique:
            counts[name] = counts.get(name, 0) + 1
        overloaded = frozenset(n for n, c in counts.items() if c > 1)
        return Names(printed, overloaded, _variables(units))


def _variables(units: tuple[SourceUnit, ...]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for unit in units:
        for d in unit.definitions:
            if d.kind is DefinitionKind.VARIABLE and namespace_of(d.qualified):
                found.update({s: f"{namespace_of(d.qualified)}{d.name}" for s in d.symbols})
    return found


def inside_struct(d: Definition, unit: SourceUnit) -> bool:
    """True for a method, in its class or outside."""
    return "::" in d.name or any(
        s.kind is DefinitionKind.STRUCT
        and s.span.file == d.span.file
        and s.span.start <= d.span.start
        and d.span.end <= s.span.end
        for s in unit.definitions
    )


def namespace_of(qualified: str) -> str:
    """The namespaces of a qualified name with their ``::``, unnamed ones left out."""
    parts = [p for p in qualified.split("::")[:-1] if p and "anonymous" not in p]
    return "".join(f"{p}::" for p in parts)


def free_name(name: str, taken: set[str]) -> str:
    """A name that is not taken yet, and from now on is."""
    trial, n = name, 2
    while trial in taken:
        trial, n = f"{name}{n}", n + 1
    taken.add(trial)
    return trial
