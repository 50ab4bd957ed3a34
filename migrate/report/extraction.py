"""The front end's part of the accuracy page, from stored figures."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.pipeline.extraction import Extraction, Reading
from migrate.report.measurement import measurement_text
from migrate.report.model import wilson

_MOST_CODES = 6
_COLUMNS = (
    "suite", "files", "parsed", "kernels", "extracted", "refused", "unread", "left out",
    "refused, by code",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredExtraction:
    """Figures of one suite as kept in ``docs/accuracy/front-end/NAME.json``."""

    title: str
    date: str
    command: str
    files: int
    parsed: int
    kernels: int
    extracted: int
    refused: int
    unread: int
    left_out: int
    codes: tuple[tuple[str, int], ...]


def dump_extraction(
    found: Extraction, title: str, date: str, command: str, tools: tuple[tuple[str, str], ...]
) -> str:
    """The JSON of an extraction: figures and codes; no names of kernels and no paths."""
    codes = Counter(c for k in found.kernels for c in k.codes[:1])
    stored = {
        "files": len(found.files),
        "parsed": sum(not f.stopped for f in found.files),
        "kernels": len(found.kernels),
        "extracted": found.count(Reading.EXTRACTED),
        "refused": found.count(Reading.REFUSED),
        "unread": found.count(Reading.UNREAD),
        "left_out": found.left_out,
        "codes": dict(codes.most_common()),
    }
    return measurement_text(title, date, command, tools, stored)


def load_extractions(folder: Path) -> tuple[StoredExtraction, ...]:
    """All stored figures of a folder, by name. Raises :class:`UserError` CM0010."""
    found: list[StoredExtraction] = []
    for path in sorted(folder.glob("*.json")):
        try:
            d = json.loads(path.read_text(encoding="utf-8"))
            found.append(
                StoredExtraction(
                    title=str(d["title"]),
                    date=str(d["date"]),
                    command=str(d["command"]),
                    files=int(d["files"]),
                    parsed=int(d["parsed"]),
                    kernels=int(d["kernels"]),
                    extracted=int(d["extracted"]),
                    refused=int(d["refused"]),
                    unread=int(d["unread"]),
                    left_out=int(d["left_out"]),
                    codes=tuple((str(c), int(n)) for c, n in d["codes"].items()),
                )
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, f"{path}: {error}")
            ) from error
    return tuple(found)


def extraction_lines(suites: tuple[StoredExtraction, ...]) -> list[str]:
    """The section of the page; nothing without figures."""
    if not suites:
        return []
    lines = [
        "## Front end",
        "",
        "`cudamigrate extract` reads a tree without any toolkit and runs nothing. A kernel counts",
        "once, however many instantiations it has, and is *extracted* when each of them is in the",
        "IR. *parsed* are files that came through the parser; *unread* are kernels that stand in",
        "the text and that the parser did not see; *left out* are those in preprocessor branches",
        "that are not compiled as the suite stands, and are not counted as kernels.",
        "",
        f"| {' | '.join(_COLUMNS)} |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for s in suites:
        share = wilson(s.extracted, s.kernels)
        shown = f"{s.extracted}"
        if s.kernels:
            low, high = 100 * share.low, 100 * share.high
            shown += f" ({100 * s.extracted / s.kernels:.1f} %, {low:.0f}-{high:.0f})"
        codes = ", ".join(f"[{c}](diagnostics/{c}.md) {n}" for c, n in s.codes[:_MOST_CODES])
        lines.append(
            f"| {s.title} | {s.files} | {s.parsed} | {s.kernels} | {shown} | {s.refused} "
            f"| {s.unread} | {s.left_out} | {codes or '-'} |"
        )
    return [*lines, "", *(f"* {s.title}: {s.date}, `{s.command}`" for s in suites), ""]
