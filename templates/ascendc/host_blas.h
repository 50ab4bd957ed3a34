// cuBLAS's functions on float and double that programs call most, by copies to the host and back.
// Matrices are column-major. Sums are added in order, where cuBLAS leaves the order open.
#pragma once

#include <cmath>
#include <cstdint>

#include "host_device_memory.h"

namespace host_blas {

using host_algorithms::Copy;

enum Status { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7 };
enum Operation { kPlain = 0, kTransposed = 1, kConjugated = 2 };
enum PointerMode { kHost = 0, kDevice = 1 };

struct Context {
    PointerMode mode = kHost;
    aclrtStream stream = nullptr;
};
using Handle = Context*;

inline Status create(Handle* handle)
{
    *handle = new Context();
    return kSuccess;
}
inline Status destroy(Handle handle)
{
    delete handle;
    return kSuccess;
}
inline Status setStream(Handle handle, aclrtStream stream)
{
    handle->stream = stream; // every call waits for the whole device, so for this stream too
    return kSuccess;
}
inline Status setPointerMode(Handle handle, PointerMode mode)
{
    handle->mode = mode;
    return kSuccess;
}

/// A factor or a result: behind a host pointer, or in device memory, as the handle says.
template <typename T>
T given(Handle handle, const T* at)
{
    return handle->mode == kDevice ? Copy<T>(at, 1)[0] : *at;
}
template <typename T>
Status result(Handle handle, T* at, T value)
{
    if (handle->mode == kDevice) {
        Copy<T> one(1);
        one[0] = value;
        one.store(at);
    } else {
        *at = value;
    }
    return kSuccess;
}

/// Elements that a vector of `n` with a stride spans; strides are positive here.
inline size_t span(int n, int stride)
{
    return n > 0 ? (size_t)(n - 1) * (size_t)stride + 1 : 0;
}

template <typename T>
Status axpy(Handle handle, int n, const T* alpha, const T* x, int strideX, T* y, int strideY)
{
    if (strideX < 1 || strideY < 1) {
        return kInvalidValue;
    }
    const T factor = given(handle, alpha);
    Copy<T> a(x, span(n, strideX));
    Copy<T> b(y, span(n, strideY));
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        b[i * strideY] = factor * a[i * strideX] + b[i * strideY];
    }
    b.store(y);
    return kSuccess;
}
template <typename T>
Status scal(Handle handle, int n, const T* alpha, T* x, int stride)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    const T factor = given(handle, alpha);
    Copy<T> a(x, span(n, stride));
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        a[i * stride] *= factor;
    }
    a.store(x);
    return kSuccess;
}
template <typename T>
Status dot(Handle handle, int n, const T* x, int strideX, const T* y, int strideY, T* out)
{
    if (strideX < 1 || strideY < 1) {
        return kInvalidValue;
    }
    Copy<T> a(x, span(n, strideX));
    Copy<T> b(y, span(n, strideY));
    T sum = 0;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum += a[i * strideX] * b[i * strideY];
    }
    return result(handle, out, sum);
}
template <typename T>
Status nrm2(Handle handle, int n, const T* x, int stride, T* out)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    Copy<T> a(x, span(n, stride));
    double sum = 0; // squares of floats stay in range
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum = std::hypot(sum, (double)a[i * stride]);
    }
    return result(handle, out, (T)sum);
}
template <typename T>
Status asum(Handle handle, int n, const T* x, int stride, T* out)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    Copy<T> a(x, span(n, stride));
    T sum = 0;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum += std::fabs(a[i * stride]);
    }
    return result(handle, out, sum);
}
template <typename T>
Status gemm(
    Handle handle, Operation opA, Operation opB, int m, int n, int k, const T* alpha, const T* a,
    int lda, const T* b, int ldb, const T* beta, T* c, int ldc)
{
    if (m < 0 || n < 0 || k < 0 || ldc < (m > 1 ? m : 1)) {
        return kInvalidValue;
    }
    if (m == 0 || n == 0) {
        return kSuccess;
    }
    const bool turnA = opA != kPlain, turnB = opB != kPlain;
    const int rowsA = turnA ? k : m, columnsA = turnA ? m : k;
    const int rowsB = turnB ? n : k, columnsB = turnB ? k : n;
    if (lda < (rowsA > 1 ? rowsA : 1) || ldb < (rowsB > 1 ? rowsB : 1)) {
        return kInvalidValue;
    }
    const auto size = [](int rows, int columns, int leading) {
        return rows > 0 && columns > 0 ? (size_t)(columns - 1) * leading + rows : (size_t)0;
    };
    const T factor = given(handle, alpha), kept = given(handle, beta);
    Copy<T> left(a, size(rowsA, columnsA, lda));
    Copy<T> right(b, size(rowsB, columnsB, ldb));
    Copy<T> out(c, size(m, n, ldc));
    for (size_t j = 0; j < (size_t)n; ++j) {
        for (size_t i = 0; i < (size_t)m; ++i) {
            T sum = 0;
            for (size_t p = 0; p < (size_t)k; ++p) {
                sum += left[turnA ? i * lda + p : p * lda + i] * right[turnB ? p * ldb + j : j * ldb + p];
            }
            T& to = out[j * ldc + i];
            // What was there does not count where its factor is 0, be it no number.
            to = kept == T(0) ? factor * sum : factor * sum + kept * to;
        }
    }
    out.store(c);
    return kSuccess;
}

} // namespace host_blas
