"""What counts as a program's own verdict."""

from __future__ import annotations

import pytest

from migrate.emulation.run import RunResult
from migrate.pipeline.own_check import Words, classify_run


def ended(text: str, status: int = 0) -> RunResult:
    return RunResult(status, text, "", 0.1, False, "")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Maximum difference 0\n", "pass"),
        ("Maximum difference 3\n", "no-check"),
        ("max error: 0.000000e+00", "pass"),
        ("RMSE: 0.000108\nRMSE: 0.000000", "no-check"),
        ("RMSE: nan", "no-check"),
        ("Error rate: 0.000000 0.000000 0.000000", "pass"),
        ("Error rate: 0.000000 0.125000 0.000000", "no-check"),
        ("verifying: true\nverifying: true", "pass"),
        ("verifying: true\nverifying: false\nMaximum difference 0", "fail"),
        (" Number of failures: 0 out of 1", "pass"),
        (" Number of failures: 1 out of 1", "fail"),
        ("Average time: 0.000000 s\nDevice count: 0\n", "no-check"),
        ("Maximum difference 0\nFAILED", "fail"),
        ("Maximum difference 5\nPASS", "pass"),
        ("FAIL: 3 of 8 lanes", "fail"),
        ("L1 error: 3.070748E-08\nTest passed", "pass"),
        ("L1 error: 3.070748E-08", "no-check"),
        ("errors: 3\nTest passed", "fail"),
        ("All results match.", "pass"),
        ("The results do not match.", "no-check"),
        ("All results match.\nMismatch at 3", "fail"),
        ("error at 5: wrong value\nTest passed", "fail"),
    ],
)
def test_words_and_figures(text: str, verdict: str) -> None:
    assert classify_run(ended(text)) == verdict


@pytest.mark.parametrize(
    ("text", "status", "verdict"),
    [
        ("done", 0, "pass"),
        ("done", 1, "fail"),
        ("waived", 2, "error"),
        ("Test FAILED", 0, "fail"),
        ("as expected: assertion `i < n' failed", 0, "pass"),
    ],
)
def test_a_status_decides_where_the_table_says_so(text: str, status: int, verdict: str) -> None:
    assert classify_run(ended(text, status), Words.STATUS) == verdict


def test_a_status_alone_is_no_verdict_elsewhere() -> None:
    assert classify_run(ended("done")) == "no-check"
