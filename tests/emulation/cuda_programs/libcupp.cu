// libcu++: atomics, barriers, pipelines, names of the standard library. Each line: what was checked,
// and 1 if it held.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/pipeline>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <vector>

namespace cg = cooperative_groups;

static void say(const char *name, bool good) { std::printf("%s %d\n", name, good); }

__global__ void atomics(cuda::atomic<int, cuda::thread_scope_device> *sum, unsigned *most, int *last) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  sum->fetch_add(t);
  (*sum)++;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> m(*most);
  m.fetch_max(unsigned(t * 37 % 100));
  int seen = 0;
  cuda::atomic_ref<int> l(*last);
  while (!l.compare_exchange_weak(seen, seen + 2)) {
  }
}

// Two halves of a block hand values over through a barrier object.
__global__ void hand_over(int *out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int box[64];
  int t = threadIdx.x;
  if (t == 0) init(&ready, blockDim.x);
  __syncthreads();
  int value = t;
  for (int r = 0; r < rounds; ++r) {
    box[t] = value;
    auto token = ready.arrive();
    ready.wait(std::move(token));
    value = box[(t + 1) % blockDim.x] + 1;
    ready.arrive_and_wait();
  }
  out[t] = value;
}

__global__ void staged(const int *in, int *out) {
  __shared__ int stage[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(block, stage[0], in, cuda::aligned_size_t<4>(64 * sizeof(int)), pipe);
  pipe.producer_commit();
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (i < 3) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[(i + 1) % 2], in + 64 * (i + 1), 64 * sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[i % 2][63 - t] * (i + 1);
    pipe.consumer_release();
  }
  out[t] = sum;
  __shared__ int4 words[64];
  __pipeline_memcpy_async(&words[t], reinterpret_cast<const int4 *>(in) + t, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[64 + t] = words[t].x + words[t].w;
}

int main() {
  int *d;
  cudaMalloc(&d, 1024);
  cudaMemset(d, 0, 1024);
  auto *sum = reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device> *>(d);
  atomics<<<5, 40>>>(sum, reinterpret_cast<unsigned *>(d + 1), d + 2);
  int h[256];
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  say("atomics", h[0] == 199 * 100 + 200 && h[1] == 99 && h[2] == 400);
  hand_over<<<1, 64>>>(d, 5);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  bool good = true;
  for (int t = 0; t < 64; ++t) good &= h[t] == (t + 5) % 64 + 5;
  say("barrier", good);
  std::vector<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i * 31 % 57;
  int *source;
  cudaMalloc(&source, 1024);
  cudaMemcpy(source, in.data(), 1024, cudaMemcpyHostToDevice);
  staged<<<1, 64>>>(source, d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  bool parts = true, words = true;
  for (int t = 0; t < 64; ++t) {
    int expected = 0;
    for (int i = 0; i < 4; ++i) expected += in[64 * i + 63 - t] * (i + 1);
    parts &= h[t] == expected;
    words &= h[64 + t] == in[4 * t];
  }
  say("pipeline", parts);
  say("pipeline-primitives", words);
  cuda::std::array<int, 3> a{4, 5, 6};
  cuda::std::tuple<int, float> t(1, 2.f);
  say("standard", a[2] == 6 && cuda::std::get<1>(t) == 2.f && cuda::std::max(2, 3) == 3 &&
                      cuda::std::plus<>()(1, 2.5) == 3.5 && cuda::maximum<>()(4, 3) == 4 &&
                      cuda::std::numeric_limits<int>::max() == 2147483647);
  cuda::atomic<int> own(5);
  own += 4;
  say("on-the-host", own.load() == 9 && own.exchange(1) == 9 && own == 1);
  say("no-errors", cudaDeviceSynchronize() == cudaSuccess);
}
