"""The part of the accuracy page about originals on the CPU, from stored figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.pipeline.originals import OriginalScore
from migrate.report.measurement import measurement_text
from migrate.report.model import to_json

_FIGURES = (
    "programs", "compiled", "own check passes", "of these by saying nothing", "counted as passed",
    "no check: ran to the end", "of these every captured launch replays exactly",
    "control passes own check", "control counted as passed",
)  # fmt: skip
_COLUMNS = (
    "program", "own check", "kernels skipped", "changed memory", "capture / plain", "MiB captured",
    "launches replayed", "exact", "other orders",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredOriginals:
    """Figures of one suite as kept in ``docs/accuracy/originals/NAME.json``."""

    title: str
    date: str
    command: str
    rows: tuple[OriginalScore, ...]
    reruns: tuple[tuple[str, str], ...] = ()


def dump_originals(
    rows: Iterable[OriginalScore],
    title: str,
    date: str,
    command: str,
    tools: tuple[tuple[str, str], ...],
) -> str:
    """The JSON of a measurement; without causes, which quote the user's sources and folders."""
    listed = [{k: v for k, v in _row(r).items() if k != "cause"} for r in rows]
    stored = {
        "programs": listed,
    }
    return measurement_text(title, date, command, tools, stored)


def _row(score: OriginalScore) -> dict[str, object]:
    row = to_json(score)
    assert isinstance(row, dict)
    return dict(row)


def merge_programs(old: str, new: str) -> str:
    """A stored measurement with the programs of a later, smaller one put in place of the old."""
    before, after = json.loads(old), json.loads(new)
    again = {r["program"] for r in after["programs"]}
    kept = [r for r in before["programs"] if r["program"] not in again]
    before["programs"] = sorted(kept + after["programs"], key=lambda r: str(r["program"]))
    rerun = {"date": after["date"], "command": after["command"], "programs": sorted(again)}
    before["reruns"] = [*before.get("reruns", []), rerun]
    return json.dumps(before, indent=1, ensure_ascii=False) + "\n"


def load_originals(folder: Path) -> tuple[StoredOriginals, ...]:
    """All stored figures of a folder, by name. Raises :class:`UserError` CM0010."""
    known = {f.name for f in fields(OriginalScore)}
    found: list[StoredOriginals] = []
    for path in sorted(folder.glob("*.json")):
        try:
            d = json.loads(path.read_text(encoding="utf-8"))
            rows = (
                OriginalScore(**{k: v for k, v in r.items() if k in known}) for r in d["programs"]
            )
            reruns = tuple((str(r["date"]), ", ".join(r["programs"])) for r in d.get("reruns", ()))
            found.append(
                StoredOriginals(
                    str(d["title"]), str(d["date"]), str(d["command"]), tuple(rows), reruns
                )
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, f"{path}: {error}")
            ) from error
    return tuple(found)


def overheads(rows: Iterable[OriginalScore]) -> list[float]:
    """Captured over plain run time of the programs that passed."""
    return [r.captured_seconds / r.plain_seconds for r in rows if r.passed and r.plain_seconds]


def summary_rows(rows: tuple[OriginalScore, ...]) -> tuple[tuple[str, str], ...]:
    """Names and figures of a suite, for the page and the terminal."""
    passing = [r for r in rows if r.own_check_passes]
    unchecked = [r for r in rows if r.check == "no-check"]
    counts = (
        len(rows),
        sum(r.check != "not-compiled" for r in rows),
        len(passing),
        sum(r.check == "silent" for r in rows),
        sum(r.passed for r in rows),
        len(unchecked),
        sum(r.replays_exactly for r in unchecked),
        sum(r.control == "pass" for r in passing),
        sum(r.control_passed for r in rows),
    )
    ratios = overheads(rows)
    costs = f"{median(ratios):.2f} ({max(ratios):.2f})" if ratios else "-"
    further = (
        ("capture / plain time, median (largest)", costs),
        ("captures over their cap", str(sum(r.stored_bytes > r.cap_bytes for r in rows))),
        ("launches replayed", str(sum(r.replayed for r in rows))),
        ("exact in the same order", str(sum(r.exact for r in rows))),
        ("order moves float atomics", str(sum(r.sums for r in rows))),
        ("order moves more", str(sum(r.ordered for r in rows))),
    )
    return (*zip(_FIGURES, map(str, counts), strict=True), *further)


def _program_row(r: OriginalScore) -> str:
    ratio = f"{r.captured_seconds / r.plain_seconds:.2f}" if r.plain_seconds else "-"
    orders = [f"{r.sums} float atomics"] * bool(r.sums) + [f"{r.ordered} differ"] * bool(r.ordered)
    cells = (
        r.program,
        r.check,
        r.control,
        "yes" if r.worked else "no",
        ratio,
        f"{r.stored_bytes / 2**20:.1f}",
        f"{r.replayed} of {r.captured}",
        str(r.exact),
        ", ".join(orders) or ("alike" if r.replayed else "-"),
    )
    return f"| {' | '.join(cells)} |"


def originals_lines(suites: tuple[StoredOriginals, ...]) -> list[str]:
    """The section of the page; nothing without figures."""
    if not suites:
        return []
    lines = [
        "## Originals on the CUDA runtime for the CPU",
        "",
        "`cudamigrate score --originals` builds and runs programs as they are, without a target. A",
        "program is *counted as passed* when its own check passes (*silent*: it says nothing, and",
        "complains when kernels are skipped) and there is a sign that its",
        "kernels ran: a captured launch changed memory, or the check fails when kernels are",
        "skipped. The *control* is the run with kernels skipped. Plain runs use all cores and",
        "captured ones one; compressing a finished capture is not part of the time. A launch is",
        "*replayed* on its captured input in the same order of threads and in two others.",
        "",
    ]
    for s in suites:
        lines += [f"### {s.title}", "", f"{s.date}. `{s.command}`", ""]
        for date, names in s.reruns:
            lines += [f"Run again on {date}: {names}.", ""]
        lines += ["| figure | value |", "|---|---:|"]
        lines += [f"| {name} | {value} |" for name, value in summary_rows(s.rows)]
        rule = "|".join("---" if i == 0 else "---:" for i in range(len(_COLUMNS)))
        lines += ["", f"| {' | '.join(_COLUMNS)} |", f"|{rule}|"]
        lines += [_program_row(r) for r in s.rows]
        lines.append("")
    return lines
