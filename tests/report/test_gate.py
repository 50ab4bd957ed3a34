"""What keeps a report from passing the gate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_report import kernel, program, report_of

from migrate.cli.convert import exit_for
from migrate.cli.gate import failures
from migrate.report.model import Report


def _report(*verdicts: str, migrated: str = "pass") -> Report:
    rows = (kernel(f"k{i}", v) for i, v in enumerate(verdicts))
    return report_of(program("p", *rows, runs=("pass", migrated, "fail")))


@pytest.mark.parametrize("verdict", ["device-equal", "equal", "equal-captured"])
def test_all_equal_passes(verdict: str) -> None:
    assert failures(_report(verdict, verdict), 1.0, 0, None) == ()


@pytest.mark.parametrize("verdict", ["compiled", "emitted", "refused"])
def test_not_compared_is_not_equal(verdict: str) -> None:
    assert failures(_report("equal", verdict), 1.0, 0, None) == (
        "equal: 1 of 2 kernels (50.0%), wanted 100.0%",
    )
    assert failures(_report("equal", verdict), 0.5, 0, None) == ()


def test_a_different_kernel_fails_whatever_the_share() -> None:
    report = _report("equal", "different")
    assert failures(report, 0.0, 0, None) == ("different: 1, allowed 0",)
    assert failures(report, 0.0, 1, None) == ()


def test_an_empty_report_never_passes() -> None:
    assert failures(report_of(), 0.0, 0, None) == ("the report holds no kernel",)


@pytest.mark.parametrize("run", ["fail", "error"])
def test_the_migrated_programs_own_check(run: str) -> None:
    (found,) = failures(_report("equal", migrated=run), 1.0, 0, None)
    assert found == f"p: the migrated program's own check: {run}"


def test_a_program_that_stops_at_a_refused_kernel_did_not_fail_its_check() -> None:
    report = _report("equal", "refused", migrated="error")
    (row,) = report.programs
    stopped = report_of(replace(row, detail="CM3001: kernel k1 was not migrated: a barrier"))
    assert failures(stopped, 0.5, 0, None) == () and exit_for(stopped) == 0
    # Any other way to end is not excused by the refused kernel.
    assert len(failures(report, 0.5, 0, None)) == 1 and exit_for(report) == 1
    launched = report_of(replace(row, detail="CM3001: kernel k0 was not migrated: a barrier"))
    assert len(failures(launched, 0.5, 0, None)) == 1 and exit_for(launched) == 1


def test_exit_code_of_a_conversion() -> None:
    assert exit_for(_report("equal", "refused", "compiled")) == 0
    assert exit_for(_report("equal", "different")) == 1
    assert exit_for(_report("equal", migrated="fail")) == 1


def test_baseline() -> None:
    before = _report("equal", "equal", "refused")
    assert failures(_report("equal", "device-equal", "refused"), 0.0, 0, before) == ()
    assert failures(_report("equal", "compiled", "equal"), 0.0, 0, before) == (
        "p: k1 was equal, is compiled",
    )
    assert failures(_report("equal"), 0.0, 0, before) == ("p: k1 was equal, is missing",)


def test_every_reason_is_named() -> None:
    found = failures(_report("different", migrated="fail"), 1.0, 0, _report("equal"))
    assert len(found) == 4
