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
template <typename Element>
Element given(Handle handle, const Element* at)
{
    return handle->mode == kDevice ? Copy<Element>(at, 1)[0] : *at;
}
template <typename Element>
Status result(Handle handle, Element* at, Element value)
{
    if (handle->mode == kDevice) {
        Copy<Element> one(1);
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

template <typename Element>
Status axpy(Handle handle, int n, const Element* alpha, const Element* x, int strideX, Element* y, int strideY)
{
    if (strideX < 1 || strideY < 1) {
        return kInvalidValue;
    }
    const Element factor = given(handle, alpha);
    Copy<Element> a(x, span(n, strideX));
    Copy<Element> b(y, span(n, strideY));
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        b[i * strideY] = factor * a[i * strideX] + b[i * strideY];
    }
    b.store(y);
    return kSuccess;
}
template <typename Element>
Status scal(Handle handle, int n, const Element* alpha, Element* x, int stride)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    const Element factor = given(handle, alpha);
    Copy<Element> a(x, span(n, stride));
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        a[i * stride] *= factor;
    }
    a.store(x);
    return kSuccess;
}
template <typename Element>
Status dot(Handle handle, int n, const Element* x, int strideX, const Element* y, int strideY, Element* out)
{
    if (strideX < 1 || strideY < 1) {
        return kInvalidValue;
    }
    Copy<Element> a(x, span(n, strideX));
    Copy<Element> b(y, span(n, strideY));
    Element sum = 0;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum += a[i * strideX] * b[i * strideY];
    }
    return result(handle, out, sum);
}
template <typename Element>
Status nrm2(Handle handle, int n, const Element* x, int stride, Element* out)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    Copy<Element> a(x, span(n, stride));
    double sum = 0; // squares of floats stay in range
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum = std::hypot(sum, (double)a[i * stride]);
    }
    return result(handle, out, (Element)sum);
}
template <typename Element>
Status asum(Handle handle, int n, const Element* x, int stride, Element* out)
{
    if (stride < 1) {
        return kInvalidValue;
    }
    Copy<Element> a(x, span(n, stride));
    Element sum = 0;
    for (size_t i = 0; i < (size_t)(n > 0 ? n : 0); ++i) {
        sum += std::fabs(a[i * stride]);
    }
    return result(handle, out, sum);
}
template <typename Element>
Status gemm(
    Handle handle, Operation opA, Operation opB, int m, int n, int k, const Element* alpha, const Element* a,
    int lda, const Element* b, int ldb, const Element* beta, Element* c, int ldc)
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
    const Element factor = given(handle, alpha), kept = given(handle, beta);
    Copy<Element> left(a, size(rowsA, columnsA, lda));
    Copy<Element> right(b, size(rowsB, columnsB, ldb));
    Copy<Element> out(c, size(m, n, ldc));
    for (size_t j = 0; j < (size_t)n; ++j) {
        for (size_t i = 0; i < (size_t)m; ++i) {
            Element sum = 0;
            for (size_t p = 0; p < (size_t)k; ++p) {
                sum += left[turnA ? i * lda + p : p * lda + i] * right[turnB ? p * ldb + j : j * ldb + p];
            }
            Element& to = out[j * ldc + i];
            // What was there does not count where its factor is 0, be it no number.
            to = kept == Element(0) ? factor * sum : factor * sum + kept * to;
        }
    }
    out.store(c);
    return kSuccess;
}

} // namespace host_blas
