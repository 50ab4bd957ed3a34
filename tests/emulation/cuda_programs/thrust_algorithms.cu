// Thrust against the standard library and plain loops. Each line: what was checked, and 1 if it held.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

static void say(const char *name, bool good) { std::printf("%s %d\n", name, good); }

static std::vector<int> numbers(int n, int range) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = (i * 7919 + 13) % range - range / 3;
  return v;
}
template <class V>
static std::vector<typename V::value_type> host(const V &v) {
  return std::vector<typename V::value_type>(v.begin(), v.end());
}

struct Square {
  __host__ __device__ int operator()(int v) const { return v * v; }
};
struct Even {
  __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};
// Concatenation of digits modulo a prime: associative on (value, weight), not commutative.
struct Digits {
  __host__ __device__ thrust::pair<int, int> operator()(thrust::pair<int, int> a,
                                                        thrust::pair<int, int> b) const {
    return thrust::make_pair((a.first * b.second + b.first) % 9973, (a.second * b.second) % 9973);
  }
};
__global__ void twice(int *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}

static void vectors() {
  std::vector<int> in = numbers(1000, 512);
  thrust::host_vector<int> h(in.begin(), in.end());
  thrust::device_vector<int> d = h;
  twice<<<4, 256>>>(thrust::raw_pointer_cast(d.data()), 1000);
  twice<<<1, 1>>>(thrust::raw_pointer_cast(&d[7]), 1);
  h = d;
  for (int &v : in) v *= 2;
  in[7] *= 2;
  say("vectors", std::equal(in.begin(), in.end(), h.begin()) && d.size() == 1000);
  d.resize(1001, 5);
  d.push_back(6);
  d.insert(d.begin(), 4);
  d.erase(d.begin() + 1, d.begin() + 1000);
  int freed[4] = {4, in[999], 5, 6};
  say("resized", d.size() == 4 && std::equal(freed, freed + 4, host(d).begin()));
  int *raw;
  cudaMalloc(&raw, 8 * sizeof(int));
  thrust::device_ptr<int> p(raw);
  thrust::fill(p, p + 8, 3);
  thrust::device_ptr<int> own = thrust::device_malloc<int>(8);
  thrust::copy(p, p + 8, own);
  twice<<<1, 8>>>(own.get(), 8);
  int back[8];
  cudaMemcpy(back, own.get(), sizeof back, cudaMemcpyDeviceToHost);
  say("pointers", std::count(back, back + 8, 6) == 8 && own[3] == 6 && (p + 5) - p == 5);
  thrust::device_free(own);
  cudaFree(raw);
  thrust::device_vector<int> one(1, 9), none;
  say("one-and-none", thrust::reduce(one.begin(), one.end()) == 9 &&
                          thrust::reduce(none.begin(), none.end(), 4) == 4 && none.empty());
}

static void maps() {
  std::vector<int> in = numbers(777, 300), a(777), b(777);
  thrust::device_vector<int> d = in, e(777), f(777);
  thrust::transform(d.begin(), d.end(), e.begin(), Square());
  thrust::transform(thrust::device, d.begin(), d.end(), e.begin(), f.begin(),
                    thrust::minus<int>());
  std::transform(in.begin(), in.end(), a.begin(), Square());
  std::transform(in.begin(), in.end(), a.begin(), b.begin(), std::minus<int>());
  say("transform", host(e) == a && host(f) == b);
  using namespace thrust::placeholders;
  thrust::transform(d.begin(), d.end(), e.begin(), f.begin(), 3 * _1 + _2 - 1);
  bool good = true;
  for (int i = 0; i < 777; ++i) good &= f[i] == 3 * in[i] + a[i] - 1;
  say("placeholders", good);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  thrust::sequence(thrust::cuda::par.on(stream), f.begin(), f.end(), 5, 3);
  thrust::tabulate(thrust::host, a.begin(), a.end(), Square());
  say("sequence", f[776] == 5 + 3 * 776 && a[20] == 400);
  thrust::adjacent_difference(d.begin(), d.end(), e.begin());
  std::adjacent_difference(in.begin(), in.end(), a.begin());
  say("difference", host(e) == a);
  int total = 0;
  thrust::for_each(in.begin(), in.end(), [&](int v) { total += v; });
  say("for-each", total == std::accumulate(in.begin(), in.end(), 0));
  cudaStreamDestroy(stream);
}

static void reductions() {
  std::vector<int> in = numbers(501, 97);
  thrust::device_vector<int> d = in;
  std::vector<thrust::pair<int, int>> digits;
  for (int v : in) digits.push_back({std::abs(v) % 10, 10});
  thrust::pair<int, int> whole(0, 1), fold = whole;
  for (auto p : digits) fold = Digits()(fold, p);
  say("reduce", thrust::reduce(d.begin(), d.end(), 10) == 10 + std::accumulate(in.begin(), in.end(), 0) &&
                    thrust::reduce(d.begin(), d.end(), -999, thrust::maximum<int>()) ==
                        *std::max_element(in.begin(), in.end()) &&
                    thrust::reduce(digits.begin(), digits.end(), whole, Digits()) == fold);
  long long squares = 0;
  for (int v : in) squares += v * v;
  say("transform-reduce",
      thrust::transform_reduce(d.begin(), d.end(), Square(), 0LL, thrust::plus<long long>()) ==
              squares &&
          thrust::inner_product(d.begin(), d.end(), d.begin(), 0LL) == squares);
  std::vector<int> keys = {1, 1, 2, 3, 3, 3, 1}, values = {1, 2, 3, 4, 5, 6, 7};
  thrust::device_vector<int> k = keys, v = values, ko(7), vo(7);
  auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), ko.begin(), vo.begin());
  ko.erase(ends.first, ko.end());
  vo.erase(ends.second, vo.end());
  say("reduce-by-key",
      host(ko) == std::vector<int>({1, 2, 3, 1}) && host(vo) == std::vector<int>({3, 3, 15, 7}));
  auto best = thrust::minmax_element(d.begin(), d.end());
  say("extrema", best.first - d.begin() == std::min_element(in.begin(), in.end()) - in.begin() &&
                     best.second - d.begin() == std::max_element(in.begin(), in.end()) - in.begin());
  say("count", thrust::count(d.begin(), d.end(), in[3]) == std::count(in.begin(), in.end(), in[3]) &&
                   thrust::count_if(d.begin(), d.end(), Even()) ==
                       std::count_if(in.begin(), in.end(), Even()) &&
                   thrust::find(d.begin(), d.end(), in[9]) - d.begin() ==
                       std::find(in.begin(), in.end(), in[9]) - in.begin() &&
                   !thrust::all_of(d.begin(), d.end(), Even()));
}

static void scans() {
  std::vector<int> in = numbers(333, 97), out(333);
  thrust::device_vector<int> d = in;
  thrust::inclusive_scan(d.begin(), d.end(), d.begin());
  std::partial_sum(in.begin(), in.end(), out.begin());
  say("inclusive-in-place", host(d) == out);
  d = in;
  thrust::exclusive_scan(d.begin(), d.end(), d.begin(), 7, thrust::maximum<int>());
  int most = 7;
  for (int i = 0; i < 333; ++i) {
    out[i] = most;
    most = std::max(most, in[i]);
  }
  say("exclusive-in-place", host(d) == out);
  std::vector<thrust::pair<int, int>> digits, folded(5);
  for (int v : {3, 1, 4, 1, 5}) digits.push_back({v, 10});
  thrust::inclusive_scan(digits.begin(), digits.end(), folded.begin(), Digits());
  say("scan-order", folded[4].first == 31415 % 9973 && folded[2].first == 314);
  thrust::device_vector<int> keys = std::vector<int>{0, 0, 1, 1, 1, 0}, ones(6, 1), s(6);
  thrust::exclusive_scan_by_key(keys.begin(), keys.end(), ones.begin(), s.begin());
  say("scan-by-key", host(s) == std::vector<int>({0, 1, 0, 1, 2, 0}));
}

static void orders() {
  std::vector<int> in = numbers(600, 101), a = in;
  thrust::device_vector<int> d = in, at(600);
  thrust::sequence(at.begin(), at.end());
  std::vector<int> order(600);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return in[x] > in[y]; });
  thrust::stable_sort_by_key(d.begin(), d.end(), at.begin(), thrust::greater<int>());
  std::sort(a.begin(), a.end(), std::greater<int>());
  say("sort-by-key", host(d) == a && host(at) == order);
  d = in;
  thrust::sort(d.begin(), d.end());
  std::sort(a.begin(), a.end());
  say("sort", host(d) == a && thrust::is_sorted(d.begin(), d.end()));
  auto end = thrust::unique(d.begin(), d.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  d.erase(end, d.end());
  say("unique", host(d) == a);
  std::vector<int> wanted = {-40, 0, 5, 500};
  thrust::device_vector<int> w = wanted, low(4), high(4);
  thrust::lower_bound(d.begin(), d.end(), w.begin(), w.end(), low.begin());
  thrust::upper_bound(thrust::device, d.begin(), d.end(), w.begin(), w.end(), high.begin());
  bool good = true;
  for (int i = 0; i < 4; ++i) {
    good &= low[i] == std::lower_bound(a.begin(), a.end(), wanted[i]) - a.begin();
    good &= high[i] == std::upper_bound(a.begin(), a.end(), wanted[i]) - a.begin();
  }
  say("bounds", good);
  std::vector<int> odd = {1, 3, 5, 7, 9}, low5 = {1, 2, 3, 4, 5}, out(10), expected(10);
  out.erase(thrust::set_intersection(odd.begin(), odd.end(), low5.begin(), low5.end(), out.begin()),
            out.end());
  thrust::merge(odd.begin(), odd.end(), low5.begin(), low5.end(), expected.begin());
  say("sets", out == std::vector<int>({1, 3, 5}) &&
                  expected == std::vector<int>({1, 1, 2, 3, 3, 4, 5, 5, 7, 9}));
}

static void selections() {
  std::vector<int> in = numbers(400, 50), a(400);
  thrust::device_vector<int> d = in, e(400);
  e.erase(thrust::copy_if(d.begin(), d.end(), e.begin(), Even()), e.end());
  a.erase(std::copy_if(in.begin(), in.end(), a.begin(), Even()), a.end());
  say("copy-if", host(e) == a);
  d.erase(thrust::remove_if(d.begin(), d.end(), Even()), d.end());
  std::vector<int> odd = in;
  odd.erase(std::remove_if(odd.begin(), odd.end(), Even()), odd.end());
  say("remove-if", host(d) == odd);
  thrust::device_vector<int> p = in;
  auto middle = thrust::stable_partition(p.begin(), p.end(), Even());
  std::vector<int> both = a;
  both.insert(both.end(), odd.begin(), odd.end());
  say("partition", host(p) == both && middle - p.begin() == static_cast<long>(a.size()));
  thrust::device_vector<int> map = std::vector<int>{3, 0, 2, 1}, from = std::vector<int>{10, 11, 12, 13};
  thrust::device_vector<int> g(4), s(4);
  thrust::gather(map.begin(), map.end(), from.begin(), g.begin());
  thrust::scatter(from.begin(), from.end(), map.begin(), s.begin());
  say("gather-scatter",
      host(g) == std::vector<int>({13, 10, 12, 11}) && host(s) == std::vector<int>({11, 13, 12, 10}));
}

static void iterators() {
  thrust::counting_iterator<int> count(1);
  say("counting", thrust::reduce(count, count + 100) == 5050 &&
                      thrust::transform_reduce(count, count + 3, Square(), 0, thrust::plus<int>()) == 14);
  auto squares = thrust::make_transform_iterator(count, Square());
  say("transformed", squares[4] == 25 && thrust::reduce(squares, squares + 3) == 14);
  thrust::device_vector<int> keys = std::vector<int>{3, 1, 2}, a = std::vector<int>{30, 10, 20};
  thrust::device_vector<float> b = std::vector<float>{.3f, .1f, .2f};
  auto zip = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
  thrust::sort_by_key(keys.begin(), keys.end(), zip);
  bool sorted = host(a) == std::vector<int>({10, 20, 30}) && host(b) == std::vector<float>({.1f, .2f, .3f});
  thrust::for_each(zip, zip + 3, [](thrust::tuple<int &, float &> t) {
    thrust::get<0>(t) += static_cast<int>(10 * thrust::get<1>(t) + .5f);
  });
  say("zip", sorted && host(a) == std::vector<int>({11, 22, 33}));
  thrust::sort(zip, zip + 3, [](thrust::tuple<int, float> x, thrust::tuple<int, float> y) {
    return thrust::get<0>(x) > thrust::get<0>(y);
  });
  say("zip-sort", host(a) == std::vector<int>({33, 22, 11}) && b[0] == .3f);
  thrust::device_vector<int> places = std::vector<int>{2, 0};
  auto chosen = thrust::make_permutation_iterator(a.begin(), places.begin());
  say("permuted", chosen[0] == 11 && chosen[1] == 33 && thrust::reduce(chosen, chosen + 2) == 44);
  auto ends = thrust::reduce_by_key(thrust::make_constant_iterator(1), thrust::make_constant_iterator(1) + 3,
                                    a.begin(), thrust::make_discard_iterator(), places.begin());
  say("discarded", places[0] == 66 && ends.second - places.begin() == 1);
  auto back = thrust::make_reverse_iterator(a.end());
  say("reversed", *back == 11 && back[2] == 33);
  auto out = thrust::make_transform_output_iterator(a.begin(), Square());
  thrust::copy(count, count + 3, out);
  say("output", host(a) == std::vector<int>({1, 4, 9}));
}

static void values() {
  thrust::default_random_engine engine(1), ahead(1);
  thrust::uniform_real_distribution<float> real(-1.f, 1.f);
  unsigned first = engine(), second = engine();
  ahead.discard(1);
  engine.seed(1);
  float u = real(engine);
  say("random", first == 48271u && second == 182605794u && ahead() == second &&
                    u == (48270.f / 2147483648.f) * 2.f - 1.f);
  thrust::normal_distribution<double> normal(10, 2);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    double v = normal(engine);
    sum += v;
    squares += (v - 10) * (v - 10);
  }
  say("normal", std::fabs(sum / 20000 - 10) < .05 && std::fabs(std::sqrt(squares / 20000) - 2) < .05);
  thrust::uniform_int_distribution<int> die(1, 6);
  int seen[8] = {};
  for (int i = 0; i < 6000; ++i) ++seen[die(engine)];
  say("die", seen[0] == 0 && seen[7] == 0 && seen[1] > 800 && seen[6] > 800);
  thrust::complex<double> z(3, 4), w = z * z / z + thrust::conj(z);
  say("complex", thrust::abs(z) == 5 && std::fabs(w.real() - 6) < 1e-12 && std::fabs(w.imag()) < 1e-12 &&
                     thrust::abs(thrust::sqrt(z) - thrust::complex<double>(2, 1)) < 1e-12);
}

int main() {
  vectors();
  maps();
  reductions();
  scans();
  orders();
  selections();
  iterators();
  values();
  say("no-errors", cudaDeviceSynchronize() == cudaSuccess);
}
