"""What cannot be read is refused with a code of its own, and its near-misses are not."""

from __future__ import annotations

import pytest

from tests.frontend.conftest import Read, codes

REFUSED = [
    ("CM1101", "for (int v : {1, 2, 3}) a[0] += v;", "#include <initializer_list>"),
    ("CM1103", "if (n > 3) goto inside; while (n--) { inside: a[n] = 1; }", ""),
    ("CM1103", "while (n--) { again: if (a[n] > 1) break; if (n > 2) goto again; }", ""),
    ("CM1103", "void* at = &&end; goto *at; end: a[0] = 1;", ""),
    ("CM1104", "int (*f)(int) = n > 2 ? one : two; a[0] = f(2);",
     "__device__ int one(int v) { return v; } __device__ int two(int v) { return v; }"),
    ("CM1104", "a[0] = table(n);",
     "__device__ int one(int v) { return v; } __device__ int (*table)(int) = one;"),
    ("CM1104", "auto f = one; f = two; a[0] = f(2);",
     "__device__ int one(int v) { return v; } __device__ int two(int v) { return v; }"),
    ("CM1105", "D d; a[0] = d.f();",
     "struct B { __device__ virtual int f() { return 1; } };"
     "struct D : B { __device__ int f() override { return 2; } };"),
    ("CM1107", 'asm volatile("wgmma.fence.sync.aligned;");', ""),
    ("CM1107", 'asm("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(n) : "l"(a));', ""),
    ("CM1107", 'asm("cp.async.bulk.commit_group;");', ""),
    ("CM1107", 'asm("mov.u32 %0, %[m];" : "=r"(n));', ""),
    ("CM1107", 'asm("ret" "urn;");', ""),
    ("CM1108", "a[0] = fact(n);", "__device__ int fact(int v) { return v < 2 ? 1 : v * fact(v - 1); }"),
    ("CM1109", "int* p = new int[4]; a[0] = p[0];", ""),
    ("CM1113", "long double x = n; a[0] = x;", ""),
    ("CM1114", "S s; s.b = n; a[0] = s.b;", "struct S { int b : 3; };"),
    ("CM1115", "static int calls; calls++;", ""),
    ("CM1007", "a[0] = elsewhere(n);", "__device__ int elsewhere(int);"),
    ("CM1120", "S s; a[0] = s.v;", "struct S { int v = 1; __device__ ~S() { v = 0; } };"),
    ("CM1121", "auto [x, y] = std::pair<int, float>(1, 2); a[0] = x + y;", "#include <utility>"),
    ("CM1202", "using namespace nvcuda::wmma;"
     "fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> f; a[0] = f.x[0];",
     "#include <mma.h>"),
    ("CM1203", "child<<<1, 1>>>();", "__global__ void child() {}"),
    ("CM1301", "__shared__ float s[64]; s[n] = 1; __syncthreads(); down(s, n); down(s, n); a[0] = s[0];",
     "__device__ void down(volatile float* s, int t) { s[t] = s[t]; }"),
    ("CM1501", "std::sort(a, a + n);", ""),
    ("CM1502", "a[0] = remquof(a[1], a[2], &n);", ""),
    ("CM1104", "Op o; o.f = n > 1 ? one : two; a[0] = o.f(2);",
     "__device__ int one(int v) { return v; } __device__ int two(int v) { return v; }"
     "struct Op { int (*f)(int); };"),
    ("CM1105", "D d; d.x = n; a[0] = d.x;", "struct B { int x; }; struct D : virtual B { int y; };"),
    ("CM1106", "if (n < 0) throw 1; a[0] = 1;", ""),
    ("CM1106", "try { a[0] = 1; } catch (...) { a[0] = 2; }", ""),
    ("CM1108", "auto f = [](auto self, int v) -> int { return v < 2 ? 1 : v * self(self, v - 1); };"
     "a[0] = f(f, n);", ""),
    ("CM1109", "P* p = new (a) P(n); a[1] = p->x;",
     "#include <new>\nstruct P { float x; __device__ P(int v) : x(v) {} };"),
    ("CM1109", "int* p = (int*)malloc(8); a[0] = *p; free(p);", ""),
    ("CM1109", "float* t = (float*)alloca(n * 4); a[0] = t[0];", "#include <alloca.h>"),
    ("CM1113", "float t[n]; t[0] = a[0]; a[1] = t[0];", ""),
    ("CM1113", "int S::*m = n > 1 ? &S::x : &S::y; S s{1, 2}; a[0] = s.*m;", "struct S { int x, y; };"),
    ("CM1113", "int (S::*m)() = &S::f; S s; a[0] = (s.*m)();",
     "struct S { __device__ int f() { return 1; } };"),
    ("CM1115", "thread_local int calls; calls = n;", ""),
    ("CM1116", "a[0] = sum(2, 1, 2);", "#include <cstdarg>\n__device__ int sum(int n, ...) {"
     "va_list l; va_start(l, n); int s = va_arg(l, int); va_end(l); return s; }"),
    ("CM1004", "D d; d.x = n; a[0] = d.x;", "struct D : Missing { int x; };"),
    ("CM1110", "a[0] = table[n];", "float table[4];"),
    ("CM1111", "switch (n) { case 1 ... 3: a[0] = 1; }", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text", "head"), REFUSED, ids=[f"{r[0]}-{i}" for i, r in enumerate(REFUSED)]
)
def test_refused(read: Read, code: str, text: str, head: str) -> None:
    unit = read(f"{head}\n__global__ void k(float* a, int n) {{\n{text}\n}}\n")
    found = [u for u in unit.unread if u.name == "k"]
    assert [u.diagnostic.code.id for u in found] == [code]
    diagnostic = found[0].diagnostic
    assert diagnostic.kernel == "k"
    assert diagnostic.cause
    assert diagnostic.span.line > 0
    assert diagnostic in unit.diagnostics


NEAR_MISSES = [
    ("int t[3] = {1, 2, 3}; for (int i = 0; i < 3; i++) a[0] += t[i];", ""),
    ("a[0] = F()(n);", "struct F { __device__ int operator()(int v) const { return v; } };"),
    ("a[0] = apply(one, 2);",
     "__device__ int one(int v) { return v; }"
     "__device__ int apply(int (*f)(int), int v) { return f(v); }"),
    ("a[0] = twice<one>(n);",
     "__device__ int one(int v) { return v; }"
     "template <int (*F)(int)> __device__ int twice(int v) { return F(F(v)); }"),
    ("D d; a[0] = d.f();",
     "struct B { __device__ int f() { return 1; } }; struct D : B { int own; };"),
    ("static const int t[2] = {1, 2}; a[0] = t[n];", ""),
    ("volatile int v = n; a[0] = v;", ""),
    ("volatile float* p = a; p[0] = 1;", ""),
    ("volatile float* p = a; for (int i = 0; i < n; i++) a[9] += p[i];", ""),
    ("__shared__ volatile float s[64]; s[n] = 1; __syncthreads(); a[0] = s[n + 1];", ""),
    ("__shared__ float s[64]; s[n] = 1; __syncthreads(); down(s, n); __syncthreads(); down(s, n);",
     "__device__ void down(volatile float* s, int t) { s[t] = s[t]; }"),
    ("volatile float t[2]; t[0] = n; t[1] = t[0]; a[0] = t[1];", ""),
    ("S s; a[0] = s.v;", "struct S { int v = 1; __device__ ~S() {} };"),
    ("float x = a[0], y = a[1]; std::swap(x, y); a[0] = x; a[1] = y;", ""),
    ("a[0] = std::numeric_limits<float>::max();", ""),
    ("if (int v = n; v > 2) a[0] = v;", ""),
    ("while (n--) { again: if (a[n] > 1) return; if (n > 2) goto again; }", ""),
    ("if (n = 3; a[0] > 2) a[0] = n;", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "head"), NEAR_MISSES)
def test_near_misses_are_read(read: Read, text: str, head: str) -> None:
    unit = read(f"{head}\n__global__ void k(float* a, int n) {{\n{text}\n}}\n")
    assert codes(unit) == []


def test_one_refused_kernel_does_not_cost_the_others(read: Read) -> None:
    unit = read(
        """
        __global__ void bad(int* a) { for (;;) { in: a[0] = 1; } goto in; }
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert [u.name for u in unit.unread] == ["bad"]
    assert unit.unread[0].span.line == 2


def test_syntax_error_costs_the_kernel_that_has_it(read: Read) -> None:
    unit = read(
        """
        __global__ void bad(int* a) { a[0] = ; }
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert codes(unit) == ["CM1001"]


def test_unknown_type_spoils_what_uses_it(read: Read) -> None:
    unit = read(
        """
        typedef unknown_t value;
        __global__ void uses(value* a) { a[0] = 1; }
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert codes(unit) == ["CM1004"]


def test_unknown_member_type_spoils_the_struct(read: Read) -> None:
    unit = read(
        """
        struct S { unknown_t first; int second; };
        __global__ void uses(S* s) { s->second = 1; }
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert codes(unit) == ["CM1004"]


def test_missing_header_is_reported_once_and_kernels_go_on(read: Read) -> None:
    unit = read(
        """
        #include <nowhere/library.h>
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert [d.code.id for d in unit.diagnostics] == ["CM1002"]


def test_device_library_is_named(read: Read) -> None:
    unit = read("__global__ void k(int* a) { a[0] = cub::LaneId(); }")
    assert codes(unit) == ["CM1503"]


def test_template_without_instantiation_is_listed(read: Read) -> None:
    unit = read("template <class T> __global__ void k(T* a) { a[0] = 1; }")
    assert codes(unit) == ["CM1006"]


def test_kernel_that_clang_loses_is_found_in_the_text(read: Read) -> None:
    unit = read(
        """
        __global__ void good(int* a) { a[0] = 2; }
        class Broken { void f( { ;
        __global__ void lost(int* a) { a[0] = 1; }
        """
    )
    found = {u.name: u.diagnostic.code.id for u in unit.unread}
    assert found["lost"] == "CM1003"
    assert {"good", "lost"} == set(found) | {k.name for k in unit.module.kernels}


def test_overlapping_error_in_a_device_function(read: Read) -> None:
    unit = read(
        """
        __device__ int helper(int v) { return v + missing; }
        __global__ void uses(int* a) { a[0] = helper(1); }
        __global__ void good(int* a) { a[0] = 2; }
        """
    )
    assert [k.name for k in unit.module.kernels] == ["good"]
    assert codes(unit) == ["CM1004"]
