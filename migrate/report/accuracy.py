"""The accuracy page: figures per suite and target, generated from stored scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.pipeline.own_check import passes
from migrate.pipeline.score import KernelScore, SuiteScore
from migrate.report.ascend_projects import load_projects, projects_lines
from migrate.report.extraction import extraction_lines, load_extractions
from migrate.report.measurement import measurement_text
from migrate.report.model import Json, Share, to_json, totals_of
from migrate.report.originals import load_originals, originals_lines
from migrate.report.round_trip import load_round_trips, round_trip_lines

_TARGETS = ("tilelang", "ascend910b", "ascend950")
_RUNGS = ("tile", "lanes", "simt", "scalar", "refused", "unread")


@dataclass(frozen=True, slots=True)
class StoredScore:
    """A score as kept in ``docs/accuracy/NAME.json``."""

    name: str
    title: str
    date: str
    command: str
    tools: tuple[tuple[str, str], ...]
    kernels: tuple[dict[str, object], ...]
    programs: tuple[dict[str, object], ...]
    reruns: tuple[tuple[str, str], ...] = ()


def dump_score(
    score: SuiteScore, title: str, date: str, command: str, tools: tuple[tuple[str, str], ...]
) -> str:
    """The JSON of a score: names, verdicts and codes; no source text and no paths."""
    stored = {
        "kernels": [_without(to_json(k), "cause") for k in score.kernels],
        "programs": [_without(to_json(p), "detail") for p in score.programs],
    }
    return measurement_text(title, date, command, tools, stored)


def _without(row: Json, name: str) -> Json:
    """A row without a column: causes and details quote the user's sources and folders."""
    return {k: v for k, v in row.items() if k != name} if isinstance(row, dict) else row


def merge_score(old: str, new: str) -> str:
    """A stored score with the programs of a later, smaller run put in place of the old ones.

    ``old`` and ``new`` are texts of :func:`dump_score`. The later run is named under ``reruns``.
    """
    before, after = json.loads(old), json.loads(new)
    again = {(r["program"], r["target"]) for r in after["programs"]}
    for part in ("kernels", "programs"):
        kept = [r for r in before[part] if (r["program"], r["target"]) not in again]
        before[part] = sorted(
            kept + after[part], key=lambda r: (r["program"], r["target"], r.get("symbol", ""))
        )
    names = sorted({program for program, _ in again})
    rerun = {"date": after["date"], "command": after["command"], "programs": names}
    before["reruns"] = [*before.get("reruns", []), rerun]
    return json.dumps(before, indent=1, ensure_ascii=False) + "\n"


def load_scores(folder: Path) -> tuple[StoredScore, ...]:
    """All stored scores of a folder, by name. Raises :class:`UserError` CM0010."""
    found: list[StoredScore] = []
    for path in sorted(folder.glob("*.json")):
        try:
            d = json.loads(path.read_text(encoding="utf-8"))
            found.append(
                StoredScore(
                    path.stem,
                    str(d["title"]),
                    str(d["date"]),
                    str(d["command"]),
                    tuple((str(a), str(b)) for a, b in d["tools"]),
                    tuple(d["kernels"]),
                    tuple(d["programs"]),
                    tuple((str(r["date"]), ", ".join(r["programs"])) for r in d.get("reruns", ())),
                )
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                Diagnostic(usage.UNREADABLE_REPORT, Outcome.STOPPED, f"{path}: {error}")
            ) from error
    return tuple(found)


def share_text(share: Share) -> str:
    """``46 (92.0 %, 81-97)``: count, percentage and Wilson 95 % interval."""
    if share.total == 0:
        return "0"
    low, high = round(100 * share.low), round(100 * share.high)
    return f"{share.count} ({100 * share.count / share.total:.1f} %, {low}-{high})"


def brief(share: Share) -> str:
    """``46 (92 %)``."""
    if share.total == 0:
        return "0"
    return f"{share.count} ({100 * share.count / share.total:.0f} %)"


def figures(
    verdicts: tuple[str, ...], show: Callable[[Share], str] = share_text
) -> tuple[str, ...]:
    """Kernels, emitted, compiled, equal, refused, not compared, different."""
    t = totals_of(verdicts)
    shares = (t.emitted, t.compiled, t.equal, t.refused, t.not_compared, t.different)
    return (str(t.kernels), *(show(s) for s in shares))


HEAD = ("kernels", "emitted", "compiled", "equal", "refused", "not compared", "different")


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    rule = "|".join("---" if i == 0 else "---:" for i in range(len(head)))
    lines = [f"| {' | '.join(head)} |", f"|{rule}|"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _suite(score: StoredScore) -> list[str]:
    lines = [f"## {score.title}", ""]
    tools = ", ".join(f"{n} {v}" for n, v in score.tools)
    lines += [f"{score.date}. `{score.command}`", "", f"Tools: {tools}.", ""]
    for date, names in score.reruns:
        lines += [f"Run again on {date}: {names}.", ""]
    present = [t for t in _TARGETS if any(k["target"] == t for k in score.kernels)]
    rows: list[tuple[str, ...]] = [
        (t, *figures(tuple(str(k["verdict"]) for k in score.kernels if k["target"] == t)))
        for t in present
    ]
    lines += _table(("target", *HEAD), rows)
    lines += ["", "By rung:", ""]
    rung_rows: list[tuple[str, ...]] = []
    for t in present:
        for rung in _RUNGS:
            verdicts = tuple(
                str(k["verdict"]) for k in score.kernels if k["target"] == t and k["rung"] == rung
            )
            if verdicts:
                totals = totals_of(verdicts)
                rung_rows.append(
                    (
                        t,
                        rung,
                        str(totals.kernels),
                        str(totals.equal.count),
                        str(totals.not_compared.count),
                        str(totals.different.count),
                    )
                )
    lines += _table(("target", "rung", "kernels", "equal", "not compared", "different"), rung_rows)
    lines += _archetypes(score, present)
    lines += _causes(score, present)
    lines += _programs(score, present)
    return [*lines, ""]


def _archetypes(score: StoredScore, present: list[str]) -> list[str]:
    """Equal kernels per archetype (the group of their program) and rung, ``equal/all``."""
    counts: Counter[tuple[str, str, str]] = Counter()
    equal: Counter[tuple[str, str, str]] = Counter()
    for k in score.kernels:
        place = (str(k["target"]), str(k.get("group") or ""), str(k["rung"]))
        counts[place] += 1
        equal[place] += totals_of((str(k["verdict"]),)).equal.count
    rungs = [r for r in _RUNGS if any(group and rung == r for _, group, rung in counts)]
    rows: list[tuple[str, ...]] = []
    for t in present:
        for group in sorted({g for target, g, _ in counts if target == t and g}):
            here = [(t, group, r) for r in rungs]
            cells = (f"{equal[h]}/{counts[h]}" if counts[h] else "" for h in here)
            whole = (sum(equal[h] for h in here), sum(counts[h] for h in here))
            rows.append((t, group, f"{whole[0]}/{whole[1]}", *cells))
    if not rows:
        return []
    head = ("target", "archetype", "equal/kernels", *rungs)
    return ["", "By archetype, equal kernels of all on each rung:", "", *_table(head, rows)]


def _causes(score: StoredScore, present: list[str]) -> list[str]:
    lines: list[str] = []
    counts: Counter[tuple[str, str, str]] = Counter()
    for k in score.kernels:
        if k["verdict"] in ("refused", "compiled", "emitted", "different"):
            codes = k["codes"]
            code = str(codes[0]) if isinstance(codes, list) and codes else "none"
            counts[(str(k["target"]), str(k["verdict"]), code)] += 1
    if counts:
        order = sorted(counts.items(), key=lambda x: (present.index(x[0][0]), -x[1], x[0]))
        rows: list[tuple[str, ...]] = [
            (t, v, f"[{c}](diagnostics/{c}.md)", str(n)) for (t, v, c), n in order
        ]
        lines += ["", "Kernels that are not equal, by first code:", ""]
        lines += _table(("target", "verdict", "code", "kernels"), rows)
    return lines


_PROGRAMS = (
    "target",
    "programs",
    "original passes",
    "migrated passes",
    "of these by saying nothing",
    "control passes (the check is blind)",
    "passes with other arguments alone",
    "no check that passes: output equal",
)


def _programs(score: StoredScore, present: list[str]) -> list[str]:
    rows: list[tuple[str, ...]] = []
    for t in present:
        mine = [p for p in score.programs if p["target"] == t]
        ran = [p for p in mine if passes(str(p["original"]))]
        row = [t, str(len(mine)), str(len(ran))]
        if all(p["migrated"] == "not-run" for p in mine):
            rows.append((*row, *("-" for _ in _PROGRAMS[3:])))
            continue
        done = [p for p in ran if passes(str(p["migrated"]))]
        counts = (
            len(done),
            sum(p["migrated"] == "silent" for p in done),
            sum(p["control"] == "pass" for p in ran),
            sum(bool(p.get("arguments")) and passes(str(p["migrated"])) for p in mine),
            sum(p.get("output") == "equal" and not passes(str(p["migrated"])) for p in mine),
        )
        rows.append((*row, *map(str, counts)))
    return ["", "Whole programs, by their own check:", "", *_table(_PROGRAMS, rows)]


def accuracy_page(folder: Path) -> str:
    """``docs/accuracy.md`` from the scores in ``folder`` and its ``notes.md``, if there is one."""
    notes = folder / "notes.md"
    text = notes.read_text(encoding="utf-8").strip() if notes.is_file() else ""
    further = originals_lines(load_originals(folder / "originals"))
    further += projects_lines(load_projects(folder / "ascend-projects"))
    further += round_trip_lines(load_round_trips(folder / "round-trip"))
    further += extraction_lines(load_extractions(folder / "front-end"))
    return render_accuracy(load_scores(folder), text, further)


def render_accuracy(
    scores: tuple[StoredScore, ...], notes: str = "", further: Sequence[str] = ()
) -> str:
    """The page as Markdown; ``notes`` stand before the tables, ``further`` sections behind."""
    lines = [
        "# Accuracy",
        "",
        "Generated by `cudamigrate score` from `docs/accuracy/*.json`; not edited by hand.",
        "",
        "Figures are never summed into one. *equal* means that numbers were compared on captured",
        "launches and agree; a kernel that was not compared is not equal. Shares carry the Wilson",
        "95 % interval in percent. A template counts once an instantiation.",
        "",
    ]
    if notes:
        lines += [notes, ""]
    for score in scores:
        lines += _suite(score)
    return "\n".join([*lines, *further])


def verdicts_of(kernels: tuple[KernelScore, ...], target: str) -> tuple[str, ...]:
    """The verdicts of one target."""
    return tuple(k.verdict for k in kernels if k.target == target)
