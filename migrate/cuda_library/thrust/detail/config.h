// Execution policies, and what every header of Thrust here needs.
//
// Device memory is ordinary memory on a CPU and launches are over when they return: an algorithm is a
// loop on the calling thread, whatever its policy says.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "cuda_runtime.h"

#define THRUST_VERSION 200400
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 4
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM_OMP 2
#define THRUST_DEVICE_SYSTEM_TBB 3
#define THRUST_DEVICE_SYSTEM_CPP 4
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CUDA
#define THRUST_HD __host__ __device__

namespace thrust {

namespace detail {
struct policy_base {};

template <class It>
using value_of = typename std::iterator_traits<It>::value_type;
template <class It>
using difference_of = typename std::iterator_traits<It>::difference_type;
template <class P>
using if_policy = typename std::enable_if<
    std::is_base_of<policy_base, typename std::decay<P>::type>::value, int>::type;

// Temporary storage: std::vector<bool> has no addresses.
template <class It>
using stored_of = typename std::conditional<std::is_same<value_of<It>, bool>::value, unsigned char,
                                            value_of<It>>::type;
}  // namespace detail

template <class Derived>
struct execution_policy : detail::policy_base {};
template <class Derived>
struct device_execution_policy : detail::policy_base {};
template <class Derived>
struct host_execution_policy : detail::policy_base {};
struct host_system_tag : detail::policy_base {};
struct device_system_tag : detail::policy_base {};
template <class T>
struct iterator_system { typedef device_system_tag type; };

namespace detail {
struct host_policy : execution_policy<host_policy> {
  template <class Allocator>
  host_policy operator()(Allocator &&) const { return *this; }
};
struct device_policy : execution_policy<device_policy> {
  template <class Allocator>
  device_policy operator()(Allocator &&) const { return *this; }
};
struct seq_policy : execution_policy<seq_policy> {};
struct stream_policy : execution_policy<stream_policy> {
  stream_policy on(cudaStream_t) const { return *this; }
  template <class Allocator>
  stream_policy operator()(Allocator &&) const { return *this; }
};
}  // namespace detail

static const detail::host_policy host{};
static const detail::device_policy device{};
static const detail::seq_policy seq{};

namespace cuda {
struct tag : execution_policy<tag> {};
template <class Derived>
struct execution_policy : thrust::execution_policy<Derived> {};
static const detail::stream_policy par{};
static const detail::stream_policy par_nosync{};
}  // namespace cuda
namespace system {
namespace cuda {
using thrust::cuda::par;
using thrust::cuda::par_nosync;
using thrust::cuda::tag;
}  // namespace cuda
}  // namespace system
namespace omp {
static const detail::host_policy par{};
}
namespace cpp {
static const detail::host_policy par{};
}

}  // namespace thrust

// The overload of an algorithm that takes a policy first.
#define THRUST_WITH_POLICY(name)                                                    \
  template <class P, class... A, thrust::detail::if_policy<P> = 0>                  \
  THRUST_HD decltype(auto) name(const P &, A &&...a) {                              \
    return thrust::name(std::forward<A>(a)...);                                             \
  }
