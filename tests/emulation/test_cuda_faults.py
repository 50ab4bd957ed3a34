"""Kernels that hang, crash or misuse the machine end in a result that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.codes.verification import ORIGINAL_FAILS, RUN_CRASHED, RUN_TIMED_OUT
from migrate.core.diagnostics import UserError
from migrate.core.options import Limits
from migrate.emulation.cuda_program import (
    UNDEFINED_CHECKS,
    CudaSources,
    RunSetup,
    build_cuda_program,
    run_program,
    undefined_behaviour,
)
from migrate.emulation.run import Stop, run_command
from migrate.emulation.toolchain import CompileError, find_compiler
from tests.emulation.cuda_builds import PROGRAMS, CudaBuilds


def test_an_endless_kernel_is_stopped(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "endless", seconds=1.0)
    assert result.timed_out
    assert not result.ok
    assert result.seconds < 10
    found = result.diagnostic()
    assert found is not None
    assert found.code == RUN_TIMED_OUT


@pytest.mark.parametrize(
    ("what", "signal", "words"),
    [
        ("wild", "SIGSEGV", "thread (0,0,0) of kernel void wild(int*)"),
        ("divide", "SIGFPE", "of kernel void divide(int*)"),
        ("recursive", "SIGSEGV", "stack overflow"),
    ],
)
def test_a_crash_names_the_kernel(cuda: CudaBuilds, what: str, signal: str, words: str) -> None:
    result = cuda.run("faults", what)
    assert result.signal == signal
    assert words in result.stderr
    found = result.diagnostic()
    assert found is not None
    assert found.code == RUN_CRASHED


def test_a_failed_assertion_stays_the_error_of_the_context(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "assert")
    assert result.exit == 1
    assert result.stdout.split() == ["cudaErrorAssert"] * 4 + ["cudaSuccess"]
    assert "asserting(int*): block: [0,0,0], thread: [0,0,0] Assertion" in result.stderr


def test_a_failed_assertion_of_the_host_aborts(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "host_assert")
    assert result.signal == "SIGABRT"
    assert "Assertion `argc == 1' failed." in result.stderr


def test_memory_that_is_never_touched_costs_nothing(cuda: CudaBuilds) -> None:
    setup = RunSetup(("untouched",), Limits(memory_bytes=256 << 20))
    result = run_program(cuda("faults"), setup)
    assert result.ok, result.stderr
    assert result.stdout.split() == ["cudaSuccess", "fff5fff5", "7", "fff5fff5"]
    touched = run_program(cuda("faults"), RunSetup(("touched",), setup.limits))
    assert touched.stopped is Stop.MEMORY


def test_a_deadlock_is_an_error_of_the_launch(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "missing_lanes")
    assert result.exit == 1
    assert result.stdout.strip() == "cudaErrorLaunchTimeout"
    assert "deadlock in kernel void missing_lanes(int*)" in result.stderr
    assert "a warp shuffle" in result.stderr
    assert "__syncthreads" in result.stderr
    found = result.diagnostic()
    assert found is not None
    assert found.code == ORIGINAL_FAILS


def test_a_mask_without_the_calling_lane_is_reported(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "wrong_mask")
    assert result.exit == 3
    assert "mask lacks the calling lane in kernel void wrong_mask(int*)" in result.stderr


def test_a_write_past_an_allocation_is_found(cuda: CudaBuilds) -> None:
    result = cuda.run("faults", "past_end")
    assert "out-of-bounds write past the end of allocation 0 (256 bytes)" in result.stderr


def test_undefined_behaviour_is_named_by_the_checks(cuda: CudaBuilds) -> None:
    try:
        checked = cuda("faults", *UNDEFINED_CHECKS)
    except CompileError as error:
        pytest.skip(f"this compiler has no such checks: {error.first_error}")
    result = run_program(checked, RunSetup(("undefined",), Limits(seconds=20)))
    assert result.ok
    found = undefined_behaviour(result.stderr)
    lines = (PROGRAMS / "faults.cu").read_text().splitlines()
    at = lines.index("__global__ void undefined(int *p) {") + 1
    assert [line.split(": runtime error: ")[0].split(":")[1] for line in found] == [
        str(at + 1),
        str(at + 2),
    ]
    assert undefined_behaviour(cuda.run_once("faults", "undefined").stderr) == ()


def test_memory_and_file_size_are_limited(cuda: CudaBuilds) -> None:
    assert cuda.run("faults", "memory").exit == 4
    limits = Limits(seconds=20, file_bytes=8 << 20)
    result = run_program(cuda("faults"), RunSetup(("disk",), limits))
    assert result.signal == "SIGXFSZ"


def test_processes_left_behind_are_killed(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    script = f"(sleep 1; echo still > {mark}) & exit 0"
    result = run_command(["/bin/sh", "-c", script], Limits(seconds=10))
    assert result.ok
    again = run_command(["/bin/sleep", "1.5"], Limits(seconds=10))
    assert again.ok
    assert not mark.exists()


def test_a_program_runs_in_an_empty_place_with_a_bare_environment() -> None:
    result = run_command(["/bin/sh", "-c", "ls -A; env"], Limits(seconds=10))
    names = {line.split("=")[0] for line in result.stdout.splitlines()}
    assert {"PATH", "HOME", "LANG"} <= names
    assert names <= {"PATH", "HOME", "LANG", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"}


def test_a_compile_error_names_the_original_line(tmp_path: Path) -> None:
    source = tmp_path / "broken.cu"
    source.write_text("__global__ void k(int n) {\n  int a = 1;\n  undeclared = n;\n}\n")
    with pytest.raises(CompileError) as caught:
        build_cuda_program(CudaSources((source,)), tmp_path / "work", find_compiler())
    assert f"{source}:3:" in caught.value.stderr
    assert "undeclared" in caught.value.first_error


def test_an_unknown_compiler_is_a_coded_error() -> None:
    with pytest.raises(UserError) as caught:
        find_compiler("no-such-compiler")
    assert caught.value.diagnostic.code.id == "CM0030"
