"""The source rewriter, construct by construct: what changes, and that lines never move."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.emulation.cuda_tokens import lex
from migrate.emulation.source_rewrite import rewrite
from migrate.emulation.source_tree import local_files, rewrite_tree

_CALL = "::cuda_emu::launcher([=](auto&... cuda_emu_a) { "
_REST = "(cuda_emu_a...); }, ::cuda_emu::config("


def _flat(source: str) -> str:
    result = rewrite(source)
    assert result.problems == ()
    assert result.text.count("\n") == source.count("\n")
    return " ".join(result.text.split())


@pytest.mark.parametrize(
    ("kernel", "config"),
    [
        ("k", "g, b"),
        ("k<T, 4>", "g, b, 0, stream"),
        ("ns::k<std::vector<int>, (1 > 0)>", "dim3(2, 3), 128"),
        ("::k", "1, 1"),
        ("table[i]", "n / 2, m[3]"),
        ("(*pointer)", "1, f(2, 3)"),
        ("k<A<B<int>>>", "1, 2"),
        ("k<>", "1, 2"),
        ("self->kernel", "1, 2"),
        ("Holder<int>::kernel<2>", "1, 2"),
    ],
)
def test_launches(kernel: str, config: str) -> None:
    text = _flat(f"void f() {{ if (x) {kernel}<<<{config}>>>(a, b); }}")
    assert text == f"void f() {{ if (x) {_CALL}{kernel}{_REST}{config}))(a, b); }}"


def test_a_launch_over_several_lines_keeps_its_lines() -> None:
    source = "void f() {\n  k<int>\n    <<<g,\n       b>>>(a,\n  NULL);\n}\n"
    result = rewrite(source)
    lines = [line.strip() for line in result.text.splitlines()]
    assert lines[2].startswith("(cuda_emu_a0, NULL); }, ::cuda_emu::config(g,")
    assert lines[3:] == ["b))(a", ");", "}"]


@pytest.mark.parametrize(
    ("arguments", "passed", "kept"),
    [
        ("0, a", "0, cuda_emu_a1", "a"),
        ("a, 0, 0, b", "cuda_emu_a0, 0, 0, cuda_emu_a3", "a, b"),
        ("nullptr, NULL", "nullptr, NULL", ""),
        ("f(0), 0", "cuda_emu_a0, 0", "f(0)"),
    ],
)
def test_null_pointer_constants_stay_at_the_kernel(arguments: str, passed: str, kept: str) -> None:
    text = _flat(f"void f() {{ k<<<1, 2>>>({arguments}); }}")
    assert f"k({passed}); }}, ::cuda_emu::config(1, 2))({kept});" in text


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("p.func = (void *)k;", "p.func = (void *)::cuda_emu::kernel_pointer(k);"),
        ("g((void*)k<T, 2>, 1);", "g((void*)::cuda_emu::kernel_pointer(k<T, 2>), 1);"),
        (
            "auto q = reinterpret_cast<const void *>(&k);",
            "auto q = reinterpret_cast<const void *>(::cuda_emu::kernel_pointer(&k));",
        ),
        ("void *q = (void *)other;", "void *q = (void *)other;"),
    ],
)
def test_untyped_kernel_pointers_are_registered(use: str, expected: str) -> None:
    assert expected in _flat(f"__global__ void k(int *p);\nvoid f() {{ {use} }}")


def test_launches_in_macros_are_rewritten() -> None:
    text = _flat("#define RUN(k, ...) k##_kernel<<<g, b>>>(__VA_ARGS__)\n")
    assert f"{_CALL}k##_kernel{_REST}g, b))(__VA_ARGS__)" in text


def test_comments_strings_and_shifts_are_left_alone() -> None:
    source = '// k<<<1, 2>>>(x)\n/* __shared__ int s; */\nconst char *t = "k<<<1>>>(x)";\n'
    source += 'auto r = R"(__global__ void k(int a) { })";\nint y = 1 << 2 >> 3;\n'
    assert rewrite(source).text == source


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ("int n, const float *__restrict__ x", "n, x"),
        ("", ""),
        ("void", ""),
        ("float x[], int (&m)[4], void (*f)(int)", "x, m, f"),
        ("std::map<int, float> m, unsigned long long q = 1 << 3", "m, q"),
        ("const __grid_constant__ Params p", "p"),
        ("T... values", "values..."),
        ("const double2 *const __restrict__ data", "data"),
    ],
)
def test_kernel_hooks_name_the_parameters(parameters: str, names: str) -> None:
    text = _flat(f"__global__ void __launch_bounds__(256, 2) k({parameters}) {{ }}")
    assert f"{{ CUDA_EMU_KERNEL_ENTRY({names})" in text


def test_macros_that_stand_for_global() -> None:
    source = '#define KERNEL extern "C" __global__\nKERNEL void k(int n) { }\n'
    assert "CUDA_EMU_KERNEL_ENTRY(n)" in _flat(source)
    elsewhere = rewrite("KERNEL void k(int n) { }\n", frozenset({"KERNEL"}))
    assert "CUDA_EMU_KERNEL_ENTRY(n)" in elsewhere.text
    whole = "#define DEFINE(name) __global__ void name(int n) { out[n] = 1; }\n"
    assert "void name(int n) { CUDA_EMU_KERNEL_ENTRY(n) out" in _flat(whole)


def test_unnamed_parameters_get_names() -> None:
    text = _flat("__global__ void k(int, const float *, const size_t, unsigned int) { }")
    named = "int cuda_emu_unnamed_0, const float * cuda_emu_unnamed_1"
    assert f"{named}, const size_t cuda_emu_unnamed_2, unsigned int cuda_emu_unnamed_3" in text


def test_declarations_and_specialisations() -> None:
    assert "ENTRY" not in _flat("__global__ void k(int n);\nextern __global__ void j(float *);\n")
    text = _flat("template <> __global__ void k<float>(float *x) { }")
    assert "CUDA_EMU_KERNEL_ENTRY(x)" in text


def test_static_shared_variables() -> None:
    text = _flat("__global__ void k() { __shared__ float a[16][17], *b; volatile __shared__ T c; }")
    assert "struct cuda_emu_shared_1 { float a[16][17], *b; };" in text
    assert "auto& a = cuda_emu_shared_1_memory.a; auto& b = cuda_emu_shared_1_memory.b;" in text
    assert "struct cuda_emu_shared_2 { volatile T c; };" in text


def test_shared_types_with_commas_and_bodies() -> None:
    text = _flat("void f() { __shared__ typename Reduce<float, 8>::Storage t; }")
    assert "auto& t = cuda_emu_shared_1_memory.t;" in text
    text = _flat("void f() { __shared__ union { int i[4]; float f[4]; } u; }")
    assert "auto& u = cuda_emu_shared_1_memory.u;" in text


def test_dynamic_shared_memory() -> None:
    text = _flat("void f() { extern __shared__ __align__(16) unsigned char s[]; }")
    assert "typedef unsigned char cuda_emu_dynamic_s[];" in text
    assert "auto& s = ::cuda_emu::dynamic_shared<cuda_emu_dynamic_s>();" in text
    text = _flat("extern __shared__ double s[];\nvoid f() { s[0] = 1; }\n")
    assert "static ::cuda_emu::DynamicShared<double > s;" in text


def test_device_variables_are_registered() -> None:
    text = _flat(
        "namespace a { __constant__ float c[4] = {1, 2}; }\n"
        "static __device__ int x, y[3];\n"
        "extern __device__ int elsewhere;\n"
        "__device__ float f(int a) { return a; }\n"
        "struct S { __device__ int m() const { return 1; } };\n"
    )
    assert 'cuda_emu_registration_c("c", "constant", c);' in text
    assert 'cuda_emu_registration_x("x", "device", x);' in text
    assert 'cuda_emu_registration_y("y", "device", y);' in text
    assert text.count("Registration") == 3


def test_header_definitions_may_appear_in_several_files() -> None:
    text = _flat("__constant__ int c;\n__device__ int f(int a) { return a; }\n__device__ int g();")
    assert "__attribute__((weak)) __constant__ int c;" in text
    assert "inline __attribute__((used)) __device__ int f(int a) {" in text
    assert text.endswith("} __device__ int g();")
    same = "template <class T> __device__ T f(T a) { return a; }\n"
    same += "static __device__ int g() { return 1; }\n__host__ __device__ int h() { return 1; }\n"
    same += "namespace { __device__ int i() { return 1; } }\n"
    assert rewrite(same).text == same
    private = _flat(
        "namespace { __device__ int v; } static __device__ int w; __device__ const int k;"
    )
    assert "weak" not in private


def test_scopes_survive_conditional_branches() -> None:
    source = "#ifdef A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n__device__ int v;\n"
    assert 'cuda_emu_registration_v("v"' in rewrite(source).text


def test_specifiers_that_would_clash() -> None:
    text = _flat("__device__ __forceinline__ inline int f() { return 1; }\n__noinline__ void g();")
    assert "__forceinline__" not in text
    assert "__attribute__((noinline)) void g();" in text
    kept = _flat("__attribute__((__noinline__)) void g();")
    assert kept == "__attribute__((__noinline__)) void g();"


def test_untyped_launches_lose_their_cast() -> None:
    text = _flat("void f() { cudaLaunchKernel((const void *)k<T>, g, b, args, 0, s); }")
    assert "cudaLaunchKernel(k<T>, g, b, args, 0, s)" in text
    text = _flat("void f() { cudaLaunchCooperativeKernel(reinterpret_cast<void *>(&k), g); }")
    assert "cudaLaunchCooperativeKernel((k), g)" in text


def test_what_cannot_be_handled_is_reported_with_its_line() -> None:
    result = rewrite("int a;\nvoid f() { k<<<1, 2; }\n")
    assert [p.line for p in result.problems] == [2]


@given(st.text(alphabet="abk_<>(){}[];,\"'\\/*#\n =&0:.", max_size=80))
def test_any_text_lexes_and_keeps_its_lines(text: str) -> None:
    streams = lex(text)
    for token in streams.code:
        assert text[token.start : token.end] == token.text
    assert rewrite(text).text.count("\n") == text.count("\n")


def test_trees_keep_their_layout(tmp_path: Path) -> None:
    app, common = tmp_path / "app", tmp_path / "common"
    app.mkdir()
    common.mkdir()
    (app / "main.cu").write_text('#include "../common/a.h"\n#include <b.h>\nint main() { }\n')
    (common / "a.h").write_text("__device__ int v;\n")
    (common / "b.h").write_text('#include "c.h"\n')
    (common / "c.h").write_text("int c;\n")
    (common / "unused.h").write_text("int u;\n")
    names = [path.name for path in local_files([app / "main.cu"], [common])]
    assert names == ["main.cu", "a.h", "b.h", "c.h"]
    tree = rewrite_tree([app / "main.cu"], [common], tmp_path / "out")
    assert tree.sources == (tmp_path / "out" / "app" / "main.cu",)
    assert (tmp_path / "out" / "common") in tree.include_dirs
    copied = (tmp_path / "out" / "common" / "a.h").read_text()
    assert copied.startswith(f'#line 1 "{common / "a.h"}"\n')
    assert "Registration" in copied
