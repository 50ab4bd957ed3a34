"""Whole programs without words of success: by their silence, by their output, with other arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.emulation.cuda_program import CudaSources
from migrate.emulation.run import RunResult
from migrate.pipeline.host_numbers import Change
from migrate.pipeline.lighter import Lighter
from migrate.pipeline.oracle import Oracle
from migrate.pipeline.own_check import Checked, Words
from migrate.pipeline.smaller_program import SmallerProgram
from migrate.pipeline.whole_program import Program, whole_program
from migrate.verify.ascend_program import MigratedRun
from migrate.verify.outputs import Printed


def _ended(text: str, status: int = 0) -> MigratedRun:
    return MigratedRun(RunResult(status, text, "", 0.1, False, ""))


def _program(text: str, without: str) -> Callable[[bool], MigratedRun]:
    return lambda skip: _ended(without if skip else text)


COMPLAINT = "mismatch at 3\n"
SILENT = Oracle(
    None, "silent", "fail", "", printed=Printed("e 2.50\n", "e 2.50\n", "e 0.0\n" + COMPLAINT, 0)
)


@pytest.mark.parametrize(
    ("text", "without", "migrated", "control", "output", "codes"),
    [
        ("e 2.50\n", COMPLAINT, "silent", "fail", "equal", []),
        ("e 2.50\n", "e 0.0\n", "no-check", "no-check", "equal", ["CM5011"]),
        ("e 2.80\n", COMPLAINT, "silent", "fail", "different", []),
        (COMPLAINT, COMPLAINT, "fail", "not-run", "different", ["CM5011"]),
        ("PASS\n", "PASS\n", "pass", "pass", "different", ["CM5010"]),
    ],
)
def test_a_program_that_speaks_only_of_faults(
    text: str, without: str, migrated: str, control: str, output: str, codes: list[str]
) -> None:
    found = whole_program(Words.PRINTED, SILENT, _program(text, without))
    assert (found.migrated, found.control, found.output) == (migrated, control, output)
    assert [d.code.id for d in found.diagnostics] == codes


def test_a_program_without_a_check_never_passes_one() -> None:
    printed = Printed("e 2.50\n", "e 2.50\n", "e 0.0\n", 0)
    oracle = Oracle(None, "no-check", "no-check", "", printed=printed)
    found = whole_program(Words.PRINTED, oracle, _program("e 2.50\n", COMPLAINT))
    assert (found.migrated, found.control, found.output) == ("no-check", "not-run", "equal")
    assert not found.diagnostics


def test_other_arguments_are_named() -> None:
    oracle = Oracle(None, "error", "not-run", "", instead=("256", "192"))
    found = whole_program(Words.PRINTED, oracle, _program("PASS\n", "FAIL\n"))
    assert (found.original, found.migrated, found.arguments) == ("error", "pass", "256 192")
    wrong = whole_program(Words.PRINTED, oracle, _program("FAIL\n", "FAIL\n"))
    assert [d.code.id for d in wrong.diagnostics] == ["CM5011"]


def test_a_program_that_is_not_done_in_time_is_given_less_to_do() -> None:
    late = MigratedRun(RunResult(-9, "", "", 60.0, True, "SIGKILL"))
    printed = Printed("e 2.50\n", "e 2.50\n", "e 0.0\n", 0)
    lighter = Lighter(("-r", "1"), Checked("no-check", "no-check", printed, 0.1))
    oracle = Oracle(None, "no-check", "no-check", "", lighter=lambda: lighter)
    asked: list[tuple[str, ...]] = []

    def less(found: Lighter) -> Program:
        asked.append(found.args)
        return _program("e 2.50\n", "e 0.0\n")

    def other(_: Lighter) -> Program:
        return _program("e 3.5\n", "")

    found = whole_program(Words.PRINTED, oracle, lambda _: late, lighter=less)
    assert asked == [("-r", "1")]
    assert (found.migrated, found.output, found.arguments) == ("no-check", "equal", "-r 1")
    wrong = whole_program(Words.PRINTED, oracle, lambda _: late, lighter=other)
    assert wrong.output == "different"
    without = whole_program(Words.PRINTED, oracle, lambda _: late)
    assert (without.migrated, without.output, without.arguments) == ("error", "", "")
    done = whole_program(Words.PRINTED, oracle, _program("e 2.60\n", ""), lighter=less)
    assert (done.arguments, len(asked)) == ("", 1)


def test_a_refused_launch_is_an_error_whatever_else_is_printed() -> None:
    run = MigratedRun(RunResult(0, "PASS\n", "not migrated: k", 0.1, False, ""))
    found = whole_program(Words.PRINTED, SILENT, lambda _: run, "not migrated")
    assert (found.migrated, found.output) == ("error", "")


LATE = MigratedRun(RunResult(-9, "", "", 60.0, True, "SIGKILL"))


def _smaller(places: tuple[int, ...]) -> Lighter:
    path = Path(__file__).with_name("fission_kernels.cu")
    smaller = SmallerProgram(CudaSources((path,)), path, Change(places, 64))
    return Lighter(("7",), Checked("pass", "fail", None, 0.1), smaller)


def test_an_original_that_was_not_done_is_replaced_by_a_smaller_one() -> None:
    choices = [_smaller(()), _smaller(())]
    oracle = Oracle(None, "error", "not-run", "", smaller=lambda: iter(choices))
    ran: list[bool] = []

    def given(skip: bool) -> MigratedRun:
        ran.append(skip)
        return LATE

    made: list[Lighter] = []

    def less(found: Lighter) -> Program:
        made.append(found)
        return (lambda _: LATE) if len(made) == 1 else _program("PASS\n", "FAIL\n")

    found = whole_program(Words.PRINTED, oracle, given, lighter=less)
    assert (found.original, found.migrated, found.control) == ("error", "pass", "fail")
    assert found.arguments == "7 with smaller numbers in fission_kernels.cu: "
    assert not ran and len(made) == 2


def test_a_smaller_program_that_fails_is_not_passed_over() -> None:
    choices = [_smaller(()), _smaller(())]
    oracle = Oracle(None, "pass", "fail", "", smaller=lambda: iter(choices))
    made: list[Lighter] = []

    def less(found: Lighter) -> Program:
        made.append(found)
        return _program("FAIL\n" if len(made) == 1 else "PASS\n", "FAIL\n")

    found = whole_program(Words.PRINTED, oracle, lambda _: LATE, lighter=less)
    assert (found.migrated, len(made)) == ("fail", 1)
    assert [d.code.id for d in found.diagnostics] == ["CM5011"]


def test_a_target_that_cannot_make_smaller_programs_stays_late() -> None:
    oracle = Oracle(None, "pass", "fail", "", smaller=lambda: iter([_smaller(())]))
    found = whole_program(Words.PRINTED, oracle, lambda _: LATE, lighter=lambda _: None)
    assert (found.migrated, found.arguments) == ("error", "")
