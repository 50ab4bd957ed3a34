"""Existing Ascend C projects: what is read from their files, and what counts as passing."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Limits
from migrate.pipeline.ascend_layout import arguments_in_readme, cases_of, find_projects
from migrate.pipeline.ascend_projects import CaseResult, ProgramResult, run_projects
from migrate.report.ascend_projects import dump_projects, load_projects, projects_lines

_VERSION = "cmake_minimum_required(VERSION 3.16)\n"
_BUILD = """cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(p LANGUAGES ASC CXX)
add_executable(sum sum.asc)
add_executable(fresh sum.asc)
add_executable(absent absent.asc)
target_compile_definitions(fresh PRIVATE FRESH)
foreach(t sum fresh absent)
  target_compile_options(${t} PRIVATE
    $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-3510 --enable-simt>)
endforeach()
"""
_SUM = """#include <cstdio>
#include <cstdlib>
#include "acl/acl.h"
#include "simt_api/asc_simt.h"
__global__ void add(int* x, int n) { x[threadIdx.x] += n; }
int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    aclInit(nullptr);
    aclrtSetDevice(0);
    int* x = nullptr;
    int h[32] = {};
    aclrtMalloc((void**)&x, sizeof h, ACL_MEM_MALLOC_HUGE_FIRST);
#ifndef FRESH
    aclrtMemcpy(x, sizeof h, h, sizeof h, ACL_MEMCPY_HOST_TO_DEVICE);
#endif
    add<<<1, 32, 0, nullptr>>>(x, n);
    aclrtSynchronizeDevice();
    aclrtMemcpy(h, sizeof h, x, sizeof h, ACL_MEMCPY_DEVICE_TO_HOST);
    puts(n > 0 && h[31] == n ? "PASS" : "FAIL");
}
"""


def _set(text: str) -> str:
    return f'find_package(ASC)\nset(SCENARIO_NUM "1" CACHE STRING "{text}")\n'


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Case (0-3)", ["0", "1", "2", "3"]),
        ("Scenario: 0=a, 2=b", ["0", "2"]),
        ("Case: 0 slow, 1 fast", ["0", "1"]),
        ("Case", ["1"]),
    ],
)
def test_cases_are_what_the_build_file_names(text: str, values: list[str], tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(_set(text))
    found = cases_of(tmp_path, every_case=True)
    assert [c.definitions for c in found] == [(f"-DSCENARIO_NUM={v}",) for v in values]
    assert [c.definitions for c in cases_of(tmp_path, every_case=False)] == [()]


def test_arguments_are_those_of_the_readme(tmp_path: Path) -> None:
    assert arguments_in_readme(tmp_path, "p") == ((),)
    (tmp_path / "README.md").write_text(
        "  ./p 512    # fast\n./p 512\n./p a=1 -v\n./other 3\nrun ./p 7 now\n./p 1; rm -rf x\n"
    )
    assert arguments_in_readme(tmp_path, "p") == (("512",), ("a=1", "-v"))


def test_only_folders_that_ask_for_asc_are_projects(tmp_path: Path) -> None:
    for name, text in (("a", _set("x")), ("b", "project(b)\n"), ("a/inner", _set("x"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text(text)
    assert find_projects(tmp_path) == (tmp_path / "a",)


@pytest.mark.parametrize(
    ("check", "control", "checked", "passed", "blind"),
    [
        ("pass", "fail", True, True, False),
        ("no-check", "fail", True, True, False),
        ("pass", "pass", True, True, True),
        ("pass", "no-check", True, True, True),
        ("no-check", "no-check", False, False, False),
        ("error", "no-check", False, False, False),
        ("error", "fail", True, False, False),
        ("error", "error", True, False, False),
        ("not-compiled", "not-run", True, False, False),
    ],
)
def test_a_check_counts_when_it_notices_missing_kernels(
    check: str, control: str, checked: bool, passed: bool, blind: bool
) -> None:
    case = CaseResult("", check, control)
    assert (case.self_checked, case.passed, case.blind) == (checked, passed, blind)
    good = CaseResult("", "pass", "fail")
    assert ProgramResult("p", (good, case)).passed == (passed or not checked)
    assert ProgramResult("p", (case,)).passed == (passed and not blind)


def test_a_project_without_a_program_is_built_and_shown(tmp_path: Path) -> None:
    for name, body in (("good", "int f() { return 1; }"), ("bad", "int f() { return; }")):
        (tmp_path / name).mkdir()
        build = "find_package(ASC REQUIRED)\nproject(l LANGUAGES CXX)\nadd_library(l l.cpp)\n"
        (tmp_path / name / "CMakeLists.txt").write_text(_VERSION + build)
        (tmp_path / name / "l.cpp").write_text(body)
    bad, good = run_projects((tmp_path,), tmp_path / "work", Limits(seconds=20))
    assert (bad.program, bad.compiled, bad.self_checked, bad.passed) == ("bad", False, True, False)
    assert (good.program, good.compiled, good.self_checked) == ("good", True, False)


def test_a_project_is_built_by_its_own_build_file_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "root" / "p"
    project.mkdir(parents=True)
    (project / "CMakeLists.txt").write_text(_BUILD)
    (project / "sum.asc").write_text(_SUM)
    (project / "absent.asc").write_text('#include "simt_api/asc_simt.h"\nint x = asc_absent(1);\n')
    (project / "README.md").write_text("./sum 3\n./fresh 3\n")
    before = {p: p.read_bytes() for p in project.iterdir()}
    monkeypatch.chdir(tmp_path)
    found = run_projects((Path("root"),), tmp_path / "work", Limits(seconds=20))
    rows = {c.check: (p, c) for p in found for c in p.cases}
    good, bad, absent = rows["pass"], rows["fail"], rows["not-compiled"]
    assert good[1].case == "3" and good[1].control == "fail"
    assert bad[1].zeroed == "pass"  # it counts on zeros in memory that nobody wrote
    assert absent[0].program == "p/absent.asc" and "asc_absent" in absent[1].cause
    assert {p: p.read_bytes() for p in project.iterdir()} == before
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "x.json").write_text(dump_projects(found, "T", "today", "command", ()))
    stored = load_projects(folder)
    assert [p.program for p in stored[0].programs] == [p.program for p in found]
    assert str(tmp_path) not in (folder / "x.json").read_text()
    assert "| check their results | 3 |" not in projects_lines(stored)
    assert "| check their results | 2 |" in projects_lines(stored)
