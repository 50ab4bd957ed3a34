// CUB's primitives of blocks and warps against plain loops. Each line: what was checked, and 1 if it
// held.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

template <class T>
struct Device {
  T *data;
  explicit Device(const std::vector<T> &v) {
    cudaMalloc(&data, v.size() * sizeof(T));
    cudaMemcpy(data, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  std::vector<T> back(size_t n) const {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
  }
};

static void say(const char *name, bool good) { std::printf("%s %d\n", name, good); }

// Affine maps under composition: associative, and not commutative.
struct Affine {
  int scale, shift;
  __host__ __device__ bool operator==(const Affine &o) const {
    return scale == o.scale && shift == o.shift;
  }
};
struct Compose {
  __host__ __device__ Affine operator()(const Affine &a, const Affine &b) const {
    return Affine{(a.scale * b.scale) % 997, (a.shift * b.scale + b.shift) % 997};
  }
};

struct Less {
  template <class T>
  __host__ __device__ bool operator()(const T &a, const T &b) const {
    return a < b;
  }
};

static std::vector<int> numbers(int n, int seed) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = static_cast<int>((i + seed) * 2654435761u >> 20) % 1000 - 400;
  return v;
}
static std::vector<Affine> maps(int n) {
  std::vector<Affine> v;
  for (int i = 0; i < n; ++i) v.push_back({i % 7 + 1, i * 31 % 97});
  return v;
}

// --- reduce and scan ------------------------------------------------------------------------

template <int Threads>
__global__ void reduce_all(const int *in, const Affine *maps, int valid, int *out, Affine *folded) {
  typedef cub::BlockReduce<int, Threads> Ints;
  typedef cub::BlockReduce<Affine, Threads, cub::BLOCK_REDUCE_RAKING> Maps;
  __shared__ typename Ints::TempStorage ints;
  __shared__ typename Maps::TempStorage composed;
  int pair[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
  int all = Ints(ints).Sum(in[threadIdx.x]);
  __syncthreads();
  int some = Ints(ints).Sum(in[threadIdx.x], valid);
  __syncthreads();
  int most = Ints(ints).Reduce(in[threadIdx.x], cub::Max());
  __syncthreads();
  int pairs = Ints(ints).Sum(pair);
  Affine whole = Maps(composed).Reduce(maps[threadIdx.x], Compose());
  if (threadIdx.x == 0) {
    out[0] = all;
    out[1] = some;
    out[2] = most;
    out[3] = pairs;
    folded[0] = whole;
  }
}

template <int Threads>
static void check_reduce(const char *name, int valid) {
  std::vector<int> in = numbers(2 * Threads, 3);
  std::vector<Affine> m = maps(Threads);
  Device<int> d(in), out(std::vector<int>(4));
  Device<Affine> dm(m), folded(std::vector<Affine>(1));
  reduce_all<Threads><<<1, Threads>>>(d.data, dm.data, valid, out.data, folded.data);
  Affine whole = m[0];
  for (int i = 1; i < Threads; ++i) whole = Compose()(whole, m[i]);
  std::vector<int> expected = {std::accumulate(in.begin(), in.begin() + Threads, 0),
                               std::accumulate(in.begin(), in.begin() + valid, 0),
                               *std::max_element(in.begin(), in.begin() + Threads),
                               std::accumulate(in.begin(), in.end(), 0)};
  say(name, out.back(4) == expected && folded.back(1)[0] == whole);
}

struct RunningTotal {
  int total;
  __device__ int operator()(int block_sum) {
    int before = total;
    total += block_sum;
    return before;
  }
};

template <int Threads, int Items>
__global__ void scan_all(const int *in, const Affine *maps, int *incl, int *excl, int *tiles,
                         Affine *left, Affine *total) {
  typedef cub::BlockScan<int, Threads> Ints;
  typedef cub::BlockScan<Affine, Threads, cub::BLOCK_SCAN_WARP_SCANS> Maps;
  __shared__ typename Ints::TempStorage ints;
  __shared__ typename Maps::TempStorage composed;
  int items[Items], inclusive[Items], exclusive[Items];
  for (int i = 0; i < Items; ++i) items[i] = in[threadIdx.x * Items + i];
  Ints(ints).InclusiveSum(items, inclusive);
  __syncthreads();
  Ints(ints).ExclusiveScan(items, exclusive, -1000, cub::Max());
  __syncthreads();
  for (int i = 0; i < Items; ++i) {
    incl[threadIdx.x * Items + i] = inclusive[i];
    excl[threadIdx.x * Items + i] = exclusive[i];
  }
  RunningTotal running = {0};
  for (int tile = 0; tile < Items; ++tile) {
    int sum;
    Ints(ints).ExclusiveSum(in[tile * Threads + threadIdx.x], sum, running);
    __syncthreads();
    tiles[tile * Threads + threadIdx.x] = sum;
  }
  Affine mine, whole;
  Maps(composed).InclusiveScan(maps[threadIdx.x], mine, Compose(), whole);
  left[threadIdx.x] = mine;
  if (threadIdx.x == Threads - 1) total[0] = whole;
}

template <int Threads, int Items>
static void check_scan(const char *name) {
  const int n = Threads * Items;
  std::vector<int> in = numbers(n, 11), incl(n), excl(n), tiles(n);
  std::vector<Affine> m = maps(Threads), left(Threads);
  Device<int> d(in), di(incl), de(excl), dt(tiles);
  Device<Affine> dm(m), dl(left), total(std::vector<Affine>(1));
  scan_all<Threads, Items>
      <<<1, Threads>>>(d.data, dm.data, di.data, de.data, dt.data, dl.data, total.data);
  int sum = 0, most = -1000;
  for (int i = 0; i < n; ++i) {
    tiles[i] = sum;
    incl[i] = sum += in[i];
    excl[i] = most;
    most = std::max(most, in[i]);
  }
  for (int i = 0; i < Threads; ++i) left[i] = i ? Compose()(left[i - 1], m[i]) : m[0];
  say(name, di.back(n) == incl && de.back(n) == excl && dt.back(n) == tiles &&
                dl.back(Threads) == left && total.back(1)[0] == left.back());
}

// --- sorts ----------------------------------------------------------------------------------

template <class Key, int Threads, int Items>
__global__ void sort_all(const Key *in, Key *up, int *from, Key *down, Key *merged, int *tie) {
  typedef cub::BlockRadixSort<Key, Threads, Items, int> Pairs;
  typedef cub::BlockRadixSort<Key, Threads, Items> Keys;
  typedef cub::BlockMergeSort<Key, Threads, Items, int> Merge;
  __shared__ typename Pairs::TempStorage pairs;
  __shared__ typename Keys::TempStorage keys_only;
  __shared__ typename Merge::TempStorage merge;
  Key keys[Items];
  int values[Items];
  for (int i = 0; i < Items; ++i) {
    keys[i] = in[threadIdx.x * Items + i];
    values[i] = threadIdx.x * Items + i;
  }
  Pairs(pairs).Sort(keys, values);
  for (int i = 0; i < Items; ++i) {
    up[threadIdx.x * Items + i] = keys[i];
    from[threadIdx.x * Items + i] = values[i];
    keys[i] = in[threadIdx.x * Items + i];
  }
  Keys(keys_only).SortDescendingBlockedToStriped(keys);
  for (int i = 0; i < Items; ++i) {
    down[threadIdx.x + i * Threads] = keys[i];
    keys[i] = in[threadIdx.x * Items + i];
    values[i] = threadIdx.x * Items + i;
  }
  Merge(merge).Sort(keys, values, Less());
  for (int i = 0; i < Items; ++i) {
    merged[threadIdx.x * Items + i] = keys[i];
    tie[threadIdx.x * Items + i] = values[i];
  }
}

template <class Key, int Threads, int Items>
static void check_sort(const char *name) {
  const int n = Threads * Items;
  std::vector<Key> in(n);
  std::vector<int> seed = numbers(n, 5), order(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<Key>(seed[i] % 50) / 2;
  Device<Key> d(in), up(in), down(in), merged(in);
  Device<int> from(order), tie(order);
  sort_all<Key, Threads, Items>
      <<<1, Threads>>>(d.data, up.data, from.data, down.data, merged.data, tie.data);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  std::vector<Key> sorted = in, reversed = in;
  std::sort(sorted.begin(), sorted.end());
  std::sort(reversed.begin(), reversed.end(), [](Key a, Key b) { return a > b; });
  say(name, up.back(n) == sorted && from.back(n) == order && down.back(n) == reversed &&
                merged.back(n) == sorted && tie.back(n) == order);
}

// --- the others -----------------------------------------------------------------------------

template <int Threads, int Items>
__global__ void rearrange(const int *in, int valid, int *striped, int *heads, int *tails, int *left,
                          int *right, unsigned *bins, int *loaded, int *moved) {
  typedef cub::BlockExchange<int, Threads, Items> Exchange;
  typedef cub::BlockDiscontinuity<int, Threads> Edges;
  typedef cub::BlockAdjacentDifference<int, Threads> Steps;
  typedef cub::BlockHistogram<unsigned char, Threads, Items, 16> Bins;
  typedef cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
  typedef cub::BlockStore<int, Threads, Items, cub::BLOCK_STORE_TRANSPOSE> Store;
  typedef cub::BlockShuffle<int, Threads> Shuffle;
  __shared__ union {
    typename Exchange::TempStorage exchange;
    typename Edges::TempStorage edges;
    typename Steps::TempStorage steps;
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Shuffle::TempStorage shuffle;
  } temp;
  __shared__ typename Bins::TempStorage counting;
  __shared__ unsigned counts[16];
  int items[Items], out[Items];
  unsigned char small[Items];
  Load(temp.load).Load(in, items, valid, -7);
  __syncthreads();
  Store(temp.store).Store(loaded, items);
  __syncthreads();
  Load(temp.load).Load(in, items);
  __syncthreads();
  Exchange(temp.exchange).BlockedToStriped(items, out);
  for (int i = 0; i < Items; ++i) striped[threadIdx.x * Items + i] = out[i];
  __syncthreads();
  Exchange(temp.exchange).StripedToBlocked(out);
  __syncthreads();
  Edges(temp.edges).FlagHeads(out, items, cub::Inequality());
  for (int i = 0; i < Items; ++i) heads[threadIdx.x * Items + i] = out[i];
  __syncthreads();
  Edges(temp.edges).FlagTails(out, items, cub::Inequality());
  for (int i = 0; i < Items; ++i) tails[threadIdx.x * Items + i] = out[i];
  __syncthreads();
  Steps(temp.steps).SubtractLeft(items, out, cub::Difference());
  for (int i = 0; i < Items; ++i) left[threadIdx.x * Items + i] = out[i];
  __syncthreads();
  Steps(temp.steps).SubtractRight(items, out, cub::Difference());
  for (int i = 0; i < Items; ++i) right[threadIdx.x * Items + i] = out[i];
  __syncthreads();
  int neighbour = -1;
  Shuffle(temp.shuffle).Offset(items[0], neighbour, 2);
  moved[threadIdx.x] = neighbour;
  for (int i = 0; i < Items; ++i) small[i] = static_cast<unsigned char>(items[i] & 15);
  Bins(counting).Histogram(small, counts);
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = counts[threadIdx.x];
}

template <int Threads, int Items>
static void check_rearranged(const char *name) {
  const int n = Threads * Items, valid = n - 3;
  std::vector<int> in = numbers(n, 21), zero(n);
  for (int &v : in) v = v / 100;
  Device<int> d(in), striped(zero), heads(zero), tails(zero), left(zero), right(zero), loaded(zero);
  Device<int> moved(zero);
  Device<unsigned> bins(std::vector<unsigned>(16));
  rearrange<Threads, Items><<<1, Threads>>>(d.data, valid, striped.data, heads.data, tails.data,
                                            left.data, right.data, bins.data, loaded.data,
                                            moved.data);
  std::vector<int> s(n), h(n), t(n), l(n), r(n), m(Threads), part(in);
  std::vector<unsigned> b(16);
  for (int i = 0; i < n; ++i) {
    s[i] = in[i / Items + i % Items * Threads];
    h[i] = i == 0 || in[i] != in[i - 1];
    t[i] = i == n - 1 || in[i] != in[i + 1];
    l[i] = i ? in[i] - in[i - 1] : in[i];
    r[i] = i < n - 1 ? in[i] - in[i + 1] : in[i];
    ++b[in[i] & 15];
    if (i >= valid) part[i] = -7;
  }
  for (int i = 0; i < Threads; ++i) m[i] = i + 2 < Threads ? in[(i + 2) * Items] : -1;
  say(name, striped.back(n) == s && heads.back(n) == h && tails.back(n) == t && left.back(n) == l &&
                right.back(n) == r && bins.back(16) == b && loaded.back(n) == part &&
                moved.back(Threads) == m);
}

// --- warps ----------------------------------------------------------------------------------

template <int Width>
__global__ void warp_all(const int *in, const Affine *maps, int *sums, int *some, Affine *folded,
                         int *segments, int *before, Affine *left, int *sorted) {
  typedef cub::WarpReduce<int, Width> Ints;
  typedef cub::WarpReduce<Affine, Width> Maps;
  typedef cub::WarpScan<int, Width> Scan;
  typedef cub::WarpScan<Affine, Width> ScanMaps;
  typedef cub::WarpMergeSort<int, 2, Width> Sort;
  const int groups = 64 / Width;
  __shared__ typename Ints::TempStorage ints[groups];
  __shared__ typename Maps::TempStorage composed[groups];
  __shared__ typename Scan::TempStorage scan[groups];
  __shared__ typename ScanMaps::TempStorage scan_maps[groups];
  __shared__ typename Sort::TempStorage sort[groups];
  int t = threadIdx.x, group = t / Width;
  int sum = Ints(ints[group]).Sum(in[t]);
  int part = Ints(ints[group]).Sum(in[t], Width - 1);
  int segment = Ints(ints[group]).HeadSegmentedSum(in[t], in[t] % 3 == 0);
  Affine whole = Maps(composed[group]).Reduce(maps[t], Compose());
  if (t % Width == 0) {
    sums[group] = sum;
    some[group] = part;
    folded[group] = whole;
  }
  segments[t] = segment;
  Scan(scan[group]).ExclusiveSum(in[t], before[t]);
  ScanMaps(scan_maps[group]).InclusiveScan(maps[t], left[t], Compose());
  int pair[2] = {in[2 * t], in[2 * t + 1]};
  Sort(sort[group]).Sort(pair, Less());
  sorted[2 * t] = pair[0];
  sorted[2 * t + 1] = pair[1];
}

template <int Width>
static void check_warp(const char *name) {
  std::vector<int> in = numbers(128, 9), zero(128);
  std::vector<Affine> m = maps(64);
  Device<int> d(in), sums(zero), some(zero), segments(zero), before(zero), sorted(zero);
  Device<Affine> dm(m), folded(m), left(m);
  warp_all<Width><<<1, 64>>>(d.data, dm.data, sums.data, some.data, folded.data, segments.data,
                             before.data, left.data, sorted.data);
  std::vector<int> s = sums.back(64), p = some.back(64), g = segments.back(64), b = before.back(64);
  std::vector<Affine> f = folded.back(64), l = left.back(64);
  std::vector<int> order = sorted.back(128);
  bool good = true;
  for (int first = 0; first < 64; first += Width) {
    int sum = 0;
    Affine whole = m[first];
    for (int i = first; i < first + Width; ++i) {
      good &= b[i] == sum;
      sum += in[i];
      if (i > first) whole = Compose()(whole, m[i]);
      good &= l[i] == whole;
      if (i == first || in[i] % 3 == 0) {
        int segment = in[i];
        for (int j = i + 1; j < first + Width && in[j] % 3; ++j) segment += in[j];
        good &= g[i] == segment;
      }
    }
    good &= s[first / Width] == sum && p[first / Width] == sum - in[first + Width - 1];
    good &= f[first / Width] == whole;
    std::vector<int> run(in.begin() + 2 * first, in.begin() + 2 * (first + Width));
    std::sort(run.begin(), run.end());
    good &= std::equal(run.begin(), run.end(), order.begin() + 2 * first);
  }
  say(name, good);
}

int main() {
  check_reduce<32>("reduce-32", 20);
  check_reduce<96>("reduce-96", 33);
  check_reduce<100>("reduce-100", 97);
  check_reduce<1>("reduce-1", 1);
  check_reduce<256>("reduce-256", 1);
  check_scan<64, 3>("scan-64x3");
  check_scan<50, 2>("scan-50x2");
  check_scan<1, 1>("scan-1");
  check_sort<int, 64, 4>("sort-int");
  check_sort<float, 48, 3>("sort-float");
  check_sort<double, 32, 1>("sort-double");
  check_sort<short, 33, 5>("sort-short");
  check_rearranged<64, 4>("rearranged-64x4");
  check_rearranged<37, 3>("rearranged-37x3");
  check_warp<32>("warp-32");
  check_warp<8>("warp-8");
  say("no-errors", cudaDeviceSynchronize() == cudaSuccess);
}
