"""What becomes of each call of CUDA in host code, told from the text: counts for tables.

A call site is a name of a CUDA library in front of parentheses, macro bodies included, outside of
device code where that is known. Functions that the files declare themselves are no calls of CUDA.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from migrate.backends.ascendc.host_libraries import all_declared, library_of
from migrate.backends.ascendc.host_scan import Stretch, calls, outside, stretches
from migrate.backends.ascendc.host_stubs import TYPE_FORM
from migrate.core.cpp_text import tokens
from migrate.core.targets import Target
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form


class CallOutcome(Enum):
    """What stands in a call's place.

    ``STUBBED``: a stub that ends the program, because a rule says that the target has no such
    thing. ``UNKNOWN``: the same stub, because no rule knows the call. Both are reported (CM4003).
    """

    MIGRATED = "migrated"
    STUBBED = "stubbed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call of a CUDA function in host code."""

    name: str
    library: str
    outcome: CallOutcome


@dataclass(frozen=True, slots=True)
class CensusFile:
    """A file's text and the byte ranges of it that are device code."""

    text: bytes
    device: tuple[tuple[int, int], ...] = ()


def census(
    files: Iterable[CensusFile], catalogue: Catalogue, target: Target
) -> tuple[CallSite, ...]:
    """The calls in files that belong together, in their order."""
    group = tuple(files)
    declared = all_declared(tokens(f.text) for f in group)
    found: list[CallSite] = []
    for file in group:
        for s in stretches(file.text):
            inner = Stretch(outside(s.tokens, file.device), s.macro, s.params)
            for call in calls(inner):
                library = library_of(call.name)
                if library is None or call.name in declared or TYPE_FORM.fullmatch(call.name):
                    continue
                outcome = _outcome(call.name, len(call.args), catalogue, target)
                found.append(CallSite(call.name, library, outcome))
    return tuple(found)


def _outcome(name: str, argc: int, catalogue: Catalogue, target: Target) -> CallOutcome:
    rule = catalogue.host(name, argc)
    if rule is None:
        return CallOutcome.UNKNOWN
    spelled = rule.spelling(target.value, Form.CALL) is not None
    return CallOutcome.MIGRATED if spelled else CallOutcome.STUBBED
