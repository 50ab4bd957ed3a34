"""C's integer rules: what the IR computes against what g++ computes."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest

from migrate.ir.types import SCALARS
from tests.frontend.conftest import Read, needs_gxx, only_kernel
from tests.frontend.ir_eval import Machine, Ptr, fit

TYPES = {
    "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16",
    "int": "i32", "unsigned int": "u32", "long long": "i64", "unsigned long long": "u64",
    "bool": "bool",
}  # fmt: skip
EDGES = [0, 1, -1, 2, 7, -7, 31, 127, 128, 255, -128, 32767, 65535, 2**31 - 1, -(2**31), 2**32 - 1]


class Source:
    """Random expressions over variables of every integer type, without undefined behaviour."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = {t: f"v{i}" for i, t in enumerate(TYPES)}

    def literal(self) -> str:
        value = abs(self.random.choice(EDGES)) % 2**31
        return f"{value}{self.random.choice(['', 'u', 'll', 'ull'])}"

    def expr(self, depth: int) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.15:
            if self.random.random() < 0.3:
                return self.literal()
            return self.random.choice(list(self.names.values()))
        if pick < 0.3:
            return f"({self.random.choice(['-', '~', '!', '+'])}{self.expr(depth - 1)})"
        if pick < 0.45:
            return f"({self.random.choice(list(TYPES))})({self.expr(depth - 1)})"
        if pick < 0.55:
            parts = (self.expr(depth - 1) for _ in range(3))
            return "({} ? {} : {})".format(*parts)
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        op = self.random.choice(
            [
                "+",
                "-",
                "*",
                "/",
                "%",
                "&",
                "|",
                "^",
                "<<",
                ">>",
                "<",
                "<=",
                ">",
                ">=",
                "==",
                "!=",
                "&&",
                "||",
            ]
        )
        if op in "/%":
            # a divisor that is neither 0 nor -1, with its own type kept
            return f"({a} {op} (({b} & 63) + 2))"
        if op in ("<<", ">>"):
            return f"({a} {op} ({b} & 7))"
        return f"({a} {op} {b})"


def compile_and_load(text: str, folder: Path) -> ctypes.CDLL:
    """Build C++ as a shared library; signed overflow wraps, as the IR defines it."""
    source = folder / "check.cpp"
    source.write_text(text)
    library = folder / "check.so"
    command = ["g++", "-std=c++17", "-O1", "-fwrapv", "-w", "-shared", "-fPIC"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True, timeout=120)
    return ctypes.CDLL(str(library))


@needs_gxx
@pytest.mark.parametrize("seed", range(4))
def test_random_expressions_agree_with_gxx(read: Read, tmp_path: Path, seed: int) -> None:
    source = Source(seed)
    expressions = [source.expr(4) for _ in range(120)]
    params = ", ".join(f"{t} {n}" for t, n in source.names.items())
    lines = "\n".join(f"  out[{i}] = {e};" for i, e in enumerate(expressions))
    unit = read(f"__global__ void k(long long* out, {params}) {{\n{lines}\n}}")
    library = compile_and_load(
        f'extern "C" void k(long long* out, {params}) {{\n{lines}\n}}', tmp_path
    )
    for _ in range(12):
        values = [fit(source.random.choice(EDGES), SCALARS[t]) for t in TYPES.values()]
        expected = (ctypes.c_longlong * len(expressions))()
        widths = [
            ctypes.c_int8, ctypes.c_uint8, ctypes.c_int16, ctypes.c_uint16, ctypes.c_int32,
            ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_bool,
        ]  # fmt: skip
        library.k(expected, *(w(v) for w, v in zip(widths, values, strict=True)))
        out: list[object] = [None] * len(expressions)
        Machine(unit.module).run(only_kernel(unit.module), [Ptr(out, 0), *values])
        for got, want, text in zip(out, expected, expressions, strict=True):
            assert got == want, (text, values)


STATEMENTS = """
  int i = 1, j = 2, n = 0; unsigned u = 3; unsigned char c = 250; short s = -3; bool b = false;
  int a[6] = {5, 4, 3};
  a[i++] = i; out[n++] = a[1]; out[n++] = i;
  a[i] = i++ + 10; out[n++] = a[3]; out[n++] = i;
  i = j = a[2]; out[n++] = i; out[n++] = j;
  c += 10; out[n++] = c; c <<= 3; out[n++] = c; c = ~c; out[n++] = c;
  s *= s; out[n++] = s; s = 40000; out[n++] = s; s /= -7; out[n++] = s;
  u -= 5; out[n++] = u; u >>= 1; out[n++] = u; u = -u; out[n++] = u;
  b = 2; out[n++] = b; b |= 4; out[n++] = b; b = !b; out[n++] = b;
  j = (i++, i += 2, i); out[n++] = j;
  b = (i > 0) && (j++ > 0) && (u++ == 7); out[n++] = j; out[n++] = u; out[n++] = b;
  b = (i > 0) || (j++ > 0); out[n++] = j;
  j = b ? ++i : --i; out[n++] = i; out[n++] = j;
  j = b ? i : u; out[n++] = j; out[n++] = (i < u); out[n++] = -1 < 1u;
  int* p = a + 1; *p++ = 77; out[n++] = a[1]; out[n++] = p - a; out[n++] = *--p;
  p += 3; *(p - 1) = -9; out[n++] = a[3]; out[n++] = p[-2]; out[n++] = p > a;
  unsigned one = 1; p = a + 4; out[n++] = *(p - one); out[n++] = (p - one) - a;
  for (int k = 0, m = 10; k < m; k += 3, m--) { if (k == 3) continue; out[n++] = k * m; }
  int w = 5; while (w-- > 2) { if (w == 3) continue; out[n++] = w; } out[n++] = w;
  do { w += 2; if (w == 5) continue; out[n++] = w; } while (w++ < 8); out[n++] = w;
  for (;;) { if (++w > 14) break; } out[n++] = w;
  for (int k = 0; k < 9; k++) {
    switch (k) { case 0: out[n++] = 1; case 1: out[n++] = 2; break; case 4: case 5: { out[n++] = 3;
      if (k == 5) break; out[n++] = 4; } default: out[n++] = 5; case 7: if (k == 8) continue;
      out[n++] = 6; }
    out[n++] = 100 + k;
  }
  int q = 3; int& r = q; r += 4; out[n++] = q; int& e = a[i & 3]; i = 2; e = 55; out[n++] = a[0];
  out[n++] = a[1]; out[n++] = a[2]; out[n++] = a[3];
  a[a[4] = 2] = 8; out[n++] = a[2]; out[n++] = a[4];
  a[0] = 0; (a[a[0]] += 3) *= 2; out[n++] = a[0];
  if (int t = q - 7) out[n++] = t; else out[n++] = 1000; q = q > 3 ? (q -= 1, q * 2) : q; out[n++] = q;
  out[n++] = 'a' + 1; out[n++] = sizeof(long) * 2; out[n++] = (signed char)200; out[n++] = 7 / -2;
  out[n++] = -7 % 3; out[n++] = (unsigned char)(s >> 1); out[n++] = 1 << 31 >> 31;
"""


@needs_gxx
def test_statements_and_order_of_evaluation_agree_with_gxx(read: Read, tmp_path: Path) -> None:
    unit = read(f"__global__ void k(long long* out) {{\n{STATEMENTS}\n}}")
    library = compile_and_load(f'extern "C" void k(long long* out) {{\n{STATEMENTS}\n}}', tmp_path)
    expected = (ctypes.c_longlong * 200)(*([-12345] * 200))
    library.k(expected)
    out: list[object] = [-12345] * 200
    Machine(unit.module).run(only_kernel(unit.module), [Ptr(out, 0)])
    assert out == list(expected)


FLOATS = """
  float f = 1.1f; double d = 0.1; int i = 7; unsigned u = 4000000000u; float g = i;
  out[0] = f * d; out[1] = f + i; out[2] = u; out[3] = g / 2; out[4] = i / 2; out[5] = i / 2.0f;
  out[6] = (int)-2.7f; out[7] = (float)16777217; out[8] = f > 1.1; out[9] = f == 1.1f;
  f += 0.1; out[10] = f; f *= 3; out[11] = f; i += 2.6; out[12] = i; out[13] = 1e-3f;
  out[14] = -f; out[15] = f ? 1 : 2; out[16] = !f; out[17] = (unsigned char)3.9f; f++; out[18] = f;
  i = 0x7fffffff; out[19] = (float)i; out[20] = i + 1.0f; out[21] = 1.0f / 3; out[22] = 1 / 3 * 1.0f;
  out[23] = true + 0.5f; long long big = (1LL << 53) + 1; out[24] = big; out[25] = (float)big;
  out[26] = f < g ? f : g; out[27] = (double)0.1f; out[28] = i ? 1 : 2.5; out[29] = 3.0e38f * 10.0f;
"""


@needs_gxx
def test_float_conversions_agree_with_gxx(read: Read, tmp_path: Path) -> None:
    unit = read(f"__global__ void k(double* out) {{\n{FLOATS}\n}}")
    library = compile_and_load(f'extern "C" void k(double* out) {{\n{FLOATS}\n}}', tmp_path)
    expected = (ctypes.c_double * 30)()
    library.k(expected)
    out: list[object] = [None] * 30
    Machine(unit.module).run(only_kernel(unit.module), [Ptr(out, 0)])
    assert out == list(expected)


CLASSES = """
struct Vec { float x, y; FN Vec(float a = 1, float b = 2) : x(a), y(b) {}
  FN Vec operator+(const Vec& o) const { return Vec(x + o.x, y + o.y); }
  FN Vec& operator+=(const Vec& o) { x += o.x; y += o.y; return *this; }
  FN float& operator[](int i) { return i ? y : x; }
  FN float dot(Vec o) const { return x * o.x + y * o.y; } };
struct Counter { int n; int log[3]; FN int next() { log[n % 3] = n; return n++; } };
struct Mixed { char c; Vec v; int k[2]; };
template <typename T, int N> FN T power(T v) { T r = 1; for (int i = 0; i < N; i++) r *= v; return r; }
template <typename T> FN void exchange(T& a, T& b) { T t = a; a = b; b = t; }
FN int bump(int& v, int by = 3) { v += by; return v * 10; }
FN void split(int v, int* q, int* r) { *q = v / 10; *r = v % 10; }
"""
CLASS_BODY = """
  Vec a, b(3), c = a + b; c += a; out[0] = c.x; out[1] = c.y; out[2] = c.dot(b); c[0] = 9; c[1] += c[0];
  out[3] = c.x; out[4] = c.y; Counter k = {4, {0, 0, 0}}; int t = k.next() + k.next() * 10;
  out[5] = k.n; out[6] = k.log[1]; out[7] = k.log[2]; out[8] = power<int, 3>(5);
  out[9] = power<float, 2>(1.5f); int p = 1, q = 2; exchange(p, q); out[10] = p; out[11] = q;
  int m = bump(p) + 1; out[12] = m; out[13] = p; out[14] = bump(q, 1); split(57, &p, &q); out[15] = p;
  out[16] = q; Vec arr[3] = {Vec(1.f), Vec(2.f, 3.f)}; out[17] = arr[1].y; out[18] = arr[2].y;
  Mixed x = {}; x.v = arr[1]; x.k[1] = 5; Mixed y = x; y.k[1]++; out[19] = x.k[1]; out[20] = y.k[1];
  out[21] = y.v.y; Vec* pv = &arr[0]; pv->x = 40; (pv + 1)->y = 41; out[22] = arr[0].x; out[23] = arr[1].y;
  const Vec& alias = arr[2]; arr[2].x = 66; out[24] = alias.x; int z[2][3] = {{1}, {2, 3}};
  out[25] = z[1][1]; out[26] = z[0][2]; z[1][p = 2] = 8; out[27] = z[1][2]; out[28] = p + t * 0;
"""


@needs_gxx
def test_classes_references_and_templates_agree_with_gxx(read: Read, tmp_path: Path) -> None:
    head = CLASSES.replace("FN", "__device__")
    unit = read(f"{head}\n__global__ void k(double* out) {{\n{CLASS_BODY}\n}}")
    assert not unit.unread, [u.diagnostic.one_line() for u in unit.unread]
    plain = CLASSES.replace("FN", "inline")
    library = compile_and_load(
        f'{plain}\nextern "C" void k(double* out) {{\n{CLASS_BODY}\n}}', tmp_path
    )
    expected = (ctypes.c_double * 29)()
    library.k(expected)
    out: list[object] = [None] * 29
    Machine(unit.module).run(only_kernel(unit.module), [Ptr(out, 0)])
    assert out == list(expected)


INHERITANCE = """
template <class T> struct Base { T a; T b; FN Base(T x) : a(x), b(x + 1) {}
  FN T sum() const { return a + b; } };
template <class T> struct Derived : Base<T> { T c = 5; int d;
  FN Derived(T x) : Base<T>(x * 2), d(3) {} FN Derived() : Derived(4) { c += 1; } };
struct Plain { int n; FN int get() const { return n; } };
struct Both : Plain { int own = 7; FN int all() const { return n + get() * 10 + own; } };
template <class T> struct Slot { T& place; int uses; FN Slot(T& p) : place(p), uses(0) {}
  FN void put(T v) { place = v; ++uses; } };
struct Empty { FN int one() const { return 1; } };
struct Tagged : Empty { int tag; };
struct Cell { int v[2] = {1, 2}; float w; };
struct Few { int a = 7; int b; double c = 2; };
union Word { float f; unsigned u; };
"""
INHERITANCE_BODY = """
  Derived<float> x(3.f), y; out[0] = x.sum() + x.c; out[1] = y.sum() * 100 + y.c; out[2] = y.d;
  Both b; b.n = 4; out[3] = b.all(); Plain* p = &b; p->n = 5; out[4] = b.get() + p->n; float v = 1;
  Slot<float> s(v); s.put(3); s.put(v + 1); out[5] = v; out[6] = s.uses; double* end = out + 8;
  Slot<double> t(*end); t.put(6.5); out[7] = t.place; Tagged g; g.tag = 2; out[9] = g.one() + g.tag;
  Cell c; c.w = 3; Cell d{}; out[10] = c.v[0] + c.v[1] + c.w; out[11] = d.v[1] + d.w;
  Derived<float> copy = x; copy.a = 50; out[12] = x.a; out[13] = copy.sum();
  Few f = {3}, h{}; out[14] = f.a + f.b + f.c; out[15] = h.a + h.b + h.c; Few m[2] = {{1, 2}};
  out[16] = m[0].c + m[1].a * 10; Word z = {1.5f}; out[17] = z.f; Few made = Few(); out[18] = made.a;
"""


@needs_gxx
def test_inheritance_and_member_references_agree_with_gxx(read: Read, tmp_path: Path) -> None:
    head = INHERITANCE.replace("FN", "__device__")
    unit = read(f"{head}\n__global__ void k(double* out) {{\n{INHERITANCE_BODY}\n}}")
    assert not unit.unread, [u.diagnostic.one_line() for u in unit.unread]
    plain = INHERITANCE.replace("FN", "inline")
    library = compile_and_load(
        f'{plain}\nextern "C" void k(double* out) {{\n{INHERITANCE_BODY}\n}}', tmp_path
    )
    expected = (ctypes.c_double * 19)()
    library.k(expected)
    out: list[object] = [None] * 19
    Machine(unit.module).run(only_kernel(unit.module), [Ptr(out, 0)])
    assert out == list(expected)
