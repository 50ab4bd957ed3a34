"""``switch`` and ``do``."""

from __future__ import annotations

from before_after import check, unchanged

N = "n: i32, x: ptr<global, i32>"


def test_switch_on_a_variable_becomes_a_chain() -> None:
    check(
        "control",
        """switch n {
          case 1, 2 { x[0:i32] = 1:i32 break }
          case 3 { x[1:i32] = 2:i32 }
          default { x[2:i32] = 3:i32 }
        }""",
        """if ((n == 1:i32) || (n == 2:i32)) {
        x[0:i32] = 1:i32
        }
        else {
        if (n == 3:i32) {
        x[1:i32] = 2:i32
        }
        else {
        x[2:i32] = 3:i32
        }
        }""",
        N,
    )


def test_switch_evaluates_its_value_once() -> None:
    check(
        "control",
        "switch x[0:i32] { case 1 { x[0:i32] = 2:i32 } case 2 { x[0:i32] = 3:i32 } }",
        """var selector: i32 = x[0:i32]
        if (selector == 1:i32) {
        x[0:i32] = 2:i32
        }
        else {
        if (selector == 2:i32) {
        x[0:i32] = 3:i32
        }
        }""",
        N,
    )


def test_default_first_is_still_tried_last() -> None:
    check(
        "control",
        "switch n { default { x[0:i32] = 9:i32 } case 1 { x[0:i32] = 1:i32 } }",
        """if (n == 1:i32) {
        x[0:i32] = 1:i32
        }
        else {
        x[0:i32] = 9:i32
        }""",
        N,
    )


def test_break_in_the_middle_of_an_arm_guards_the_rest() -> None:
    check(
        "control",
        "switch n { case 1 { if (x[0:i32] > 2:i32) { break } x[1:i32] = 1:i32 } }",
        """if (n == 1:i32) {
        if (x[0:i32] <= 2:i32) {
        x[1:i32] = 1:i32
        }
        }""",
        N,
    )


def test_a_break_of_an_inner_loop_stays() -> None:
    check(
        "control",
        "switch n { case 1 { while true { break } } }",
        """if (n == 1:i32) {
        while true {
        break
        }
        }""",
        N,
    )


def test_do_while_tests_after_the_body() -> None:
    check(
        "control",
        "do { x[0:i32] = n } while (x[1:i32] < n)",
        """while true {
        x[0:i32] = n
        if (x[1:i32] >= n) {
        break
        }
        }""",
        N,
    )


def test_do_while_with_continue_keeps_the_test() -> None:
    check(
        "control",
        "do { if (n == 3:i32) { continue } x[0:i32] = n } while (x[1:i32] < n)",
        """var again: bool = false
        while true {
        if again {
        if (x[1:i32] >= n) {
        break
        }
        }
        again = true
        if (n == 3:i32) {
        continue
        }
        x[0:i32] = n
        }""",
        N,
    )


def test_while_and_for_are_left_alone() -> None:
    unchanged(
        "control",
        """while (n < 3:i32) { break }
        for { init { var i: i32 = 0:i32 } while (i < n) step { i = (i + 1:i32) }
              body { continue } }""",
        N,
    )
