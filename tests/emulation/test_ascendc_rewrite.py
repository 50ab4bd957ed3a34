"""Rewriting of .asc files: launches, shared variables, device variables; lines stay where they are."""

from __future__ import annotations

import pytest

from migrate.emulation.asc_rewrite import rewrite_asc
from migrate.emulation.cpp_lexer import Edit, apply_edits, split_arguments, tokenize

SIMD = '#include "kernel_operator.h"\n__global__ __vector__ void k(__gm__ float* x, int n) {}\n'
SIMT = "__global__ __launch_bounds__(64) void s(float* x, int n) {}\n"


def body(source: str) -> str:
    """The rewritten file without the two lines put in front."""
    return rewrite_asc(source, "f.asc").split("\n", 2)[2]


def test_simd_launch_becomes_a_call() -> None:
    """Three configuration values; the kernel's own arguments follow."""
    text = body(SIMD + "void f(float* p) { k<<<8, nullptr, stream>>>(p, 3); }\n")
    assert '::ascendc_emu::simd_launch("k", [&](auto... emu_a) { k(emu_a...); }' in text
    assert "::ascendc_emu::simd_config(8, nullptr, stream), p, 3);" in text


def test_template_kernel_and_nested_templates() -> None:
    """Template arguments of the kernel, and of values inside the configuration, are kept."""
    text = body(SIMD + "void f() { ns::k<int, g<2>><<<h<4>(n), 0, s>>>(a<b<c>>(x)); }\n")
    assert "{ ns::k<int, g<2>>(emu_a...); }" in text
    assert "simd_config(h<4>(n), 0, s), a<b<c>>(x));" in text


def test_simt_launch_and_null_argument() -> None:
    """Two to four configuration values; NULL would not convert to a pointer through the call."""
    text = body(SIMT + "void f() { s<<<dim3(1, 2), 64>>>(NULL, 5); }\n")
    assert "::ascendc_emu::simt_config(dim3(1, 2), 64), nullptr, 5);" in text


def test_launch_without_arguments_over_several_lines() -> None:
    """Line numbers do not move."""
    source = (
        SIMT
        + "void f()\n{\n    s<<<1,\n        64,\n        0, st\n    >>>\n    (\n);\nint z;\n}\n"
    )
    text = body(source)
    assert [i for i, line in enumerate(text.split("\n")) if line == "int z;"] == [
        i for i, line in enumerate(source.split("\n")) if line == "int z;"
    ]


def test_shifts_strings_and_comments_are_left_alone() -> None:
    """Only a launch is rewritten."""
    source = (
        SIMD + 'int a = 1 << 3 >> 1; // k<<<1, 2, 3>>>(x)\nconst char* t = "k<<<1,2,3>>>(x)";\n'
    )
    assert body(source) == source


def test_shared_arrays_scalars_and_pointers() -> None:
    """Variables move into the UB of the block; a pointer to UB is a plain variable."""
    text = body(
        "__global__ void s(float* x)\n{\n    __ubuf__ float a[4][N + 1], b;\n"
        "    __ubuf__ float* p = a[0];\n    extern __ubuf__ int d[];\n}\n"
    )
    assert (
        "float (&a)[4][N + 1] = ::ascendc_emu::simt::ubuf_static<float[4][N + 1]>([] {});" in text
    )
    assert "float &b = ::ascendc_emu::simt::ubuf_static<float>([] {});" in text
    assert "__ubuf__ float* p = a[0];" in text
    assert "int* d = ::ascendc_emu::simt::ubuf_dynamic<int>();" in text


def test_shared_variable_with_initializer_is_refused() -> None:
    """UB cannot be initialised at its declaration."""
    with pytest.raises(ValueError, match="line 3"):
        rewrite_asc("__global__ void s(int* x)\n{\n    __ubuf__ int a = 3;\n}\n", "f.asc")


def test_bound_of_the_kernel_is_checked_in_its_body() -> None:
    """The bound may depend on template parameters; without one it is 1024."""
    text = body(
        "template <int N>\n__global__ __launch_bounds__(N * 2) void s(int* x) { x[0] = N; }\n"
    )
    assert "{ ::ascendc_emu::simt::check_bound(N * 2); x[0] = N; }" in text
    assert "check_bound(1024)" in body("__global__ void s(int* x) { x[0] = 1; }\n")


def test_device_functions_see_float_functions_only() -> None:
    """Kernels and device functions get the names they call; host functions do not."""
    text = body(
        "__aicore__ float f(float v) { return expf(v); }\n"
        "__global__ void s(float* x) { x[0] = f(x[0]) + sin(x[1]) + obj.cos(2) + std::tan(1); }\n"
        "float host(float v) { return sinf(v); }\n"
    )
    assert "{ using ::ascendc_emu::simt::dm::expf; return expf(v); }" in text
    assert "dm::sin;" in text
    assert "dm::cos" not in text
    assert "dm::tan" not in text
    assert "dm::sinf" not in text


def test_own_function_of_the_same_name_wins() -> None:
    """A file may define its own max."""
    text = body(
        "__aicore__ float max(float a, float b) { return a > b ? a : b; }\n"
        "__global__ void s(float* x) { x[0] = max(x[0], x[1]); }\n"
    )
    assert "dm::max" not in text


def test_device_variables_are_registered() -> None:
    """Variables outside functions are known with their size; parameters and pointers are not."""
    text = body(
        "__gm__ float table[4];\nnamespace n {\n__gm__ int v = 3;\n}\n"
        "__global__ void s(__gm__ float* p) { __gm__ float* q = p; }\n"
    )
    assert "RegisterSymbol emu_symbol_table(&table, sizeof(table));" in text
    assert "RegisterSymbol emu_symbol_v(&v, sizeof(v));" in text
    assert text.count("RegisterSymbol") == 2


def test_launch_that_does_not_end_is_an_error() -> None:
    """The line is named."""
    with pytest.raises(ValueError, match="line 3"):
        rewrite_asc(SIMD + "void f() { k<<<1, 0, s; }\n", "f.asc")


def test_lexer_keeps_places() -> None:
    """Raw strings, line continuations and digit separators do not confuse it."""
    source = '#define A \\\n  b\nauto r = R"x(a"\nb)x"; int n = 1\'000; char c = \'"\';\n'
    tokens = tokenize(source)
    assert all(source[t.start : t.end] == t.text for t in tokens)
    assert [t.text for t in tokens if t.kind == "number"] == ["1'000"]
    assert next(t for t in tokens if t.text == "n").line == 4


def test_edits_keep_the_number_of_lines() -> None:
    """What replaces three lines takes three lines; overlapping edits are an error."""
    assert apply_edits("a\nb\nc\nd", [Edit(0, 5, "x")]) == "x\n\n\nd"
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [Edit(0, 3, ""), Edit(2, 4, "")])


def test_arguments_are_split_at_the_outer_commas() -> None:
    """Brackets of all kinds nest."""
    tokens = tokenize("f(a, b), {c, d}, e[1, 2]")
    assert len(split_arguments(tokens, 0, len(tokens))) == 3
