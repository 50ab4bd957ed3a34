"""Early exits."""

from __future__ import annotations

from before_after import check, unchanged

P = "n: i32, f: f32, x: ptr<global, i32>"


def test_guard_clause() -> None:
    check(
        "returns",
        "if (n >= 3:i32) { return } x[0:i32] = n",
        """if (n < 3:i32) {
        x[0:i32] = n
        }""",
        P,
    )


def test_both_bounds_are_turned_round() -> None:
    check(
        "returns",
        "if ((n >= 3:i32) || (n < 0:i32)) { return } x[0:i32] = n",
        """if ((n < 3:i32) && (n >= 0:i32)) {
        x[0:i32] = n
        }""",
        P,
    )


def test_an_ordering_of_floats_is_not_turned_round() -> None:
    check(
        "returns",
        "if (f < 1.0:f32) { return } x[0:i32] = n",
        """if (! (f < 1.0:f32)) {
        x[0:i32] = n
        }""",
        P,
    )


def test_equality_of_floats_is() -> None:
    check(
        "returns",
        "if (f == 1.0:f32) { return } x[0:i32] = n",
        """if (f != 1.0:f32) {
        x[0:i32] = n
        }""",
        P,
    )


def test_branch_that_returns_at_its_end_takes_the_rest_into_the_other() -> None:
    check(
        "returns",
        "if (n == 0:i32) { x[0:i32] = 1:i32 return } x[0:i32] = 2:i32",
        """if (n == 0:i32) {
        x[0:i32] = 1:i32
        }
        else {
        x[0:i32] = 2:i32
        }""",
        P,
    )


def test_return_in_a_loop_leaves_it_and_skips_what_follows() -> None:
    check(
        "returns",
        "while (n < 9:i32) { if (x[0:i32] < 0:i32) { return } x[0:i32] = 0:i32 } x[1:i32] = 1:i32",
        """var returned: bool = false
        while (n < 9:i32) {
        if (x[0:i32] < 0:i32) {
        returned = true
        break
        }
        x[0:i32] = 0:i32
        }
        if (! returned) {
        x[1:i32] = 1:i32
        }""",
        P,
    )


def test_return_in_an_inner_loop_leaves_both() -> None:
    check(
        "returns",
        "while (n < 9:i32) { while (n < 5:i32) { return } x[0:i32] = 0:i32 }",
        """var returned: bool = false
        while (n < 9:i32) {
        while (n < 5:i32) {
        returned = true
        break
        }
        if returned {
        break
        }
        x[0:i32] = 0:i32
        }""",
        P,
    )


def test_some_paths_of_a_branch_return() -> None:
    check(
        "returns",
        "if (n == 0:i32) { if (f == 0.0:f32) { return } x[0:i32] = 1:i32 } x[1:i32] = 2:i32",
        """var returned: bool = false
        if (n == 0:i32) {
        if (f == 0.0:f32) {
        returned = true
        }
        else {
        x[0:i32] = 1:i32
        }
        }
        if (! returned) {
        x[1:i32] = 2:i32
        }""",
        P,
    )


def test_return_at_the_end_is_dropped() -> None:
    check("returns", "x[0:i32] = n return", "x[0:i32] = n", P)


def test_no_return_no_change() -> None:
    unchanged("returns", "if (n < 3:i32) { x[0:i32] = n }", P)
