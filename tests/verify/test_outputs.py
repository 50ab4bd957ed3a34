"""What programs print, compared: what counts as the same, what says nothing, what is blind."""

from __future__ import annotations

import pytest

from migrate.verify.outputs import Printed, judge_output

SPMV = "rows 10, nnz 40\nsum of y {}\nkernel took {} ms\ntotal {}\n"
ORIGINAL = Printed(
    SPMV.format("12.5000", 1.25, 17), SPMV.format("12.5000", 1.31, 19), SPMV.format("0.0", 1, 18), 0
)


@pytest.mark.parametrize(
    ("migrated", "said"),
    [
        (SPMV.format("12.5000", 9.5, 17), "equal"),
        (SPMV.format("12.5000", 9.5, 3), "equal"),  # differs from run to run
        (SPMV.format("12.5001", 9.5, 17), "equal"),  # one more in the last digit
        (SPMV.format("12.5003", 9.5, 17), "different"),
        (SPMV.format("nan", 9.5, 17), "different"),
        (SPMV.format("12.5000", 9.5, "many"), "different"),  # a word where there were numbers
        (SPMV.format("12.5000", 9.5, 17).replace("nnz 40", "nnz 41"), "different"),
        (SPMV.format("12.5000", 9.5, 17).replace("rows", "cols"), "different"),
        (SPMV.format("12.5000", 9.5, 17) + "a further line\n", "different"),
        ("", "different"),
    ],
)
def test_printed_numbers(migrated: str, said: str) -> None:
    assert judge_output(ORIGINAL, migrated, 0) == said


def test_another_exit_status_is_another_output() -> None:
    assert judge_output(ORIGINAL, ORIGINAL.first, 1) == "different"


def test_whole_numbers_are_compared_exactly_and_fractions_relatively() -> None:
    original = Printed("n 1000000 e 1234567.0\n", "n 1000000 e 1234567.0\n", "nothing\n", 0)
    assert judge_output(original, "n 1000000 e 1234570.0\n", 0) == "equal"
    assert judge_output(original, "n 1000000 e 1234590.0\n", 0) == "different"
    assert judge_output(original, "n 1000001 e 1234567.0\n", 0) == "different"


def test_an_output_that_needs_no_kernels_proves_nothing() -> None:
    same = "done\nelapsed 0.25 s\n"
    assert judge_output(Printed(same, same, "done\nelapsed 0.01 s\n", 0), same, 0) == "blind"


def test_words_that_change_from_run_to_run_give_no_answer() -> None:
    assert judge_output(Printed("seed abc\n", "seed abd\n", "", 0), "seed abc\n", 0) == "unstable"
    assert judge_output(Printed("a\n", "a\nb\n", "", 0), "a\n", 0) == "unstable"


def test_fractions_on_lines_about_time_are_free_and_whole_numbers_are_not() -> None:
    original = Printed("time 0.0 s for 8 steps\nx 1\n", "time 0.0 s for 8 steps\nx 1\n", "x 0\n", 0)
    assert judge_output(original, "time 0.3 s for 8 steps\nx 1\n", 0) == "equal"
    assert judge_output(original, "time 0.3 s for 9 steps\nx 1\n", 0) == "different"
