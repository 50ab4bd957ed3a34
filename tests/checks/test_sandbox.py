"""A program that would harm the machine is stopped within its limits, and the stop has a code."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from migrate.core.codes import checks as codes
from migrate.core.codes.verification import RUN_CRASHED, RUN_TIMED_OUT
from migrate.core.diagnostics import Code
from migrate.core.options import Limits
from migrate.emulation.processes import descendants
from migrate.emulation.run import RunResult, confinement, run_command
from migrate.emulation.toolchain import BuildOptions, build_program, find_compiler
from tests.checks.check_builds import PROGRAMS

SMALL = Limits(
    seconds=8, memory_bytes=512 << 20, file_bytes=64 << 20, output_bytes=4 << 20, processes=40
)
writes_confined = pytest.mark.skipif(not confinement().writes, reason="no Landlock here")
processes_apart = pytest.mark.skipif(not confinement().processes, reason="no namespaces here")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("hostile") / "hostile"
    plain = BuildOptions(flags=("-O0",))
    return build_program(find_compiler(), [PROGRAMS / "hostile.cpp"], program, plain)


def run(
    program: Path, *args: str, limits: Limits = SMALL, writable: Path | None = None
) -> RunResult:
    places = () if writable is None else (writable,)
    return run_command([str(program), *args], limits, writable=places)


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("recursive", RUN_CRASHED),
        ("loud", codes.RUN_OUTPUT),
        ("forking", codes.RUN_PROCESSES),
        ("huge", codes.RUN_MEMORY),
        ("growing", codes.RUN_MEMORY),
        ("files", codes.RUN_FILES),
    ],
)
def test_harm_is_stopped_with_a_code(hostile: Path, what: str, code: Code) -> None:
    result = run(hostile, what)
    found = result.diagnostic()
    assert not result.ok
    assert found is not None
    assert found.code == code
    assert result.seconds < SMALL.seconds + 2
    assert descendants(os.getpid()) == ()


def test_an_endless_program_ends_at_its_limit(hostile: Path) -> None:
    result = run(hostile, "endless", limits=Limits(seconds=1))
    found = result.diagnostic()
    assert found is not None
    assert found.code == RUN_TIMED_OUT
    assert 1 <= result.seconds < 3


@writes_confined
def test_nothing_outside_its_folder_can_be_written(hostile: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("text")
    assert run(hostile, "writing", str(tmp_path / "new")).stdout == "refused\n"
    assert run(hostile, "removing", str(kept)).stdout == "refused\n"
    assert run(hostile, "changing", str(kept)).stdout == "refused\n"
    assert run(hostile, "writing", "new").stdout == "done\n"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert kept.read_text() == "text"


@writes_confined
def test_a_given_folder_can_be_written(hostile: Path, tmp_path: Path) -> None:
    result = run(hostile, "writing", str(tmp_path / "new"), writable=tmp_path)
    assert result.stdout == "done\n"
    assert (tmp_path / "new").exists()


@processes_apart
def test_other_processes_are_out_of_reach(hostile: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "20"]) as other:
        try:
            assert run(hostile, "killing", str(other.pid)).stdout == "refused\n"
            assert other.poll() is None
        finally:
            other.kill()


def test_what_a_program_leaves_behind_is_ended(hostile: Path, tmp_path: Path) -> None:
    assert run(hostile, "leaving", str(tmp_path / "mark"), writable=tmp_path).ok
    time.sleep(1.2)
    assert not (tmp_path / "mark").exists()
