// CUB's device-wide algorithms and iterators against plain loops. Each line: what was checked, and 1
// if it held.
#include <algorithm>
#include <cstdio>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/iterator/discard_output_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <numeric>
#include <vector>

static void say(const char *name, bool good) { std::printf("%s %d\n", name, good); }

template <class T>
struct Device {
  T *data;
  size_t n;
  explicit Device(const std::vector<T> &v) : n(v.size()) {
    cudaMalloc(&data, n * sizeof(T));
    cudaMemcpy(data, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  std::vector<T> back(size_t count) const {
    std::vector<T> v(count);
    cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
  }
};

// Both phases: the size is asked for first, and nothing may be written then.
template <class Call>
static bool two_phases(Call call) {
  size_t bytes = 0;
  if (call(nullptr, bytes) != cudaSuccess || bytes == 0) return false;
  void *storage;
  cudaMalloc(&storage, bytes);
  cudaError_t e = call(storage, bytes);
  cudaFree(storage);
  return e == cudaSuccess;
}

struct Square {
  __host__ __device__ int operator()(int v) const { return v * v; }
};
struct Small {
  __host__ __device__ bool operator()(int v) const { return v < 0; }
};
struct Left {  // associative, not commutative
  __host__ __device__ int operator()(int a, int) const { return a; }
};
struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

int main() {
  const int n = 777;
  std::vector<int> in(n), zero(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 7919 + 13) % 301 - 100;
  Device<int> d(in), e(zero), f(zero), g(zero), one(std::vector<int>(1));

  bool ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceReduce::Sum(t, b, d.data, one.data, n);
  });
  bool good = ran && one.back(1)[0] == std::accumulate(in.begin(), in.end(), 0);
  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceReduce::Min(t, b, d.data, one.data, n); });
  good &= ran && one.back(1)[0] == *std::min_element(in.begin(), in.end());
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceReduce::Reduce(t, b, d.data, one.data, n, Left(), 42);
  });
  say("reduce", good && ran && one.back(1)[0] == 42);
  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, d.data, one.data, 0); });
  say("reduce-nothing", ran && one.back(1)[0] == 0);
  Device<cub::KeyValuePair<int, int>> best(std::vector<cub::KeyValuePair<int, int>>(1));
  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceReduce::ArgMax(t, b, d.data, best.data, n); });
  int place = static_cast<int>(std::max_element(in.begin(), in.end()) - in.begin());
  say("arg-max", ran && best.back(1)[0].key == place && best.back(1)[0].value == in[place]);

  cub::CountingInputIterator<int> count(0);
  cub::TransformInputIterator<int, Square, cub::CountingInputIterator<int>> squares(count, Square());
  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, squares, one.data, 10); });
  say("iterators", ran && one.back(1)[0] == 285 && squares[5] == 25 && *(count + 3) == 3);

  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, d.data, e.data, n); });
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    out[i] = sum;
    sum += in[i];
  }
  good = ran && e.back(n) == out;
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceScan::InclusiveScan(t, b, d.data, e.data, cub::Max(), n);
  });
  for (int i = 0; i < n; ++i) out[i] = i ? std::max(out[i - 1], in[i]) : in[0];
  say("scan", good && ran && e.back(n) == out);

  std::vector<int> order(n), sorted = in;
  std::iota(order.begin(), order.end(), 0);
  Device<int> places(order);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] > in[b]; });
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceRadixSort::SortPairsDescending(t, b, d.data, e.data, places.data, f.data, n);
  });
  std::sort(sorted.begin(), sorted.end(), [](int a, int b) { return a > b; });
  say("sort-pairs", ran && e.back(n) == sorted && f.back(n) == order && d.back(n) == in);
  Device<int> first(in), second(zero);
  cub::DoubleBuffer<int> buffers(first.data, second.data);
  ran = two_phases([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, buffers, n); });
  std::reverse(sorted.begin(), sorted.end());
  cudaMemcpy(out.data(), buffers.Current(), n * sizeof(int), cudaMemcpyDeviceToHost);
  say("sort-buffers", ran && out == sorted);
  std::vector<unsigned> bits = {0x13u, 0x02u, 0x21u, 0x10u};
  Device<unsigned> db(bits), eb(bits);
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceRadixSort::SortKeys(t, b, db.data, eb.data, 4, 0, 4);
  });
  say("sort-bits", ran && eb.back(4) == std::vector<unsigned>({0x10u, 0x21u, 0x02u, 0x13u}));
  std::vector<float> real = {2.5f, -0.0f, -1.5f, 0.0f, -7.25f, 1e30f};
  Device<float> df(real), ef(real);
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceRadixSort::SortKeys(t, b, df.data, ef.data, 6);
  });
  std::sort(real.begin(), real.end());
  say("sort-floats", ran && ef.back(6) == real);
  std::vector<int> digits = in;
  std::stable_sort(digits.begin(), digits.end(), ByLastDigit());
  Device<int> dm(in);
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceMergeSort::StableSortKeys(t, b, dm.data, n, ByLastDigit());
  });
  say("merge-sort", ran && dm.back(n) == digits);

  std::vector<int> offsets = {0, 100, 100, 350, n};
  Device<int> o(offsets), sums(std::vector<int>(4));
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceSegmentedReduce::Sum(t, b, d.data, sums.data, 4, o.data, o.data + 1);
  });
  good = ran;
  std::vector<int> parts = in;
  for (int s = 0; s < 4; ++s) {
    good &= sums.back(4)[s] == std::accumulate(in.begin() + offsets[s], in.begin() + offsets[s + 1], 0);
    std::sort(parts.begin() + offsets[s], parts.begin() + offsets[s + 1]);
  }
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceSegmentedRadixSort::SortKeys(t, b, d.data, e.data, n, 4, o.data, o.data + 1);
  });
  say("segments", good && ran && e.back(n) == parts);

  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceSelect::If(t, b, d.data, e.data, one.data, n, Small());
  });
  std::vector<int> chosen;
  std::copy_if(in.begin(), in.end(), std::back_inserter(chosen), Small());
  int kept = one.back(1)[0];
  say("select-if", ran && e.back(kept) == chosen);
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DevicePartition::If(t, b, d.data, e.data, one.data, n, Small());
  });
  std::vector<int> rest;
  std::remove_copy_if(in.rbegin(), in.rend(), std::back_inserter(rest), Small());
  chosen.insert(chosen.end(), rest.begin(), rest.end());
  say("partition", ran && e.back(n) == chosen && one.back(1)[0] == kept);

  std::vector<int> runs = {5, 5, 5, 2, 8, 8, 5};
  Device<int> r(runs), flags(std::vector<int>({1, 0, 0, 1, 1, 0, 1}));
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceRunLengthEncode::Encode(t, b, r.data, e.data, f.data, one.data, 7);
  });
  good = ran && one.back(1)[0] == 4 && e.back(4) == std::vector<int>({5, 2, 8, 5}) &&
         f.back(4) == std::vector<int>({3, 1, 2, 1});
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceSelect::Flagged(t, b, r.data, flags.data, g.data, one.data, 7);
  });
  good &= ran && g.back(4) == e.back(4);
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceReduce::ReduceByKey(t, b, r.data, cub::DiscardOutputIterator<>(), flags.data,
                                          g.data, one.data, cub::Sum(), 7);
  });
  say("runs", good && ran && g.back(4) == std::vector<int>({1, 1, 1, 1}));

  std::vector<float> samples = {-1.f, 0.f, .9f, 1.f, 3.99f, 4.f, 2.5f};
  std::vector<float> borders = {0.f, 1.f, 3.f, 4.f};
  Device<float> ds(samples), dl(borders);
  Device<int> even(std::vector<int>(4)), range(std::vector<int>(3));
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(t, b, ds.data, even.data, 5, 0.f, 4.f, 7);
  });
  good = ran && even.back(4) == std::vector<int>({2, 1, 1, 1});
  ran = two_phases([&](void *t, size_t &b) {
    return cub::DeviceHistogram::HistogramRange(t, b, ds.data, range.data, 4, dl.data, 7);
  });
  say("histogram", good && ran && range.back(3) == std::vector<int>({2, 2, 1}));
  int total = 0;
  cub::DeviceFor::Bulk(10, [&](int i) { total += i; });
  say("for", total == 45);
  say("no-errors", cudaDeviceSynchronize() == cudaSuccess);
}
