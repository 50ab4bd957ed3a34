// Cooperative groups against plain loops. Each line: what was checked, and 1 if it held.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

struct Range {
  float low, high;
  int count;
};
struct Widen {
  __device__ Range operator()(const Range &a, const Range &b) const {
    return Range{a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                 a.count + b.count};
  }
};

static void say(const char *name, bool good) { std::printf("%s %d\n", name, good); }
static int value_of(int i) { return (i * 37 + 11) % 101 - 50; }

struct Results {
  int *data;
  int count;
  explicit Results(int n) : count(n) {
    cudaMalloc(&data, n * sizeof(int));
    cudaMemset(data, 0, n * sizeof(int));
  }
  ~Results() { cudaFree(data); }
  std::vector<int> back() const {
    std::vector<int> v(count);
    cudaMemcpy(v.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost);
    return v;
  }
};

template <int Size>
__global__ void tiles(const int *in, int *sums, int *before, int *upto, int *around, int *counts,
                      int *votes) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
  int t = block.thread_rank(), v = in[t];
  sums[t] = cg::reduce(tile, v, cg::plus<int>());
  before[t] = cg::exclusive_scan(tile, v);
  upto[t] = cg::inclusive_scan(tile, v, cg::greater<int>());
  around[t] = tile.shfl(v, tile.thread_rank() + 1) + 1000 * tile.shfl_xor(v, 1);
  Range mine = {(float)v, (float)v, 1};
  Range all = cg::reduce(tile, mine, Widen());
  counts[t] = (int)all.high * 1000 - (int)all.low + 100000 * all.count;
  votes[t] = (int)tile.ballot(v > 0) ^ (tile.any(v > 45) << 5) ^ (tile.all(v > -50) << 6);
}

template <int Size>
static void check_tiles(const char *name, int threads) {
  std::vector<int> in(threads);
  for (int i = 0; i < threads; ++i) in[i] = value_of(i);
  Results d(threads), sums(threads), before(threads), upto(threads), around(threads);
  Results counts(threads), votes(threads);
  cudaMemcpy(d.data, in.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
  tiles<Size><<<1, threads>>>(d.data, sums.data, before.data, upto.data, around.data, counts.data,
                              votes.data);
  std::vector<int> s = sums.back(), b = before.back(), u = upto.back(), a = around.back();
  std::vector<int> c = counts.back(), w = votes.back();
  bool good = true;
  for (int first = 0; first < threads; first += Size) {
    int sum = 0, most = -1000, least = 1000, bits = 0;
    for (int i = 0; i < Size; ++i) {
      int v = in[first + i];
      good &= b[first + i] == sum;
      sum += v;
      most = v > most ? v : most;
      least = v < least ? v : least;
      good &= u[first + i] == most;
      bits |= (v > 0) << i;
      good &= a[first + i] == in[first + (i + 1) % Size] + 1000 * in[first + (i ^ 1)];
    }
    bits ^= ((most > 45) << 5) ^ ((least > -50) << 6);
    for (int i = 0; i < Size; ++i) {
      good &= s[first + i] == sum && w[first + i] == bits;
      good &= c[first + i] == most * 1000 - least + 100000 * Size;
    }
  }
  say(name, good);
}

// Threads with an odd value work together; the others form groups of equal last digit.
__global__ void divergent(const int *in, int *size, int *rank, int *sum, int *label, int *parts) {
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank(), v = in[t];
  if (v & 1) {
    cg::coalesced_group odd = cg::coalesced_threads();
    size[t] = odd.size();
    rank[t] = odd.thread_rank();
    sum[t] = cg::reduce(odd, v, cg::plus<int>()) + 10000 * odd.shfl_down(v, 1);
  }
  __syncwarp();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  cg::coalesced_group same = cg::labeled_partition(tile, (v + 50) % 3);
  label[t] = cg::inclusive_scan(same, v) + 1000 * same.size();
  cg::coalesced_group half = cg::binary_partition(tile, v > 0);
  parts[t] = half.meta_group_rank() * 100 + half.thread_rank();
}

static void check_divergent() {
  const int n = 64;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = value_of(i);
  Results d(n), size(n), rank(n), sum(n), label(n), parts(n);
  cudaMemcpy(d.data, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  divergent<<<1, n>>>(d.data, size.data, rank.data, sum.data, label.data, parts.data);
  std::vector<int> z = size.back(), r = rank.back(), s = sum.back(), l = label.back();
  std::vector<int> p = parts.back();
  bool coalesced = true, labelled = true, split = true;
  for (int i = 0; i < n; ++i) {
    int count = 0, before = 0, total = 0, next = in[i], scan = 0, same = 0, place = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (!(in[j] & 1)) continue;
      ++count;
      before += j < i;
      total += in[j];
    }
    for (int j = i / 32 * 32 + 31; j > i; --j)
      if (in[j] & 1) next = in[j];
    for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) {
      if ((in[j] + 50) % 3 == (in[i] + 50) % 3) {
        ++same;
        if (j <= i) scan += in[j];
      }
      place += j < i && (in[j] > 0) == (in[i] > 0);
    }
    if (in[i] & 1) coalesced &= z[i] == count && r[i] == before && s[i] == total + 10000 * next;
    labelled &= l[i] == scan + 1000 * same;
    split &= p[i] == (in[i] > 0 ? 0 : 100) + place;
  }
  say("coalesced", coalesced);
  say("labelled", labelled);
  say("split", split);
}

__device__ int group_sum(cg::thread_group g, int *shared, int value) {
  int rank = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    shared[rank] = value;
    g.sync();
    if (rank < i) value += shared[rank + i];
    g.sync();
  }
  return value;
}

__global__ void any_group(const int *in, int *out) {
  __shared__ int shared[64];
  __shared__ int copied[64];
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank();
  int whole = group_sum(block, shared, in[t]);
  cg::thread_group tile = cg::tiled_partition(block, 8);
  int part = group_sum(tile, shared + t / 8 * 8, in[t]);
  cg::memcpy_async(block, copied, in, sizeof(int) * 64);
  cg::wait(block);
  if (t == 0) out[64] = whole;
  if (t % 8 == 0) out[65 + t / 8] = part;
  out[t] = copied[63 - t];
}

static void check_any_group() {
  const int n = 64;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = value_of(i);
  Results d(n), out(n + 9);
  cudaMemcpy(d.data, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  any_group<<<1, n>>>(d.data, out.data);
  std::vector<int> o = out.back();
  int sum = 0;
  bool tiles_good = true, copied = true;
  for (int i = 0; i < n; i += 8) {
    int part = 0;
    for (int j = i; j < i + 8; ++j) part += in[j];
    tiles_good &= o[65 + i / 8] == part;
    sum += part;
  }
  for (int i = 0; i < n; ++i) copied &= o[i] == in[n - 1 - i];
  say("any-group", o[64] == sum && tiles_good);
  say("memcpy-async", copied);
}

// Each round needs the results of every block of the round before.
__global__ void rounds(int *a, int *b, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  int at = (int)grid.thread_rank();
  for (int r = 0; r < count; ++r) {
    int *from = r % 2 ? b : a, *to = r % 2 ? a : b;
    if (at < n) to[at] = from[(at + 1) % n] + from[(at + n - 1) % n];
    grid.sync();
  }
}

static void check_grid() {
  int n = 300, count = 6;
  std::vector<int> v(n), w(n);
  for (int i = 0; i < n; ++i) v[i] = i % 7;
  Results a(n), b(n);
  cudaMemcpy(a.data, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  void *args[] = {&a.data, &b.data, &n, &count};
  cudaError_t e = cudaLaunchCooperativeKernel((void *)rounds, dim3(5), dim3(64), args, 0, 0);
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < n; ++i) w[i] = v[(i + 1) % n] + v[(i + n - 1) % n];
    v = w;
  }
  say("grid", e == cudaSuccess && a.back() == v);
}

int main() {
  check_tiles<32>("tiles-32", 96);
  check_tiles<8>("tiles-8", 64);
  check_tiles<2>("tiles-2", 34);
  check_divergent();
  check_any_group();
  check_grid();
  say("no-errors", cudaDeviceSynchronize() == cudaSuccess);
}
