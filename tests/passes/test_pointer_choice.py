"""Pointers that can be in several buffers become a number and one pointer into each."""

from __future__ import annotations

import pytest
from before_after import apply, check, module_of, unchanged

from migrate.core.diagnostics import Sink
from migrate.lifting.lift import normalise
from migrate.lifting.refusal import Refused

PASS = "pointer choice"
P = "n: i32, a: ptr<global, f32>, b: ptr<global, f32>"


def test_a_conditional_pointer_is_read_and_written_by_its_number() -> None:
    check(
        PASS,
        """var p: ptr<global, f32> = ((n > 0:i32) ? a : padd(b, 2:i32))
        p[n] = (p[n] + 1.0:f32)
        a[0:i32] = p[1:i32]""",
        """var p_choice: i32 = ((n > 0:i32) ? 0:i32 : 1:i32)
        var p_a: ptr<global, f32> = a
        var p_b: ptr<global, f32> = padd(b, 2:i32)
        if (p_choice == 0:i32) {
        p_a[n] = (p_a[n] + 1.0:f32)
        }
        else {
        p_b[n] = (p_b[n] + 1.0:f32)
        }
        a[0:i32] = ((p_choice == 0:i32) ? p_a[1:i32] : p_b[1:i32])""",
        P,
    )


def test_two_pointers_change_places() -> None:
    check(
        PASS,
        """var p: ptr<global, f32> = a
        var q: ptr<global, f32> = b
        var t: ptr<global, f32> = p
        p = q
        q = t""",
        """var p_choice: i32 = 0:i32
        var p_a: ptr<global, f32> = a
        var p_b: ptr<global, f32>
        var q_choice: i32 = 1:i32
        var q_b: ptr<global, f32> = b
        var q_a: ptr<global, f32>
        var t_choice: i32 = p_choice
        var t_a: ptr<global, f32> = p_a
        var t_b: ptr<global, f32> = p_b
        p_a = q_a
        p_b = q_b
        p_choice = q_choice
        q_b = t_b
        q_a = t_a
        q_choice = t_choice""",
        P,
    )


def test_a_definition_reads_before_the_pointers_change() -> None:
    check(
        PASS,
        """var p: ptr<global, f32> = a
        p = ((p[0:i32] > 1.0:f32) ? p : b)""",
        """var p_choice: i32 = 0:i32
        var p_a: ptr<global, f32> = a
        var p_b: ptr<global, f32>
        var held: bool = (((p_choice == 0:i32) ? p_a[0:i32] : p_b[0:i32]) > 1.0:f32)
        p_b = (held ? p_b : b)
        p_choice = (held ? p_choice : 1:i32)""",
        P,
    )


def test_the_old_value_of_an_atomic_operation_comes_from_the_buffer_it_was_in() -> None:
    check(
        PASS,
        """var p: ptr<global, f32> = ((n > 0:i32) ? a : b)
        atomic old = add device p[n](1.0:f32)
        a[0:i32] = old""",
        """var p_choice: i32 = ((n > 0:i32) ? 0:i32 : 1:i32)
        var p_a: ptr<global, f32> = a
        var p_b: ptr<global, f32> = b
        var old: f32
        if (p_choice == 0:i32) {
        atomic old_2 = add device p_a[n](1.0:f32)
        old = old_2
        }
        else {
        atomic old_3 = add device p_b[n](1.0:f32)
        old = old_3
        }
        a[0:i32] = old""",
        P,
    )


def test_equal_pointers_are_in_one_buffer() -> None:
    check(
        PASS,
        """var p: ptr<global, f32> = ((n > 0:i32) ? a : b)
        if (p == padd(a, 1:i32)) { a[0:i32] = 1.0:f32 }""",
        """var p_choice: i32 = ((n > 0:i32) ? 0:i32 : 1:i32)
        var p_a: ptr<global, f32> = a
        var p_b: ptr<global, f32> = b
        if ((p_choice == 0:i32) && (p_a == padd(a, 1:i32))) {
        a[0:i32] = 1.0:f32
        }""",
        P,
    )


def test_a_parameter_that_becomes_another_one() -> None:
    check(
        PASS,
        "if (n > 0:i32) { a = b } a[n] = 1.0:f32",
        """var a_choice: i32 = 0:i32
        var a_a: ptr<global, f32> = a
        var a_b: ptr<global, f32>
        if (n > 0:i32) {
        a_b = b
        a_choice = 1:i32
        }
        if (a_choice == 0:i32) {
        a_a[n] = 1.0:f32
        }
        else {
        a_b[n] = 1.0:f32
        }""",
        P,
    )


def test_a_pointer_that_is_shared_by_a_block_has_a_shared_number_and_offset() -> None:
    body = """shared var p: ptr<global, f32>
        if (threadIdx.x == 0:u32) { p = padd(a, n) }
        barrier block
        a[0:i32] = p[0:i32]"""
    unchanged(PASS, body, P)
    lines = apply("pointers", module_of(body, P)).body
    assert "space=<Space.SHARED" in repr(lines[0]) and "p_offset" in repr(lines[0])
    both = body.replace("p = padd(a, n)", "p = ((n > 0:i32) ? a : b)")
    made = apply(PASS, module_of(both, P)).body[:3]
    assert all("space=<Space.SHARED" in repr(s) for s in made)


@pytest.mark.parametrize(
    "body",
    [
        "var p: ptr<global, f32> = padd(a, n) p = padd(p, 1:i32) p[0:i32] = 1.0:f32",
        "var p: ptr<global, f32> = null<ptr<global, f32>> if (n > 0:i32) { p = a } "
        "p[0:i32] = 1.0:f32",
    ],
)
def test_a_pointer_into_one_buffer_stays(body: str) -> None:
    unchanged(PASS, body, P)


def test_a_pointer_that_can_be_null_or_in_two_buffers_is_refused() -> None:
    body = """var p: ptr<global, f32> = null<ptr<global, f32>>
        if (n > 0:i32) { p = a } if (n > 1:i32) { p = b }
        p[0:i32] = 1.0:f32"""
    module = module_of(body, P)
    with pytest.raises(Refused) as refused:
        normalise(module.kernels[0], module, Sink())
    assert refused.value.diagnostic.code.id == "CM3011"
    assert "p can point into: a, b" in refused.value.diagnostic.cause
