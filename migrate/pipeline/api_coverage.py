"""Which calls of CUDA's host API a source tree makes, and how many of them are migrated.

Each file is counted by itself: test suites of other tools do not build as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.backends.ascendc.host_census import CallOutcome, CallSite, CensusFile, census
from migrate.core.targets import Target
from migrate.rules.catalogue import Catalogue

SUFFIXES = frozenset({".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", ".cxx", ".c", ".inl"})
"""Files that can hold host code."""


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """The call sites of one library; ``names`` counts its different functions."""

    library: str
    migrated: int
    stubbed: int
    unknown: int
    names: int
    names_migrated: int

    @property
    def sites(self) -> int:
        """All call sites."""
        return self.migrated + self.stubbed + self.unknown


@dataclass(frozen=True, slots=True)
class ApiCoverage:
    """A tree's call sites by library, and its most frequent calls that are not migrated."""

    target: Target
    files: int
    rows: tuple[LibraryRow, ...]
    missing: tuple[tuple[str, int], ...]


def api_coverage(roots: tuple[Path, ...], target: Target, catalogue: Catalogue) -> ApiCoverage:
    """Count over every file below the roots."""
    sites: list[CallSite] = []
    files = 0
    for path in _sources(roots):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        found = census([CensusFile(text)], catalogue, target)
        files += bool(found)
        sites += found
    return ApiCoverage(target, files, library_rows(tuple(sites)), _missing(sites))


def _sources(roots: tuple[Path, ...]) -> Iterator[Path]:
    for root in roots:
        yield from (
            [root]
            if root.is_file()
            else sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        )


def library_rows(sites: tuple[CallSite, ...]) -> tuple[LibraryRow, ...]:
    """One row a library, those with most call sites first."""
    by: dict[str, Counter[CallOutcome]] = {}
    names: dict[str, dict[str, bool]] = {}
    for s in sites:
        by.setdefault(s.library, Counter())[s.outcome] += 1
        known = names.setdefault(s.library, {})
        known[s.name] = known.get(s.name, False) or s.outcome is CallOutcome.MIGRATED
    rows = [
        LibraryRow(
            library,
            count[CallOutcome.MIGRATED],
            count[CallOutcome.STUBBED],
            count[CallOutcome.UNKNOWN],
            len(names[library]),
            sum(names[library].values()),
        )
        for library, count in by.items()
    ]
    return tuple(sorted(rows, key=lambda r: (-r.sites, r.library)))


def _missing(sites: list[CallSite]) -> tuple[tuple[str, int], ...]:
    count = Counter(s.name for s in sites if s.outcome is not CallOutcome.MIGRATED)
    return tuple(sorted(count.items(), key=lambda x: (-x[1], x[0])))
