"""One self-contained HTML file: figures, kernels side by side, evidence, diagnostics.

The page needs no network and works from a ``file:`` URL. Its content policy allows only the two
inline blocks whose hashes it names, so that text out of a CUDA source cannot run even if it were
not escaped. Without JavaScript everything is still there and readable; the script adds filters,
sorting, line numbers, highlighting and the links between lines.
"""

from __future__ import annotations

import base64
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path, PurePath

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from migrate.core.resources import data_dir
from migrate.report.explanation import page_html
from migrate.report.largest import largest_difference, number
from migrate.report.model import (
    BufferRow,
    DiagnosticRow,
    KernelRow,
    LaunchRow,
    ProgramRow,
    Report,
    Share,
)

_STATE = {
    "device-equal": "good",
    "equal": "good",
    "equal-captured": "good",
    "compiled": "open",
    "emitted": "open",
    "refused": "lost",
    "different": "bad",
}
_STATE_ORDER = ("bad", "lost", "open", "good")
_SEVERITY_ORDER = ("error", "warning", "note")
ULP_LABELS = ("0", "1", "2", "≤4", "≤16", "≤64", "≤1024", "more")
"""Labels of ``BufferRow.ulp_histogram`` (see ``migrate.verify.compare.Difference``)."""

SHOWN_LAUNCHES = 4
"""Launches of a kernel that are shown at once; the others are folded away."""

VERDICTS = (
    ("device-equal", "equal on a real device"),
    ("equal", "equal on captured launches and on further generated ones"),
    ("equal-captured", "equal on every captured launch"),
    ("compiled", "the generated code compiles; no numbers were compared"),
    ("emitted", "code was written; nothing was compiled"),
    ("refused", "no code, with a diagnostic that says why"),
    ("different", "numbers differ from the original"),
)
RUNGS = (
    ("tile", "operations on whole blocks of data"),
    ("lanes", "one operation over all threads of a block"),
    ("simt", "one CUDA thread stays one thread"),
    ("scalar", "a loop over threads on the scalar unit: right, and slow"),
)


@dataclass(frozen=True, slots=True)
class _Figure:
    """One figure of the summary. ``tone`` colours it when its count is not zero."""

    name: str
    meaning: str
    tone: str
    share: Share


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A kernel with what the list shows of it. ``worst`` sorts like ``worst_text`` reads."""

    id: str
    program: str
    row: KernelRow
    state: str
    order: int
    worst: float
    worst_text: str
    codes: tuple[str, ...]
    search: str

    @property
    def launches(self) -> tuple[LaunchRow, ...]:
        """Launches that are not equal first."""
        return tuple(sorted(self.row.launches, key=lambda x: x.equal))


@dataclass(frozen=True, slots=True)
class _CodeEntry:
    """A diagnostic code that occurs, how often, where, and its page."""

    code: str
    title: str
    severity: str
    count: int
    kernels: tuple[_Kernel, ...]
    html: Markup | None


def launch_state(launch: LaunchRow, verdict: str) -> tuple[str, str]:
    """A launch as (words, tone), given the verdict of its kernel.

    A launch with a problem makes its kernel ``different`` unless it could not be run at all; so
    under any other verdict it was not run.
    """
    if launch.equal:
        # Under these verdicts the launch changed no memory (CM5008), so equality proves nothing.
        unproven = verdict in ("compiled", "emitted")
        return ("nothing changed", "open") if unproven else ("equal", "good")
    if not launch.problem:
        return "different", "bad"
    return ("run failed", "bad") if verdict == "different" else ("not compared", "open")


def _shown_codes(row: KernelRow) -> tuple[str, ...]:
    order = sorted(row.diagnostics, key=lambda d: _SEVERITY_ORDER.index(d.severity))
    return tuple(dict.fromkeys(d.code for d in order))


def _kernels(report: Report) -> tuple[_Kernel, ...]:
    """All kernels: those that need a look first, otherwise in the order of the report."""
    found: list[_Kernel] = []
    for program in report.programs:
        for row in program.kernels:
            worst = largest_difference(row)
            state = _STATE.get(row.verdict, "open")
            codes = _shown_codes(row)
            words = (program.name, row.symbol, row.file, row.verdict, row.rung, *codes)
            found.append(
                _Kernel(
                    id=f"k{len(found) + 1}",
                    program=program.name,
                    row=row,
                    state=state,
                    order=len(found),
                    worst=worst.order,
                    worst_text=worst.words,
                    codes=codes,
                    search=" ".join(words).lower(),
                )
            )
    return tuple(sorted(found, key=lambda k: (_STATE_ORDER.index(k.state), k.order)))


def _all_diagnostics(report: Report) -> list[tuple[DiagnosticRow, _Kernel | None]]:
    kernels = _kernels(report)
    found: list[tuple[DiagnosticRow, _Kernel | None]] = [
        (d, k) for k in kernels for d in k.row.diagnostics
    ]
    found += [(d, None) for p in report.programs for d in p.diagnostics]
    found += [(d, None) for d in report.diagnostics]
    return found


def _code_entries(report: Report) -> tuple[_CodeEntry, ...]:
    found = _all_diagnostics(report)
    shown = frozenset(d.code for d, _ in found)
    entries: list[_CodeEntry] = []
    for code in shown:
        own = [(d, k) for d, k in found if d.code == code]
        html = page_html(code, shown)
        severity = min((d.severity for d, _ in own), key=_SEVERITY_ORDER.index)
        kernels = dict.fromkeys(k for _, k in own if k is not None)
        entries.append(
            _CodeEntry(
                code=code,
                title=own[0][0].title,
                severity=severity,
                count=len(own),
                kernels=tuple(kernels),
                html=None if html is None else Markup(html),
            )
        )
    entries.sort(key=lambda e: (_SEVERITY_ORDER.index(e.severity), -e.count, e.code))
    return tuple(entries)


def _figures(report: Report) -> tuple[_Figure, ...]:
    t = report.totals
    return (
        _Figure("emitted", "code was written", "plain", t.emitted),
        _Figure("compiled", "the generated code compiles", "plain", t.compiled),
        _Figure("equal", "numbers were compared and agree", "good", t.equal),
        _Figure("not compared", "emitted, but no numbers compared", "open", t.not_compared),
        _Figure("refused", "not emitted, with a reason", "lost", t.refused),
        _Figure("different", "numbers differ", "bad", t.different),
    )


def size(count: int) -> str:
    """Bytes with a binary unit."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            break
        amount /= 1024
    return f"{amount:.4g} {unit}"


def _folder(file: str) -> str:
    """The path of a file up to its name, with the last slash."""
    return file[: len(file) - len(_file_name(file))]


def _file_name(file: str) -> str:
    return PurePath(file).name


def _dim(value: tuple[int, int, int]) -> str:
    return " × ".join(str(v) for v in value)


def _control(program: ProgramRow) -> tuple[str, str]:
    """What the run with skipped kernels shows, as (tone, words)."""
    match program.control_run:
        case "fail":
            return "good", "fails without its kernels, as it must"
        case "pass":
            return "bad", "passes without its kernels: the check proves nothing"
        case "no-check":
            return "open", "no check of its own"
        case "not-run":
            return "none", "not run"
        case other:
            return "open", other


def _needs_a_look(program: ProgramRow) -> bool:
    errors = any(d.severity == "error" for d in program.diagnostics)
    return (
        program.check_failed
        or program.stopped_at_refused
        or program.control_run == "pass"
        or errors
    )


def _program_codes(program: ProgramRow) -> tuple[str, ...]:
    order = sorted(program.diagnostics, key=lambda d: _SEVERITY_ORDER.index(d.severity))
    return tuple(dict.fromkeys(d.code for d in order if d.severity != "note"))


def _migrated(program: ProgramRow) -> tuple[str, str]:
    """The run of the migrated program, as (tone, words)."""
    if program.stopped_at_refused:
        return "lost", f"{program.migrated_run}: a kernel is refused"
    return run_tone(program.migrated_run), program.migrated_run


def run_tone(state: str) -> str:
    """Colour of a whole-program run."""
    tones = {"pass": "good", "silent": "good", "fail": "bad", "error": "bad", "no-check": "open"}
    return tones.get(state, "none")


def _bars(buffer: BufferRow) -> tuple[tuple[str, int, float], ...]:
    """Histogram bars as (label, count, height 0..1); heights are logarithmic, so 1 shows."""
    top = math.log1p(max(buffer.ulp_histogram, default=0))
    return tuple(
        (label, count, math.log1p(count) / top if top else 0.0)
        for label, count in zip(ULP_LABELS, buffer.ulp_histogram, strict=False)
    )


def _pairs(row: KernelRow) -> str:
    return " ".join(f"{p.generated}:{p.original}" for p in row.line_pairs)


def _marks(row: KernelRow) -> str:
    """Lines of the original that have diagnostics: ``line/severity/code``, within the text."""
    inside = range(1, row.original.count("\n") + 2)
    return " ".join(
        f"{d.line - row.line + 1}/{d.severity}/{d.code}"
        for d in row.diagnostics
        if d.file == row.file and d.line - row.line + 1 in inside
    )


def _language(row: KernelRow) -> str:
    return "python" if PurePath(row.generated_file).suffix == ".py" else "cpp"


def _environment(folder: Path) -> Environment:
    env = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals["shown_launches"] = SHOWN_LAUNCHES
    env.filters.update(
        number=number,
        size=size,
        dim=_dim,
        run_tone=run_tone,
        bars=_bars,
        pairs=_pairs,
        marks=_marks,
        language=_language,
        control=_control,
        migrated=_migrated,
        program_codes=_program_codes,
        needs_a_look=_needs_a_look,
        folder=_folder,
        file_name=_file_name,
        launch_state=launch_state,
    )
    return env


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def render_html(report: Report) -> str:
    """The whole report as one HTML document."""
    folder = data_dir("templates") / "report"
    css = (folder / "report.css").read_text(encoding="utf-8")
    script = (folder / "report.js").read_text(encoding="utf-8")
    kernels = _kernels(report)
    verdicts = [(v, sum(k.row.verdict == v for k in kernels), _STATE[v]) for v, _ in VERDICTS]
    return (
        _environment(folder)
        .get_template("report.html.j2")
        .render(
            report=report,
            figures=_figures(report),
            kernels=kernels,
            verdicts=[v for v in verdicts if v[1]],
            rungs=tuple(dict.fromkeys(k.row.rung for k in kernels)),
            programs=sorted(report.programs, key=lambda p: not _needs_a_look(p)),
            failing=sum(p.check_failed for p in report.programs),
            blocked=sum(p.stopped_at_refused for p in report.programs),
            codes=_code_entries(report),
            css=Markup(css),
            script=Markup(script),
            css_hash=_hash(css),
            script_hash=_hash(script),
            legend_verdicts=VERDICTS,
            legend_rungs=RUNGS,
        )
    )
