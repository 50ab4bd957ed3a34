"""Lambdas: closures are structs, call operators are functions over them."""

from __future__ import annotations

from tests.frontend.conftest import Read, codes, function_lines, kernel_body

SOURCE = """
struct Scene {
  int scale;
  void run(int* p, float* r, int n);
};
template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
void Scene::run(int* p, float* r, int n) {
  each<<<1, 32>>>(n, [=, z = n * 2] __device__ (int i) mutable {
    p[i] = n + z + scale;
    r[i] = 2.0f;
    z++;
  });
}
template <class T> void twice(T* p) { each<<<1, 8>>>(8, [=] __device__ (int i) { p[i] = 2; }); }
void both(int* p, float* q) { twice(p); twice(q); }
__global__ void by_value(int* o, int n) { auto f = [=](int v) { return v + n; }; o[0] = f(2); }
__global__ void by_reference(int* o, int n) {
  int sum = 0;
  const int step = 3;
  auto add = [&](int v) { sum += v * step; o[0] = n; };
  add(1);
  auto twice = [](auto v) { return v + v; };
  sum += twice(2) + twice(1.5f);
  o[1] = sum;
}
__global__ void mixed(int* o, int n) {
  int sum = 1;
  auto add = [&sum, &k = n, m = sum](int v) mutable { sum += v * k + m; m++; k--; };
  add(1);
  add(2);
  o[0] = sum;
}
template <class F> __device__ int apply(F f, int v) { return f(v); }
__global__ void passed(int* o, int n) { o[0] = apply([n](int v) { return v * n; }, 3); }
__global__ void shared_around(int* o) {
  __shared__ int t[4];
  auto f = [=](int i) { return t[i]; };
  o[0] = f(1);
}
__global__ void array_by_value(int* o) {
  int t[2] = {1, 2};
  auto f = [=](int i) { return t[i]; };
  o[0] = f(1);
}
__global__ void first(int* o) { struct L { int a; }; L l{1}; o[0] = l.a; }
__global__ void second(float* o) { struct L { float a, b; }; L l{1, 2}; o[0] = l.b; }
"""


def test_closures(read: Read) -> None:
    unit = read(SOURCE)
    refused = {u.name: u.diagnostic for u in unit.unread}
    assert {name: d.code.id for name, d in refused.items()} == {
        "shared_around": "CM1102",
        "array_by_value": "CM1102",
    }
    assert "shared t" in refused["shared_around"].cause
    module = unit.module
    fields = {s.name: [(f.name, str(f.type)) for f in s.fields] for s in module.structs}
    assert fields["lambda_8"] == [
        ("z", "i32"),
        ("p", "ptr<generic, i32>"),
        ("n", "i32"),
        ("this_object", "ptr<generic, Scene>"),
        ("r", "ptr<generic, f32>"),
    ]
    # instantiations of one lambda, and local classes of one name, stay apart
    assert fields["lambda_14"] == [("p", "ptr<generic, i32>")]
    assert fields["lambda_14_"] == [("p", "ptr<generic, f32>")]
    assert [fields["L"], fields["L_"]] == [[("a", "i32")], [("a", "f32"), ("b", "f32")]]
    symbols = {k.symbol: k for k in module.kernels}
    assert symbols["each_lambda_8"].template_args[0].value == "(lambda at unit.cu:8:22)"
    assert {"each_lambda_14", "each_lambda_14_2"} <= set(symbols)


def test_bodies(read: Read) -> None:
    unit = read(SOURCE.split("template <class F> __device__ int apply")[0])
    assert kernel_body(unit, "by_reference") == [
        "var sum: i32 = 0:i32",
        "var step: i32 = 3:i32",
        "var add: lambda_20 = make<lambda_20>(addr<ptr<local, i32>>(sum), "
        "addr<ptr<local, ptr<global, i32>>>(o), addr<ptr<local, i32>>(n))",
        "exec _: void = lambda_20_call(addr<ptr<local, lambda_20>>(add), 1:i32)",
        "var twice: lambda_22 = make<lambda_22>()",
        "sum = cast<i32>((cast<f32>(sum) + "
        "(cast<f32>(invoke<i32> lambda_22_call(addr<ptr<local, lambda_22>>(twice), 2:i32)) + "
        "invoke<f32> lambda_22_call_2(addr<ptr<local, lambda_22>>(twice), 1.5:f32))))",
        "o[1:i32] = sum",
    ]
    assert function_lines(unit, "lambda_28_call")[1:] == [
        "self[0:i32].sum[0:i32] = (self[0:i32].sum[0:i32] + "
        "((v * self[0:i32].k[0:i32]) + self[0:i32].m))",
        "self[0:i32].m = (self[0:i32].m + 1:i32)",
        "self[0:i32].k[0:i32] = (self[0:i32].k[0:i32] - 1:i32)",
    ]


def test_memory_of_a_wrapper_is_read_as_what_it_wraps(read: Read) -> None:
    unit = read(
        """
        template <class T> struct Raw {
          alignas(T) unsigned char bytes[sizeof(T)];
          __device__ T& alias() { return reinterpret_cast<T&>(*this); }
        };
        struct Sums { float warp[4]; float total; };
        struct Storage : Raw<Sums> {};
        struct Reduce {
          Sums& sums;
          __device__ Reduce(Storage& s) : sums(s.alias()) {}
          __device__ float get() { return sums.total; }
        };
        __global__ void k(float* o) { __shared__ Storage s; o[0] = Reduce(s).get(); }
        """
    )
    assert codes(unit) == []
    assert function_lines(unit, "Raw_Sums_alias")[1:] == ["return cast<ptr<generic, Sums>>(self)"]
