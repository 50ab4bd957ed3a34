"""Arguments that give an original less to do: which are tried, and which count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrate.core.options import Limits, Options
from migrate.core.targets import Target
from migrate.emulation.cuda_program import CudaSources, RunSetup
from migrate.emulation.run import RunResult
from migrate.emulation.toolchain import Compiler
from migrate.pipeline.lighter import (
    find_lighter,
    find_smaller,
    lighter_arguments,
    option_letters,
)
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.own_check import Checked, Words, classify_run


def test_one_number_less_or_one_option_more() -> None:
    found = list(lighter_arguments(("-n", "64", "1", "x"), ("n", "r")))
    assert found[:3] == [
        ("-n", "8", "1", "x"),
        ("-n", "16", "1", "x"),
        ("-n", "32", "1", "x"),
    ]
    assert ("-n", "64", "1", "x", "-r", "1") in found
    assert not any(a[-2:] == ("-n", "1") for a in found)


@pytest.mark.parametrize(
    ("literal", "letters"),
    [("hd:r:m", ("d", "r")), ("+a::b", ("a",)), ("hrm", ()), ("time: ", ()), ("s:", ("s",))],
)
def test_letters_are_those_that_take_a_value(
    tmp_path: Path, literal: str, letters: tuple[str, ...]
) -> None:
    source = tmp_path / "main.cu"
    source.write_text(f'int o = getopt(argc, argv, "{literal}");')
    assert option_letters((source,), ()) == letters


class _Steps(OriginalProgram):
    """A program whose second argument is how many steps of 0.4 s it takes; its check needs one."""

    def run(self, setup: RunSetup) -> RunResult:
        steps = int(setup.args[1])
        seconds = 0.4 * steps
        if seconds > setup.limits.seconds:
            return RunResult(-9, "", "", setup.limits.seconds, True, "SIGKILL")
        return RunResult(0, "PASS" if steps != 4 else "FAIL", "", seconds, False, "")


def test_an_original_that_was_not_done_has_to_pass_and_to_fail_without_kernels(
    tmp_path: Path,
) -> None:
    # What 64 steps say is not known; 4 steps fail, and below 16 the check is blind.
    assert _found(tmp_path, 64, "fail", said="error") == (("-n", "16"), 6.4)
    assert _found(tmp_path, 64, "pass", said="error") is None


class _Smaller(OriginalProgram):
    """Passes at once."""

    def changed(self, sources: CudaSources, work: Path) -> OriginalProgram:
        return replace(self, sources=sources)

    def run(self, setup: RunSetup) -> RunResult:
        return RunResult(0, "PASS", "", 0.1, False, "")


@pytest.mark.parametrize(
    ("usual", "blind", "found"),
    [
        ("pass", (), ["4096 / 64", "4096 / 64, 128 / 64", "128 / 64", "4096 / 512"]),
        ("pass", ("(128) / 64",), ["4096 / 64", "4096 / 512"]),
        ("pass", ("/ 64", "/ 512"), []),
        ("error", ("/ 64", "/ 512"), ["4096 / 64"]),  # the first blind one, as a last resort
        ("error", ("(4096) / 64",), ["128 / 64", "4096 / 512"]),
    ],
)
def test_smaller_programs_whose_check_sees_come_first_and_blind_ones_are_a_last_resort(
    tmp_path: Path, usual: str, blind: tuple[str, ...], found: list[str]
) -> None:
    source = tmp_path / "main.cu"
    source.write_text("int main() { int n = 4096; int t = 128; }")
    options = Options(Target.ASCEND_950, reuse_runs=False)
    program = _Smaller(CudaSources((source,)), tmp_path, Compiler("none", "gcc", "none"), options)

    def check(there: OriginalProgram, _: RunSetup, result: RunResult) -> Checked:
        text = there.sources.sources[0].read_text()
        return Checked("pass", "pass" if any(b in text for b in blind) else "fail", None, 0.1)

    setup = RunSetup((), Limits(seconds=60.0))
    said = Checked(usual, "fail", None, 60.0)
    seen = find_smaller(program, setup, tmp_path / "smaller", said, check)
    assert [x.described.partition(": ")[2] for x in seen] == found


def _found(
    tmp_path: Path, steps: int, control: str, said: str = "pass"
) -> tuple[tuple[str, ...], float] | None:
    source = tmp_path / "main.cu"
    source.write_text("int main() {}")
    options = Options(Target.TILELANG, reuse_runs=False)
    compiler = Compiler("none", "gcc", "none")
    program = _Steps(CudaSources((source,)), tmp_path, compiler, options)
    setup = RunSetup(("-n", str(steps)), Limits(seconds=60.0))
    usual = Checked(said, "fail" if said == "pass" else "not-run", None, 0.4 * steps)

    def check(setup: RunSetup, result: RunResult) -> Checked:
        without = "pass" if int(setup.args[1]) < 16 else control
        return Checked(classify_run(result, Words.PRINTED), without, None, result.seconds)

    found = find_lighter(program, setup, usual, check)
    return None if found is None else (found.args, found.check.seconds)


def test_a_run_counts_that_says_the_same_and_whose_check_can_fail(tmp_path: Path) -> None:
    # 8 of 64 steps pass without kernels too and 4 fail; 16 are the least that count.
    assert _found(tmp_path, 64, "fail") == (("-n", "16"), 6.4)


def test_none_is_found_where_every_lighter_check_is_blind(tmp_path: Path) -> None:
    assert _found(tmp_path, 64, "pass") is None
