"""The part of the accuracy page about round trips, from stored figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.pipeline.round_trip import RoundTrip
from migrate.report.measurement import measurement_text
from migrate.report.model import to_json

_COLUMNS = (
    "program", "kernels printed", "left", "unread", "before", "after", "launches", "equal",
    "other input",
)  # fmt: skip
_HIDDEN = ("detail", "left")
"""Details and reasons quote the user's sources; of ``left`` the number of kernels is stored."""


@dataclass(frozen=True, slots=True)
class StoredRoundTrips:
    """Figures of one suite as kept in ``docs/accuracy/round-trip/NAME.json``."""

    title: str
    date: str
    command: str
    rows: tuple[RoundTrip, ...]
    left: tuple[int, ...]
    reruns: tuple[tuple[str, str], ...] = ()


def dump_round_trips(
    rows: Iterable[RoundTrip],
    title: str,
    date: str,
    command: str,
    tools: tuple[tuple[str, str], ...],
) -> str:
    """The JSON of a measurement."""
    stored = {
        "programs": [_row(r) for r in rows],
    }
    return measurement_text(title, date, command, tools, stored)


def _row(trip: RoundTrip) -> dict[str, object]:
    row = to_json(trip)
    assert isinstance(row, dict)
    shown: dict[str, object] = {k: v for k, v in row.items() if k not in _HIDDEN}
    return shown | {"kept": len(trip.left)}


def load_round_trips(folder: Path) -> tuple[StoredRoundTrips, ...]:
    """All stored figures of a folder, by name. Raises :class:`UserError` CM0010."""
    found: list[StoredRoundTrips] = []
    for path in sorted(folder.glob("*.json")):
        try:
            d = json.loads(path.read_text(encoding="utf-8"))
            rows = tuple(
                RoundTrip(
                    program=str(r["program"]),
                    text_equal=bool(r["text_equal"]),
                    kernels=int(r["kernels"]),
                    left=(),
                    unread=int(r["unread"]),
                    before=str(r["before"]),
                    after=str(r["after"]),
                    launches=int(r["launches"]),
                    equal=int(r["equal"]),
                    other_input=int(r["other_input"]),
                )
                for r in d["programs"]
            )
            kept = tuple(int(r["kept"]) for r in d["programs"])
            reruns = tuple((str(r["date"]), ", ".join(r["programs"])) for r in d.get("reruns", ()))
            found.append(
                StoredRoundTrips(
                    str(d["title"]), str(d["date"]), str(d["command"]), rows, kept, reruns
                )
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, f"{path}: {error}")
            ) from error
    return tuple(found)


def figures_line(rows: Iterable[RoundTrip]) -> str:
    """The figures of a suite in a sentence, for the page and the terminal."""
    listed = tuple(rows)
    passing = [r for r in listed if r.before == "pass"]
    after = sum(r.after == "pass" for r in passing)
    same = sum(r.holds for r in passing)
    text = sum(r.text_equal for r in listed)
    return (
        f"{len(listed)} programs; {len(passing)} pass before, {after} of them pass after, "
        f"{same} with the same memory after every launch that was given the same; "
        f"the IR's text reads back as the same IR for {text}."
    )


def round_trip_lines(suites: tuple[StoredRoundTrips, ...]) -> list[str]:
    """The section of the page; nothing without figures."""
    if not suites:
        return []
    lines = [
        "## Round trip",
        "",
        "`cudamigrate score --round-trip` reads every kernel into the IR, prints it back as CUDA",
        "in place of its body, and runs both programs on the CPU runtime. *left* are kernels",
        "that keep their own body, *unread* are kernels that have no IR; *equal* are launches that",
        "leave the same bytes in memory as those of the original. *other input* are launches that",
        "find other memory in the two runs, because the program draws its input anew.",
        "",
    ]
    for s in suites:
        lines += [f"### {s.title}", "", f"{s.date}. `{s.command}`", ""]
        for date, names in s.reruns:
            lines += [f"Run again on {date}: {names}.", ""]
        lines += [figures_line(s.rows), ""]
        rule = "|".join("---" if i == 0 else "---:" for i in range(len(_COLUMNS)))
        lines += [f"| {' | '.join(_COLUMNS)} |", f"|{rule}|"]
        for r, left in zip(s.rows, s.left, strict=True):
            cells = (
                r.program, r.kernels, left, r.unread, r.before, r.after, r.launches, r.equal,
                r.other_input,
            )  # fmt: skip
            lines.append(f"| {' | '.join(map(str, cells))} |")
        lines.append("")
    return lines
