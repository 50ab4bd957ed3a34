// cuRAND's host API. Numbers of XORWOW and MRG32k3a come in cuRAND's default order: 4096 subsequences
// in turn; those of Philox and of the Mersenne twister in the order of one sequence. Which of them a
// normal or Poisson number takes is not specified.
#pragma once

#include <memory>
#include <random>
#include <variant>
#include <vector>

#include "curand_kernel.h"

#define CURAND_H_
#define CURAND_VERSION 10300
#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 3
#define CURAND_VER_PATCH 0

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101, CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef enum curandRngType {
  CURAND_RNG_TEST = 0, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;
typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102, CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104, CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;

namespace cuda_emu {

struct MersenneState {
  std::mt19937 engine;
  int boxmuller_flag = 0, boxmuller_flag_double = 0;
  float boxmuller_extra = 0;
  double boxmuller_extra_double = 0;
};
inline unsigned int curand(MersenneState *s) { return static_cast<unsigned>(s->engine()); }
inline double uniform_double(MersenneState *s) {
  unsigned x = curand(s), y = curand(s);
  return curand_detail::uniform_double_of(x, y);
}
template <class State> double uniform_double(State *s) { return curand_uniform_double(s); }

template <class State> struct Sequences { std::vector<State> lanes; };

struct RandomGenerator {
  curandRngType type = CURAND_RNG_PSEUDO_XORWOW;
  unsigned long long seed = 0, offset = 0;
  std::variant<Sequences<curandStateXORWOW>, Sequences<curandStateMRG32k3a>,
               Sequences<curandStatePhilox4_32_10>, Sequences<MersenneState>> state;
  std::size_t turn = 0;  // the subsequence that comes next
  bool ready = false;
  bool on_host = false;
  cudaStream_t stream = nullptr;
};

template <class State>
void seed_lanes(Sequences<State> &s, const RandomGenerator &g, std::size_t lanes) {
  s.lanes.resize(lanes);
  State next;
  curand_init(g.seed, 0, 0, &next);
  for (std::size_t i = 0; i < lanes; ++i) {
    s.lanes[i] = next;
    unsigned long long skipped = g.offset / lanes + (i < g.offset % lanes);
    if (skipped) skipahead(skipped, &s.lanes[i]);
    if constexpr (std::is_same_v<State, curandStateMRG32k3a>) skipahead_subsequence(1, &next);
    else skipahead_sequence(1, &next);
  }
}
inline void seed_generator(RandomGenerator &g) {
  switch (g.type) {
    case CURAND_RNG_PSEUDO_MRG32K3A:
      seed_lanes(g.state.emplace<Sequences<curandStateMRG32k3a>>(), g, 4096);
      break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      seed_lanes(g.state.emplace<Sequences<curandStatePhilox4_32_10>>(), g, 1);
      break;
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_MTGP32: {
      auto &s = g.state.emplace<Sequences<MersenneState>>();
      s.lanes.resize(1);
      s.lanes[0].engine.seed(static_cast<unsigned>(g.seed ? g.seed : 5489));
      s.lanes[0].engine.discard(g.offset);
      break;
    }
    default: seed_lanes(g.state.emplace<Sequences<curandStateXORWOW>>(), g, 4096);
  }
  std::size_t lanes = std::visit([](auto &s) { return s.lanes.size(); }, g.state);
  g.turn = static_cast<std::size_t>(g.offset % lanes);
  g.ready = true;
}

template <class T, class Draw>
curandStatus fill_random(RandomGenerator *g, T *out, std::size_t n, Draw draw) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!out && n) return CURAND_STATUS_LAUNCH_FAILURE;
  auto fill = [=] {
    if (!g->ready) seed_generator(*g);
    std::visit([&](auto &s) {
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = draw(&s.lanes[g->turn]);
        if (++g->turn == s.lanes.size()) g->turn = 0;
      }
    }, g->state);
    return cudaSuccess;
  };
  if (g->on_host) fill();
  else submit(g->stream, cudaGraphNodeTypeKernel, fill);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace cuda_emu

typedef cuda_emu::RandomGenerator *curandGenerator_t;

inline curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) {
  if (type >= CURAND_RNG_QUASI_DEFAULT || type == CURAND_RNG_TEST) return CURAND_STATUS_TYPE_ERROR;
  *g = new cuda_emu::RandomGenerator;
  (*g)->type = type == CURAND_RNG_PSEUDO_DEFAULT ? CURAND_RNG_PSEUDO_XORWOW : type;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) {
  curandStatus_t status = curandCreateGenerator(g, type);
  if (status == CURAND_STATUS_SUCCESS) (*g)->on_host = true;
  return status;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) { return delete g, CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandGetVersion(int *version) { return *version = CURAND_VERSION, CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) { return g->stream = stream, CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  g->seed = seed;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  g->offset = offset;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t order) {
  return order == CURAND_ORDERING_PSEUDO_SEEDED ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  return cuda_emu::seed_generator(*g), CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *out, size_t n) {
  return cuda_emu::fill_random(g, out, n, [](auto *s) { return curand(s); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) {
  return cuda_emu::fill_random(g, out, n, [](auto *s) { return curand_uniform(s); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n) {
  return cuda_emu::fill_random(g, out, n, [](auto *s) { return cuda_emu::uniform_double(s); });
}
// Pairs of Box and Muller need an even number, as cuRAND demands.
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation) {
  if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return cuda_emu::fill_random(g, out, n, [=](auto *s) { return mean + deviation * curand_normal(s); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation) {
  if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return cuda_emu::fill_random(g, out, n, [=](auto *s) { return mean + deviation * curand_normal_double(s); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation) {
  if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return cuda_emu::fill_random(g, out, n, [=](auto *s) { return curand_log_normal(s, mean, deviation); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation) {
  if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return cuda_emu::fill_random(g, out, n, [=](auto *s) { return curand_log_normal_double(s, mean, deviation); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *out, size_t n, double mean) {
  return cuda_emu::fill_random(g, out, n, [=](auto *s) { return curand_detail::poisson(s, mean); });
}
