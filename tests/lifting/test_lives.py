"""Variables with several lives: IR text before and after, and what keeps one variable."""

from __future__ import annotations

import pytest

from migrate.ir.parser import parse_module
from migrate.ir.printer import print_kernel
from migrate.lifting.lives import separate_lives

HEAD = 'mangled "" qualified "" bounds 0'
PARAMS = "n: i32, x: ptr<global, i32>"


def apart(body: str) -> list[str]:
    """The lines of the body with a variable for each life, without indentation."""
    module = parse_module(f'module "m"\nkernel k "k" ({PARAMS}) {HEAD} {{\n{body}\n}}\n')
    made = separate_lives(module.kernels[0], module)
    return [line.strip() for line in print_kernel(made).splitlines()[1:-1]]


def same(body: str) -> None:
    """A near miss: the kernel comes back as it is."""
    module = parse_module(f'module "m"\nkernel k "k" ({PARAMS}) {HEAD} {{\n{body}\n}}\n')
    assert separate_lives(module.kernels[0], module) is module.kernels[0]


def test_a_counter_that_is_set_anew_is_a_new_variable() -> None:
    got = apart(
        """var i: i32 = n
        while (i > 0:i32) { x[i] = 1:i32 i = (i - 1:i32) }
        i = 7:i32
        while (i > 0:i32) { x[i] = 2:i32 i = (i - 2:i32) }"""
    )
    assert got == [
        "var i: i32 = n",
        "while (i > 0:i32) {",
        "x[i] = 1:i32",
        "i = (i - 1:i32)",
        "}",
        "var i_2: i32",
        "i_2 = 7:i32",
        "while (i_2 > 0:i32) {",
        "x[i_2] = 2:i32",
        "i_2 = (i_2 - 2:i32)",
        "}",
    ]


def test_the_head_of_a_for_starts_a_life() -> None:
    loop = (
        "for {{ init {{ i = {0} }} while (i < n) "
        "step {{ i = (i + 1:i32) }} body {{ x[i] = {0} }} }}"
    )
    got = apart(f"var i: i32 {loop.format('1:i32')} {loop.format('2:i32')}")
    assert got[0] == "var i: i32"
    assert "var i_2: i32" in got
    assert "x[i] = 1:i32" in got
    assert "x[i_2] = 2:i32" in got


def test_what_one_loop_alone_uses_is_declared_inside() -> None:
    got = apart(
        """var i: i32
        var k: i32 = 0:i32
        while (k < n) {
          i = k
          x[i] = 1:i32
          i = 3:i32
          x[i] = 2:i32
          k = (k + 1:i32)
        }"""
    )
    assert got[:3] == ["var k: i32 = 0:i32", "while (k < n) {", "var i: i32"]
    assert "var i_2: i32" in got
    assert "x[i_2] = 2:i32" in got


def test_both_sides_of_a_branch_get_their_own() -> None:
    got = apart(
        """var i: i32
        if (n > 0:i32) { i = 1:i32 x[i] = 1:i32 } else { i = 2:i32 x[i] = 2:i32 }"""
    )
    assert got[:2] == ["if (n > 0:i32) {", "var i: i32"]
    assert "x[i_2] = 2:i32" in got


@pytest.mark.parametrize(
    "rest",
    [
        "i = (i + 1:i32) x[i] = 1:i32",
        "if (n > 3:i32) { i = 1:i32 } x[i] = 1:i32",
        "while (n > i) { i = (i + 1:i32) x[i] = 1:i32 } x[i] = 0:i32",
        "while (n > 0:i32) { if (n > 5:i32) { break } i = 1:i32 x[i] = 1:i32 } x[i] = 1:i32",
        "while (n > 0:i32) { if (n > 5:i32) { i = 1:i32 continue } x[i] = 3:i32 }",
    ],
    ids=["own value", "one branch", "loop", "left early", "next round"],
)
def test_a_value_that_may_be_read_later_keeps_its_variable(rest: str) -> None:
    same(f"var i: i32 = n\nx[i] = 0:i32\n{rest}")


def test_a_value_that_the_next_round_reads_is_not_declared_inside() -> None:
    same(
        """var i: i32
        while (n > 0:i32) { if (n > 5:i32) { i = 1:i32 } else { x[i] = 3:i32 } }"""
    )


def test_arrays_keep_their_variable() -> None:
    same("var a: array<i32, 4> a.[0:i32] = n x[0:i32] = a.[0:i32] a.[0:i32] = 2:i32")
