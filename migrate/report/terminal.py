"""What the terminal shows: diagnostics with their source line, and tables.

Rich decides on colour and width; without a terminal the output is plain and the same every time.
"""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from migrate.core.diagnostics import Diagnostic, Severity
from migrate.core.span import NO_SPAN, Span
from migrate.report.largest import largest_difference
from migrate.report.layers import summed_layers
from migrate.report.model import KernelRow, Report, Share

WIDE = 110
"""Columns of a terminal from which the table of kernels shows everything."""

SHOWN_REMAINS = 6
"""Names that the table of layers shows in a row."""

_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_VERDICT_STYLE = {
    "device-equal": "green",
    "equal": "green",
    "equal-captured": "green",
    "compiled": "yellow",
    "emitted": "yellow",
    "refused": "red",
    "different": "bold white on red",
}


def _source_line(span: Span) -> str | None:
    try:
        lines = Path(span.file).read_bytes().split(b"\n")
    except OSError:
        return None
    if not 0 < span.line <= len(lines):
        return None
    return lines[span.line - 1].decode("utf-8", errors="replace").rstrip("\r")


def diagnostic_lines(d: Diagnostic) -> list[tuple[str, str]]:
    """A diagnostic as (text, style) lines."""
    style = _STYLE[d.severity]
    out = [(f"{d.severity.value}[{d.code.id}]: {d.code.title}", style)]
    if d.span != NO_SPAN:
        gutter = " " * len(str(d.span.line))
        out.append((f"{gutter}--> {d.span}", "dim"))
        line = _source_line(d.span)
        if line is not None:
            width = max(1, min(d.span.end - d.span.start, len(line) - d.span.column + 1))
            if d.span.end_line != d.span.line:
                width = max(1, len(line) - d.span.column + 1)
            lead = "".join(c if c == "\t" else " " for c in line[: d.span.column - 1])
            out.append((f"{gutter} |", "dim"))
            out.append((f"{d.span.line} | {line}", ""))
            out.append((f"{gutter} | {lead}{'^' * width} {d.label}".rstrip(), style))
            out.append((f"{gutter} |", "dim"))
    out.append((f"  = cause: {d.cause}", ""))
    if d.suggestion is not None:
        out.append((f"  = help: {d.suggestion.text} [{d.suggestion.trust.value}]", "green"))
    out.append((f"  = outcome: {d.outcome.value}", ""))
    more = f"cudamigrate explain {d.code.id}"
    rule = "" if d.rule is None else f"rule: {d.rule}; "
    out.append((f"  = {rule}see: {more}", "dim"))
    return out


def print_diagnostic(console: Console, d: Diagnostic) -> None:
    """One diagnostic, never wrapped inside the source line."""
    for text, style in diagnostic_lines(d):
        console.print(Text(text, style=style), soft_wrap=True)


def _location(row: KernelRow) -> str:
    return f"{Path(row.file).name}:{row.line}"


def kernel_table(report: Report, *, wide: bool = True) -> Table:
    """One row a kernel; the place in the source and the confidence only when there is room."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("program", "kernel", "where") if wide else ("program", "kernel"):
        table.add_column(name, overflow="fold")
    for name in ("rung", "verdict"):
        table.add_column(name, no_wrap=True)
    table.add_column("launches", justify="right", no_wrap=True)
    table.add_column("differs by", justify="right", no_wrap=True)
    if wide:
        table.add_column("confidence", justify="right")
    table.add_column("codes")
    for program in report.programs:
        for row in program.kernels:
            codes = " ".join(dict.fromkeys(d.code for d in row.diagnostics if d.severity != "note"))
            table.add_row(
                Text(program.name),
                Text(row.symbol),
                *((Text(_location(row)),) if wide else ()),
                row.rung,
                Text(row.verdict, style=_VERDICT_STYLE.get(row.verdict, "")),
                row.compared_text,
                largest_difference(row).words.partition(",")[0],
                *((f"{row.confidence:.2f}",) if wide else ()),
                codes,
            )
    return table


def _share(share: Share) -> str:
    if share.total == 0:
        return "-"
    return f"{100 * share.count / share.total:.1f} % ({100 * share.low:.0f}-{100 * share.high:.0f})"


def totals_table(report: Report) -> Table:
    """The separate figures with their Wilson 95 % intervals."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("figure")
    table.add_column("kernels", justify="right")
    table.add_column("share (95 % interval)", justify="right")
    totals = report.totals
    rows = (
        ("emitted", totals.emitted),
        ("compiled", totals.compiled),
        ("equal", totals.equal),
        ("refused", totals.refused),
        ("not compared", totals.not_compared),
        ("different", totals.different),
    )
    for name, share in rows:
        style = "bold red" if name == "different" and share.count else ""
        table.add_row(name, f"{share.count}/{share.total}", _share(share), style=style)
    return table


def layers_table(report: Report) -> Table:
    """The layers of the port over all programs: found, moved, and what remains."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("layer")
    table.add_column("found", justify="right")
    table.add_column("moved", justify="right")
    table.add_column("remains")
    for row in summed_layers(report):
        more = len(row.remains) - SHOWN_REMAINS
        names = ", ".join(row.remains[:SHOWN_REMAINS]) + (f" and {more} more" if more > 0 else "")
        table.add_row(row.layer, str(row.found), str(row.moved), Text(names))
    return table


def program_lines(report: Report) -> list[str]:
    """One line a program whose whole-program runs were made."""
    out: list[str] = []
    for p in report.programs:
        if p.original_run == "not-run" and p.migrated_run == "not-run":
            continue
        out.append(
            f"{p.name}: original {p.original_run}, migrated {p.migrated_run}, "
            f"kernels skipped {p.control_run}"
        )
    return out


def program_diagnostics(report: Report) -> list[tuple[str, str]]:
    """Warnings and errors that belong to no kernel, as (text, style)."""
    rows = [(p.name, d) for p in report.programs for d in p.diagnostics]
    rows += [("", d) for d in report.diagnostics]
    out: list[tuple[str, str]] = []
    for name, d in rows:
        if d.severity == "note":
            continue
        place = f"{d.file}:{d.line}: " if d.line else ""
        where = f"{name}: " if name else place
        cause = d.cause.partition("\n")[0]
        style = "bold red" if d.severity == "error" else "yellow"
        out.append((f"{where}{d.severity}[{d.code}]: {d.title}: {cause}", style))
    return out


def print_report(console: Console, report: Report) -> None:
    """The summary that ``convert`` and ``verify`` end with."""
    console.print(kernel_table(report, wide=console.width >= WIDE))
    console.print()
    console.print(totals_table(report))
    if any(p.layers for p in report.programs):
        console.print()
        console.print(layers_table(report))
    lines = program_lines(report)
    if lines:
        console.print()
        for line in lines:
            console.print(Text(line), soft_wrap=True)
    found = program_diagnostics(report)
    if found:
        console.print()
        for text, style in found:
            console.print(Text(text, style=style), soft_wrap=True)
