"""Headers of CUDA libraries that are known by name only, and the errors that follow from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from migrate.core.codes import reading
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.frontend.declarations import Declarations
from migrate.frontend.errors import ParseError
from migrate.frontend.source import Sources
from migrate.frontend.toolchain import LIBRARIES

_UNKNOWN = re.compile(
    r"(?:use of undeclared identifier|unknown type name|no template named) '(\w+)'"
)
_PREFIX = re.compile(r"cu[a-z]+?(?=_v2|Lt|Dn|Xt|$)|nccl")
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class LibraryHeader:
    """A header that was found by name; ``prefix`` begins the library's names, in small letters."""

    prefix: str
    diagnostic: Diagnostic

    def explains(self, error: ParseError) -> bool:
        """True for an error that only says that a name of the library is not declared."""
        return _unknown(error, self.prefix) is not None


def _unknown(error: ParseError, prefix: str) -> str | None:
    found = _UNKNOWN.match(error.message)
    if found is None or not found.group(1).lower().startswith(prefix):
        return None
    return found.group(1)


def library_headers(
    declarations: Declarations, sources: Sources, errors: tuple[ParseError, ...]
) -> tuple[LibraryHeader, ...]:
    """The library headers that the user's files include, each with what stays of the library."""
    found: dict[str, LibraryHeader] = {}
    for c in declarations.includes:
        target, extent = c.included_file, c.extent
        if target is None or not target.startswith(str(LIBRARIES)):
            continue
        if extent.file.startswith(str(LIBRARIES)) or c.name in found:
            continue
        prefix = _PREFIX.match(c.name)
        word = c.name.split(".")[0] if prefix is None else prefix.group()
        used = dict.fromkeys(n for e in errors if (n := _unknown(e, word)) is not None)
        cause = f"{c.name} is not read"
        if used:
            shown = ", ".join(list(used)[:_SHOWN]) + (", ..." if len(used) > _SHOWN else "")
            cause += f"; {len(used)} of its names stay as they are: {shown}"
        span = sources.get(extent.file).span(extent.start, extent.end)
        found[c.name] = LibraryHeader(
            word, Diagnostic(reading.LIBRARY_BY_NAME, Outcome.WEAKER, cause, span)
        )
    return tuple(found.values())
