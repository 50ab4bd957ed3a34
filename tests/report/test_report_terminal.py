"""Terminal tables and diagnostics, without colour and at a fixed width."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sample_report import BARRIER, buffer, kernel, launch, program, report_of, sample_report
from syrupy.assertion import SnapshotAssertion

from migrate.core.codes import lifting, usage
from migrate.core.diagnostics import Diagnostic, Outcome, Suggestion
from migrate.core.span import span_of
from migrate.report.model import Report
from migrate.report.terminal import print_diagnostic, print_report

SOURCE = b"""\
__global__ void k(float* x) {
\tx[0] = 1;
\t__syncthreads();
}
"""


def _shown(report: Report, width: int = 160) -> str:
    out = io.StringIO()
    print_report(Console(file=out, width=width, no_color=True), report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_report(snapshot: SnapshotAssertion) -> None:
    assert _shown(sample_report()) == snapshot


def test_a_narrow_terminal_keeps_names_whole() -> None:
    lines = _shown(sample_report(), width=80).splitlines()[:6]
    assert len(lines[1].split()) >= 4 and all(len(line) <= 80 for line in lines)
    assert ["equal-captured" in line and "scale<float>" in line for line in lines].count(True) == 1


def test_names_are_never_read_as_markup() -> None:
    row = kernel("k<[bold]x[/bold]>[/]", "equal")
    text = _shown(report_of(program("[red]p", row, runs=("[b]", "fail", "pass"))))
    assert "k<[bold]x[/bold]>[/]" in text and "[red]p" in text and "[b]" in text


def test_a_crashed_launch_is_not_bit_equal() -> None:
    crashed = launch(0, problem="ended by signal 11")
    text = _shown(report_of(program("p", kernel("k", "different", (crashed,)), runs=("pass",) * 3)))
    assert "bit-equal" not in text and "run failed" in text


def test_wrong_integers_are_counted() -> None:
    integers = replace(buffer("y", wrong=3), max_ulp=0, ulp_histogram=())
    row = kernel("k", "different", (launch(0, integers),))
    assert "3 wrong" in _shown(report_of(program("p", row, runs=("pass",) * 3)))


def test_what_belongs_to_no_kernel_is_shown() -> None:
    lost = replace(BARRIER, code="CM1008", title="parser could not read the file", cause="a\nb")
    unread = replace(program("p", runs=("pass", "error", "not-run")), diagnostics=(lost,))
    text = _shown(report_of(unread))
    assert "p: error[CM1008]: parser could not read the file: a" in text.splitlines()


def _printed(diagnostic: Diagnostic) -> list[str]:
    out = io.StringIO()
    print_diagnostic(Console(file=out, width=40, no_color=True), diagnostic)
    return out.getvalue().splitlines()


def test_diagnostic_points_at_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_bytes(SOURCE)
    start = SOURCE.index(b"__sync")
    lines = _printed(
        Diagnostic(
            lifting.HAS_BARRIER,
            Outcome.REFUSED,
            "barrier at line 3",
            span_of("k.cu", SOURCE, start, start + 15),
            "every thread of the block waits here",
            Suggestion("split the kernel"),
        )
    )
    assert lines[:3] == [
        "error[CM3001]: kernel synchronises the threads of a block",
        " --> k.cu:3:2",
        "  |",
    ]
    # The tab is expanded alike in both lines, so the carets stand below the call.
    assert lines[3].startswith("3 | ") and lines[3].endswith(" __syncthreads();")
    assert lines[4].endswith(" ^^^^^^^^^^^^^^^ every thread of the block waits here")
    assert lines[4].index("^") == lines[3].index("__")
    assert lines[5:] == [
        "  |",
        "  = cause: barrier at line 3",
        "  = help: split the kernel [review]",
        "  = outcome: kernel not emitted",
        "  = see: cudamigrate explain CM3001",
    ]


def test_diagnostic_without_a_place() -> None:
    lines = _printed(Diagnostic(usage.MISSING_INPUT, Outcome.STOPPED, "[x] is gone"))
    assert lines[:2] == ["error[CM0001]: input does not exist", "  = cause: [x] is gone"]
