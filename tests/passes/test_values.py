"""Structs, vectors, pointers, flat memory, constants."""

from __future__ import annotations

import pytest
from before_after import apply, body_lines, check, module_of, unchanged

from migrate.core.diagnostics import Sink
from migrate.ir.printer import print_kernel
from migrate.ir.types import I32, Pointer, Space
from migrate.lifting.lift import normalise
from migrate.lifting.refusal import Refused

STRUCTS = """struct Adam size 8 align 4 { rate: f32 @ 0
 count: i32 @ 4 }
struct Odd size 12 align 4 { small: i16 @ 0
 wide: f32 @ 4
 tail: f32 @ 8 }
constant var coef: array<f32, 4>
"""
P = "n: i32, p: ptr<global, float2>, q: ptr<global, f32>, a: Adam"


def test_vector_variable_becomes_scalars() -> None:
    check(
        "scalarise",
        "var v: float2 = p[n] v.x = (v.x * 2.0:f32) p[n] = v",
        """var v_x: f32 = p[n].x
        var v_y: f32 = p[n].y
        v_x = (v_x * 2.0:f32)
        p[n].x = v_x
        p[n].y = v_y""",
        P,
        STRUCTS,
    )


def test_swap_of_members_holds_the_old_values() -> None:
    check(
        "scalarise",
        "var v: float2 = p[n] v = make<float2>(v.y, v.x)",
        """var v_x: f32 = p[n].x
        var v_y: f32 = p[n].y
        var part: f32 = v_y
        var part_2: f32 = v_x
        v_x = part
        v_y = part_2""",
        P,
        STRUCTS,
    )


def test_copy_between_elements_that_can_be_one() -> None:
    check(
        "scalarise",
        "p[n] = make<float2>(p[0:i32].y, p[0:i32].x)",
        """var part: f32 = p[0:i32].y
        var part_2: f32 = p[0:i32].x
        p[n].x = part
        p[n].y = part_2""",
        P,
        STRUCTS,
    )


def test_struct_parameter_becomes_scalars() -> None:
    kernel = check(
        "scalarise",
        "q[0:i32] = (a.rate * q[a.count])",
        "q[0:i32] = (a_rate * q[a_count])",
        P,
        STRUCTS,
    )
    assert [p.name for p in kernel.params] == ["n", "p", "q", "a_rate", "a_count"]


def test_array_of_vectors_becomes_one_array_a_member() -> None:
    check(
        "scalarise",
        "var t: array<float2, 3> t.[n].y = 1.0:f32",
        """var t_x: array<f32, 3>
        var t_y: array<f32, 3>
        t_y.[n] = 1.0:f32""",
        P,
        STRUCTS,
    )


def test_nested_array_becomes_one_of_one_dimension() -> None:
    check(
        "scalarise",
        "var t: array<array<f32, 4>, 3> t.[n].[2:i32] = 1.0:f32",
        """var t: array<f32, 12>
        t.[((n * 4:i32) + 2:i32)] = 1.0:f32""",
        "n: i32",
    )


def test_scalars_are_left_alone() -> None:
    unchanged("scalarise", "var t: array<f32, 3> t.[n] = 1.0:f32", "n: i32")


def test_pointer_with_one_definition() -> None:
    check(
        "pointers",
        "var row: ptr<global, f32> = padd(q, (n * 3:i32)) row[n] = row[1:i32]",
        """var row_offset: i32 = (n * 3:i32)
        padd(q, row_offset)[n] = padd(q, row_offset)[1:i32]""",
        P,
        STRUCTS,
    )


def test_walking_pointer() -> None:
    check(
        "pointers",
        "var w: ptr<global, f32> = q while (n < 3:i32) { w[0:i32] = 1.0:f32 w = padd(w, n) }",
        """var w_offset: i64 = 0:i64
        while (n < 3:i32) {
        padd(q, w_offset)[0:i32] = 1.0:f32
        w_offset = (w_offset + cast<i64>(n))
        }""",
        P,
        STRUCTS,
    )


def test_pointers_into_one_buffer_are_compared_by_offset() -> None:
    check(
        "pointers",
        "var e: ptr<global, f32> = padd(q, n) if (padd(q, 1:i32) < e) { q[0:i32] = 1.0:f32 }",
        """var e_offset: i32 = n
        if (1:i64 < cast<i64>(e_offset)) {
        q[0:i32] = 1.0:f32
        }""",
        P,
        STRUCTS,
    )


@pytest.mark.parametrize(("test", "left"), [("!=", "2.0"), ("==", "1.0")])
def test_the_branch_of_a_pointer_that_is_always_null(test: str, left: str) -> None:
    check(
        "pointers",
        f"""var out: ptr<global, f32> = null<ptr<global, f32>>
        if (out {test} null<ptr<global, f32>>) {{
        q[0:i32] = 1.0:f32 }} else {{ q[0:i32] = 2.0:f32 }}""",
        f"q[0:i32] = {left}:f32",
        P,
        STRUCTS,
    )


def test_a_null_test_joined_with_another() -> None:
    check(
        "pointers",
        """var out: ptr<global, f32> = null<ptr<global, f32>>
        if ((out != null<ptr<global, f32>>) && (n < 3:i32)) { q[0:i32] = 1.0:f32 } else {
        var v: f32 = 2.0:f32 q[0:i32] = v }
        if (!(out == null<ptr<global, f32>>)) { out[0:i32] = 4.0:f32 }""",
        """var v: f32 = 2.0:f32
        q[0:i32] = v""",
        P,
        STRUCTS,
    )


def test_a_pointer_into_two_buffers_is_refused() -> None:
    module = module_of(
        "var w: ptr<global, f32> = q if (n < 3:i32) { w = r } w[0:i32] = 1.0:f32",
        "n: i32, q: ptr<global, f32>, r: ptr<global, f32>",
    )
    with pytest.raises(Refused) as refused:
        apply("pointers", module)
    assert refused.value.diagnostic.code.id == "CM3011"
    assert "q, r" in refused.value.diagnostic.cause


def test_vector_elements_become_flat_ones() -> None:
    kernel = check("flatten", "p[n].y = 1.0:f32", "p[((n * 2:i32) + 1:i32)] = 1.0:f32", P, STRUCTS)
    assert "p: ptr<global, f32>" in print_kernel(kernel)


def test_vector_view_of_a_scalar_buffer() -> None:
    check(
        "flatten",
        "cast<ptr<global, float4>>(q)[n].z = 1.0:f32",
        "q[((n * 4:i32) + 2:i32)] = 1.0:f32",
        P,
        STRUCTS,
    )


def test_structs_of_four_byte_members_are_words() -> None:
    check(
        "flatten",
        "s[n].rate = (s[n].rate + 1.0:f32) s[n].count = n",
        """s[(n * 2:i32)] = bits<i32>((bits<f32>(s[(n * 2:i32)]) + 1.0:f32))
        s[((n * 2:i32) + 1:i32)] = n""",
        "n: i32, s: ptr<global, Adam>",
        STRUCTS,
    )


def test_a_distance_in_bytes_is_divided() -> None:
    check(
        "flatten",
        "cast<ptr<global, f32>>(padd(cast<ptr<global, i8>>(q), (n * 4096:i32)))[n] = 0.0:f32",
        "q[((cast<i64>((n * 4096:i32)) / 4:i64) + cast<i64>(n))] = 0.0:f32",
        P,
        STRUCTS,
    )


def test_a_wide_member_is_put_together_from_narrow_elements() -> None:
    kernel = check(
        "flatten",
        "q[0:i32] = s[n].wide s[n].small = 3:i16",
        """q[0:i32] = bits<f32>((cast<u32>(bits<u16>(s[((n * 6:i32) + 2:i32)])) | (cast<u32>(bits<u16>(s[((n * 6:i32) + 3:i32)])) << 16:i32)))
        s[(n * 6:i32)] = 3:i16""",
        "n: i32, q: ptr<global, f32>, s: ptr<global, Odd>",
        STRUCTS,
    )
    assert "s: ptr<global, i16>" in print_kernel(kernel)


def test_a_wide_store_is_taken_apart() -> None:
    check(
        "flatten",
        "cast<ptr<global, u32>>(h)[n] = (cast<u32>(n) + 1:u32)",
        """var stored: u32 = (cast<u32>(n) + 1:u32)
        h[(n * 2:i32)] = bits<f16>(cast<u16>(stored))
        h[((n * 2:i32) + 1:i32)] = bits<f16>(cast<u16>((stored >> 16:i32)))""",
        "n: i32, h: ptr<global, f16>",
        STRUCTS,
    )


def test_memory_of_pointers_is_refused() -> None:
    module = module_of("s[n][0:i32] = 1.0:f32", "n: i32, s: ptr<global, ptr<global, f32>>")
    with pytest.raises(Refused) as refused:
        apply("flatten", module)
    assert refused.value.diagnostic.code.id == "CM3013"


def test_constant_memory_becomes_a_parameter() -> None:
    kernel = check("flatten", "q[n] = coef.[n]", "q[n] = coef[n]", P, STRUCTS)
    assert kernel.params[-1].name == "coef"


def test_atomics_of_one_type_say_what_a_buffer_holds() -> None:
    kernel = check(
        "flatten", "atomic _ = max device cast<ptr<global, i32>>(q)[n](n)",
        "atomic _ = max device q[n](n)", P,
    )  # fmt: skip
    assert kernel.params[2].type == Pointer(I32, Space.GLOBAL)
    check(
        "flatten", "q[n] = q[0:i32] atomic _ = exch device cast<ptr<global, u32>>(q)[n](1:u32)",
        "q[n] = bits<u32>(bits<f32>(q[0:i32]))\natomic _ = exch device q[n](1:u32)", P,
    )  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        "atomic _ = max device cast<ptr<global, u32>>(q)[n](1:u32)",
        "atomic _ = add device q[n](1.0:f32)",
        "atomic _ = max device cast<ptr<global, i64>>(q)[n](1:i64)",
    ],
)
def test_atomics_of_two_types_in_one_buffer_are_refused(other: str) -> None:
    module = module_of(f"{other} atomic _ = max device cast<ptr<global, i32>>(q)[n](n)", P)
    with pytest.raises(Refused) as refused:
        apply("flatten", module)
    assert refused.value.diagnostic.code.id == "CM3013"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cast<f32>((2:i32 + 3:i32))", "5.0:f32"),
        ("cast<f32>((7:i32 / -2:i32))", "-3.0:f32"),
        ("cast<f32>((2147483647:i32 + 1:i32))", "-2147483648.0:f32"),
        ("cast<f32>((n + 0:i32))", "cast<f32>(n)"),
        ("cast<f32>(((n + 1:i32) * 0:i32))", "0.0:f32"),
        ("(0.1:f32 + 0.2:f32)", "0.30000001192092896:f32"),
        ("(x + 0.0:f32)", "(x + 0.0:f32)"),
        ("(x * 0.0:f32)", "(x * 0.0:f32)"),
        ("cast<f32>(cast<i32>(1e10:f32))", "cast<f32>(cast<i32>(10000000000.0:f32))"),
        ("(false ? x : 2.0:f32)", "2.0:f32"),
    ],
)
def test_folding(before: str, after: str) -> None:
    check(
        "fold", f"q[0:i32] = {before}", f"q[0:i32] = {after}", "n: i32, x: f32, q: ptr<global, f32>"
    )


def test_a_vector_read_through_another_type_is_an_array_of_its_words() -> None:
    module = module_of(
        "var v: float4 = w[n] q[n] = cast<ptr<local, f32>>(addr<ptr<local, float4>>(v))[n]",
        "n: i32, w: ptr<global, float4>, q: ptr<global, f32>",
    )
    lines = body_lines(normalise(module.kernels[0], module, Sink()))
    assert lines == [
        "var v: array<f32, 4>",
        "v.[0:i32] = w[(n * 4:i32)]",
        "v.[1:i32] = w[((n * 4:i32) + 1:i32)]",
        "v.[2:i32] = w[((n * 4:i32) + 2:i32)]",
        "v.[3:i32] = w[((n * 4:i32) + 3:i32)]",
        "q[n] = v.[n]",
    ]


def test_a_float_whose_bits_are_read_through_a_pointer_stays_a_float() -> None:
    module = module_of(
        "var f: f32 = w[n] q[n] = cast<ptr<local, i32>>(addr<ptr<local, f32>>(f))[0:i32]",
        "n: i32, w: ptr<global, f32>, q: ptr<global, i32>",
    )
    lines = body_lines(normalise(module.kernels[0], module, Sink()))
    assert lines == ["var f: f32 = w[n]", "q[n] = bits<i32>(f)"]


def test_dynamic_shared_arrays_are_one_piece_of_memory() -> None:
    module = module_of(
        "shared var a: array<f32, 0> shared var b: array<i32, 0> a.[n] = w[n] q[n] = b.[n]",
        "n: i32, w: ptr<global, f32>, q: ptr<global, i32>",
    )
    lines = body_lines(normalise(module.kernels[0], module, Sink()))
    assert sum("shared var" in line for line in lines) == 1
    assert "q[n] = bits<i32>(a.[n])" in lines or "q[n] = a.[n]" in lines


FIELD = """struct Fe size 8 align 4 { n: array<u32, 2> @ 0 }
struct Ge size 20 align 4 { x: Fe @ 0
 y: Fe @ 8
 tag: i32 @ 16 }
struct Big size 516 align 4 { n: array<f32, 129> @ 0 }
"""
FE = "n: i32, p: ptr<global, Fe>, g: ptr<global, Big>"


def test_struct_that_holds_an_array_is_copied_by_element() -> None:
    check(
        "scalarise",
        "var t: array<Ge, 3> var s: Fe = p[n] t.[n].y = s p[n] = t.[n].x",
        """var t_x_n: array<u32, 6>
        var t_y_n: array<u32, 6>
        var t_tag: array<i32, 3>
        var s_n: array<u32, 2>
        s_n.[0:i32] = p[n].n.[0:i32]
        s_n.[1:i32] = p[n].n.[1:i32]
        t_y_n.[(n * 2:i32)] = s_n.[0:i32]
        t_y_n.[((n * 2:i32) + 1:i32)] = s_n.[1:i32]
        p[n].n.[0:i32] = t_x_n.[(n * 2:i32)]
        p[n].n.[1:i32] = t_x_n.[((n * 2:i32) + 1:i32)]""",
        FE,
        FIELD,
    )


def test_swap_of_arrays_in_a_struct_holds_the_old_elements() -> None:
    kernel = apply(
        "scalarise",
        module_of("var v: Ge v = make<Ge>(v.y, v.x, n)", FE, FIELD),
    )
    lines = [line.strip() for line in print_kernel(kernel).splitlines()]
    first_write = lines.index("v_x_n.[0:i32] = part")
    assert lines.index("var part_4: u32 = v_x_n.[1:i32]") < first_write
    assert "v_y_n.[1:i32] = part_4" in lines[first_write:]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("var v: Big = g[n] g[0:i32] = v", "more than 128 scalars"),
        ("var v: Fe v.n.[0:i32] = bits<u32>(v)", "v is used as a whole"),
    ],
)
def test_a_whole_value_without_a_form_in_parts_is_refused(body: str, cause: str) -> None:
    with pytest.raises(Refused, match=cause) as found:
        apply("scalarise", module_of(body, FE, FIELD))
    assert found.value.diagnostic.code.id == "CM3014"


def test_an_index_that_the_first_write_could_change_is_held() -> None:
    check(
        "scalarise",
        "var t: array<Adam, 3> t.[t.[n].count] = a padd(o, 1:i32)[o[n].count] = a",
        """var t_rate: array<f32, 3>
        var t_count: array<i32, 3>
        var at: i32 = t_count.[n]
        t_rate.[at] = a_rate
        t_count.[at] = a_count
        var at_2: i32 = o[n].count
        padd(o, 1:i32)[at_2].rate = a_rate
        padd(o, 1:i32)[at_2].count = a_count""",
        P + ", o: ptr<global, Adam>",
        STRUCTS,
    )
