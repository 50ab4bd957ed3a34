"""The one table of codes. Codes are never reused; every code has a page in docs/diagnostics/.

One module a block, each a list of ``NAME = Code("CMxxxx", "title")``:

* ``usage`` CM0xxx command line, files, toolchain
* ``reading`` CM1xxx reading CUDA (11 language, 12 warp and synchronisation, 13 memory,
  14 atomics, 15 libraries)
* ``analysis`` CM2xxx facts
* ``lifting`` CM3xxx lifting
* ``target`` CM4xxx limits of a target
* ``verification`` CM5xxx building, running, comparing
* ``checks`` CM52xx faults of the program itself that ``run --check`` finds
* ``build`` CM6xxx build files
* ``internal`` CM9xxx our own faults
"""

from __future__ import annotations

from types import ModuleType

from migrate.core.codes import (
    analysis,
    build,
    checks,
    internal,
    lifting,
    reading,
    target,
    usage,
    verification,
)
from migrate.core.diagnostics import Code

_BLOCKS: tuple[ModuleType, ...] = (
    usage,
    reading,
    analysis,
    lifting,
    target,
    verification,
    checks,
    build,
    internal,
)


def all_codes() -> dict[str, Code]:
    """Every code by id. Raises ``ValueError`` when an id stands twice."""
    table: dict[str, Code] = {}
    for block in _BLOCKS:
        for value in vars(block).values():
            if isinstance(value, Code):
                if value.id in table:
                    raise ValueError(f"code {value.id} is defined twice")
                table[value.id] = value
    return dict(sorted(table.items()))
