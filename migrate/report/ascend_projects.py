"""The part of the accuracy page about existing Ascend C projects, from stored figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.pipeline.ascend_projects import CaseResult, ProgramResult
from migrate.report.measurement import measurement_text
from migrate.report.model import Json, to_json

_HEAD = ("program", "runs", "compile", "own check", "kernels skipped", "memory zeroed")


@dataclass(frozen=True, slots=True)
class StoredProjects:
    """Figures as kept in ``docs/accuracy/ascend-projects/NAME.json``, and the text beside them."""

    title: str
    date: str
    command: str
    programs: tuple[ProgramResult, ...]
    notes: str
    reruns: tuple[tuple[str, str], ...] = ()


def dump_projects(
    programs: Iterable[ProgramResult],
    title: str,
    date: str,
    command: str,
    tools: tuple[tuple[str, str], ...],
) -> str:
    """The JSON of a measurement; without causes, which quote the projects' sources and folders."""
    rows = [{"program": p.program, "cases": [_row(c) for c in p.cases]} for p in programs]
    return measurement_text(title, date, command, tools, {"programs": rows})


def _row(case: CaseResult) -> dict[str, Json]:
    row = to_json(case)
    assert isinstance(row, dict)
    return {name: value for name, value in row.items() if name != "cause"}


def load_projects(folder: Path) -> tuple[StoredProjects, ...]:
    """All stored figures of a folder, by name. Raises :class:`UserError` CM0010."""
    known = {f.name for f in fields(CaseResult)}
    found: list[StoredProjects] = []
    for path in sorted(folder.glob("*.json")):
        try:
            d = json.loads(path.read_text(encoding="utf-8"))
            programs = tuple(
                ProgramResult(
                    str(p["program"]),
                    tuple(
                        CaseResult(**{k: v for k, v in c.items() if k in known}) for c in p["cases"]
                    ),
                )
                for p in d["programs"]
            )
            notes = path.with_suffix(".md")
            text = notes.read_text(encoding="utf-8").strip() if notes.is_file() else ""
            reruns = tuple((str(r["date"]), ", ".join(r["programs"])) for r in d.get("reruns", ()))
            found.append(
                StoredProjects(
                    str(d["title"]), str(d["date"]), str(d["command"]), programs, text, reruns
                )
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, f"{path}: {error}")
            ) from error
    return tuple(found)


def summary_rows(programs: tuple[ProgramResult, ...]) -> tuple[tuple[str, str], ...]:
    """Names and figures, for the page and the terminal."""
    checked = [p for p in programs if p.self_checked]
    passing = sum(p.passed for p in checked)
    runs = [c for p in checked for c in p.cases if c.self_checked]
    share = f" ({100 * passing / len(checked):.1f} %)" if checked else ""
    return (
        ("programs", str(len(programs))),
        ("compile", str(sum(p.compiled for p in programs))),
        ("check their results", str(len(checked))),
        ("of these pass in every case", f"{passing}{share}"),
        ("runs that check their results", str(len(runs))),
        ("of these pass", str(sum(c.passed for c in runs))),
        ("of the others pass with zeroed memory", str(sum(c.zeroed == "pass" for c in runs))),
        ("pass their check with kernels skipped", str(sum(c.blind for c in runs))),
    )


def _tally(words: Iterable[str]) -> str:
    listed = tuple(words)
    kinds = tuple(dict.fromkeys(listed))
    return ", ".join(k if len(kinds) == 1 else f"{listed.count(k)} {k}" for k in kinds) or "-"


def _program_row(program: ProgramResult) -> str:
    cases = program.cases
    built = sum(c.check != "not-compiled" for c in cases)
    cells = (
        program.program,
        str(len(cases)),
        "yes" if program.compiled else f"{built} of {len(cases)}",
        _tally(c.check for c in cases),
        _tally(c.control for c in cases),
        _tally(c.zeroed for c in cases if c.zeroed != "not-run"),
    )
    return f"| {' | '.join(cells)} |"


def projects_lines(stored: tuple[StoredProjects, ...]) -> list[str]:
    """The section of the page; nothing without figures."""
    if not stored:
        return []
    lines = [
        "## Existing Ascend C projects on the runtime for the CPU",
        "",
        "`cudamigrate run-ascend` builds projects that were written for the vendor's compiler",
        "unchanged, with their own build file, against our headers, and runs them with their own",
        "data and check. Nothing in them was migrated: they test the runtime that all other Ascend",
        "figures rest on. A program *passes* when its check holds in every case and argument list",
        "that its build file and README name, and in one of them at least fails when kernels are",
        "skipped. A check that only sets the exit status is shown as *no-check* beside a control",
        "that fails.",
        "",
    ]
    for s in stored:
        lines += [f"### {s.title}", "", f"{s.date}. `{s.command}`", ""]
        for date, names in s.reruns:
            lines += [f"Run again on {date}: {names}.", ""]
        lines += ["| figure | value |", "|---|---:|"]
        lines += [f"| {name} | {value} |" for name, value in summary_rows(s.programs)]
        lines += ["", f"| {' | '.join(_HEAD)} |", "|---|---:|---:|---:|---:|---:|"]
        lines += [_program_row(p) for p in s.programs]
        lines += ["", s.notes, ""] if s.notes else [""]
    return lines
