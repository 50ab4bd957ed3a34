"""The one frozen summary that every report format renders, and its JSON form.

Nothing is computed by a format: it shows what stands here.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from migrate.verify.evidence import EQUAL_NAMES, Verdict

SCHEMA = 1
"""Version of ``report.json``; rises when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class DiagnosticRow:
    """A diagnostic as shown."""

    code: str
    title: str
    severity: str
    outcome: str
    cause: str
    file: str
    line: int
    column: int
    label: str = ""
    suggestion: str = ""
    trust: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class BufferRow:
    """A compared buffer as shown (see ``migrate.verify.compare.Difference``)."""

    name: str
    elements: str
    size: int
    written: bool
    equal: bool
    bit_equal: bool
    wrong: int
    max_abs: float
    max_rel: float
    max_ulp: int
    ulp_histogram: tuple[int, ...]
    cosine: float
    first: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """A replayed launch as shown."""

    seq: int
    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    equal: bool
    problem: str
    buffers: tuple[BufferRow, ...]


@dataclass(frozen=True, slots=True)
class LinePair:
    """A generated line and the original line it came from (1-based, within the shown texts)."""

    generated: int
    original: int


@dataclass(frozen=True, slots=True)
class KernelRow:
    """One kernel instantiation and target."""

    symbol: str
    name: str
    template_args: tuple[tuple[str, str], ...]
    file: str
    line: int
    rung: str
    verdict: str
    confidence: float
    confidence_parts: tuple[str, ...]
    original: str
    generated: str
    generated_file: str
    generated_line: int
    line_pairs: tuple[LinePair, ...]
    total_launches: int
    compared: int
    launches: tuple[LaunchRow, ...]
    diagnostics: tuple[DiagnosticRow, ...]
    compile_log: str = ""

    @property
    def compared_text(self) -> str:
        """Captured launches compared of all, and how many generated ones came on top."""
        further = sum(1 for x in self.launches if x.source == "generated" and x.buffers)
        return f"{self.compared}/{self.total_launches}" + (f" +{further}" if further else "")


@dataclass(frozen=True, slots=True)
class EditRow:
    """Bytes ``[start, end)`` of an input file that became ``length`` bytes of an output file."""

    line: int
    start: int
    end: int
    length: int


@dataclass(frozen=True, slots=True)
class FileRow:
    """An output file that is an edited copy of an input; all else of it is as it was."""

    file: str
    generated_file: str
    edits: tuple[EditRow, ...]


@dataclass(frozen=True, slots=True)
class LayerRow:
    """One of the layers of a port: places found, places that moved, and the names that remain."""

    layer: str
    found: int
    moved: int
    remains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """One program: its kernels and its whole-program runs."""

    name: str
    files: tuple[str, ...]
    kernels: tuple[KernelRow, ...]
    original_run: str
    migrated_run: str
    control_run: str
    detail: str
    diagnostics: tuple[DiagnosticRow, ...]
    host_calls: tuple[tuple[str, str, int], ...] = ()
    edited: tuple[FileRow, ...] = ()
    layers: tuple[LayerRow, ...] = ()

    @property
    def stopped_at_refused(self) -> bool:
        """The migrated program reached the stub of a refused kernel, and ended there as it must.

        Told from the stub's own message, so that another fault of the host code is not hidden
        behind a kernel that happens to be refused.
        """
        return self.migrated_run in ("fail", "error") and any(
            k.verdict == "refused" and f"kernel {k.name} was not migrated" in self.detail
            for k in self.kernels
        )

    @property
    def check_failed(self) -> bool:
        """The migrated program does not pass its own check, and no refused kernel explains it."""
        return self.migrated_run in ("fail", "error") and not self.stopped_at_refused


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``total`` with the Wilson 95 % interval, as fractions."""

    count: int
    total: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Totals:
    """The separate figures, never summed into one."""

    kernels: int
    emitted: Share
    compiled: Share
    equal: Share
    refused: Share
    different: Share
    not_compared: Share


@dataclass(frozen=True, slots=True)
class Report:
    """Everything about one run of ``convert`` or ``verify``."""

    tool_version: str
    date: str
    target: str
    target_title: str
    programs: tuple[ProgramRow, ...]
    totals: Totals
    diagnostics: tuple[DiagnosticRow, ...]
    toolchain: tuple[tuple[str, str], ...]
    seconds: float
    command: str = ""
    schema: int = SCHEMA


def wilson(count: int, total: int, z: float = 1.959964) -> Share:
    """Share with its Wilson score interval (Wilson 1927); (0, 1) when there is nothing."""
    if total == 0:
        return Share(0, 0, 0.0, 1.0)
    p = count / total
    denominator = 1 + z * z / total
    centre = (p + z * z / (2 * total)) / denominator
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / denominator
    return Share(count, total, max(0.0, centre - half), min(1.0, centre + half))


_COMPILED = EQUAL_NAMES | {Verdict.COMPILED.value, Verdict.DIFFERENT.value}


def totals_of(verdicts: tuple[str, ...]) -> Totals:
    """The figures for a set of kernels."""
    n = len(verdicts)

    def share(kinds: frozenset[str]) -> Share:
        return wilson(sum(v in kinds for v in verdicts), n)

    return Totals(
        kernels=n,
        emitted=share(_COMPILED | {"emitted"}),
        compiled=share(_COMPILED),
        equal=share(EQUAL_NAMES),
        refused=share(frozenset({"refused"})),
        different=share(frozenset({"different"})),
        not_compared=share(frozenset({"compiled", "emitted"})),
    )


Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def to_json(value: object) -> Json:
    """Dataclasses, enums, tuples and paths as plain JSON values; infinities become strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple | list):
        return [to_json(v) for v in value]
    if isinstance(value, dict):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, Path):
        return value.as_posix()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def dump_json(report: Report) -> str:
    """``report.json``: stable key order, two-space indent."""
    return json.dumps(to_json(report), indent=2, ensure_ascii=False) + "\n"
