// Force-included before every CUDA source that the front end parses; compiled once into a
// precompiled header.
//
// Order matters. Clang checks calls between host and device functions, and the standard library
// knows nothing of either. Every standard header but one is therefore read inside
// `force_cuda_host_device`, so that its functions are `__host__ __device__`. A header that is read
// later, outside, would declare overloads that clash with these: all of them are listed here. The
// pragma is closed before any CUDA or user code, where `__global__` must not meet it.
//
// The exception is <new>: clang itself declares its operators as host functions. What <new> includes
// comes before it, marked.
#pragma once

#include "cudamigrate_builtins.h"

#pragma clang force_cuda_host_device begin
#include <utility>
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>
#endif
#pragma clang force_cuda_host_device end

#include <new>

#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cassert>
#include <cctype>
#include <cerrno>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#if __cplusplus >= 201703L && __has_include(<execution>)
#include <execution>
#endif
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stack>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <typeinfo>
#include <utility>
#include <valarray>
#include <vector>
#if __cplusplus >= 201703L
#include <any>
#include <optional>
#include <string_view>
#include <variant>
#endif
#pragma clang force_cuda_host_device end

#if __has_include(<sys/time.h>)
#include <sys/time.h>
#endif

#include "cuda_runtime.h"
