// cuFFT on the CPU: plans of one to three dimensions, batches and strides, all six kinds of transform.
#pragma once

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "emu/library_types.h"
#include "emu/fft/callbacks.h"
#include "emu/fft/transform.h"

#define _CUFFT_H_
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1
#define CUFFT_VERSION 11200

typedef enum cufftResult_t {
  CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN = 1, CUFFT_ALLOC_FAILED = 2, CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4, CUFFT_INTERNAL_ERROR = 5, CUFFT_EXEC_FAILED = 6, CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8, CUFFT_UNALIGNED_DATA = 9, CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
  CUFFT_INVALID_DEVICE = 11, CUFFT_PARSE_ERROR = 12, CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_IMPLEMENTED = 14, CUFFT_LICENSE_ERROR = 15, CUFFT_NOT_SUPPORTED = 16,
  CUFFT_MISSING_DEPENDENCY = 17, CUFFT_NVRTC_FAILURE = 18, CUFFT_NVJITLINK_FAILURE = 19,
  CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;
typedef enum cufftType_t {
  CUFFT_R2C = 0x2A, CUFFT_C2R = 0x2C, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6A, CUFFT_Z2D = 0x6C, CUFFT_Z2Z = 0x69
} cufftType;
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

namespace cuda_emu {

// How one side of a transform lies in memory: row-major sizes around the data, strides, batches.
struct FftLayout {
  std::vector<std::int64_t> embed;
  std::int64_t stride = 1, distance = 0;
  bool given = false;
};
struct FftPlan {
  std::vector<std::size_t> sizes;
  FftLayout in, out;
  cufftType type = CUFFT_C2C;
  int batch = 1;
  cudaStream_t stream = nullptr;
  FftCallback load, store;
};
struct FftPlans {
  std::mutex mutex;
  std::map<int, FftPlan> plans;
  int next = 1;
};
inline FftPlans &fft_plans() {
  static auto *plans = new FftPlans;
  return *plans;
}
inline FftPlan *find_fft(cufftHandle handle) {
  std::lock_guard<std::mutex> lock(fft_plans().mutex);
  auto at = fft_plans().plans.find(handle);
  return at == fft_plans().plans.end() ? nullptr : &at->second;
}

inline bool real_input(cufftType t) { return t == CUFFT_R2C || t == CUFFT_D2Z; }
inline bool real_output(cufftType t) { return t == CUFFT_C2R || t == CUFFT_Z2D; }

// The layout to use: what was given, or dense; a real side in place has rows padded for the complex one.
inline FftLayout dense_layout(const FftPlan &p, const FftLayout &asked, bool real, bool half, bool in_place) {
  if (asked.given) return asked;
  FftLayout l;
  l.embed.assign(p.sizes.begin(), p.sizes.end());
  std::int64_t &last = l.embed.back();
  std::int64_t folded = last / 2 + 1;
  if (half) last = folded;
  if (real && in_place) last = 2 * folded;
  l.distance = 1;
  for (std::int64_t n : l.embed) l.distance *= n;
  return l;
}
inline std::int64_t place_in(const FftLayout &l, const std::vector<std::size_t> &index) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i)
    at = at * (i ? l.embed[i] : 0) + static_cast<std::int64_t>(index[i]);
  return at * l.stride;
}
inline bool next_index(std::vector<std::size_t> &index, const std::vector<std::size_t> &sizes) {
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    if (++index[axis] < sizes[axis]) return true;
    index[axis] = 0;
  }
  return false;
}
inline std::size_t flat_index(const std::vector<std::size_t> &index, const std::vector<std::size_t> &sizes) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) at = at * sizes[i] + index[i];
  return at;
}

template <class T> Wave wave_of(const T &v) {
  if constexpr (std::is_arithmetic_v<T>) return Wave(v, 0);
  else return Wave(v.x, v.y);
}
template <class T> void keep_wave(T &to, const Wave &w) {
  if constexpr (std::is_arithmetic_v<T>) to = static_cast<T>(w.real());
  else to = T{static_cast<decltype(to.x)>(w.real()), static_cast<decltype(to.x)>(w.imag())};
}

template <class In>
std::vector<Wave> gather(const FftPlan &p, const FftLayout &l, const In *in, std::int64_t first) {
  std::size_t total = 1;
  for (std::size_t n : p.sizes) total *= n;
  std::vector<Wave> data(total);
  std::vector<std::size_t> index(p.sizes.size(), 0);
  bool folded = real_output(p.type);  // the second half of the last axis is the conjugate of the first
  do {
    std::vector<std::size_t> from = index;
    bool mirror = folded && index.back() > p.sizes.back() / 2;
    if (mirror)
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = (p.sizes[i] - index[i]) % p.sizes[i];
    Wave w = wave_of(load_element(p.load, in, static_cast<std::size_t>(first + place_in(l, from))));
    data[flat_index(index, p.sizes)] = mirror ? std::conj(w) : w;
  } while (next_index(index, p.sizes));
  return data;
}
template <class Out>
void scatter(const FftPlan &p, const FftLayout &l, const std::vector<Wave> &data, Out *out, std::int64_t first) {
  std::vector<std::size_t> index(p.sizes.size(), 0);
  do {
    if (real_input(p.type) && index.back() > p.sizes.back() / 2) continue;
    Out value;
    keep_wave(value, data[flat_index(index, p.sizes)]);
    store_element(p.store, out, static_cast<std::size_t>(first + place_in(l, index)), value);
  } while (next_index(index, p.sizes));
}

template <class In, class Out>
cufftResult fft_run(cufftHandle handle, cufftType type, In *in, Out *out, int sign) {
  FftPlan *found = find_fft(handle);
  if (!found) return CUFFT_INVALID_PLAN;
  if (found->type != type || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  FftPlan p = *found;
  submit(p.stream, cudaGraphNodeTypeKernel, [=] {
    bool in_place = static_cast<const void *>(in) == static_cast<const void *>(out);
    FftLayout from = dense_layout(p, p.in, real_input(p.type), real_output(p.type), in_place);
    FftLayout to = dense_layout(p, p.out, real_output(p.type), real_input(p.type), in_place);
    for (std::int64_t b = 0; b < p.batch; ++b) {
      std::vector<Wave> data = gather(p, from, in, b * from.distance);
      transform_axes(data, p.sizes, sign);
      scatter(p, to, data, out, b * to.distance);
    }
    return cudaSuccess;
  });
  return CUFFT_SUCCESS;
}

template <class Size>
FftLayout given_layout(const Size *embed, int rank, Size stride, Size distance) {
  FftLayout l;
  if (!embed) return l;
  l.given = true;
  l.embed.assign(embed, embed + rank);
  l.stride = stride;
  l.distance = distance;
  return l;
}
template <class Size>
cufftResult make_fft(cufftHandle handle, int rank, const Size *n, const Size *in_embed, Size in_stride, Size in_distance,
                     const Size *out_embed, Size out_stride, Size out_distance, cufftType type, Size batch, size_t *work) {
  FftPlan *p = find_fft(handle);
  if (!p) return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_SIZE;
  for (int i = 0; i < rank; ++i)
    if (n[i] < 1) return CUFFT_INVALID_SIZE;
  if (!real_input(type) && !real_output(type) && type != CUFFT_C2C && type != CUFFT_Z2Z) return CUFFT_INVALID_TYPE;
  p->sizes.assign(n, n + rank);
  bool both = in_embed && out_embed;  // a missing one makes the layout the default one
  p->in = given_layout(both ? in_embed : nullptr, rank, in_stride, in_distance);
  p->out = given_layout(both ? out_embed : nullptr, rank, out_stride, out_distance);
  p->type = type;
  p->batch = static_cast<int>(batch);
  if (work) *work = 0;
  return CUFFT_SUCCESS;
}
template <class... Sizes>
cufftResult make_dense_fft(cufftHandle handle, cufftType type, int batch, size_t *work, Sizes... sizes) {
  const int n[] = {sizes...};
  const int *none = nullptr;
  return make_fft<int>(handle, sizeof...(sizes), n, none, 1, 0, none, 1, 0, type, batch, work);
}

}  // namespace cuda_emu

inline cufftResult cufftCreate(cufftHandle *handle) {
  std::lock_guard<std::mutex> lock(cuda_emu::fft_plans().mutex);
  *handle = cuda_emu::fft_plans().next++;
  cuda_emu::fft_plans().plans[*handle];
  return CUFFT_SUCCESS;
}
inline cufftResult cufftDestroy(cufftHandle handle) {
  std::lock_guard<std::mutex> lock(cuda_emu::fft_plans().mutex);
  return cuda_emu::fft_plans().plans.erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
inline cufftResult cufftMakePlan1d(cufftHandle h, int n, cufftType t, int batch, size_t *work) {
  return cuda_emu::make_dense_fft(h, t, batch, work, n);
}
inline cufftResult cufftMakePlan2d(cufftHandle h, int nx, int ny, cufftType t, size_t *work) {
  return cuda_emu::make_dense_fft(h, t, 1, work, nx, ny);
}
inline cufftResult cufftMakePlan3d(cufftHandle h, int nx, int ny, int nz, cufftType t, size_t *work) {
  return cuda_emu::make_dense_fft(h, t, 1, work, nx, ny, nz);
}
inline cufftResult cufftMakePlanMany(cufftHandle h, int rank, int *n, int *ie, int is, int id, int *oe, int os, int od,
                                     cufftType t, int batch, size_t *work) {
  return cuda_emu::make_fft<int>(h, rank, n, ie, is, id, oe, os, od, t, batch, work);
}
inline cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long *n, long long *ie, long long is, long long id,
                                       long long *oe, long long os, long long od, cufftType t, long long batch, size_t *work) {
  return cuda_emu::make_fft<long long>(h, rank, n, ie, is, id, oe, os, od, t, batch, work);
}
namespace cuda_emu {
template <class Make> cufftResult created_fft(cufftHandle *h, Make make) {
  cufftResult result = cufftCreate(h);
  if (result == CUFFT_SUCCESS) result = make(*h);
  if (result != CUFFT_SUCCESS) cufftDestroy(*h);
  return result;
}
}  // namespace cuda_emu
inline cufftResult cufftPlan1d(cufftHandle *h, int n, cufftType t, int batch) {
  return cuda_emu::created_fft(h, [=](cufftHandle made) { return cufftMakePlan1d(made, n, t, batch, nullptr); });
}
inline cufftResult cufftPlan2d(cufftHandle *h, int nx, int ny, cufftType t) {
  return cuda_emu::created_fft(h, [=](cufftHandle made) { return cufftMakePlan2d(made, nx, ny, t, nullptr); });
}
inline cufftResult cufftPlan3d(cufftHandle *h, int nx, int ny, int nz, cufftType t) {
  return cuda_emu::created_fft(h, [=](cufftHandle made) { return cufftMakePlan3d(made, nx, ny, nz, t, nullptr); });
}
inline cufftResult cufftPlanMany(cufftHandle *h, int rank, int *n, int *ie, int is, int id, int *oe, int os, int od,
                                 cufftType t, int batch) {
  return cuda_emu::created_fft(h, [=](cufftHandle made) {
    return cufftMakePlanMany(made, rank, n, ie, is, id, oe, os, od, t, batch, nullptr);
  });
}
// The forms that name the data types; those of 16 bits are not there.
inline cufftResult cufftXtMakePlanMany(cufftHandle h, int rank, long long *n, long long *ie, long long is, long long id,
                                       cudaDataType from, long long *oe, long long os, long long od, cudaDataType to,
                                       long long batch, size_t *work, cudaDataType) {
  cufftType type;
  if (from == CUDA_C_32F && to == CUDA_C_32F) type = CUFFT_C2C;
  else if (from == CUDA_C_64F && to == CUDA_C_64F) type = CUFFT_Z2Z;
  else if (from == CUDA_R_32F && to == CUDA_C_32F) type = CUFFT_R2C;
  else if (from == CUDA_C_32F && to == CUDA_R_32F) type = CUFFT_C2R;
  else if (from == CUDA_R_64F && to == CUDA_C_64F) type = CUFFT_D2Z;
  else if (from == CUDA_C_64F && to == CUDA_R_64F) type = CUFFT_Z2D;
  else return CUFFT_NOT_SUPPORTED;
  return cuda_emu::make_fft<long long>(h, rank, n, ie, is, id, oe, os, od, type, batch, work);
}
inline cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream) {
  cuda_emu::FftPlan *p = cuda_emu::find_fft(h);
  if (!p) return CUFFT_INVALID_PLAN;
  return p->stream = stream, CUFFT_SUCCESS;
}
// A callback has to fit the plan's data; the address of the one for several devices is its first.
inline cufftResult cufftXtSetCallback(cufftHandle h, void **function, cufftXtCallbackType kind, void **info) {
  cuda_emu::FftPlan *p = cuda_emu::find_fft(h);
  if (!p || p->sizes.empty()) return CUFFT_INVALID_PLAN;
  if (!function || kind < 0 || kind >= CUFFT_CB_UNDEFINED) return CUFFT_INVALID_TYPE;
  const bool store = kind >= CUFFT_CB_ST_COMPLEX, real = kind & 2, wide = kind & 1;
  const bool plan_real = store ? cuda_emu::real_output(p->type) : cuda_emu::real_input(p->type);
  const bool plan_wide = p->type == CUFFT_Z2Z || p->type == CUFFT_D2Z || p->type == CUFFT_Z2D;
  if (real != plan_real || wide != plan_wide) return CUFFT_INVALID_TYPE;
  (store ? p->store : p->load) = {*function, info ? *info : nullptr};
  return CUFFT_SUCCESS;
}
inline cufftResult cufftXtClearCallback(cufftHandle h, cufftXtCallbackType kind) {
  cuda_emu::FftPlan *p = cuda_emu::find_fft(h);
  if (!p) return CUFFT_INVALID_PLAN;
  return (kind >= CUFFT_CB_ST_COMPLEX ? p->store : p->load) = {}, CUFFT_SUCCESS;
}
inline cufftResult cufftXtSetCallbackSharedSize(cufftHandle, cufftXtCallbackType, size_t bytes) {
  return bytes ? CUFFT_NOT_SUPPORTED : CUFFT_SUCCESS;
}
inline cufftResult cufftGetSize(cufftHandle, size_t *work) { return *work = 0, CUFFT_SUCCESS; }
inline cufftResult cufftEstimate1d(int, cufftType, int, size_t *work) { return *work = 0, CUFFT_SUCCESS; }
inline cufftResult cufftEstimate2d(int, int, cufftType, size_t *work) { return *work = 0, CUFFT_SUCCESS; }
inline cufftResult cufftEstimate3d(int, int, int, cufftType, size_t *work) { return *work = 0, CUFFT_SUCCESS; }
inline cufftResult cufftSetAutoAllocation(cufftHandle, int) { return CUFFT_SUCCESS; }
inline cufftResult cufftSetWorkArea(cufftHandle, void *) { return CUFFT_SUCCESS; }
inline cufftResult cufftGetVersion(int *version) { return *version = CUFFT_VERSION, CUFFT_SUCCESS; }

inline cufftResult cufftExecC2C(cufftHandle h, cufftComplex *in, cufftComplex *out, int sign) { return cuda_emu::fft_run(h, CUFFT_C2C, in, out, sign); }
inline cufftResult cufftExecZ2Z(cufftHandle h, cufftDoubleComplex *in, cufftDoubleComplex *out, int sign) { return cuda_emu::fft_run(h, CUFFT_Z2Z, in, out, sign); }
inline cufftResult cufftExecR2C(cufftHandle h, cufftReal *in, cufftComplex *out) { return cuda_emu::fft_run(h, CUFFT_R2C, in, out, CUFFT_FORWARD); }
inline cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *in, cufftDoubleComplex *out) { return cuda_emu::fft_run(h, CUFFT_D2Z, in, out, CUFFT_FORWARD); }
inline cufftResult cufftExecC2R(cufftHandle h, cufftComplex *in, cufftReal *out) { return cuda_emu::fft_run(h, CUFFT_C2R, in, out, CUFFT_INVERSE); }
inline cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *in, cufftDoubleReal *out) { return cuda_emu::fft_run(h, CUFFT_Z2D, in, out, CUFFT_INVERSE); }
inline cufftResult cufftXtExec(cufftHandle h, void *in, void *out, int sign) {
  cuda_emu::FftPlan *p = cuda_emu::find_fft(h);
  if (!p) return CUFFT_INVALID_PLAN;
  switch (p->type) {
    case CUFFT_C2C: return cufftExecC2C(h, static_cast<cufftComplex *>(in), static_cast<cufftComplex *>(out), sign);
    case CUFFT_Z2Z: return cufftExecZ2Z(h, static_cast<cufftDoubleComplex *>(in), static_cast<cufftDoubleComplex *>(out), sign);
    case CUFFT_R2C: return cufftExecR2C(h, static_cast<cufftReal *>(in), static_cast<cufftComplex *>(out));
    case CUFFT_C2R: return cufftExecC2R(h, static_cast<cufftComplex *>(in), static_cast<cufftReal *>(out));
    case CUFFT_D2Z: return cufftExecD2Z(h, static_cast<cufftDoubleReal *>(in), static_cast<cufftDoubleComplex *>(out));
    case CUFFT_Z2D: return cufftExecZ2D(h, static_cast<cufftDoubleComplex *>(in), static_cast<cufftDoubleReal *>(out));
  }
  return CUFFT_INVALID_PLAN;
}
