// Kernels of one shape, each about one construct of the language. Every kernel gets integers, floats
// and a number from 0 to 6; what it leaves in memory is printed.
#include <cstdio>
#include <algorithm>
#include <cmath>
#include <cstring>

struct Pair { int x; float y; };
struct Nested { Pair p; int z[3]; };
struct Defaults { int v = 7; int w = 2; };
struct Convertible {
  int v;
  __device__ operator int() const { return v; }
  __device__ explicit operator bool() const { return v != 0; }
};
enum class Colour : unsigned char { Red, Blue = 5 };
enum Plain { Three = 3 };
namespace outer { namespace inner { __device__ int next(int x) { return x + 1; } } }
template <class F> __device__ int call_twice(F f, int v) { return f(v) + f(v + 1); }
__constant__ float4 corners[2] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ Defaults defaults[2] = {{1}};

__global__ void lambda_by_value(int* o, float* a, int n) {
  auto plain = [](int v) { return v + 1; };
  auto held = [=](int v) { return v + n; };
  o[0] = plain(n) + held(2) + call_twice([=](int v) { return v * n; }, 3);
  auto any = [](auto x) { return x + x; };
  o[1] = any(n);
  a[0] = any(a[1]);
}

__global__ void lambda_by_reference(int* o, float* a, int n) {
  int sum = 0;
  auto write = [&](int v) { o[v] = n; n++; return 2; };
  o[0] = write(2);
  o[1] = write(3);
  auto add = [&sum, k = n * 2](int v) mutable { sum += v * k; k++; };
  add(1);
  add(2);
  auto count = [&](int v) { return v * sum++; };
  o[4] = count(2);
  o[5] = call_twice([&, t = sum](int v) { return v * t; }, 3) + sum;
}

__global__ void range_loops(int* o, float* a, int n) {
  int t[3] = {1, 2, 3};
  for (int v : t) o[0] += v;
  for (auto& v : t) {
    if (v == 2) continue;
    v += n;
  }
  Pair p[2] = {{1, 2.5f}, {3}};
  for (const auto& q : p) a[0] += q.y;
  o[1] = t[1] + t[2];
}

__global__ void switches(int* o, float* a, int n) {
  switch (n) { case 0: o[0] = 1; case 3: o[1] = 2; break; case 2: { o[2] = 3; break; } default: o[3] = 4; }
  switch (n) { default: o[4] = 4; case 5: o[5] = 1; if (n > 5) break; o[6] = 2; case 6: o[7] = 2; }
  switch (n) case 3: o[8] = 1;
  switch (int v = o[0]) { case 1: o[9] = v; }
  for (int i = 0; i < n; i++) {
    switch (o[i]) { case 1: continue; case 2: break; default: return; }
    o[i] = 7;
  }
}

__global__ void jumps_ahead(int* o, float* a, int n) {
  if (n > 5) goto done;
  o[0] = 1;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 5; j++) {
      o[1]++;
      if (o[i] == j && i > 1) goto out;
      switch (j) { case 2: if (n == 3) goto out; o[2]++; }
    }
    o[3]++;
  }
  o[4] = 1;
out:
  o[5] = 3;
  int late;
done:
  late = o[1];
  o[6] = late;
}

__global__ void jumps_back(int* o, float* a, int n) {
  int rounds = 0;
again:
  o[0]++;
  for (int i = 0; i < 3; i++) {
    if (++rounds == 2) goto again;
    if (rounds > 20) goto end;
  }
  if (o[0] < n) goto again;
end:
  o[1] = rounds;
once:
  int seen = o[2]++;
  if (seen < 5) goto once;
  o[3] = seen;
}

__global__ void unions_and_bits(int* o, float* a, int n) {
  union { float f; unsigned u; } x;
  x.f = a[0];
  o[0] = x.u >> 23;
  float f = a[0];
  o[1] = *(int*)&f;
  a[1] = *reinterpret_cast<float*>(&n);
  double d = a[2];
  long long bits = *reinterpret_cast<long long*>(&d);
  o[2] = (int)(bits >> 32);
  union V { float4 v; float f[4]; };
  V u;
  u.v = *(float4*)a;
  a[3] = u.f[n & 3];
  float4 v = u.v;
  (&v.x)[1] = 2;
  a[4] = v.y + ((float*)&v)[n & 3];
  float g;
  memcpy(&g, &n, sizeof(g));
  a[5] = g;
  unsigned words[2];
  memcpy(words, &d, 8);
  o[3] = words[1];
  memset(&words[0], 0, sizeof(words));
  o[4] = words[1];
}

__global__ void braces(int* o, float* a, int n) {
  Nested q = {1, 2, 3, 4, 5};
  int m[2][2] = {1, 2, 3};
  o[0] = q.z[1] + m[1][0] + m[1][1] + q.p.x;
  Nested e{};
  Pair ps[2] = {1, 2.f, 3};
  o[1] = e.z[1] + ps[1].x;
  a[0] = ps[0].y + ps[1].y;
  Pair d = {.y = 2};
  o[2] = d.x + ((Pair){n, 2.0f}).x;
  float4 c[2] = {1, 2, 3, 4, 5, 6};
  a[1] = c[1].y + c[1].z + corners[1].x;
  Defaults f[2] = {{3}};
  o[3] = f[0].v + 10 * f[0].w + 100 * f[1].v + 1000 * defaults[0].w + 10000 * defaults[1].v;
}

__global__ void bindings(int* o, float* a, int n) {
  Pair p = {1, 2};
  auto [x, y] = p;
  o[0] = x;
  auto& [u, v] = p;
  u = 3;
  o[1] = p.x + x;
  int t[2] = {1, n};
  auto [q, r] = t;
  t[0] = 9;
  o[2] = q + r;
}

__global__ void enums_and_names(int* o, float* a, int n) {
  Colour e = n > 3 ? Colour::Blue : Colour::Red;
  switch (e) { case Colour::Red: o[0] = 1; break; case Colour::Blue: o[0] = 2; }
  o[1] = (int)e + max((int)Colour::Blue, n) + min(Three, n) + max(Three, 2 * Three);
  namespace in = outer::inner;
  using namespace outer;
  using outer::inner::next;
  o[2] = in::next(n) + inner::next(2) + next(1);
  struct Local { int v; __device__ int twice() { return v * 2; } };
  Local l{n};
  o[3] = l.twice();
  Convertible c{n};
  int k = c;
  if (c) o[4] = k;
}

__global__ void expressions(int* o, float* a, int n) {
  o[0] = ({ int q = n * 2; q + 1; });
  int x = 1, y = 2;
  (n > 2 ? x : y) = 5;
  o[1] = x + 10 * y;
  int z = (o[2] = 1, o[3]);
  if (int v = o[4]) o[5] = v + z;
  while (int w = o[6]) { o[6] = w - 1; if (w == 2) continue; o[7]++; }
  for (int i = 0; int k = 3 - i; i++) o[8] += k;
  constexpr int t[4] = {1, 2, 3, 4};
  static constexpr float g[2] = {1, 2};
  a[0] = t[n & 3] + g[n & 1];
  o[9] = n ?: 8;
}

__global__ void pointers(int* o, float* a, int n) {
  int* p = o;
  int** pp = &p;
  (*pp)[1] = 3;
  *pp += 2;
  *p = 4;
  int* ps[2] = {o, o + 4};
  ps[1][0] = 7;
  int x = 3;
  int& rx = x;
  rx++;
  const int& cr = x + 2;
  o[5] = x + cr;
  int t[2][2] = {{1, 2}, {3, 4}};
  int (&row)[2] = t[n & 1];
  row[1] = 8;
  o[6] = t[0][1] + t[1][1] + *(*(t + 1) + 1);
}

__global__ void split_numbers(int* o, float* a, int n) {
  float values[7] = {0.0f, -0.0f, 3.75f, -1e-40f, 1e30f, INFINITY, -2.5f};
  float whole;
  a[0] = modff(values[n], &whole);
  a[1] = whole;
  int e;
  a[2] = frexpf(values[n], &e);
  o[0] = e;
  double w, d = values[n] * 1.5;
  a[3] = (float)modf(d, &w);
  a[4] = (float)w;
  a[5] = (float)frexp(d, &e);
  o[1] = e;
  a[6] = std::clamp(values[n], -1.0f, 1.0f);
}

__device__ int plus_one(int v) { return v + 1; }
__device__ int plus_two(int v) { return v + 2; }
__device__ int through(int (*f)(int), int v) { return f(v) * 2; }
__device__ int twice_through(int (*f)(int), int v) { return through(f, through(f, v)); }
template <class F> __device__ int by_forwarding(F&& f, int v) { return f(v) + (*f)(v); }

__global__ void functions(int* o, float* a, int n) {
  o[0] = through(plus_one, n) + twice_through(&plus_two, n);
  auto f = plus_one;
  int (*const g)(int) = plus_two;
  o[1] = f(n) + g(n) + by_forwarding(plus_two, n) + call_twice(plus_one, n);
}
