"""Pointers that can be in several buffers become a number and one pointer into each."""

from __future__ import annotations

import pytest
from before_after import apply, body_lines, check, module_of, unchanged

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


RECORDS = """struct Rec size 16 align 4 { key: i32 @ 0
 span: array<i32, 2> @ 4
 mass: f32 @ 12 }
struct Odd size 20 align 4 { head: Rec @ 0
 tail: i32 @ 16 }"""
R = "n: i32, s: ptr<global, Rec>, o: ptr<global, Odd>"


def test_the_address_of_a_member_is_an_offset_in_the_buffer_of_its_struct() -> None:
    check(
        "pointers",
        """var at: ptr<global, i32>
        var i: i32 = n
        if (n > 0:i32) { at = addr<ptr<global, i32>>(s[i].span.[1:i32]) }
        i = 0:i32
        at[0:i32] = n""",
        """var at_offset: i64
        var i: i32 = n
        if (n > 0:i32) {
        at_offset = (((cast<i64>(i) * 4:i64) + 1:i64) + 1:i64)
        }
        i = 0:i32
        padd(cast<ptr<global, i32>>(s), at_offset)[0:i32] = n""",
        R, RECORDS,
    )  # fmt: skip


def test_the_index_of_a_member_is_read_where_its_address_is_taken() -> None:
    check(
        "pointers",
        """var i: i32 = n
        var at: ptr<global, Rec> = addr<ptr<global, Rec>>(o[i].head)
        i = 0:i32
        at[0:i32].key = 1:i32""",
        """var i: i32 = n
        var at_start: i32 = i
        i = 0:i32
        o[at_start].head.key = 1:i32""",
        R, RECORDS,
    )  # fmt: skip


def test_an_element_of_a_local_struct_that_moves_is_refused() -> None:
    body = """shared var r: array<Rec, 4>
        var at: ptr<shared, i32>
        at = addr<ptr<shared, i32>>(r.[n].key)
        at[0:i32] = 1:i32"""
    with pytest.raises(Refused) as refused:
        apply("pointers", module_of(body, R, RECORDS))
    assert refused.value.diagnostic.code.id == "CM3011"


def test_a_test_for_null_that_is_known_chooses_the_access() -> None:
    check(
        "pointers",
        "var p: ptr<global, f32> = null<ptr<global, f32>>\n"
        "a[0:i32] = ((p == null<ptr<global, f32>>) ? 1.0:f32 : p[0:i32])",
        "a[0:i32] = 1.0:f32", P,
    )  # fmt: skip


TRIPLES = """struct Three size 12 align 4 { x: i32 @ 0
 y: i32 @ 4
 z: i32 @ 8 }"""
W = "n: i32, w: ptr<global, i32>"
START = """var i: i32 = n
    var k: ptr<global, Three> = cast<ptr<global, Three>>(padd(w, (i * 16:i32)))
    i = 0:i32
"""


def test_a_pointer_walks_from_a_start_between_two_of_its_elements() -> None:
    check(
        "pointers",
        START + "k = padd(k, 2:i32)\nk[1:i32].y = 1:i32",
        """var i: i32 = n
        var k_start: i32 = (i * 16:i32)
        var k_offset: i64 = 0:i64
        i = 0:i32
        k_offset = (k_offset + 2:i64)
        padd(cast<ptr<global, Three>>(padd(w, k_start)), k_offset)[1:i32].y = 1:i32""",
        W, TRIPLES,
    )  # fmt: skip


@pytest.mark.parametrize(
    "move",
    [
        # It gets another start, which the offset cannot tell.
        "k = cast<ptr<global, Three>>(padd(w, (n * 4:i32)))\nk[0:i32].x = 1:i32",
        "if (n > 0:i32) { k = cast<ptr<global, Three>>(w) }\nk[0:i32].x = 1:i32",
    ],
)
def test_a_pointer_with_two_starts_is_refused(move: str) -> None:
    module = module_of(START + move, W, TRIPLES)
    with pytest.raises(Refused) as refused:
        normalise(module.kernels[0], module, Sink())
    assert refused.value.diagnostic.code.id == "CM3011"


def test_pointers_from_two_starts_do_not_compare_by_their_offsets() -> None:
    body = (
        "var e: ptr<global, Three> = cast<ptr<global, Three>>(padd(w, (n * 4:i32)))\n"
        "k = padd(k, 1:i32)\nif (k < e) { w[0:i32] = cast<i32>(pdiff(k, e)) }"
    )
    lines = body_lines(apply("pointers", module_of(START + body, W, TRIPLES)))
    moved, end = (f"cast<ptr<global, Three>>(padd(w, {x}_start))" for x in "ke")
    assert f"if (padd({moved}, k_offset) < {end}) {{" in lines
    assert f"w[0:i32] = cast<i32>(pdiff(padd({moved}, k_offset), {end}))" in lines


def test_pointers_from_one_start_compare_by_their_offsets() -> None:
    body = START + "var first: ptr<global, Three> = k\nk = padd(k, 1:i32)\n"
    check(
        "pointers",
        body + "if (first < k) { k[0:i32].x = 1:i32 }",
        """var i: i32 = n
        var k_start: i32 = (i * 16:i32)
        var k_offset: i64 = 0:i64
        i = 0:i32
        var first_offset: i64 = k_offset
        k_offset = (k_offset + 1:i64)
        if (first_offset < k_offset) {
        padd(cast<ptr<global, Three>>(padd(w, k_start)), k_offset)[0:i32].x = 1:i32
        }""",
        W, TRIPLES,
    )  # fmt: skip
