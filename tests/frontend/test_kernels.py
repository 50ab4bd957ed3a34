"""Constructs and the IR that they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.ir.parser import parse_module
from migrate.ir.printer import print_kernel, print_module
from tests.frontend.conftest import Read, by_symbol, function_lines, kernel_body, only_kernel


def body(read: Read, text: str, params: str = "float* a, int n", head: str = "") -> list[str]:
    """The IR lines of a kernel with this body."""
    return kernel_body(read(f"{head}\n__global__ void k({params}) {{\n{text}\n}}"))


def test_a_whole_kernel(read: Read) -> None:
    unit = read(
        """
        __global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) y[i] = a * x[i] + y[i];
        }
        """
    )
    assert print_kernel(only_kernel(unit.module)) == (
        'kernel saxpy "saxpy" (n: i32, a: f32, x: ptr<global const restrict, f32>, '
        'y: ptr<global, f32>) mangled "_Z5saxpyifPKfPf" qualified "saxpy" bounds 0 {\n'
        "  var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))\n"
        "  if (i < n) {\n"
        "    y[i] = ((a * x[i]) + y[i])\n"
        "  }\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a[0] = n;", ["a[0:i32] = cast<f32>(n)"]),
        ("a[0] = 0.1;", ["a[0:i32] = 0.10000000149011612:f32"]),
        ("n = a[0] * 0.5;", ["n = cast<i32>((cast<f64>(a[0:i32]) * 0.5:f64))"]),
        ("n = -n / 2;", ["n = ((- n) / 2:i32)"]),
        ("unsigned u = n; n = u >> 3;", ["var u: u32 = cast<u32>(n)", "n = cast<i32>((u >> 3:i32))"]),
        ("n = n < 3 && a[n];", ["n = cast<i32>(((n < 3:i32) && (a[n] != 0.0:f32)))"]),
        ("n++;", ["n = (n + 1:i32)"]),
        ("a[n++] = 1;", ["var n_old: i32 = n", "n = (n + 1:i32)", "a[n_old] = 1.0:f32"]),
        ("a[0] = a[1] = 2;", ["a[1:i32] = 2.0:f32", "a[0:i32] = 2.0:f32"]),
        ("float* p = a + n; *p = 1;", ["var p: ptr<global, f32> = padd(a, n)", "p[0:i32] = 1.0:f32"]),
        ("*(a + n) = 1;", ["a[n] = 1.0:f32"]),
        ("float* p = &a[n]; p[1] = 2;",
         ["var p: ptr<global, f32> = addr<ptr<global, f32>>(a[n])", "p[1:i32] = 2.0:f32"]),
        ("float t[2][3]; t[1][n] = 4;",
         ["var t: array<array<f32, 3>, 2>", "t.[1:i32].[n] = 4.0:f32"]),
        ("a[0] = n > 0 ? a[1] : 2;", ["a[0:i32] = ((n > 0:i32) ? a[1:i32] : 2.0:f32)"]),
        ("n = sizeof(float4);", ["n = 16:i32"]),
        ("do { n = 1; } while (0);", ["n = 1:i32"]),
        ("if (sizeof(int) == 4) n = 1; else n = 2;", ["n = 1:i32"]),
        ("float4 v = reinterpret_cast<float4*>(a)[n]; a[0] = v.w;",
         ["var v: float4 = cast<ptr<global, float4>>(a)[n]", "a[0:i32] = v.w"]),
        ("float2 v = make_float2(1, n); v.x += 1;",
         ["var v: float2 = make<float2>(1.0:f32, cast<f32>(n))", "v.x = (v.x + 1.0:f32)"]),
        ("a[0] = __ldg(a + n);", ["a[0:i32] = a[n]"]),
        ("a[0] = __int_as_float(n);", ["a[0:i32] = bits<f32>(n)"]),
        ("a[0] = sqrtf(a[1]) + sqrt(a[2]);",
         ["a[0:i32] = (call<f32> sqrtf(a[1:i32]) + call<f32> sqrtf(a[2:i32]))"]),
        ("a[0] = sqrt(n);", ["a[0:i32] = cast<f32>(call<f64> sqrt(cast<f64>(n)))"]),
        ("a[0] = pow(a[1], 2);",
         ["a[0:i32] = cast<f32>(call<f64> pow(cast<f64>(a[1:i32]), 2.0:f64))"]),
        ("a[0] = fmaxf(a[1], n);", ["a[0:i32] = call<f32> fmaxf(a[1:i32], cast<f32>(n))"]),
        ("n = max(n, 3) + abs(n);", ["n = (call<i32> max(n, 3:i32) + call<i32> abs(n))"]),
        ("a[0] = std::max(a[1], a[2]);",
         ["var t: f32 = a[1:i32]", "var t_1: f32 = a[2:i32]", "a[0:i32] = ((t < t_1) ? t_1 : t)"]),
        ("__syncthreads(); __threadfence();", ["barrier block", "fence device"]),
        ("__syncwarp();", ["barrier warp 4294967295:u32"]),
        ("atomicAdd(&a[n], 1);", ["atomic _ = add device a[n](1.0:f32)"]),
        ("n = atomicMax_block((int*)a, n);",
         ["atomic max_old = max block cast<ptr<global, i32>>(a)[0:i32](n)", "n = max_old"]),
        ("a[0] = __shfl_down_sync(0xffffffff, a[1], 4);",
         ["collective shfl_down: f32 = shfl_down(4294967295:u32, a[1:i32], 4:u32, 32:i32)",
          "a[0:i32] = shfl_down"]),
        ("n = __syncthreads_count(n > 1);",
         ["collective syncthreads_count: i32 = syncthreads_count(cast<i32>((n > 1:i32)))",
          "n = syncthreads_count"]),
        ('printf("%d %f\\n", n, a[0]);', ['effect printf("%d %f\\n", n, cast<f64>(a[0:i32]))']),
        ("assert(n > 0);", ["effect assert((n > 0:i32))"]),
        ("n = warpSize;", ["n = 32:i32"]),
        ("n = gridDim.z;", ["n = cast<i32>(gridDim.z)"]),
        ("a[0] = INFINITY; a[1] = -FLT_MAX;",
         ["a[0:i32] = inf:f32", "a[1:i32] = -3.4028234663852886e+38:f32"]),
        ("float s, c; sincosf(a[0], &s, &c); a[1] = s + c;",
         ["var s: f32", "var c: f32", "var angle: f32 = a[0:i32]", "s = call<f32> sinf(angle)",
          "c = call<f32> cosf(angle)", "a[1:i32] = (s + c)"]),
        ("enum E { A = 3, B }; n = B;", ["n = 4:i32"]),
        ("auto q = n * 2u; a[0] = q;", ["var q: u32 = (cast<u32>(n) * 2:u32)", "a[0:i32] = cast<f32>(q)"]),
        ("int i; { int i = 2; n = i; } i = 3;",
         ["var i: i32", "var i_1: i32 = 2:i32", "n = i_1", "i = 3:i32"]),
        ("const int m = 4; float t[m]; t[m - 1] = m; a[0] = t[0];",
         ["var m: i32 = 4:i32", "var t: array<f32, 4>", "t.[(m - 1:i32)] = cast<f32>(m)",
          "a[0:i32] = t.[0:i32]"]),
    ],
)  # fmt: skip
def test_statement(read: Read, text: str, expected: list[str]) -> None:
    assert body(read, text) == expected


def test_side_effect_under_a_condition_becomes_a_branch(read: Read) -> None:
    assert body(read, "if (n > 0 && atomicAdd((int*)a, 1) == 0) n = 5;") == [
        "var both: bool = (n > 0:i32)",
        "if both {",
        "  atomic add_old = add device cast<ptr<global, i32>>(a)[0:i32](1:i32)",
        "  both = (add_old == 0:i32)",
        "}",
        "if both {",
        "  n = 5:i32",
        "}",
    ]


def test_loop_with_effects_in_its_test(read: Read) -> None:
    assert body(read, "while (n--) { if (n == 3) continue; a[n] = 0; }") == [
        "while true {",
        "  var n_old: i32 = n",
        "  n = (n - 1:i32)",
        "  if (! (n_old != 0:i32)) {",
        "    break",
        "  }",
        "  if (n == 3:i32) {",
        "    continue",
        "  }",
        "  a[n] = 0.0:f32",
        "}",
    ]


def test_for_with_missing_parts_and_unroll(read: Read) -> None:
    assert body(read, "#pragma unroll 4\nfor (; n < 5; ) n += 2;\nfor (;;) break;") == [
        "for unroll 4 {",
        "  init {",
        "  }",
        "  while (n < 5:i32)",
        "  step {",
        "  }",
        "  body {",
        "    n = (n + 2:i32)",
        "  }",
        "}",
        "for {",
        "  init {",
        "  }",
        "  while true",
        "  step {",
        "  }",
        "  body {",
        "    break",
        "  }",
        "}",
    ]


def test_switch_arms_do_not_fall_through(read: Read) -> None:
    text = "switch (n) { case 1: case 2: a[0] = 1; case 3: a[1] = 2; break; default: return; }"
    assert body(read, text) == [
        "switch n {",
        "  case 1, 2 {",
        "    a[0:i32] = 1.0:f32",
        "    a[1:i32] = 2.0:f32",
        "  }",
        "  case 3 {",
        "    a[1:i32] = 2.0:f32",
        "  }",
        "  default {",
        "    return",
        "  }",
        "}",
    ]


def test_shared_memory(read: Read) -> None:
    text = (
        "extern __shared__ float s[]; __shared__ int t[4][8]; s[n] = t[1][n]; float* p = s; *p = 1;"
    )
    assert body(read, text) == [
        "shared var s: array<f32, 0>",
        "shared var t: array<array<i32, 8>, 4>",
        "s.[n] = cast<f32>(t.[1:i32].[n])",
        "var p: ptr<shared, f32> = addr<ptr<shared, f32>>(s.[0:i32])",
        "p[0:i32] = 1.0:f32",
    ]


def test_pointer_of_two_spaces_stays_generic(read: Read) -> None:
    lines = body(read, "__shared__ float s[4]; float* p = a; if (n) p = s; *p = 1;")
    assert "var p: ptr<generic, f32> = a" in lines


def test_constant_and_device_variables(read: Read) -> None:
    unit = read(
        """
        struct Pair { short a; float b; };
        __constant__ float coef[3] = {1, 2.5f};
        __device__ int counter;
        __constant__ Pair pair = {3, 4};
        const int kSize = 1 << 4;
        __global__ void k(float* a) { a[kSize] = coef[1] + counter + pair.b; }
        """
    )
    text = print_module(unit.module)
    assert 'constant var coef: array<f32, 3> init "0000803f0000204000000000"' in text
    assert "global var counter: i32\n" in text
    assert 'constant var pair: Pair init "0300000000008040"' in text
    assert kernel_body(unit) == ["a[16:i32] = ((coef.[1:i32] + cast<f32>(counter)) + pair.b)"]


def test_device_function_with_reference_and_pointer_results(read: Read) -> None:
    unit = read(
        """
        template <typename T, int N> __device__ T scale(T v, T& rest) {
          if constexpr (N > 3) rest = v; else rest = v + N;
          return v * N;
        }
        // Sum of two.
        __device__ float add(float a, float b) { return a + b; }
        __global__ void k(float* a) { float r; a[0] = scale<float, 5>(a[1], r); a[1] = add(r, 1); }
        """
    )
    assert function_lines(unit, "scale_float_5") == [
        'function scale_float_5 "scale" (v: f32, rest: ptr<generic, f32>) -> f32 mangled '
        '"_Z5scaleIfLi5EET_S0_RS0_" template "T" "float" template "N" "5" {',
        "rest[0:i32] = v",
        "return (v * 5.0:f32)",
    ]
    assert unit.module.function("add").pure
    assert unit.module.function("add").comment == "Sum of two."
    assert kernel_body(unit) == [
        "var r: f32",
        "exec scale_result: f32 = scale_float_5(a[1:i32], addr<ptr<local, f32>>(r))",
        "a[0:i32] = scale_result",
        "a[1:i32] = invoke<f32> add(r, 1.0:f32)",
    ]


def test_template_instantiations_have_names_arguments_and_mangled_names(read: Read) -> None:
    unit = read(
        """
        #include <cuda_fp16.h>
        namespace ns { template <typename T, int N> __global__ void fill(T* p) { p[N] = T(1); } }
        template <typename T> void run(T* p) { ns::fill<T, 2><<<1, 1>>>(p); }
        int main() { run((float*)0); run((half*)0); ns::fill<int, 7><<<1, 1>>>((int*)0); }
        """
    )
    kernels = {k.symbol: k for k in unit.module.kernels}
    assert sorted(kernels) == ["fill_float_2", "fill_half_2", "fill_int_7"]
    assert kernels["fill_half_2"].mangled == "_ZN2ns4fillI6__halfLi2EEEvPT_"
    assert kernels["fill_half_2"].qualified == "ns::fill"
    assert [(t.name, t.value) for t in kernels["fill_int_7"].template_args] == [
        ("T", "int"), ("N", "7"),
    ]  # fmt: skip
    sites = {x.callee.text: x for x in unit.launches}
    assert sites["ns::fill<T, 2>"].kernels == ("fill_float_2", "fill_half_2")
    assert sites["ns::fill<T, 2>"].dependent
    assert sites["ns::fill<int, 7>"].kernels == ("fill_int_7",)


def test_mangled_names_are_those_of_plain_functions(read: Read) -> None:
    unit = read(
        """
        #include <cuda_bf16.h>
        struct Args { int n; };
        extern "C" __global__ void plain(int*) {}
        namespace a { namespace { __global__ void hidden(float4* v, dim3 d, Args s) {} } }
        __global__ void b(const __nv_bfloat16* __restrict__ x, unsigned long long n, bool f) {}
        int main() { a::hidden<<<1, 1>>>(0, 0, Args()); }
        """
    )
    assert {k.name: k.mangled for k in unit.module.kernels} == {
        "plain": "plain",
        "hidden": "_ZN1a12_GLOBAL__N_16hiddenEP6float44dim34Args",
        "b": "_Z1bPK13__nv_bfloat16yb",
    }


def test_structs_have_the_layout_of_the_abi(read: Read) -> None:
    unit = read(
        """
        struct Inner { char c; double d; };
        struct alignas(16) Outer { short s; Inner in[2]; float* p; };
        union Bits { float f; unsigned u; };
        struct Node { union { int i; float f; }; Node* next; };
        __global__ void k(Outer o, Bits b, Node* n) {
          o.p[0] = o.in[1].d + b.f; n->next->f = n->i;
        }
        """
    )
    text = print_module(unit.module)
    assert "struct Inner size 16 align 8 {\n  c: i8 @ 0\n  d: f64 @ 8\n}" in text
    assert (
        "struct Outer size 48 align 16 {\n  s: i16 @ 0\n  in: array<Inner, 2> @ 8\n"
        "  p: ptr<generic, f32> @ 40\n}"
    ) in text
    assert "union Bits size 4 align 4 {\n  f: f32 @ 0\n  u: u32 @ 0\n}" in text
    assert kernel_body(unit) == [
        "o.p[0:i32] = cast<f32>((o.in.[1:i32].d + cast<f64>(b.f)))",
        "n[0:i32].next[0:i32].unnamed_0.f = cast<f32>(n[0:i32].unnamed_0.i)",
    ]


def test_half_arithmetic_is_typed(read: Read) -> None:
    unit = read(
        """
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        __global__ void k(half* h, __nv_bfloat16* b, half2* v, float* f) {
          h[0] = h[1] * h[2] + __float2half(f[0]);
          h[0] = __hadd(h[1], h[2]); h[0] = -h[1]; h[0] = f[0]; f[0] = h[0]; h[0] += h[1];
          f[1] = __half2float(h[0]); h[0] = hexp(h[1]); h[0] = __hfma(h[0], h[1], h[2]);
          b[0] = b[1] / __float2bfloat16(2.0f); if (h[0] > h[1]) h[0] = 1.0f;
          half2 w = v[0]; v[1] = __hadd2(w, __float2half2_rn(1.0f)); f[2] = __low2float(w);
        }
        """
    )
    assert kernel_body(unit) == [
        "h[0:i32] = ((h[1:i32] * h[2:i32]) + cast<f16>(f[0:i32]))",
        "h[0:i32] = (h[1:i32] + h[2:i32])",
        "h[0:i32] = (- h[1:i32])",
        "h[0:i32] = cast<f16>(f[0:i32])",
        "f[0:i32] = cast<f32>(h[0:i32])",
        "h[0:i32] = (h[0:i32] + h[1:i32])",
        "f[1:i32] = cast<f32>(h[0:i32])",
        "h[0:i32] = call<f16> hexp(h[1:i32])",
        "h[0:i32] = call<f16> __hfma(h[0:i32], h[1:i32], h[2:i32])",
        "b[0:i32] = (b[1:i32] / cast<bf16>(2.0:f32))",
        "if (h[0:i32] > h[1:i32]) {",
        "  h[0:i32] = 1.0:f16",
        "}",
        "var w: half2 = v[0:i32]",
        "v[1:i32] = make<half2>((w.x + 1.0:f16), (w.y + 1.0:f16))",
        "f[2:i32] = cast<f32>(w.x)",
    ]


def test_launch_bounds_and_comments_are_kept(read: Read) -> None:
    unit = read(
        """
        // Adds one.
        // To every element.
        template <int B> __global__ void __launch_bounds__(B, 2) k(float* a) {
          // the thread's element
          int i = threadIdx.x;
          a[i] += 1; /* not above a statement */
        }
        int main() { k<128><<<1, 128>>>(0); }
        """
    )
    kernel = only_kernel(unit.module)
    assert kernel.max_threads == 128
    assert kernel.comment == "Adds one.\nTo every element."
    assert [s.note for s in kernel.body] == ["the thread's element", ""]
    assert kernel.body[0].span.line == 6


def test_ir_text_reads_back(read: Read) -> None:
    unit = read(
        """
        struct S { int a; float b[2]; };
        __device__ int f(S* s, int i) { s->a += i; return s->a; }
        __global__ void k(S s, float* x, unsigned char* c) {
          for (int i = 0; i < s.a; ++i) { if (f(&s, i) > 3) continue; x[i] = c[i] * s.b[i & 1]; }
          switch (s.a) { case -1: x[0] = 1; break; default: x[0] = -2.5e-7f; }
        }
        """
    )
    assert parse_module(print_module(unit.module)) == unit.module


def test_template_arguments_have_the_values_of_their_parameters_types(read: Read) -> None:
    """A bool is no -1, and an unsigned number or enumerator with its top bit set is positive."""
    unit = read(
        """
        enum Mode : unsigned char { kFast, kSlow = 200 };
        enum class Mask : unsigned { kNone, kAll = 4000000000u };
        template <bool A, unsigned B, int C, typename T, T V, char D, Mode M, Mask G>
        __global__ void k(int* x) { x[0] = A + C; }
        void f(int* x) {
          k<true, 4000000000u, -3, bool, true, 'a', kSlow, Mask::kAll><<<1, 1>>>(x);
          k<false, 1u, 3, unsigned, 4000000000u, 'a', kFast, Mask::kNone><<<1, 1>>>(x);
        }
        """
    )
    assert [[a.value for a in k.template_args] for k in unit.module.kernels] == [
        ["true", "4000000000", "-3", "bool", "true", "97", "200", "4000000000"],
        ["false", "1", "3", "unsigned int", "4000000000", "97", "0", "0"],
    ]


def test_variable_template_is_one_global_per_type(read: Read) -> None:
    unit = read(
        """
        template <typename T> __constant__ T mask[4];
        template <typename T> __global__ void k(T* a) { a[0] = mask<T>[1]; }
        int main() { k<float><<<1, 1>>>(0); k<double><<<1, 1>>>(0); }
        """
    )
    assert sorted(g.name for g in unit.module.globals) == ["mask_f32", "mask_f64"]
    assert by_symbol(unit.module, "k_float").body != by_symbol(unit.module, "k_double").body


def test_groups_of_known_size_become_barriers_and_exchanges(read: Read) -> None:
    unit = read(
        """
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        __global__ void k(float* a) {
          cg::thread_block block = cg::this_thread_block();
          cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
          unsigned r = tile.thread_rank();
          block.sync();
          tile.sync();
          a[r] = cg::reduce(tile, a[r], cg::greater<float>{});
        }
        """
    )
    linear = "(threadIdx.x + ((threadIdx.y + (threadIdx.z * blockDim.y)) * blockDim.x))"
    mask = f"(255:u32 << ({linear} & 24:u32))"
    assert kernel_body(unit) == [
        "var block: group_block = make<group_block>()",
        "var tile: group_tile_8 = make<group_tile_8>()",
        f"var r: u32 = ({linear} & 7:u32)",
        "barrier block",
        f"barrier warp {mask}",
        "var total: f32 = a[r]",
        f"collective shfl_xor: f32 = shfl_xor({mask}, total, 4:i32, 8:i32)",
        "var total_1: f32 = ((shfl_xor > total) ? shfl_xor : total)",
        f"collective shfl_xor_1: f32 = shfl_xor({mask}, total_1, 2:i32, 8:i32)",
        "var total_2: f32 = ((shfl_xor_1 > total_1) ? shfl_xor_1 : total_1)",
        f"collective shfl_xor_2: f32 = shfl_xor({mask}, total_2, 1:i32, 8:i32)",
        "var total_3: f32 = ((shfl_xor_2 > total_2) ? shfl_xor_2 : total_2)",
        "a[r] = total_3",
    ]


def test_array_parameters_are_pointers(read: Read) -> None:
    unit = read(
        """
        __device__ float at(const float v[], int m[4][2], int i) { return v[i] + m[i][1]; }
        __global__ void k(float a[], int (*m)[2]) { a[0] = at(a, m, 1); }
        """
    )
    assert function_lines(unit, "at") == [
        'function pure at "at" (v: ptr<generic const, f32>, m: ptr<generic, array<i32, 2>>, '
        'i: i32) -> f32 mangled "_Z2atPKfPA2_ii" {',
        "return (v[i] + cast<f32>(m[i].[1:i32]))",
    ]
    assert str(only_kernel(unit.module).params[0].type) == "ptr<global, f32>"


def test_short_conditional(read: Read) -> None:
    assert body(read, "n = n ?: 4;") == ["n = ((n != 0:i32) ? n : 4:i32)"]


def test_bits_of_halves_casts_to_arrays_and_pointers_to_the_unknown(read: Read) -> None:
    unit = read(
        """
        #include <cuda_fp16.h>
        struct Unknown;
        struct Holder { Unknown* hidden; int v; };
        __global__ void halves(__half* a, unsigned short* o, Holder h) {
          __half v = a[1];
          v.x = v.x + h.v;
          a[0] = v.operator __half();
        }
        __global__ void arrays(int4* a, float* o) {
          float t[8];
          reinterpret_cast<int4(&)[2]>(t)[1] = a[0];
          o[0] = t[5];
        }
        """
    )
    assert kernel_body(unit, "halves") == [
        "var v: f16 = a[1:i32]",
        "v = bits<f16>(cast<u16>((cast<i32>(bits<u16>(v)) + h.v)))",
        "a[0:i32] = v",
    ]
    assert kernel_body(unit, "arrays")[1].startswith("cast<ptr<local, array<int4, 2>>>(addr")


def test_a_constant_struct_without_an_initialiser(read: Read) -> None:
    unit = read("""
        typedef struct { float4 rows[3]; } Rows;
        struct Given { int first = 3, second = 4; };
        __constant__ Rows rows;
        __device__ Given given;
        __global__ void k(float* a) { a[0] = rows.rows[1].x + given.first; }
    """)
    assert not unit.unread
    values = {g.name: g.init for g in unit.module.globals}
    assert values == {"rows": bytes(48), "given": b"\3\0\0\0\4\0\0\0"}


def test_a_maker_of_the_programs_own_is_called(read: Read, tmp_path: Path) -> None:
    system = tmp_path / "makers.h"
    system.write_text(
        "#pragma GCC system_header\n"
        "inline __host__ __device__ float2 make_float2(float s) { return make_float2(s, s); }\n"
    )
    unit = read(f"""
        #include "{system}"
        __global__ void k(float2* a) {{ a[0] = make_float2(3.0f); }}
    """)
    assert kernel_body(unit) == ["a[0:i32] = invoke<float2> make_float2(3.0:f32)"]


def test_a_local_union_without_a_name(read: Read) -> None:
    unit = read("""
        __global__ void k(short* o, float a) {
          union { signed char c[2]; short s; };
          c[0] = 1; c[1] = (signed char)a;
          o[0] = s;
        }
    """)
    assert kernel_body(unit)[1:] == [
        "parts.c.[0:i32] = 1:i8",
        "parts.c.[1:i32] = cast<i8>(a)",
        "o[0:i32] = parts.s",
    ]


def test_a_reference_member_of_a_class_that_was_declared_before(read: Read) -> None:
    unit = read("""
        template <class X, int N> class View;
        template <class X, int N> class View {
         public:
          __device__ View(X& x) : whole(x) {}
          X& whole;
        };
        __global__ void k(float* a) { View<float, 2> v(a[3]); v.whole = 1; }
    """)
    assert function_lines(unit, "View_float_2_init")[1:] == ["self[0:i32].whole = x"]
    assert kernel_body(unit)[-1] == "v.whole[0:i32] = 1.0:f32"


def test_a_shared_address_as_a_number(read: Read) -> None:
    body = kernel_body(
        read("""
        __global__ void k(unsigned* u) {
          __shared__ float s[4];
          u[0] = (unsigned)__cvta_generic_to_shared(s);
        }
    """)
    )
    assert "cast<u32>(call<u64> __cvta_generic_to_shared(cast<ptr<shared const, void>>" in body[-1]


def test_a_conversion_to_a_reference_is_a_place(read: Read) -> None:
    unit = read("""
        struct View { float* p; __device__ operator float&() { return *p; } };
        __device__ void set(float& x) { x = 3; }
        __global__ void k(View v, float* a) { a[0] = v; set(v); float& r = v; r += 1; }
    """)
    asked = "invoke<ptr<generic, f32>> View_to_float_ref(addr<ptr<local, View>>(v))"
    assert kernel_body(unit) == [
        f"a[0:i32] = {asked}[0:i32]",
        f"exec _: void = set({asked})",
        f"var r: ptr<generic, f32> = {asked}",
        "r[0:i32] = (r[0:i32] + 1.0:f32)",
    ]


def test_a_condition_of_a_graph_is_an_effect(read: Read) -> None:
    unit = read(
        "__global__ void k(cudaGraphConditionalHandle h) { cudaGraphSetConditional(h, 1); }"
    )
    assert kernel_body(unit) == ["effect cudaGraphSetConditional(h, 1:u32)"]
