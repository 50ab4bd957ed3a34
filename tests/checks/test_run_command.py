"""``cudamigrate run``: what it prints, its exit code, its files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.core.options import base_environment
from migrate.report.json_report import read_report
from tests.checks.check_builds import CACHE, PROGRAMS

SMALL = PROGRAMS / "small.cu"
MAIN = "from migrate.cli.app import main; import sys; sys.argv[0] = 'cudamigrate'; main()"
LINE = 1 + SMALL.read_text().splitlines().index("  if (i <= n) out[i] = 1.0f;")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**base_environment(), "CUDAMIGRATE_CACHE_DIR": str(CACHE), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-c", MAIN, "run", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )


@pytest.fixture(scope="module")
def faulty(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[subprocess.CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("run")
    files = ("--json", str(folder / "out.json"), "--sarif", str(folder / "out.sarif"))
    return run("--check", "memory", *files, str(SMALL), "--", "given"), folder


def test_the_program_gets_its_arguments_and_its_output_is_shown(
    faulty: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    assert faulty[0].stdout == "given 1\n"


def test_a_finding_is_shown_and_sets_the_exit_code(
    faulty: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    ended = faulty[0]
    assert ended.returncode == 1
    assert f"small.cu:{LINE}:" in ended.stderr
    assert "error[CM5201]: access outside an allocation" in ended.stderr
    assert (
        "kernel fills(float*, int), block (0,0,0), thread (64,0,0): write of 4 bytes at "
        "device allocation 0 + 256 (of 256 bytes, from small.cu:"
    ) in ended.stderr
    assert "checked memory: 1 findings, 0 remarks" in ended.stderr


def test_the_report_holds_the_finding(
    faulty: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    report = read_report(faulty[1] / "out.json")
    (program,) = report.programs
    assert [(d.code, d.line, d.severity) for d in program.diagnostics] == [
        ("CM5201", LINE, "error")
    ]


def test_sarif_holds_the_finding(
    faulty: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    sarif = json.loads((faulty[1] / "out.sarif").read_text())
    (result,) = sarif["runs"][0]["results"]
    assert result["ruleId"] == "CM5201"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == LINE


def test_a_remark_leaves_the_exit_code() -> None:
    ended = run("--check", "all", str(SMALL))
    assert ended.returncode == 0
    assert "note[CM5223]" in ended.stderr
    assert "0 findings, 1 remarks" in ended.stderr


def test_an_unknown_check_is_refused() -> None:
    ended = run("--check", "everything", str(SMALL))
    assert ended.returncode == 2
    assert "everything is not one of memory, race, init, leak, all" in ended.stderr
