"""Originals alone: what counts as passed, what the control shows, and what the page says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.options import Limits, Options
from migrate.core.targets import Target
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.originals import OriginalScore, measure_original
from migrate.pipeline.suite import SuiteProgram
from migrate.report.originals import (
    dump_originals,
    load_originals,
    merge_programs,
    originals_lines,
    summary_rows,
)

_BLIND = """#include <cstdio>
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
int main(int argc, char **argv) {
  int *p, seen = -1;
  cudaMalloc(&p, 128);
  cudaMemset(p, 0, 128);
  if (argc == 1) fill<<<1, 32>>>(p);
  cudaMemcpy(&seen, p, 4, cudaMemcpyDeviceToHost);
  printf("%s\\n", seen == 0 ? "PASS" : "FAIL");  // element 0 is 0 with and without the kernel
}
"""
_SEEING = _BLIND.replace(
    "p[threadIdx.x] = threadIdx.x", "p[threadIdx.x] = threadIdx.x + 7"
).replace("seen == 0", "seen == 7")


def _measure(text: str, folder: Path, *args: str) -> OriginalScore:
    folder.mkdir()
    (folder / "main.cu").write_text(text)
    (source,) = find_programs((folder / "main.cu",))
    options = Options(Target.TILELANG, limits=Limits(seconds=20.0), reuse_runs=False)
    return measure_original(SuiteProgram(source, "test", args), options, folder / "work")


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> OriginalScore:
    return _measure(_BLIND, tmp_path_factory.mktemp("originals") / "blind")


def test_a_blind_check_does_not_let_the_control_pass(blind: OriginalScore) -> None:
    assert (blind.check, blind.control) == ("pass", "pass")
    assert (blind.worked, blind.control_worked) == (True, False)
    assert blind.passed
    assert not blind.control_passed
    assert (blind.captured, blind.replayed, blind.exact) == (1, 1, 1)


def test_a_check_that_passes_without_any_launch_does_not_count(tmp_path: Path) -> None:
    score = _measure(_BLIND, tmp_path / "idle", "no-launch")
    assert (score.check, score.control, score.passed) == ("pass", "pass", False)


def test_a_check_that_sees_the_kernel(tmp_path: Path) -> None:
    score = _measure(_SEEING, tmp_path / "seeing")
    assert (score.check, score.control, score.passed) == ("pass", "fail", True)


def test_a_check_that_speaks_only_of_faults(tmp_path: Path) -> None:
    words = 'printf("%s\\n", seen == 7 ? "PASS" : "FAIL");'
    assert words in _SEEING
    score = _measure(
        _SEEING.replace(words, 'if (seen != 7) printf("mismatch");'), tmp_path / "quiet"
    )
    assert (score.check, score.control, score.passed) == ("silent", "fail", True)
    without = _measure(_SEEING.replace(words, 'printf("%d", seen);'), tmp_path / "unchecked")
    assert (without.check, without.control, without.passed) == ("no-check", "no-check", False)
    figures = dict(summary_rows((score, without)))
    assert figures["own check passes"] == figures["of these by saying nothing"] == "1"
    assert figures["no check: ran to the end"] == "1"
    assert figures["of these every captured launch replays exactly"] == "1"


def test_what_does_not_compile_is_named(tmp_path: Path) -> None:
    score = _measure("int main() { return nothing; }\n", tmp_path / "broken")
    assert (score.check, score.passed) == ("not-compiled", False)
    assert "nothing" in score.cause


def test_the_page_counts_what_was_stored(blind: OriginalScore, tmp_path: Path) -> None:
    failing = replace(blind, program="other", check="fail", cause="said so")
    first = dump_originals((blind, failing), "Two", "today", "score two", ())
    assert "said so" not in first
    again = dump_originals((replace(failing, check="pass"),), "One", "later", "score one", ())
    (tmp_path / "two.json").write_text(first)
    (before,) = load_originals(tmp_path)
    assert dict(summary_rows(before.rows))["counted as passed"] == "1"
    (tmp_path / "two.json").write_text(merge_programs(first, again))
    (after,) = load_originals(tmp_path)
    figures = dict(summary_rows(after.rows))
    assert figures["programs"] == "2"
    assert figures["counted as passed"] == "2"
    assert figures["control passes own check"] == "2"
    assert figures["control counted as passed"] == "0"
    assert json.loads((tmp_path / "two.json").read_text())["title"] == "Two"
    lines = originals_lines((after,))
    assert "Run again on later: other." in lines
    assert sum(line.startswith((f"| {blind.program} |", "| other |")) for line in lines) == 2
